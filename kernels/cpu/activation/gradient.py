"""Gradients of activations; at a bend the slope is that of the side of small values."""

from __future__ import annotations

import math

import numpy as np

from aidge_nb.kernels.cpu.activation.forward import sigmoid, softplus
from aidge_nb.kernels.cpu.common.arrays import Array, summed_to
from aidge_nb.kernels.cpu.common.erf import erf
from aidge_nb.kernels.gradients import Recorded, gradient, standard_gradient, without_gradient
from aidge_nb.ops import activation as specs

without_gradient(specs.HEAVISIDE, reason="is a step: its slope is 0 wherever it has one")


@gradient(specs.RELU, outputs=(0,))
def relu(run: Recorded) -> Array:
    """Pass where the result is positive."""
    return np.where(run.y > 0, run.dy, 0)


@gradient(specs.LEAKY_RELU, inputs=(0,))
def leaky_relu(run: Recorded, *, negative_slope: float) -> Array:
    """Pass where x is positive, scaled elsewhere."""
    return np.where(run.x > 0, run.dy, float(negative_slope) * run.dy)


@gradient(specs.PRELU, inputs=(0, 1))
def prelu(run: Recorded) -> tuple[Array, Array]:
    """Pass as LeakyReLU; each slope gathers x dy of the negative elements that it scaled."""
    x, slope, dy = run.x, run.input(1), run.dy
    positive = x > 0
    return (
        np.where(positive, dy, slope * dy),
        summed_to(np.where(positive, 0, x * dy), slope.shape),
    )


@gradient(specs.CLIP, inputs=(0, 1, 2))
def clip(
    run: Recorded,
    *,
    min: float,
    max: float,
) -> tuple[Array | None, ...]:
    """Pass between the bounds; what is cut off goes to the bound that did it."""
    x, dy = run.x, run.dy
    low, high = run.optional(1), run.optional(2)
    lower = float(min) if low is None else low.reshape(())
    upper = float(max) if high is None else high.reshape(())
    above = np.maximum(x, lower) > upper
    below = (x < lower) & ~above
    bounds = (
        None if bound is None else np.asarray(np.where(cut, dy, 0).sum()).reshape(bound.shape)
        for bound, cut in ((low, below), (high, above))
    )
    return (np.where(above | below, 0, dy), *bounds)


@gradient(specs.HARD_SIGMOID, outputs=(0,))
def hard_sigmoid(run: Recorded, *, alpha: float) -> Array:
    """Scale where the result is neither 0 nor 1."""
    inside = (run.y > 0) & (run.y < 1)
    return np.where(inside, float(alpha) * run.dy, 0)


@gradient(specs.HARD_SWISH, inputs=(0,))
def hard_swish(run: Recorded, *, alpha: float, beta: float) -> Array:
    """Return the slope of x (``alpha`` x + ``beta``) between the bends."""
    x, a, b = run.x, float(alpha), float(beta)
    gate = a * x + b
    return np.asarray(run.dy * np.where(gate <= 0, 0, np.where(gate >= 1, 1, gate + a * x)))


@gradient(specs.SWISH, inputs=(0,))
def swish(run: Recorded, *, alpha: float) -> Array:
    """Return the slope s + ``alpha`` x s (1 - s)."""
    scaled = np.asarray(float(alpha) * run.x)
    gate = sigmoid(scaled)
    return np.asarray(run.dy * gate * (1 + scaled * (1 - gate)))


@gradient(specs.SOFTPLUS, inputs=(0,))
def softplus_(run: Recorded) -> Array:
    """Return the slope Sigmoid(x)."""
    return np.asarray(run.dy * sigmoid(run.x))


@gradient(specs.ELU, inputs=(0,))
def elu(run: Recorded, *, alpha: float) -> Array:
    """Return the slope ``alpha`` exp(x) below 0."""
    return _exponential(run, float(alpha), 1.0)


@gradient(specs.CELU, inputs=(0,))
def celu(run: Recorded, *, alpha: float) -> Array:
    """Return the slope exp(x / ``alpha``) below 0."""
    return _exponential(run, 1.0, 1 / float(alpha))


@gradient(specs.SELU, inputs=(0,))
def selu(run: Recorded, *, alpha: float, gamma: float) -> Array:
    """Return ``gamma`` times the slope of Elu."""
    return np.asarray(float(gamma) * _exponential(run, float(alpha), 1.0))


def _exponential(run: Recorded, factor: float, rate: float) -> Array:
    """Pass above 0; below, the slope is ``factor`` exp(``rate`` x)."""
    slope = factor * np.exp(rate * np.minimum(run.x, 0))
    return np.asarray(run.dy * np.where(run.x > 0, 1, slope))


@gradient(specs.THRESHOLDED_RELU, inputs=(0,))
def thresholded_relu(run: Recorded, *, alpha: float) -> Array:
    """Pass above the threshold."""
    return np.where(run.x > float(alpha), run.dy, 0)


@gradient(specs.GELU, inputs=(0,))
def gelu(run: Recorded, *, approximate: str) -> Array:
    """Return the slope Φ(x) + x φ(x), or that of the approximation."""
    x = run.x
    if approximate == "none":
        share = 0.5 * (1 + erf(np.asarray(x * math.sqrt(0.5))))
        density = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
        return np.asarray(run.dy * (share + x * density))
    scale = math.sqrt(2 / math.pi)
    bent = np.tanh(scale * (x + 0.044715 * x**3))
    inner = scale * (1 + 3 * 0.044715 * x * x)
    return np.asarray(run.dy * (0.5 * (1 + bent) + 0.5 * x * (1 - bent * bent) * inner))


@gradient(specs.MISH, inputs=(0,))
def mish(run: Recorded) -> Array:
    """Return the slope t + x (1 - t²) Sigmoid(x), with t = tanh(Softplus(x))."""
    bent = np.tanh(softplus(run.x))
    return np.asarray(run.dy * (bent + run.x * (1 - bent * bent) * sigmoid(run.x)))


@gradient(specs.SIGMOID, outputs=(0,))
def sigmoid_(run: Recorded) -> Array:
    """Multiply by the slope y (1 - y)."""
    return np.asarray(run.dy * (run.y * (1 - run.y)))


@gradient(specs.SOFTSIGN, outputs=(0,))
def softsign(run: Recorded) -> Array:
    """Multiply by the slope (1 - abs(y))²."""
    return np.asarray(run.dy * (1 - np.abs(run.y)) ** 2)


# --- ONNX operators without a declaration ---------------------------------------------------------


@standard_gradient("Shrink", inputs=(0,))
def shrink(run: Recorded, *, lambd: float = 0.5) -> Array:
    """Pass what was moved, and nothing where the result is 0."""
    return np.where(np.abs(run.x) > lambd, run.dy, 0)


@standard_gradient("PRelu", inputs=(0, 1), outputs=(0,))
def onnx_prelu(run: Recorded) -> tuple[Array, Array]:
    """Pass what is below 0 times the slope, and to the slope that times the element."""
    given, below = run.input(1), run.x < 0
    slope = given
    if given.ndim == 1 and run.x.ndim > 2 and len(given) == run.x.shape[1]:
        per_channel = given.reshape(-1, *[1] * (run.x.ndim - 2))  # before opset 7
        if np.array_equal(run.y, np.where(below, run.x * per_channel, run.x)):
            slope = per_channel
    to_slope = summed_to(np.where(below, run.dy * run.x, 0), slope.shape)
    return np.where(below, run.dy * slope, run.dy), to_slope.reshape(given.shape)
