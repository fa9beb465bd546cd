"""The exponential function and what follows from it, operation by operation as in nb_exp.h."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.exact.functions.floats import F, bits_of, blockwise, constants, from_bits

ROUNDER = F(12582912.0)  # 1.5 * 2**23: adding it leaves a whole number in the low bits
LOG2_E = F(float.fromhex("0x1.715476p+0"))
LN2 = F(float.fromhex("0x1.62e430p-1"))
LN2_HIGH = F(0.693359375)
LN2_LOW = F(float.fromhex("-0x1.bd0106p-13"))

_REST = constants(
    "0x1.6a4f88p-10", "0x1.123988p-7", "0x1.5558aep-5", "0x1.555492p-3", "0x1.fffffcp-2"
)
_TANH = constants(
    "-0x1.750ce4p-8", "0x1.51f8cep-6", "-0x1.b835a4p-5", "0x1.1106f6p-3", "-0x1.555532p-2"
)


def polynomial(x: Array, coefficients: tuple[F, ...]) -> Array:
    """Evaluate a polynomial by Horner's rule, highest power first."""
    value = np.asarray(coefficients[0])
    for coefficient in coefficients[1:]:
        value = value * x + coefficient
    return np.asarray(value)


def exp_rest(r: Array) -> Array:
    """Return exp(r) - 1 for abs(r) <= 0.35."""
    return np.asarray((r * r) * polynomial(r, _REST) + r)


def _power_of_two(n: Array) -> Array:
    return from_bits((n + np.uint32(127)) << np.uint32(23))


def powers_of_two(k: Array) -> tuple[Array, Array]:
    """Return two factors of 2**k, which itself can be out of range; k as two's complement."""
    first = ((k + np.uint32(512)) >> np.uint32(1)) - np.uint32(256)
    return _power_of_two(first), _power_of_two(k - first)


def _reduced(v: Array) -> tuple[Array, Array, Array]:
    """Split v into n ln 2 + r; n comes as a number and in two's complement."""
    t = v * LOG2_E + ROUNDER
    n = t - ROUNDER
    r = (v - n * LN2_HIGH) - n * LN2_LOW
    return n, r, bits_of(t) - bits_of(np.asarray(ROUNDER))


def _clamped(x: Array, low: float) -> Array:
    not_low = np.where(x < F(low), F(low), x)
    return np.where(not_low > F(91), F(91), not_low)


def exp_scaled(x: Array, shift: int) -> Array:
    """Return exp(x) * 2**shift, for a shift of -1, 0 or 1."""
    _, r, k = _reduced(_clamped(x, -106))
    first, second = powers_of_two(k + np.uint32(shift & 0xFFFFFFFF))
    return np.asarray(((exp_rest(r) + F(1)) * first) * second)


def exp_of(x: Array) -> Array:
    """Return e to the power of x; for blocks."""
    return exp_scaled(x, 0)


exp = blockwise(exp_of)


def expm1_of(x: Array) -> Array:
    """Return exp(x) - 1; for blocks."""
    n, r, k = _reduced(_clamped(x, -18))
    a, b = powers_of_two(k)
    y = (exp_rest(r) * a) * b + (a * b - F(1))
    large = ((exp_rest(r) + F(1)) * a) * b
    found = np.where(n > F(100), large, y)
    return np.where(n == F(0), np.copysign(exp_rest(x), x), found)


expm1 = blockwise(expm1_of)


@blockwise
def sigmoid(x: Array) -> Array:
    """Return 1 / (1 + exp(-x))."""
    e = exp_of(-np.abs(x))
    above = np.where(x >= F(0), F(1), e)
    return np.asarray(above / (F(1) + e))


@blockwise
def tanh(x: Array) -> Array:
    """Return the hyperbolic tangent."""
    magnitude = np.abs(x)
    z = x * x
    small = (polynomial(z, _TANH) * z) * x + x
    large = F(1) - F(2) / (exp_of(magnitude + magnitude) + F(1))
    return np.copysign(np.where(magnitude < F(0.625), small, large), x)


@blockwise
def sinh(x: Array) -> Array:
    """Return the hyperbolic sine."""
    magnitude = np.abs(x)
    e = expm1_of(magnitude)
    small = F(0.5) * (e + e / (e + F(1)))
    large = exp_scaled(magnitude, -1)
    return np.copysign(np.where(magnitude < F(20), small, large), x)


@blockwise
def cosh(x: Array) -> Array:
    """Return the hyperbolic cosine."""
    e = exp_scaled(np.abs(x), -1)
    return np.asarray(e + F(0.25) / e)
