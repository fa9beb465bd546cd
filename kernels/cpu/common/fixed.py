"""Fixed steps of operators that work element by element, block after block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.blocks import BLOCK, Stepwise, cut
from aidge_nb.kernels.fixed import Bound, Step, in_order

_SINGLE = (np.dtype(np.float32), np.dtype(np.float64))


def is_plain(bound: Bound) -> bool:
    """Return whether data and result are of one type, float32 or float64, and lie in one piece."""
    x, out = bound.input(), bound.out
    same = x.dtype == out.dtype and x.shape == out.shape
    return same and x.dtype in _SINGLE and x.flags.c_contiguous and out.flags.c_contiguous


def in_blocks(bound: Bound, function: Stepwise, spare: int) -> Step | None:
    """Prepare all blocks."""
    if not is_plain(bound):
        return None
    x, out = bound.input().reshape(-1), bound.out.reshape(-1)
    blocks = (bound.workspace.array((min(BLOCK, x.size),), x.dtype) for _ in range(spare))
    steps = [partial(function, *parts) for parts in cut(x, out, *blocks)]
    return in_order(steps)


def copies(pairs: Sequence[tuple[Array, Array]]) -> Step:
    """Copy each second array to the first one, unless they are the same memory."""
    steps: list[Callable[[], object]] = [
        partial(np.copyto, target, source)
        for target, source in pairs
        if target.size and not _is_same(target, source)
    ]
    return in_order(steps)


def _is_same(one: Array, two: Array) -> bool:
    """Return whether two arrays are the same elements in the same memory."""
    is_there = one.__array_interface__["data"][0] == two.__array_interface__["data"][0]
    if not is_there or one.shape != two.shape or one.dtype != two.dtype:
        return False
    steps = zip(one.shape, one.strides, two.strides, strict=True)
    return all(step == other for size, step, other in steps if size > 1)
