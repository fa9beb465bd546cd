"""Convolutions: tap after tap, each for all results at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import (
    Array,
    Ints,
    axis_taps,
    index,
    output_sizes,
    spread_sizes,
    tap_slices,
)
from aidge_nb.kernels.cpu.common.sliding import PaddedWindow
from aidge_nb.kernels.cpu.convolution.forward import conv_transposed as fast_conv_transposed
from aidge_nb.kernels.cpu.convolution.forward import convolve as convolve_integers
from aidge_nb.kernels.exact.functions.floats import F, float32
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS, TRANSPOSED_CONVS

_TOGETHER = 1 << 16  # results: their sums and products stay in the L2 cache

Place = tuple[slice, ...]


@kernel(*CONVS, *DEPTHWISE_CONVS, backend="exact")
def conv(
    x: Array,
    weight: Array,
    bias: Array | None,
    *,
    kernel_dims: Ints,
    stride_dims: Ints,
    dilation_dims: Ints,
    group: int = 0,
) -> Array:
    """Convolve; channels of each group apart, without groups each channel."""
    return convolved(x, weight, bias, stride_dims, dilation_dims, int(group) or x.shape[1])


def tap_places(
    window: PaddedWindow, sizes: Ints, before: Ints
) -> Iterator[tuple[tuple[int, ...], Place, Place]]:
    """Go over the taps of a window: the tap, the results that it is inside for, and their data.

    The first window begins ``before`` elements before the data, along each dimension.
    """
    every = zip(sizes, window.kernel, window.counts, window.strides, window.dilations, strict=True)
    along = [axis_taps(*each, before=first) for each, first in zip(every, before, strict=False)]
    for taps in product(*along):
        tap, where, data = zip(*taps, strict=True)
        yield tap, where, data


def convolved(
    x: Array,
    weight: Array,
    bias: Array | None,
    strides: Ints,
    dilations: Ints,
    group: int,
    pads: Ints = (),
) -> Array:
    """Convolve data ``[batch, channels, *spatial]``; taps outside of them are skipped.

    ``pads`` are the numbers of missing elements before each spatial dimension, then after.
    """
    rank = x.ndim - 2
    pads = tuple(pads) or (0,) * (2 * rank)
    if x.dtype.kind != "f":
        wide = np.pad(x, [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:], strict=True)])
        return convolve_integers(wide, weight, bias, strides, dilations, group)
    x, weight = float32(x), float32(weight)
    batch, channels, *sizes = x.shape
    padded = [size + pads[i] + pads[rank + i] for i, size in enumerate(sizes)]
    counts = output_sizes(padded, weight.shape[2:], strides, dilations)
    data = x.reshape(batch, group, 1, channels // group, *sizes)
    outs = len(weight) // group
    factors = weight.reshape(group, outs, *weight.shape[1:])
    starts = np.zeros(len(weight), F) if bias is None else float32(bias)
    result = np.empty((batch, group, outs, *counts), F)
    result[...] = starts.reshape(group, outs, *(1 for _ in counts))
    window = PaddedWindow(weight.shape[2:], tuple(strides), tuple(dilations), pads, counts)
    places = list(tap_places(window, sizes, pads))
    together = max(1, _TOGETHER // max(1, group * prod(counts)))
    for sample in range(batch):
        for first in range(0, outs, together):
            part = slice(first, first + together)
            _add_taps(result[sample, :, part], data[sample], factors[:, part], places)
    return result.reshape(batch, group * outs, *counts)


def _add_taps(
    total: Array,
    x: Array,
    weight: Array,
    places: list[tuple[tuple[int, ...], Place, Place]],
) -> None:
    """Add the products of all taps to ``total``.

    Dimensions: total ``[group, outs, *counts]``, x ``[group, 1, channels, *sizes]``, weight
    ``[group, outs, channels, *kernel]``.
    """
    ones = (None,) * (total.ndim - 2)
    term = np.empty_like(total)
    for channel in range(x.shape[2]):
        for tap, where, data in places:
            factor = weight[index(slice(None), slice(None), channel, *tap)][index(..., *ones)]
            here = term[index(..., *where)]
            np.multiply(x[index(slice(None), slice(None), channel, *data)], factor, out=here)
            target = total[index(..., *where)]
            target += here


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
        return fast_conv_transposed(
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
    full = spread_sizes(sizes, taps, stride_dims, dilation_dims, extra)
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
