"""Graphs that are prepared once and run many times, in the arena of their memory plan.

A scheduler looks at each node anew in each pass, and each kernel makes its results anew. Here all
of that is done before: every value has its place in one block of bytes, every kernel is bound to
the places of what it reads and writes, and a pass is a list of steps. It allocates nothing but
what it hands out. The results have the bits that a scheduler gives, but for LSTM layers, which
run by one kernel instead of their micro-graph and may differ in the last place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import AidgeError, MemoryPlanError, SchedulingError, ShapeError, explain
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.given import check_view
from aidge_nb.graph.view import GraphView
from aidge_nb.kernels.fixed import Step, nothing
from aidge_nb.kernels.workspace import ALIGNMENT, Workspace, block_of
from aidge_nb.ops.shape import TRANSPOSE
from aidge_nb.runtime.arena.outside import is_left_out, parts_outside
from aidge_nb.runtime.arena.prepared_memory import arrays_of
from aidge_nb.runtime.arena.prepared_steps import Ends, step_of
from aidge_nb.runtime.arena.prepared_views import products_with_transposes, turned, turned_back
from aidge_nb.runtime.backends.special import SPECIAL
from aidge_nb.runtime.passes import as_array
from aidge_nb.runtime.schedulers.sequential import SequentialScheduler
from aidge_nb.scheduling.model.conditional import CONDITION

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node, Port
    from aidge_nb.memory import MemoryPlan

Array = NDArray[Any]
Pair = tuple["Node", "Node"]

_BUFFER = 1024
"""Elements that NumPy may copy to make short rows one long one; where two rows would fit the usual
8192, adding a bias to each takes up to three times as long."""


class PreparedRun:
    """A graph that is ready to run, for inputs of the dimensions that it has now.

    Parameters
    ----------
    view
        The graph, with a backend, and with known dimensions. It must not change while it is run
        from here, but for the values of its Producers.
    plan
        Where values lie: a plan of :func:`aidge_nb.memory.plan_memory`. One is made when None.

    Attributes
    ----------
    plan
        The plan.

    Raises
    ------
    SchedulingError
        For a graph that does other things each time: with branches, or nodes that run several
        times in a pass. A scheduler runs these. Also for what is no graph.
    MemoryPlanError
        When dimensions are unknown, or the plan is not one for this graph.
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
    (PreparedRun(2 steps, arena 64 bytes, workspace 0 bytes), [[0.0, 0.0]])
    """

    def __init__(self, view: GraphView, plan: MemoryPlan | None = None) -> None:
        self._view = view
        order = _order_of(view)
        self._pairs = products_with_transposes(view, order) if plan is None else []
        self.plan = _plan(view, order, self._pairs) if plan is None else plan
        names = {name: node for node, name in view.unique_names().items()}
        self._order = order if plan is None else [_named(names, name) for name in plan.order]
        self._arena = block_of(self.plan.peak)
        self._workspace = Workspace()
        self._groups: list[list[Port]] = view.get_input_groups()
        self._bind()

    @property
    def arena_bytes(self) -> int:
        """Bytes of the arena: the peak of the plan."""
        return self.plan.peak

    @property
    def workspace_bytes(self) -> int:
        """Bytes that kernels compute in besides."""
        return self._workspace.size

    @property
    def parameter_bytes(self) -> int:
        """Bytes of the parameters, which are read where they are."""
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
            When the inputs are no list, or there are too many, or one has other dimensions or
            another type than the run was prepared for.
        """
        if any(tensor._array is not array for tensor, array in self._parameters.values()):
            self._bind()
        self._take(inputs)
        number = 0
        try:
            with np.errstate(all="ignore"):  # which puts back the size of buffers, too
                np.setbufsize(_BUFFER)
                for number, step in enumerate(self._steps):  # noqa: B007  # read below
                    step()
        except AidgeError as error:
            raise type(error)(explain(self._labels[number], str(error))) from error
        except (ValueError, TypeError, IndexError, ArithmeticError) as error:
            problem = f"the kernel failed: {error}"
            raise ShapeError(explain(self._labels[number], problem)) from error
        return tuple(np.array(output) for output in self._outputs)

    def __repr__(self) -> str:
        return (
            f"PreparedRun({len(self._steps)} steps, arena {self.arena_bytes} bytes, "
            f"workspace {self.workspace_bytes} bytes)"
        )

    # --- preparing --------------------------------------------------------------------------

    def _bind(self) -> None:
        """Bind all kernels to the places of what they read and write."""
        self._parameters: dict[int, tuple[Tensor, Array]] = {}
        self._arrays = arrays_of(self._view, self.plan, self._arena)
        self._inputs = [self._input(group) for group in self._groups]
        self._place_outside()
        order = self._leave_out_transposes()
        needed = 0
        for node in order:  # one after the other, so that memory is given back
            measured = Workspace()
            self._step(node, measured)
            needed = max(needed, measured.needed)
        if needed > self._workspace.size:
            self._workspace = Workspace(needed)
        made = [(node.label, self._step(node, self._workspace)) for node in order]
        self._labels = [label for label, step in made if step is not nothing]
        self._steps: list[Step] = [step for _, step in made if step is not nothing]
        self._outputs = [
            self._find(port.node.get_operator().get_output(port.index))
            for port in self._view.get_ordered_outputs()
        ]

    def _input(self, group: list[Port]) -> tuple[str, Tensor, Array] | None:
        """Give an input of the graph its place: in the arena, or apart when it is not planned."""
        port = group[0]
        tensor = port.node.get_operator().get_input(port.index)
        if tensor is None or tensor.undefined:
            return None
        if id(tensor) not in self._arrays:
            self._arrays[id(tensor)] = np.empty(tensor.shape, tensor.dtype.numpy)
        return f"{port.node.label}, input#{port.index}", tensor, self._arrays[id(tensor)]

    def _place_outside(self) -> None:
        """Let outputs that the plan leaves out be parts of an input that lies elsewhere."""
        self._outside: set[Node] = set()
        for node in self._order:
            operator = node.get_operator()
            outputs = [operator.get_output(index) for index in range(operator.nb_outputs)]
            whole = operator.get_input(0) if operator.nb_inputs else None
            if whole is None or not is_left_out(node, (id(o) in self._arrays for o in outputs)):
                continue
            self._arrays |= {id(part): a for part, a in parts_outside(node, self._find(whole))}
            self._outside.add(node)

    def _leave_out_transposes(self) -> list[Node]:
        """Let products read and write transposed matrices; give the order of what is left."""
        order = list(self._order)
        for first, second in self._pairs:
            data, result = first.get_operator().get_output(0), second.get_operator().get_output(0)
            if second.get_operator().spec is TRANSPOSE:  # the product takes its turn, and place
                self._arrays[id(data)] = turned_back(self._find(result), second)
                order.remove(first)
                order[order.index(second)] = first
            else:
                source = first.get_operator().get_input(0)
                if source is not None:
                    self._arrays[id(data)] = turned(self._find(source), first)
                order.remove(first)
        return order

    def _step(self, node: Node, workspace: Workspace) -> Step:
        if node.type() == "Producer" or node in self._outside:
            return nothing
        workspace.restart()
        operator = node.get_operator()
        tensors = [operator.get_input(index) for index in range(operator.nb_inputs)]
        outputs = [operator.get_output(index) for index in range(operator.nb_outputs)]
        ends = Ends(
            tuple(None if tensor is None else self._optional(tensor) for tensor in tensors),
            tuple(self._arrays.get(id(tensor)) for tensor in outputs),
            frozenset(i for i, each in enumerate(tensors) if id(each) in self._parameters),
            self._find,
        )
        try:
            return step_of(node, ends, workspace)
        except (ValueError, TypeError, IndexError) as error:
            raise ShapeError(explain(node.label, f"cannot be prepared: {error}")) from error

    def _optional(self, tensor: Tensor) -> Array | None:
        is_there = id(tensor) in self._arrays or tensor.has_data
        return self._find(tensor) if is_there else None

    def _find(self, tensor: Tensor) -> Array:
        """Give the array of a tensor: its place in the arena, or the parameter that it is."""
        found = self._arrays.get(id(tensor))
        if found is None:
            found = tensor.array
            self._parameters[id(tensor)] = (tensor, found)
        return found

    # --- running ----------------------------------------------------------------------------

    def _take(self, inputs: Sequence[Tensor | ArrayLike]) -> None:
        """Copy the data of a pass to the places of the inputs."""
        if not isinstance(inputs, (list, tuple)):
            cure = "Pass a list, one array for each input of the graph."
            found = type(inputs).__name__
            raise ShapeError(explain("inputs", "are no list", found=found, cure=cure))
        if len(inputs) > len(self._inputs):
            raise ShapeError(
                explain("inputs", "too many", expected=len(self._inputs), found=len(inputs))
            )
        for index, place in enumerate(self._inputs):
            if place is None:
                continue
            where, tensor, array = place
            given = as_array(inputs[index], where) if index < len(inputs) else tensor.array
            if given.shape != array.shape or given.dtype != array.dtype:
                raise ShapeError(
                    explain(
                        where,
                        "the run was prepared for other data",
                        expected=f"{array.dtype}{list(array.shape)}",
                        found=f"{given.dtype}{list(given.shape)}",
                        cure="Prepare another run for these.",
                    )
                )
            np.copyto(array, given)


def _order_of(view: GraphView) -> list[Node]:
    """Schedule a graph in which each node runs once.

    Raises
    ------
    SchedulingError
        For another one.
    """
    check_view(view, "PreparedRun", SchedulingError)
    for node in view.get_nodes():
        problem = _why_not(node)
        if problem:
            cure = "Run the graph with a SequentialScheduler."
            raise SchedulingError(explain(node.label, f"cannot be prepared: {problem}", cure=cure))
    scheduler = SequentialScheduler(view)
    scheduler.generate_scheduling()
    order = scheduler.get_sequential_static_scheduling()
    scheduler.reset_scheduling()  # others that schedule the graph begin where this one did
    if len(order) != len(set(order)):
        often = next(node for node in order if order.count(node) > 1)
        problem = "cannot be prepared: it runs several times in a pass"
        raise SchedulingError(explain(often.label, problem))
    return order


def _why_not(node: Node) -> str:
    if node.type() in SPECIAL and node.type() != "Producer":
        return "what it does depends on what it did, or on a condition"
    if node.annotations.get(CONDITION):
        return "it runs on a condition"
    operator = node.get_operator()
    outputs = [operator.get_output(index) for index in range(operator.nb_outputs)]
    if any(tensor.dtype is DType.string for tensor in outputs):
        return "its results are no numbers"
    return ""


def _named(nodes: Mapping[str, Node], name: str) -> Node:
    if name not in nodes:
        cure = "Plan memory for this graph."
        raise MemoryPlanError(explain(f"plan, node {name}", "is of another graph", cure=cure))
    return nodes[name]


def _plan(view: GraphView, order: Sequence[Node], pairs: Sequence[Pair]) -> MemoryPlan:
    """Plan memory for pairs of nodes that are computed together."""
    from aidge_nb.memory import WhatIf, plan_memory

    names = view.unique_names()
    together = WhatIf(fused=tuple((names[first], names[second]) for first, second in pairs))
    return plan_memory(
        view, order, inc_inputs=True, parts=True, alignment=ALIGNMENT, what_if=together
    )
