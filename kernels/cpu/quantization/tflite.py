"""Operators from codes to codes that round as TensorFlow Lite's reference kernels do.

They are called like those of ONNX and take the same inputs; sums are rescaled by a whole number and
a shift (:mod:`~aidge_nb.kernels.cpu.quantization.fixed_point`). ``least`` and ``most`` are the
bounds that an activation leaves. Images are channels, rows, columns, as everywhere here.

Source: https://github.com/tensorflow/tflite-micro (tensorflow/lite/kernels/internal/reference)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.sliding import WindowOptions, convolved
from aidge_nb.kernels.cpu.pooling.standard import window_sizes
from aidge_nb.kernels.cpu.quantization.fixed_point import (
    divided,
    exponential_table,
    high_product,
    multiplier_of,
    multipliers_of,
    reciprocal,
    rescaled,
    rescaled_wide,
)
from aidge_nb.kernels.cpu.quantization.interpolated import softmax_of_16_bits
from aidge_nb.kernels.cpu.quantization.standard import (
    divisor,
    int32_sum,
    integer_product,
    per_channel,
)
from aidge_nb.kernels.standard import TFLITE, AnyCoding, Codes, Coding, standard

F = np.float32


def real(scale: Array) -> float:
    """Return the one number of a scale, exactly."""
    return float(scale.reshape(-1)[0])


def whole(zero: Array | None) -> int:
    """Return the one number of a zero point, 0 without one."""
    return 0 if zero is None else int(zero.reshape(-1)[0])


def centred(x: Codes[Array], kind: type[np.generic] = np.int64) -> Array:
    """Return codes less their zero point."""
    return np.asarray(x.codes.astype(kind) - kind(whole(x.zero)))


def factors(x_scale: Array, w_scale: Array, y_scale: Array) -> Array:
    """Return the multiplier and the shift of each output channel."""
    product = float(x_scale.reshape(-1)[0]) * w_scale.astype(np.float64)
    return multipliers_of(product / float(divisor(y_scale).reshape(-1)[0]))


def is_wide(x: Array, bias: Array | None) -> bool:
    """Return whether sums have 64 bits: those of 16-bit codes, unless the bias has 32."""
    return x.dtype == np.int16 and (bias is None or bias.dtype != np.int32)


def codes_of(x: Array, zero: Array, least: int | None = None, most: int | None = None) -> Array:
    """Return codes of the type of their zero point, all that it has without bounds."""
    limits = np.iinfo(zero.dtype)
    ends = limits.min if least is None else least, limits.max if most is None else most
    return np.asarray(np.clip(x + whole(zero), *ends).astype(zero.dtype))


def away(x: Array) -> Array:
    """Round to whole numbers, halves away from zero."""
    magnitude = np.abs(x)
    floor = np.floor(magnitude)
    return np.asarray(np.copysign(floor + (magnitude - floor >= F(0.5)), x))


@standard("QuantizeLinear", domain=TFLITE)
def quantize_away(x: Array, y_scale: Array, zero: Array) -> Array:
    """Quantize, rounding halves away from zero; NaN becomes the zero point."""
    with np.errstate(over="ignore"):
        scaled = away(np.nan_to_num(x / y_scale.reshape(()), nan=0.0))
    limits = np.iinfo(zero.dtype)
    total = scaled.astype(np.float64) + whole(zero)
    return np.asarray(np.clip(total, limits.min, limits.max).astype(zero.dtype))


@standard("QuantizeImage", domain=TFLITE)
def quantize_image(x: Array, y_scale: Array, zero: Array) -> Array:
    """Quantize rows, columns, channels to channels, rows, columns."""
    return quantize_away(x, y_scale, zero).transpose(0, 3, 1, 2)


@standard("QLinearConv", domain=TFLITE, options=WindowOptions)
def conv(
    x: Codes[Array],
    w: Codes[Array],
    y: Coding[Array],
    bias: Array | None,
    *,
    options: WindowOptions,
    group: int = 1,
    least: int = -128,
    most: int = 127,
) -> Array:
    """Convolve codes, and rescale the sums."""
    kernel = w.codes.shape[2:]
    weights = w.codes.astype(np.float64)
    weights = weights - per_channel(w.zero.astype(np.float64), weights.ndim - 1)
    window = options.over(x.codes.shape[2:], kernel)
    total = convolved(centred(x, np.float64), weights, window, group)
    by = factors(x.scale, w.scale, y.scale)
    return _scaled_channels(total, bias, by, y.zero, least, most, is_wide(x.codes, bias))


def _scaled_channels(
    total: Array,
    bias: Array | None,
    by: Array,
    y_zero: Array,
    least: int,
    most: int,
    wide: bool = False,
) -> Array:
    rank = total.ndim - 2
    sums = total.astype(np.int64)
    if bias is not None:
        sums = sums + bias.reshape(-1, *[1] * rank)
    multiplier, shift = (per_channel(each.astype(np.int64), rank) for each in by.T)
    if wide:
        return codes_of(rescaled_wide(sums, multiplier, shift), y_zero, least, most)
    return codes_of(rescaled(int32_sum(sums), multiplier, shift), y_zero, least, most)


@standard("QLinearConvTranspose", domain=TFLITE, options=WindowOptions)
def conv_transpose(
    x: Codes[Array],
    w: Codes[Array],
    y: Coding[Array],
    bias: Array | None,
    *,
    options: WindowOptions,
    output_shape: tuple[int, ...],
    least: int = -128,
    most: int = 127,
) -> Array:
    """Spread codes over the windows, and rescale the sums; weights are in, out, rows, columns."""
    weights, data = centred(w, np.float64), centred(x, np.float64)
    strides = tuple(options.strides or (1,) * (data.ndim - 2))
    sizes, kernel = tuple(output_shape), weights.shape[2:]
    before = tuple((options.pads or (0,) * 2 * len(sizes))[: len(sizes)])
    full = [
        max((n - 1) * step + k, size + pad)
        for n, step, k, size, pad in zip(
            data.shape[2:], strides, kernel, sizes, before, strict=True
        )
    ]
    total = np.zeros((data.shape[0], weights.shape[1], *full))
    for tap in np.ndindex(*kernel):
        places = tuple(
            slice(at, at + (n - 1) * step + 1, step)
            for at, n, step in zip(tap, data.shape[2:], strides, strict=True)
        )
        product = np.tensordot(data, weights[(slice(None), slice(None), *tap)], ([1], [0]))
        total[(slice(None), slice(None), *places)] += np.moveaxis(product, -1, 1)
    inside = tuple(slice(pad, pad + size) for pad, size in zip(before, sizes, strict=True))
    total = total[(slice(None), slice(None), *inside)]
    by = factors(x.scale, w.scale, y.scale)
    return _scaled_channels(total, bias, by, y.zero, least, most, is_wide(x.codes, bias))


@standard("QGemm", domain=TFLITE)
def gemm(
    a: Codes[Array],
    b: Codes[Array],
    c: Array | None,
    y: Coding[Array],
    *,
    transB: int = 1,
    least: int = -128,
    most: int = 127,
) -> Array:
    """Return A B + C of codes, rescaled; one line of B per output unless ``transB`` is 0."""
    total = _product(a, b._replace(codes=b.codes.T) if transB else b)
    by = factors(a.scale, b.scale, y.scale)
    return _scaled_channels(total, c, by, y.zero, least, most, is_wide(a.codes, c))


def _product(a: Codes[Array], b: Codes[Array]) -> Array:
    if a.codes.dtype != np.int16:
        return integer_product(a.codes, b.codes, a.zero, b.zero)
    return np.asarray((centred(a, np.float64) @ centred(b, np.float64)).astype(np.int64))


@standard("QLinearMatMul", domain=TFLITE)
def mat_mul(a: Codes[Array], b: Codes[Array], y: Coding[Array]) -> Array:
    """Multiply stacks of matrices of codes, and rescale."""
    ((multiplier, shift),) = factors(a.scale, b.scale, y.scale).tolist()
    scaled = rescaled_wide if is_wide(a.codes, None) else rescaled
    return codes_of(scaled(_product(a, b), multiplier, shift), y.zero)


def pair_numbers(
    a: AnyCoding, b: AnyCoding, y: AnyCoding, last: Callable[[float], float]
) -> list[int]:
    """Return zero points of a and b, three factors, and the zero of y.

    The first two factors give a and b the same unit: twice the larger of their scales. ``last``
    returns the factor behind them by that unit.
    """
    unit = 2 * max(real(a.scale), real(b.scale))
    three = (real(a.scale) / unit, real(b.scale) / unit, last(unit))
    pairs = [number for each in three for number in multiplier_of(each)]
    return [whole(a.zero), whole(b.zero), *pairs, whole(y.zero)]


def terms(a: Array, b: Array, numbers: Sequence[int], bits: int) -> tuple[Array, Array]:
    """Return a and b in the unit of ``pair_numbers``, with so many bits behind the point."""
    left = rescaled((a.astype(np.int64) - numbers[0]) << bits, *numbers[2:4])
    return left, rescaled((b.astype(np.int64) - numbers[1]) << bits, *numbers[4:6])


def add_numbers(a: AnyCoding, b: AnyCoding, y: AnyCoding) -> list[int]:
    """Return zero points of a and b, the factors of both and of their sum, the zero of y."""
    behind = 2 ** bits_behind(y.zero) * real(divisor(y.scale))
    return pair_numbers(a, b, y, lambda unit: unit / behind)


def bits_behind(zero: Array | None) -> int:
    """Return how many bits behind the point the terms of a sum have."""
    return 15 if zero is not None and zero.dtype == np.int16 else 20


@standard("QLinearAdd", domain=TFLITE, overwrites=(0, 3))
def add(
    a: Codes[Array],
    b: Codes[Array],
    y: Coding[Array],
    *,
    sign: int = 1,
    least: int = -128,
    most: int = 127,
) -> Array:
    """Add codes, or subtract b where ``sign`` is -1, with 20 bits behind the point, or 15."""
    numbers = add_numbers(a, b, y)
    left, right = terms(a.codes, b.codes, numbers, bits_behind(y.zero))
    return codes_of(rescaled(left + sign * right, *numbers[6:8]), y.zero, least, most)


@standard("QLinearMul", domain=TFLITE, overwrites=(0, 3))
def mul(
    a: Codes[Array], b: Codes[Array], y: Coding[Array], *, least: int = -128, most: int = 127
) -> Array:
    """Multiply codes, and rescale."""
    ((multiplier, shift),) = factors(a.scale, b.scale, y.scale).tolist()
    return codes_of(rescaled(centred(a) * centred(b), multiplier, shift), y.zero, least, most)


@standard("QLinearAveragePool", domain=TFLITE, options=WindowOptions)
def average_pool(
    x: Array,
    *,
    options: WindowOptions,
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    least: int = -128,
    most: int = 127,
) -> Array:
    """Return the mean of the codes of each window, halves away from zero; scales are equal.

    Raise ShapeError when padding shall count: TensorFlow Lite never counts it.
    """
    if count_include_pad:
        raise ShapeError.at("count_include_pad", "padding is not counted", expected=0, found=1)
    sliding = options.over(x.shape[2:], ceil_mode=ceil_mode)
    views = sliding.views(x.astype(np.int64))
    axes = tuple(range(2, 2 + len(sliding.kernel)))
    total = views.sum(axes)
    count = np.asarray(window_sizes(sliding, x.shape[2:], False)).astype(np.int64)
    size = (np.abs(total) + count // 2) // count
    return np.asarray(np.clip(np.where(total > 0, size, -size), least, most).astype(x.dtype))


def mean_factor(
    x_scale: Array, y_scale: Array, count: int, is_sum: bool = False
) -> tuple[int, int]:
    """Return the factor of a sum of ``count`` codes that makes a mean of it, or rescales it."""
    multiplier, shift = multiplier_of(real(x_scale) / real(divisor(y_scale)))
    if is_sum:
        return multiplier, shift
    more = max(0, min(count.bit_length() - 1, 32, 31 + shift))
    return (multiplier << more) // count, shift - more


@standard("QLinearReduceMean", domain=TFLITE)
def reduce_mean(
    x: Codes[Array],
    y: Coding[Array],
    *,
    axes: tuple[int, ...],
    keepdims: int = 1,
    is_sum: int = 0,
) -> Array:
    """Return the mean along axes, or the sum, rescaled."""
    data = x.codes
    where = tuple(int(axis) % data.ndim for axis in axes)
    count = prod(data.shape[axis] for axis in where)
    if not count:
        raise ShapeError.at("input#0", "has no elements", cure="Leave the mean out.")
    total = data.astype(np.int64).sum(where, keepdims=bool(keepdims)) - whole(x.zero) * count
    by = mean_factor(x.scale, y.scale, count, bool(is_sum))
    return codes_of(rescaled(int32_sum(total), *by), y.zero)


@standard("QLinearSoftmax", domain=TFLITE)
def softmax(x: Array, x_scale: Array, *, beta: float = 1.0) -> Array:
    """Return the softmax along the last axis.

    Results have the scale 1/256 and the zero point -128, those of 16 bits 1/32768 and 0.
    """
    if x.dtype == np.int16:
        return softmax_of_16_bits(x, real(x_scale), float(beta))
    table = exponential_table(real(x_scale), float(beta)).astype(np.int64)
    powers = table[x.astype(np.int64) - x.max(-1, keepdims=True) + 255]
    total = divided(powers, 12).sum(-1, keepdims=True)
    length = np.frexp(total.astype(np.float64))[1].astype(np.int64)
    shares = high_product(reciprocal((total << (32 - length)) - 2**31), powers)
    codes = divided(shares, length - 20 + 23) - 128
    return np.asarray(np.clip(codes, -128, 127).astype(np.int8))
