"""Backward pass: run the gradients of a tape from the outputs to the inputs and parameters.

Executions are visited in reverse order. Each adds to the gradients of what it read, so that values
with several readers get the sum. Gradients of inputs and Producers add up over passes until they
are reset; those of computed values belong to one pass.

Reference: A. Griewank and A. Walther, Evaluating Derivatives, 2008, chapter 3.
"""

from __future__ import annotations

from collections import Counter
from time import perf_counter_ns

import numpy as np

from aidge_nb.core.errors import SchedulingError, ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node
from aidge_nb.runtime.autodiff.tape import Tape, TapeEntry, tensors_of
from aidge_nb.scheduling.model.impl import OperatorImpl
from aidge_nb.scheduling.schedule.elements import SchedulingElement

SKIP_BACKWARD = "skipBackward"
"""The annotation of nodes through which no gradient passes."""


@dataclass(frozen=True, slots=True, eq=False)
class ReplacedGrad:
    """A gradient that a backward pass set at a computed value, and the former one."""

    tensor: Tensor
    new: Tensor | None
    before: Tensor | None

    def undo(self) -> None:
        """Restore the former gradient, unless the tensor was given another one since."""
        if self.tensor.held_grad is self.new:
            self.tensor.grad = self.before


def go_back(tape: Tape) -> tuple[list[SchedulingElement], list[ReplacedGrad]]:
    """Run the gradients of the executions on a tape; restore all gradients after an error.

    Return when the gradient of each node ran, and the gradients set at computed values.
    """
    flow = _GradientFlow(tape)
    before = [(tensor, tensor.held_grad) for tensor in flow.tensors()]
    try:
        elements = _follow(flow)
    except BaseException:
        for tensor, grad in before:
            tensor.grad = grad
        raise
    computed = [(tensor, grad) for tensor, grad in before if flow.is_computed(tensor)]
    return elements, [ReplacedGrad(tensor, tensor.held_grad, grad) for tensor, grad in computed]


def _follow(flow: _GradientFlow) -> list[SchedulingElement]:
    elements: list[SchedulingElement] = []
    left = Counter(id(entry.node) for entry, _ in flow.entries)
    for entry, outer in reversed(flow.entries):
        outputs = tensors_of(entry.outputs)
        start = perf_counter_ns()
        if flow.goes_on(entry) and any(tensor.has_grad() for tensor in outputs):
            _run(entry, flow.wanted_inputs(entry))
            _note(elements, SchedulingElement(outer.node, start, perf_counter_ns()))
        left[id(entry.node)] -= 1
        if left[id(entry.node)] and not getattr(entry.impl, "gathers", False):
            for tensor in outputs:  # the execution before wrote another value
                tensor.grad = None
    return elements


def _run(entry: TapeEntry, wanted: frozenset[int]) -> None:
    """Run the gradient of one execution."""
    impl = entry.impl
    with entry.values_back(), np.errstate(all="ignore"):
        if not isinstance(impl, OperatorImpl):
            impl.backward()
            return
        impl.recall(entry.memory)
        impl.wanted = wanted
        try:
            impl.backward()
        finally:
            impl.wanted = None


def _note(elements: list[SchedulingElement], new: SchedulingElement) -> None:
    """Add a measurement; all executions inside of one meta-operator count as one."""
    if elements and elements[-1].node is new.node and new.node.get_operator().micro_graph:
        elements[-1] = SchedulingElement(new.node, elements[-1].start, new.end)
    else:
        elements.append(new)


class _GradientFlow:
    """The executions of a backward pass, and the tensors that need a gradient.

    These are the floating-point inputs and Producers that are not constant, and all that was
    computed from them.
    """

    def __init__(self, tape: Tape) -> None:
        every = list(tape.flat())
        self.entries = [pair for pair in every if pair[0].node.type() != "Producer"]
        constants = {
            id(tensor)
            for entry, _ in every
            if entry.node.type() == "Producer" and entry.node.get_operator().attr.constant
            for tensor in tensors_of(entry.outputs)
        }
        self._computed = {id(t) for entry, _ in self.entries for t in tensors_of(entry.outputs)}
        self._wanted = self._find_wanted(constants)
        self._check()

    def tensors(self) -> list[Tensor]:
        """List all tensors that executions read or wrote, each once."""
        found = {
            id(tensor): tensor
            for entry, _ in self.entries
            for tensor in tensors_of((*entry.inputs, *entry.outputs))
        }
        return list(found.values())

    def is_computed(self, tensor: Tensor) -> bool:
        """Tell whether an execution wrote a tensor: it is not an input or a parameter."""
        return id(tensor) in self._computed

    def wanted_inputs(self, entry: TapeEntry) -> frozenset[int]:
        """Return the numbers of the inputs whose gradients are needed."""
        return frozenset(
            index
            for index, value in enumerate(entry.inputs)
            if value is not None and id(value[0]) in self._wanted
        )

    def goes_on(self, entry: TapeEntry) -> bool:
        """Tell whether a gradient passes through an execution."""
        return not _why_it_stops(entry.node) and bool(self.wanted_inputs(entry))

    def _find_wanted(self, constants: set[int]) -> set[int]:
        wanted: set[int] = set()
        for entry, _ in self.entries:
            for value in entry.inputs:
                if value is None or value[1] is None or value[1].dtype.kind != "f":
                    continue
                if id(value[0]) not in self._computed and id(value[0]) not in constants:
                    wanted.add(id(value[0]))
            if any(id(tensor) in wanted for tensor in tensors_of(entry.inputs)):
                if _why_it_stops(entry.node):
                    continue
                for value in entry.outputs:
                    if value is not None and value[1] is not None and value[1].dtype.kind == "f":
                        wanted.add(id(value[0]))
        return wanted

    def _check(self) -> None:
        reached = self._find_seeds()
        reaches_leaf = False
        for entry, _ in reversed(self.entries):
            if not self.goes_on(entry) or not any(
                id(tensor) in reached for tensor in tensors_of(entry.outputs)
            ):
                continue
            impl = entry.impl
            if isinstance(impl, OperatorImpl) and not impl.has_gradient():
                raise impl.missing_gradient()
            for index in self.wanted_inputs(entry):
                tensor = entry.node.get_operator().get_input(index)
                value = entry.inputs[index]
                if value is None or tensor is not value[0]:
                    where = f"{entry.node.label}, input#{index}"
                    problem = "is another tensor than in the forward pass"
                    cure = "Call backward() before new data are connected, or forward() again."
                    raise SchedulingError.at(where, problem, cure=cure)
                reached.add(id(tensor))
                reaches_leaf |= not self.is_computed(tensor)
        if not reaches_leaf:
            raise self._nothing_reached()

    def _find_seeds(self) -> set[int]:
        """Find the computed values whose gradients were set before the pass."""
        seeds = set()
        for entry, _ in self.entries:
            for index, value in enumerate(entry.outputs):
                if value is None or value[0].held_grad is None:
                    continue
                tensor, grad = value[0], value[0].held_grad
                if grad.shape != tensor.shape:
                    raise ShapeError.at(
                        f"{entry.node.label}, output#{index}",
                        "its gradient has other dimensions than the output",
                        expected=list(tensor.shape),
                        found=list(grad.shape),
                    )
                seeds.add(id(tensor))
        if not seeds:
            cure = (
                "Compute a loss, such as aidge_nb.learning.loss.MSE(y, target), or set the "
                "gradient of an output: y.grad = aidge_nb.Tensor(...)."
            )
            raise SchedulingError.at("backward", "no output has a gradient", cure=cure)
        return seeds

    def _nothing_reached(self) -> SchedulingError:
        stops = {entry.node.label: _why_it_stops(entry.node) for entry, _ in self.entries}
        found = "; ".join(f"{label} {why}" for label, why in stops.items() if why)
        return SchedulingError.at(
            "backward",
            "no gradient reaches an input or a parameter",
            found=found or "inputs and parameters that are not floating-point numbers",
            cure="Train towards a value that depends on the parameters by operators that have "
            "a gradient.",
        )


def _why_it_stops(node: Node) -> str | None:
    """Return why no gradient passes a node, or None."""
    if node.annotations.get(SKIP_BACKWARD):
        return f"is annotated {SKIP_BACKWARD}"
    impl = node.get_operator().get_impl()
    return impl.why_no_gradient() if isinstance(impl, OperatorImpl) else None
