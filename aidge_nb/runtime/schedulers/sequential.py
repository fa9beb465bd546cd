"""The sequential scheduler: schedules a graph, lays out its memory, and runs it in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from aidge_nb.core.errors import SchedulingError, explain
from aidge_nb.core.tensor import Dims, Tensor
from aidge_nb.graph.inference import propagate_dims
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.runtime.autodiff.backward import Left, go_back
from aidge_nb.runtime.autodiff.tape import Tape, TapeEntry, nothing_ran, run_and_record
from aidge_nb.runtime.passes import as_tensors, inputs_kept_on_failure, is_needed, start_pass
from aidge_nb.scheduling.order.policies import SchedulingPolicy, as_policy
from aidge_nb.scheduling.scheduler import Scheduler

if TYPE_CHECKING:
    from aidge_nb.memory import MemoryManager, MemoryPlan, PlanOptions

Edge = tuple[Node, int, Port]


class RunningScheduler(Scheduler):
    """What schedulers that run a graph have in common."""

    def __init__(self, graph_view: GraphView, reset_cp_model: bool = True) -> None:
        super().__init__(graph_view, reset_cp_model)
        self._pass = 0
        self._scheduled_edges: set[Edge] = set()
        self._scheduled_dims: list[Dims | None] = []
        self._tape = Tape()
        self._left: list[Left] = []

    def generate_scheduling(self) -> None:
        """Schedule the graph once more, from the C-P state it is in.

        Raises
        ------
        SchedulingError
            When it cannot be scheduled; the state is reset, so that it can be tried again.
        """
        super().generate_scheduling()
        self._scheduled_edges = self._edges()
        self._scheduled_dims = self._input_dims()

    def reset_scheduling(self) -> None:
        """Forget all schedules and measurements, and start the C-P models over."""
        super().reset_scheduling()
        self._pass = 0
        self._tape, self._left = Tape(), []

    def forward(
        self, forward_dims: bool = True, data: Sequence[Tensor | ArrayLike] | None = None
    ) -> list[Tensor]:
        """Run the graph once; schedule it first if that was not done for inputs of these dims.

        Parameters
        ----------
        forward_dims
            Whether dimensions are propagated before.
        data
            Tensors for the inputs of the graph, in their order, as a list; those set before stay.

        Returns
        -------
        list of Tensor
            The outputs of the graph, in their order.

        Raises
        ------
        SchedulingError
            When the graph cannot be scheduled, or changed since; for data that are no list.
        MissingKernelError
            When an operator has no kernel.
        ShapeError
            For data that are no arrays, or that an operator cannot take.

        After an error the inputs of the graph are what they were before.
        """
        tensors = as_tensors(_listed(forward_dims, data))
        with inputs_kept_on_failure(self._view, tensors):
            self.connect_inputs(tensors)
            if forward_dims:
                propagate_dims(self._view, allow_data_dependency=True)
            if not self._steps:
                self.generate_scheduling()
            self._check_unchanged()
            self._follow_dims()
            if self._pass == 0:
                self.clear_scheduling()
            self._prepare()
            self._tape, self._left = Tape(), []
            entries = self._run_step(self._pass)
        self._forward.extend(entry.element for entry in entries)
        self._tape = Tape(entries)
        self._pass = (self._pass + 1) % len(self._steps)
        return [
            port.node.get_operator().get_output(port.index)
            for port in self._view.get_ordered_outputs()
        ]

    def tape(self) -> Tape:
        """Give what the last pass ran, with the values that it read and wrote."""
        return self._tape

    def backward(self) -> None:
        """Run the gradients of what the last pass ran, the last node first.

        Set the gradients of outputs before (``y.grad``; losses do). What comes back adds to the
        ``grad`` of the inputs of the graph and of its Producers, but for constant ones. Computed
        values have one, too, until the next pass. Nodes annotated ``skipBackward`` let nothing
        pass.

        Raises
        ------
        SchedulingError
            When there was no pass yet, no output has a gradient, or none comes to an input or a
            Producer.
        MissingKernelError
            When an operator on the way has no gradient.
        ShapeError
            When the gradient of an output has other dimensions than the output.

        Whatever is raised, all gradients stay as they were.
        """
        if not self._tape.entries:
            raise nothing_ran()
        self._check_unchanged()
        for each in self._left:
            each.undo()
        elements, self._left = go_back(self._tape)
        self._backward.extend(elements)

    def _prepare(self) -> None:
        """Reset the operators, and drop the gradients of values that are computed again."""
        start_pass(self._view)
        for node in self._view.get_nodes():
            if node.type() != "Producer":
                for output in node.get_operator().get_outputs():
                    output.grad = None

    def _run_step(self, step: int) -> list[TapeEntry]:
        raise NotImplementedError

    def _edges(self) -> set[Edge]:
        return {(node, index, port) for node in self._view for index, port in node.edges_in()}

    def _input_dims(self) -> list[Dims | None]:
        groups = self._view.get_input_groups()
        tensors = [port.node.get_operator().get_input(port.index) for port, *_ in groups]
        return [None if tensor is None or tensor.undefined else tensor.dims for tensor in tensors]

    def _follow_dims(self) -> None:
        """Schedule again when inputs have other dims than before: Pop takes as many slices."""
        before = self._scheduled_dims
        if None in before or self._input_dims() == before:
            return
        steps = len(self._steps)
        self.reset_scheduling()
        for _ in range(steps):
            self.generate_scheduling()

    def _check_unchanged(self) -> None:
        nodes = set(self._view.get_nodes())
        if set(self._steps[0].graph) != nodes or self._edges() != self._scheduled_edges:
            raise SchedulingError(
                explain(
                    "scheduler",
                    "the graph changed since it was scheduled",
                    cure="Call reset_scheduling() first.",
                )
            )


def _listed(forward_dims: object, data: Sequence[Tensor | ArrayLike] | None) -> Sequence[Any]:
    """Give the data of a pass; refuse a tensor where a list of them, or a flag, is due."""
    if not isinstance(forward_dims, (bool, np.bool_)):
        problem, found = "forward_dims is true or false", forward_dims
    elif data is None or isinstance(data, (list, tuple)):
        return data or ()
    else:
        problem, found = "data is a list, one tensor per input of the graph", data
    raise SchedulingError(
        explain("forward", problem, found=type(found).__name__, cure="Write forward(data=[x]).")
    )


class SequentialScheduler(RunningScheduler):
    """Runs the nodes of a graph one after the other.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.ReLU()])
    >>> model.set_backend("cpu")
    >>> scheduler = aidge_nb.SequentialScheduler(model)
    >>> [output.array.tolist() for output in scheduler.forward(data=[aidge_nb.Tensor([-1.0, 2.0])])]
    [[0.0, 2.0]]
    """

    def __init__(self, graph_view: GraphView, reset_cp_model: bool = True) -> None:
        super().__init__(graph_view, reset_cp_model)
        self._policy = SchedulingPolicy.Default

    def set_scheduling_policy(self, policy: SchedulingPolicy | str) -> None:
        """Choose the order among those that the dependencies allow, by policy or by its name.

        Raises
        ------
        SchedulingError
            When there is no such policy.
        """
        self._policy = as_policy(policy)

    def get_sequential_static_scheduling(
        self, step: int = 0, sorting: SchedulingPolicy | None = None
    ) -> list[Node]:
        """Give the nodes of a step in the order of the policy, once per execution."""
        return super().get_sequential_static_scheduling(step, sorting or self._policy)

    def _run_step(self, step: int) -> list[TapeEntry]:
        order = self.get_sequential_static_scheduling(step)
        return [run_and_record(node) for node in order if is_needed(node)]

    def _all_steps(self) -> list[Node]:
        return [
            node
            for step in range(len(self._steps))
            for node in self.get_sequential_static_scheduling(step)
        ]

    def generate_memory(
        self,
        inc_producers: bool = False,
        wrap_around_buffer: bool = False,
        memory_alignment: int = 1,
    ) -> MemoryManager:
        """Lay out memory as Aidge does; see :func:`aidge_nb.memory.generate_memory`.

        Raises
        ------
        MemoryPlanError
            When dimensions are unknown.
        """
        from aidge_nb.memory import generate_memory

        self._step(0)
        return generate_memory(
            self._view,
            self._all_steps(),
            inc_producers=inc_producers,
            wrap_around_buffer=wrap_around_buffer,
            memory_alignment=memory_alignment,
        )

    def generate_memory_auto_concat(
        self,
        inc_producers: bool = False,
        wrap_around_buffer: bool = False,
        memory_alignment: int = 1,
    ) -> MemoryManager:
        """Lay out memory with concatenation by placement where it is correct.

        See :func:`aidge_nb.memory.generate_memory_auto_concat`.
        """
        from aidge_nb.memory import generate_memory_auto_concat

        self._step(0)
        return generate_memory_auto_concat(
            self._view,
            self._all_steps(),
            inc_producers=inc_producers,
            wrap_around_buffer=wrap_around_buffer,
            memory_alignment=memory_alignment,
        )

    def generate_memory_multiple_mems(
        self,
        inc_producers: bool = False,
        memory_alignment: int = 1,
        capacities: Sequence[int] = (),
        priorities: Sequence[int] = (),
    ) -> MemoryManager:
        """Lay out memory in several memories; see :mod:`aidge_nb.memory.aidge.generate_several`."""
        from aidge_nb.memory import generate_memory_multiple_mems as generate

        self._step(0)
        settings = (inc_producers, memory_alignment, capacities, priorities)
        return generate(self._view, self._all_steps(), *settings)

    def generate_memory_multiple_mems_autoconcat(
        self,
        inc_producers: bool = False,
        memory_alignment: int = 1,
        capacities: Sequence[int] = (),
        priorities: Sequence[int] = (),
    ) -> MemoryManager:
        """Lay out several memories with concatenation by placement where it is correct."""
        from aidge_nb.memory import generate_memory_multiple_mems_autoconcat as generate

        self._step(0)
        settings = (inc_producers, memory_alignment, capacities, priorities)
        return generate(self._view, self._all_steps(), *settings)

    def plan_memory(self, options: PlanOptions | None = None, **changes: Any) -> MemoryPlan:
        """Plan memory for what was scheduled; see :func:`aidge_nb.memory.plan_memory`.

        Parameters
        ----------
        options, **changes
            As there: all options, as a value or by keyword.
        """
        from aidge_nb.memory import plan_memory

        self._step(0)
        return plan_memory(self._view, self._all_steps(), options, **changes)
