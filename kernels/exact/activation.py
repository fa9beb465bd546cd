"""Activations."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.exact.functions.error_function import erf
from aidge_nb.kernels.exact.functions.exponential import expm1, sigmoid, tanh
from aidge_nb.kernels.exact.functions.floats import F, float32
from aidge_nb.kernels.exact.functions.logarithm import softplus
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import activation as specs
from aidge_nb.ops.rules import choice_of

_SQRT_HALF = F(float.fromhex("0x1.6a09e6p-1"))
_SQRT_2_OVER_PI = F(float.fromhex("0x1.988454p-1"))


@kernel(specs.RELU, backend="exact")
def relu(x: Array) -> Array:
    """Return +0 where x is less than 0, else x: NaN stays NaN, -0 stays -0."""
    return np.where(x < 0, x.dtype.type(0), x)


@kernel(specs.SIGMOID, backend="exact")
def sigmoid_of(x: Array) -> Array:
    """Return 1 / (1 + exp(-x))."""
    return sigmoid(float32(x))


@kernel(specs.SOFTPLUS, backend="exact")
def softplus_of(x: Array) -> Array:
    """Return ln(1 + exp(x))."""
    return softplus(float32(x))


@kernel(specs.LEAKY_RELU, backend="exact")
def leaky_relu(x: Array, *, negative_slope: float) -> Array:
    """Return x where it is positive, ``negative_slope`` x elsewhere."""
    x = float32(x)
    return np.where(x > 0, x, F(negative_slope) * x)


def _between(x: Array, low: F, high: F) -> Array:
    above = np.where(x < low, low, x)
    return np.where(above > high, high, above)


@kernel(specs.CLIP, backend="exact")
def clip(x: Array, low: Array | None, high: Array | None, *, min: float, max: float) -> Array:
    """Keep values between two bounds, the upper one last; NaN stays NaN."""
    lower, upper = _bound(low, min, x), _bound(high, max, x)
    return _between(x, lower, upper)


def _bound(tensor: Array | None, attribute: float, x: Array) -> F:
    value = float(attribute) if tensor is None else tensor.reshape(()).item()
    if x.dtype.kind in "iu":
        limits = np.iinfo(x.dtype)
        value = limits.min if value < limits.min else limits.max if value > limits.max else value
    bound: F = x.dtype.type(value)
    return bound


@kernel(specs.HARD_SIGMOID, backend="exact")
def hard_sigmoid(x: Array, *, alpha: float, beta: float) -> Array:
    """Return ``alpha`` x + ``beta``, kept between 0 and 1."""
    return _between(F(alpha) * float32(x) + F(beta), F(0), F(1))


@kernel(specs.HARD_SWISH, backend="exact")
def hard_swish(x: Array, *, alpha: float, beta: float) -> Array:
    """Return x times HardSigmoid of x."""
    x = float32(x)
    return np.asarray(_between(F(alpha) * x + F(beta), F(0), F(1)) * x)


@kernel(specs.SWISH, backend="exact")
def swish(x: Array, *, alpha: float) -> Array:
    """Return x times Sigmoid of ``alpha`` x."""
    x = float32(x)
    return np.asarray(sigmoid(F(alpha) * x) * x)


@kernel(specs.SOFTSIGN, backend="exact")
def softsign(x: Array) -> Array:
    """Return x / (1 + abs(x))."""
    x = float32(x)
    return np.asarray(x / (F(1) + np.abs(x)))


@kernel(specs.THRESHOLDED_RELU, backend="exact")
def thresholded_relu(x: Array, *, alpha: float) -> Array:
    """Return x where it is greater than ``alpha``, 0 elsewhere."""
    x = float32(x)
    return np.where(x > F(alpha), x, F(0))


@kernel(specs.HEAVISIDE, backend="exact")
def heaviside(x: Array, *, value: float) -> Array:
    """Return 1 above 0, ``value`` at 0, and 0 elsewhere, as for NaN."""
    x = float32(x)
    return np.where(x > 0, F(1), np.where(x == 0, F(value), F(0)))


def _elu(x: Array, alpha: float) -> Array:
    negative = F(alpha) * expm1(np.where(x > 0, F(0), x))
    return np.where(x > 0, x, negative)


@kernel(specs.ELU, backend="exact")
def elu(x: Array, *, alpha: float) -> Array:
    """Return x where it is positive, ``alpha`` (exp(x) - 1) elsewhere."""
    return _elu(float32(x), alpha)


@kernel(specs.CELU, backend="exact")
def celu(x: Array, *, alpha: float) -> Array:
    """Return max(x, 0) + min(``alpha`` (exp(x / ``alpha``) - 1), 0)."""
    x = float32(x)
    curve = F(alpha) * expm1(x / F(alpha))
    return np.asarray(np.where(x < 0, F(0), x) + np.where(curve > 0, F(0), curve))


@kernel(specs.SELU, backend="exact")
def selu(x: Array, *, alpha: float, gamma: float) -> Array:
    """Return ``gamma`` times Elu."""
    return np.asarray(_elu(float32(x), alpha) * F(gamma))


@kernel(specs.GELU, backend="exact")
def gelu(x: Array, *, approximate: str) -> Array:
    """Return x times the normal distribution function of x."""
    choice_of(approximate, ("none", "tanh"), "approximation of Gelu")
    x = float32(x)
    if approximate == "none":
        curve = erf(x * _SQRT_HALF)
    else:
        curve = tanh((((F(0.044715) * x) * x) * x + x) * _SQRT_2_OVER_PI)
    return np.asarray(((curve + F(1)) * x) * F(0.5))


@kernel(specs.MISH, backend="exact")
def mish(x: Array) -> Array:
    """Return x tanh(Softplus(x))."""
    x = float32(x)
    return np.asarray(x * tanh(softplus(x)))
