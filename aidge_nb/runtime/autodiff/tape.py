"""Record a forward pass on a tape: the executions in order, with the values read and written.

Values are kept by reference. Kernels never overwrite their inputs, so these values stay those of
the forward pass even when tensors get new arrays: a loop fires the same node many times, and an
optimizer replaces parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter_ns
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import SchedulingError
from aidge_nb.core.limits import check_time
from aidge_nb.core.tensor import Tensor
from aidge_nb.core.values import dataclass
from aidge_nb.graph.backend import Implementation
from aidge_nb.graph.node import Node
from aidge_nb.scheduling.model.impl import OperatorImpl
from aidge_nb.scheduling.schedule.elements import SchedulingElement

Array = NDArray[Any]
Values = tuple[tuple[Tensor, Array | None] | None, ...]


@dataclass(slots=True, eq=False)  # frozen instances take three times as long to create
class TapeEntry:
    """One execution of a node."""

    element: SchedulingElement  # the node, and when it ran
    # inputs, outputs: the tensors at its ports and what they held; None where no tensor was
    inputs: Values
    outputs: Values
    memory: Any  # what its implementation remembers; for a meta-operator, the tape inside

    @property
    def node(self) -> Node:
        """The node that ran."""
        return self.element.node

    @property
    def impl(self) -> Implementation:
        """The implementation that ran it."""
        impl = self.node.get_operator().get_impl()
        if impl is None:
            problem = "had an implementation when it ran, and has none now"
            cure = "Call set_backend() and forward() again."
            raise SchedulingError.at(self.node.label, problem, cure=cure)
        return impl

    @contextmanager
    def values_back(self) -> Iterator[None]:
        """Restore, within a block, the values that the tensors held when the node ran."""
        before = []
        for value in (*self.inputs, *self.outputs):
            tensor, array = value or (None, None)
            if tensor is None or array is None or tensor.held is array:
                continue
            now = Tensor()
            now.share(tensor)
            before.append((tensor, now))
            tensor.set_array(array)
        try:
            yield
        finally:
            for tensor, now in reversed(before):
                tensor.share(now)


@dataclass(frozen=True, slots=True, eq=False)
class Tape:
    """All executions of a pass."""

    entries: Sequence[TapeEntry] = ()

    def flat(self) -> Iterator[tuple[TapeEntry, TapeEntry]]:
        """Iterate over the executions, also inside of meta-operators, each with its outer one."""
        for entry in self.entries:
            if isinstance(entry.memory, Tape):
                for inner, _ in entry.memory.flat():
                    yield inner, entry
            else:
                yield entry, entry


def run_and_record(node: Node) -> TapeEntry:
    """Run a node on its tensors, unless the time that a run may take is over."""
    check_time(node.label)
    inputs = values_read(node)
    start = perf_counter_ns()
    with np.errstate(all="ignore"):  # here, because each thread has its own
        node.forward()
    return record(SchedulingElement(node, start, perf_counter_ns()), inputs)


def values_read(node: Node) -> Values:
    """Return the tensors at the inputs of a node, and what they hold."""
    return _values(node.get_operator().get_inputs())


def record(element: SchedulingElement, inputs: Values) -> TapeEntry:
    """Make the entry of an execution that has ended."""
    operator = element.node.get_operator()
    impl = operator.get_impl()
    memory = impl.remember() if isinstance(impl, OperatorImpl) else None
    return TapeEntry(element, inputs, _values(operator.get_outputs()), memory)


def tensors_of(values: Values) -> list[Tensor]:
    """List the tensors of values."""
    return [value[0] for value in values if value is not None]


def _values(tensors: Sequence[Tensor | None]) -> Values:
    return tuple([None if tensor is None else (tensor, tensor.held) for tensor in tensors])
