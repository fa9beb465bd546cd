"""Gradients of attention of the domain com.microsoft."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aidge_nb.kernels.cpu.arrays import Array
from aidge_nb.kernels.cpu.standard.contrib import MICROSOFT
from aidge_nb.kernels.cpu.standard.contrib_attention import (
    attention_weights,
    cut_into_heads,
    factor_of,
    mask_of,
)
from aidge_nb.kernels.cpu.sums import summed_to
from aidge_nb.kernels.gradients import Recorded, standard_gradient

__all__: list[str] = []


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
