"""Sine, cosine, tangent and their inverses, operation by operation as in nb_trigonometry.h."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.exact.functions.exponential import polynomial
from aidge_nb.kernels.exact.functions.floats import F, bits_of, blockwise, constants, from_bits

_HALF_PI = F(float.fromhex("0x1.921fb6p+0"))
_HALF_PI_REST = F(float.fromhex("-0x1.777a5cp-25"))
_TAN_22_DEGREES = F(float.fromhex("0x1.a8279ap-2"))
_TWO_OVER_PI = np.array(
    [
        *(0x00000000, 0xA2F9836E, 0x4E441529, 0xFC2757D1),
        *(0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB),
    ],
    np.uint64,
)
_U32, _U64 = np.uint32, np.uint64


_SIN = constants("0x1.7c2da4p-19", "-0x1.a05956p-13", "0x1.111174p-7", "-0x1.555556p-3")
_COS = constants("0x1.99e80cp-16", "-0x1.6c0c28p-10", "0x1.55554ap-5")
_TAN = constants(
    *("0x1.1e8deep-8", "0x1.9d8f0cp-14", "0x1.62c982p-7", "0x1.5cc106p-6"),
    *("0x1.bad9c0p-5", "0x1.110d9ep-3", "0x1.555560p-2"),
)
_ASIN = constants(
    *("0x1.34d062p-5", "0x1.d51124p-7", "0x1.04d36cp-5"),
    *("0x1.6ca750p-5", "0x1.3338acp-4", "0x1.55554cp-3"),
)
_ATAN = constants(
    *("-0x1.f2e5aap-5", "0x1.b22456p-4", "-0x1.23b9a2p-3"),
    *("0x1.9991e2p-3", "-0x1.55554ap-2"),
)


def _reduce(x: Array) -> tuple[Array, Array]:
    """Split abs(x) into quadrant * pi / 2 + rest."""
    bits = bits_of(x) & _U32(0x7FFFFFFF)
    is_small, is_number = bits < _U32(0x3F490FDB), bits < _U32(0x7F800000)
    usual = np.where(is_small | ~is_number, _U32(0x3F800000), bits)
    m = ((usual & _U32(0x007FFFFF)) | _U32(0x00800000)).astype(_U64)
    skipped = (usual >> _U32(23)) - _U32(120)
    word, shift = (skipped >> _U32(5)).astype(np.intp), (skipped & _U32(31)).astype(_U64)
    part = []
    for i in range(3):
        pair = (_TWO_OVER_PI[word + i] << _U64(32)) | _TWO_OVER_PI[word + i + 1]
        part.append(((pair << shift) >> _U64(32)) & _U64(0xFFFFFFFF))
    turn = ((m * part[0]) << _U64(32)) + m * part[1] + ((m * part[2]) >> _U64(32))
    quadrant = ((turn + _U64(1 << 61)) >> _U64(62)).astype(_U32) & _U32(3)
    rest = turn << _U64(2)
    is_negative = (rest >> _U64(63)) != 0
    size = np.where(is_negative, _U64(0) - rest, rest)
    high = (size & _U64(0xFFFFFF0000000000)).astype(F)
    low = (size & _U64(0x000000FFFFFFFFFF)).astype(F)
    quarter = F(2.0**-64)
    a = (high + low) * quarter
    lost = ((high - (high + low)) + low) * quarter
    product = a * _HALF_PI + (lost * _HALF_PI + a * _HALF_PI_REST)
    angle = np.where(is_negative, -product, product)
    angle = np.where(is_small, from_bits(bits), np.where(is_number, angle, F(np.nan)))
    return np.where(is_small | ~is_number, _U32(0), quadrant), angle


def _sin_rest(r: Array) -> Array:
    z = r * r
    return np.asarray((polynomial(z, _SIN) * z) * r + r)


def _cos_rest(r: Array) -> Array:
    z = r * r
    half = F(0.5) * z
    w = F(1) - half
    return np.asarray(w + (((F(1) - w) - half) + (z * z) * polynomial(z, _COS)))


def _signed(value: Array, is_negative: Array) -> Array:
    return np.where(is_negative, -value, value)


@blockwise
def sin(x: Array) -> Array:
    """Return the sine."""
    quadrant, rest = _reduce(x)
    y = np.where((quadrant & 1) != 0, _cos_rest(rest), _sin_rest(rest))
    return _signed(_signed(y, (quadrant & 2) != 0), np.signbit(x))


@blockwise
def cos(x: Array) -> Array:
    """Return the cosine."""
    quadrant, rest = _reduce(x)
    y = np.where((quadrant & 1) != 0, _sin_rest(rest), _cos_rest(rest))
    return _signed(y, ((quadrant + _U32(1)) & 2) != 0)


@blockwise
def tan(x: Array) -> Array:
    """Return the tangent."""
    quadrant, rest = _reduce(x)
    z = rest * rest
    t = (polynomial(z, _TAN) * z) * rest + rest
    return _signed(np.where((quadrant & 1) != 0, F(-1) / t, t), np.signbit(x))


def _asin_rest(x: Array) -> Array:
    z = x * x
    return np.asarray((polynomial(z, _ASIN) * z) * x + x)


@blockwise
def asin(x: Array) -> Array:
    """Return the inverse sine."""
    a = np.abs(x)
    root = np.sqrt(F(0.5) * (F(1) - a))
    large = _HALF_PI - (F(2) * _asin_rest(root) - _HALF_PI_REST)
    return np.copysign(np.where(a < F(0.5), _asin_rest(a), large), x)


@blockwise
def acos(x: Array) -> Array:
    """Return the inverse cosine."""
    a = np.abs(x)
    twice = F(2) * _asin_rest(np.sqrt(F(0.5) * (F(1) - a)))
    below = F(2) * _HALF_PI - (twice - F(2) * _HALF_PI_REST)
    small = _HALF_PI - (_asin_rest(x) - _HALF_PI_REST)
    return np.where(a < F(0.5), small, np.where(x < F(0), below, twice))


@blockwise
def atan(x: Array) -> Array:
    """Return the inverse tangent."""
    a = np.abs(x)
    is_steep = a > F(1)
    b = np.where(is_steep, F(1) / a, a)
    is_middle = b > _TAN_22_DEGREES
    c = np.where(is_middle, (b - F(1)) / (b + F(1)), b)
    z = c * c
    rest = (polynomial(z, _ATAN) * z) * c
    middle = F(0.5) * _HALF_PI + ((rest + F(0.5) * _HALF_PI_REST) + c)
    flat = np.where(is_middle, middle, rest + c)
    steep = _HALF_PI - (flat - _HALF_PI_REST)
    return np.asarray(np.copysign(np.where(is_steep, steep, flat), x))
