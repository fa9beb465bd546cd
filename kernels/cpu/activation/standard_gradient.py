"""Gradients of activations of ONNX without a declaration."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, summed_to
from aidge_nb.kernels.gradients import Recorded, standard_gradient


@standard_gradient("Shrink", inputs=(0,))
def shrink(run: Recorded, *, lambd: float = 0.5) -> Array:
    """Pass what was moved, and nothing where the result is 0."""
    return np.where(np.abs(run.x) > lambd, run.dy, 0)


@standard_gradient("PRelu", inputs=(0, 1), outputs=(0,))
def prelu(run: Recorded) -> tuple[Array, Array]:
    """Pass what is below 0 times the slope, and to the slope that times the element."""
    given, below = run.input(1), run.x < 0
    slope = given
    if given.ndim == 1 and run.x.ndim > 2 and len(given) == run.x.shape[1]:
        per_channel = given.reshape(-1, *[1] * (run.x.ndim - 2))  # before opset 7
        if np.array_equal(run.y, np.where(below, run.x * per_channel, run.x)):
            slope = per_channel
    to_slope = summed_to(np.where(below, run.dy * run.x, 0), slope.shape)
    return np.where(below, run.dy * slope, run.dy), to_slope.reshape(given.shape)
