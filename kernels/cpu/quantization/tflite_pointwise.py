"""Operators on codes, element by element, that round as TensorFlow Lite's reference kernels do.

Source: https://github.com/tensorflow/tflite-micro (tensorflow/lite/kernels/internal/reference)
"""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.quantization.fixed_point import (
    divided,
    high_product,
    multiplier_of,
    reciprocal,
    rescaled,
)
from aidge_nb.kernels.cpu.quantization.interpolated import (
    sigmoid_of_16_bits,
    tangent_of_16_bits,
)
from aidge_nb.kernels.cpu.quantization.standard import divisor
from aidge_nb.kernels.cpu.quantization.tflite import (
    centred,
    codes_of,
    factors,
    pair_numbers,
    real,
    terms,
    whole,
)
from aidge_nb.kernels.standard import TFLITE, AnyCoding, Codes, Coding, standard


@standard("QLinearSigmoid", domain=TFLITE, overwrites=(0,))
def sigmoid(x: Array, *, multiplier: int, shift: int) -> Array:
    """Return the sigmoid of 16-bit codes, between entries of a table."""
    return sigmoid_of_16_bits(x, (multiplier, shift))


@standard("QLinearTanh", domain=TFLITE, overwrites=(0,))
def tanh(x: Array, *, multiplier: int, shift: int) -> Array:
    """Return the hyperbolic tangent of 16-bit codes, between entries of a table."""
    return tangent_of_16_bits(x, (multiplier, shift))


@standard("QLinearRescale", domain=TFLITE)
def rescale(
    x: Array,
    x_zero: Array,
    y_zero: Array,
    *,
    by: tuple[int, ...],
    least: int,
    most: int,
) -> Array:
    """Rescale codes; ``by`` are multipliers and shifts from zero on, and below zero."""
    number = x.astype(np.int64) - whole(x_zero)
    above, below = rescaled(number, *by[:2]), rescaled(number, *by[2:])
    return codes_of(np.where(number >= 0, above, below), y_zero, least, most)


def prelu_factors(x: AnyCoding, slope: AnyCoding, y: AnyCoding) -> list[int]:
    """Return multipliers and shifts of positive numbers, and of products with slopes."""
    above = multiplier_of(real(x.scale) / real(divisor(y.scale)))
    return [*above, *factors(x.scale, slope.scale, y.scale).reshape(-1)[:2].tolist()]


@standard("QLinearPRelu", domain=TFLITE)
def prelu(x: Codes[Array], slope: Codes[Array], y: Coding[Array]) -> Array:
    """Rescale codes; those of negative numbers are multiplied by a slope."""
    by, above = prelu_factors(x, slope, y), centred(x)
    product = above * centred(slope)
    return codes_of(
        np.where(above >= 0, rescaled(above, *by[:2]), rescaled(product, *by[2:])), y.zero
    )


def quotient_factor(a: AnyCoding, b: AnyCoding, y: AnyCoding) -> tuple[int, int]:
    """Return the multiplier and the shift of quotients."""
    return multiplier_of(real(a.scale) / (real(divisor(b.scale)) * real(divisor(y.scale))))


def inverses(size: Array) -> Array:
    """Return 1 / x of whole numbers of at most 32 bits, as fractions of their last power of two."""
    length = np.frexp(np.maximum(size, 1).astype(np.float64))[1].astype(np.int64)
    return reciprocal((np.maximum(size, 1) << (32 - length)) - 2**31)


@standard("QLinearDiv", domain=TFLITE)
def div(
    a: Codes[Array], b: Codes[Array], y: Coding[Array], *, least: int = -128, most: int = 127
) -> Array:
    """Divide codes; what is divided by zero becomes the least or the largest."""
    left, right = centred(a), centred(b)
    multiplier, shift = quotient_factor(a, b, y)
    signed, size = np.where(right < 0, -left, left), np.maximum(np.abs(right), 1)
    length = np.frexp(size.astype(np.float64))[1].astype(np.int64)
    magnitude = np.where(signed < 0, ~signed, signed)
    room = 31 - np.frexp(magnitude.astype(np.float64))[1].astype(np.int64)
    quotient = high_product(high_product(signed << room, inverses(size)), multiplier)
    places = np.clip(length - 1 + room - shift, 0, 62)
    result = np.where(right == 0, np.sign(left) * 2**16, divided(quotient, places))
    return codes_of(result, y.zero, least, most)


def difference_numbers(a: AnyCoding, b: AnyCoding, y: AnyCoding) -> list[int]:
    """Return zero points of a and b, factors of both and of the square, the zero of y."""
    behind = (1 << 2 * square_bits(y.zero)) * real(divisor(y.scale))
    return pair_numbers(a, b, y, lambda unit: unit * unit / behind)


def square_bits(zero: Array | None) -> int:
    """Return how many bits behind the point numbers have before they are squared."""
    return 0 if zero is not None and zero.dtype == np.int16 else 7


@standard("QLinearSquaredDifference", domain=TFLITE)
def squared_difference(a: Codes[Array], b: Codes[Array], y: Coding[Array]) -> Array:
    """Return (a - b)² of codes."""
    numbers = difference_numbers(a, b, y)
    left, right = terms(a.codes, b.codes, numbers, square_bits(y.zero))
    return codes_of(rescaled((left - right) ** 2, *numbers[6:8]), y.zero)


def bilinear_places(size: int, wanted: int, corners: bool, half: bool) -> Array:
    """Return per place: the element before, the one after, and the way between, of 1024."""
    step = (1024 * size + wanted // 2) // wanted
    if corners and wanted > 1:
        step = (1024 * (size - 1) + (wanted - 1) // 2) // (wanted - 1)
    place = np.arange(wanted, dtype=np.int64) * step + (step // 2 - 512 if half else 0)
    before = np.maximum(np.where(place >= 0, place >> 10, -(-place >> 10)), 0)
    above = place + 1023
    after = np.minimum(np.where(above >= 0, above >> 10, -(-above >> 10)), size - 1)
    return np.stack([before, after, place - 1024 * before], -1).astype(np.int32)


@standard("QLinearBilinear", domain=TFLITE)
def bilinear(
    x: Array, *, sizes: tuple[int, ...], align_corners: int = 0, half_pixel: int = 0
) -> Array:
    """Resize images of codes to rows and columns, with steps of 1/1024."""
    rows, columns = (
        bilinear_places(size, wanted, bool(align_corners), bool(half_pixel)).astype(np.int64)
        for size, wanted in zip(x.shape[2:], sizes, strict=True)
    )
    data, down = x.astype(np.int64), rows[:, 2, None]
    upper, lower = data[:, :, rows[:, 0]], data[:, :, rows[:, 1]]
    ways = (1024 - columns[:, 2], columns[:, 2])
    total = sum(
        (upper[..., columns[:, side]] * (1024 - down) + lower[..., columns[:, side]] * down) * way
        for side, way in enumerate(ways)
    )
    size = (np.abs(total) + 2**19) >> 20
    return np.asarray(np.where(total > 0, size, -size).astype(x.dtype))
