"""Gradient of attention: back through the mixture, the weights and the scores."""

from __future__ import annotations

from math import sqrt

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.attention.standard import bias_of, heads_of, softmax_of, with_cache
from aidge_nb.kernels.cpu.common.arrays import Array, summed_to
from aidge_nb.kernels.gradients import Recorded, standard_gradient


@standard_gradient("Attention", inputs=(0, 1, 2, 3, 4, 5, 6))
def attention(
    run: Recorded,
    *,
    is_causal: int = 0,
    kv_num_heads: int = 0,
    q_num_heads: int = 0,
    scale: float | None = None,
    softcap: float = 0.0,
    left_window_size: int = -1,
    right_window_size: int = -1,
) -> tuple[Array | None, ...]:
    """Pass to queries, keys, values, a mask of numbers, and the caches."""
    if len(run.grads) > 3 and run.grads[3] is not None and run.grads[3].any():
        raise ShapeError.at("output#3", "no gradient goes back from the scores")
    q = heads_of(run.x, q_num_heads)
    k, v = heads_of(run.input(1), kv_num_heads), heads_of(run.input(2), kv_num_heads)
    mask, past_key, past_value = run.optional(3), run.optional(4), run.optional(5)
    past = 0 if past_key is None else past_key.shape[2]
    k, v = with_cache(k, past_key), with_cache(v, past_value)
    groups = q.shape[1] // k.shape[1]
    keys, values = np.repeat(k, groups, 1), np.repeat(v, groups, 1)
    factor = 1 / sqrt(q.shape[-1]) if scale is None else scale
    scores = factor * (q @ keys.swapaxes(-1, -2))
    windows = (left_window_size, right_window_size)
    bias = bias_of(scores.shape, mask, run.optional(6), past_key, bool(is_causal), windows)
    bent = np.tanh(scores / softcap) if softcap else scores
    weights = softmax_of((softcap * bent if softcap else scores) + bias)

    dy = _like_heads(run.dy, q.shape[1])
    to_weights = dy @ values.swapaxes(-1, -2)
    to_masked = weights * (to_weights - (weights * to_weights).sum(-1, keepdims=True))
    to_scores = to_masked * (1 - bent * bent) if softcap else to_masked
    to_keys = _summed(factor * (to_scores.swapaxes(-1, -2) @ q), groups) + run.grad(1)
    to_values = _summed(weights.swapaxes(-1, -2) @ dy, groups) + run.grad(2)
    return (
        _like(run.x, factor * (to_scores @ keys)),
        _like(run.input(1), to_keys[:, :, past:]),
        _like(run.input(2), to_values[:, :, past:]),
        _to_mask(mask, to_masked),
        to_keys[:, :, :past] if past_key is not None else None,
        to_values[:, :, :past] if past_value is not None else None,
    )


def _like_heads(x: Array, count: int) -> Array:
    return x if x.ndim == 4 else heads_of(x, count)


def _like(given: Array, grad: Array) -> Array:
    """Put heads side by side again, where they were."""
    if given.ndim == 4:
        return grad
    return np.ascontiguousarray(grad.transpose(0, 2, 1, 3)).reshape(given.shape)


def _summed(grad: Array, groups: int) -> Array:
    """Add up what several heads of queries send back to one head of keys."""
    batch, heads, *rest = grad.shape
    return np.asarray(grad.reshape(batch, heads // groups, groups, *rest).sum(2))


def _to_mask(mask: Array | None, grad: Array) -> Array | None:
    """Bring a gradient to the dimensions of a mask of numbers; truth values have none."""
    if mask is None or mask.dtype.kind != "f":
        return None
    return summed_to(np.ascontiguousarray(grad[..., : mask.shape[-1]]), mask.shape)


@standard_gradient("TensorScatter", inputs=(2,))
def tensor_scatter(run: Recorded, *, axis: int = -2, mode: str = "linear") -> tuple[Array, Array]:
    """Pass new entries to the update, and old ones to the cache."""
    to_past, shape = np.array(run.dy), run.input(1).shape
    to_update = np.empty(shape, run.dy.dtype)
    size, along = run.dy.shape[axis], axis % run.dy.ndim - 1
    places = run.optional(2)
    for sample, past in enumerate(to_past):
        first = 0 if places is None else int(places[sample])
        rows = np.arange(first, first + shape[along + 1]) % size
        entries = np.moveaxis(past, along, 0)
        np.moveaxis(to_update[sample], along, 0)[:] = entries[rows]
        entries[rows] = 0
    return to_past, to_update
