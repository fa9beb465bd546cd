"""Compute losses, and the gradients of predictions with respect to them.

Each function returns the loss, of dims ``[1, 1]``, and sets the gradient of the prediction, where
:meth:`aidge_nb.SequentialScheduler.backward` starts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.learning.given import number_of, numbers_of

Array = NDArray[Any]

_SMALLEST = 1e-12
"""The least probability that is used, so that logarithms are finite."""


def MSE(prediction: Tensor, target: Tensor | ArrayLike, scaling: float = 1.0) -> Tensor:  # noqa: N802
    """Return the mean of the squared differences.

    Raise ShapeError when the dims differ, or the prediction is empty.

    Parameters
    ----------
    prediction
        An output of the network.
    target
        The desired values, of the same dims.
    scaling
        A factor for the gradient, not for the loss: it keeps small gradients from becoming 0 in
        types of low precision.

    Examples
    --------
    >>> y = Tensor([[1.0, 2.0]])
    >>> MSE(y, [[1.0, 4.0]]).array.item(), y.grad.array.tolist()
    (2.0, [[0.0, -2.0]])
    """
    y, wanted = _both("MSE", prediction, target)
    difference = y - wanted
    return _done(prediction, (difference**2).mean(), 2 * difference / y.size, scaling)


def BCE(prediction: Tensor, target: Tensor | ArrayLike, scaling: float = 1.0) -> Tensor:  # noqa: N802
    """Return the mean binary cross-entropy.

    Predictions are probabilities, such as the outputs of Sigmoid, and targets 0 to 1; other
    parameters are those of :func:`MSE`.

    Raise ShapeError when the dims differ, or predictions or targets are not probabilities.

    Examples
    --------
    >>> y = Tensor([[0.5, 0.25]])
    >>> round(BCE(y, [[1.0, 0.0]]).array.item(), 4), y.grad.array.round(4).tolist()
    (0.4904, [[-1.0, 0.6667]])
    """
    y, wanted = _both("BCE", prediction, target)
    _check_range("BCE", "prediction", y)
    _check_range("BCE", "target", wanted)
    yes, no = np.maximum(y, _SMALLEST), np.maximum(1 - y, _SMALLEST)
    loss = -(wanted * np.log(yes) + (1 - wanted) * np.log(no)).mean()
    return _done(prediction, loss, ((1 - wanted) / no - wanted / yes) / y.size, scaling)


def CELoss(prediction: Tensor, target: Tensor | ArrayLike, scaling: float = 1.0) -> Tensor:  # noqa: N802
    """Return the mean cross-entropy of classes.

    Softmax is part of the loss: predictions are scores, ``[batch, classes]``. Targets are
    probabilities of the same dims, or the numbers of the right classes, ``[batch]``. Other
    parameters are those of :func:`MSE`.

    Raise ShapeError when dims do not fit, or a class number is too large.

    Examples
    --------
    >>> y = Tensor([[0.0, 0.0], [0.0, 0.0]])
    >>> round(CELoss(y, [0, 1]).array.item(), 4), y.grad.array.tolist()
    (0.6931, [[-0.25, 0.25], [0.25, -0.25]])
    """
    y, wanted = _both("CELoss", prediction, _one_hot(prediction, target))
    if y.ndim != 2:
        found = list(y.shape)
        raise ShapeError.at(
            "CELoss, prediction", "wrong dims", expected="[batch, classes]", found=found
        )
    shifted = y - y.max(axis=1, keepdims=True)
    logarithm = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    loss = -(wanted * logarithm).sum() / len(y)
    grad = (np.exp(logarithm) * wanted.sum(axis=1, keepdims=True) - wanted) / len(y)
    return _done(prediction, loss, grad, scaling)


def _both(name: str, prediction: Tensor, target: Tensor | ArrayLike) -> tuple[Array, Array]:
    """Return prediction and target as float64."""
    if not isinstance(prediction, Tensor):
        cure = "Pass an output of the graph, as forward() returns it."
        found = type(prediction).__name__
        raise ShapeError.at(f"{name}, prediction", "is not a tensor", found=found, cure=cure)
    if not prediction.dtype.is_float:
        problem = "is not a tensor of floating-point numbers, and has no gradient"
        raise ShapeError.at(f"{name}, prediction", problem, found=prediction)
    y = np.asarray(prediction, np.float64)
    wanted = numbers_of(f"{name}, target", target).astype(np.float64)
    if y.shape != wanted.shape or not y.size:
        raise ShapeError.at(
            f"{name}, target",
            "does not have the dims of the prediction" if y.size else "has no elements",
            expected=list(y.shape),
            found=list(wanted.shape),
        )
    return y, wanted


def _check_range(name: str, what: str, values: Array) -> None:
    if not ((values >= 0) & (values <= 1)).all():
        raise ShapeError.at(
            f"{name}, {what}",
            "is not a probability",
            expected="0 to 1",
            found=f"{values.min()} to {values.max()}",
            cure="Add a Sigmoid at the end of the network." if what == "prediction" else "",
        )


def _one_hot(prediction: Tensor, target: Tensor | ArrayLike) -> Tensor | ArrayLike:
    """Convert class numbers to probabilities; return probabilities unchanged."""
    if not isinstance(prediction, Tensor):
        return target
    numbers = numbers_of("CELoss, target", target)
    if numbers.dtype.kind not in "iu" or numbers.ndim != 1 or prediction.ndim != 2:
        return target
    count = prediction.dims[1]
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
        found = f"{numbers.min()} to {numbers.max()}"
        raise ShapeError.at(
            "CELoss, target", "has an unknown class", expected=f"0 to {count - 1}", found=found
        )
    return np.asarray(np.eye(count)[numbers])


def _done(prediction: Tensor, loss: Any, grad: Array, scaling: float) -> Tensor:
    """Set the gradient and return the loss, both in the type of the prediction."""
    dtype = prediction.dtype.numpy
    factor = number_of("loss, scaling", scaling, "a finite number")
    prediction.grad = Tensor((factor * grad).astype(dtype))
    return Tensor(np.full((1, 1), loss, dtype))
