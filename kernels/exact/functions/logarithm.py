"""The natural logarithm and what follows from it, operation by operation as in nb_log.h."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.exact.functions.exponential import LN2, LN2_HIGH, LN2_LOW, exp_of, polynomial
from aidge_nb.kernels.exact.functions.floats import F, bits_of, blockwise, constants, from_bits

TINY = F(1.17549435e-38)  # smaller ones are subnormal
_LARGE = F(1048576.0)

_LOG = constants(
    "0x1.147962p-4",
    "-0x1.de0d26p-4",
    "0x1.e6c372p-4",
    "-0x1.fc278ap-4",
    "0x1.233b62p-3",
    "-0x1.555c48p-3",
    "0x1.99a478p-3",
    "-0x1.000006p-2",
    "0x1.555548p-2",
)


def split(x: Array) -> tuple[Array, Array]:
    """Return m and e of x = 2**e * m, with m between sqrt(1/2) and sqrt(2)."""
    is_tiny = x < TINY
    bits = bits_of(np.where(is_tiny, x * F(8388608), x))
    biased = (bits + np.uint32(0x3F800000 - 0x3F3504F3)) >> np.uint32(23)
    m = from_bits(bits - (biased << np.uint32(23)) + np.uint32(0x3F800000))
    return m, biased.astype(F) - np.where(is_tiny, F(150), F(127))


def log_of(x: Array) -> Array:
    """Return the natural logarithm; for blocks."""
    m, e = split(x)
    f = m - F(1)
    z = f * f
    rest = ((f * z) * polynomial(f, _LOG) + e * LN2_LOW) - F(0.5) * z
    found = (f + rest) + e * LN2_HIGH
    special = np.where(x > F(0), x, np.where(x == F(0), F(-np.inf), F(np.nan)))
    return np.where((x > F(0)) & (x < F(np.inf)), found, special)


log = blockwise(log_of)


def log1p_of(x: Array) -> Array:
    """Return ln(1 + x); for blocks."""
    total = F(1) + x
    lost = x - (total - F(1))
    of_total = log_of(total)
    is_usual = (total > F(0)) & (total < F(np.inf))
    return np.where(is_usual, of_total + lost / total, of_total)


@blockwise
def asinh(x: Array) -> Array:
    """Return the inverse hyperbolic sine."""
    a = np.abs(x)
    square = a * a
    small = log1p_of(a + square / (F(1) + np.sqrt(square + F(1))))
    large = log_of(a) + LN2
    return np.copysign(np.where(a < _LARGE, small, large), x)


@blockwise
def acosh(x: Array) -> Array:
    """Return the inverse hyperbolic cosine."""
    t = x - F(1)
    small = log1p_of(t + np.sqrt(F(2) * t + t * t))
    large = log_of(x) + LN2
    return np.where(x < F(1), F(np.nan), np.where(x < _LARGE, small, large))


@blockwise
def atanh(x: Array) -> Array:
    """Return the inverse hyperbolic tangent."""
    a = np.abs(x)
    return np.copysign(F(0.5) * log1p_of((a + a) / (F(1) - a)), x)


@blockwise
def softplus(x: Array) -> Array:
    """Return ln(1 + exp(x))."""
    positive = np.where(x < F(0), F(0), x)
    return np.asarray(positive + log1p_of(exp_of(-np.abs(x))))
