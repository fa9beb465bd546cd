"""Normalisation with all outputs, and as in training."""

from __future__ import annotations

import numpy as np

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.standard import standard


@standard("LayerNormalization")
def layer_normalization(
    x: Array, scale: Array, bias: Array | None, *, axis: int = -1, epsilon: float = 1e-5
) -> tuple[Array, ...]:
    """Normalise all axes from ``axis`` on; also gives the mean and 1 / standard deviation."""
    axes = tuple(range(axis % x.ndim, x.ndim))
    wide = x.astype(np.result_type(x.dtype, np.float32))
    mean = wide.mean(axes, keepdims=True)
    centred = wide - mean
    inverse = 1 / np.sqrt((centred * centred).mean(axes, keepdims=True) + epsilon)
    result = centred * inverse * scale
    if bias is not None:
        result = result + bias
    return result.astype(x.dtype), mean, inverse.astype(mean.dtype)


@standard("BatchNormalization")
def batch_normalization(
    x: Array,
    scale: Array,
    bias: Array,
    mean: Array,
    variance: Array,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: int = 0,
) -> tuple[Array, ...]:
    """Normalise each channel, by its own statistics when training; also gives their average."""
    dims = (1, -1) + (1,) * (x.ndim - 2)
    if not training_mode:
        raise ShapeError(explain("", "further outputs are there in training alone"))
    axes = (0, *range(2, x.ndim))
    now_mean, now_variance = x.mean(axes), x.var(axes)
    rate = scale / np.sqrt(now_variance + epsilon)
    result = (x - now_mean.reshape(dims)) * rate.reshape(dims) + bias.reshape(dims)
    averages = (
        mean * momentum + now_mean * (1 - momentum),
        variance * momentum + now_variance * (1 - momentum),
    )
    return (
        result.astype(x.dtype),
        averages[0].astype(mean.dtype),
        averages[1].astype(variance.dtype),
    )


@standard("GroupNormalization")
def group_normalization(
    x: Array, scale: Array, bias: Array, *, num_groups: int, epsilon: float = 1e-5
) -> Array:
    """Normalise each group of channels; before opset 21 scale and bias are per group."""
    wide = x.astype(np.result_type(x.dtype, np.float32)).reshape(len(x), num_groups, -1)
    centred = wide - wide.mean(2, keepdims=True)
    normal = centred / np.sqrt((centred * centred).mean(2, keepdims=True) + epsilon)
    parts = normal.reshape(len(x), len(scale), -1)
    result = parts * scale[:, None] + bias[:, None]
    return np.asarray(result.reshape(x.shape), x.dtype)
