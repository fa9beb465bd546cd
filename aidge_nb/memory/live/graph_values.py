"""Facts that planners need of a graph: the executed order, and the bytes of each output."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph.given import check_view
from aidge_nb.scheduling import static_schedule

if TYPE_CHECKING:
    from aidge_nb.core.tensor import Tensor
    from aidge_nb.graph import GraphView, Node, Port


class Ordered(Protocol):
    """A schedule, an order found for it, or a plan: values that list what runs in ``order``."""

    @property
    def order(self) -> Sequence[str]:
        """Names of the nodes, once per execution."""


Schedule: TypeAlias = "Ordered | Sequence[Node] | Sequence[str]"
"""An order of executions: a value with an ``order``, or the nodes or their names."""


def nodes_in_order(graph: GraphView, schedule: Schedule | None = None) -> list[Node]:
    """Return the node of each execution; by default, of the static schedule of the graph.

    Raises
    ------
    MemoryPlanError
        When the graph has no node of some name, or ``schedule`` is no order of executions.
    """
    check_view(graph, "memory", MemoryPlanError)
    if schedule is None:
        schedule = static_schedule(graph)
    order = getattr(schedule, "order", schedule)
    if isinstance(order, str) or not isinstance(order, Iterable):
        raise MemoryPlanError.at(
            "schedule",
            "is not an order of executions",
            expected="a StaticSchedule, an OrderResult, or a list of nodes or of their names",
            found=type(schedule).__name__,
        )
    executions = list(order)
    if not any(isinstance(each, str) for each in executions):
        return executions
    nodes: dict[object, Node] = {name: node for node, name in graph.unique_names().items()}
    for tick, each in enumerate(executions):
        if isinstance(each, str):
            if each not in nodes:
                raise MemoryPlanError.at(
                    f"execution {tick} of the order",
                    f"the graph has no node {each!r}",
                    found=f"graph {graph.name() or '(unnamed)'} of {len(graph)} nodes",
                    cure="Plan memory for the graph that was scheduled.",
                )
            executions[tick] = nodes[each]
    return executions


def bytes_of(tensor: Tensor, where: str) -> int:
    """Give the bytes of a tensor.

    Raises
    ------
    MemoryPlanError
        While its dimensions are unknown.
    """
    if tensor.undefined:
        raise MemoryPlanError.at(
            where,
            "cannot lay out memory: its dimensions are unknown",
            cure="Call forward_dims() with the dimensions of the graph inputs first, and with "
            "allow_data_dependency=True if shapes depend on constants.",
        )
    return tensor.nbytes


def output_bytes(port: Port) -> int:
    """Give the bytes of an output.

    Raises
    ------
    MemoryPlanError
        While its dimensions are unknown.
    """
    node, index = port
    return bytes_of(node.get_operator().get_output(index), f"{node.label}, output#{index}")


def is_connected(port: Port, outputs: Collection[Port]) -> bool:
    """Whether an output is read by a node or is among the ``outputs`` of the graph."""
    return port in outputs or bool(port.node.output(port.index))


def check_order(view: GraphView, order: Sequence[Node], *, inc_producers: bool = False) -> None:
    """Check that an order of executions belongs to a graph and can be executed.

    Producers need not be in it, unless ``inc_producers``.

    Raises
    ------
    MemoryPlanError
        For a node that is not in the graph, or that runs before what it reads was computed. Also
        for what is no graph.
    """
    check_view(view, "memory", MemoryPlanError)
    done: set[Node] = set()
    for tick, node in enumerate(order):
        if node not in view:
            raise MemoryPlanError.at(
                node.label,
                f"execution {tick} of the order is of a node that is not in the graph",
                found=f"graph {view.name() or '(unnamed)'} of {len(view)} nodes",
                cure="Lay out memory for the graph that was scheduled.",
            )
        for index, parent in node.edges_in():
            source = parent.node
            at_hand = source in done or source not in view or source.type() == "Producer"
            if not at_hand and not node.parent_is_back_edge(index):
                raise MemoryPlanError.at(
                    f"{node.label}, input#{index}",
                    f"execution {tick} of the order reads what was not computed yet",
                    expected=f"{source.label} before it",
                    cure="Give the order of a schedule, one node per execution.",
                )
        done.add(node)


def check_outputs(view: GraphView, order: Sequence[Node]) -> None:
    """Check that an order of executions computes all outputs of a graph.

    Raises
    ------
    MemoryPlanError
        For an output whose node is never executed, and for what is no graph.
    """
    check_view(view, "memory", MemoryPlanError)
    executed = set(order)
    for port in view.get_ordered_outputs():
        if port.node not in executed and port.node.type() != "Producer":
            raise MemoryPlanError.at(
                f"{port.node.label}, output#{port.index}",
                "is an output of the graph, and the order never computes it",
                found=f"{len(executed)} of {len(view)} nodes in the order",
                cure="Give the order of a schedule: get_sequential_static_scheduling().",
            )
