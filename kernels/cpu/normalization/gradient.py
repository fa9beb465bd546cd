"""Gradients of normalizations, and of Softmax with its kin.

Statistics that are computed from the data pass on, too; the stored mean and variance of BatchNorm
are no parameters, and get no gradient.

Source: S. Ioffe and C. Szegedy, Batch Normalization, 2015, section 3.
"""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, flattened, per_channel, rows_from, summed_to
from aidge_nb.kernels.cpu.normalization.forward import neighbours
from aidge_nb.kernels.gradients import Recorded, gradient, standard_gradient
from aidge_nb.ops import normalization as specs


def _by_channel(grad: Array) -> Array:
    return np.asarray(grad.sum(axis=(0, *range(2, grad.ndim))))


def _unstandardized(standard: Array, factor: Array, dy: Array, axes: tuple[int, ...]) -> Array:
    """Go back through (x - mean) · factor, with factor = 1 / sqrt(variance + epsilon).

    ``standard`` is what came out; mean and variance are those of the data along ``axes``.
    """
    mean = dy.mean(axis=axes, keepdims=True)
    along = (dy * standard).mean(axis=axes, keepdims=True)
    return np.asarray(factor * (dy - mean - standard * along))


@gradient(specs.BATCH_NORM, inputs=(0, 1, 3, 4))
def batch_norm(run: Recorded, *, epsilon: float, training_mode: bool) -> tuple[Array | None, ...]:
    """In inference the statistics are constants; in training they depend on the batch."""
    x, scale, mean, variance = run.x, run.input(1), run.input(3), run.input(4)
    axes = (0, *range(2, x.ndim))
    if training_mode:
        mean, variance = x.mean(axis=axes), x.var(axis=axes)
    factor = per_channel(1 / np.sqrt(variance + float(epsilon)), x.ndim)
    standard = (x - per_channel(mean, x.ndim)) * factor
    inner = run.dy * per_channel(scale, x.ndim)
    to_data = _unstandardized(standard, factor, inner, axes) if training_mode else inner * factor
    return np.asarray(to_data), _by_channel(run.dy * standard), _by_channel(run.dy)


@gradient(specs.INSTANCE_NORM, specs.GROUP_NORM, inputs=(0, 1))
def group_norm(run: Recorded, *, epsilon: float, num_groups: int = 0) -> tuple[Array, ...]:
    """Pass through the statistics of each group of channels, or of each channel."""
    x, dy, groups = run.x, run.dy, int(num_groups) or run.x.shape[1]
    rows = (len(x), groups, prod(x.shape[1:]) // max(1, groups))
    standard, factor = _standardized(x.reshape(rows), epsilon)
    inner = (dy * per_channel(run.input(1), x.ndim)).reshape(rows)
    to_data = _unstandardized(standard, factor, inner, (-1,)).reshape(x.shape)
    return to_data, _by_channel(dy * standard.reshape(x.shape)), _by_channel(dy)


def _standardized(x: Array, epsilon: float, axes: tuple[int, ...] = (-1,)) -> tuple[Array, Array]:
    """Normalize along axes to mean 0 and variance 1; also return the factors."""
    centred = x - x.mean(axis=axes, keepdims=True)
    factor = 1 / np.sqrt((centred * centred).mean(axis=axes, keepdims=True) + float(epsilon))
    return np.asarray(centred * factor), np.asarray(factor)


@gradient(specs.LAYER_NORM, inputs=(0, 1))
def layer_norm(run: Recorded, *, axis: int, epsilon: float) -> tuple[Array | None, ...]:
    """Pass through the statistics of each row."""
    x, scale, bias = run.x, run.input(1), run.optional(2)
    rows = rows_from(x, axis)
    standard, factor = _standardized(rows, epsilon)
    inner = np.asarray(run.dy * scale).reshape(rows.shape)
    return (
        _unstandardized(standard, factor, inner, (-1,)).reshape(x.shape),
        summed_to(run.dy * standard.reshape(x.shape), scale.shape),
        None if bias is None else summed_to(run.dy, bias.shape),
    )


@gradient(specs.RMS_NORM, inputs=(0, 1))
def rms_norm(run: Recorded, *, axis: int, epsilon: float) -> tuple[Array, ...]:
    """Pass through the mean square of each row."""
    to_data, to_scale, _ = _through_rms(run, rows_from(run.x, axis), epsilon)
    return to_data, to_scale


def _through_rms(run: Recorded, rows: Array, epsilon: float) -> tuple[Array, Array, Array]:
    """Return the gradients of data and scale, and 1 / root mean square of each row."""
    x, scale = run.x, run.input(1)
    factor = 1 / np.sqrt((rows * rows).mean(axis=-1, keepdims=True) + float(epsilon))
    standard = rows * factor
    inner = np.asarray(run.dy * scale).reshape(rows.shape)
    along = (inner * standard).mean(axis=-1, keepdims=True)
    return (
        np.asarray(factor * (inner - standard * along)).reshape(x.shape),
        summed_to(run.dy * standard.reshape(x.shape), scale.shape),
        factor,
    )


@gradient(specs.LRN_SPEC, inputs=(0,))
def lrn(run: Recorded, *, alpha: float, beta: float, bias: float, size: int) -> Array:
    """Pass to each channel what it gave itself, and its part in the sums of its neighbours."""
    x, count = run.x, int(size)
    before = (count - 1) // 2
    total = float(bias) + float(alpha) / count * neighbours(x * x, before, count - 1 - before)
    shared = run.dy * x * total ** (-float(beta) - 1)
    back = neighbours(np.asarray(shared), count - 1 - before, before)
    return np.asarray(
        run.dy * total ** -float(beta) - 2 * float(alpha) * float(beta) / count * x * back
    )


@gradient(specs.LP_NORM, inputs=(0,), outputs=(0,))
def lp_norm(run: Recorded, *, axis: int, p: int) -> Array:
    """Pass what is not in the direction of growth of the norm; zeros pass as they are."""
    x, y = run.x, run.y
    if int(p) == 1:
        norm, direction = np.abs(x).sum(axis=axis, keepdims=True), np.sign(x)
    else:
        norm, direction = np.sqrt((x * x).sum(axis=axis, keepdims=True)), y
    along = (run.dy * y).sum(axis=axis, keepdims=True)
    return np.asarray((run.dy - direction * along) / np.where(norm == 0, 1, norm))


@gradient(specs.SOFTMAX, outputs=(0,))
def softmax(run: Recorded, *, axis: int, flatten: bool) -> Array:
    """Return y (dy - Σ y dy)."""
    y, along = flattened(run.y, axis, flatten)
    dy, _ = flattened(run.dy, axis, flatten)
    inner = (y * dy).sum(axis=along, keepdims=True)
    return np.asarray(y * (dy - inner)).reshape(run.y.shape)


@gradient(specs.LOG_SOFTMAX, outputs=(0,))
def log_softmax(run: Recorded, *, axis: int, flatten: bool) -> Array:
    """Return dy - exp(y) Σ dy."""
    y, along = flattened(run.y, axis, flatten)
    dy, _ = flattened(run.dy, axis, flatten)
    return np.asarray(dy - np.exp(y) * dy.sum(axis=along, keepdims=True)).reshape(run.y.shape)


@gradient(specs.HARDMAX)
def hardmax(run: Recorded) -> Array:
    """Return zeros: the steps are flat wherever they have a slope."""
    return np.zeros_like(run.dy)


# --- ONNX operators without a declaration ---------------------------------------------------------


@standard_gradient("LayerNormalization", inputs=(0, 1), outputs=())
def layer_normalization(
    run: Recorded, *, axis: int = -1, epsilon: float = 1e-5
) -> tuple[Array | None, ...]:
    """Pass through the statistics, which are outputs, too."""
    x, scale, bias = run.x, run.input(1), run.optional(2)
    axes = tuple(range(axis % x.ndim, x.ndim))
    count = prod(x.shape[axis % x.ndim :])
    standard, inverse = _standardized(x, epsilon, axes)
    to_data = _unstandardized(standard, inverse, run.dy * scale, axes) + run.grad(1) / count
    to_data = to_data - run.grad(2) * inverse**2 * standard / count
    return (
        np.asarray(to_data),
        summed_to(np.asarray(run.dy * standard), scale.shape),
        None if bias is None else summed_to(run.dy, bias.shape),
    )


@standard_gradient("SimplifiedLayerNormalization", inputs=(0, 1))
def simplified_layer_normalization(run: Recorded, *, epsilon: float = 1e-5) -> tuple[Array, ...]:
    """Pass through the mean square, whose inverse root is an output, too."""
    to_data, to_scale, inverse = _through_rms(run, run.x, epsilon)
    return to_data - run.grad(1) * inverse**3 * run.x / run.x.shape[-1], to_scale


@standard_gradient("BatchNormalization", inputs=(0, 1))
def batch_normalization(
    run: Recorded, *, epsilon: float = 1e-5, momentum: float = 0.9
) -> tuple[Array, ...]:
    """Pass through the statistics of the batch, and to the averages that they are added to."""
    x, axes = run.x, (0, *range(2, run.x.ndim))
    dims = (1, -1) + (1,) * (x.ndim - 2)
    count = x.size // max(1, x.shape[1])
    standard, inverse = _standardized(x, epsilon, axes)
    averages = [np.broadcast_to(run.grad(i), (x.shape[1],)) for i in (1, 2)]
    of_mean, of_variance = ((1 - momentum) * each.reshape(dims) / count for each in averages)
    to_data = _unstandardized(standard, inverse, run.dy * run.input(1).reshape(dims), axes)
    to_data = to_data + of_mean + 2 * of_variance * (x - x.mean(axes, keepdims=True))
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
    standard, inverse = _standardized(rows, epsilon)
    parts = run.dy.reshape(len(x), len(scale), -1)
    inner = (parts * scale[:, None]).reshape(rows.shape)
    return (
        _unstandardized(standard, inverse, inner, (-1,)).reshape(x.shape),
        np.asarray((parts * standard.reshape(parts.shape)).sum((0, 2))),
        np.asarray(parts.sum((0, 2))),
    )
