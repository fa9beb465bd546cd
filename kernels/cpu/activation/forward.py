"""Activations."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from aidge_nb.kernels.cpu.activation.stepwise import (
    gelu_of_block,
    hard_sigmoid_of_block,
    hard_swish_of_block,
    leaky_relu_of_block,
    sigmoid_of_block,
    swish_of_block,
    tanh_gelu_of_block,
)
from aidge_nb.kernels.cpu.common.arrays import Array, Dtype, elementwise, floats
from aidge_nb.kernels.cpu.common.blocks import Stepwise, by_blocks
from aidge_nb.kernels.cpu.common.erf import erf
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import activation as specs
from aidge_nb.ops.rules import choice_of


@kernel(specs.RELU)
def relu(x: Array, *, out: Array | None = None) -> Array:
    """Return max(0, x)."""
    if x.dtype.kind != "f":
        return np.asarray(np.maximum(x, 0, out=out))
    return np.asarray(np.clip(x, 0, np.inf, out=out))  # three times as fast as maximum()


@kernel(specs.LEAKY_RELU)
def leaky_relu(x: Array, *, negative_slope: float, out: Array | None = None) -> Array:
    """Return x where it is positive, ``negative_slope`` x elsewhere."""
    x, slope = floats(x), float(negative_slope)
    if 0 <= slope <= 1:
        return _in_steps(partial(leaky_relu_of_block, slope), x, out)
    return np.where(x > 0, x, slope * x)


@kernel(specs.PRELU)
def prelu(x: Array, slope: Array) -> Array:
    """Return x where it is positive, ``slope`` x elsewhere."""
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
    lower, upper = bounds_of(x.dtype, low, high, min, max)
    if lower is None and upper is None:
        return x.copy()
    return np.asarray(np.clip(x, lower, upper, out=out))


def bounds_of(
    dtype: Dtype, low: Array | None, high: Array | None, least: float, most: float
) -> tuple[Array | None, Array | None]:
    """Return the bounds of Clip in the type of the data; None without one."""
    return _bound(low, least, dtype), _bound(high, most, dtype)


def _bound(tensor: Array | None, attribute: float, dtype: Dtype) -> Array | None:
    """Return a bound in the type of the data; None when no number of that type exceeds it."""
    value = float(attribute) if tensor is None else np.asarray(tensor).reshape(()).item()
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        value = limits.min if value < limits.min else limits.max if value > limits.max else value
    elif math.isinf(value) and tensor is None:
        return None
    return np.asarray(value, dtype)


@kernel(specs.SIGMOID)
def sigmoid(x: Array, *, out: Array | None = None) -> Array:
    """Return 1 / (1 + exp(-x)), without overflow."""
    return _in_steps(sigmoid_of_block, x, out, spare=0)


def _in_steps(function: Stepwise, x: Array, out: Array | None, spare: int = 1) -> Array:
    """Compute in float32 or float64: float16 has too small a range."""
    if x.dtype == np.float16:
        return by_blocks(function, x.astype(np.float32), spare=spare).astype(x.dtype)
    return by_blocks(function, floats(x), out, spare=spare)


@kernel(specs.HARD_SIGMOID)
def hard_sigmoid(x: Array, *, alpha: float, beta: float, out: Array | None = None) -> Array:
    """Return ``alpha`` x + ``beta``, kept between 0 and 1."""
    return _in_steps(partial(hard_sigmoid_of_block, float(alpha), float(beta)), x, out, spare=0)


@kernel(specs.HARD_SWISH)
def hard_swish(x: Array, *, alpha: float, beta: float, out: Array | None = None) -> Array:
    """Return x times HardSigmoid of x."""
    return _in_steps(partial(hard_swish_of_block, float(alpha), float(beta)), x, out)


@kernel(specs.SWISH)
def swish(x: Array, *, alpha: float, out: Array | None = None) -> Array:
    """Return x times Sigmoid of ``alpha`` x."""
    return _in_steps(partial(swish_of_block, float(alpha)), x, out)


@kernel(specs.SOFTPLUS)
def softplus(x: Array) -> Array:
    """Return ln(1 + exp(x)), without overflow."""
    x = floats(x)
    return np.asarray(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


@kernel(specs.SOFTSIGN)
def softsign(x: Array) -> Array:
    """Return x / (1 + abs(x))."""
    x = floats(x)
    return np.asarray(x / (1 + np.abs(x)))


@kernel(specs.ELU)
def elu(x: Array, *, alpha: float) -> Array:
    """Return x where it is positive, ``alpha`` (exp(x) - 1) elsewhere."""
    x = floats(x)
    return np.where(x > 0, x, float(alpha) * np.expm1(np.minimum(x, 0)))


@kernel(specs.CELU)
def celu(x: Array, *, alpha: float) -> Array:
    """Return max(0, x) + min(0, ``alpha`` (exp(x / ``alpha``) - 1))."""
    x, scale = floats(x), float(alpha)
    negative = scale * np.expm1(np.minimum(x / scale, 0) if scale > 0 else x / scale)
    return np.asarray(np.maximum(x, 0) + np.minimum(negative, 0))


@kernel(specs.SELU)
def selu(x: Array, *, alpha: float, gamma: float) -> Array:
    """Return ``gamma`` times Elu."""
    result = elu(x, alpha=alpha)
    result *= float(gamma)
    return result


@kernel(specs.THRESHOLDED_RELU)
def thresholded_relu(x: Array, *, alpha: float) -> Array:
    """Return x where it is greater than ``alpha``, 0 elsewhere."""
    x = floats(x)
    return np.where(x > float(alpha), x, x.dtype.type(0))


@kernel(specs.HEAVISIDE)
def heaviside(x: Array, *, value: float) -> Array:
    """Return 1 above 0, ``value`` at 0, and 0 elsewhere, as for NaN."""
    x = floats(x)
    return np.where(x > 0, 1, np.where(x == 0, float(value), 0)).astype(x.dtype)


@kernel(specs.GELU)
def gelu(x: Array, *, approximate: str, out: Array | None = None) -> Array:
    """Return x times the normal distribution function of x."""
    choice_of(approximate, ("none", "tanh"), "approximation of Gelu")
    if x.dtype == np.float64 and approximate == "none":
        return np.asarray((erf(np.asarray(x * math.sqrt(0.5))) + 1) * x * 0.5)
    if approximate == "none":
        return _in_steps(gelu_of_block, x, out, spare=3)
    return _in_steps(tanh_gelu_of_block, x, out)


@kernel(specs.MISH)
def mish(x: Array) -> Array:
    """Return x tanh(Softplus(x))."""
    x = floats(x)
    return np.asarray(x * np.tanh(softplus(x)))
