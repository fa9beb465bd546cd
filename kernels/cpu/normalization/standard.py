"""Normalisation with all outputs, and as in training."""

from __future__ import annotations

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.standard import MICROSOFT, standard


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
        raise ShapeError.at("", "further outputs are there in training alone")
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


@standard("SkipLayerNormalization", domain=MICROSOFT)
def skip_layer_normalization(
    x: Array,
    skip: Array,
    gamma: Array,
    beta: Array | None,
    bias: Array | None,
    *,
    epsilon: float = 1e-12,
) -> tuple[Array, ...]:
    """Add what was skipped, and normalise; also gives mean, 1 / deviation, and the sum."""
    total = x + skip
    if bias is not None:
        total = total + bias
    return (*layer_normalization(total, gamma, beta, axis=-1, epsilon=epsilon), total)


def _by_mean_square(x: Array, scale: Array, epsilon: float) -> tuple[Array, Array]:
    wide = x.astype(np.result_type(x.dtype, np.float32))
    inverse = 1 / np.sqrt((wide * wide).mean(-1, keepdims=True) + epsilon)
    return np.asarray(wide * inverse * scale, x.dtype), inverse


@standard("SimplifiedLayerNormalization")
def simplified_layer_normalization(
    x: Array, scale: Array, *, axis: int = -1, epsilon: float = 1e-5
) -> tuple[Array, ...]:
    """Normalise the last axis by its root mean square."""
    if axis % x.ndim != x.ndim - 1:
        raise ShapeError.at("", "works along the last axis", found=f"axis {axis}")
    return _by_mean_square(x, scale, epsilon)


@standard("SkipSimplifiedLayerNormalization", domain=MICROSOFT)
def skip_simplified_layer_normalization(
    x: Array, skip: Array, gamma: Array, bias: Array | None, *, epsilon: float = 1e-5
) -> tuple[Array, ...]:
    """Add what was skipped, and normalise by the root mean square."""
    total = x + skip if bias is None else x + skip + bias
    normal, inverse = _by_mean_square(total, gamma, epsilon)
    return normal, np.zeros_like(inverse), inverse, total


@standard("EmbedLayerNormalization", domain=MICROSOFT)
def embed_layer_normalization(
    words: Array,
    segments: Array | None,
    word_table: Array,
    place_table: Array,
    segment_table: Array | None,
    gamma: Array,
    beta: Array,
    mask: Array | None,
    places: Array | None,
    *,
    epsilon: float = 1e-12,
    mask_index_type: int = 1,
) -> tuple[Array, ...]:
    """Look words, places and segments up, add and normalise; also counts what is not masked."""
    if places is None:
        places = np.arange(words.shape[1])[None]
    total = word_table[words] + place_table[places]
    if segments is not None and segment_table is not None:
        total = total + segment_table[segments]
    normal = layer_normalization(total, gamma, beta, axis=-1, epsilon=epsilon)[0]
    counts = np.zeros(len(words), np.int32) if mask is None else mask.sum(1).astype(np.int32)
    return normal, counts, total
