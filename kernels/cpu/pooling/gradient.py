"""Gradients of pooling: back to the windows, of which the largest element or all get a share."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, Ints, axis_taps, index, tap_slices
from aidge_nb.kernels.cpu.common.sliding import (
    IntTuple,
    PaddedWindow,
    WindowOptions,
    without_padding,
)
from aidge_nb.kernels.cpu.pooling.forward import along, places_inside
from aidge_nb.kernels.cpu.pooling.standard import max_pool, unpooled_sizes, window_sizes
from aidge_nb.kernels.gradients import Recorded, gradient, standard_gradient
from aidge_nb.ops import pooling as specs


@gradient(*specs.MAX_POOLINGS, inputs=(0,), outputs=(0,))
def max_pooling(run: Recorded, *, kernel_dims: Ints, stride_dims: Ints, dilations: Ints) -> Array:
    """Pass to the first largest element of each window."""
    sizes, counts = run.x.shape[2:], run.y.shape[2:]
    every = zip(sizes, kernel_dims, counts, stride_dims, dilations, strict=True)
    places = [axis_taps(*each) for each in every]
    result = np.zeros(run.x.shape, run.dy.dtype)
    left = np.ones(run.y.shape, bool)
    for taps in product(*places):
        window = index(..., *(window for _, window, _ in taps))
        data = index(..., *(data for _, _, data in taps))
        chosen = left[window] & (run.x[data] == run.y[window])
        left[window] &= ~chosen
        result[data] += np.where(chosen, run.dy[window], 0)
    return result


@gradient(*specs.AVG_POOLINGS)
def avg_pooling(
    run: Recorded, *, kernel_dims: Ints, stride_dims: Ints, dilations: Ints, ignore_pads: Ints
) -> Array:
    """Pass equal shares to the elements of each window, but for those in the padding."""
    sizes, counts = run.x.shape[2:], run.dy.shape[2:]
    rank = len(sizes)
    pads = tuple(ignore_pads) or (0,) * (2 * rank)
    result = run.dy
    steps = (kernel_dims, counts, stride_dims, dilations)
    for i, places in enumerate(places_inside(sizes, pads, steps)):
        axis = i + 2
        number = np.zeros(counts[i], run.dy.dtype)
        for _, window, _ in places:
            number[window] += 1
        share = result / np.maximum(number, 1).reshape(-1, *(1 for _ in range(rank - 1 - i)))
        result = np.zeros((*share.shape[:axis], sizes[i], *share.shape[axis + 1 :]), share.dtype)
        for _, window, data in places:
            result[along(axis, data)] += share[along(axis, window)]
    return result


@gradient(specs.GLOBAL_AVERAGE_POOLING)
def global_average_pooling(run: Recorded) -> Array:
    """Pass equal shares to all elements of a channel."""
    share = run.dy / max(1, prod(run.x.shape[2:]))
    return np.broadcast_to(share, run.x.shape).copy()


@gradient(specs.GLOBAL_MAX_POOLING, inputs=(0,))
def global_max_pooling(run: Recorded) -> Array:
    """Pass to the first largest element of a channel."""
    flat = run.x.reshape(*run.x.shape[:2], prod(run.x.shape[2:]))
    result = np.zeros(flat.shape, run.dy.dtype)
    if flat.size:
        first = flat.argmax(axis=-1)[..., None]
        np.put_along_axis(result, first, run.dy.reshape(first.shape), -1)
    return result.reshape(run.x.shape)


# --- ONNX operators without a declaration ---------------------------------------------------------


@standard_gradient("MaxUnpool", inputs=(1,))
def max_unpool(
    run: Recorded, *, kernel_shape: IntTuple, pads: IntTuple = (), strides: IntTuple = ()
) -> Array:
    """Take the elements from where they were put; of several at one place the last is seen."""
    natural = np.zeros(unpooled_sizes(run.x.shape, kernel_shape, strides, pads), run.dy.dtype)
    common = tuple(map(slice, np.minimum(natural.shape, run.dy.shape)))
    natural[common] = run.dy[common]
    places, numbers = run.input(1).reshape(-1), np.arange(run.x.size)
    seen = np.zeros(natural.size, int)
    seen[places] = numbers
    taken = np.where(seen[places] == numbers, natural.reshape(-1)[places], 0)
    return taken.reshape(run.x.shape)


def _spread(shares: Array, sliding: PaddedWindow, shape: tuple[int, ...]) -> Array:
    """Add the share of each window to all of its elements that are data."""
    padded = np.zeros(sliding.padded(np.zeros(shape, np.int8), 0).shape, shares.dtype)
    for _, places in tap_slices(sliding.kernel, sliding.counts, sliding.strides, sliding.dilations):
        padded[index(..., *places)] += shares
    return without_padding(padded, sliding, shape[2:])


@standard_gradient("AveragePool", options=WindowOptions)
def average_pool(
    run: Recorded, *, options: WindowOptions, ceil_mode: int = 0, count_include_pad: int = 0
) -> Array:
    """Pass equal shares to the elements of each window."""
    sizes = run.x.shape[2:]
    sliding = options.over(sizes, ceil_mode=ceil_mode)
    count = window_sizes(sliding, sizes, bool(count_include_pad))
    return _spread(np.asarray(run.dy / count), sliding, run.x.shape)


@standard_gradient("LpPool", inputs=(0,), outputs=(0,), options=WindowOptions)
def lp_pool(run: Recorded, *, options: WindowOptions, p: int = 2, ceil_mode: int = 0) -> Array:
    """Pass sign(x) (abs(x) / y)^(p-1) to the elements of each window."""
    sliding = options.over(run.x.shape[2:], ceil_mode=ceil_mode)
    shares = _spread(_over_norm(run, p), sliding, run.x.shape)
    return np.asarray(shares * np.sign(run.x) * np.abs(run.x) ** (p - 1))


@standard_gradient("GlobalLpPool", inputs=(0,), outputs=(0,))
def global_lp_pool(run: Recorded, *, p: int = 2) -> Array:
    """Pass sign(x) (abs(x) / y)^(p-1) to the elements of each channel."""
    return np.asarray(_over_norm(run, p) * np.sign(run.x) * np.abs(run.x) ** (p - 1))


def _over_norm(run: Recorded, p: int) -> Array:
    safe = np.where(run.y == 0, 1, run.y)
    return np.where(run.y == 0, 0, run.dy * safe ** (1 - p))


@standard_gradient("MaxPool", inputs=(0,), options=WindowOptions)
def onnx_max_pooling(run: Recorded, *, options: WindowOptions, ceil_mode: int = 0) -> Array:
    """Pass to the largest element of each window."""
    _, places = max_pool(run.x, options=options, ceil_mode=ceil_mode)
    result = np.zeros(run.x.size, run.dy.dtype)
    np.add.at(result, places.reshape(-1), run.dy.reshape(-1))
    return result.reshape(run.x.shape)
