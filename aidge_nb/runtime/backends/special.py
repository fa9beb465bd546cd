"""Implement the operators that are more than a kernel: Select, and those with a state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.leniency import allows
from aidge_nb.graph.operator import Operator
from aidge_nb.runtime.backends.gradient import output_grad
from aidge_nb.scheduling.executor import chosen_input
from aidge_nb.scheduling.model.impl import OperatorImpl

Arrays = Sequence[NDArray[Any] | None]


def _need(operator: Operator, arrays: Arrays, index: int) -> NDArray[Any]:
    array = arrays[index]
    if array is None:
        raise ShapeError.at(f"{operator.label}, input#{index}", "has no data")
    return array


class SelectImpl(OperatorImpl):
    """Select outputs one of its data inputs; the others need no data."""

    def forward(self) -> None:
        """Copy the input that the condition names."""
        operator = self._operator
        index = 1 + chosen_input(operator)
        array = self._input_array(index)
        if array is None:
            raise ShapeError.at(f"{operator.label}, input#{index}", "has no data")
        output = operator.get_output(0)
        output.set_array(array.astype(array.dtype if output.undefined() else output.dtype.numpy))

    def backward(self) -> None:
        """Add the gradient to the input that was taken."""
        tensor = self._operator.get_input(1 + chosen_input(self._operator))
        if tensor is not None:
            tensor.add_grad(output_grad(self._operator))


class ProducerImpl(OperatorImpl):
    """Producer has its data already."""

    def run(self, arrays: Arrays) -> tuple[NDArray[Any], ...]:
        """Return the data."""
        tensor = self._operator.get_output(0)
        if tensor.has_data:
            return (tensor.array,)
        if not tensor.undefined() and allows(f"{self._operator.label} was never filled: it is 0."):
            tensor.zeros()
            return (tensor.array,)
        raise ShapeError.at(
            self._operator.label,
            "has dimensions but no values",
            found=list(tensor.dims),
            cure="Fill it: node.get_operator().set_output(0, tensor), or set_input() on "
            "the node that reads it.",
        )

    def forward(self) -> None:
        """Check that there are data; leave them where they are."""
        self.run(())


class _Counting(OperatorImpl):
    """An implementation that counts its executions."""

    def __init__(self, op: Operator, backend: str = "cpu") -> None:
        super().__init__(op, backend)
        self._step = 0

    def reset_state(self) -> None:
        """Restart at the first execution."""
        self._step = 0

    def remember(self) -> int:
        """Return the number of executions so far."""
        return self._step

    def recall(self, memory: int) -> None:
        """Return to an earlier execution."""
        self._step = memory


class PopImpl(_Counting):
    """Pop outputs the slices of its input along the first dimension, one per execution."""

    def run(self, arrays: Arrays) -> tuple[NDArray[Any], ...]:
        """Return the next slice."""
        data = _need(self._operator, arrays, 0)
        if self._step >= len(data):
            raise ShapeError.at(
                self._operator.label,
                "no slice is left",
                expected=f"at most {len(data)} executions",
                cure="An output holds one value at a time, so that Pop cannot read several "
                "tensors in a pass, as from another Pop. Merge the dimensions with a "
                "Reshape, and take them apart with one Pop.",
            )
        self._step += 1
        return (np.asarray(data[self._step - 1]),)

    def backward(self) -> None:
        """Add the gradient to the slice that was returned."""
        tensor = self._operator.get_input(0)
        if tensor is not None:
            whole = np.zeros(tensor.shape, tensor.dtype.numpy)
            whole[self._step - 1] = output_grad(self._operator)
            tensor.add_grad(whole)


class StackImpl(_Counting):
    """Stack gathers its inputs, one per execution, along a new first dimension."""

    gathers = True

    def run(self, arrays: Arrays) -> tuple[NDArray[Any], ...]:
        """Write the next slice, and return the whole output."""
        data = _need(self._operator, arrays, 0)
        output = self._operator.get_output(0)
        count = int(self._operator.attr.max_elements) or (
            output.shape[0] if output.ndim else self._step + 1
        )
        shape = (max(count, self._step + 1), *data.shape)
        if self._step and output.has_data and output.array.shape[1:] == data.shape:
            whole = np.resize(output.array, shape) if output.shape[0] < shape[0] else output.array
        else:
            whole = np.zeros(shape, data.dtype)
        whole[self._step] = data
        self._step += 1
        return (whole,)

    def backward(self) -> None:
        """Add the gradient of the slice that was written."""
        tensor = self._operator.get_input(0)
        if tensor is not None:
            tensor.add_grad(output_grad(self._operator)[self._step - 1])


class MemorizeImpl(_Counting):
    """Memorize outputs its initial value first, then its input of the execution before."""

    def run(self, arrays: Arrays) -> tuple[NDArray[Any], ...]:
        """Return the value on both outputs."""
        value = arrays[1] if self._step == 0 else _need(self._operator, arrays, 0)
        if value is None:
            output = self._operator.get_output(1)
            value = np.zeros(output.dims, output.dtype.numpy)
        self._step += 1
        return value, value

    def backward(self) -> None:
        """Add to the initial value at the first execution, to the loop input at later ones."""
        tensor = self._operator.get_input(1 if self._step == 1 else 0)
        if tensor is not None:
            both = (output_grad(self._operator, index) for index in (0, 1))
            tensor.add_grad(sum(both))


SPECIAL: dict[str, Callable[[Operator, str], OperatorImpl]] = {
    "Memorize": MemorizeImpl,
    "Pop": PopImpl,
    "Producer": ProducerImpl,
    "Select": SelectImpl,
    "Stack": StackImpl,
}
"""The implementations by operator type."""
