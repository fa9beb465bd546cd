"""Gradients of attention of the domain com.microsoft."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aidge_nb.kernels.cpu.attention.microsoft import (
    attention_weights,
    cut_into_heads,
    factor_of,
    mask_of,
)
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.sums import summed_to
from aidge_nb.kernels.cpu.quantization.microsoft import MICROSOFT
from aidge_nb.kernels.gradients import Recorded, standard_gradient


@standard_gradient("MultiHeadAttention", domain=MICROSOFT, inputs=(0, 1, 2, 3, 4, 5))
def multi_head_attention(
    run: Recorded,
    *,
    num_heads: int,
    mask_filter_value: float = -10000.0,
    scale: float | None = None,
    unidirectional: int = 0,
) -> tuple[Array | None, ...]:
    """Pass to queries, keys, values, their bias, and what was added to the scores."""
    flat: Sequence[Array] = (run.x, run.input(1), run.input(2))
    bias, shift = run.optional(3), run.optional(5)
    if bias is not None:
        ends = [flat[0].shape[2], flat[0].shape[2] + flat[1].shape[2]]
        flat = [x + b for x, b in zip(flat, np.split(bias, ends), strict=True)]
    q, k, v = (cut_into_heads(x, num_heads) for x in flat)
    added = mask_of(run.optional(4), (*q.shape[:3], k.shape[2]), mask_filter_value)
    if shift is not None:
        added = added + shift
    dy = cut_into_heads(run.dy, num_heads)
    *heads, to_scores = _to_heads(q, k, v, added, scale, bool(unidirectional), dy)
    grads = [_side_by_side(each) for each in heads]
    return (
        *grads,
        None if bias is None else np.concatenate([each.sum((0, 1)) for each in grads]),
        None,
        None if shift is None else summed_to(to_scores, shift.shape),
    )


@standard_gradient("Attention", domain=MICROSOFT, inputs=(0, 1, 2, 3, 4, 5))
def attention(
    run: Recorded,
    *,
    num_heads: int,
    mask_filter_value: float = -10000.0,
    qkv_hidden_sizes: Sequence[int] = (),
    scale: float | None = None,
    unidirectional: int = 0,
) -> tuple[Array | None, ...]:
    """Pass to data, weights and bias of the projection, the cache, and what was added."""
    x, weights, bias = run.x, run.input(1), run.optional(2)
    past, shift = run.optional(4), run.optional(5)
    projected = x @ weights if bias is None else x @ weights + bias
    sizes = qkv_hidden_sizes or (weights.shape[1] // 3,) * 3
    parts = np.split(projected, np.cumsum(sizes)[:-1], 2)
    q, k, v = (cut_into_heads(part, num_heads) for part in parts)
    before = 0
    if past is not None:
        before = past.shape[3]
        k, v = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
    added = mask_of(run.optional(3), (*q.shape[:3], k.shape[2]), mask_filter_value)
    if shift is not None:
        added = added + shift
    dy = cut_into_heads(run.dy, num_heads)
    to_q, to_k, to_v, to_scores = _to_heads(q, k, v, added, scale, bool(unidirectional), dy)
    of_k, of_v = _of_cache(run, k.shape == v.shape)
    to_k, to_v = to_k + of_k, to_v + of_v

    heads = (to_q, to_k[:, :, before:], to_v[:, :, before:])
    inner = np.concatenate([_side_by_side(each) for each in heads], 2)
    return (
        np.asarray(inner @ weights.T),
        x.reshape(-1, x.shape[2]).T @ inner.reshape(-1, inner.shape[2]),
        None if bias is None else np.asarray(inner.sum((0, 1))),
        None,
        None if past is None else np.stack([to_k[:, :, :before], to_v[:, :, :before]]),
        None if shift is None else summed_to(to_scores, shift.shape),
    )


def _of_cache(run: Recorded, both: bool) -> tuple[Array, Array]:
    """Give the gradients of keys and values as the cache of the next call, 0 where it is none.

    Keys and values of different sizes are not given out together: the cache is the keys.
    """
    grad = run.grads[1] if len(run.grads) > 1 else None
    zero = np.zeros((), run.dy.dtype)
    if grad is None:
        return zero, zero
    return (grad[0], grad[1]) if both else (grad, zero)


def _to_heads(
    q: Array,
    k: Array,
    v: Array,
    added: Array,
    scale: float | None,
    causal: bool,
    dy: Array,
) -> tuple[Array, Array, Array, Array]:
    """Give the gradients of queries, keys, values, and of what was added to the scores."""
    factor = factor_of(q, scale)
    weights = attention_weights(q, k, added, scale, causal)
    to_weights = dy @ v.swapaxes(-1, -2)
    to_scores = weights * (to_weights - (weights * to_weights).sum(-1, keepdims=True))
    return (
        np.asarray(factor * (to_scores @ k)),
        np.asarray(factor * (to_scores.swapaxes(-1, -2) @ q)),
        np.asarray(weights.swapaxes(-1, -2) @ dy),
        np.asarray(to_scores),
    )


def _side_by_side(x: Array) -> Array:
    """Give ``[batch, length, heads × size]`` of heads that lie apart."""
    batch, heads, length, size = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, length, heads * size)
