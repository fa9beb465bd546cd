"""Scheduler: schedules a graph and keeps its schedules and measurements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aidge_nb.core.errors import SchedulingError
from aidge_nb.core.garbage import put_off_collection
from aidge_nb.core.tensor import Tensor
from aidge_nb.core.values import dataclass
from aidge_nb.graph.inputs import check_count, input_slots
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.scheduling.executor import occupied
from aidge_nb.scheduling.model.conditional import tag_conditional_nodes
from aidge_nb.scheduling.order.branches import FORK_BRANCH, tag_fork_branches
from aidge_nb.scheduling.order.policies import SchedulingPolicy
from aidge_nb.scheduling.order.sort import sort_firings
from aidge_nb.scheduling.schedule.elements import SchedulingElement, StaticSchedulingElement
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
from aidge_nb.scheduling.schedule.text import factorized_gantt, measured_gantt, static_gantt
from aidge_nb.scheduling.schedule.timing import compute_timing
from aidge_nb.scheduling.solve.dataflow import reset_models
from aidge_nb.scheduling.solve.outline import Outline, outline_graph

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from os import PathLike


@dataclass(frozen=True, slots=True)
class _Pass:
    """One schedule, with the graph as it was when it was made."""

    outline: Outline
    inputs: dict[Node, list[Port | None]]
    edits: int

    @property
    def graph(self) -> Sequence[Node]:
        """The nodes, in topological order."""
        return self.outline.order

    @property
    def schedule(self) -> StaticSchedule:
        """The schedule; its steps are computed when it is first read."""
        return self.outline.schedule


def _inputs(view: GraphView) -> dict[Node, list[Port | None]]:
    """Return the nodes of a graph with the outputs that feed their inputs."""
    return {node: node.sources() for node in view}


class Scheduler:
    """Schedule a graph statically; keep one schedule per call of :meth:`generate_scheduling`.

    Parameters
    ----------
    graph_view
        The graph.
    reset_cp_model
        Begin the first schedule with the C-P state of the nodes reset; otherwise data consumed
        before stay consumed.

    Raises
    ------
    SchedulingError
        When ``graph_view`` is not a GraphView.

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
        self._steps: list[_Pass] = []
        self._forward: list[SchedulingElement] = []
        self._backward: list[SchedulingElement] = []
        self._begins_anew = reset_cp_model

    def graph_view(self) -> GraphView:
        """Return the graph."""
        return self._view

    # --- making schedules -------------------------------------------------------------------

    def generate_scheduling(self) -> None:
        """Schedule the graph once more, from its present C-P state.

        Finds the order of all firings; their early and late steps are computed when first read.

        Raises
        ------
        SchedulingError
            When it cannot be scheduled; the state is reset, so that one can try again. Also when
            another thread schedules or runs the graph.
        """
        with self._occupied(), put_off_collection():
            if self._begins_anew:  # here, and not when made: others may schedule it in between
                reset_models(self._view)
                self._begins_anew = False
            outline = outline_graph(self._view)
            self._steps.append(_Pass(outline, _inputs(self._view), self._view.edits))

    def reset_scheduling(self) -> None:
        """Delete all schedules and measurements, and reset the C-P models."""
        self._steps.clear()
        self.clear_scheduling()
        with self._occupied():
            reset_models(self._view)

    def clear_scheduling(self) -> None:
        """Delete measurements; keep schedules."""
        self._forward.clear()
        self._backward.clear()

    def _occupied(self) -> AbstractContextManager[None]:
        """Keep the graph for this thread."""
        return occupied(self._view.get_nodes(), self._view.name())

    def tag_fork_branches(self, allow_shared_producers: bool = False) -> None:
        """Annotate each node with its branches, for the branch policies."""
        tag_fork_branches(self._view, allow_shared_producers)

    def tag_conditional_nodes(self) -> None:
        """Annotate each node with the Select inputs for which alone it runs.

        Call it before :meth:`generate_scheduling`: conditional nodes then wait for the condition,
        and a forward pass skips those that are not needed.
        """
        tag_conditional_nodes(self._view)

    # --- reading schedules ------------------------------------------------------------------

    def _step(self, step: int) -> _Pass:
        where = "scheduler"
        if not self._steps:
            problem, cure = "there is no static scheduling yet", "Call generate_scheduling() first."
            raise SchedulingError.at(where, problem, cure=cure)
        if step not in range(len(self._steps)):
            problem, expected = "no static scheduling of this step", f"0 to {len(self._steps) - 1}"
            raise SchedulingError.at(where, problem, expected=expected, found=step)
        found = self._steps[step]
        if found.edits != self._view.edits and found.inputs != _inputs(self._view):
            problem = "the graph changed since it was scheduled"
            cure = "Call reset_scheduling() and generate_scheduling() again."
            raise SchedulingError.at(where, problem, cure=cure)
        return found

    def schedule(self, step: int = 0) -> StaticSchedule:
        """Return the schedule of a step as a value."""
        return self._step(step).schedule

    def get_static_scheduling(self, step: int = 0) -> list[StaticSchedulingElement]:
        """Return the schedule of a step as linked elements."""
        found = self._step(step)
        schedule = found.schedule
        elements = [
            StaticSchedulingElement(found.graph[firing.actor], firing.early, firing.late)
            for firing in schedule.firings
        ]
        numbers = [firing.actor for firing in schedule.firings]
        timing = compute_timing(numbers, schedule.parents, schedule.children)
        # As in Aidge: earlier_than comes from early steps, later_than from late steps.
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
        """Return the nodes of a step in the order of a policy, once per execution."""
        found = self._step(step)
        branches = _fork_branches(found.graph)
        ordered = sort_firings(found.schedule, sorting, branches, self._view)
        return [found.graph[firing.actor] for firing in ordered]

    def get_forward_scheduling(self) -> list[SchedulingElement]:
        """Return the executions measured in the last forward passes."""
        return list(self._forward)

    def get_backward_scheduling(self) -> list[SchedulingElement]:
        """Return the executions measured in the last backward passes."""
        return list(self._backward)

    # --- inputs and diagrams ----------------------------------------------------------------

    def connect_inputs(self, data: Sequence[Tensor]) -> None:
        """Set tensors on the inputs of the graph, in order; inputs that no node reads ignore them.

        Raises
        ------
        SchedulingError
            For more tensors than inputs, or for anything but tensors.
        """
        if not isinstance(data, Sequence):
            problem, cure = (
                "data must be a list with one tensor per input",
                "Write connect_inputs([x]).",
            )
            found = type(data).__name__
            raise SchedulingError.at("connect_inputs", problem, found=found, cure=cure)
        slots = input_slots(self._view)
        for index, tensor in enumerate(data):
            if not isinstance(tensor, Tensor):
                where = f"connect_inputs, data[{index}]"
                found, cure = repr(tensor), "Wrap arrays and lists in aidge_nb.Tensor(...)."
                raise SchedulingError.at(where, "not a tensor", found=found, cure=cure)
        check_count(slots, data, SchedulingError)
        for slot, tensor in zip(slots, data, strict=False):
            for port in slot.ports:
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


def _fork_branches(graph: Sequence[Node]) -> dict[int, dict[int, int]]:
    """Return the branches noted by :meth:`Scheduler.tag_fork_branches`, by actor number."""
    number = {node: i for i, node in enumerate(graph)}
    return {
        number[node]: {number[fork]: branch for fork, branch in noted.items() if fork in number}
        for node in graph
        if (noted := node.annotations.get(FORK_BRANCH))
    }


def _write(file_name: str | PathLike[str], text: str) -> None:
    from aidge_nb.core.files import write_atomically

    write_atomically(f"{file_name}.mmd", text)
