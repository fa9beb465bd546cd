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


def bounds_of(nodes: Sequence[Node], wanted: Coded) -> tuple[int, int, float] | None:
    """Return the least and the largest code that functions leave, and a factor of numbers below 0.

    None where one of them is more than that: all but ReLU, Clip, and LeakyReLU as the first.

    Examples
    --------
    >>> import aidge_nb
    >>> half = Coded(None, np.array(0.5, np.float32), np.array(10, np.int16), 1)
    >>> bounds_of([aidge_nb.ReLU(), aidge_nb.Clip(min=-1, max=6)], half)
    (10, 22, 1.0)
    """
    low, high, alpha = -np.inf, np.inf, 1.0
    for place, node in enumerate(nodes):
        if node.type() == "LeakyReLU" and place == 0:
            alpha = float(node.get_operator().attr.negative_slope)
            continue
        ends = _ends_of(node)
        if ends is None:
            return None
        low, high = (min(max(each, ends[0]), ends[1]) for each in (low, high))
    scale, zero = wanted.scale.reshape(()), wanted.zero.reshape(())
    codes = [
        int(quantized(np.asarray(end, np.float32), scale, zero, wanted.kind.name))
        if np.isfinite(end)
        else limit
        for end, limit in zip((low, high), wanted.ends, strict=True)
    ]
    return codes[0], codes[1], alpha


def _ends_of(node: Node) -> tuple[float, float] | None:
    """Return the numbers between which a ReLU or a Clip keeps others."""
    if node.type() == "ReLU":
        return 0.0, np.inf
    if node.type() != "Clip":
        return None
    ends = np.array([-np.inf, np.inf], np.float32)
    found = _computed(node, ends)
    return None if found is None else (float(found[0]), float(found[1]))


def _computed(node: Node, numbers: NDArray[np.generic], at: int = 0) -> NDArray[np.generic] | None:
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
