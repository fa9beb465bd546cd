"""Where gradients go: from the outputs that have one to the inputs and parameters that want one."""

from __future__ import annotations

from aidge_nb.core.errors import SchedulingError, ShapeError, explain
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.runtime.autodiff.tape import Tape, TapeEntry, tensors_of
from aidge_nb.scheduling.model.impl import OperatorImpl

SKIP_BACKWARD = "skipBackward"
"""The annotation of nodes through which no gradient passes."""


class Way:
    """The executions that gradients go back over, and the tensors that want one.

    A tensor wants a gradient when it is an input or a Producer of floating-point numbers, unless
    the Producer is a constant, or when it was computed from one that does.

    Raises
    ------
    SchedulingError
        When no output has a gradient, none comes to an input or a parameter, or the inputs are
        other tensors than in the forward pass.
    MissingKernelError
        When an operator on the way has no gradient.
    ShapeError
        When the gradient of an output has other dimensions than the output.
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
        """Whether a tensor was written by an execution, and is no input and no parameter."""
        return id(tensor) in self._computed

    def wanted_inputs(self, entry: TapeEntry) -> frozenset[int]:
        """Number the inputs of an execution whose gradients are wanted."""
        return frozenset(
            index
            for index, value in enumerate(entry.inputs)
            if value is not None and id(value[0]) in self._wanted
        )

    def goes_on(self, entry: TapeEntry) -> bool:
        """Whether a gradient that comes to an execution goes on from there."""
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
        comes_to_leaf = False
        for entry, _ in reversed(self.entries):
            if not self.goes_on(entry) or not any(
                id(tensor) in reached for tensor in tensors_of(entry.outputs)
            ):
                continue
            _check_gradient(entry)
            for index in self.wanted_inputs(entry):
                tensor = entry.node.get_operator().get_input(index)
                value = entry.inputs[index]
                if value is None or tensor is not value[0]:
                    raise _other_tensor(entry.node, index)
                reached.add(id(tensor))
                comes_to_leaf |= not self.is_computed(tensor)
        if not comes_to_leaf:
            raise self._no_way()

    def _find_seeds(self) -> set[int]:
        """Find the gradients that are given: those of values that were computed."""
        seeds = set()
        for entry, _ in self.entries:
            for index, value in enumerate(entry.outputs):
                if value is None or value[0].grad is None:
                    continue
                tensor, grad = value[0], value[0].grad
                if grad.shape != tensor.shape:
                    raise ShapeError(
                        explain(
                            f"{entry.node.label}, output#{index}",
                            "its gradient has other dimensions than the output",
                            expected=list(tensor.shape),
                            found=list(grad.shape),
                        )
                    )
                seeds.add(id(tensor))
        if not seeds:
            cure = (
                "Compute a loss, such as aidge_nb.learning.loss.MSE(y, target), or set the "
                "gradient of an output: y.grad = aidge_nb.Tensor(...)."
            )
            raise SchedulingError(explain("backward", "no output has a gradient", cure=cure))
        return seeds

    def _no_way(self) -> SchedulingError:
        stops = {entry.node.label: _why_it_stops(entry.node) for entry, _ in self.entries}
        found = "; ".join(f"{label} {why}" for label, why in stops.items() if why)
        return SchedulingError(
            explain(
                "backward",
                "no gradient comes to an input or a parameter",
                found=found or "inputs and parameters that are no floating-point numbers",
                cure="Train towards a value that depends on the parameters by operators that have "
                "a gradient.",
            )
        )


def _why_it_stops(node: Node) -> str | None:
    """Say why no gradient passes a node, None when one does."""
    if node.annotations.get(SKIP_BACKWARD):
        return f"is annotated {SKIP_BACKWARD}"
    impl = node.get_operator().get_impl()
    return impl.why_no_gradient() if isinstance(impl, OperatorImpl) else None


def _check_gradient(entry: TapeEntry) -> None:
    impl = entry.impl
    if isinstance(impl, OperatorImpl) and not impl.has_gradient():
        raise impl.missing_gradient()


def _other_tensor(node: Node, index: int) -> SchedulingError:
    return SchedulingError(
        explain(
            f"{node.label}, input#{index}",
            "is another tensor than in the forward pass",
            cure="Call backward() before new data are connected, or forward() again.",
        )
    )
