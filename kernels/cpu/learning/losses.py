"""Losses of classifiers."""

from __future__ import annotations

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array, Dtype
from aidge_nb.kernels.standard import standard


def weighted_classes(
    target: Array, weight: Array | None, ignored: int | None, dtype: Dtype
) -> tuple[Array, Array]:
    """Return the right classes, 0 for those that do not count, and the weight of each."""
    counts = np.ones(target.shape, bool) if ignored is None else target != ignored
    safe = np.where(counts, target, 0)
    factor = counts.astype(dtype)
    return safe, factor if weight is None else factor * weight[safe]


def _loss(
    scores: Array, target: Array, weight: Array | None, ignored: int | None, reduction: str
) -> Array:
    """Return minus the score of the right class, weighted, and its mean or sum."""
    safe, factor = weighted_classes(target, weight, ignored, scores.dtype)
    if safe.size and not (safe.min() >= 0 and safe.max() < scores.shape[1]):
        raise ShapeError.at("input#1", "no such class", expected=f"0 to {scores.shape[1] - 1}")
    chosen = np.take_along_axis(scores, safe[:, None], 1)[:, 0]
    loss = -chosen * factor
    if reduction == "none":
        return np.asarray(loss, scores.dtype)
    if reduction == "sum":
        return np.asarray(loss.sum(), scores.dtype)
    return np.asarray(loss.sum() / factor.sum(), scores.dtype)


@standard("NegativeLogLikelihoodLoss")
def negative_log_likelihood(
    scores: Array,
    target: Array,
    weight: Array | None,
    *,
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> Array:
    """Return minus the logarithm of the probability of the right class."""
    return _loss(scores, target, weight, ignore_index, reduction)


@standard("SoftmaxCrossEntropyLoss")
def softmax_cross_entropy(
    scores: Array,
    target: Array,
    weight: Array | None,
    *,
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> tuple[Array, ...]:
    """Return the loss of scores that are no probabilities yet, and their logarithms."""
    wide = scores.astype(np.result_type(scores.dtype, np.float32))
    wide = wide - wide.max(1, keepdims=True)
    logarithms = (wide - np.log(np.exp(wide).sum(1, keepdims=True))).astype(scores.dtype)
    return _loss(logarithms, target, weight, ignore_index, reduction), logarithms
