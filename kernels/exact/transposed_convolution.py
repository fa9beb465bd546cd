"""Transposed convolutions: each element of the data spread over a window, tap after tap."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.windows import Ints, index, tap_slices
from aidge_nb.kernels.cpu.convolution import transposed as fast
from aidge_nb.kernels.exact.floats import F, float32
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops.transposed_convolution import TRANSPOSED_CONVS


@kernel(*TRANSPOSED_CONVS, backend="exact")
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
    """Start at the bias; add by input channel, then by tap."""
    if x.dtype.kind != "f":
        return fast.conv_transposed(
            x,
            weight,
            bias,
            stride_dims=stride_dims,
            dilation_dims=dilation_dims,
            kernel_dims=kernel_dims,
            output_padding=output_padding,
            pads=pads,
            group=group,
        )
    x, weight = float32(x), float32(weight)
    batch, channels, *sizes = x.shape
    rank, taps, outs = len(sizes), weight.shape[2:], weight.shape[1]
    extra = tuple(output_padding) or (0,) * rank
    full = [
        (size - 1) * stride + (k - 1) * dilation + 1 + more if size else 0
        for size, k, stride, dilation, more in zip(
            sizes, taps, stride_dims, dilation_dims, extra, strict=True
        )
    ]
    group = int(group)
    ones = (1,) * rank
    result = np.zeros((batch, group, outs, *full), F)
    if bias is not None:
        result += float32(bias).reshape(group, outs, *ones)
    data = x.reshape(batch, group, channels // group, 1, *sizes)
    factors = weight.reshape(group, channels // group, outs, *taps)
    for channel in range(channels // group):
        for tap, places in tap_slices(taps, sizes, stride_dims, dilation_dims):
            factor = factors[index(slice(None), channel, slice(None), *tap)]
            result[index(..., *places)] += data[:, :, channel] * factor.reshape(group, outs, *ones)
    result = result.reshape(batch, group * outs, *full)
    if any(pads):
        kept = (slice(pads[axis], full[axis] - pads[rank + axis]) for axis in range(rank))
        result = result[index(..., *kept)]
    return np.ascontiguousarray(result)
