"""Schedule a graph, lay out its memory, and run its nodes in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from aidge_nb.core.dims import Dims
from aidge_nb.core.errors import SchedulingError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.inference import propagate_dims
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.runtime.autodiff.backward import ReplacedGrad, go_back
from aidge_nb.runtime.autodiff.tape import Tape, TapeEntry, run_and_record
from aidge_nb.runtime.passes import as_tensors, copy_of, inputs_kept_on_failure
from aidge_nb.scheduling.executor import is_needed, start_pass
from aidge_nb.scheduling.order.policies import SchedulingPolicy, as_policy
from aidge_nb.scheduling.scheduler import Scheduler

if TYPE_CHECKING:
    from aidge_nb.memory import MemoryManager, MemoryPlan, PlanOptions


@dataclass(slots=True, eq=False)
class _Result:
    """An output of a pass: the tensor that was returned, the graph's, and the gradient shown."""

    returned: Tensor
    output: Tensor
    shown: Tensor | None = None

    def hand_in(self) -> None:
        """Set on the graph the gradient that the caller set on the result."""
        if self.returned.held_grad is not self.shown:
            self.output.grad = self.returned.held_grad

    def show(self) -> None:
        """Show on the result the gradient that the backward pass left on the graph."""
        self.returned.grad = self.shown = self.output.held_grad


class RunningScheduler(Scheduler):
    """Base class of the schedulers that run a graph."""

    def __init__(self, graph_view: GraphView, reset_cp_model: bool = True) -> None:
        super().__init__(graph_view, reset_cp_model)
        self._pass = 0
        self._scheduled_dims: list[Dims | None] = []
        self._tape = Tape()
        self._replaced: list[ReplacedGrad] = []
        self._results: list[_Result] = []

    def generate_scheduling(self) -> None:
        """Schedule the graph once more, from its present C-P state.

        Raise SchedulingError when it cannot be scheduled; the C-P state is reset then.
        """
        super().generate_scheduling()
        self._scheduled_dims = self._input_dims()

    def reset_scheduling(self) -> None:
        """Drop all schedules and measurements, and reset the C-P models."""
        super().reset_scheduling()
        self._pass = 0
        self._tape, self._replaced = Tape(), []

    def forward(
        self, forward_dims: bool = True, data: Sequence[Tensor | ArrayLike] | None = None
    ) -> list[Tensor]:
        """Run the graph once; schedule it first unless that was done for inputs of these dims.

        Raise SchedulingError when the graph cannot be scheduled, or changed since; when ``data`` is
        not a list; when another thread schedules or runs the graph. Raise MissingKernelError when
        an operator has no kernel. Raise ShapeError when data cannot be converted to arrays, or do
        not suit an operator.

        Parameters
        ----------
        forward_dims
            Whether dimensions are propagated before.
        data
            Tensors for the inputs of the graph, in their order, as a list; others keep theirs.

        Returns
        -------
        list of Tensor
            The outputs of the graph, in their order: tensors of this pass, which the next one
            leaves alone.

        Notes
        -----
        After an error the inputs of the graph are restored.
        """
        tensors = as_tensors(_listed(forward_dims, data))
        with self._occupied(), inputs_kept_on_failure(self._view, tensors):
            self.connect_inputs(tensors)
            if forward_dims:
                propagate_dims(self._view, allow_data_dependency=True)
            if not self._steps:
                self.generate_scheduling()
            self._step(0)  # unless the graph changed since
            self._follow_dims()
            if self._pass == 0:
                self.clear_scheduling()
            self._prepare()
            self._tape, self._replaced = Tape(), []
            entries = self._run_step(self._pass)
            self._forward.extend(entry.element for entry in entries)
            self._tape = Tape(entries)
            self._pass = (self._pass + 1) % len(self._steps)
            ports = self._view.get_ordered_outputs()
            outputs = [port.node.get_operator().get_output(port.index) for port in ports]
            self._results = [_Result(copy_of(output), output) for output in outputs]
            return [result.returned for result in self._results]

    def tape(self) -> Tape:
        """Return the tape of the last pass: what ran, with the values read and written."""
        return self._tape

    def backward(self) -> None:
        """Run the gradients of the last pass, in reverse order.

        Set the gradients of outputs before (``y.grad``; losses do). The results are added to the
        ``grad`` of the inputs of the graph and of its Producers, except constant ones; computed
        values have a gradient until the next pass. Nodes annotated ``skipBackward`` stop it.

        Raise SchedulingError when there was no pass yet, no output has a gradient, or none reaches
        an input or a Producer. Raise MissingKernelError when an operator in between has no
        gradient. Raise ShapeError when the gradient of an output has other dimensions than the
        output.

        Notes
        -----
        After an error all gradients are restored.
        """
        if not self._tape.entries:
            problem = "no forward pass ran whose gradients could be computed"
            raise SchedulingError.at("backward", problem, cure="Call forward() first.")
        with self._occupied():
            self._step(0)  # unless the graph changed since
            for each in self._replaced:
                each.undo()
            for result in self._results:
                result.hand_in()
            elements, self._replaced = go_back(self._tape)
            for result in self._results:
                result.show()
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

    def _input_dims(self) -> list[Dims | None]:
        groups = self._view.get_input_groups()
        tensors = [port.node.get_operator().get_input(port.index) for port, *_ in groups]
        return [
            None if tensor is None or tensor.undefined() else tensor.shape for tensor in tensors
        ]

    def _follow_dims(self) -> None:
        """Schedule again when inputs have other dims than before, as Pop runs once per slice."""
        before = self._scheduled_dims
        if None in before or self._input_dims() == before:
            return
        steps = len(self._steps)
        self.reset_scheduling()
        for _ in range(steps):
            self.generate_scheduling()


def _listed(forward_dims: object, data: Sequence[Tensor | ArrayLike] | None) -> Sequence[Any]:
    """Return the data of a pass; refuse a tensor in place of a list, or of the flag."""
    if not isinstance(forward_dims, (bool, np.bool_)):
        problem, found = "forward_dims is true or false", forward_dims
    elif data is None or isinstance(data, (list, tuple)):
        return data or ()
    else:
        problem, found = "data is a list, one tensor per input of the graph", data
    raise SchedulingError.at(
        "forward", problem, found=type(found).__name__, cure="Write forward(data=[x])."
    )


class SequentialScheduler(RunningScheduler):
    """Run the nodes of a graph one after the other.

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
        """Choose the policy that orders the nodes, by value or by name.

        Raises
        ------
        SchedulingError
            When the policy is unknown.
        """
        self._policy = as_policy(policy)

    def get_sequential_static_scheduling(
        self, step: int = 0, sorting: SchedulingPolicy | None = None
    ) -> list[Node]:
        """Return the nodes of a step in the order of the policy, once per execution."""
        return super().get_sequential_static_scheduling(step, sorting or self._policy)

    def _run_step(self, step: int) -> list[TapeEntry]:
        order = self.get_sequential_static_scheduling(step)
        return [run_and_record(node) for node in order if is_needed(node)]

    def _all_steps(self) -> list[Node]:
        self._step(0)  # raises when nothing was scheduled
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
        from aidge_nb.memory import generate_memory as generate

        settings = (inc_producers, wrap_around_buffer, memory_alignment)
        return generate(self._view, self._all_steps(), *settings)

    def generate_memory_auto_concat(
        self,
        inc_producers: bool = False,
        wrap_around_buffer: bool = False,
        memory_alignment: int = 1,
    ) -> MemoryManager:
        """Lay out memory, with concatenation by placement where that is correct.

        See :func:`aidge_nb.memory.generate_memory_auto_concat`.
        """
        from aidge_nb.memory import generate_memory_auto_concat as generate

        settings = (inc_producers, wrap_around_buffer, memory_alignment)
        return generate(self._view, self._all_steps(), *settings)

    def generate_memory_multiple_mems(
        self,
        inc_producers: bool = False,
        memory_alignment: int = 1,
        capacities: Sequence[int] = (),
        priorities: Sequence[int] = (),
    ) -> MemoryManager:
        """Lay out memory in several memories; see :mod:`aidge_nb.memory.aidge.generate_several`."""
        from aidge_nb.memory import generate_memory_multiple_mems as generate

        settings = (inc_producers, memory_alignment, capacities, priorities)
        return generate(self._view, self._all_steps(), *settings)

    def generate_memory_multiple_mems_autoconcat(
        self,
        inc_producers: bool = False,
        memory_alignment: int = 1,
        capacities: Sequence[int] = (),
        priorities: Sequence[int] = (),
    ) -> MemoryManager:
        """Lay out several memories, with concatenation by placement where that is correct."""
        from aidge_nb.memory import generate_memory_multiple_mems_autoconcat as generate

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

        return plan_memory(self._view, self._all_steps(), options, **changes)
