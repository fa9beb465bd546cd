"""Attention, whole: scores, masks and caches in one operator; and its linear relatives.

Source: A. Vaswani and others, Attention Is All You Need, 2017; J. Ainslie and others, GQA, 2023;
S. Yang and others, Gated Delta Networks, 2024.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.formats import TYPES, holder
from aidge_nb.kernels.standard import standard


def heads_of(x: Array, count: int) -> Array:
    """Return ``[batch, heads, length, size]`` of data whose heads may lie side by side."""
    if x.ndim == 4:
        return x
    if not count or x.ndim != 3 or x.shape[2] % count:
        raise ShapeError.at("", f"cannot be cut into {count} heads", found=list(x.shape))
    return x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3)


@standard("Attention")
def attention(
    q: Array,
    k: Array,
    v: Array,
    mask: Array | None,
    past_key: Array | None,
    past_value: Array | None,
    valid: Array | None,
    *,
    is_causal: int = 0,
    kv_num_heads: int = 0,
    q_num_heads: int = 0,
    qk_matmul_output_mode: int = 0,
    scale: float | None = None,
    softcap: float = 0.0,
    softmax_precision: int = 0,
    left_window_size: int = -1,
    right_window_size: int = -1,
) -> tuple[Array, ...]:
    """Mix values by how well keys match queries; also gives the caches and the scores."""
    flat, dtype = q.ndim == 3, q.dtype
    q, k, v = heads_of(q, q_num_heads), heads_of(k, kv_num_heads), heads_of(v, kv_num_heads)
    k, v = with_cache(k, past_key), with_cache(v, past_value)
    groups = q.shape[1] // k.shape[1]
    keys, values = (np.repeat(x, groups, 1) if groups > 1 else x for x in (k, v))
    factor = sqrt(1 / sqrt(q.shape[-1]) if scale is None else scale)
    work = np.result_type(dtype, np.float32)
    scores = (q.astype(work) * factor) @ (keys.astype(work) * factor).swapaxes(-1, -2)
    windows = (left_window_size, right_window_size)
    bias = bias_of(scores.shape, mask, valid, past_key, bool(is_causal), windows)
    stages = [scores.astype(dtype)]
    capped = softcap * np.tanh(scores / softcap) if softcap else scores
    with np.errstate(invalid="ignore"):
        masked = capped + bias
    stages += [capped, masked]
    weights = softmax_of(
        masked.astype(holder(TYPES[softmax_precision])) if softmax_precision else masked
    )
    stages.append(weights)
    mixed = (weights.astype(work) @ values.astype(work)).astype(dtype)
    if flat:
        mixed = mixed.transpose(0, 2, 1, 3).reshape(mixed.shape[0], mixed.shape[2], -1)
    return mixed, k, v, stages[qk_matmul_output_mode].astype(dtype)


def with_cache(x: Array, past: Array | None) -> Array:
    """Put keys or values of earlier calls in front."""
    return x if past is None else np.concatenate([past, x], 2)


def bias_of(
    dims: tuple[int, ...],
    mask: Array | None,
    valid: Array | None,
    past_key: Array | None,
    is_causal: bool,
    windows: tuple[int, int],
) -> Array:
    """Return the bias of the scores: -inf where a query must not look."""
    length, total = dims[2:]
    offset = np.full(dims[0], 0 if past_key is None else past_key.shape[2])
    if valid is not None and past_key is None:
        offset = valid.reshape(-1) - length
    allowed = np.ones((dims[0], 1, length, total), bool)
    place = (np.arange(length)[None, :, None] + offset.reshape(-1, 1, 1))[:, None]
    key = np.arange(total)
    if is_causal:
        allowed &= key <= place
    if windows[0] >= 0:
        allowed &= key >= place - windows[0]
    if windows[1] >= 0:
        allowed &= key <= place + windows[1]
    if valid is not None:
        allowed = allowed & (key < valid.reshape(-1, 1, 1, 1))
    bias = np.where(allowed, 0.0, -np.inf)
    if mask is None:
        return bias.astype(np.float32)
    added = np.where(mask, 0.0, -np.inf) if mask.dtype == bool else mask
    missing = total - added.shape[-1]
    if missing > 0:
        widths = [(0, 0)] * (added.ndim - 1) + [(0, missing)]
        added = np.pad(added, widths, constant_values=-np.inf)
    wide = mask.dtype if mask.dtype == np.float64 else np.float32
    return np.asarray(bias + added, wide)


def softmax_of(x: Array) -> Array:
    """Normalise the last axis; a row in which nothing is allowed gives zeros."""
    top = x.max(-1, keepdims=True, initial=-np.inf)
    powers = np.exp(x - np.where(np.isfinite(top), top, 0))
    total = powers.sum(-1, keepdims=True)
    return np.asarray(powers / np.where(total == 0, 1, total))


@standard("LinearAttention")
def linear_attention(
    query: Array,
    key: Array,
    value: Array,
    past_state: Array | None,
    decay: Array | None,
    beta: Array | None,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    update_rule: str = "gated_delta",
    scale: float = 0.0,
    chunk_size: int = 64,
) -> tuple[Array, ...]:
    """Attention with a state of fixed size, updated token by token."""
    dtype = query.dtype
    work = np.result_type(dtype, np.float32)
    q = heads_of(query.astype(work), q_num_heads)
    k, v = (heads_of(x.astype(work), kv_num_heads) for x in (key, value))
    factor = scale or 1 / sqrt(q.shape[-1])
    state = np.zeros((*k.shape[:2], k.shape[3], v.shape[3]), work)
    if past_state is not None:
        state = past_state.astype(work)
    outputs = []
    for step in range(k.shape[2]):
        row, content = k[:, :, step, :, None], v[:, :, step, None, :]
        if "gated" in update_rule:
            state = state * fade_of(_there(decay, "decay"), step, k.shape).astype(work)
        if "delta" in update_rule:
            rate = _there(beta, "beta")[:, step].astype(work)[:, :, None, None]
            content = rate * (content - (state * row).sum(2, keepdims=True))
        state = state + row * content
        seen = np.repeat(state, q.shape[1] // k.shape[1], 1)
        outputs.append(factor * (q[:, :, step, None, :] @ seen)[:, :, 0])
    result = np.stack(outputs, 1)
    kept = dtype if past_state is None else past_state.dtype
    return result.reshape(*result.shape[:2], -1).astype(dtype), state.astype(kept)


def _there(x: Array | None, name: str) -> Array:
    if x is None:
        raise ShapeError.at("", f"the update rule needs {name}")
    return x


def fade_of(decay: Array, step: int, dims: tuple[int, ...]) -> Array:
    """Return the share of the state that is kept: per head, or per head and key dimension."""
    now = np.exp(decay[:, step].astype(np.float64))
    if now.shape[1] == dims[1]:
        return now[:, :, None, None]
    return now.reshape(dims[0], dims[1], dims[3], 1)


@standard("CausalConvWithState")
def causal_conv(
    x: Array, w: Array, bias: Array | None, past_state: Array | None, *, activation: str = "none"
) -> tuple[Array, ...]:
    """Convolve each channel with its own past, and give what the next call needs of it."""
    width = w.shape[2] - 1
    whole = with_past(x, past_state, width)
    result = convolved_with_past(whole, w, bias)
    if activation in ("silu", "swish"):
        result = result / (1 + np.exp(-result))
    elif activation not in ("none", ""):
        raise ShapeError.at("", "unknown activation", expected="silu or swish", found=activation)
    return result.astype(x.dtype), whole[:, :, whole.shape[2] - width :]


def with_past(x: Array, past_state: Array | None, width: int) -> Array:
    """Put what came before in front of data, zeros where nothing did."""
    before = np.zeros((*x.shape[:2], width), x.dtype) if past_state is None else past_state
    return np.concatenate([before.astype(x.dtype), x], 2)


def convolved_with_past(whole: Array, w: Array, bias: Array | None) -> Array:
    """Slide the window of each channel over it, in float32 at least."""
    work = np.result_type(whole.dtype, np.float32)
    taps = np.arange(w.shape[2])
    firsts = np.arange(whole.shape[2] - len(taps) + 1)  # none, where there is nothing but the past
    seen = whole[:, :, firsts[:, None] + taps]
    result = (seen.astype(work, copy=False) * w[:, 0, None].astype(work)).sum(-1)
    return np.asarray(result if bias is None else result + bias[:, None])


@standard("TensorScatter")
def tensor_scatter(
    past: Array, update: Array, places: Array | None, *, axis: int = -2, mode: str = "linear"
) -> Array:
    """Write new entries into a cache, for each sample at its own place."""
    result = past.copy()
    size = past.shape[axis]
    axis = axis % past.ndim - 1
    for sample in range(len(past)):
        first = 0 if places is None else int(places[sample])
        rows = np.arange(first, first + update.shape[axis + 1])
        if mode == "circular":
            rows %= size
        elif len(rows) and not 0 <= rows[0] <= rows[-1] < size:
            raise ShapeError.at(
                "input#2", "writes past the cache", expected=f"0 to {size - 1}", found=rows[-1]
            )
        np.moveaxis(result[sample], axis, 0)[rows] = np.moveaxis(update[sample], axis, 0)
    return result
