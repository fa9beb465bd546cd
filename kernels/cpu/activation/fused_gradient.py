"""Gradients of activations as optimizers write them."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.activation.gradient import gelu
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.sums import summed_to
from aidge_nb.kernels.cpu.quantization.microsoft import MICROSOFT
from aidge_nb.kernels.gradients import Recorded, standard_gradient


@standard_gradient("Gelu", "BiasGelu", domain=MICROSOFT, inputs=(0, 1))
def bias_gelu(run: Recorded) -> tuple[Array, ...]:
    """Pass to the data, and to a bias if there is one."""
    return _of_sum(run, "none")


@standard_gradient("FastGelu", domain=MICROSOFT, inputs=(0, 1))
def fast_gelu(run: Recorded) -> tuple[Array, ...]:
    """Pass as the approximation with tanh does."""
    return _of_sum(run, "tanh")


@standard_gradient("QuickGelu", domain=MICROSOFT, inputs=(0,))
def quick_gelu(run: Recorded, *, alpha: float = 1.702) -> Array:
    """Multiply by s (1 + alpha x (1 - s)), s = sigmoid(alpha x)."""
    bent = 1 / (1 + np.exp(-alpha * run.x))
    return np.asarray(run.dy * bent * (1 + alpha * run.x * (1 - bent)))


def _of_sum(run: Recorded, approximate: str) -> tuple[Array, ...]:
    bias = run.optional(1)
    total = run.x if bias is None else run.x + bias
    dx = gelu(Recorded((total,), run.outputs, run.grads, run.wanted), approximate=approximate)
    return (dx,) if bias is None else (dx, summed_to(dx, bias.shape))
