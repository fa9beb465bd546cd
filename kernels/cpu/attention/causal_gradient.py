"""Gradient of convolving each channel with its own past: to data, window, bias and state."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.attention.forward import convolved_with_past, with_past
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.gradients import Recorded, standard_gradient


@standard_gradient("CausalConvWithState", inputs=(0, 1, 2, 3))
def causal_conv(run: Recorded, *, activation: str = "none") -> tuple[Array | None, ...]:
    """Pass to all that a window saw; the state that was given out is the end of the data."""
    x, w, bias, past = run.x, run.input(1), run.optional(2), run.optional(3)
    width = w.shape[2] - 1
    whole, length = with_past(x, past, width), x.shape[2]
    dy = run.dy.astype(np.result_type(run.dy.dtype, np.float32))
    if activation in ("silu", "swish"):
        before = convolved_with_past(whole, w, bias)
        bent = 1 / (1 + np.exp(-before))
        dy = dy * bent * (1 + before * (1 - bent))
    to_whole = np.zeros(whole.shape, dy.dtype)
    to_w = np.zeros(w.shape, dy.dtype)
    for tap in range(width + 1):
        place = slice(tap, tap + length)
        to_whole[:, :, place] += dy * w[:, 0, tap, None]
        to_w[:, 0, tap] = (dy * whole[:, :, place]).sum((0, 2))
    state = run.grads[1] if len(run.grads) > 1 else None
    if state is not None:
        to_whole[:, :, length:] += state
    return (
        to_whole[:, :, width:],
        to_w,
        dy.sum((0, 2)),
        None if past is None else to_whole[:, :, :width],
    )
