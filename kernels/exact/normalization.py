"""Normalizations, and Softmax with its kin."""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.core.dims import axis_of
from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array, flattened, per_channel, rows_from
from aidge_nb.kernels.cpu.normalization.forward import neighbours
from aidge_nb.kernels.exact.functions.exponential import exp
from aidge_nb.kernels.exact.functions.floats import F, float32, largest, rows_along, summed
from aidge_nb.kernels.exact.functions.logarithm import log
from aidge_nb.kernels.exact.functions.power import power
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import normalization as specs


@kernel(specs.BATCH_NORM, backend="exact")
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
) -> Array:
    """Return x · f + (shift - mean · f), with f = scale / sqrt(variance + ``epsilon``)."""
    if training_mode:
        raise ShapeError.at("", "BatchNorm in training mode has no exact arithmetic")
    factor = float32(scale) / np.sqrt(float32(variance) + F(epsilon))
    offset = float32(shift) - float32(mean) * factor
    return np.asarray(float32(x) * per_channel(factor, x.ndim) + per_channel(offset, x.ndim))


def _standardized(rows: Array, epsilon: float) -> Array:
    """Subtract the mean of each row and divide by its standard deviation."""
    count = F(max(1, rows.shape[-1]))
    centred = rows - (summed(rows) / count)[..., None]
    return np.asarray(centred * _inverse_root(centred, epsilon))


def _inverse_root(rows: Array, epsilon: float) -> Array:
    """Return 1 / sqrt(mean square + epsilon) of each row."""
    count = F(max(1, rows.shape[-1]))
    return np.asarray(F(1) / np.sqrt(summed(rows * rows) / count + F(epsilon)))[..., None]


@kernel(specs.INSTANCE_NORM, specs.GROUP_NORM, backend="exact")
def group_norm(
    x: Array, scale: Array, bias: Array, *, epsilon: float, num_groups: int = 0
) -> Array:
    """Normalize each group of channels, or each channel, of each sample by its own statistics."""
    groups = int(num_groups) or x.shape[1]
    size = prod(x.shape[1:]) // max(1, groups)
    rows = float32(x).reshape(len(x), groups, size)
    result = _standardized(rows, epsilon).reshape(x.shape)
    factor, offset = (per_channel(float32(each), x.ndim) for each in (scale, bias))
    return np.asarray(result * factor + offset)


@kernel(specs.LAYER_NORM, backend="exact")
def layer_norm(x: Array, scale: Array, bias: Array | None, *, axis: int, epsilon: float) -> Array:
    """Normalize over all dimensions from ``axis`` on."""
    result = _standardized(rows_from(float32(x), axis), epsilon).reshape(x.shape) * float32(scale)
    return np.asarray(result if bias is None else result + float32(bias))


@kernel(specs.RMS_NORM, backend="exact")
def rms_norm(x: Array, scale: Array, *, axis: int, epsilon: float) -> Array:
    """Divide by the root of the mean square over all dimensions from ``axis`` on."""
    rows = rows_from(float32(x), axis)
    return np.asarray((rows * _inverse_root(rows, epsilon)).reshape(x.shape) * float32(scale))


@kernel(specs.LRN_SPEC, backend="exact")
def lrn(x: Array, *, alpha: float, beta: float, bias: float, size: int) -> Array:
    """Divide by (``bias`` + ``alpha`` / ``size`` · Σ squares of neighbours) ** ``beta``."""
    x = float32(x)
    before = (int(size) - 1) // 2
    total = neighbours(x * x, before, int(size) - 1 - before)
    base = F(bias) + F(float(alpha) / int(size)) * total
    return np.asarray(x / power(base, np.asarray(F(beta))))


@kernel(specs.LP_NORM, backend="exact")
def lp_norm(x: Array, *, axis: int, p: int) -> Array:
    """Divide by the p-norm along ``axis``; zeros stay zeros."""
    x = float32(x)
    axis = axis_of(int(axis), x.ndim)
    rows = rows_along(x, (axis,))
    norm = summed(np.abs(rows)) if int(p) == 1 else np.sqrt(summed(rows * rows))
    return np.asarray(x / np.expand_dims(np.where(norm == 0, F(1), norm), axis))


def _shifted(x: Array, axis: int) -> tuple[Array, Array]:
    """Subtract the largest element, and add up the exponentials of the rest."""
    shifted = x - np.expand_dims(largest(rows_along(x, (axis,))), axis)
    total = summed(rows_along(exp(shifted), (axis,)))
    return shifted, np.expand_dims(total, axis)


@kernel(specs.SOFTMAX, backend="exact")
def softmax(x: Array, *, axis: int, flatten: bool) -> Array:
    """Return exp(x) / Σ exp(x) along ``axis``."""
    data, axis = flattened(float32(x), axis, flatten)
    shifted, total = _shifted(data, axis)
    return np.asarray(exp(shifted) / total).reshape(x.shape)


@kernel(specs.LOG_SOFTMAX, backend="exact")
def log_softmax(x: Array, *, axis: int, flatten: bool) -> Array:
    """Return x - ln Σ exp(x) along ``axis``."""
    data, axis = flattened(float32(x), axis, flatten)
    shifted, total = _shifted(data, axis)
    return np.asarray(shifted - log(total)).reshape(x.shape)
