"""Hold the bytes of a memory plan, and view its buffers as arrays.

Bytes that hold no value can be poisoned with 0xFF, which is NaN in every floating-point type and -1
in integers: a firing that reads them shows it in its result. A fence follows the arena; its bytes
must not change.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.tensor import Tensor
from aidge_nb.kernels.workspace import block_of

if TYPE_CHECKING:
    from aidge_nb.memory import Buffer

POISON = 0xFF
"""The byte that fills memory without a value."""

_FENCE = 64  # bytes after the arena
_FENCE_BYTE = 0x5C

Array = NDArray[Any]


class Arena:
    """The bytes of a plan.

    ``touched`` is the highest byte that was written, plus one.

    Examples
    --------
    >>> from aidge_nb.memory import Buffer
    >>> arena = Arena(16)
    >>> buffer = Buffer("a", "a", 0, 8, 0, 1, 4)
    >>> arena.store(buffer, np.array([1.0, 2.0], np.float32)).tolist()
    [1.0, 2.0]
    >>> arena.poison_all_but([]), arena.touched
    (16, 12)
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.touched = 0
        self._bytes = block_of(size + _FENCE)
        self._bytes[:size] = 0
        self._bytes[size:] = _FENCE_BYTE

    def poison_all_but(self, buffers: Iterable[Buffer]) -> int:
        """Fill all bytes outside of the given buffers; return how many these were."""
        kept = sorted(interval for buffer in buffers for interval in buffer.intervals)
        filled = start = 0
        for low, high in (*kept, (self.size, self.size)):
            if low > start:
                self._bytes[start:low] = POISON
                filled += low - start
            start = max(start, high)
        return filled

    def view(self, buffer: Buffer, tensor: Tensor) -> Array:
        """Return the array in a buffer, of the dims and type of a tensor.

        It is a view of the arena; of a buffer that wraps around it is a copy.
        """
        self._check(buffer, tensor.nbytes)
        dims, dtype = tensor.shape, tensor.dtype.numpy
        if buffer.wrapped_size:
            parts = [self._bytes[low:high] for low, high in buffer.intervals]
            return np.concatenate(parts).view(dtype).reshape(dims)
        if buffer.levels:
            strides = buffer.part.strides(dims, dtype.itemsize)
            if strides is None:
                raise MemoryPlanError.at(
                    f"buffer {buffer.name}",
                    "does not lie in memory as an array does",
                    expected=f"levels that an array of {list(dims)} has",
                    found=f"levels {list(buffer.levels)}",
                )
            return np.ndarray(dims, dtype, self._bytes, buffer.offset, strides)
        block = self._bytes[buffer.offset : buffer.offset + buffer.size].view(dtype)
        if buffer.rows:
            batch, channels, height, width = dims
            return block.reshape(batch, height, channels, width).transpose(0, 2, 1, 3)
        return block.reshape(dims)

    def store(self, buffer: Buffer, array: Array) -> Array:
        """Write an array to its buffer, and return its view there."""
        target = self.view(buffer, Tensor.of_dims(array.shape, array.dtype))
        self.touched = max(self.touched, buffer.end)
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
        """Tell whether an array lies in the arena."""
        return np.may_share_memory(self._bytes, array)

    def fence_stands(self) -> bool:
        """Tell whether the bytes after the arena are unchanged."""
        return bool((self._bytes[self.size :] == _FENCE_BYTE).all())

    def _check(self, buffer: Buffer, nbytes: int) -> None:
        where = f"buffer {buffer.name}"
        if nbytes != buffer.size:
            raise MemoryPlanError.at(
                where,
                "does not have the bytes of the tensor that belongs there",
                expected=f"{nbytes} bytes",
                found=f"{buffer.size} bytes",
                cure="Plan memory again after dimensions or types changed.",
            )
        if buffer.size and not 0 <= min(buffer.intervals)[0] <= buffer.end <= self.size:
            raise MemoryPlanError.at(
                where,
                "does not lie in the arena",
                expected=f"bytes 0 to {self.size}",
                found=f"bytes {min(buffer.intervals)[0]} to {buffer.end}",
            )
