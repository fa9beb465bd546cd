"""Gradients of operators that trade resolution against channels, and of Resize.

All of them are linear: what an element gave to others, it gets back from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product, repeat

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, Ints, given_back, index, optional
from aidge_nb.kernels.cpu.common.sliding import IntTuple, WindowOptions
from aidge_nb.kernels.cpu.resampling import forward
from aidge_nb.kernels.cpu.resampling.forward import (
    Resampled,
    ResizeOptions,
    depth_to_space,
    into_channels,
    resampled_axes,
)
from aidge_nb.kernels.cpu.resampling.standard import (
    CUBIC,
    grid_places,
    located,
    nearest_of_old,
    reflected,
    surrounding,
)
from aidge_nb.kernels.gradients import Recorded, gradient, standard_gradient
from aidge_nb.ops import resampling as specs


@gradient(specs.DEPTH_TO_SPACE)
def depth_to_space_(run: Recorded, *, block_size: int, mode: str) -> Array:
    """Move blocks back into channels."""
    return into_channels(run.dy, int(block_size), mode)


@gradient(specs.SPACE_TO_DEPTH)
def space_to_depth_(run: Recorded, *, block_size: int) -> Array:
    """Move channels back into blocks."""
    return depth_to_space(run.dy, block_size=block_size, mode="DCR")


@gradient(specs.UNFOLD)
def unfold(run: Recorded, *, stride_dims: Ints, dilation_dims: Ints, kernel_dims: Ints) -> Array:
    """Add the columns to the windows that they were taken from."""
    return forward.fold(
        run.dy,
        output_dims=run.x.shape[2:],
        stride_dims=stride_dims,
        dilation_dims=dilation_dims,
        kernel_dims=kernel_dims,
    )


@gradient(specs.FOLD)
def fold(
    run: Recorded, *, output_dims: Ints, stride_dims: Ints, dilation_dims: Ints, kernel_dims: Ints
) -> Array:
    """Take the windows that the columns were added to."""
    return forward.unfold(
        run.dy, stride_dims=stride_dims, dilation_dims=dilation_dims, kernel_dims=kernel_dims
    )


@gradient(specs.RESIZE, inputs=(1, 2, 3), options=ResizeOptions)
def resize(run: Recorded, *, options: ResizeOptions) -> Array:
    """Add to each element what it gave, weighted alike, the last axis first."""
    options = replace(
        options,
        roi=optional(run.optional(1), options.roi),
        scales=optional(run.optional(2), options.scales),
        sizes=optional(run.optional(3), options.sizes),
    )
    result = run.dy
    for each in reversed(resampled_axes(run.x.shape, options)):
        result = _gathered(result, each, run.x.shape[each.axis])
    return result


def _gathered(dy: Array, how: Resampled, size: int) -> Array:
    """Take one axis back."""
    behind = (1,) * (dy.ndim - 1)
    moved = np.moveaxis(dy, how.axis, 0)
    if how.outside is not None:
        moved = np.where(how.outside.reshape(-1, *behind), 0, moved)
    result = np.zeros((size, *moved.shape[1:]), dy.dtype)
    for tap, places in enumerate(how.indices):
        part = moved
        if how.weights is not None:
            part = moved * how.weights[tap].astype(dy.dtype).reshape(-1, *behind)
        np.add.at(result, places, part)
    return np.ascontiguousarray(np.moveaxis(result, 0, how.axis))


# --- ONNX operators without a declaration ---------------------------------------------------------


def _cubic_slopes(rest: Array) -> Array:
    """Return the derivatives of the cubic weights of four neighbours."""
    a = CUBIC
    distance = np.stack([1 + rest, rest, 1 - rest, 2 - rest], -1)
    near = 3 * (a + 2) * distance**2 - 2 * (a + 3) * distance
    far = 3 * a * distance**2 - 10 * a * distance + 8 * a
    return np.asarray(np.where(distance <= 1, near, far) * np.array([1, 1, -1, -1]))


def _weighted(places: Array, mode: str) -> tuple[Array, tuple[int, ...], Array, Array]:
    """Return whole places, the offsets of neighbours from them, their weights, and slopes of these.

    Weights and slopes are ``[*out, rank, neighbours of one axis]``.
    """
    if mode == "nearest":
        weight = np.ones((*places.shape, 1))
        return np.rint(places), (0,), weight, np.zeros_like(weight)
    base, offsets, weights = surrounding(places, mode)
    if len(offsets) > 2:
        return base, offsets, weights, _cubic_slopes(places - base)
    return base, offsets, weights, np.broadcast_to(np.array([-1.0, 1.0]), weights.shape)


def read_back(
    image: Array,
    places: Array,
    shares: Iterable[Array],
    mode: str,
    padding: str,
    align: bool,
) -> tuple[Array, Array]:
    """Return the gradients of an image ([C, *sizes]) and of the places where it was read.

    ``shares`` are gradients ([C, *out]) of what was read, neighbour by neighbour.
    """
    base, offsets, weights, slopes = _weighted(places, mode)
    rank = places.shape[-1]
    to_image, to_places = np.zeros(image.shape), np.zeros(places.shape)
    for choice, share in zip(product(range(len(offsets)), repeat=rank), shares, strict=False):
        shift = np.array([offsets[i] for i in choice])
        indices, inside = located(base + shift, image.shape[1:], padding, align)
        where = index(slice(None), *indices)
        factors = [weights[..., axis, i] for axis, i in enumerate(choice)]
        np.add.at(to_image, where, share * inside * np.prod(factors, axis=0))
        seen = (share * image[where]).sum(0) * inside
        for axis, i in enumerate(choice):
            others = [*factors[:axis], slopes[..., axis, i], *factors[axis + 1 :]]
            to_places[..., axis] += seen * np.prod(others, axis=0)
    return to_image, to_places


def _folded(places: Array, sizes: Sequence[int], padding: str, align: bool) -> tuple[Array, Array]:
    """Bring places into the image, and say how far they go when the given ones go one on."""
    slope = np.ones(places.shape)
    last = np.array(sizes) - 1
    if padding == "reflection":
        low, high = (0.0, 0.0) if align else (-0.5, 0.5)
        sides = []
        for axis, size in enumerate(last):
            here, span = places[..., axis], size + high - low
            turns = np.floor(np.abs(here - low) / span) if span > 0 else np.zeros(here.shape)
            there = np.where(turns % 2 == 0, 1.0, -1.0) * np.where(here < low, -1.0, 1.0)
            slope[..., axis] = there if span > 0 else 0.0
            sides.append(reflected(here, low, size + high))
        places = np.stack(sides, -1)
    return np.clip(places, 0, last), slope * ((places >= 0) & (places <= last))


@standard_gradient("GridSample", inputs=(0, 1))
def grid_sample(
    run: Recorded,
    *,
    mode: str = "linear",
    padding_mode: str = "zeros",
    align_corners: int = 0,
) -> tuple[Array, Array]:
    """Pass to the pixels around each place, and to the place by how they differ."""
    align, sizes = bool(align_corners), run.x.shape[2:]
    as_given = mode in ("cubic", "bicubic") or padding_mode == "zeros"
    to_images, to_grids = [], []
    for image, grid, dy in zip(run.x, run.input(1), run.dy, strict=True):
        places, slope = grid_places(grid, sizes, align), np.ones(grid.shape)
        if not as_given:
            places, slope = _folded(places, sizes, padding_mode, align)
        to_image, to_places = read_back(image, places, repeat(dy), mode, padding_mode, align)
        pixels = (np.array(sizes) - align) / 2
        to_images.append(to_image)
        to_grids.append((to_places * slope * pixels)[..., ::-1])
    return np.stack(to_images), np.stack(to_grids)


@standard_gradient("SpaceToDepth")
def onnx_space_to_depth(run: Recorded, *, blocksize: int, mode: str = "DCR") -> Array:
    """Move channels back into blocks of space."""
    return depth_to_space(run.dy, block_size=blocksize, mode=mode)


@standard_gradient("Col2Im", inputs=(1, 2))
def col2im(
    run: Recorded, *, dilations: IntTuple = (), pads: IntTuple = (), strides: IntTuple = ()
) -> Array:
    """Take the columns of windows from the image."""
    kernel = tuple(run.input(2).tolist())
    options = WindowOptions(dilations=dilations, pads=pads, strides=strides)
    sliding = options.over(run.dy.shape[2:], kernel)
    return np.array(sliding.views(run.dy)).reshape(run.x.shape)


@standard_gradient("Resize", inputs=(1,))
def onnx_resize(run: Recorded, *, mode: str = "nearest") -> Array:
    """Pass to the elements that were taken."""
    dy = run.dy
    for axis, indices in reversed(nearest_of_old(run.x.shape, run.input(1), mode)):
        dy = given_back(dy, indices, axis, run.x.shape[axis])
    return dy if dy is not run.dy else dy.copy()
