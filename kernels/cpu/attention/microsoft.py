"""Attention of the domain com.microsoft: with its own projections, quantized or not.

Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.quantization.microsoft import mat_mul_integer_to_float
from aidge_nb.kernels.standard import MICROSOFT, standard


def cut_into_heads(x: Array, count: int) -> Array:
    """Return ``[batch, heads, length, size]`` of data whose heads lie side by side."""
    if x.shape[2] % count:
        raise ShapeError.at("", f"cannot be cut into {count} heads", found=list(x.shape))
    return x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3)


def mask_of(mask: Array | None, dims: tuple[int, ...], filled: float) -> Array:
    """Return the bias of the scores ``[batch, heads, queries, keys]``, from a mask or lengths."""
    batch, keys = dims[0], dims[3]
    if mask is None:
        return np.zeros((1, 1, 1, 1), np.float32)
    if mask.ndim == 1 and len(mask) == batch:
        seen = np.arange(keys) < mask[:, None]
        return np.where(seen, 0, np.float32(filled))[:, None, None]
    if mask.ndim == 1 and len(mask) == 2 * batch:
        places = np.arange(keys)
        seen = (places < mask[:batch, None]) & (places >= mask[batch:, None])
        return np.where(seen, 0, np.float32(filled))[:, None, None]
    if mask.ndim in (2, 3) and mask.shape[-1] == keys:
        added = np.where(mask > 0, 0, np.float32(filled))
        return added[:, None, None] if mask.ndim == 2 else added[:, None]
    raise ShapeError.at(
        "", "this mask is not known", expected=[batch, keys], found=list(mask.shape)
    )


def factor_of(q: Array, scale: float | None) -> np.float32:
    """Return the factor of the products of queries and keys."""
    return np.float32(scale or 1 / sqrt(q.shape[-1]))


def attention_weights(q: Array, k: Array, added: Array, scale: float | None, causal: bool) -> Array:
    """Return the weight of each value; q and k are ``[batch, heads, length, size]``."""
    scores = (q @ k.swapaxes(-1, -2)) * factor_of(q, scale)
    scores = scores + added
    if causal:
        offset = k.shape[2] - q.shape[2]
        future = np.arange(k.shape[2]) > np.arange(q.shape[2])[:, None] + offset
        scores = np.where(future, np.float32(-np.inf), scores)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True))


@dataclass(frozen=True)
class AttentionOptions:
    """Attributes that all attentions of the domain have."""

    num_heads: int
    mask_filter_value: float = -10000.0
    scale: float | None = None
    unidirectional: int = 0


def _attended(q: Array, k: Array, v: Array, added: Array, options: AttentionOptions) -> Array:
    """Mix values; q, k and v are ``[batch, heads, length, size]``, the result is flat."""
    mixed = attention_weights(q, k, added, options.scale, bool(options.unidirectional)) @ v
    return np.asarray(mixed.transpose(0, 2, 1, 3).reshape(q.shape[0], q.shape[2], -1), q.dtype)


def _whole(
    projected: Array,
    sizes: Sequence[int],
    mask: Array | None,
    past: Array | None,
    bias: Array | None,
    options: AttentionOptions,
) -> tuple[Array, ...]:
    """Cut the projection into queries, keys and values, and attend; also gives the cache."""
    parts = np.split(projected, np.cumsum(sizes)[:-1], 2)
    q, k, v = (cut_into_heads(part, options.num_heads) for part in parts)
    if past is not None:
        k, v = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
    added = mask_of(mask, (*q.shape[:3], k.shape[2]), options.mask_filter_value)
    if bias is not None:
        added = added + bias
    result = _attended(q, k, v, added, options)
    return result, np.stack([k, v]) if k.shape == v.shape else k


@standard("Attention", domain=MICROSOFT, options=AttentionOptions)
def attention(
    x: Array,
    weights: Array,
    bias: Array | None,
    mask: Array | None,
    past: Array | None,
    attention_bias: Array | None,
    *,
    options: AttentionOptions,
    qkv_hidden_sizes: Sequence[int] = (),
) -> tuple[Array, ...]:
    """Project, attend; also gives keys and values for the next call."""
    projected = x @ weights if bias is None else x @ weights + bias
    sizes = qkv_hidden_sizes or (weights.shape[1] // 3,) * 3
    return _whole(projected, sizes, mask, past, attention_bias, options)


@standard("QAttention", domain=MICROSOFT, options=AttentionOptions)
def q_attention(
    x: Array,
    weights: Array,
    bias: Array,
    x_scale: Array,
    weights_scale: Array,
    mask: Array | None,
    x_zero: Array | None,
    weights_zero: Array | None,
    past: Array | None,
    *,
    options: AttentionOptions,
) -> tuple[Array, ...]:
    """Project quantized data by quantized weights, and attend in float32."""
    projected = mat_mul_integer_to_float(
        x, weights, x_scale, weights_scale, x_zero, weights_zero, bias
    )
    return _whole(projected, (weights.shape[1] // 3,) * 3, mask, past, None, options)


@standard("MultiHeadAttention", domain=MICROSOFT, options=AttentionOptions)
def multi_head_attention(
    q: Array,
    k: Array,
    v: Array,
    bias: Array | None,
    padding: Array | None,
    attention_bias: Array | None,
    *,
    options: AttentionOptions,
) -> Array:
    """Attend queries, keys and values that are projected already, but for a bias."""
    if bias is not None:
        ends = [q.shape[2], q.shape[2] + k.shape[2]]
        q, k, v = (x + b for x, b in zip((q, k, v), np.split(bias, ends), strict=True))
    q, k, v = (cut_into_heads(x, options.num_heads) for x in (q, k, v))
    added = mask_of(padding, (*q.shape[:3], k.shape[2]), options.mask_filter_value)
    if attention_bias is not None:
        added = added + attention_bias
    return _attended(q, k, v, added, options)
