"""Transposed convolutions: columns made by one product, then added up where windows overlap."""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, accumulator
from aidge_nb.kernels.cpu.common.panels import multiply
from aidge_nb.kernels.cpu.common.windows import Ints, index, tap_slices
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops.transposed_convolution import TRANSPOSED_CONVS


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
