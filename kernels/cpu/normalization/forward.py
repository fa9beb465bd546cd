"""Normalizations, and Softmax with its kin."""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.core.dims import axis_of
from aidge_nb.kernels.cpu.common.arrays import (
    Array,
    added_up,
    flattened,
    floats,
    per_channel,
    rows_from,
)
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import normalization as specs


@kernel(specs.BATCH_NORM)
def batch_norm(
    x: Array,
    scale: Array,
    shift: Array,
    mean: Array,
    variance: Array,
    *,
    epsilon: float,
    momentum: float,
    training_mode: bool,
    out: Array | None = None,
) -> Array:
    """Normalize by the stored statistics, or in training by those of the batch."""
    if training_mode and x.size:
        axes = (0, *range(2, x.ndim))
        mean, variance = x.mean(axis=axes), x.var(axis=axes)
    factor = (scale / np.sqrt(variance + float(epsilon))).astype(x.dtype, copy=False)
    offset = (shift - mean * factor).astype(x.dtype, copy=False)
    result = np.multiply(x, per_channel(factor, x.ndim), out=out)
    result += per_channel(offset, x.ndim)
    return np.asarray(result)


def _standardized(rows: Array, epsilon: float) -> Array:
    """Normalize each row to mean 0 and variance 1, in a new array."""
    if not rows.size:
        return rows.copy()
    result = np.asarray(rows - rows.mean(axis=-1, keepdims=True))
    result *= _inverse_root(result, epsilon)
    return result


def _inverse_root(rows: Array, epsilon: float) -> Array:
    """Return 1 / sqrt(mean square + epsilon) of each row."""
    squares = np.einsum("...i,...i->...", rows, rows)[..., None]
    squares /= max(1, rows.shape[-1])
    squares += float(epsilon)
    return np.asarray(1 / np.sqrt(squares))


@kernel(specs.INSTANCE_NORM, specs.GROUP_NORM)
def group_norm(
    x: Array, scale: Array, bias: Array, *, epsilon: float, num_groups: int = 0
) -> Array:
    """Normalize each group of channels, or each channel, of each sample by its own statistics."""
    groups = int(num_groups) or x.shape[1]
    size = prod(x.shape[1:]) // max(1, groups)
    rows = x.reshape(len(x), groups, size).astype(_wide(x), copy=False)
    result = _standardized(rows, epsilon).reshape(x.shape)
    result *= per_channel(scale, x.ndim)
    result += per_channel(bias, x.ndim)
    return result.astype(x.dtype, copy=False)


def _wide(x: Array) -> type[np.floating]:
    return np.float64 if x.dtype == np.float64 else np.float32


@kernel(specs.LAYER_NORM)
def layer_norm(x: Array, scale: Array, bias: Array | None, *, axis: int, epsilon: float) -> Array:
    """Normalize over all dimensions from ``axis`` on."""
    rows = rows_from(x, axis).astype(_wide(x), copy=False)
    result = _standardized(rows, epsilon).reshape(x.shape)
    result *= scale
    if bias is not None:
        result += bias
    return result.astype(x.dtype, copy=False)


@kernel(specs.RMS_NORM)
def rms_norm(x: Array, scale: Array, *, axis: int, epsilon: float) -> Array:
    """Divide by the root of the mean square over all dimensions from ``axis`` on."""
    rows = rows_from(x, axis).astype(_wide(x), copy=False)
    result = (rows * _inverse_root(rows, epsilon)).reshape(x.shape)
    result *= scale
    return result.astype(x.dtype, copy=False)


@kernel(specs.LRN_SPEC)
def lrn(
    x: Array, *, alpha: float, beta: float, bias: float, size: int, out: Array | None = None
) -> Array:
    """Divide by the mean square of neighbouring channels.

    It works row by row, with one row aside, so that ``out`` may be ``x``.

    Source: A. Krizhevsky and others, ImageNet Classification, 2012, section 3.3.
    """
    x = floats(x)
    result = np.empty_like(x) if out is None else out
    for place in np.ndindex(x.shape[0], *x.shape[2:3]):
        row = (place[0], slice(None), *place[1:])
        np.divide(x[row], _power_of_neighbours(x[row], alpha, beta, bias, size), out=result[row])
    return result


def _power_of_neighbours(x: Array, alpha: float, beta: float, bias: float, size: int) -> Array:
    """Return the divisor of LRN for one row of one sample, channels first."""
    before = (int(size) - 1) // 2
    (total,) = neighbours((x * x)[None], before, int(size) - 1 - before)
    total *= float(alpha) / int(size)
    total += float(bias)
    return np.asarray(total ** float(beta))


def neighbours(x: Array, before: int, behind: int) -> Array:
    """Sum, for each channel, from so many channels before to so many after."""
    channels = x.shape[1]
    total = np.zeros_like(x)
    for offset in range(max(-before, 1 - channels), min(behind + 1, channels)):
        first, last = max(0, -offset), min(channels, channels - offset)
        total[:, first:last] += x[:, first + offset : last + offset]
    return total


@kernel(specs.LP_NORM)
def lp_norm(x: Array, *, axis: int, p: int) -> Array:
    """Divide by the p-norm along ``axis``; zeros stay zeros."""
    x = floats(x)
    if int(p) == 1:
        norm = added_up(np.abs(x), [axis_of(int(axis), x.ndim)])
    else:
        norm = np.sqrt(added_up(np.square(x), [axis_of(int(axis), x.ndim)]))
    return np.asarray(x / np.where(norm == 0, x.dtype.type(1), norm))


def _shifted(x: Array, axis: int) -> Array:
    """Subtract the largest element, so that exp() cannot overflow; a new array."""
    return np.asarray(x - x.max(axis=axis, keepdims=True, initial=-np.inf))


@kernel(specs.SOFTMAX)
def softmax(x: Array, *, axis: int, flatten: bool) -> Array:
    """Return exp(x) / Σ exp(x) along ``axis``."""
    data, axis = flattened(floats(x), axis, flatten)
    result = _shifted(data, axis)
    np.exp(result, out=result)
    result /= added_up(result, [axis])
    return result.reshape(x.shape)


@kernel(specs.LOG_SOFTMAX)
def log_softmax(x: Array, *, axis: int, flatten: bool) -> Array:
    """Return x - ln Σ exp(x) along ``axis``."""
    data, axis = flattened(floats(x), axis, flatten)
    result = _shifted(data, axis)
    result -= np.log(added_up(np.exp(result), [axis]))
    return result.reshape(x.shape)


@kernel(specs.HARDMAX)
def hardmax(x: Array, *, axis: int, flatten: bool) -> Array:
    """Return 1 where the first largest element along ``axis`` is, 0 elsewhere."""
    data, axis = flattened(floats(x), axis, flatten)
    result = np.zeros_like(data)
    if data.size:
        where = np.expand_dims(data.argmax(axis=axis), axis)
        np.put_along_axis(result, where, 1, axis)
    return result.reshape(x.shape)
