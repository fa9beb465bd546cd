"""Operators that trade spatial resolution against channels, and windows as columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import (
    Array,
    Ints,
    floats,
    index,
    optional,
    output_sizes,
    tap_slices,
    windows,
)
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import resampling as specs
from aidge_nb.ops.rules import axes_of, choice_of


@kernel(specs.DEPTH_TO_SPACE)
def depth_to_space(x: Array, *, block_size: int, mode: str) -> Array:
    """Move channels into blocks; ``mode`` says whether the block (DCR) or the depth goes first."""
    choice_of(mode, ("CRD", "DCR"), "mode")
    batch, channels, height, width = x.shape
    block, depth = int(block_size), channels // int(block_size) ** 2
    if mode == "DCR":
        parts = x.reshape(batch, block, block, depth, height, width).transpose(0, 3, 4, 1, 5, 2)
    else:
        parts = x.reshape(batch, depth, block, block, height, width).transpose(0, 1, 4, 2, 5, 3)
    return np.array(parts, order="C").reshape(batch, depth, height * block, width * block)


def into_channels(x: Array, block: int, mode: str) -> Array:
    """Move blocks into channels; ``mode`` is that of :func:`depth_to_space`, which undoes it."""
    batch, channels, height, width = x.shape
    rows, columns = height // block, width // block
    parts = x.reshape(batch, channels, rows, block, columns, block)
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    moved = np.array(parts.transpose(order), order="C")
    return moved.reshape(batch, channels * block**2, rows, columns)


@kernel(specs.SPACE_TO_DEPTH)
def space_to_depth(x: Array, *, block_size: int) -> Array:
    """Move blocks into channels."""
    return into_channels(x, int(block_size), "DCR")


@kernel(specs.UNFOLD)
def unfold(x: Array, *, stride_dims: Ints, dilation_dims: Ints, kernel_dims: Ints) -> Array:
    """Lay out each window as a column."""
    counts = output_sizes(x.shape[2:], kernel_dims, stride_dims, dilation_dims)
    taken = windows(x, kernel_dims, counts, stride_dims, dilation_dims)
    size = int(np.prod(kernel_dims)) * x.shape[1]
    return np.array(taken, order="C").reshape(len(x), size, int(np.prod(counts)))


@kernel(specs.FOLD)
def fold(
    x: Array, *, output_dims: Ints, stride_dims: Ints, dilation_dims: Ints, kernel_dims: Ints
) -> Array:
    """Put columns back in place as windows; where they overlap they are added up."""
    counts = output_sizes(output_dims, kernel_dims, stride_dims, dilation_dims)
    area = int(np.prod(kernel_dims))
    if x.shape[1] % area or x.shape[2] != np.prod(counts):
        raise ShapeError.at(
            "input#0",
            "windows do not make up the output",
            expected=f"[batch, a multiple of {area}, {np.prod(counts)}]",
            found=list(x.shape),
        )
    columns = x.reshape(len(x), x.shape[1] // area, *kernel_dims, *counts)
    result = np.zeros((len(x), x.shape[1] // area, *output_dims), x.dtype)
    for tap, places in tap_slices(kernel_dims, counts, stride_dims, dilation_dims):
        result[index(..., *places)] += columns[index(slice(None), slice(None), *tap)]
    return result


_CROP = "tf_crop_and_resize"
_F = np.float32


@kernel(specs.RESIZE)
def resize(
    x: Array,
    region: Array | None,
    factors: Array | None,
    target: Array | None,
    *,
    axes: Ints,
    coordinate_transformation_mode: str,
    interpolation_mode: str,
    cubic_coeff_a: float,
    extrapolation_value: float,
    padding_mode: str,
    aspect_ratio: str,
    antialias: bool,
    exclude_outside: bool,
    roi: Sequence[float],
    scales: Sequence[float],
    sizes: Ints,
) -> Array:
    """Change the resolution."""
    choice_of(padding_mode, ("edge",), "padding mode of Resize")
    options = ResizeOptions(
        optional(region, roi),
        optional(factors, scales),
        optional(target, sizes),
        axes,
        coordinate_transformation_mode,
        interpolation_mode,
        float(cubic_coeff_a),
        aspect_ratio,
        antialias,
        exclude_outside,
    )
    result = x
    for each in resampled_axes(x.shape, options):
        if each.weights is None:
            resampled = np.asarray(result.take(each.indices[0], axis=each.axis))
        else:
            resampled = _weighted(floats(result), each.axis, each.indices, each.weights)
        if each.outside is not None:
            resampled[(slice(None),) * each.axis + (each.outside,)] = extrapolation_value
        result = resampled
    return result.astype(x.dtype)


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """How one axis is resampled: each element of the result is a weighted sum of elements."""

    axis: int
    indices: Array  # of the elements: [tap, element of the result]
    weights: Array | None  # of each; None where there is one tap, and it is the result
    outside: Array | None  # elements of the result that lie outside of the data; None where none


@dataclass(frozen=True)
class ResizeOptions:
    """Attributes of Resize that say how it resamples."""

    roi: Sequence[float] = ()
    scales: Sequence[float] = ()
    sizes: Ints = ()
    axes: Ints = ()
    coordinate_transformation_mode: str = "half_pixel"
    interpolation_mode: str = "linear"
    cubic_coeff_a: float = -0.75
    aspect_ratio: str = "stretch"
    antialias: bool = False
    exclude_outside: bool = False


def resampled_axes(shape: Ints, options: ResizeOptions) -> list[Resampled]:
    """Return how Resize treats each axis that it changes.

    Raise ShapeError for a mode that there is not, for sizes that do not fit, and for an empty axis.
    """
    mode = options.coordinate_transformation_mode
    choice_of(mode, specs.COORDINATES, "coordinate mode")
    interpolation = choice_of(options.interpolation_mode, specs.INTERPOLATIONS, "interpolation")
    chosen = axes_of(options.axes or range(len(shape)), len(shape))
    box = options.roi if mode == _CROP else []
    asked = options.scales, options.sizes, chosen, options.aspect_ratio
    found = specs.resized(shape, *asked, box)
    plan = []
    for axis, (size, scale) in enumerate(found):
        at = chosen.index(axis) if axis in chosen else -1
        crop = (box[at], box[at + len(chosen)]) if len(box) and at >= 0 else (0.0, 1.0)
        if size == shape[axis] and scale == 1 and crop == (0.0, 1.0):
            continue
        if not shape[axis] and size:
            problem = f"axis {axis} is empty: there is nothing to resample"
            raise ShapeError.at("input#0", problem, expected="1 or more", found=list(shape))
        places = _places(mode, shape[axis], size, scale, crop)
        shrink = min(scale, 1.0) if options.antialias else 1.0
        weights: Array | None = None
        if interpolation in _NEAREST:
            indices = _nearest(places, shape[axis], interpolation)[None]
        else:
            indices, weights = _taps(
                interpolation,
                places,
                shape[axis],
                shrink,
                options.cubic_coeff_a,
                exclude_outside=bool(options.exclude_outside),
            )
        outside = (places < 0) | (places > shape[axis] - 1) if mode == _CROP else None
        plan.append(Resampled(axis, indices, weights, outside))
    return plan


def _places(mode: str, size: int, count: int, scale: float, crop: tuple[float, float]) -> Array:
    """Return the coordinate in the data of each element of the result."""
    i = np.arange(count, dtype=_F)
    factor, last = _F(scale), _F(size - 1)
    if mode == "asymmetric":
        return np.asarray(i / factor)
    if mode == "tf_half_pixel_for_nn":
        return np.asarray((i + _F(0.5)) / factor)
    if mode == "align_corners":
        return np.asarray(i * last / _F(count - 1) if count > 1 else i * 0)
    if mode == _CROP:
        start, end = map(_F, crop)
        if count > 1:
            return np.asarray(start * last + i * (end - start) * last / _F(count - 1))
        return np.asarray(_F(0.5) * (start + end) * last + i)
    if mode == "pytorch_half_pixel" and count <= 1:
        return np.asarray(i * 0)
    places = (i + _F(0.5)) / factor - _F(0.5)
    if mode == "half_pixel_symmetric":
        places = places + _F(size / 2) * (1 - _F(count) / (factor * _F(size)))
    return np.asarray(places, _F)


_NEAREST: dict[str, Callable[[Array], Array]] = {
    "round_prefer_floor": lambda places: np.ceil(places - _F(0.5)),
    "round_prefer_ceil": lambda places: np.floor(places + _F(0.5)),
    "floor": np.floor,
    "ceil": np.ceil,
}


def _nearest(places: Array, size: int, how: str) -> Array:
    return np.clip(_NEAREST[how](places).astype(np.int64), 0, size - 1)


def _linear(distance: Array, a: float) -> Array:
    return np.asarray(np.maximum(1 - distance, 0))


def _cubic(distance: Array, a: float) -> Array:
    near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = ((distance - 5) * distance + 8) * distance * a - 4 * a
    return np.where(distance <= 1, near, np.where(distance < 2, far, 0))


_FILTERS: dict[str, tuple[float, Callable[[Array, float], Array]]] = {
    "linear": (1.0, _linear),
    "cubic": (2.0, _cubic),
}


def _taps(
    how: str, places: Array, size: int, shrink: float, a: float, *, exclude_outside: bool
) -> tuple[Array, Array]:
    """Return indices and weights ``[tap, element]``; with ``shrink`` < 1 the filter is wider."""
    width, value = _FILTERS[how]
    reach = ceil(width / shrink)
    floor = np.floor(places)
    indices = floor[None].astype(np.int64) + np.arange(1 - reach, reach + 1)[:, None]
    weights = value(np.abs(indices - places.astype(np.float64)) * shrink, a)
    if exclude_outside:
        weights = np.where((indices < 0) | (indices >= size), 0, weights)
    if exclude_outside or shrink < 1:
        weights = weights / weights.sum(axis=0)
    return np.clip(indices, 0, size - 1), weights


def _weighted(x: Array, axis: int, indices: Array, weights: Array) -> Array:
    """Add up weighted slices along an axis."""
    behind = (1,) * (x.ndim - 1 - axis)
    result = None
    for places, weight in zip(indices, weights, strict=True):
        part = x.take(places, axis=axis)
        part *= weight.astype(x.dtype).reshape(-1, *behind)
        result = part if result is None else np.add(result, part, out=result)
    return x if result is None else result
