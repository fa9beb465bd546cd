"""One block of bytes in which a model runs: buffers of a memory plan as arrays of it.

Before each firing everything that holds no value is poisoned, so that whatever is read from where
nothing lies shows in the result: 0xFF bytes are NaN in every floating-point type and -1 as whole
numbers. Behind the end of the arena lies a fence that must not change.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import MemoryPlanError, explain
from aidge_nb.core.tensor import Tensor

if TYPE_CHECKING:
    from aidge_nb.memory import Buffer

POISON = 0xFF
"""The byte that fills whatever holds no value."""

FENCE = 64
"""Bytes behind the arena that nobody may write."""

_FENCE_BYTE = 0x5C

Array = NDArray[Any]


def array_at(buffer: Buffer, tensor: Tensor, memory: Array) -> Array:
    """Give the array that lies in a memory, in the levels of its buffer.

    Raises
    ------
    MemoryPlanError
        When no array of the dimensions of the tensor lies like that.
    """
    dims, dtype = tensor.shape, tensor.dtype.numpy
    if not buffer.levels:
        return memory[buffer.offset : buffer.offset + buffer.size].view(dtype).reshape(dims)
    strides = buffer.part.strides(dims, dtype.itemsize)
    if strides is None:
        raise MemoryPlanError(
            explain(
                f"buffer {buffer.name}",
                "does not lie in memory as an array does",
                expected=f"levels that an array of {list(dims)} has",
                found=f"levels {list(buffer.levels)}",
            )
        )
    return np.ndarray(dims, dtype, memory, buffer.offset, strides)


class Arena:
    """The bytes of a plan.

    Parameters
    ----------
    size
        Bytes.
    poison
        Whether bytes without a value are filled before each firing.

    Examples
    --------
    >>> from aidge_nb.memory import Buffer
    >>> from aidge_nb.core.tensor import Tensor
    >>> arena = Arena(16)
    >>> buffer = Buffer("a", "a", 0, 8, 0, 1, 4)
    >>> arena.store(buffer, np.array([1.0, 2.0], np.float32)).tolist()
    [1.0, 2.0]
    >>> arena.poison_all_but([]), arena.touched
    (16, 12)
    """

    def __init__(self, size: int, *, poison: bool = True) -> None:
        self.size = size
        self.touched = 0
        self._poison = poison
        self._bytes = np.full(size + FENCE, POISON if poison else 0, np.uint8)
        self._bytes[size:] = _FENCE_BYTE

    def poison_all_but(self, buffers: Iterable[Buffer]) -> int:
        """Fill all bytes but those of the given buffers; give how many these were."""
        if not self._poison:
            return 0
        kept = sorted(interval for buffer in buffers for interval in buffer.intervals)
        filled = start = 0
        for low, high in (*kept, (self.size, self.size)):
            if low > start:
                self._bytes[start:low] = POISON
                filled += low - start
            start = max(start, high)
        return filled

    def view(self, buffer: Buffer, tensor: Tensor) -> Array:
        """Give the array that a buffer holds.

        It is a view of the arena, unless the buffer wraps around: then a copy, for no array can.

        Raises
        ------
        MemoryPlanError
            When the buffer has other bytes than the tensor, or reaches beyond the arena.
        """
        self._check(buffer, tensor.nbytes)
        dims, dtype = tensor.shape, tensor.dtype.numpy
        if buffer.wrapped_size:
            parts = [self._bytes[low:high] for low, high in buffer.intervals]
            return np.concatenate(parts).view(dtype).reshape(dims)
        if buffer.rows:
            part = self._bytes[buffer.offset : buffer.offset + buffer.size].view(dtype)
            batch, channels, height, width = dims
            return part.reshape(batch, height, channels, width).transpose(0, 2, 1, 3)
        return array_at(buffer, tensor, self._bytes)

    def store(self, buffer: Buffer, array: Array) -> Array:
        """Write an array to its buffer, and give it as it lies there."""
        self._check(buffer, array.nbytes)
        self.touched = max(self.touched, buffer.end)
        target = self.view(buffer, Tensor.of_dims(array.shape, array.dtype))
        if not buffer.wrapped_size:
            np.copyto(target, array)
            return target
        flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        start = 0
        for low, high in buffer.intervals:
            self._bytes[low:high] = flat[start : start + high - low]
            start += high - low
        return array

    def owns(self, array: Array) -> bool:
        """Whether an array lies in the arena."""
        return np.may_share_memory(self._bytes, array)

    def fence_stands(self) -> bool:
        """Whether nobody wrote behind the end."""
        return bool((self._bytes[self.size :] == _FENCE_BYTE).all())

    def _check(self, buffer: Buffer, nbytes: int) -> None:
        where = f"buffer {buffer.name}"
        if nbytes != buffer.size:
            raise MemoryPlanError(
                explain(
                    where,
                    "does not have the bytes of the tensor that belongs there",
                    expected=f"{nbytes} bytes",
                    found=f"{buffer.size} bytes",
                    cure="Lay out memory again after dimensions or types changed.",
                )
            )
        if buffer.size and not 0 <= min(buffer.intervals)[0] <= buffer.end <= self.size:
            raise MemoryPlanError(
                explain(
                    where,
                    "does not lie in the arena",
                    expected=f"bytes 0 to {self.size}",
                    found=f"bytes {min(buffer.intervals)[0]} to {buffer.end}",
                )
            )
