"""Convolutions: windows gathered as columns of a matrix, multiplied by the weights.

The columns are gathered and multiplied in pieces that fit the caches: some groups at a time, or
some rows of the first spatial dimension. A 1×1 kernel needs no gathering. Where each group reads
one channel, the taps are multiplied and added up one after the other instead.

The terms of an element are added in an order that depends on the kernel and the number of its
channels alone, so that a part of the result, computed apart, has the same bits.

Source: K. Chellapilla and others, High Performance Convolutional Neural Networks for Document
Processing, 2006, section 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from aidge_nb.errors import ShapeError, explain
from aidge_nb.kernels.cpu.arrays import Array, accumulator
from aidge_nb.kernels.cpu.panels import multiply
from aidge_nb.kernels.cpu.windows import Ints, index, output_sizes, tap_slices, windows
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS

_PIECE = 1 << 19  # bytes of gathered columns: half of a common L2 cache


@kernel(*CONVS)
def conv(
    x: Array,
    weight: Array,
    bias: Array | None,
    *,
    kernel_dims: Ints,
    stride_dims: Ints,
    dilation_dims: Ints,
    group: int,
    out: Array | None = None,
) -> Array:
    """Convolve; with groups, channels of each group apart."""
    return convolve(x, weight, bias, stride_dims, dilation_dims, int(group), out)


@kernel(*DEPTHWISE_CONVS)
def conv_depthwise(
    x: Array,
    weight: Array,
    bias: Array | None,
    *,
    kernel_dims: Ints,
    stride_dims: Ints,
    dilation_dims: Ints,
    out: Array | None = None,
) -> Array:
    """Convolve each channel with a kernel of its own."""
    return convolve(x, weight, bias, stride_dims, dilation_dims, x.shape[1], out)


def convolve(
    x: Array,
    weight: Array,
    bias: Array | None,
    strides: Ints,
    dilations: Ints,
    group: int,
    out: Array | None = None,
) -> Array:
    """Convolve data ``[batch, channels, *spatial]``.

    Raises
    ------
    ShapeError
        When the weights have other channels than the data, or a kernel larger than these.
    """
    dtype, total = x.dtype, accumulator(x.dtype)
    batch, channels, *sizes = x.shape
    if weight.shape[1] * group != channels:
        found = f"{list(x.shape)} and weights {list(weight.shape)}, {group} groups"
        raise ShapeError(explain("input#0", "wrong number of channels", found=found))
    kernel_dims = weight.shape[2:]
    counts = output_sizes(sizes, kernel_dims, strides, dilations)
    x = np.ascontiguousarray(x, total).reshape(batch, group, channels // group, *sizes)
    outs = len(weight) // group
    rows = weight.astype(total, copy=False).reshape(group, outs, prod(weight.shape[1:]))
    grouped = (batch, group, outs, *counts)
    if out is not None and out.dtype == total and out.flags.c_contiguous:
        result = out.reshape(grouped)
    else:
        result = np.empty(grouped, total)
    if channels == group and rows.shape[2] > 1:
        _add_taps(rows, x[:, :, 0], kernel_dims, strides, dilations, result)
    elif prod(kernel_dims) == 1:
        taken = x[index(..., *(slice(None, None, stride) for stride in strides))]
        columns = taken.reshape(batch, group, channels // group, prod(counts))
        multiply(rows, columns, result.reshape(batch, group, outs, prod(counts)))
    else:
        _multiply_pieces(
            rows, windows(x, kernel_dims, counts, strides, dilations), len(counts), result
        )
    result = result.reshape(batch, group * outs, *counts)
    if bias is not None:
        result += bias.reshape(-1, *(1 for _ in counts))
    return result.astype(dtype, copy=False)


def _add_taps(
    rows: Array, x: Array, kernel: Ints, strides: Ints, dilations: Ints, result: Array
) -> None:
    """Multiply the one channel of each group tap by tap, and add up.

    Dimensions: rows ``[group, out, taps]``, x ``[batch, group, *spatial]``, result ``[batch,
    group, out, *counts]``.
    """
    groups, outs, _ = rows.shape
    counts = result.shape[3:]
    together = max(1, _PIECE // max(1, 2 * outs * prod(counts) * rows.itemsize))
    ones = (1,) * len(counts)
    places = [place for _, place in tap_slices(kernel, counts, strides, dilations)]
    for sample in range(len(x)):
        for first in range(0, groups, together):
            group = slice(first, min(groups, first + together))
            data, total = x[sample, group, None], result[sample, group]
            product = np.empty_like(total)
            for tap, place in enumerate(places):
                weight = rows[group, :, tap].reshape(-1, outs, *ones)
                np.multiply(data[index(..., *place)], weight, out=product if tap else total)
                if tap:
                    total += product


def _multiply_pieces(rows: Array, taken: Array, rank: int, result: Array) -> None:
    """Write ``rows`` times columns into ``result``.

    Dimensions: rows ``[group, out, taps]``, taken ``[batch, group, channels, *kernel, *counts]``,
    result ``[batch, group, out, *counts]``.
    """
    groups, _, taps = rows.shape
    height, *others = taken.shape[-rank:]
    width = prod(others)
    for sample, group, lines in _pieces(len(taken), groups, height, taps * width * rows.itemsize):
        gathered = taken[index(sample, group, ..., lines, *(slice(None) for _ in others))]
        columns = gathered.reshape(gathered.shape[0], taps, gathered.shape[-rank] * width)
        target = result[sample, group].reshape(len(columns), rows.shape[1], height * width)
        first = lines.start * width
        multiply(rows[group], columns, target[..., first : first + columns.shape[-1]])


def _pieces(
    batch: int, groups: int, height: int, line_bytes: int
) -> Iterator[tuple[int, slice, slice]]:
    """Cut the work into (sample, groups, lines); a line of a group takes ``line_bytes``."""
    lines = max(1, min(height, _PIECE // max(1, line_bytes)))
    together = max(1, _PIECE // max(1, line_bytes * lines))
    for sample in range(batch):
        for group in range(0, groups, together):
            for line in range(0, height, lines):
                yield (
                    sample,
                    slice(group, min(groups, group + together)),
                    slice(line, min(height, line + lines)),
                )
