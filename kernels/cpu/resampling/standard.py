"""Reading images between their pixels: grids, deformed windows; and columns to images."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.limits import need_room
from aidge_nb.kernels.cpu.common.arrays import Array, index, tap_slices
from aidge_nb.kernels.cpu.common.sliding import (
    IntTuple,
    PaddedWindow,
    WindowOptions,
    without_padding,
)
from aidge_nb.kernels.cpu.resampling.forward import into_channels
from aidge_nb.kernels.standard import standard
from aidge_nb.ops.resampling import resized


def grid_places(grid: Array, sizes: Sequence[int], align_corners: bool) -> Array:
    """Turn places of a grid, from -1 to 1 and last axis first, into pixels."""
    places = grid[..., ::-1].astype(np.float64)
    size: Array = np.array(sizes, places.dtype)
    if align_corners:
        return np.asarray((places + 1) / 2 * (size - 1))
    return np.asarray(((places + 1) * size - 1) / 2)


def reflected(places: Array, low: float, high: float) -> Array:
    """Mirror what lies outside at the borders, as often as it takes."""
    span = high - low
    if span <= 0:
        return np.zeros_like(places)
    offset = np.abs(places - low)
    turns, rest = np.floor(offset / span), np.mod(offset, span)
    return np.where(turns % 2 == 0, rest + low, high - rest)


def located(
    places: Array, dims: Sequence[int], padding: str, align: bool
) -> tuple[tuple[Array, ...], Array]:
    """Return the indices of whole places ([*out, rank]), and which of them are not padding."""
    sizes = np.array(dims)
    inside: Array = np.ones(places.shape[:-1], bool)
    if padding == "zeros":
        inside = np.asarray(((places >= 0) & (places < sizes)).all(-1))
    elif padding == "reflection":
        low = np.zeros(len(sizes)) if align else np.full(len(sizes), -0.5)
        high = sizes - 1 if align else sizes - 0.5
        places = np.stack(
            [reflected(places[..., i], low[i], high[i]) for i in range(len(sizes))], -1
        )
    clipped = np.clip(places, 0, sizes - 1).astype(np.int64)
    return tuple(np.moveaxis(clipped, -1, 0)), inside


def _pixels(x: Array, places: Array, padding: str, align: bool) -> Array:
    """Read ``x`` ([C, *sizes]) at whole places ([*out, rank]); padding applies outside."""
    indices, inside = located(places, x.shape[1:], padding, align)
    return np.asarray(x[index(slice(None), *indices)] * inside)


CUBIC = -0.75


def cubic_weights(rest: Array) -> Array:
    """Return the weights of four neighbours, by Keys' cubic with a = -0.75."""
    a = CUBIC
    distance = np.stack([1 + rest, rest, 1 - rest, 2 - rest], -1)
    near = (a + 2) * distance**3 - (a + 3) * distance**2 + 1
    far = a * distance**3 - 5 * a * distance**2 + 8 * a * distance - 4 * a
    return np.where(distance <= 1, near, far)


@standard("GridSample")
def grid_sample(
    x: Array,
    grid: Array,
    *,
    mode: str = "linear",
    padding_mode: str = "zeros",
    align_corners: int = 0,
) -> Array:
    """Read an image at the places that a grid gives, last coordinate first."""
    align = bool(align_corners)
    results = []
    for image, wanted in zip(x, grid, strict=True):
        sizes = image.shape[1:]
        places = grid_places(wanted, sizes, align)
        places = _folded(places, sizes, padding_mode, align, mode)
        results.append(_interpolated(image, places, mode, padding_mode, align))
    return np.stack(results).astype(x.dtype)


def _folded(places: Array, sizes: Sequence[int], padding: str, align: bool, mode: str) -> Array:
    """Bring places into the image before the neighbours are taken, except for cubics."""
    if mode in ("cubic", "bicubic") or padding == "zeros":
        return places
    if padding == "reflection":
        bounds = [(0.0, size - 1.0) if align else (-0.5, size - 0.5) for size in sizes]
        places = np.stack([reflected(places[..., i], *bound) for i, bound in enumerate(bounds)], -1)
    return np.clip(places, 0, np.array(sizes) - 1)


def surrounding(places: Array, mode: str) -> tuple[Array, tuple[int, ...], Array]:
    """Return whole places, the offsets of neighbours from them, and their weights.

    Weights are ``[*out, rank, neighbours of one axis]``.
    """
    base = np.floor(places)
    rest = places - base
    if mode in ("linear", "bilinear"):
        return base, (0, 1), np.stack([1 - rest, rest], -1)
    if mode in ("cubic", "bicubic"):
        return base, (-1, 0, 1, 2), cubic_weights(rest)
    raise ShapeError.at("", "unknown mode", expected="nearest, linear, cubic", found=mode)


def _interpolated(image: Array, places: Array, mode: str, padding: str, align: bool) -> Array:
    if mode == "nearest":
        return _pixels(image, np.rint(places), padding, align)
    rank = places.shape[-1]
    need_room((image.shape[0], *places.shape[:-1]))
    base, offsets, weights = surrounding(places, mode)
    total: Array = np.zeros((image.shape[0], *places.shape[:-1]))
    for choice in product(range(len(offsets)), repeat=rank):
        shift = np.array([offsets[i] for i in choice])
        weight = np.prod([weights[..., axis, i] for axis, i in enumerate(choice)], axis=0)
        total = total + _pixels(image, base + shift, padding, align) * weight
    return total


@standard("DeformConv")
def deform_conv(
    x: Array,
    w: Array,
    offset: Array,
    bias: Array | None,
    mask: Array | None,
    *,
    dilations: IntTuple = (),
    group: int = 1,
    kernel_shape: IntTuple = (),
    offset_group: int = 1,
    pads: IntTuple = (),
    strides: IntTuple = (),
) -> Array:
    """Convolve with a window whose taps are moved, each by its own offset at each place."""
    options = WindowOptions(dilations=dilations, pads=pads, strides=strides)
    sliding = options.over(x.shape[2:], w.shape[2:])
    columns = moved_columns(x, moved_places(offset, sliding, offset_group))
    if mask is not None:
        columns = columns * mask.reshape(*columns.shape[:2], 1, *columns.shape[3:])
    rank = len(sliding.kernel)
    rows = w.reshape(group, w.shape[0] // group, -1)
    inner = (len(x), group, rows.shape[2], int(np.prod(sliding.counts)))
    result = rows @ columns.reshape(inner)
    result = result.reshape(len(x), w.shape[0], *sliding.counts)
    if bias is not None:
        result = result + bias.reshape(-1, *[1] * rank)
    return result.astype(x.dtype)


def moved_places(offset: Array, sliding: PaddedWindow, offset_group: int) -> Array:
    """Return what taps read: ``[N, offset groups, taps, *counts, rank]``, in pixels."""
    rank = len(sliding.kernel)
    steps = np.array(list(product(*map(range, sliding.kernel)))) * np.array(sliding.dilations)
    sides = zip(sliding.counts, sliding.strides, sliding.pads, strict=False)
    corners = np.meshgrid(
        *[np.arange(count) * stride - pad for count, stride, pad in sides], indexing="ij"
    )
    moved = offset.reshape(len(offset), offset_group, len(steps), rank, *sliding.counts)
    places = np.stack(corners) + steps.reshape(*steps.shape, *[1] * rank) + moved
    return np.moveaxis(places, 3, -1)


def moved_columns(x: Array, places: Array) -> Array:
    """Read what taps see: ``[N, offset groups, channels of one, taps, *counts]``."""
    groups = places.shape[1]
    parts = x.reshape(len(x), groups, x.shape[1] // groups, *x.shape[2:])
    columns = np.empty((*parts.shape[:3], *places.shape[2:-1]))
    for n, g, tap in np.ndindex(places.shape[:3]):
        seen = _interpolated(parts[n, g], places[n, g, tap], "linear", "zeros", True)
        columns[n, g, :, tap] = seen
    return columns


@standard("Col2Im", decided_by=(1, 2))
def col2im(
    columns: Array,
    image_shape: Array,
    block_shape: Array,
    *,
    dilations: IntTuple = (),
    pads: IntTuple = (),
    strides: IntTuple = (),
) -> Array:
    """Add the columns of windows up to the image that they were taken from."""
    sizes, kernel = tuple(image_shape.tolist()), tuple(block_shape.tolist())
    sliding = WindowOptions(dilations=dilations, pads=pads, strides=strides).over(sizes, kernel)
    rank = len(kernel)
    padded = [s + sliding.pads[i] + sliding.pads[rank + i] for i, s in enumerate(sizes)]
    channels = columns.shape[1] // int(np.prod(kernel))
    parts = columns.reshape(len(columns), channels, *kernel, *sliding.counts)
    need_room((len(columns), channels, *padded))
    image = np.zeros((len(columns), channels, *padded), columns.dtype)
    for tap, place in tap_slices(kernel, sliding.counts, sliding.strides, sliding.dilations):
        image[index(..., *place)] += parts[index(slice(None), slice(None), *tap)]
    return without_padding(image, sliding, sizes)


def nearest_of_old(dims: IntTuple, scales: Array, mode: str) -> list[tuple[int, Array]]:
    """Return which elements of each axis version 10 of Resize takes for the nearest.

    It is the one in front where the data grow, and the next one where they shrink: the standard
    does not say, and ONNX Runtime does so. Raise ShapeError for another mode: that is not done
    here.
    """
    if mode != "nearest":
        raise ShapeError.at("", "another mode", expected="nearest", found=mode)
    found = []
    for axis, (size, scale) in enumerate(resized(dims, scales.tolist(), [])):
        if size != dims[axis] or scale != 1:
            places = np.arange(size, dtype=np.float32) / np.float32(scale)
            nearest = np.ceil(places) if scale < 1 else np.floor(places)
            found.append((axis, np.clip(nearest.astype(int), 0, dims[axis] - 1)))
    return found


@standard("Resize", decided_by=(1,))
def resize(x: Array, scales: Array, *, mode: str = "nearest") -> Array:
    """Take the nearest elements as version 10 does."""
    result = x
    for axis, indices in nearest_of_old(x.shape, scales, mode):
        result = result.take(indices, axis)
    return result if result is not x else x.copy()


@standard("SpaceToDepth")
def space_to_depth(x: Array, *, blocksize: int, mode: str = "DCR") -> Array:
    """Move blocks of space into channels, blocks first (DCR) or channels first (CRD)."""
    return into_channels(x, blocksize, mode)
