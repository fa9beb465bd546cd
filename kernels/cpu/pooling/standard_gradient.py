"""Gradients of what moves elements, spreads them, and multiplies them up along an axis."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, index, tap_slices
from aidge_nb.kernels.cpu.common.sliding import PaddedWindow, WindowOptions, without_padding
from aidge_nb.kernels.cpu.pooling.standard import max_pool, unpooled_sizes, window_sizes
from aidge_nb.kernels.gradients import Recorded, standard_gradient

Ints = tuple[int, ...]


@standard_gradient("MaxUnpool", inputs=(1,))
def max_unpool(run: Recorded, *, kernel_shape: Ints, pads: Ints = (), strides: Ints = ()) -> Array:
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
def max_pooling(run: Recorded, *, options: WindowOptions, ceil_mode: int = 0) -> Array:
    """Pass to the largest element of each window."""
    _, places = max_pool(run.x, options=options, ceil_mode=ceil_mode)
    result = np.zeros(run.x.size, run.dy.dtype)
    np.add.at(result, places.reshape(-1), run.dy.reshape(-1))
    return result.reshape(run.x.shape)
