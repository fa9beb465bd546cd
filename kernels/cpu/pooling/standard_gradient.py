"""Gradients of what moves elements, spreads them, and multiplies them up along an axis."""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.sliding import Sliding
from aidge_nb.kernels.cpu.common.sums import summed_to
from aidge_nb.kernels.cpu.common.windows import index
from aidge_nb.kernels.cpu.convolution.standard import Spreading
from aidge_nb.kernels.cpu.pooling.standard import unpooled_sizes
from aidge_nb.kernels.cpu.resampling.sampling import nearest_of_old
from aidge_nb.kernels.gradients import Recorded, standard_gradient
from aidge_nb.ops.rules import axis_of

Ints = tuple[int, ...]


@standard_gradient("PRelu", inputs=(0, 1), outputs=(0,))
def prelu(run: Recorded) -> tuple[Array, Array]:
    """Pass what is below 0 times the slope, and to the slope that times the element."""
    given, below = run.input(1), run.x < 0
    slope = given
    if given.ndim == 1 and run.x.ndim > 2 and len(given) == run.x.shape[1]:
        per_channel = given.reshape(-1, *[1] * (run.x.ndim - 2))  # before opset 7
        if np.array_equal(run.y, np.where(below, run.x * per_channel, run.x)):
            slope = per_channel
    to_slope = summed_to(np.where(below, run.dy * run.x, 0), slope.shape)
    return np.where(below, run.dy * slope, run.dy), to_slope.reshape(given.shape)


@standard_gradient("CumProd", inputs=(0, 1))
def cum_prod(run: Recorded, *, exclusive: int = 0, reverse: int = 0) -> Array:
    """Pass the products without the element itself, which may be 0."""
    axis = axis_of(int(run.input(1).reshape(-1)[0]), run.x.ndim)
    x, dy = (np.moveaxis(each, axis, -1) for each in (run.x, run.dy))
    if reverse:
        x, dy = x[..., ::-1], dy[..., ::-1]
    result = np.empty_like(dy)
    behind = 1 if exclusive else 0
    for place in range(x.shape[-1]):
        others = np.array(x)
        others[..., place] = 1
        products = np.cumprod(others, -1)[..., place : x.shape[-1] - behind]
        result[..., place] = (products * dy[..., place + behind :]).sum(-1)
    return np.ascontiguousarray(np.moveaxis(result[..., ::-1] if reverse else result, -1, axis))


@standard_gradient("Col2Im", inputs=(1, 2))
def col2im(run: Recorded, *, dilations: Ints = (), pads: Ints = (), strides: Ints = ()) -> Array:
    """Take the columns of windows from the image."""
    kernel = tuple(run.input(2).tolist())
    sliding = Sliding.of(run.dy.shape[2:], kernel, strides, dilations, pads)
    return np.array(sliding.views(run.dy)).reshape(run.x.shape)


@standard_gradient("ConvTranspose", inputs=(0, 1))
def conv_transpose(
    run: Recorded,
    *,
    auto_pad: str = "NOTSET",
    dilations: Ints = (),
    group: int = 1,
    output_padding: Ints = (),
    output_shape: Ints = (),
    pads: Ints = (),
    strides: Ints = (),
) -> tuple[Array | None, ...]:
    """Convolve what comes back, with what was cut off put back as zeros."""
    x, w, dy = run.x, run.input(1), run.dy
    spreading = Spreading.of(
        x.shape[2:], w.shape[2:], strides, dilations, pads, auto_pad, output_padding, output_shape
    )
    whole = np.zeros((*dy.shape[:2], *spreading.full), dy.dtype)
    kept = whole[index(..., *spreading.inside)]
    common = index(..., *map(slice, np.minimum(kept.shape, dy.shape)[2:]))
    kept[common] = dy[common]
    parts = np.empty((*dy.shape[:2], *spreading.kernel, *spreading.sizes), dy.dtype)
    for tap, place in spreading.taps():
        parts[index(slice(None), slice(None), *tap)] = whole[index(..., *place)]
    places = prod(spreading.sizes)
    data = x.reshape(len(x), group, -1, places)
    rows = w.reshape(group, -1, prod(w.shape[1:]))
    spread = parts.reshape(len(x), group, -1, places)
    return (
        (rows @ spread).reshape(x.shape),
        (data @ spread.swapaxes(-1, -2)).sum(0).reshape(w.shape),
        None if run.optional(2) is None else dy.sum((0, *range(2, dy.ndim))),
    )


@standard_gradient("Resize", inputs=(1,))
def resize(run: Recorded, *, mode: str = "nearest") -> Array:
    """Pass to the elements that were taken."""
    dy = run.dy
    for axis, indices in reversed(nearest_of_old(run.x.shape, run.input(1), mode)):
        shape = (run.x.shape[axis], *np.delete(dy.shape, axis))
        found = np.zeros(shape, dy.dtype)
        np.add.at(found, indices, np.moveaxis(dy, axis, 0))
        dy = np.ascontiguousarray(np.moveaxis(found, 0, axis))
    return dy if dy is not run.dy else dy.copy()


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


@standard_gradient("TensorScatter", inputs=(2,))
def tensor_scatter(run: Recorded, *, axis: int = -2, mode: str = "linear") -> tuple[Array, Array]:
    """Pass new entries to the update, and old ones to the cache."""
    to_past, shape = np.array(run.dy), run.input(1).shape
    to_update = np.empty(shape, run.dy.dtype)
    size, along = run.dy.shape[axis], axis % run.dy.ndim - 1
    places = run.optional(2)
    for sample, past in enumerate(to_past):
        first = 0 if places is None else int(places[sample])
        rows = np.arange(first, first + shape[along + 1]) % size
        entries = np.moveaxis(past, along, 0)
        np.moveaxis(to_update[sample], along, 0)[:] = entries[rows]
        entries[rows] = 0
    return to_past, to_update
