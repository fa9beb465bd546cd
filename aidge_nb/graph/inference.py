"""Propagation of dimensions through a graph.

Nodes are visited in topological order until nothing changes; in cyclic graphs a node that closes
a cycle takes its dimensions from its initial value. Shapes that depend on data are resolved where
the data are known before the graph runs: constants, and, when the caller allows it, whatever
follows from known values and dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aidge_nb.core.errors import DataDependencyError, ShapeError, explain
from aidge_nb.core.tensor import Tensor, check_dims
from aidge_nb.graph.spec import CpModel
from aidge_nb.graph.values import KnownValues

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView


@dataclass(frozen=True, slots=True)
class DimsReport:
    """What came of propagating dimensions.

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

    Raises
    ------
    ShapeError
        When the inputs of an operator do not fit each other.
    """
    values = KnownValues(allow_data_dependency, lambda port: None)
    notes: dict[Node, str] = {}
    for node in nodes:
        _infer(node, values, notes)


def copy_dims(node: Node, twin: Node) -> None:
    """Give the outputs of a node, and all inside of it, the dimensions and types of its twin's.

    For nodes made alike that read tensors of the same dimensions: nothing is checked.
    """
    mine, other = node.get_operator(), twin.get_operator()
    if mine.micro_graph is not None and other.micro_graph is not None:
        inside = zip(mine.micro_graph.get_nodes(), other.micro_graph.get_nodes(), strict=True)
        for one, its in inside:
            copy_dims(one, its)
        return  # its outputs are theirs
    for tensor, known in zip(mine.get_outputs(), other.get_outputs(), strict=True):
        if not known.undefined:
            tensor.copy_from(known)


def reset_dims(view: GraphView) -> None:
    """Forget dimensions and data of what flows through a graph; Producers keep theirs.

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
        for index, port in enumerate(node.inputs()):
            tensor = operator.get_input(index)
            if tensor is not None and port is None and node.input_category(index).is_data:
                tensor.clear()


def _take_back(given: list[Tensor]) -> None:
    """Leave inputs without the dimensions that were refused, so that others can be tried."""
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
    for group, wanted in zip(view.get_input_groups(), dims, strict=False):
        if not wanted:
            continue
        first = group[0]
        where = f"{first.node.label}, input#{first.index}"
        checked = check_dims(wanted, where)
        present = first.node.get_operator().get_input(first.index)
        if present is None:
            present = Tensor()
            for port in group:
                port.node.get_operator().associate_input(port.index, present)
        if present.undefined:
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
        for index, port in enumerate(node.inputs()):
            if operator.is_optional_input(index) or (port is not None and port.node in view):
                continue
            tensor = operator.get_input(index)
            if tensor is None or tensor.undefined:
                problems.append(
                    f"Missing mandatory input#{index} for node [{node.label}]: "
                    "pass its dimensions with dims=[...] or connect a tensor or a Producer."
                )
    return problems


def _infer(node: Node, values: KnownValues, notes: dict[Node, str]) -> bool:
    """Compute the output dims of a node if its inputs are known; tell whether they were."""
    operator = node.get_operator()
    if operator.spec.cp is CpModel.PRODUCER:
        return not operator.get_output(0).undefined
    for index, _ in node.edges_in():
        tensor = operator.get_input(index)
        if (tensor is None or tensor.undefined) and not operator.is_back_edge(index):
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
