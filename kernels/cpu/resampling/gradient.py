"""Gradients of operators that trade resolution against channels, and of Resize.

All of them are linear: what an element gave to others, it gets back from them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import (
    Array,
    Ints,
    index,
    optional,
    output_sizes,
    tap_slices,
    windows,
)
from aidge_nb.kernels.cpu.resampling.forward import (
    Resampled,
    depth_to_space,
    resampled_axes,
    space_to_depth,
)
from aidge_nb.kernels.gradients import Recorded, gradient
from aidge_nb.ops import resampling as specs


@gradient(specs.DEPTH_TO_SPACE)
def depth_to_space_(run: Recorded, *, block_size: int, mode: str) -> Array:
    """Move blocks back into channels."""
    if mode == "DCR":
        return space_to_depth(run.dy, block_size=block_size)
    batch, depth, height, width = run.dy.shape
    block = int(block_size)
    parts = run.dy.reshape(batch, depth, height // block, block, width // block, block)
    return np.array(parts.transpose(0, 1, 3, 5, 2, 4), order="C").reshape(run.x.shape)


@gradient(specs.SPACE_TO_DEPTH)
def space_to_depth_(run: Recorded, *, block_size: int) -> Array:
    """Move channels back into blocks."""
    return depth_to_space(run.dy, block_size=block_size, mode="DCR")


@gradient(specs.UNFOLD)
def unfold(run: Recorded, *, stride_dims: Ints, dilation_dims: Ints, kernel_dims: Ints) -> Array:
    """Add the columns to the windows that they were taken from."""
    counts = output_sizes(run.x.shape[2:], kernel_dims, stride_dims, dilation_dims)
    columns = run.dy.reshape(*run.x.shape[:2], *kernel_dims, *counts)
    result = np.zeros(run.x.shape, run.dy.dtype)
    for tap, places in tap_slices(kernel_dims, counts, stride_dims, dilation_dims):
        result[index(..., *places)] += columns[index(slice(None), slice(None), *tap)]
    return result


@gradient(specs.FOLD)
def fold(
    run: Recorded, *, output_dims: Ints, stride_dims: Ints, dilation_dims: Ints, kernel_dims: Ints
) -> Array:
    """Take the windows that the columns were added to."""
    counts = output_sizes(output_dims, kernel_dims, stride_dims, dilation_dims)
    taken = windows(run.dy, kernel_dims, counts, stride_dims, dilation_dims)
    return np.array(taken, order="C").reshape(run.x.shape)


@gradient(specs.RESIZE, inputs=(1, 2, 3))
def resize(
    run: Recorded,
    *,
    axes: Ints,
    coordinate_transformation_mode: str,
    interpolation_mode: str,
    cubic_coeff_a: float,
    aspect_ratio: str,
    antialias: bool,
    exclude_outside: bool,
    roi: Sequence[float],
    scales: Sequence[float],
    sizes: Ints,
) -> Array:
    """Add to each element what it gave, weighted alike, the last axis first."""
    plan = resampled_axes(
        run.x.shape,
        optional(run.optional(2), scales),
        optional(run.optional(3), sizes),
        optional(run.optional(1), roi),
        axes=axes,
        coordinate_mode=coordinate_transformation_mode,
        interpolation=interpolation_mode,
        cubic_coeff_a=float(cubic_coeff_a),
        aspect_ratio=aspect_ratio,
        antialias=antialias,
        exclude_outside=exclude_outside,
    )
    result = run.dy
    for each in reversed(plan):
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
