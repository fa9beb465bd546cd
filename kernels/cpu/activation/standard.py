"""Activations of ONNX without a declaration, and those of ONNX Runtime's optimizer."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.erf import erf
from aidge_nb.kernels.standard import MICROSOFT, NodeContext, standard


@standard("Shrink")
def shrink(x: Array, *, bias: float = 0.0, lambd: float = 0.5) -> Array:
    """Set values near 0 to 0, and move the others towards it."""
    result = np.where(x < -lambd, x + bias, np.where(x > lambd, x - bias, 0))
    return np.asarray(result, x.dtype)


@standard("PRelu")
def prelu(x: Array, slope: Array, *, site: NodeContext) -> Array:
    """Scale negative elements; before opset 7 one slope per channel, whatever the rank."""
    if slope.ndim == 1 and site.opset < 7 and x.ndim > 1 and len(slope) == x.shape[1]:
        slope = slope.reshape(-1, *[1] * (x.ndim - 2))
    return np.asarray(np.where(x < 0, x * slope, x), x.dtype)


def _gelu(x: Array) -> Array:
    wide = x.astype(np.result_type(x.dtype, np.float32))
    return np.asarray(0.5 * wide * (1 + erf(wide / np.sqrt(np.float32(2)))), x.dtype)


@standard("Gelu", domain=MICROSOFT)
def gelu(x: Array) -> Array:
    """Return x Φ(x)."""
    return _gelu(x)


@standard("BiasGelu", domain=MICROSOFT)
def bias_gelu(x: Array, bias: Array) -> Array:
    """Return x Φ(x) of a sum."""
    return _gelu(x + bias)


@standard("FastGelu", domain=MICROSOFT)
def fast_gelu(x: Array, bias: Array | None) -> Array:
    """Return x Φ(x), by its approximation with tanh."""
    total = x if bias is None else x + bias
    inner = 0.7978845608 * (total + 0.044715 * total**3)
    return np.asarray(0.5 * total * (1 + np.tanh(inner)), x.dtype)


@standard("QuickGelu", domain=MICROSOFT)
def quick_gelu(x: Array, *, alpha: float = 1.702) -> Array:
    """Return x · sigmoid(alpha x)."""
    return np.asarray(x / (1 + np.exp(-alpha * x)), x.dtype)
