"""Going back over a tape: gradients from the outputs of a graph to its inputs and parameters.

Executions are gone over in reverse order. Each adds to the gradients of what it read, so that
values read by several nodes get the sum. Gradients of inputs and Producers add up over passes
until they are reset; those of values that are computed belong to one pass.

Reference: A. Griewank and A. Walther, Evaluating Derivatives, 2008, chapter 3.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from time import perf_counter_ns

import numpy as np

from aidge_nb.core.tensor import Tensor
from aidge_nb.runtime.autodiff.tape import Tape, TapeEntry, tensors_of
from aidge_nb.runtime.autodiff.way_back import Way
from aidge_nb.scheduling.model.impl import OperatorImpl
from aidge_nb.scheduling.schedule.elements import SchedulingElement


@dataclass(frozen=True, slots=True, eq=False)
class Left:
    """A gradient that a backward pass left at a tensor, and the one that was there before."""

    tensor: Tensor
    left: Tensor | None
    before: Tensor | None

    def undo(self) -> None:
        """Put back what was there before, unless somebody gave the tensor another gradient."""
        if self.tensor.grad is self.left:
            self.tensor.grad = self.before


def go_back(tape: Tape) -> tuple[list[SchedulingElement], list[Left]]:
    """Run the gradients of what is on a tape.

    Returns
    -------
    tuple
        When the gradient of each node ran, and what was left at values that are computed.

    Raises
    ------
    SchedulingError
        When no output has a gradient, or none comes to an input or a parameter.
    MissingKernelError
        When an operator on the way has no gradient.
    ShapeError
        When the gradient of an output has other dimensions than the output.

    Whatever is raised, the gradients are what they were before.
    """
    way = Way(tape)
    before = [(tensor, tensor.grad) for tensor in way.tensors()]
    try:
        elements = _follow(way)
    except BaseException:
        for tensor, grad in before:
            tensor.grad = grad
        raise
    return elements, [
        Left(tensor, tensor.grad, grad) for tensor, grad in before if way.is_computed(tensor)
    ]


def _follow(way: Way) -> list[SchedulingElement]:
    elements: list[SchedulingElement] = []
    left = Counter(id(entry.node) for entry, _ in way.entries)
    for entry, outer in reversed(way.entries):
        outputs = tensors_of(entry.outputs)
        start = perf_counter_ns()
        if way.goes_on(entry) and any(tensor.has_grad for tensor in outputs):
            _run(entry, way.wanted_inputs(entry))
            _note(elements, SchedulingElement(outer.node, start, perf_counter_ns()))
        left[id(entry.node)] -= 1
        if left[id(entry.node)] and not getattr(entry.impl, "gathers", False):
            for tensor in outputs:  # the execution before gave another value
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
    """Add a measurement; what runs inside of one execution of a meta-operator is one."""
    if elements and elements[-1].node is new.node and new.node.get_operator().micro_graph:
        elements[-1] = SchedulingElement(new.node, elements[-1].start, new.end)
    else:
        elements.append(new)
