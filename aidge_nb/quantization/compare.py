"""Compare a graph on integers, layer by layer, with the codes of another runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.quantization.coded import CODES_OF
from aidge_nb.runtime.autodiff.tape import TapeEntry, run_and_record
from aidge_nb.runtime.schedulers.sequential import SequentialScheduler
from aidge_nb.scheduling.executor import is_needed


@dataclass(frozen=True)
class LayerSteps:
    """How far the codes of a layer are from those of another runtime, given the same inputs.

    Attributes
    ----------
    name
        The layer.
    most
        The largest difference, in steps of the scale of the result.
    differing, size
        Codes that differ, and all codes.

    Examples
    --------
    >>> print(LayerSteps("conv", 1, 3, 1000))
    conv: 3 of 1000 codes differ, by 1 step at most
    """

    name: str
    most: int
    differing: int
    size: int

    def __str__(self) -> str:
        steps = f"{self.most} step{'s' if self.most != 1 else ''}"
        return f"{self.name}: {self.differing} of {self.size} codes differ, by {steps} at most"


def steps_by_layer(
    view: GraphView, data: Sequence[ArrayLike], codes: Mapping[str, ArrayLike]
) -> tuple[LayerSteps, ...]:
    """Run each layer on the codes of another runtime, and compare its result with theirs.

    So the error of one layer is not that of the layers before.

    Parameters
    ----------
    view
        A graph of quantized layers, as :func:`.integer.to_integer` leaves it, with a backend.
    data
        One array for each input of the graph.
    codes
        What the other runtime computed, by the name that the node that gives the codes has in the
        file: a QuantizeLinear, or an operator on codes.

    Returns
    -------
    tuple of LayerSteps
        The layers whose codes are in ``codes``, in the order in which they ran.

    Raises
    ------
    ShapeError
        When codes have other dims or another type than the result of the layer.

    Examples
    --------
    >>> import aidge_nb
    >>> import numpy as np
    >>> graph = aidge_nb.sequential([aidge_nb.Identity(name="codes"), aidge_nb.ReLU(name="relu")])
    >>> graph.set_backend("cpu")
    >>> ours = np.array([-1, 2], np.int8)
    >>> theirs = {"codes": np.array([3, 2], np.int8), "relu": np.array([2, 2], np.int8)}
    >>> for each in steps_by_layer(graph, [ours], theirs):
    ...     print(each)
    codes: 1 of 2 codes differ, by 4 steps at most
    relu: 1 of 2 codes differ, by 1 step at most
    """
    check_view(view, "steps_by_layer")
    found: list[LayerSteps] = []

    def compare(node: Node) -> None:
        origin = node.annotations.get(CODES_OF, node.name())
        if node.type() == "Producer" or origin not in codes:
            return
        output, theirs = node.get_operator().get_output(0), np.asarray(codes[origin])
        ours = output.array
        if theirs.shape != ours.shape or theirs.dtype != ours.dtype:
            raise ShapeError.at(
                node.label,
                "the other runtime gave codes that cannot be compared",
                expected=f"{ours.dtype}{list(ours.shape)}",
                found=f"{theirs.dtype}{list(theirs.shape)}",
            )
        steps = np.abs(ours.astype(np.int64) - theirs.astype(np.int64))
        most, differing = int(steps.max(initial=0)), int(np.count_nonzero(steps))
        found.append(LayerSteps(node.name() or node.type(), most, differing, steps.size))
        output.set_array(theirs)

    _Interrupted(view, compare).forward(data=list(data))
    return tuple(found)


class _Interrupted(SequentialScheduler):
    """Run the nodes one after the other; call a function after each."""

    def __init__(self, view: GraphView, after: Callable[[Node], None]) -> None:
        super().__init__(view)
        self._after = after

    def _run_step(self, step: int) -> list[TapeEntry]:
        entries = []
        for node in self.get_sequential_static_scheduling(step):
            if is_needed(node):
                entries.append(run_and_record(node))
                self._after(node)
        return entries
