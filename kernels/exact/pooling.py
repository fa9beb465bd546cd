"""Pooling: tap after tap, each for all windows at once."""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, Ints, index, lowest, output_sizes, rounded
from aidge_nb.kernels.cpu.common.sliding import PaddedWindow
from aidge_nb.kernels.exact.convolution import tap_places
from aidge_nb.kernels.exact.functions.floats import F, float32, larger, largest, rows_along, summed
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import pooling as specs


@kernel(*specs.MAX_POOLINGS, backend="exact")
def max_pooling(
    x: Array,
    *,
    kernel_dims: Ints,
    stride_dims: Ints,
    dilations: Ints,
    ceil_mode: bool,
    storage_order: bool,
    optional_outputs: bool = True,
) -> tuple[Array, ...]:
    """Return the largest element of each window, and where it lies in the data."""
    window = window_of(x, kernel_dims, stride_dims, dilations, ceil_mode)
    best, places = maximal(x, window)
    if not optional_outputs:
        return (best,)
    return best, _flat_places(places, x.shape, storage_order)


def window_of(
    x: Array, kernel: Ints, strides: Ints, dilations: Ints, ceil_mode: bool, pads: Ints = ()
) -> PaddedWindow:
    """Return how a window slides over data; ``pads`` are missing elements before, then after."""
    rank = x.ndim - 2
    pads = tuple(pads) or (0,) * (2 * rank)
    padded = [size + pads[i] + pads[rank + i] for i, size in enumerate(x.shape[2:])]
    counts = output_sizes(padded, kernel, strides, dilations, ceil=ceil_mode)
    return PaddedWindow(tuple(kernel), tuple(strides), tuple(dilations), pads, counts)


def maximal(x: Array, window: PaddedWindow) -> tuple[Array, Array]:
    """Return the largest of each window, and its place among the spatial elements.

    Missing elements are never the largest. Of equal ones the first is taken, of NaN too.
    """
    sizes = x.shape[2:]
    best = np.full((*x.shape[:2], *window.counts), lowest(x.dtype), x.dtype)
    chosen = np.full(best.shape, -1, np.int64)
    own = np.arange(prod(sizes)).reshape(sizes)
    for _, where, data in tap_places(window, sizes, window.pads):
        value, place = x[index(..., *data)], own[index(*data)]
        here, at = best[index(..., *where)], chosen[index(..., *where)]
        is_new = (at < 0) | (here < value) | ((value != value) & (here == here))
        at[...] = np.where(is_new, place, at)
        here[...] = larger(here, value)
    return best, chosen


def _flat_places(places: Array, shape: tuple[int, ...], column_major: bool) -> Array:
    """Turn places in a channel into places in the whole, counted by rows or by columns."""
    sizes = shape[2:]
    if column_major:
        coordinates = np.unravel_index(np.maximum(places, 0), sizes)
        found = np.ravel_multi_index(coordinates[::-1], sizes[::-1])
        places = np.where(places < 0, places, found)
    channels = np.arange(prod(shape[:2])) * prod(sizes)
    return np.asarray(places + channels.reshape(*shape[:2], *(1 for _ in sizes)), np.int64)


@kernel(*specs.AVG_POOLINGS, backend="exact")
def avg_pooling(
    x: Array,
    *,
    kernel_dims: Ints,
    stride_dims: Ints,
    dilations: Ints,
    ceil_mode: bool,
    rounding_mode: str,
    ignore_pads: Ints,
) -> Array:
    """Return the mean of each window, without what lies in the padding or beyond the data."""
    window = window_of(x, kernel_dims, stride_dims, dilations, ceil_mode)
    return averaged(x, window, rounding_mode, ignore_pads)


def averaged(x: Array, window: PaddedWindow, rounding_mode: str, ignored: Ints) -> Array:
    """Return the mean of each window.

    Missing elements count as zeros; what ``ignored`` names of the padded data, before each spatial
    dimension and then after, does not count.
    """
    sizes, rank, pads = x.shape[2:], x.ndim - 2, window.pads
    ignored = tuple(ignored) or (0,) * (2 * rank)
    total = np.zeros((*x.shape[:2], *window.counts), F if x.dtype.kind == "f" else np.int64)
    low = [max(0, ignored[i] - pads[i]) for i in range(rank)]
    high = [min(size, size + pads[rank + i] - ignored[rank + i]) for i, size in enumerate(sizes)]
    seen = (float32(x) if x.dtype.kind == "f" else x)[index(..., *map(slice, low, high))]
    before = [pads[i] + low[i] for i in range(rank)]
    for _, where, data in tap_places(window, seen.shape[2:], before):
        target = total[index(..., *where)]
        target += seen[index(..., *data)]
    number = _counted(sizes, window, ignored)
    if total.dtype == F:
        return np.asarray(total / number.astype(F))
    return rounded(total / number, rounding_mode).astype(x.dtype)


def _counted(sizes: Ints, window: PaddedWindow, ignored: Ints) -> Array:
    """Count the taps of each window that are not ignored; 1 at least."""
    rank, pads = len(sizes), window.pads
    wide = [
        size + pads[i] + pads[rank + i] - ignored[i] - ignored[rank + i]
        for i, size in enumerate(sizes)
    ]
    number = np.zeros(window.counts, np.int64)
    for _, where, _ in tap_places(window, wide, ignored):
        number[where] += 1
    return np.maximum(number, 1)


@kernel(specs.GLOBAL_AVERAGE_POOLING, backend="exact")
def global_average_pooling(x: Array, *, rounding_mode: str) -> Array:
    """Return the mean of each channel."""
    dims = (*x.shape[:2], *(1 for _ in x.shape[2:]))
    rows = rows_along(x, tuple(range(2, x.ndim)))
    if x.dtype.kind != "f":
        mean = rounded(rows.sum(axis=-1, dtype=np.int64) / rows.shape[-1], rounding_mode)
        return mean.astype(x.dtype).reshape(dims)
    return np.asarray(summed(float32(rows)) / F(rows.shape[-1])).reshape(dims)


@kernel(specs.GLOBAL_MAX_POOLING, backend="exact")
def global_max_pooling(x: Array) -> Array:
    """Return the largest element of each channel."""
    rows = rows_along(x, tuple(range(2, x.ndim)))
    return largest(rows, lowest(x.dtype)).reshape(*x.shape[:2], *(1 for _ in x.shape[2:]))
