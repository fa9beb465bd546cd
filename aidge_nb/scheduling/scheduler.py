"""Schedulers: objects that schedule a graph and keep what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aidge_nb.core.errors import SchedulingError, explain
from aidge_nb.core.garbage import put_off_collection
from aidge_nb.core.log import Level, logger
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.given import check_view
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.model.conditional import tag_conditional_nodes
from aidge_nb.scheduling.order.branches import FORK_BRANCH, tag_fork_branches
from aidge_nb.scheduling.order.policies import SchedulingPolicy, sort_firings
from aidge_nb.scheduling.schedule.elements import SchedulingElement, StaticSchedulingElement
from aidge_nb.scheduling.schedule.gantt import factorized_gantt, measured_gantt, static_gantt
from aidge_nb.scheduling.schedule.timing import compute_timing
from aidge_nb.scheduling.schedule.value import StaticSchedule
from aidge_nb.scheduling.solve.assemble import Outline, actors_of, make_outline, make_schedule
from aidge_nb.scheduling.solve.dataflow import Dataflow, reset_models
from aidge_nb.scheduling.solve.deadlock import check_began
from aidge_nb.scheduling.solve.static import BaseSchedule, schedule_batches

if TYPE_CHECKING:
    from os import PathLike


@dataclass(frozen=True, slots=True)
class _Step:
    outline: Outline
    graph: tuple[Node, ...]
    inputs: dict[Node, list[Port | None]]
    edits: int

    @property
    def schedule(self) -> StaticSchedule:
        """The schedule; its steps are computed the first time."""
        with put_off_collection():
            return self.outline.schedule


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
    order = view.topological_order()
    number = {node: i for i, node in enumerate(order)}
    nest = [number[node] for node in sequence]
    return make_schedule(order, nest, [number[node] for node in remaining])


def _inputs(view: GraphView) -> dict[Node, list[Port | None]]:
    """Note the nodes of a graph and what feeds each input."""
    return {node: node.inputs() for node in view}


class Scheduler:
    """Schedules a graph statically; keeps one schedule per call of :meth:`generate_scheduling`.

    Parameters
    ----------
    graph_view
        The graph.
    reset_cp_model
        Whether the C-P state of the nodes starts over; otherwise what was consumed stays consumed.

    Raises
    ------
    SchedulingError
        For what is no graph.

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
        check_view(graph_view, "scheduler", SchedulingError)
        self._view = graph_view
        self._steps: list[_Step] = []
        self._forward: list[SchedulingElement] = []
        self._backward: list[SchedulingElement] = []
        if reset_cp_model:
            with put_off_collection():
                reset_models(graph_view)

    def graph_view(self) -> GraphView:
        """Give the graph."""
        return self._view

    # --- making schedules -------------------------------------------------------------------

    def generate_scheduling(self) -> None:
        """Schedule the graph once more, from the C-P state it is in.

        The order of all firings is found now, their early and late steps when they are first asked
        for.

        Raises
        ------
        SchedulingError
            When it cannot be scheduled; the state is reset, so that it can be tried again.
        """
        with put_off_collection():
            self._generate()

    def _generate(self) -> None:
        try:
            dataflow = Dataflow(self._view)
            base = schedule_batches(dataflow)
            check_began(dataflow, base)
        except SchedulingError:
            reset_models(self._view)
            raise
        dataflow.write_back()
        outline = make_outline(
            dataflow.order,
            dataflow.children,
            actors_of(base.nest),
            base.remaining,
            dataflow.find_unrolled(),
        )
        _report(dataflow, base)
        self._steps.append(_Step(outline, tuple(dataflow.order), _inputs(self._view), Node.edits))

    def reset_scheduling(self) -> None:
        """Forget all schedules and measurements, and start the C-P models over."""
        self._steps.clear()
        self.clear_scheduling()
        reset_models(self._view)

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
        if step not in range(len(self._steps)):
            raise SchedulingError(
                explain(
                    "scheduler",
                    "no static scheduling of this step",
                    expected=f"0 to {len(self._steps) - 1}",
                    found=step,
                )
            )
        found = self._steps[step]
        if not self._is_unchanged(found):
            raise SchedulingError(
                explain(
                    "scheduler",
                    "the graph changed since it was scheduled",
                    cure="Call reset_scheduling() and generate_scheduling() again.",
                )
            )
        return found

    def _is_unchanged(self, step: _Step) -> bool:
        """Whether the graph is still what it was when it was scheduled."""
        if step.edits == Node.edits:  # no edge is another one
            return step.inputs.keys() == self._view.get_nodes()
        return step.inputs == _inputs(self._view)

    def schedule(self, step: int = 0) -> StaticSchedule:
        """Give the schedule of a step as a value."""
        return self._step(step).schedule

    def get_static_scheduling(self, step: int = 0) -> list[StaticSchedulingElement]:
        """Give the schedule of a step as linked elements."""
        found = self._step(step)
        schedule = found.schedule
        elements = [
            StaticSchedulingElement(found.graph[firing.actor], firing.early, firing.late)
            for firing in schedule.firings
        ]
        numbers = [firing.actor for firing in schedule.firings]
        timing = compute_timing(numbers, schedule.parents, schedule.children)
        # As in Aidge: the early steps say what precedes what, the late steps what follows what.
        for element, before, after in zip(
            elements, timing.waits_for, timing.awaited_by, strict=True
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
        ordered = sort_firings(found.schedule, sorting, self._fork_branches(found), self._view)
        return [found.graph[firing.actor] for firing in ordered]

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
            When there are more tensors than inputs, or something is no tensor.
        """
        if not isinstance(data, Sequence):
            problem, cure = "data is a list, one tensor per input", "Write connect_inputs([x])."
            found = type(data).__name__
            raise SchedulingError(explain("connect_inputs", problem, found=found, cure=cure))
        groups = self._view.get_input_groups()
        for index, tensor in enumerate(data):
            if not isinstance(tensor, Tensor):
                where = f"connect_inputs, data[{index}]"
                found, cure = repr(tensor), "Wrap arrays and lists in aidge_nb.Tensor(...)."
                raise SchedulingError(explain(where, "is no tensor", found=found, cure=cure))
        if len(data) > len(groups):
            raise SchedulingError(
                explain("connect_inputs", "too many tensors", expected=len(groups), found=len(data))
            )
        for group, tensor in zip(groups, data, strict=False):
            for port in group:
                port.node.get_operator().reset_input(port.index)
                port.node.get_operator().set_input(port.index, tensor)

    def save_static_scheduling_diagram(
        self,
        file_name: str | PathLike[str],
        ignore_producers: bool = False,
        mark_critical: bool = False,
    ) -> None:
        """Write the schedule as a Mermaid Gantt chart to ``file_name.mmd``."""
        _write(file_name, static_gantt(self.schedule(), ignore_producers, mark_critical))

    def save_factorized_static_scheduling_diagram(
        self,
        file_name: str | PathLike[str],
        ignore_producers: bool = False,
        min_repeat: int = 2,
        mark_critical: bool = False,
    ) -> None:
        """Write the schedule with repetitions folded to ``file_name.mmd``."""
        text = factorized_gantt(self.schedule(), ignore_producers, min_repeat, mark_critical)
        _write(file_name, text)

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


def _report(dataflow: Dataflow, base: BaseSchedule) -> None:
    """Log who still waits, and which models kept repetitions from being found."""
    unrolled = dataflow.find_unrolled()
    if unrolled:
        unique = dataflow.view.unique_names()
        logger.log(
            Level.Notice,
            "The consumer-producer models of [%s] never come back to a state: what they repeat "
            "is listed one by one",
            ", ".join(unique[dataflow.order[number]] for number in unrolled),
        )
    if base.remaining:
        # Loops and direct tensors run dry as they should; a schedule of nothing is worth a warning.
        lacks = "; ".join(filter(None, map(dataflow.describe_lack, base.remaining)))
        names = ", ".join(dataflow.order[number].label for number in base.remaining)
        level = Level.Info if base.nest else Level.Warn
        logger.log(level, "Remaining consumers: [%s]", lacks or names)


def _write(file_name: str | PathLike[str], text: str) -> None:
    from aidge_nb.core.files import write_atomically

    write_atomically(f"{file_name}.mmd", text)
