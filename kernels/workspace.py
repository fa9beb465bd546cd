"""Memory that kernels compute in, one after the other."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

ALIGNMENT = 64
"""Bytes of a line of the caches, at which what is long should begin."""


def block_of(size: int) -> NDArray[np.uint8]:
    """Make a block of bytes that begins at a line of the caches.

    Examples
    --------
    >>> block = block_of(100)
    >>> block.nbytes, block.ctypes.data % ALIGNMENT
    (100, 0)
    """
    raw = np.empty(size + ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % ALIGNMENT
    return raw[start : start + size]


class Workspace:
    """A block of bytes that is handed out from the start to one kernel after the other.

    What does not fit is new memory, so that a workspace without bytes of its own gives new arrays
    and finds out how many bytes are needed.

    Parameters
    ----------
    size
        Bytes of the block.

    Attributes
    ----------
    needed
        Bytes that the kernel which took most of all took.

    Examples
    --------
    >>> measured = Workspace()
    >>> measured.array((2, 3), np.float32).shape, measured.needed
    ((2, 3), 64)
    >>> block = Workspace(measured.needed)
    >>> first = block.array((2, 3), np.float32)
    >>> block.restart()
    >>> np.shares_memory(first, block.array((16,), np.float32))
    True
    """

    def __init__(self, size: int = 0) -> None:
        self._block = block_of(size)
        self._taken = 0
        self.needed = 0

    @property
    def size(self) -> int:
        """Bytes of the block."""
        return self._block.nbytes

    def restart(self) -> None:
        """Begin at the start again, for the next kernel."""
        self._taken = 0

    def array(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Hand out an array; it holds anything."""
        nbytes = prod(shape) * np.dtype(dtype).itemsize
        start = self._taken
        self._taken += -(-nbytes // ALIGNMENT) * ALIGNMENT
        self.needed = max(self.needed, self._taken)
        if self._taken > self.size:
            return np.empty(shape, dtype)
        return self._block[start : start + nbytes].view(dtype).reshape(shape)
