"""Fixed-point arithmetic of TensorFlow Lite: real factors as a whole number and a shift.

Products keep their upper half, halves rounded upwards, and are then divided by a power of two,
halves rounded away from zero: two roundings, as the reference kernels do it. All functions take and
return int64 arrays that hold numbers of 32 bits.

Sources: B. Jacob and others, Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference, 2018; https://github.com/google/gemmlowp (fixedpoint).
"""

from __future__ import annotations

import math

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array

ONE = 2**31 - 1
_QUARTER_POWERS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
"""exp(-1/4), exp(-1/2), exp(-1) … exp(-16), as fractions of 2^31."""
_EXP_OF_EIGHTH = 1895147668  # exp(-1/8)
_THIRD = 715827883
_START, _SLOPE = 1515870810, -1010580540  # 48/17 and -32/17, as fractions of 2^29


def multiplier_of(real: float) -> tuple[int, int]:
    """Return the whole number and the shift that stand for a factor.

    Examples
    --------
    >>> multiplier_of(0.75)
    (1610612736, 0)
    >>> multiplier_of(3.0)
    (1610612736, 2)
    """
    part, shift = math.frexp(real)
    whole = math.floor(part * 2**31 + 0.5)
    if whole == 2**31:
        whole, shift = whole // 2, shift + 1
    if shift < -31:
        return 0, 0
    return (whole, shift) if shift <= 30 else (ONE, 30)


def multipliers_of(reals: Array) -> Array:
    """Return whole numbers and shifts of several factors, one pair per line, as int32."""
    pairs = [multiplier_of(float(real)) for real in np.asarray(reals, np.float64).reshape(-1)]
    return np.asarray(pairs, np.int32).reshape(-1, 2)


def kept(x: Array) -> Array:
    """Keep numbers within 32 bits."""
    return np.clip(x, -(2**31), 2**31 - 1)


def high_product(a: Array, b: Array | int) -> Array:
    """Return ``a · b / 2^31``, to the nearest number, halves upwards.

    Examples
    --------
    >>> high_product(np.array([5, -5]), 2**30).tolist()
    [3, -2]
    """
    return kept((np.asarray(a, np.int64) * b + 2**30) >> 31)


def divided(x: Array, exponent: Array | int) -> Array:
    """Return ``x / 2^exponent``, rounded half away from zero.

    Examples
    --------
    >>> divided(np.array([3, -3, 2]), 1).tolist()
    [2, -2, 1]
    """
    mask = (np.int64(1) << np.asarray(exponent, np.int64)) - 1
    return np.asarray((x >> exponent) + ((x & mask) > (mask >> 1) + (x < 0)))


def rescaled(x: Array, multiplier: Array | int, shift: Array | int) -> Array:
    """Return x times a factor; see :func:`multiplier_of`."""
    left = np.maximum(shift, 0)
    wide = kept(np.asarray(x, np.int64) << left)
    return divided(high_product(wide, multiplier), np.maximum(-np.asarray(shift), 0))


def rescaled_wide(x: Array, multiplier: Array | int, shift: Array | int) -> Array:
    """Return sums of 64 bits times a factor, of whose whole number the upper half is taken.

    Halves are rounded up, once.

    Examples
    --------
    >>> rescaled_wide(np.array([5, -5, 2**40]), *multiplier_of(0.5)).tolist()
    [3, -2, 549755813888]
    """
    wide = np.asarray(multiplier, np.int64)
    upper = np.where(wide < 0x7FFF0000, (wide + 2**15) >> 16, 0x7FFF)
    places = 15 - np.asarray(shift, np.int64)
    return np.asarray((np.asarray(x, np.int64) * upper + (np.int64(1) << (places - 1))) >> places)


def exponential(x: Array, integer_bits: int) -> Array:
    """Return exp(x) of x <= 0 as fractions of 2^31; x are fractions of ``2^(31 - integer_bits)``.

    The multiple of 1/4 is one product per bit, the rest a polynomial of the fourth degree.
    """
    quarter = 1 << (29 - integer_bits)
    rest = (x & (quarter - 1)) - quarter
    left = rest - x
    result = _exponential_of_quarter(rest << integer_bits)
    for exponent, factor in enumerate(_QUARTER_POWERS, -2):
        bit = 31 - integer_bits + exponent
        if exponent < integer_bits:
            result = np.where((left >> bit) & 1, high_product(result, factor), result)
    return np.where(x == 0, ONE, result)


def _exponential_of_quarter(x: Array) -> Array:
    at = x + (1 << 28)
    square = high_product(at, at)
    cube, fourth = high_product(square, at), high_product(square, square)
    tail = high_product(divided(fourth, 2) + cube, _THIRD) + square
    return _EXP_OF_EIGHTH + high_product(at + divided(tail, 1), _EXP_OF_EIGHTH)


def _newton(x: Array) -> Array:
    """Return 2 / (1 + x) of x in [0, 1), as fractions of 2^29, by three Newton steps."""
    half = (x + ONE + 1) >> 1
    guess = _START + high_product(half, _SLOPE)
    for _ in range(3):
        error = (1 << 29) - high_product(half, guess)
        guess = guess + kept(high_product(guess, error) << 2)
    return guess


def reciprocal(x: Array) -> Array:
    """Return 1 / (1 + x) of x in [0, 1), both as fractions of 2^31."""
    return kept(_newton(x) << 1)


def logistic(x: Array, scale: float, zero: int) -> Array:
    """Return codes (scale 1/256, zero point -128) of 1 / (1 + exp(-x)) of codes x."""
    value, radius, centred = _in_four_bits(x, scale, zero)
    positive = reciprocal(exponential(-np.abs(value), 4))
    result = np.where(value > 0, positive, ONE - positive)
    codes = divided(np.where(value == 0, 1 << 30, result), 23) - 128
    return _saturated(codes, centred, radius)


def hyperbolic_tangent(x: Array, scale: float, zero: int) -> Array:
    """Return codes (scale 1/128, zero point 0) of tanh(x) of codes x."""
    value, radius, centred = _in_four_bits(x, scale, zero)
    size = kept((_newton(exponential(-np.abs(value), 5)) - (1 << 29)) << 2)
    codes = divided(np.where(value == 0, 0, np.where(value > 0, size, -size)), 24)
    return _saturated(codes, centred, radius)


def _in_four_bits(x: Array, scale: float, zero: int) -> tuple[Array, int, Array]:
    """Return numbers as fractions of 2^27, and the distance to zero from which they saturate."""
    multiplier, shift = multiplier_of(scale * 2**27)
    centred = x.astype(np.int64) - zero
    radius = math.floor(15 * 2.0**27 / 2.0**shift)
    inside = np.clip(centred, -radius, radius)
    return rescaled(inside, multiplier, shift), radius, centred


def _saturated(codes: Array, centred: Array, radius: int) -> Array:
    within = np.where(centred <= -radius, -128, np.where(centred >= radius, 127, codes))
    return np.clip(within, -128, 127).astype(np.int8)


def hard_swish_codes(x: Array, scale: float, zero: int, y_scale: float, y_zero: int) -> Array:
    """Return codes of x · relu6(x + 3) / 6 of codes x, by products of 16 bits."""
    single = np.float32
    fine = single(single(1 / 128) * single(scale))
    factor, shift = _short(float(fine / single(y_scale)))
    gate_factor, gate_shift = _short(float(fine / single(3 / 32768)))
    wide = (x.astype(np.int64) - zero) << 7
    shown = _short_product(wide, factor)
    gate = _kept_short(wide << max(gate_shift - 1, 0))
    gate = _short_product(gate, gate_factor)
    if gate_shift > 0:
        gate = _kept_short(gate << 1)
    else:
        gate = divided(gate, -gate_shift)
    product = ((gate + (1 << 15)) >> 1) * shown
    upper = np.where(product >= 0, product >> 15, -(-product >> 15))
    return divided(upper, max(-shift, 0)) + y_zero


def _short(real: float) -> tuple[int, int]:
    multiplier, shift = multiplier_of(real)
    return (0x7FFF if multiplier >= 0x7FFF0000 else (multiplier + (1 << 15)) >> 16), shift


def _kept_short(x: Array) -> Array:
    return np.clip(x, -(2**15), 2**15 - 1)


def _short_product(a: Array, b: int) -> Array:
    return np.asarray((a * b + (1 << 14)) >> 15)


def exponential_table(scale: float, beta: float) -> Array:
    """Return exp of the 256 differences that a code can have to the largest of its line."""
    multiplier, shift = multiplier_of(min(beta * scale * 2.0**26, 2.0**31 - 1))
    differences = np.arange(-255, 1, dtype=np.int64)
    least = -math.floor(31 * 2.0**26 / 2.0**shift)
    inside = np.maximum(differences, least)
    powers = exponential(rescaled(inside, multiplier, shift), 5)
    return np.where(differences >= least, powers, 0).astype(np.int32)
