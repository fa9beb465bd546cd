"""The sequential scheduler: schedules a graph, lays out its memory, and runs it in order."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from aidge_nb.errors import SchedulingError, explain
from aidge_nb.graph.inference import propagate_dims
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.runtime.backend import CpuImpl
from aidge_nb.runtime.conditional import is_needed
from aidge_nb.scheduling.elements import SchedulingElement
from aidge_nb.scheduling.policies import SchedulingPolicy, as_policy
from aidge_nb.scheduling.scheduler import Scheduler
from aidge_nb.tensor import Dims, Tensor

if TYPE_CHECKING:
    from aidge_nb.memory import Memory, MemoryManager, MemoryPlan

__all__ = ["RunningScheduler", "SequentialScheduler"]

Edge = tuple[Node, int, Port]


class RunningScheduler(Scheduler):
    """What schedulers that run a graph have in common."""

    def __init__(self, graph_view: GraphView, reset_cp_model: bool = True) -> None:
        super().__init__(graph_view, reset_cp_model)
        self._pass = 0
        self._scheduled_edges: set[Edge] = set()
        self._scheduled_dims: list[Dims | None] = []
        self._ran: list[Node] = []

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
        self._ran = []

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
        """
        given = _listed(forward_dims, data)
        self.connect_inputs([t if isinstance(t, Tensor) else Tensor(t) for t in given])
        if forward_dims:
            propagate_dims(self._view, allow_data_dependency=True)
        if not self._steps:
            self.generate_scheduling()
        self._check_unchanged()
        self._follow_dims()
        if self._pass == 0:
            self.clear_scheduling()
        self._prepare()
        before = len(self._forward)
        self._run_step(self._pass)
        self._ran = [element.node for element in self._forward[before:]]
        self._pass = (self._pass + 1) % len(self._steps)
        return [
            port.node.get_operator().get_output(port.index)
            for port in self._view.get_ordered_outputs()
        ]

    def backward(self) -> None:
        """Run the gradients of what the last pass ran, the last node first.

        Each node's implementation reads the ``grad`` of its outputs and adds to that of its
        inputs; set the former on the outputs of the graph before. Producers give their data and
        have nothing to pass on, so they are left out.

        Raises
        ------
        SchedulingError
            When there was no pass yet.
        MissingKernelError
            When an operator has no gradient; those of the nodes behind it are computed by then.
        """
        if not self._ran:
            problem = "there was no pass whose gradients could be computed"
            raise SchedulingError(explain("backward", problem, cure="Call forward() first."))
        for node in reversed(self._ran):
            impl = node.get_operator().get_impl()
            if impl is not None and node.type() != "Producer":
                start = perf_counter_ns()
                impl.backward()
                self._backward.append(SchedulingElement(node, start, perf_counter_ns()))

    def _prepare(self) -> None:
        """Let operators start over, and tell them which optional outputs nobody reads."""
        results = set(self._view.get_ordered_outputs())
        for node in self._view.get_nodes():
            impl = node.get_operator().get_impl()
            if impl is not None:
                impl.reset_state()
            if isinstance(impl, CpuImpl):
                optional = node.get_operator().spec.optional_outputs
                impl.needs_optional_outputs = any(
                    node.output(index) or Port(node, index) in results for index in optional
                )

    def _run_step(self, step: int) -> None:
        raise NotImplementedError

    def _run_node(self, node: Node) -> SchedulingElement:
        start = perf_counter_ns()
        with np.errstate(all="ignore"):  # here, because each thread has its own
            node.forward()
        return SchedulingElement(node, start, perf_counter_ns())

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

    def _run_step(self, step: int) -> None:
        for node in self.get_sequential_static_scheduling(step):
            if is_needed(node):
                self._forward.append(self._run_node(node))

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
        """Lay out memory in several memories; see :mod:`aidge_nb.memory.generate_several`."""
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

    def plan_memory(
        self,
        inc_producers: bool = False,
        alignment: int = 1,
        in_place: bool = True,
        *,
        parts: bool = False,
        by_rows: bool = False,
        memories: Sequence[Memory] | None = None,
    ) -> MemoryPlan:
        """Lay out memory with our own planner; see :func:`aidge_nb.memory.plan_memory`."""
        from aidge_nb.memory import plan_memory

        self._step(0)
        return plan_memory(
            self._view,
            self._all_steps(),
            inc_producers=inc_producers,
            alignment=alignment,
            in_place=in_place,
            parts=parts,
            by_rows=by_rows,
            memories=memories,
        )
