"""Compare a graph on integers, layer by layer, with another runtime or with its float twin."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.errors import GraphError, ShapeError
from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.quantization.coded import CODES_OF, CODING
from aidge_nb.quantization.kinds import CODERS, is_moving
from aidge_nb.quantization.trials import decibels, worst_channel
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


@dataclass(frozen=True)
class LayerError:
    """Signal to quantization noise of a layer beside the same layer in floating point.

    Attributes
    ----------
    name
        The layer.
    sqnr
        In decibels, what the layers before lose included; infinite where nothing differs.
    worst
        The channel with the least, and how much that is.

    Examples
    --------
    >>> LayerError("conv", 38.5, (3, 21.0)).worst
    (3, 21.0)
    """

    name: str
    sqnr: float
    worst: tuple[int, float]


def errors_by_layer(
    view: GraphView, twin: GraphView, runs: Iterable[Sequence[ArrayLike]]
) -> tuple[LayerError, ...]:
    """Run a quantized graph and its float twin, and compare layers of the same name.

    A layer is compared with what it stands for: the twin's layer, with the ReLU, Clip or
    BatchNorm behind it that the quantized graph has no node for. A channel that differs by a
    factor of more than 1.25, as equalization leaves it, is compared after the best factor.

    Parameters
    ----------
    view
        The quantized graph, on integers or not, with a backend.
    twin
        The graph that it was made from, with a backend.
    runs
        For each run, one array for each input of both.

    Returns
    -------
    tuple of LayerError
        The layers that both have, in the order in which they run.

    Raises
    ------
    GraphError
        When no layer of one has the name of a layer of the other.

    Examples
    --------
    >>> import aidge_nb
    >>> import numpy as np
    >>> from aidge_nb.quantization import quantize
    >>> graph = aidge_nb.sequential([aidge_nb.FC(4, 8, name="fc"), aidge_nb.ReLU(name="relu")])
    >>> _ = aidge_nb.init_weights(graph, seed=0)
    >>> graph.forward_dims([[1, 4]])
    True
    >>> samples = np.random.default_rng(0).standard_normal((32, 4)).astype(np.float32)
    >>> integers, _ = quantize(graph, samples).integer()
    >>> for each in (graph, integers):
    ...     each.set_backend("cpu")
    >>> (fc,) = errors_by_layer(integers, graph, [[sample[None]] for sample in samples])
    >>> fc.name, 25 < fc.sqnr < 60
    ('fc', True)
    """
    wanted: dict[str, Node] = {node.name(): node for node in twin.get_nodes() if node.name()}
    names = {node.name() for node in view.get_nodes()}
    pairs = [
        (node, _behind(wanted[node.name()], names))
        for node in view.topological_order()
        if node.type() not in ("Producer", *CODERS) and node.name() in wanted
    ]
    schedulers = SequentialScheduler(twin), SequentialScheduler(view)
    sums: dict[str, NDArray[np.float64]] = {}
    for data in runs:
        for scheduler in schedulers:
            scheduler.forward(data=list(data))
        for node, beside in pairs:
            theirs = beside.get_operator().get_output(0).array.astype(np.float64)
            ours = _numbers(node)
            if ours is not None and ours.shape == theirs.shape:
                sums[node.name()] = sums.get(node.name(), 0) + _products(theirs, ours)
    if not sums:
        raise GraphError.at(
            "float twin",
            "no layer has the name of a layer of the quantized graph",
            expected=sorted(names)[:3],
            found=sorted(wanted)[:3],
        )
    return tuple(_error_of(name, each) for name, each in sums.items())


def _products(theirs: NDArray[np.float64], ours: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, by channel, squares of both, their products, and squares of the difference."""
    others = tuple(axis for axis in range(ours.ndim) if axis != 1)
    each = (theirs**2, ours**2, theirs * ours, (theirs - ours) ** 2)
    return np.stack([np.reshape(np.sum(part, axis=others), -1) for part in each])


_RESCALED = 1.25


def _error_of(name: str, sums: NDArray[np.float64]) -> LayerError:
    signal, square, product, noise = sums
    with np.errstate(all="ignore"):
        factor = np.where(square > 0, product / square, 1.0)
        fitted = np.maximum(signal - factor * product, 0)
    is_scaled = (factor > _RESCALED) | ((factor > 0) & (factor < 1 / _RESCALED))
    both = np.stack([signal, np.where(is_scaled, fitted, noise)])
    return LayerError(name, decibels(*both.sum(1)), worst_channel(both))


_ABSORBED = ("ReLU", "Clip", "BatchNorm2D")


def _behind(node: Node, names: Collection[str]) -> Node:
    """Return the last node that a quantized layer stands for."""
    while True:
        readers = node.output(0)
        if len(readers) != 1 or readers[0].node.type() not in _ABSORBED:
            return node
        if readers[0].node.name() in names:
            return node
        node = readers[0].node


_RESULTS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("QLinearConv", "QLinearMatMul", "QLinearAdd", "QLinearMul"), (6, 7)),
    "QLinearConcat": (0, 1),
    "QGemm": (7, 8),
    **{
        f"QLinear{name}": (3, 4)
        for name in ("GlobalAveragePool", "AveragePool", "Softmax", "Sigmoid", "LeakyRelu")
    },
    "QuantizeLinear": (1, 2),
}
"""Inputs with the scale and zero point of the result of operators on codes."""


def _coding(node: Node) -> tuple[float, int] | None:
    """Return how the result of a node is coded; None when that is not known."""
    if CODING in node.annotations:
        scale, zero = node.annotations[CODING]
        return float(scale), int(zero)
    if node.type() in _RESULTS:
        at = _RESULTS[node.type()]
        parts = [node.get_operator().get_input(index) for index in at]
        if parts[0] is None or parts[0].size != 1:
            return None
        zero = 0 if parts[1] is None else int(parts[1].array.reshape(()))
        return float(parts[0].array.reshape(())), zero
    before = node.source(0)
    return _coding(before.node) if is_moving(node) and before is not None else None


def _numbers(node: Node) -> NDArray[np.float64] | None:
    """Return what the result of a node stands for."""
    output = node.get_operator().get_output(0)
    if output.dtype.is_float:
        return output.array.astype(np.float64)
    coding = _coding(node)
    return None if coding is None else (output.array.astype(np.float64) - coding[1]) * coding[0]


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
