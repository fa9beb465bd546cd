"""Operators that trade spatial resolution against channels, and windows as columns."""

from __future__ import annotations

import numpy as np

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.windows import Ints, index, output_sizes, tap_slices, windows
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import resampling as specs
from aidge_nb.ops.rules import choice_of


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


@kernel(specs.SPACE_TO_DEPTH)
def space_to_depth(x: Array, *, block_size: int) -> Array:
    """Move blocks into channels."""
    batch, channels, height, width = x.shape
    block = int(block_size)
    rows, columns = height // block, width // block
    parts = x.reshape(batch, channels, rows, block, columns, block).transpose(0, 3, 5, 1, 2, 4)
    return np.array(parts, order="C").reshape(batch, channels * block**2, rows, columns)


@kernel(specs.UNFOLD)
def unfold(x: Array, *, stride_dims: Ints, dilation_dims: Ints, kernel_dims: Ints) -> Array:
    """Give each window as a column."""
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
        raise ShapeError(
            explain(
                "input#0",
                "windows do not make up the output",
                expected=f"[batch, a multiple of {area}, {np.prod(counts)}]",
                found=list(x.shape),
            )
        )
    columns = x.reshape(len(x), x.shape[1] // area, *kernel_dims, *counts)
    result = np.zeros((len(x), x.shape[1] // area, *output_dims), x.dtype)
    for tap, places in tap_slices(kernel_dims, counts, stride_dims, dilation_dims):
        result[index(..., *places)] += columns[index(slice(None), slice(None), *tap)]
    return result
