"""Operators of the domain com.microsoft that do the work of several: what its optimizer makes.

Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.erf import erf
from aidge_nb.kernels.cpu.convolution.standard import conv
from aidge_nb.kernels.cpu.linear.standard import gemm
from aidge_nb.kernels.cpu.normalization.standard import layer_normalization
from aidge_nb.kernels.standard import standard

MICROSOFT = "com.microsoft"
Ints = tuple[int, ...]


def _gelu(x: Array) -> Array:
    wide = x.astype(np.result_type(x.dtype, np.float32))
    return np.asarray(0.5 * wide * (1 + erf(wide / np.sqrt(np.float32(2)))), x.dtype)


@standard("Gelu", domain=MICROSOFT)
def gelu(x: Array) -> Array:
    """Give x Φ(x)."""
    return _gelu(x)


@standard("BiasGelu", domain=MICROSOFT)
def bias_gelu(x: Array, bias: Array) -> Array:
    """Give x Φ(x) of a sum."""
    return _gelu(x + bias)


@standard("FastGelu", domain=MICROSOFT)
def fast_gelu(x: Array, bias: Array | None) -> Array:
    """Give x Φ(x), by its approximation with tanh."""
    total = x if bias is None else x + bias
    inner = 0.7978845608 * (total + 0.044715 * total**3)
    return np.asarray(0.5 * total * (1 + np.tanh(inner)), x.dtype)


@standard("QuickGelu", domain=MICROSOFT)
def quick_gelu(x: Array, *, alpha: float = 1.702) -> Array:
    """Give x · sigmoid(alpha x)."""
    return np.asarray(x / (1 + np.exp(-alpha * x)), x.dtype)


@standard("FusedMatMul", domain=MICROSOFT)
def fused_mat_mul(
    a: Array,
    b: Array,
    *,
    alpha: float = 1.0,
    transA: int = 0,
    transB: int = 0,
    transBatchA: int = 0,
    transBatchB: int = 0,
) -> Array:
    """Multiply stacks of matrices, transposed as the attributes say, and scale."""
    left, right = turned(a, transA, transBatchA), turned(b, transB, transBatchB)
    product = left @ right
    return np.asarray(product if alpha == 1 else alpha * product, a.dtype)


def turned(x: Array, transpose: int, batch: int) -> Array:
    """Move the first axis before the last, and exchange the last two, as FusedMatMul wants it."""
    if batch:
        x = np.moveaxis(x, 0, -2)
    return x.swapaxes(-1, -2) if transpose and x.ndim > 1 else x


def _activated(x: Array, name: str, parameters: Sequence[float]) -> Array:
    alpha = parameters[0] if parameters else 0.0
    beta = parameters[1] if len(parameters) > 1 else 0.0
    match name:
        case "":
            return x
        case "Relu":
            return np.maximum(x, 0)
        case "LeakyRelu":
            return np.asarray(np.where(x < 0, alpha * x, x), x.dtype)
        case "Clip":
            return np.clip(x, alpha, beta)
        case "Tanh":
            return np.asarray(np.tanh(x))
        case "Sigmoid":
            return np.asarray(1 / (1 + np.exp(-x)), x.dtype)
        case "HardSigmoid":
            return np.asarray(np.clip(alpha * x + beta, 0, 1), x.dtype)
    raise ShapeError(explain("", "unknown activation", found=name))


@standard("FusedConv", domain=MICROSOFT)
def fused_conv(
    x: Array,
    w: Array,
    bias: Array | None,
    added: Array | None,
    *,
    activation: str = "",
    activation_params: Sequence[float] = (),
    auto_pad: str = "NOTSET",
    dilations: Ints = (),
    group: int = 1,
    kernel_shape: Ints = (),
    pads: Ints = (),
    strides: Ints = (),
) -> Array:
    """Convolve, add and activate."""
    result = conv(
        x,
        w,
        bias,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    return _activated(result if added is None else result + added, activation, activation_params)


@standard("FusedGemm", domain=MICROSOFT)
def fused_gemm(
    a: Array,
    b: Array,
    c: Array | None,
    *,
    activation: str = "",
    activation_alpha: float = 0.0,
    activation_beta: float = 0.0,
    activation_gamma: float = 0.0,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Array:
    """Give alpha · A B + beta · C, activated."""
    result = gemm(a, b, c, alpha=alpha, beta=beta, transA=transA, transB=transB)
    return _activated(result, activation, (activation_alpha, activation_beta))


@standard("SkipLayerNormalization", domain=MICROSOFT)
def skip_layer_normalization(
    x: Array,
    skip: Array,
    gamma: Array,
    beta: Array | None,
    bias: Array | None,
    *,
    epsilon: float = 1e-12,
) -> tuple[Array, ...]:
    """Add what was skipped, and normalise; also gives mean, 1 / deviation, and the sum."""
    total = x + skip
    if bias is not None:
        total = total + bias
    return (*layer_normalization(total, gamma, beta, axis=-1, epsilon=epsilon), total)


def _by_mean_square(x: Array, scale: Array, epsilon: float) -> tuple[Array, Array]:
    wide = x.astype(np.result_type(x.dtype, np.float32))
    inverse = 1 / np.sqrt((wide * wide).mean(-1, keepdims=True) + epsilon)
    return np.asarray(wide * inverse * scale, x.dtype), inverse


@standard("SimplifiedLayerNormalization")
def simplified_layer_normalization(
    x: Array, scale: Array, *, axis: int = -1, epsilon: float = 1e-5
) -> tuple[Array, ...]:
    """Normalise the last axis by its root mean square."""
    if axis % x.ndim != x.ndim - 1:
        raise ShapeError(explain("", "works along the last axis", found=f"axis {axis}"))
    return _by_mean_square(x, scale, epsilon)


@standard("SkipSimplifiedLayerNormalization", domain=MICROSOFT)
def skip_simplified_layer_normalization(
    x: Array, skip: Array, gamma: Array, bias: Array | None, *, epsilon: float = 1e-5
) -> tuple[Array, ...]:
    """Add what was skipped, and normalise by the root mean square."""
    total = x + skip if bias is None else x + skip + bias
    normal, inverse = _by_mean_square(total, gamma, epsilon)
    return normal, np.zeros_like(inverse), inverse, total


@standard("EmbedLayerNormalization", domain=MICROSOFT)
def embed_layer_normalization(
    words: Array,
    segments: Array | None,
    word_table: Array,
    place_table: Array,
    segment_table: Array | None,
    gamma: Array,
    beta: Array,
    mask: Array | None,
    places: Array | None,
    *,
    epsilon: float = 1e-12,
    mask_index_type: int = 1,
) -> tuple[Array, ...]:
    """Look words, places and segments up, add and normalise; also counts what is not masked."""
    if places is None:
        places = np.arange(words.shape[1])[None]
    total = word_table[words] + place_table[places]
    if segments is not None and segment_table is not None:
        total = total + segment_table[segments]
    normal = layer_normalization(total, gamma, beta, axis=-1, epsilon=epsilon)[0]
    counts = np.zeros(len(words), np.int32) if mask is None else mask.sum(1).astype(np.int32)
    return normal, counts, total
