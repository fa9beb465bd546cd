"""Pooling with any padding: what our operators leave out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aidge_nb.core.limits import need_room
from aidge_nb.kernels.cpu.common.arrays import Array, lowest
from aidge_nb.kernels.cpu.common.sliding import IntTuple, PaddedWindow, WindowOptions
from aidge_nb.kernels.standard import standard


@standard("LpPool", options=WindowOptions)
def lp_pool(x: Array, *, options: WindowOptions, p: int = 2, ceil_mode: int = 0) -> Array:
    """Return the p-norm of each window."""
    sliding = options.over(x.shape[2:], ceil_mode=ceil_mode)
    total = (np.abs(sliding.views(x)) ** p).sum(tuple(range(2, x.ndim)))
    return np.asarray(total ** (1 / p), x.dtype)


@standard("GlobalLpPool")
def global_lp_pool(x: Array, *, p: int = 2) -> Array:
    """Return the p-norm of each channel."""
    total = (np.abs(x) ** p).sum(tuple(range(2, x.ndim)), keepdims=True)
    return np.asarray(total ** (1 / p), x.dtype)


@standard("AveragePool", options=WindowOptions)
def average_pool(
    x: Array, *, options: WindowOptions, ceil_mode: int = 0, count_include_pad: int = 0
) -> Array:
    """Return the mean of each window, of what lies inside the data (or inside the padding)."""
    sliding = options.over(x.shape[2:], ceil_mode=ceil_mode)
    views = sliding.views(x.astype(np.result_type(x.dtype, np.float32)))
    total = views.sum(tuple(range(2, x.ndim)))
    return np.asarray(total / window_sizes(sliding, x.shape[2:], bool(count_include_pad)), x.dtype)


def window_sizes(sliding: PaddedWindow, sizes: IntTuple, count_include_pad: bool) -> Array:
    """Count the elements of each window: those in the data, or those in data and padding."""
    axes = tuple(range(2, 2 + len(sizes)))
    inside = np.ones((1, 1, *sizes), np.float32)
    if count_include_pad:
        rank = len(sizes)
        widths = [(0, 0), (0, 0), *zip(sliding.pads[:rank], sliding.pads[rank:], strict=True)]
        inside = np.pad(inside, widths, constant_values=1)
        sliding = replace(sliding, pads=(0,) * (2 * rank))
    return np.asarray(sliding.views(inside).sum(axes))


@standard("MaxPool", options=WindowOptions)
def max_pool(
    x: Array, *, options: WindowOptions, ceil_mode: int = 0, storage_order: int = 0
) -> tuple[Array, ...]:
    """Return the largest element of each window, and where it lies in the flattened data."""
    sliding = options.over(x.shape[2:], ceil_mode=ceil_mode)
    rank = x.ndim - 2
    views = sliding.views(x, lowest(x.dtype))
    flat = views.reshape(*x.shape[:2], -1, *sliding.counts)
    best = flat.argmax(2)
    if storage_order:
        order = np.arange(x.size).reshape(*x.shape[:2], *x.shape[:1:-1])
        places = order.transpose(0, 1, *range(rank + 1, 1, -1))
    else:
        places = np.arange(x.size).reshape(x.shape)
    where = sliding.views(places, -1).reshape(flat.shape)
    # an element of the data goes before padding, which is as small as data can be
    best = np.where(
        np.take_along_axis(where, best[:, :, None], 2)[:, :, 0] < 0, (where >= 0).argmax(2), best
    )
    return (
        np.take_along_axis(flat, best[:, :, None], 2)[:, :, 0],
        np.take_along_axis(where, best[:, :, None], 2)[:, :, 0].astype(np.int64),
    )


def unpooled_sizes(
    shape: IntTuple, kernel: IntTuple, strides: IntTuple, pads: IntTuple
) -> IntTuple:
    """Return the least dims of data that were pooled to these."""
    rank = len(kernel)
    strides, pads = strides or (1,) * rank, pads or (0,) * (2 * rank)
    return shape[:2] + tuple(
        (size - 1) * strides[axis] + kernel[axis] - pads[axis] - pads[rank + axis]
        for axis, size in enumerate(shape[2:])
    )


@standard("MaxUnpool", decided_by=(2,))
def max_unpool(
    x: Array,
    indices: Array,
    shape: Array | None,
    *,
    kernel_shape: IntTuple,
    pads: IntTuple = (),
    strides: IntTuple = (),
) -> Array:
    """Put elements back where the indices of MaxPool say; zeros elsewhere."""
    sizes = unpooled_sizes(x.shape, kernel_shape, strides, pads)
    need_room(sizes)
    small = np.zeros(sizes, x.dtype)
    small.reshape(-1)[indices.reshape(-1)] = x.reshape(-1)
    if shape is None:
        return small
    need_room(shape.tolist())
    wanted = np.zeros(tuple(shape.tolist()), x.dtype)
    common = tuple(map(slice, np.minimum(small.shape, wanted.shape)))
    wanted[common] = small[common]
    return wanted
