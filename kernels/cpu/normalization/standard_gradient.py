"""Gradients of normalizations, losses, and variants of operators that this library declares."""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.sums import summed_to
from aidge_nb.kernels.cpu.linear.gradient import gemm
from aidge_nb.kernels.gradients import Recorded, standard_gradient
from aidge_nb.ops.rules import axis_of

standard_gradient("Gemm", inputs=(0, 1))(gemm)


def _grad(run: Recorded, index: int) -> Array:
    """Give the gradient of a further output; 0 where there is none."""
    grad = run.grads[index] if index < len(run.grads) else None
    return np.zeros((), run.dy.dtype) if grad is None else grad


@standard_gradient("Shrink", inputs=(0,))
def shrink(run: Recorded, *, lambd: float = 0.5) -> Array:
    """Pass what was moved, and nothing where the result is 0."""
    return np.where(np.abs(run.x) > lambd, run.dy, 0)


@standard_gradient("Dropout", inputs=(1, 2), outputs=(1,))
def dropout(run: Recorded, *, ratio: float = 0.5) -> Array:
    """Pass everything, and in training what was kept.

    Raises
    ------
    ShapeError
        When it is not known what was kept.
    """
    rate, training = run.optional(1), run.optional(2)
    if training is None or not training:
        return run.dy
    mask = run.outputs[1] if len(run.outputs) > 1 else None
    if mask is None:
        cure = "Read the mask in the model, too."
        raise ShapeError(explain("output#1", "it is not known what was kept", cure=cure))
    return np.asarray(run.dy * mask / (1 - (ratio if rate is None else float(rate))))


@standard_gradient("SpaceToDepth")
def space_to_depth(run: Recorded, *, blocksize: int, mode: str = "DCR") -> Array:
    """Move channels back into blocks of space."""
    n, c, h, w = run.x.shape
    block = (blocksize, blocksize)
    first = (*block, c) if mode == "DCR" else (c, *block)
    parts = run.dy.reshape(n, *first, h // blocksize, w // blocksize)
    order = (0, 3, 4, 1, 5, 2) if mode == "DCR" else (0, 1, 4, 2, 5, 3)
    return np.array(parts.transpose(order), order="C").reshape(n, c, h, w)


@standard_gradient("Cast", "CastLike")
def cast(run: Recorded) -> Array:
    """Give the elements their type back."""
    return run.dy.astype(run.x.dtype, copy=False)


@standard_gradient("ReverseSequence", inputs=(1,))
def reverse_sequence(run: Recorded, *, batch_axis: int = 1, time_axis: int = 0) -> Array:
    """Reverse once more."""
    result = np.array(run.dy)
    rows = np.moveaxis(result, (batch_axis, time_axis), (0, 1))
    for row, length in enumerate(run.input(1).tolist()):
        rows[row, :length] = rows[row, :length][::-1].copy()
    return result


@standard_gradient("Det", inputs=(0,), outputs=(0,))
def det(run: Recorded) -> Array:
    """Pass dy det(x) x⁻ᵀ (Jacobi's formula); x must have an inverse."""
    inverse = np.linalg.inv(run.x).swapaxes(-1, -2)
    return np.asarray((run.dy * run.y)[..., None, None] * inverse)


def _spread(reduced: Array, run: Recorded, axes: tuple[int, ...], noop: int) -> Array:
    """Give a reduced array all axes of the data again."""
    along = run.optional(1)
    given = tuple(axes if along is None else along.tolist())
    if not given and noop:
        return reduced
    rank = run.x.ndim
    chosen = {axis_of(int(axis), rank) for axis in given} or set(range(rank))
    return reduced.reshape([1 if axis in chosen else n for axis, n in enumerate(run.x.shape)])


@standard_gradient("ReduceLogSum", inputs=(1,), outputs=(0,))
def reduce_log_sum(
    run: Recorded, *, axes: tuple[int, ...] = (), noop_with_empty_axes: int = 0
) -> Array:
    """Pass dy / sum."""
    share = _spread(np.asarray(run.dy / np.exp(run.y)), run, axes, noop_with_empty_axes)
    return np.broadcast_to(share, run.x.shape).copy()


@standard_gradient("ReduceLogSumExp", inputs=(0, 1), outputs=(0,))
def reduce_log_sum_exp(
    run: Recorded, *, axes: tuple[int, ...] = (), noop_with_empty_axes: int = 0
) -> Array:
    """Pass dy exp(x - y)."""
    y, dy = (_spread(each, run, axes, noop_with_empty_axes) for each in (run.y, run.dy))
    return np.asarray(dy * np.exp(run.x - y))


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


def _of_scores(
    run: Recorded, ignored: int | None, reduction: str, scores: Array
) -> tuple[Array, Array]:
    """Give the gradient of the score of each right class, and where that stands."""
    target, weight = run.input(1), run.optional(2)
    counts = np.ones(target.shape, bool) if ignored is None else target != ignored
    safe = np.where(counts, target, 0)
    factor = counts.astype(scores.dtype)
    if weight is not None:
        factor = factor * weight[safe]
    share = -run.dy * factor
    if reduction == "mean":
        share = share / factor.sum()
    return np.asarray(share), safe[:, None]


@standard_gradient("NegativeLogLikelihoodLoss", inputs=(1, 2))
def negative_log_likelihood(
    run: Recorded, *, ignore_index: int | None = None, reduction: str = "mean"
) -> Array:
    """Pass to the scores of the right classes; the weights of the classes get nothing."""
    share, places = _of_scores(run, ignore_index, reduction, run.x)
    result = np.zeros(run.x.shape, run.dy.dtype)
    np.put_along_axis(result, places, share[:, None], 1)
    return result


@standard_gradient("SoftmaxCrossEntropyLoss", inputs=(0, 1, 2))
def softmax_cross_entropy(
    run: Recorded, *, ignore_index: int | None = None, reduction: str = "mean"
) -> Array:
    """Pass through the logarithms, which are an output, too, to the scores."""
    share, places = _of_scores(run, ignore_index, reduction, run.x)
    inner = np.zeros(run.x.shape, run.dy.dtype)
    np.put_along_axis(inner, places, share[:, None], 1)
    inner = inner + _grad(run, 1)
    powers = np.exp(run.x - run.x.max(1, keepdims=True))
    return np.asarray(inner - powers / powers.sum(1, keepdims=True) * inner.sum(1, keepdims=True))
