"""Prepare a graph once and run it many times in the arena of its memory plan.

Every value has a fixed place in one block of bytes, every kernel is bound to the arrays that it
reads and writes, and a pass is a list of steps that allocates nothing but its results. These have
the bits of a scheduler's run, except for LSTM layers, which run in one kernel instead of their
micro-graph and may differ in the last place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import AidgeError, SchedulingError, ShapeError, explain
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.inputs import InputSlot, fitting_arrays, input_slots
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.kernels.fixed import Bound, Step, nothing
from aidge_nb.kernels.workspace import ALIGNMENT, Workspace
from aidge_nb.ops.shape import TRANSPOSE
from aidge_nb.runtime.arena.executor import ArenaExecutor, is_left_out, loaded_first, parts_outside
from aidge_nb.runtime.arena.steps import step_of
from aidge_nb.runtime.arena.transposes import products_with_transposes, turned, turned_back
from aidge_nb.runtime.backends.special import SPECIAL
from aidge_nb.runtime.passes import copy_of
from aidge_nb.runtime.schedulers.sequential import SequentialScheduler
from aidge_nb.scheduling.model.conditional import CONDITION

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.memory import MemoryPlan

Array = NDArray[Any]
Pair = tuple["Node", "Node"]

_BUFFER = 1024
"""Elements that NumPy may buffer to join short rows; with the usual 8192, in which two rows fit,
adding a bias to each takes up to three times as long."""

_PREPARING = Lock()
"""Lets threads prepare runs of one graph, which schedules it, one after the other."""


class PreparedRun:
    """A graph that is ready to run on inputs of its present dimensions.

    Parameters
    ----------
    view
        The graph, with a backend and known dimensions. Afterwards only the values of its Producers
        may change.
    plan
        A plan of :func:`aidge_nb.memory.plan_memory`; by default one is made.

    Attributes
    ----------
    plan
        The plan.

    Raises
    ------
    SchedulingError
        For a graph with branches, or with nodes that run several times in a pass: use a scheduler.
        Also when ``view`` is not a graph.
    MemoryPlanError
        When dimensions are unknown, or the plan does not fit this graph.
    MissingKernelError
        When an operator has no kernel.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(), aidge_nb.Tanh()])
    >>> view.compile("cpu", dims=[[2]])
    True
    >>> run = PreparedRun(view)
    >>> run, [output.tolist() for output in run.run([np.float32([-1, 0])])]
    (PreparedRun(2 entries, arena 64 bytes, workspace 0 bytes), [[0.0, 0.0]])
    """

    def __init__(self, view: GraphView, plan: MemoryPlan | None = None) -> None:
        self._view, self._turn = view, Lock()
        with _PREPARING:
            order = _order_of(view)
            self._pairs = products_with_transposes(view, order) if plan is None else []
            self.plan = _plan(view, order, self._pairs) if plan is None else plan
            self._executor = ArenaExecutor(view, self.plan)
            self._order = self._executor.order
            self._workspace = Workspace()
            self._slots = [
                replace(slot, like=None if slot.tensor is None else copy_of(slot.tensor))
                for slot in input_slots(view)
            ]
            self._bind()

    def __reduce__(self) -> NoReturn:
        raise SchedulingError.at(
            repr(self), "is not pickled", cure="Pickle its graph, and prepare a run where it runs."
        )

    @property
    def arena_bytes(self) -> int:
        """Bytes of the arena: the peak of the plan."""
        return self.plan.peak

    @property
    def workspace_bytes(self) -> int:
        """Bytes of scratch memory for kernels, outside of the arena."""
        return self._workspace.size

    @property
    def parameter_bytes(self) -> int:
        """Bytes of the parameters, which are read outside of the arena."""
        return sum(array.nbytes for _, array in self._parameters.values())

    def run(self, inputs: Sequence[Tensor | ArrayLike] = ()) -> tuple[Array, ...]:
        """Run the graph.

        Parameters
        ----------
        inputs
            Data for the inputs of the graph, in their order; what the last ones hold if left out.

        Returns
        -------
        tuple of numpy.ndarray
            Copies of the outputs of the graph, in their order.

        Raises
        ------
        ShapeError
            When ``inputs`` is not a list or has too many entries, or an entry has other dimensions
            or another type than the run was prepared for.
        SchedulingError
            When another thread is running it.
        """
        if not self._turn.acquire(blocking=False):
            problem, cure = "another thread is running it", "Prepare a run for each thread."
            raise SchedulingError.at(repr(self), problem, cure=cure)
        try:
            return self._run(inputs)
        finally:
            self._turn.release()

    def _run(self, inputs: Sequence[Tensor | ArrayLike]) -> tuple[Array, ...]:
        if any(tensor._array is not array for tensor, array in self._parameters.values()):
            self._bind()
        self._take(inputs)
        number = 0
        try:
            with np.errstate(all="ignore"):  # it restores the size of buffers, too
                np.setbufsize(_BUFFER)
                for number, step in enumerate(self._steps):  # noqa: B007  # read below
                    step()
        except AidgeError as error:
            raise type(error)(explain(self._labels[number], str(error))) from error
        except (ValueError, TypeError, IndexError, ArithmeticError) as error:
            problem = f"the kernel failed: {error}"
            raise ShapeError.at(self._labels[number], problem) from error
        return tuple(np.array(output) for output in self._outputs)

    def __repr__(self) -> str:
        return (
            f"PreparedRun({len(self._steps)} entries, arena {self.arena_bytes} bytes, "
            f"workspace {self.workspace_bytes} bytes)"
        )

    # --- preparing --------------------------------------------------------------------------

    def _bind(self) -> None:
        """Bind all kernels to the arrays that they read and write."""
        self._parameters: dict[int, tuple[Tensor, Array]] = {}
        self._arrays = self._executor.fixed_arrays()
        self._inputs = {slot.ports[0]: self._input(slot) for slot in self._slots if slot.ports}
        self._place_outside()
        order = self._leave_out_transposes()
        needed = 0
        for node in order:  # one after the other, so that memory is given back
            measured = Workspace()
            self._step(node, measured)
            needed = max(needed, measured.needed)
        if needed > self._workspace.size:
            self._workspace = Workspace(needed)
        first = [each for each in loaded_first(self.plan) if each.kind == "producer"]
        made = [("inputs", self._load(self._executor.tensor_of(buffer))) for buffer in first]
        made += [(node.label, self._step(node, self._workspace)) for node in order]
        self._labels = [label for label, step in made if step is not nothing]
        self._steps: list[Step] = [step for _, step in made if step is not nothing]
        self._outputs = [
            self._find(port.node.get_operator().get_output(port.index))
            for port in self._view.get_ordered_outputs()
        ]

    def _input(self, slot: InputSlot) -> Array | None:
        """Find the place of an input of the graph; make one when it is not planned."""
        tensor = slot.tensor
        if tensor is None or tensor.undefined():
            return None
        if id(tensor) not in self._arrays:
            self._arrays[id(tensor)] = np.empty(tensor.shape, tensor.dtype.numpy)
        return self._arrays[id(tensor)]

    def _place_outside(self) -> None:
        """Let outputs that the plan leaves out view an input that lies outside of the arena."""
        self._outside: set[Node] = set()
        for node in self._order:
            if is_left_out(node, self._arrays):
                whole = node.get_operator().get_input(0)
                if whole is not None:
                    parts = parts_outside(node, self._find(whole))
                    self._arrays |= {id(part): array for part, array in parts}
                    self._outside.add(node)

    def _leave_out_transposes(self) -> list[Node]:
        """Let products read and write transposed matrices; return the other nodes in order."""
        order = list(self._order)
        for first, second in self._pairs:
            data, result = first.get_operator().get_output(0), second.get_operator().get_output(0)
            if second.get_operator().spec is TRANSPOSE:  # the product runs instead of it
                self._arrays[id(data)] = turned_back(self._find(result), second)
                order.remove(first)
                order[order.index(second)] = first
            else:
                source = first.get_operator().get_input(0)
                if source is not None:
                    self._arrays[id(data)] = turned(self._find(source), first)
                order.remove(first)
        return order

    def _load(self, tensor: Tensor) -> Step:
        place = self._arrays.get(id(tensor))
        return nothing if place is None else partial(_copy, place, tensor)

    def _step(self, node: Node, workspace: Workspace) -> Step:
        operator = node.get_operator()
        if node.type() == "Producer":
            return self._load(operator.get_output(0))
        if node in self._outside:
            return nothing
        workspace.restart()
        tensors = operator.get_inputs()
        bound = Bound(
            operator.spec,
            operator.attr,
            tuple(None if tensor is None else self._optional(tensor) for tensor in tensors),
            tuple(self._arrays.get(id(tensor)) for tensor in operator.get_outputs()),
            workspace,
            frozenset(i for i, each in enumerate(tensors) if id(each) in self._parameters),
        )
        try:
            return step_of(node, bound, self._find)
        except (ValueError, TypeError, IndexError) as error:
            raise ShapeError.at(node.label, f"cannot be prepared: {error}") from error

    def _optional(self, tensor: Tensor) -> Array | None:
        is_there = id(tensor) in self._arrays or tensor.has_data
        return self._find(tensor) if is_there else None

    def _find(self, tensor: Tensor) -> Array:
        """Return the array of a tensor: its place in the arena, or that of a parameter."""
        found = self._arrays.get(id(tensor))
        if found is None:
            found = tensor.array
            self._parameters[id(tensor)] = (tensor, found)
        return found

    # --- running ----------------------------------------------------------------------------

    def _take(self, inputs: Sequence[Tensor | ArrayLike]) -> None:
        """Copy the data of a pass to the inputs."""
        given = fitting_arrays(
            self._slots,
            inputs,
            "the run was prepared",
            ShapeError,
            "Prepare another run for these.",
            needs=lambda port: False,
        )
        arrays = {slot.ports[0]: array for slot, array in given}
        for port, place in self._inputs.items():
            tensor = port.node.get_operator().get_input(port.index)
            if place is not None and tensor is not None:
                array = arrays.get(port)
                np.copyto(place, tensor.array if array is None else array)


def _order_of(view: GraphView) -> list[Node]:
    """Schedule a graph; refuse one in which a node does not run exactly once in each pass."""
    check_view(view, "PreparedRun", SchedulingError)
    for node in view.get_nodes():
        problem = _why_not(node)
        if problem:
            cure = "Run the graph with a SequentialScheduler."
            raise SchedulingError.at(node.label, f"cannot be prepared: {problem}", cure=cure)
    scheduler = SequentialScheduler(view)
    scheduler.generate_scheduling()
    order = scheduler.get_sequential_static_scheduling()
    scheduler.reset_scheduling()  # others that schedule the graph begin where this one did
    if len(order) != len(set(order)):
        often = next(node for node in order if order.count(node) > 1)
        problem = "cannot be prepared: it runs several times in a pass"
        raise SchedulingError.at(often.label, problem)
    return order


def _why_not(node: Node) -> str:
    if node.type() in SPECIAL and node.type() != "Producer":
        return "what it computes depends on earlier executions, or on a condition"
    if node.annotations.get(CONDITION):
        return "it runs on a condition"
    operator = node.get_operator()
    if any(tensor.dtype is DType.string for tensor in operator.get_outputs()):
        return "its results are not numbers"
    return ""


def _copy(place: Array, tensor: Tensor) -> None:
    np.copyto(place, tensor.array)


def _plan(view: GraphView, order: Sequence[Node], pairs: Sequence[Pair]) -> MemoryPlan:
    """Plan memory for pairs of nodes that are computed together."""
    from aidge_nb.memory import WhatIf, plan_memory

    names = view.unique_names()
    together = WhatIf(fused=tuple((names[first], names[second]) for first, second in pairs))
    return plan_memory(
        view, order, inc_inputs=True, parts=True, alignment=ALIGNMENT, what_if=together
    )
