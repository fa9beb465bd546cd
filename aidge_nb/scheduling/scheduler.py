"""Schedulers: objects that schedule a graph and keep what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aidge_nb.errors import SchedulingError, explain
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.log import Level, logger
from aidge_nb.scheduling.branches import FORK_BRANCH, tag_fork_branches
from aidge_nb.scheduling.conditional import condition_nodes, tag_conditional_nodes
from aidge_nb.scheduling.dataflow import Dataflow
from aidge_nb.scheduling.elements import SchedulingElement, StaticSchedulingElement
from aidge_nb.scheduling.gantt import factorized_gantt, measured_gantt, static_gantt
from aidge_nb.scheduling.policies import SchedulingPolicy, sort_firings
from aidge_nb.scheduling.schedule import Actor, Firing, StaticSchedule
from aidge_nb.scheduling.static import schedule_batches
from aidge_nb.scheduling.timing import Timing, compute_timing
from aidge_nb.tensor import Tensor

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["Scheduler", "schedule_nodes", "static_schedule"]


@dataclass(frozen=True, slots=True)
class _Step:
    schedule: StaticSchedule
    nodes: tuple[Node, ...]
    graph: tuple[Node, ...]
    awaited_by: tuple[tuple[int, ...], ...]


def static_schedule(view: GraphView) -> StaticSchedule:
    """Schedule a graph once, from the start.

    Raises
    ------
    SchedulingError
        When it cannot be scheduled.

    Examples
    --------
    >>> import aidge_nb
    >>> static_schedule(aidge_nb.sequential([aidge_nb.ReLU(), aidge_nb.Tanh()])).order
    ('(ReLU#0)', '(Tanh#0)')
    """
    scheduler = Scheduler(view)
    scheduler.generate_scheduling()
    return scheduler.schedule()


def schedule_nodes(
    view: GraphView, sequence: Sequence[Node], remaining: Sequence[Node] = ()
) -> StaticSchedule:
    """Make the schedule that runs nodes in the given order, once per occurrence."""
    return _make_step(view, sequence, remaining).schedule


def _make_step(view: GraphView, sequence: Sequence[Node], remaining: Sequence[Node]) -> _Step:
    order = view.topological_order()
    number = {node: i for i, node in enumerate(order)}
    names = view.unique_names()
    ranks = view.get_ranked_nodes_name("{3}")
    numbers = [number[node] for node in sequence]
    timing = compute_timing(
        numbers,
        [_parents(node, number) for node in order],
        _children(order, number),
    )
    schedule = StaticSchedule(
        actors=tuple(
            Actor(names[n], n.type(), n.type() == "Producer", n.name(), int(ranks[n]))
            for n in order
        ),
        firings=tuple(_firings(numbers, timing)),
        remaining=tuple(number[node] for node in remaining),
        waits_for=tuple(timing.waits_for),
    )
    return _Step(schedule, tuple(sequence), tuple(order), tuple(timing.awaited_by))


def _parents(node: Node, number: Mapping[Node, int]) -> list[int | None]:
    """Number what feeds each input of a node, then what decides whether it runs at all."""
    feeding = [None if parent is None else number.get(parent) for parent in node.get_parents()]
    return feeding + [number[each] for each in condition_nodes(node) if each in number]


def _children(order: Sequence[Node], number: Mapping[Node, int]) -> list[list[int]]:
    children = [dict.fromkeys(number[c] for c in n.get_children() if c in number) for n in order]
    for node in order:
        for condition in condition_nodes(node):
            if condition in number:
                children[number[condition]].setdefault(number[node])
    return [list(each) for each in children]


def _firings(numbers: Sequence[int], timing: Timing) -> list[Firing]:
    executions: dict[int, int] = {}
    firings = []
    for actor, early, late in zip(numbers, timing.early, timing.late, strict=True):
        execution = executions.get(actor, 0)
        executions[actor] = execution + 1
        firings.append(Firing(actor, execution, early, late))
    return firings


class Scheduler:
    """Schedules a graph statically; keeps one schedule per call of :meth:`generate_scheduling`.

    Parameters
    ----------
    graph_view
        The graph.
    reset_cp_model
        Whether the C-P state of the nodes starts over; otherwise what was consumed stays consumed.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> scheduler = aidge_nb.Scheduler(model)
    >>> scheduler.generate_scheduling()
    >>> [(each.node.name(), each.early, each.late) for each in scheduler.get_static_scheduling()]
    [('a', 0, 0), ('b', 1, 1)]
    """

    def __init__(self, graph_view: GraphView, reset_cp_model: bool = True) -> None:
        if not isinstance(graph_view, GraphView):
            cure = "Pass the graph, such as that of aidge_nb.sequential([...])."
            raise SchedulingError(
                explain("scheduler", "there is no graph", found=repr(graph_view), cure=cure)
            )
        self._view = graph_view
        self._steps: list[_Step] = []
        self._forward: list[SchedulingElement] = []
        self._backward: list[SchedulingElement] = []
        if reset_cp_model:
            Dataflow(graph_view).reset()

    def graph_view(self) -> GraphView:
        """Give the graph."""
        return self._view

    # --- making schedules -------------------------------------------------------------------

    def generate_scheduling(self) -> None:
        """Schedule the graph once more, from the C-P state it is in.

        Raises
        ------
        SchedulingError
            When it cannot be scheduled; the state is reset, so that it can be tried again.
        """
        dataflow = Dataflow(self._view)
        try:
            base = schedule_batches(dataflow)
        except SchedulingError:
            dataflow.reset()
            raise
        if base.remaining:
            lacks = "; ".join(filter(None, map(dataflow.describe_lack, base.remaining)))
            logger.log(
                _level_of(base.nodes),
                "Remaining consumers: [%s]",
                lacks or ", ".join(node.label for node in base.remaining),
            )
        self._steps.append(_make_step(self._view, base.nodes, base.remaining))

    def reset_scheduling(self) -> None:
        """Forget all schedules and measurements, and start the C-P models over."""
        self._steps.clear()
        self.clear_scheduling()
        Dataflow(self._view).reset()

    def clear_scheduling(self) -> None:
        """Forget what was measured; schedules stay."""
        self._forward.clear()
        self._backward.clear()

    def tag_fork_branches(self, allow_shared_producers: bool = False) -> None:
        """Note on every node the branches that it is in; the branch policies need it."""
        tag_fork_branches(self._view, allow_shared_producers)

    def tag_conditional_nodes(self) -> None:
        """Note on every node for which input of a Select alone it runs.

        To be called before :meth:`generate_scheduling`: conditional nodes then wait for the
        condition, and a pass leaves out those that are not needed.
        """
        tag_conditional_nodes(self._view)

    # --- reading schedules ------------------------------------------------------------------

    def _step(self, step: int) -> _Step:
        if not self._steps:
            raise SchedulingError(
                explain(
                    "scheduler",
                    "there is no static scheduling yet",
                    cure="Call generate_scheduling() first.",
                )
            )
        if not 0 <= step < len(self._steps):
            raise SchedulingError(
                explain(
                    "scheduler",
                    "no static scheduling of this step",
                    expected=f"0 to {len(self._steps) - 1}",
                    found=step,
                )
            )
        return self._steps[step]

    def schedule(self, step: int = 0) -> StaticSchedule:
        """Give the schedule of a step as a value."""
        return self._step(step).schedule

    def get_static_scheduling(self, step: int = 0) -> list[StaticSchedulingElement]:
        """Give the schedule of a step as linked elements."""
        found = self._step(step)
        elements = [
            StaticSchedulingElement(node, firing.early, firing.late)
            for node, firing in zip(found.nodes, found.schedule.firings, strict=True)
        ]
        # As in Aidge: the early steps say what precedes what, the late steps what follows what.
        for element, before, after in zip(
            elements, found.schedule.waits_for, found.awaited_by, strict=True
        ):
            for other in before:
                elements[other].earlier_than.append(element)
            for other in after:
                elements[other].later_than.append(element)
        return elements

    def get_sequential_static_scheduling(
        self, step: int = 0, sorting: SchedulingPolicy = SchedulingPolicy.Default
    ) -> list[Node]:
        """Give the nodes of a step in the order of a policy, once per execution."""
        found = self._step(step)
        node_of = {
            (firing.actor, firing.execution): node
            for node, firing in zip(found.nodes, found.schedule.firings, strict=True)
        }
        ordered = sort_firings(found.schedule, sorting, self._fork_branches(found))
        return [node_of[firing.actor, firing.execution] for firing in ordered]

    def _fork_branches(self, step: _Step) -> dict[int, dict[int, int]]:
        """Give the branches that :meth:`tag_fork_branches` noted, by number of actor."""
        number = {node: i for i, node in enumerate(step.graph)}
        return {
            number[node]: {number[fork]: branch for fork, branch in noted.items() if fork in number}
            for node in step.graph
            if (noted := node.annotations.get(FORK_BRANCH))
        }

    def get_forward_scheduling(self) -> list[SchedulingElement]:
        """Give the executions measured in the last forward passes."""
        return list(self._forward)

    def get_backward_scheduling(self) -> list[SchedulingElement]:
        """Give the executions measured in the last backward passes."""
        return list(self._backward)

    # --- inputs and diagrams ----------------------------------------------------------------

    def connect_inputs(self, data: Sequence[Tensor]) -> None:
        """Give tensors to the inputs of the graph, in their order.

        Raises
        ------
        SchedulingError
            When there are more tensors than inputs.
        """
        groups = self._view.get_input_groups()
        if len(data) > len(groups):
            raise SchedulingError(
                explain("connect_inputs", "too many tensors", expected=len(groups), found=len(data))
            )
        for group, tensor in zip(groups, data, strict=False):
            for port in group:
                port.node.get_operator().reset_input(port.index)
                port.node.get_operator().set_input(port.index, tensor)

    def save_static_scheduling_diagram(
        self, file_name: str | PathLike[str], ignore_producers: bool = False
    ) -> None:
        """Write the schedule as a Mermaid Gantt chart to ``file_name.mmd``."""
        _write(file_name, static_gantt(self.schedule(), ignore_producers))

    def save_factorized_static_scheduling_diagram(
        self,
        file_name: str | PathLike[str],
        ignore_producers: bool = False,
        min_repeat: int = 2,
    ) -> None:
        """Write the schedule with repetitions folded to ``file_name.mmd``."""
        _write(file_name, factorized_gantt(self.schedule(), ignore_producers, min_repeat))

    def save_scheduling_diagram(
        self, file_name: str | PathLike[str], ignore_producers: bool = False
    ) -> None:
        """Write the measured passes to ``file_name_forward.mmd`` and ``file_name_backward.mmd``."""
        for kind, elements in (("forward", self._forward), ("backward", self._backward)):
            if elements:
                text = measured_gantt(self._measured_rows(elements, ignore_producers))
                _write(f"{file_name}_{kind}", text)

    def _measured_rows(
        self, elements: Sequence[SchedulingElement], ignore_producers: bool
    ) -> list[tuple[str, int, int]]:
        captions = self._view.get_ranked_nodes_name("{0} ({1}#{3})")
        origin = min(element.start for element in elements)
        return [
            (
                captions[element.node],
                (element.start - origin) // 1000,
                (element.end - origin) // 1000,
            )
            for element in elements
            if not (ignore_producers and element.node.type() == "Producer")
        ]


def _level_of(nodes: Sequence[Node]) -> int:
    """Loops and direct tensors run dry as they should; a schedule of nothing is worth a warning."""
    return Level.Info if nodes else Level.Warn


def _write(file_name: str | PathLike[str], text: str) -> None:
    from aidge_nb.files import write_atomically

    write_atomically(f"{file_name}.mmd", text)
