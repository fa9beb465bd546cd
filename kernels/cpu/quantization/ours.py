"""Operators on 8-bit codes that no standard has: transposed convolutions, and resampling.

The convolution adds up whole numbers and scales the sums back as QLinearConv does. Resampling needs
no scales: its weights add up to 1, so that the result is coded as the data are. The weights are
whole numbers of 1/2048; a sum is rounded to even, counted from the zero point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.sliding import IntTuple, WindowOptions
from aidge_nb.kernels.cpu.convolution.standard import conv_transpose
from aidge_nb.kernels.cpu.quantization.standard import (
    factor_of,
    int32_sum,
    per_channel,
    requantized,
)
from aidge_nb.kernels.cpu.resampling.forward import ResizeOptions, resampled_axes
from aidge_nb.kernels.standard import OURS, Codes, Coding, standard


@standard("QLinearConvTranspose", domain=OURS, options=WindowOptions)
def q_linear_conv_transpose(
    x: Codes[Array],
    w: Codes[Array],
    y: Coding[Array],
    bias: Array | None,
    *,
    options: WindowOptions,
    group: int = 1,
    output_padding: IntTuple = (),
) -> Array:
    """Add up windows scaled by codes, and quantize; one scale of weights, or one per channel."""
    dims = w.codes.shape
    rank, outs = len(dims) - 2, dims[1] * group
    zeros = np.broadcast_to(w.zero.astype(np.float64).reshape(-1), (outs,))
    offsets = zeros.reshape(group, 1, -1, *[1] * rank)
    weights = w.codes.astype(np.float64).reshape(group, -1, *dims[1:]) - offsets
    total = conv_transpose(
        x.codes.astype(np.float64) - float(x.zero.reshape(-1)[0]),
        weights.reshape(dims),
        None if bias is None else bias.astype(np.float64),
        options=options,
        group=group,
        output_padding=output_padding,
    )
    factor = per_channel(factor_of(x.scale, w.scale, y.scale), rank)
    return requantized(int32_sum(total), factor, y.zero, y.zero.dtype)


WEIGHT_BITS = 11
"""Weights of a resampling are whole numbers that add up to two to the power of this."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """How one axis is resampled: places and whole weights, ``[tap, element of the result]``."""

    axis: int
    places: Array
    weights: Array


@dataclass(frozen=True)
class LinearOptions:
    """Attributes of a linear resampling, called as those of Resize."""

    axes: IntTuple = ()
    scales: tuple[float, ...] = ()
    sizes: IntTuple = ()
    coordinate_transformation_mode: str = "half_pixel"
    aspect_ratio: str = "stretch"
    antialias: int = 0
    exclude_outside: int = 0


def linear_places(dims: IntTuple, options: LinearOptions) -> tuple[Places, ...]:
    """Return how each axis that changes is resampled.

    Raise ShapeError when there are more than two, or some elements lie outside of the data.

    Examples
    --------
    >>> (found,) = linear_places((1, 2), LinearOptions(sizes=(1, 4)))
    >>> found.places.tolist()
    [[0, 0, 0, 1], [0, 1, 1, 1]]
    >>> found.weights.tolist()
    [[512, 1536, 512, 1536], [1536, 512, 1536, 512]]
    """
    plan = resampled_axes(dims, ResizeOptions(**vars(options)))
    if len(plan) > 2:
        raise ShapeError.at("", "codes are resampled along two axes at most", found=len(plan))
    one, found = 1 << WEIGHT_BITS, []
    for each in plan:
        if each.weights is None or each.outside is not None or each.weights.min(initial=0) < 0:
            raise ShapeError.at("", "only means of elements inside are resampled as codes")
        whole = np.floor(each.weights * one).astype(np.int32)
        largest = each.weights.argmax(0)
        whole[largest, np.arange(len(largest))] += one - whole.sum(0)
        found.append(Places(each.axis, each.indices.astype(np.int32), whole))
    return tuple(found)


@standard("ResizeCodes", domain=OURS, options=LinearOptions)
def resize_codes(x: Array, *, options: LinearOptions, zero: int = 0) -> Array:
    """Resample codes linearly; sums along both axes are rounded once."""
    plan = linear_places(x.shape, options)
    total = x.astype(np.int64) - zero
    for each in plan:
        behind = (-1, *[1] * (x.ndim - 1 - each.axis))
        total = sum(
            total.take(places, each.axis) * weights.reshape(behind)
            for places, weights in zip(each.places, each.weights.astype(np.int64), strict=True)
        ) + np.int64(0)
    bits = WEIGHT_BITS * len(plan)
    if not bits:
        return x.copy()
    whole, rest, half = total >> bits, total & ((1 << bits) - 1), 1 << (bits - 1)
    up = (rest > half) | ((rest == half) & (whole & 1 == 1))
    return np.asarray((whole + up + zero).astype(x.dtype))
