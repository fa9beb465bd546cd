"""Activations."""

from __future__ import annotations

import math

import numpy as np

from aidge_nb.kernels.cpu.arrays import Array, Dtype, elementwise, floats
from aidge_nb.kernels.cpu.erf import erf
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import activation as specs
from aidge_nb.ops.rules import choice_of


@kernel(specs.RELU)
def relu(x: Array, *, out: Array | None = None) -> Array:
    """Give max(0, x)."""
    return np.asarray(np.maximum(x, 0, out=out))


@kernel(specs.LEAKY_RELU)
def leaky_relu(x: Array, *, negative_slope: float) -> Array:
    """Give x where it is positive, ``negative_slope`` x elsewhere."""
    x, slope = floats(x), float(negative_slope)
    if 0 <= slope <= 1:
        return np.asarray(np.maximum(x, slope * x))
    return np.where(x > 0, x, slope * x)


@kernel(specs.PRELU)
def prelu(x: Array, slope: Array) -> Array:
    """Give x where it is positive, ``slope`` x elsewhere."""
    return elementwise(lambda x, slope: np.where(x > 0, x, slope * x), x, slope.astype(x.dtype))


@kernel(specs.CLIP)
def clip(
    x: Array,
    low: Array | None,
    high: Array | None,
    *,
    min: float,
    max: float,
    out: Array | None = None,
) -> Array:
    """Keep values between two bounds; where they are in the wrong order the upper one wins."""
    result = x
    lower, upper = _bound(low, min, x.dtype), _bound(high, max, x.dtype)
    if lower is not None:
        result = np.maximum(result, lower, out=out)
    if upper is not None:
        result = np.minimum(result, upper, out=out)
    return x.copy() if result is x else np.asarray(result)


def _bound(tensor: Array | None, attribute: float, dtype: Dtype) -> Array | None:
    """Give a bound in the type of the data; None when no number of that type exceeds it."""
    value = float(attribute) if tensor is None else np.asarray(tensor).reshape(()).item()
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        value = limits.min if value < limits.min else limits.max if value > limits.max else value
    elif math.isinf(value) and tensor is None:
        return None
    return np.asarray(value, dtype)


@kernel(specs.SIGMOID)
def sigmoid(x: Array) -> Array:
    """Give 1 / (1 + exp(-x)), without overflow."""
    x = floats(x)
    small = np.asarray(np.exp(-np.abs(x)))
    result = np.where(x >= 0, x.dtype.type(1), small)
    small += 1
    result /= small
    return result


@kernel(specs.HARD_SIGMOID)
def hard_sigmoid(x: Array, *, alpha: float, beta: float) -> Array:
    """Give ``alpha`` x + ``beta``, kept between 0 and 1."""
    result = np.asarray(float(alpha) * floats(x))
    result += float(beta)
    return np.asarray(np.minimum(np.maximum(result, 0, out=result), 1, out=result))


@kernel(specs.HARD_SWISH)
def hard_swish(x: Array, *, alpha: float, beta: float) -> Array:
    """Give x times HardSigmoid of x."""
    x = floats(x)
    result = hard_sigmoid(x, alpha=alpha, beta=beta)
    result *= x
    return result


@kernel(specs.SWISH)
def swish(x: Array, *, alpha: float) -> Array:
    """Give x times Sigmoid of ``alpha`` x."""
    x = floats(x)
    result = sigmoid(x if alpha == 1 else np.asarray(float(alpha) * x))
    result *= x
    return result


@kernel(specs.SOFTPLUS)
def softplus(x: Array) -> Array:
    """Give ln(1 + exp(x)), without overflow."""
    x = floats(x)
    return np.asarray(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


@kernel(specs.SOFTSIGN)
def softsign(x: Array) -> Array:
    """Give x / (1 + abs(x))."""
    x = floats(x)
    return np.asarray(x / (1 + np.abs(x)))


@kernel(specs.ELU)
def elu(x: Array, *, alpha: float) -> Array:
    """Give x where it is positive, ``alpha`` (exp(x) - 1) elsewhere."""
    x = floats(x)
    return np.where(x > 0, x, float(alpha) * np.expm1(np.minimum(x, 0)))


@kernel(specs.CELU)
def celu(x: Array, *, alpha: float) -> Array:
    """Give max(0, x) + min(0, ``alpha`` (exp(x / ``alpha``) - 1))."""
    x, scale = floats(x), float(alpha)
    negative = scale * np.expm1(np.minimum(x / scale, 0) if scale > 0 else x / scale)
    return np.asarray(np.maximum(x, 0) + np.minimum(negative, 0))


@kernel(specs.SELU)
def selu(x: Array, *, alpha: float, gamma: float) -> Array:
    """Give ``gamma`` times Elu."""
    result = elu(x, alpha=alpha)
    result *= float(gamma)
    return result


@kernel(specs.THRESHOLDED_RELU)
def thresholded_relu(x: Array, *, alpha: float) -> Array:
    """Give x where it is greater than ``alpha``, 0 elsewhere."""
    x = floats(x)
    return np.where(x > float(alpha), x, x.dtype.type(0))


@kernel(specs.GELU)
def gelu(x: Array, *, approximate: str) -> Array:
    """Give x times the normal distribution function of x."""
    choice_of(approximate, ("none", "tanh"), "approximation of Gelu")
    x = floats(x)
    if approximate == "none":
        result = erf(np.asarray(x * math.sqrt(0.5)))
    else:
        result = np.asarray(np.tanh((0.044715 * x * x * x + x) * math.sqrt(2 / math.pi)))
    result += 1
    result *= x
    result *= 0.5
    return result


@kernel(specs.MISH)
def mish(x: Array) -> Array:
    """Give x tanh(Softplus(x))."""
    x = floats(x)
    return np.asarray(x * np.tanh(softplus(x)))
