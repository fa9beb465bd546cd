"""Gradients of normalizations, losses, and variants of operators that this library declares."""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, summed_to
from aidge_nb.kernels.gradients import Recorded, standard_gradient


def _grad(run: Recorded, index: int) -> Array:
    """Return the gradient of a further output; 0 where there is none."""
    grad = run.grads[index] if index < len(run.grads) else None
    return np.zeros((), run.dy.dtype) if grad is None else grad


@standard_gradient("LayerNormalization", inputs=(0, 1), outputs=())
def layer_normalization(
    run: Recorded, *, axis: int = -1, epsilon: float = 1e-5
) -> tuple[Array | None, ...]:
    """Pass through the statistics, which are outputs, too."""
    x, scale, bias = run.x, run.input(1), run.optional(2)
    axes = tuple(range(axis % x.ndim, x.ndim))
    count = prod(x.shape[axis % x.ndim :])
    centred = x - x.mean(axes, keepdims=True)
    inverse = 1 / np.sqrt((centred * centred).mean(axes, keepdims=True) + epsilon)
    standard = centred * inverse
    inner = run.dy * scale
    mean = inner.mean(axes, keepdims=True)
    along = (inner * standard).mean(axes, keepdims=True)
    to_data = inverse * (inner - mean - standard * along)
    to_data = to_data + _grad(run, 1) / count - _grad(run, 2) * inverse**3 * centred / count
    return (
        np.asarray(to_data),
        summed_to(np.asarray(run.dy * standard), scale.shape),
        None if bias is None else summed_to(run.dy, bias.shape),
    )


@standard_gradient("SimplifiedLayerNormalization", inputs=(0, 1))
def simplified_layer_normalization(run: Recorded, *, epsilon: float = 1e-5) -> tuple[Array, ...]:
    """Pass through the mean square, whose inverse root is an output, too."""
    x, scale = run.x, run.input(1)
    inverse = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon)
    standard = x * inverse
    inner = run.dy * scale
    along = (inner * standard).mean(-1, keepdims=True)
    to_data = inverse * (inner - standard * along)
    to_data = to_data - _grad(run, 1) * inverse**3 * x / x.shape[-1]
    return np.asarray(to_data), summed_to(np.asarray(run.dy * standard), scale.shape)


@standard_gradient("BatchNormalization", inputs=(0, 1))
def batch_normalization(
    run: Recorded, *, epsilon: float = 1e-5, momentum: float = 0.9
) -> tuple[Array, ...]:
    """Pass through the statistics of the batch, and to the averages that they are added to."""
    x, axes = run.x, (0, *range(2, run.x.ndim))
    dims = (1, -1) + (1,) * (x.ndim - 2)
    count = x.size // max(1, x.shape[1])
    centred = x - x.mean(axes, keepdims=True)
    inverse = 1 / np.sqrt((centred * centred).mean(axes, keepdims=True) + epsilon)
    standard = centred * inverse
    inner = run.dy * run.input(1).reshape(dims)
    mean = inner.mean(axes, keepdims=True)
    along = (inner * standard).mean(axes, keepdims=True)
    averages = [np.broadcast_to(_grad(run, i), (x.shape[1],)) for i in (1, 2)]
    of_mean, of_variance = ((1 - momentum) * each.reshape(dims) / count for each in averages)
    to_data = inverse * (inner - mean - standard * along) + of_mean + 2 * of_variance * centred
    return (
        np.asarray(to_data),
        np.asarray((run.dy * standard).sum(axes)),
        np.asarray(run.dy.sum(axes)),
        *(np.asarray(momentum * each) for each in averages),
    )


@standard_gradient("GroupNormalization", inputs=(0, 1))
def group_normalization(
    run: Recorded, *, num_groups: int, epsilon: float = 1e-5
) -> tuple[Array, ...]:
    """Pass through the statistics of each group; scale and bias may be per group."""
    x, scale = run.x, run.input(1)
    rows = x.reshape(len(x), num_groups, -1)
    centred = rows - rows.mean(2, keepdims=True)
    inverse = 1 / np.sqrt((centred * centred).mean(2, keepdims=True) + epsilon)
    standard = centred * inverse
    parts = run.dy.reshape(len(x), len(scale), -1)
    inner = (parts * scale[:, None]).reshape(rows.shape)
    mean = inner.mean(2, keepdims=True)
    along = (inner * standard).mean(2, keepdims=True)
    return (
        np.asarray(inverse * (inner - mean - standard * along)).reshape(x.shape),
        np.asarray((parts * standard.reshape(parts.shape)).sum((0, 2))),
        np.asarray(parts.sum((0, 2))),
    )
