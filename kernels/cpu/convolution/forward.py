"""Convolutions: windows gathered as columns of a matrix, multiplied by the weights."""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.kernels.cpu.common.arrays import Array, accumulator
from aidge_nb.kernels.cpu.common.panels import multiply
from aidge_nb.kernels.cpu.common.windows import Ints, index, tap_slices
from aidge_nb.kernels.cpu.convolution.columns import ConvWindow
from aidge_nb.kernels.cpu.convolution.panels import plan_panels
from aidge_nb.kernels.registry import kernel
from aidge_nb.kernels.workspace import Workspace
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS, TRANSPOSED_CONVS
from aidge_nb.ops.place import TilePlace


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
    place: TilePlace | None = None,
) -> Array:
    """Convolve; with groups, channels of each group apart."""
    return convolve(x, weight, bias, stride_dims, dilation_dims, int(group), out, place)


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
    place: TilePlace | None = None,
) -> Array:
    """Convolve each channel with a kernel of its own."""
    return convolve(x, weight, bias, stride_dims, dilation_dims, x.shape[1], out, place)


def convolve(
    x: Array,
    weight: Array,
    bias: Array | None,
    strides: Ints,
    dilations: Ints,
    group: int,
    out: Array | None = None,
    place: TilePlace | None = None,
) -> Array:
    """Convolve data ``[batch, channels, *spatial]``.

    Raises
    ------
    ShapeError
        When the weights have other channels than the data, or a kernel larger than these.
    """
    if weight.shape[1] * group != x.shape[1]:
        found = f"{list(x.shape)} and weights {list(weight.shape)}, {group} groups"
        raise ShapeError(explain("input#0", "wrong number of channels", found=found))
    sliding = ConvWindow.of(x.shape[2:], weight.shape[2:], strides, dilations)
    total = accumulator(x.dtype)
    dims = (len(x), len(weight), *sliding.counts[: x.ndim - 2])
    is_fit = out is not None and out.dtype == total and out.flags.c_contiguous
    result = out if out is not None and is_fit else np.empty(dims, total)
    data, rows = np.ascontiguousarray(x, total), np.ascontiguousarray(weight, total)
    for panel in plan_panels(data, rows, result, sliding, group, Workspace(), place):
        panel.run()
    if bias is not None:
        result += bias.reshape(-1, *(1 for _ in x.shape[2:]))
    return result.astype(x.dtype, copy=False)


@kernel(*TRANSPOSED_CONVS)
def conv_transposed(
    x: Array,
    weight: Array,
    bias: Array | None,
    *,
    stride_dims: Ints,
    dilation_dims: Ints,
    kernel_dims: Ints,
    output_padding: Ints,
    pads: Ints,
    group: int,
) -> Array:
    """Spread each element of the data over a window, weighted."""
    batch, channels, *sizes = x.shape
    rank = len(sizes)
    dtype, total = x.dtype, accumulator(x.dtype)
    outs, taps = weight.shape[1], weight.shape[2:]
    rows = weight.astype(total, copy=False).reshape(group, channels // group, outs * prod(taps))
    data = x.astype(total, copy=False).reshape(batch, group, channels // group, prod(sizes))
    products = np.empty((batch, group, outs * prod(taps), prod(sizes)), total)
    multiply(rows.swapaxes(1, 2), data, products)
    columns = products.reshape(batch, group * outs, *taps, *sizes)
    extra = tuple(output_padding) or (0,) * rank
    full = [
        (size - 1) * stride + (k - 1) * dilation + 1 + more if size else 0
        for size, k, stride, dilation, more in zip(
            sizes, taps, stride_dims, dilation_dims, extra, strict=True
        )
    ]
    result = np.zeros((batch, group * outs, *full), total)
    for tap, places in tap_slices(taps, sizes, stride_dims, dilation_dims):
        result[index(..., *places)] += columns[index(slice(None), slice(None), *tap)]
    if any(pads):
        kept = (slice(pads[axis], full[axis] - pads[rank + axis]) for axis in range(rank))
        result = result[index(..., *kept)]
    if bias is not None:
        result += bias.reshape(-1, *(1 for _ in sizes))
    return np.ascontiguousarray(result, dtype)
