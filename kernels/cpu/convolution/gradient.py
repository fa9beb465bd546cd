"""Gradients of convolutions, tap by tap, in any number of dimensions.

A tap of the kernel multiplies a strided part of the data. Back to the data, each tap adds dy,
multiplied by its weight, to that part; back to the weights, it sums dy times that part.

Source: V. Dumoulin and F. Visin, A guide to convolution arithmetic for deep learning, 2016,
chapter 4.
"""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, Ints, index, tap_slices
from aidge_nb.kernels.cpu.common.sliding import IntTuple, WindowOptions, without_padding
from aidge_nb.kernels.cpu.convolution.standard import Spreading
from aidge_nb.kernels.gradients import Recorded, gradient, standard_gradient
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS, TRANSPOSED_CONVS


@gradient(*CONVS, *DEPTHWISE_CONVS, inputs=(0, 1))
def conv(
    run: Recorded, *, stride_dims: Ints, dilation_dims: Ints, group: int = 0
) -> tuple[Array | None, ...]:
    """Pass to data, weights and bias; channels of each group apart, without groups each channel."""
    return convolution_gradient(run, stride_dims, dilation_dims, int(group) or run.x.shape[1])


def convolution_gradient(
    run: Recorded, strides: Ints, dilations: Ints, group: int
) -> tuple[Array | None, ...]:
    """Pass to data without padding, weights and bias."""
    weight, counts = run.input(1), run.dy.shape[2:]
    data = _grouped(run.x, group)
    dy = _grouped(run.dy, group)
    rows = weight.reshape(group, -1, *weight.shape[1:])  # group, outs, channels, taps
    to_data = np.zeros(data.shape, run.dy.dtype) if 0 in run.wanted else None
    to_rows = np.empty(rows.shape, run.dy.dtype) if 1 in run.wanted else None
    for tap, places in tap_slices(weight.shape[2:], counts, strides, dilations):
        part, here = index(..., *places), index(..., *tap)
        if to_rows is not None:
            to_rows[here] = _outer(dy, data[part])
        if to_data is not None:
            to_data[part] += _product(rows[here].swapaxes(1, 2), dy)
    return (
        None if to_data is None else to_data.reshape(run.x.shape),
        None if to_rows is None else to_rows.reshape(weight.shape),
        _to_bias(run),
    )


@gradient(*TRANSPOSED_CONVS, inputs=(0, 1))
def conv_transposed(
    run: Recorded, *, stride_dims: Ints, dilation_dims: Ints, pads: Ints, group: int
) -> tuple[Array | None, ...]:
    """Pass to data, weights and bias; what the pads cut off gave nothing."""
    weight, sizes = run.input(1), run.x.shape[2:]
    rank = len(sizes)
    edges = [(pads[i], pads[rank + i]) if any(pads) else (0, 0) for i in range(rank)]
    dy = _grouped(np.pad(run.dy, [(0, 0), (0, 0), *edges]), group)
    data = _grouped(run.x, group)
    rows = weight.reshape(group, -1, *weight.shape[1:])  # group, channels, outs, taps
    to_data = np.zeros(data.shape, run.dy.dtype)
    to_rows = np.empty(rows.shape, run.dy.dtype)
    for tap, places in tap_slices(weight.shape[2:], sizes, stride_dims, dilation_dims):
        part, here = dy[index(..., *places)], index(..., *tap)
        to_rows[here] = _outer(data, part)
        to_data += _product(rows[here], part)
    return to_data.reshape(run.x.shape), to_rows.reshape(weight.shape), _to_bias(run)


def _grouped(x: Array, group: int) -> Array:
    """View ``[batch, channels, ...]`` as ``[batch, group, channels of it, ...]``."""
    return x.reshape(x.shape[0], group, x.shape[1] // group, *x.shape[2:])


def _product(matrix: Array, x: Array) -> Array:
    """Multiply the channels: matrix ``[group, rows, channels]``, x ``[batch, group, channels, …]``.

    A group of one channel on each side is a number times an image, and no product of matrices.
    """
    if matrix.shape[1:] == (1, 1):
        return np.asarray(matrix.reshape(-1, 1, *(1 for _ in x.shape[3:])) * x)
    flat = x.reshape(*x.shape[:3], prod(x.shape[3:]))
    product = np.asarray(np.matmul(matrix, flat))
    return product.reshape(*x.shape[:2], matrix.shape[1], *x.shape[3:])


def _outer(a: Array, b: Array) -> Array:
    """Sum over batch and places: ``[group, channels of a, channels of b]``."""
    flat = [each.reshape(*each.shape[:3], prod(each.shape[3:])) for each in (a, b)]
    if a.shape[2] == b.shape[2] == 1:
        return np.asarray(np.einsum("ngap,ngbp->gab", *flat))
    return np.asarray(np.matmul(flat[0], flat[1].swapaxes(-1, -2)).sum(axis=0))


def _to_bias(run: Recorded) -> Array | None:
    if run.optional(2) is None:
        return None
    return np.asarray(run.dy.sum(axis=(0, *range(2, run.dy.ndim))))


# --- ONNX operators without a declaration ---------------------------------------------------------


@standard_gradient("Conv", inputs=(0, 1), options=WindowOptions)
def onnx_conv(run: Recorded, *, options: WindowOptions, group: int = 1) -> tuple[Array | None, ...]:
    """Pass to data, weights and bias; what comes back to the padding is lost."""
    sizes = run.x.shape[2:]
    sliding = options.over(sizes, run.input(1).shape[2:])
    padded = Recorded(
        (sliding.padded(run.x, 0), *run.inputs[1:]), run.outputs, run.grads, run.wanted
    )
    found = convolution_gradient(padded, sliding.strides, sliding.dilations, group)
    data = None if found[0] is None else without_padding(found[0], sliding, sizes)
    return (data, *found[1:])


@standard_gradient("ConvTranspose", inputs=(0, 1), options=WindowOptions)
def conv_transpose(
    run: Recorded,
    *,
    options: WindowOptions,
    group: int = 1,
    output_padding: IntTuple = (),
    output_shape: IntTuple = (),
) -> tuple[Array | None, ...]:
    """Convolve what comes back, with what was cut off put back as zeros."""
    x, w, dy = run.x, run.input(1), run.dy
    spreading = Spreading.of(x.shape[2:], w.shape[2:], options, output_padding, output_shape)
    whole = np.zeros((*dy.shape[:2], *spreading.full), dy.dtype)
    kept = whole[index(..., *spreading.inside)]
    common = index(..., *map(slice, np.minimum(kept.shape, dy.shape)[2:]))
    kept[common] = dy[common]
    parts = np.empty((*dy.shape[:2], *spreading.kernel, *spreading.sizes), dy.dtype)
    for tap, place in spreading.taps():
        parts[index(slice(None), slice(None), *tap)] = whole[index(..., *place)]
    places = prod(spreading.sizes)
    data = x.reshape(len(x), group, -1, places)
    rows = w.reshape(group, -1, prod(w.shape[1:]))
    spread = parts.reshape(len(x), group, -1, places)
    return (
        (rows @ spread).reshape(x.shape),
        (data @ spread.swapaxes(-1, -2)).sum(0).reshape(w.shape),
        None if run.optional(2) is None else dy.sum((0, *range(2, dy.ndim))),
    )
