"""Measure how good predictions are."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.learning.confusion import ConfusionMatrix, ConfusionTable, ConfusionTableMetric
from aidge_nb.learning.given import number_of, numbers_of

__all__ = ["Accuracy", "ConfusionMatrix", "ConfusionTable", "ConfusionTableMetric"]


def Accuracy(  # noqa: N802  # the name is Aidge's
    prediction: Tensor | ArrayLike, target: Tensor | ArrayLike, axis: int = 1
) -> Tensor:
    """Count the predictions whose largest score along ``axis`` is that of the right class.

    Raise ShapeError when the dims of target and prediction do not fit.

    Parameters
    ----------
    prediction
        Scores.
    target
        Probabilities of the same dims, or the numbers of the right classes.
    axis
        The axis of the classes.

    Returns
    -------
    Tensor
        The number of right predictions, ``[1, 1]``.

    Examples
    --------
    >>> Accuracy([[0.2, 0.8], [0.7, 0.3], [0.6, 0.4]], [1, 0, 1]).array.item()
    2.0
    """
    scores = numbers_of("Accuracy, prediction", prediction)
    wanted = numbers_of("Accuracy, target", target)
    axis = int(number_of("Accuracy, axis", axis, "a number"))
    if not -scores.ndim <= axis < scores.ndim or not scores.shape[axis]:
        found = f"axis {axis} of {list(scores.shape)}"
        raise ShapeError.at("Accuracy, axis", "this axis has no classes", found=found)
    chosen = scores.argmax(axis=axis)
    right = wanted.argmax(axis=axis) if wanted.shape == scores.shape else wanted
    if right.shape != chosen.shape:
        raise ShapeError.at(
            "Accuracy, target",
            "does not fit the prediction",
            expected=f"{list(scores.shape)} or {list(chosen.shape)}",
            found=list(wanted.shape),
        )
    return Tensor(np.full((1, 1), (chosen == right).sum(), np.float32))
