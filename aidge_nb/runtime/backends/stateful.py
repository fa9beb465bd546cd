"""Operators that remember something from one execution to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.graph.operator import Operator
from aidge_nb.runtime.backends.passing_back import output_grad
from aidge_nb.scheduling.model.impl import OperatorImpl

Arrays = Sequence[NDArray[Any] | None]


def _need(operator: Operator, arrays: Arrays, index: int) -> NDArray[Any]:
    array = arrays[index]
    if array is None:
        raise ShapeError(explain(f"{operator.label}, input#{index}", "has no data"))
    return array


class ProducerImpl(OperatorImpl):
    """Producer has its data already."""

    def run(self, arrays: Arrays) -> tuple[NDArray[Any], ...]:
        """Give the data.

        Raises
        ------
        ShapeError
            When the Producer was made from dimensions alone and never filled.
        """
        tensor = self._operator.get_output(0)
        if not tensor.has_data:
            raise ShapeError(
                explain(
                    self._operator.label,
                    "has dimensions but no values",
                    found=list(tensor.dims),
                    cure="Fill it: node.get_operator().set_output(0, tensor), or set_input() on "
                    "the node that reads it.",
                )
            )
        return (tensor.array,)

    def forward(self) -> None:
        """Leave the data where they are, if there are any."""
        self.run(())


class _Counting(OperatorImpl):
    def __init__(self, op: Operator, backend: str = "cpu") -> None:
        super().__init__(op, backend)
        self._step = 0

    def reset_state(self) -> None:
        """Start over at the first execution."""
        self._step = 0

    def remember(self) -> int:
        """Give the number of executions so far."""
        return self._step

    def recall(self, memory: int) -> None:
        """Be at an earlier execution again."""
        self._step = memory


class PopImpl(_Counting):
    """Pop gives the slices of its input along the first dimension, one per execution."""

    def run(self, arrays: Arrays) -> tuple[NDArray[Any], ...]:
        """Give the next slice.

        Raises
        ------
        ShapeError
            When there is none left.
        """
        data = _need(self._operator, arrays, 0)
        if self._step >= len(data):
            raise ShapeError(
                explain(
                    self._operator.label,
                    "no slice is left",
                    expected=f"at most {len(data)} executions",
                    cure="An output holds one value at a time: what gives Pop several tensors in a "
                    "pass, such as another Pop, cannot be run. Merge the dimensions with a "
                    "Reshape, and take them apart with one Pop.",
                )
            )
        self._step += 1
        return (np.asarray(data[self._step - 1]),)

    def backward(self) -> None:
        """Add to the slice that was given."""
        tensor = self._operator.get_input(0)
        if tensor is not None:
            whole = np.zeros(tensor.shape, tensor.dtype.numpy)
            whole[self._step - 1] = output_grad(self._operator)
            tensor.add_grad(whole)


class StackImpl(_Counting):
    """Stack gathers its inputs, one per execution, along a new first dimension."""

    gathers = True

    def run(self, arrays: Arrays) -> tuple[NDArray[Any], ...]:
        """Write the next slice, and give the whole."""
        data = _need(self._operator, arrays, 0)
        output = self._operator.get_output(0)
        count = int(self._operator.attr.max_elements) or (
            output.dims[0] if not output.undefined and output.dims else self._step + 1
        )
        shape = (max(count, self._step + 1), *data.shape)
        if self._step and output.has_data and output.array.shape[1:] == data.shape:
            whole = np.resize(output.array, shape) if len(output) < shape[0] else output.array
        else:
            whole = np.zeros(shape, data.dtype)
        whole[self._step] = data
        self._step += 1
        return (whole,)

    def backward(self) -> None:
        """Pass the slice that was written."""
        tensor = self._operator.get_input(0)
        if tensor is not None:
            tensor.add_grad(output_grad(self._operator)[self._step - 1])


class MemorizeImpl(_Counting):
    """Memorize gives its initial value first, then what it took the time before."""

    def run(self, arrays: Arrays) -> tuple[NDArray[Any], ...]:
        """Give the value to hand on, on both outputs."""
        value = arrays[1] if self._step == 0 else _need(self._operator, arrays, 0)
        if value is None:
            output = self._operator.get_output(1)
            value = np.zeros(output.dims, output.dtype.numpy)
        self._step += 1
        return value, value

    def backward(self) -> None:
        """Pass to the initial value from the first execution, to what came back from others."""
        tensor = self._operator.get_input(1 if self._step == 1 else 0)
        if tensor is not None:
            both = (output_grad(self._operator, index) for index in (0, 1))
            tensor.add_grad(sum(both))


STATEFUL: dict[str, Callable[[Operator, str], OperatorImpl]] = {
    "Memorize": MemorizeImpl,
    "Pop": PopImpl,
    "Producer": ProducerImpl,
    "Stack": StackImpl,
}
