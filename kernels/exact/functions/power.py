"""x to the power of y, operation by operation as in nb_pow.h."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.exact.functions.exponential import LN2, ROUNDER, exp_rest, powers_of_two
from aidge_nb.kernels.exact.functions.floats import F, bits_of, constants
from aidge_nb.kernels.exact.functions.logarithm import split


class Pair(NamedTuple):
    """Two floats whose sum is meant."""

    high: Array
    low: Array


def _constant(high: str, low: str) -> Pair:
    return Pair(np.asarray(F(float.fromhex(high))), np.asarray(F(float.fromhex(low))))


_TWO_THIRDS = _constant("0x1.555556p-1", "-0x1.555556p-26")
_ONE_OVER_LN2 = _constant("0x1.715476p+0", "0x1.4ae0c0p-26")
_SERIES = constants("0x1.745d18p-3", "0x1.c71c72p-3", "0x1.24924ap-2", "0x1.99999ap-2")
_LARGEST = F(2.0**40)


def _exact_sum(a: Array, b: Array) -> Pair:
    high = a + b
    other = high - a
    return Pair(high, (a - (high - other)) + (b - other))


def _exact_product(a: Array, b: Array) -> Pair:
    wide_a, wide_b = F(4097) * a, F(4097) * b
    a_high, b_high = wide_a - (wide_a - a), wide_b - (wide_b - b)
    a_low, b_low = a - a_high, b - b_high
    high = a * b
    low = ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low
    return Pair(high, low)


def _product(a: Pair, b: Pair) -> Pair:
    high, low = _exact_product(a.high, b.high)
    return _exact_sum(high, low + (a.high * b.low + a.low * b.high))


def _sum(a: Pair, b: Pair) -> Pair:
    high, low = _exact_sum(a.high, b.high)
    return _exact_sum(high, low + (a.low + b.low))


def _log2(x: Array) -> Pair:
    m, e = split(x)
    below, above = m - F(1), _exact_sum(m, np.asarray(F(1)))
    high = below / above.high
    back = _exact_product(high, above.high)
    low = (((below - back.high) - back.low) - high * above.low) / above.high
    s = Pair(high, low)
    z = high * high
    a, b, c, d = _SERIES
    q = (((a * z + b) * z + c) * z + d) * z
    factor = _sum(_TWO_THIRDS, Pair(q, np.zeros_like(q)))
    cube = _product(_product(s, s), s)
    ln = _sum(Pair(high + high, low + low), _product(cube, factor))
    return _sum(Pair(e, np.zeros_like(e)), _product(ln, _ONE_OVER_LN2))


def _of_positive(x: Array, y: Array) -> Array:
    not_low = np.where(y < -_LARGEST, -_LARGEST, y)
    exponent = np.where(not_low > _LARGEST, _LARGEST, not_low)
    log2 = _log2(x)
    product = _exact_product(exponent, log2.high)
    high = np.where(product.high < F(-200), F(-200), product.high)
    limited = np.where(high > F(200), F(200), high)
    t = limited + ROUNDER
    n = t - ROUNDER
    low = product.low + exponent * log2.low
    r = (limited - n) + np.where(np.abs(product.high) < F(200), low, F(0))
    first, second = powers_of_two(bits_of(t) - bits_of(np.asarray(ROUNDER)))
    return np.asarray(((exp_rest(r * LN2) + F(1)) * first) * second)


def power(x: Array, y: Array) -> Array:
    """Return x to the power of y, of float32 arrays that are broadcast.

    Examples
    --------
    >>> power(np.float32([2, -2, 9]), np.float32([10, 3, 0.5])).tolist()
    [1024.0, -8.0, 3.0]
    """
    x, y = np.broadcast_arrays(x, y)
    dims = x.shape
    x, y = np.ascontiguousarray(x).reshape(-1), np.ascontiguousarray(y).reshape(-1)
    a, size = np.abs(x), np.abs(y)
    is_whole = (size >= F(8388608)) | (np.trunc(y) == y)
    is_odd = is_whole & (size < F(16777216)) & (F(2) * np.trunc(F(0.5) * y) != y)
    is_limit = (a == 0) | np.isinf(a)
    usual = ~is_limit & ~np.isnan(x)
    result = _of_positive(np.where(usual, a, F(1)), np.where(np.isfinite(y), y, F(0)))
    grows = (a > 0) == (y > 0)
    result = np.where(is_limit, np.where(grows, F(np.inf), F(0)), result)
    result = np.where(~is_limit & (x < 0) & ~is_whole, F(np.nan), result)
    result = np.where(np.signbit(x) & is_odd, -result, result)
    beyond = np.where((a > 1) == (y > 0), F(np.inf), F(0))
    result = np.where(np.isinf(y), np.where(a == 1, F(1), beyond), result)
    for exponent, simple in ((-1, F(1) / x), (3, (x * x) * x), (2, x * x), (1, x)):
        result = np.where(y == F(exponent), simple, result)
    result = np.where(np.isnan(x) | np.isnan(y), F(np.nan), result)
    return np.where((y == 0) | (x == 1), F(1), result).reshape(dims)
