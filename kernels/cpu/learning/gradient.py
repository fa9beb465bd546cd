"""Gradients of losses."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.learning.losses import weighted_classes
from aidge_nb.kernels.gradients import Recorded, standard_gradient


def _of_scores(run: Recorded, ignored: int | None, reduction: str) -> Array:
    """Return the gradient of the score of each right class; 0 for other classes."""
    safe, factor = weighted_classes(run.input(1), run.optional(2), ignored, run.x.dtype)
    share = -run.dy * factor
    if reduction == "mean":
        share = share / factor.sum()
    result = np.zeros(run.x.shape, run.dy.dtype)
    np.put_along_axis(result, safe[:, None], np.asarray(share)[:, None], 1)
    return result


@standard_gradient("NegativeLogLikelihoodLoss", inputs=(1, 2))
def negative_log_likelihood(
    run: Recorded, *, ignore_index: int | None = None, reduction: str = "mean"
) -> Array:
    """Pass to the scores of the right classes; the weights of the classes get nothing."""
    return _of_scores(run, ignore_index, reduction)


@standard_gradient("SoftmaxCrossEntropyLoss", inputs=(0, 1, 2))
def softmax_cross_entropy(
    run: Recorded, *, ignore_index: int | None = None, reduction: str = "mean"
) -> Array:
    """Pass through the logarithms, which are an output, too, to the scores."""
    inner = _of_scores(run, ignore_index, reduction) + run.grad(1)
    powers = np.exp(run.x - run.x.max(1, keepdims=True))
    return np.asarray(inner - powers / powers.sum(1, keepdims=True) * inner.sum(1, keepdims=True))
