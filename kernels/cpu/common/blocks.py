"""Functions of several steps, applied to one block of elements after the other.

A block stays in the cache from the first step to the last, and what lies between the steps takes
the memory of one block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array

BLOCK = 65536
"""Elements of a block."""

Stepwise = Callable[..., None]
"""Takes a block of the data, where the result goes, which may be the same memory, and memory for
as many blocks as it needs besides."""


def cut(x: Array, out: Array, *spare: Array) -> Iterator[tuple[Array, ...]]:
    """Cut arrays of equal size, and of one dimension, into blocks; ``spare`` is used for each.

    Examples
    --------
    >>> parts = cut(np.zeros(70_000), np.zeros(70_000), np.zeros(BLOCK))
    >>> [[len(part) for part in each] for each in parts]
    [[65536, 65536, 65536], [4464, 4464, 4464]]
    """
    for start in range(0, x.size, BLOCK):
        part = slice(start, start + BLOCK)
        count = len(x[part])
        yield x[part], out[part], *(each[:count] for each in spare)


def by_blocks(function: Stepwise, x: Array, out: Array | None = None, *, spare: int = 1) -> Array:
    """Apply a function block by block; give the result, which is ``out`` where that is fit."""
    flat = x.reshape(-1)
    is_fit = out is not None and out.dtype == x.dtype and out.flags.c_contiguous
    result = out if out is not None and is_fit else np.empty(x.shape, x.dtype)
    blocks = [np.empty(min(BLOCK, flat.size), x.dtype) for _ in range(spare)]
    for parts in cut(flat, result.reshape(-1), *blocks):
        function(*parts)
    return result
