"""Facts that live-range analysis needs: the executed order, lifetimes, and what outputs hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Port
from aidge_nb.graph.spec import CpModel
from aidge_nb.graph.view import check_view
from aidge_nb.memory.live.by_rows import works_by_lines
from aidge_nb.memory.live.sharing import first_in_input, part_of_input
from aidge_nb.memory.values.options import PlanOptions, WhatIf
from aidge_nb.memory.values.part import Part
from aidge_nb.scheduling import static_schedule
from aidge_nb.scheduling.model.impl import adds_up
from aidge_nb.scheduling.model.prod_conso import later_reads

if TYPE_CHECKING:
    from aidge_nb.core.tensor import Tensor
    from aidge_nb.graph import GraphView, Node


class Ordered(Protocol):
    """A schedule, an order found for it, or a plan: values that list what runs in ``order``."""

    @property
    def order(self) -> Sequence[str]:
        """Names of the nodes, once per execution."""


Schedule: TypeAlias = "Ordered | Sequence[Node] | Sequence[str]"
"""An order of executions: a value with an ``order``, or the nodes or their names."""


def nodes_in_order(graph: GraphView, schedule: Schedule | None = None) -> list[Node]:
    """Return the node of each execution; by default, of the static schedule of the graph.

    Raise MemoryPlanError when the graph has no node of some name, or ``schedule`` is not an order
    of executions.
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
    """Return the bytes of a tensor.

    Raises
    ------
    MemoryPlanError
        While its dimensions are unknown.
    """
    if tensor.undefined():
        raise MemoryPlanError.at(
            where,
            "cannot lay out memory: its dimensions are unknown",
            cure="Call forward_dims() with the dimensions of the graph inputs first, and with "
            "allow_data_dependency=True if shapes depend on constants.",
        )
    return tensor.nbytes


def output_bytes(port: Port) -> int:
    """Return the bytes of an output.

    Raises
    ------
    MemoryPlanError
        While its dimensions are unknown.
    """
    node, index = port
    return bytes_of(node.get_operator().get_output(index), f"{node.label}, output#{index}")


def is_connected(port: Port, outputs: Collection[Port]) -> bool:
    """Return whether an output is read by a node or is among the ``outputs`` of the graph."""
    return port in outputs or bool(port.node.output(port.index))


def check_order(view: GraphView, order: Sequence[Node]) -> None:
    """Check that an order of executions belongs to a graph and can be executed.

    Producers need not be in it.

    Raise MemoryPlanError for a node that is not in the graph, or that runs before what it reads was
    computed, and for an argument that is not a graph.
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

    Raise MemoryPlanError for an output whose node is never executed, and for an argument that is
    not a graph.
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


class Changes(NamedTuple):
    """The changes of a :class:`~aidge_nb.memory.WhatIf`, by node.

    Attributes
    ----------
    into
        For each fused node, the node that computes it.
    in_place
        Nodes that may write output 0 over input 0.
    """

    into: dict[Node, Node]
    in_place: frozenset[Node]

    @classmethod
    def of(cls, what_if: WhatIf, nodes: Mapping[str, Node]) -> Changes:
        """Find the nodes that ``what_if`` names.

        Raise MemoryPlanError when the graph has no node of some name.
        """
        for name in (*what_if.in_place, *(name for pair in what_if.fused for name in pair)):
            if name not in nodes:
                problem = f"the graph has no node {name!r}"
                raise MemoryPlanError.at("what_if", problem, expected="names of its nodes")
        return cls(
            {nodes[first]: nodes[second] for first, second in what_if.fused},
            frozenset(nodes[name] for name in what_if.in_place),
        )

    def computed_by(self, node: Node) -> Node:
        """Return the node that computes a node: itself unless it is fused."""
        while node in self.into:
            node = self.into[node]
        return node

    def fused_into(self, node: Node) -> list[Node]:
        """List the nodes that are fused into a node, directly or not."""
        found = [first for first, second in self.into.items() if second is node]
        return [*found, *(other for first in found for other in self.fused_into(first))]


class Lifetimes:
    """The ticks of an order, and what follows from them.

    Attributes
    ----------
    end
        The number of ticks.
    outputs
        The outputs of the graph, which live until then.
    ticks
        When each node runs.
    """

    def __init__(self, view: GraphView, executed: Sequence[Node], changes: Changes) -> None:
        self.end = len(executed)
        self.outputs = set(view.get_ordered_outputs())
        self.ticks: dict[Node, list[int]] = {}
        for tick, node in enumerate(executed):
            self.ticks.setdefault(node, []).append(tick)
        self._changes = changes
        self._uppers: dict[tuple[Port, int], int] = {}

    def reads(self, port: Port) -> Iterator[list[int]]:
        """Go over the readers of an output: when does each run."""
        for child, _ in port.node.output(port.index):
            if child in self.ticks:
                yield self.ticks_of(child)

    def ticks_of(self, reader: Node) -> list[int]:
        """Return the ticks at which a node reads; a fused node reads when its reader runs."""
        return self.ticks.get(self._changes.computed_by(reader), [])

    def is_last(self, node: Node, execution: int) -> bool:
        """Return whether an execution is the last one of its node."""
        return execution == len(self.ticks[node]) - 1

    def upper(self, port: Port, tick: int, execution: int, grows: bool) -> int:
        """Return the tick from which a value is no longer needed (cached).

        Parameters
        ----------
        port
            The output.
        tick, execution
            When it is written, and by which execution of its node.
        grows
            Whether executions add up in one value.
        """
        key = (port, execution)
        if key not in self._uppers:
            self._uppers[key] = self._upper(port, tick, execution, grows)
        return self._uppers[key]

    def _upper(self, port: Port, tick: int, execution: int, grows: bool) -> int:
        writes = [tick] if grows else self.ticks[port.node]
        is_last = grows or self.is_last(port.node, execution)
        if is_last and port in self.outputs:
            return self.end
        if len(self.ticks[port.node]) == 1:  # all that is ever read of it
            return max([tick, *[reads[-1] for reads in self.reads(port) if reads]]) + 1
        last = self.ticks[port.node][-1] if grows else tick
        waits = port.node.get_operator().spec.cp is not CpModel.MEMORIZE
        for reads in self.reads(port):
            last = max([last, *later_reads(reads, writes, execution, self.end, waits)])
        return last + 1


class StoredOutput(NamedTuple):
    """Facts about an output that hold for every choice.

    Its bytes and dimensions; whether executions add up in it; its rows, if it could lie by rows;
    and whether it is stored at all.
    """

    size: int
    dims: tuple[int, ...]
    grows: bool
    rows: int
    is_stored: bool


class Cut(NamedTuple):
    """The part of input 0 that Slice or Split cuts: its first element by axis, and its bytes."""

    first: tuple[int, ...]
    part: Part


@dataclass(frozen=True, slots=True)
class Setting:
    """Names, lifetimes, options, and cached facts about outputs (``made``, ``cuts``)."""

    names: dict[Node, str]
    life: Lifetimes
    options: PlanOptions
    changes: Changes
    made: dict[Port, StoredOutput] = field(default_factory=dict)
    cuts: dict[Port, Cut | None] = field(default_factory=dict)

    def made_at(self, port: Port) -> StoredOutput:
        """Return the facts about an output (cached).

        Raises
        ------
        MemoryPlanError
            While its dimensions are unknown.
        """
        if port not in self.made:
            operator = port.node.get_operator()
            left_out = operator.may_leave_out(port.index)
            if left_out and not is_connected(port, self.life.outputs):
                self.made[port] = StoredOutput(0, (), False, 0, is_stored=False)
            else:
                size, grows = output_bytes(port), adds_up(port)
                dims = operator.get_output(port.index).dims
                rows = dims[2] if len(dims) == 4 and not grows else 0
                self.made[port] = StoredOutput(size, tuple(dims), grows, rows, is_stored=True)
        return self.made[port]

    def cut_at(self, port: Port) -> Cut | None:
        """Return the part of input 0 that an output of Slice or Split is; None for others."""
        if port not in self.cuts:
            node, index = port
            cuts = node.type() in ("Slice", "Split")
            first = first_in_input(node, index) if cuts else None
            part = part_of_input(node, index) if cuts else None
            found = None if first is None or part is None else Cut(tuple(first), part)
            self.cuts[port] = found
        return self.cuts[port]

    def overwrites(self, node: Node) -> tuple[int, ...]:
        """Return the inputs over which a node may write its output."""
        declared = node.get_operator().spec.in_place
        if not self.options.in_place or declared or not node.get_nb_inputs():
            return declared if self.options.in_place else ()
        allowed = node in self.changes.in_place or (self.options.by_rows and works_by_lines(node))
        return (0,) if allowed else ()

    def permits(self, part: Part) -> bool:
        """Return whether a part may stay in the whole."""
        distances = (part.start, *(step for _, step in part.levels))
        is_aligned = not any(distance % self.options.alignment for distance in distances)
        return is_aligned and not (part.levels and self.options.contiguous)
