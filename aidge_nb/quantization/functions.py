"""Functions of one tensor, element by element, as tables over the 256 codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import AidgeError
from aidge_nb.graph.backend import make_implementation
from aidge_nb.graph.node import Node
from aidge_nb.kernels.cpu.quantization.standard import dequantized, quantized
from aidge_nb.quantization.coded import Coded


def table_of(
    nodes: Sequence[Node], given: Coded, wanted: Coded, at: int = 0
) -> NDArray[np.generic] | None:
    """Return the code of each of the 256 results, by the bits of the code as uint8.

    The nodes follow one another; the codes come in at input ``at`` of the first. None when one of
    them cannot be computed on its own. Without nodes it is the table from one coding to another.

    Examples
    --------
    >>> import aidge_nb
    >>> zero = np.array(0, np.int8)
    >>> one, half = (Coded(None, np.array(s, np.float32), zero, 1) for s in (1, 0.5))
    >>> table_of([aidge_nb.ReLU()], one, half)[[0, 1, 63, 64, 255]].tolist()
    [0, 2, 126, 127, 0]
    """
    codes = np.arange(256, dtype=np.uint8).view(given.kind)
    numbers: NDArray[np.generic] | None = dequantized(
        codes, given.scale.reshape(()), given.zero.reshape(())
    )
    for number, node in enumerate(nodes):
        numbers = None if numbers is None else _computed(node, numbers, 0 if number else at)
    if numbers is None:
        return None
    return quantized(numbers, wanted.scale.reshape(()), wanted.zero.reshape(()), wanted.kind.name)


def _computed(node: Node, numbers: NDArray[np.generic], at: int) -> NDArray[np.generic] | None:
    operator = node.get_operator()
    arrays: list[NDArray[np.generic] | None] = [None] * operator.nb_inputs
    for index, port in node.edges_in():
        bound = port.node.get_operator().get_output(port.index)
        if index != at and not bound.has_data:
            return None
        arrays[index] = None if index == at else bound.array
    arrays[at] = numbers
    try:
        with np.errstate(all="ignore"):  # not every code stands for a number that is met
            return make_implementation("exact", operator).run(arrays)[0].reshape(-1)
    except AidgeError:
        return None
