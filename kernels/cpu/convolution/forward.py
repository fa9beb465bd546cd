"""Convolutions: windows gathered as columns of a matrix, multiplied by the weights."""

from __future__ import annotations

import numpy as np

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.kernels.cpu.common.arrays import Array, accumulator
from aidge_nb.kernels.cpu.common.windows import Ints
from aidge_nb.kernels.cpu.convolution.columns import Sliding
from aidge_nb.kernels.cpu.convolution.panels import plan_panels
from aidge_nb.kernels.registry import kernel
from aidge_nb.kernels.workspace import Workspace
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS
from aidge_nb.ops.place import Place


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
    place: Place | None = None,
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
    place: Place | None = None,
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
    place: Place | None = None,
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
    sliding = Sliding.of(x.shape[2:], weight.shape[2:], strides, dilations)
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
