"""Propagation of dimensions through a graph.

Nodes are visited in topological order until nothing changes; in cyclic graphs a node that closes
a cycle takes its dimensions from its initial value. Shapes that depend on data are resolved where
the data are known before the graph runs: constants, and, when the caller allows it, whatever
follows from known values and dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dims import check_dims
from aidge_nb.core.errors import (
    DataDependencyError,
    LimitError,
    MissingKernelError,
    ShapeError,
    explain,
)
from aidge_nb.core.tensor import Tensor
from aidge_nb.core.values import dataclass
from aidge_nb.graph.folding import FoldingBudget
from aidge_nb.graph.inputs import input_slots, port_label
from aidge_nb.graph.spec import CpModel

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node, Port
    from aidge_nb.graph.view import GraphView


@dataclass(frozen=True, slots=True)
class DimsReport:
    """The result of propagating dimensions.

    Attributes
    ----------
    complete
        Whether every output of every node has dimensions.
    problems
        What is wrong with the inputs, one message each.
    notes
        Why dimensions of some node depend on data.
    unknown
        The nodes left without dimensions, as ``name (Type)``.
    """

    complete: bool
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def propagate_dims(
    view: GraphView,
    dims: Sequence[Sequence[int] | None] = (),
    allow_data_dependency: bool = False,
    known: Callable[[tuple[Node, int]], NDArray[Any] | None] = lambda port: None,
) -> DimsReport:
    """Compute the dimensions of all tensors of a graph.

    Parameters
    ----------
    view
        The graph; its tensors are changed.
    dims
        Dimensions of the graph inputs, in order; None or empty where they are known already.
    allow_data_dependency
        Whether shapes may be computed from data that are known before the graph runs.
    known
        Gives the value of an input of the graph, by node and index, where it is known.

    Raises
    ------
    ShapeError
        When the inputs of an operator do not fit each other.
    """
    if not isinstance(dims, Iterable):
        raise ShapeError.at(
            "dims", "no list of dimensions", expected="say [[1, 3, 8, 8]]", found=repr(dims)
        )
    given: list[Tensor] = []
    try:
        problems = _give_input_dims(view, dims, given)
        problems += _missing_inputs(view)
        if not problems:
            return _infer_all(view, KnownValues(allow_data_dependency, known))
    except ShapeError:
        _take_back(given)
        raise
    _take_back(given)
    return DimsReport(complete=False, problems=tuple(problems))


def infer_dims_of(nodes: Iterable[Node], allow_data_dependency: bool = False) -> None:
    """Compute the dimensions of some nodes, in an order in which they can be found.

    For nodes that were put into a graph whose other dimensions are known and stay. What depends on
    unknown dimensions or data is left as it is.

    Raise ShapeError when the inputs of an operator do not fit each other.
    """
    values = KnownValues(allow_data_dependency, lambda port: None)
    notes: dict[Node, str] = {}
    for node in nodes:
        _infer(node, values, notes)


def copy_dims(node: Node, twin: Node) -> None:
    """Return the outputs of a node, and all inside of it, the dimensions and types of its twin's.

    For nodes made alike that read tensors of the same dimensions: nothing is checked.
    """
    mine, other = node.get_operator(), twin.get_operator()
    if mine.micro_graph is not None and other.micro_graph is not None:
        inside = zip(mine.micro_graph.get_nodes(), other.micro_graph.get_nodes(), strict=True)
        for one, its in inside:
            copy_dims(one, its)
        return  # its outputs are theirs
    for tensor, known in zip(mine.get_outputs(), other.get_outputs(), strict=True):
        if not known.undefined():
            tensor.share(known)


def reset_dims(view: GraphView) -> None:
    """Clear the dimensions and data of all tensors except those of Producers.

    Inside meta-operators too. The graph can then be given dimensions as if for the first time.
    """
    for node in view.get_nodes():
        operator = node.get_operator()
        if operator.spec.cp is CpModel.PRODUCER:
            continue
        for index in range(operator.nb_outputs):
            operator.get_output(index).clear()
        if operator.micro_graph is not None:
            reset_dims(operator.micro_graph)
        for index, port in enumerate(node.sources()):
            tensor = operator.get_input(index)
            if tensor is not None and port is None and node.input_category(index).is_data:
                tensor.clear()


def _take_back(given: list[Tensor]) -> None:
    """Clear refused dimensions of inputs, so that others can be tried."""
    for tensor in given:
        tensor.clear()


def _infer_all(view: GraphView, values: KnownValues) -> DimsReport:
    waiting = list(view.topological_order())
    notes: dict[Node, str] = {}
    while waiting:
        left = [node for node in waiting if not _infer(node, values, notes)]
        if len(left) == len(waiting):
            break
        waiting = left
    return DimsReport(
        complete=not waiting,
        notes=tuple(notes[node] for node in waiting if node in notes),
        unknown=tuple(node.label for node in waiting),
    )


def _give_input_dims(
    view: GraphView, dims: Sequence[Sequence[int] | None], given: list[Tensor]
) -> list[str]:
    """Set the dimensions of inputs; note in ``given`` the tensors that had none before."""
    problems = []
    for slot, wanted in zip(input_slots(view), dims, strict=False):
        if not wanted or not slot.ports:
            continue
        group, first = slot.ports, slot.ports[0]
        where = port_label(first)
        checked = check_dims(wanted, where)
        present = first.node.get_operator().get_input(first.index)
        if present is None:
            present = Tensor()
            for port in group:
                port.node.get_operator().associate_input(port.index, present)
        if present.undefined():
            present.resize(checked)
            given.append(present)
        elif present.dims != checked:
            problems.append(
                explain(
                    where,
                    "dimensions differ from those of the tensor that is there",
                    expected=list(present.dims),
                    found=list(checked),
                    cure="Call reset_dims() first: the graph then takes any dimensions.",
                )
            )
    return problems


def _missing_inputs(view: GraphView) -> list[str]:
    problems = []
    for node in view.get_nodes():
        operator = node.get_operator()
        for index, port in enumerate(node.sources()):
            if operator.is_optional_input(index) or (port is not None and port.node in view):
                continue
            tensor = operator.get_input(index)
            if tensor is None or tensor.undefined():
                problems.append(
                    f"Missing mandatory input#{index} for node [{node.label}]: "
                    "pass its dimensions with dims=[...] or connect a tensor or a Producer."
                )
    return problems


def _infer(node: Node, values: KnownValues, notes: dict[Node, str]) -> bool:
    """Compute the output dims of a node if its inputs are known; tell whether they were."""
    operator = node.get_operator()
    if operator.spec.cp is CpModel.PRODUCER:
        return not operator.get_output(0).undefined()
    for index, _ in node.edges_in():
        tensor = operator.get_input(index)
        if (tensor is None or tensor.undefined()) and not operator.is_back_edge(index):
            return False
    try:
        operator.infer_dims(
            lambda index: values.of_input(node, index),
            allow_data_dependency=values.allow_computed,
        )
    except DataDependencyError as error:
        notes[node] = str(error)
        return False
    return True


_LARGEST = 1 << 16
"""Values of more elements are not followed: shapes are small, activations are not."""


class KnownValues:
    """Values at the ports of a graph, computed once each.

    Parameters
    ----------
    allow_computed
        Whether values may be those of any Producer or tensor, or computed from them; otherwise
        constant Producers alone count.
    given
        Gives the value of an input, by node and index, that nothing in the graph feeds but
        something around it does; None when that is not known.
    """

    def __init__(
        self,
        allow_computed: bool,
        given: Callable[[tuple[Node, int]], NDArray[Any] | None] = lambda port: None,
    ) -> None:
        self.allow_computed = allow_computed
        self._given = given
        self._known: dict[Port, NDArray[Any] | None] = {}

    @cached_property
    def _folding(self) -> FoldingBudget:
        return FoldingBudget()

    def of_input(self, node: Node, index: int) -> NDArray[Any] | None:
        """Return the value that an input will have, None when it is not known."""
        port = node.source(index)
        if port is not None:
            return self.of_output(port)
        value = self._given((node, index))
        if value is not None:
            return value
        tensor = node.get_operator().get_input(index)
        if self.allow_computed and tensor is not None and tensor.has_data:
            return tensor.array
        return None

    def of_output(self, port: Port) -> NDArray[Any] | None:
        """Return the value that an output will have, None when it is not known."""
        pending = [port]
        while pending:
            current = pending[-1]
            if current in self._known:
                pending.pop()
                continue
            needed = self._needed(current)
            unknown = [] if needed is None else [n for n in needed if n not in self._known]
            if unknown:
                pending.extend(unknown)
            else:
                self._known[current] = None if needed is None else self._compute(current)
                pending.pop()
        return self._known[port]

    def _needed(self, port: Port) -> list[Port] | None:
        """List the outputs whose values are needed first; None if the value cannot be known."""
        operator = port.node.get_operator()
        kind = operator.type()
        if kind == "Producer":
            usable = self.allow_computed or operator.attr.constant
            return [] if usable and operator.get_output(0).has_data else None
        if not self.allow_computed or not operator.is_atomic() or operator.spec.back_edges:
            return None
        if kind in ("Shape", "Size"):
            tensor = operator.get_input(0)
            return None if tensor is None or tensor.undefined() else []
        tensors = [operator.get_input(i) for i in range(operator.nb_inputs)]
        if any(t is not None and (t.undefined() or t.size > _LARGEST) for t in tensors):
            return None
        needed = [parent for _, parent in port.node.edges_in()]
        return None if any(self._known.get(parent, 0) is None for parent in needed) else needed

    def _compute(self, port: Port) -> NDArray[Any] | None:
        operator = port.node.get_operator()
        if operator.type() == "Producer":
            return operator.get_output(0).array
        arrays: list[NDArray[Any] | None] = []
        for index in range(operator.nb_inputs):
            tensor = operator.get_input(index)
            if operator.type() in ("Shape", "Size") and tensor is not None:
                arrays.append(np.broadcast_to(np.zeros((), tensor.dtype.numpy), tensor.dims))
                continue
            value = self.of_input(port.node, index)
            if value is None and tensor is not None:
                return None
            arrays.append(value)
        try:
            return self._folding.run(operator, arrays)[port.index]
        except (MissingKernelError, LimitError):
            return None
