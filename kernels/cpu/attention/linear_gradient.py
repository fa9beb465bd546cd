"""Gradient of linear attention: back through its state, token by token.

Source: S. Yang and others, Gated Delta Networks, 2024.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from aidge_nb.kernels.cpu.attention.forward import fade_of, heads_of
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.sums import summed_to
from aidge_nb.kernels.gradients import Recorded, standard_gradient


@dataclass(frozen=True, eq=False)
class _Step:
    """One token on the way forward; states are ``[batch, heads, key size, value size]``.

    ``old`` is the state before it, ``faded`` what is left of that by ``fade``, ``missing`` what
    of the value is written, before ``rate`` was applied to it.
    """

    old: Array
    fade: Array
    faded: Array
    row: Array
    missing: Array
    rate: Array
    state: Array


def _walk(
    k: Array, v: Array, state: Array, decay: Array | None, beta: Array | None, rule: str
) -> list[_Step]:
    """Go through all tokens once more, and keep what the way back reads."""
    steps = []
    for number in range(k.shape[2]):
        row, missing = k[:, :, number, :, None], v[:, :, number, None, :]
        fade = rate = np.ones((1, 1, 1, 1), k.dtype)
        if "gated" in rule and decay is not None:
            fade = fade_of(decay, number, k.shape).astype(k.dtype)
        faded = state * fade
        if "delta" in rule and beta is not None:
            rate = beta[:, number, :, None, None].astype(k.dtype)
            missing = missing - (faded * row).sum(2, keepdims=True)
        after = faded + row * (rate * missing)
        steps.append(_Step(state, fade, faded, row, missing, rate, after))
        state = after
    return steps


@standard_gradient("LinearAttention", inputs=(0, 1, 2, 3, 4, 5))
def linear_attention(
    run: Recorded,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    update_rule: str = "gated_delta",
    scale: float = 0.0,
) -> tuple[Array | None, ...]:
    """Pass to queries, keys, values, the state before, its decay, and the rates of writing."""
    work = np.result_type(run.x.dtype, np.float32)
    q = heads_of(run.x.astype(work), q_num_heads)
    k, v = (heads_of(run.input(i).astype(work), kv_num_heads) for i in (1, 2))
    past, decay, beta = (run.optional(index) for index in (3, 4, 5))
    state = np.zeros((*k.shape[:2], k.shape[3], v.shape[3]), work)
    steps = _walk(k, v, state if past is None else past.astype(work), decay, beta, update_rule)

    factor, groups = scale or 1 / sqrt(q.shape[-1]), q.shape[1] // k.shape[1]
    dy = factor * heads_of(run.dy.astype(work), q.shape[1])
    to_q, to_k, to_v = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    to_decay = None if decay is None else np.zeros(decay.shape, work)
    to_beta = None if beta is None else np.zeros(beta.shape, work)
    given_out = run.grads[1] if len(run.grads) > 1 else None
    to_state = np.zeros_like(state) if given_out is None else given_out.astype(work)
    fades, has_rate = "gated" in update_rule, "delta" in update_rule
    for number in reversed(range(len(steps))):
        step, here = steps[number], dy[:, :, number, None, :]
        seen = np.repeat(step.state, groups, 1)
        to_q[:, :, number] = (here @ seen.swapaxes(-1, -2))[:, :, 0]
        share = q[:, :, number, :, None] * here
        to_state = to_state + share.reshape(*state.shape[:2], groups, *state.shape[2:]).sum(2)
        back = _back(step, to_state, has_rate)
        to_k[:, :, number], to_v[:, :, number] = back.row.sum(3), back.missing[:, :, 0]
        if to_beta is not None and has_rate:
            _put(to_beta, number, back.rate)
        if to_decay is not None and fades:
            _put(to_decay, number, back.faded * step.faded)
        to_state = back.faded * step.fade
    return (
        _like(run.x, to_q),
        _like(run.input(1), to_k),
        _like(run.input(2), to_v),
        to_state,
        to_decay,
        to_beta,
    )


@dataclass(frozen=True, eq=False)
class _Back:
    """Gradients of what the step of the same field names had."""

    row: Array
    missing: Array
    rate: Array
    faded: Array


def _back(step: _Step, to_state: Array, is_delta: bool) -> _Back:
    """Go back through one token."""
    to_written = (to_state * step.row).sum(2, keepdims=True)
    missing, row = step.rate * to_written, to_state * (step.rate * step.missing)
    if is_delta:  # what the state held for the key was taken off the value
        row, to_state = row - step.faded * missing, to_state - step.row * missing
    return _Back(row, missing, to_written * step.missing, to_state)


def _put(grads: Array, number: int, shares: Array) -> None:
    """Add up over what one number was for: all heads, one, or a dimension of its keys."""
    heads = min(shares.shape[1], grads.shape[2])
    dims = (len(shares), heads, grads.shape[2] // heads, 1)
    grads[:, number] = summed_to(shares, dims).reshape(grads[:, number].shape)


def _like(given: Array, grad: Array) -> Array:
    """Put heads side by side again, where they were."""
    if given.ndim == 4:
        return grad
    return np.ascontiguousarray(grad.transpose(0, 2, 1, 3)).reshape(given.shape)
