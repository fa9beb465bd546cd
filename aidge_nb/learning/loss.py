"""Compute losses, and the gradients of predictions with respect to them.

Each function returns the loss, of dims ``[1, 1]`` if it says nothing else, and sets the gradient of
the prediction, where :meth:`aidge_nb.SequentialScheduler.backward` starts.
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
    _check_rank("CELoss", y, "[batch, classes]")
    return _done(prediction, *_cross_entropy(y, wanted), scaling)


def multiStepCELoss(  # noqa: N802
    prediction: Tensor, target: Tensor | ArrayLike, nbTimeSteps: int, scaling: float = 1.0
) -> Tensor:
    """Return the sum of the cross-entropies of several time steps, of dims ``[1]``.

    It is for spiking networks, which say a class at each step: predictions are scores,
    ``[steps, batch, classes]``, and targets probabilities ``[batch, classes]`` for all steps.

    Raise ShapeError when dims do not fit, or there are fewer steps than are asked for.

    Parameters
    ----------
    prediction, target, scaling
        See :func:`CELoss`.
    nbTimeSteps
        Number of steps that count, from the first one on; the others get no gradient.

    Examples
    --------
    >>> y = Tensor([[[0.0, 0.0]], [[0.0, 0.0]]])
    >>> multiStepCELoss(y, [[1.0, 0.0]], 2).array.round(4).tolist(), y.grad.dims
    ([1.3863], [2, 1, 2])
    """
    name = "multiStepCELoss"
    wanted = numbers_of(f"{name}, target", target).astype(np.float64)
    y, _ = _both(name, prediction, np.broadcast_to(wanted, (*prediction.dims[:1], *wanted.shape)))
    _check_rank(name, y, "[steps, batch, classes]")
    if not 1 <= nbTimeSteps <= len(y):
        expected = f"1 to {len(y)}"
        raise ShapeError.at(f"{name}, nbTimeSteps", "wrong", expected=expected, found=nbTimeSteps)
    loss, grad = 0.0, np.zeros_like(y)
    for step in range(nbTimeSteps):
        value, grad[step] = _cross_entropy(y[step], wanted)
        loss += value
    return _done(prediction, loss, grad, scaling, dims=(1,))


def RobustCELoss(  # noqa: N802
    lower_bound: Tensor,
    upper_bound: Tensor,
    target: Tensor | ArrayLike,
    scaling: float = 1.0,
) -> Tensor:
    """Return the mean cross-entropy when scores lie between bounds and the worst is assumed.

    It is log Σ exp(upper) - lower of the right class, which is never less than the cross-entropy
    of any scores between the bounds, and sets the gradients of both. Dims are ``[batch, classes]``.

    Raise ShapeError when dims do not fit.

    Source: S. Gowal and others, On the Effectiveness of Interval Bound Propagation, 2018.

    Parameters
    ----------
    lower_bound, upper_bound
        Bounds of the scores.
    target
        Probabilities of the classes.
    scaling
        See :func:`MSE`.

    Examples
    --------
    >>> low, high = Tensor([[0.0, 0.0]]), Tensor([[0.0, 0.0]])
    >>> RobustCELoss(low, high, [[1.0, 0.0]]).array.round(4).item(), low.grad.array.tolist()
    (0.6931, [[-1.0, -0.0]])
    """
    low, wanted = _both("RobustCELoss", lower_bound, target)
    high, _ = _both("RobustCELoss", upper_bound, target)
    _check_rank("RobustCELoss", low, "[batch, classes]")
    most = high.max(axis=1, keepdims=True)
    total = most + np.log(np.exp(high - most).sum(axis=1, keepdims=True))
    loss = (wanted * (total - low)).sum() / len(low)
    _done(lower_bound, loss, -wanted / len(low), scaling)
    shares = np.exp(high - total) * wanted.sum(axis=1, keepdims=True)
    return _done(upper_bound, loss, shares / len(low), scaling)


def KD(  # noqa: N802
    student_prediction: Tensor, teacher_prediction: Tensor | ArrayLike, temperature: float = 2.0
) -> Tensor:
    """Return how far a student's classes are from a teacher's: a mean cross-entropy.

    Both are scores, ``[batch, classes]``, which are divided by the temperature before a Softmax.
    The gradient is, as in Aidge, that of the loss times batch and temperature, so that its size
    depends on neither: the student's probabilities less the teacher's.

    Raise ShapeError when dims do not fit, or the temperature is not above 0.

    Source: G. Hinton and others, Distilling the Knowledge in a Neural Network, 2015.

    Parameters
    ----------
    student_prediction
        Scores of the network that is trained.
    teacher_prediction
        Scores of the network that it learns from.
    temperature
        The higher it is, the more classes that are unlikely count.

    Examples
    --------
    >>> y = Tensor([[0.0, 0.0]])
    >>> round(KD(y, [[1.0, -1.0]]).array.item(), 4), y.grad.array.round(4).tolist()
    (0.6931, [[-0.2311, 0.2311]])
    """
    student, teacher = _both("KD", student_prediction, teacher_prediction)
    _check_rank("KD", student, "[batch, classes]")
    if not temperature > 0:
        raise ShapeError.at("KD, temperature", "wrong", expected="above 0", found=temperature)
    wanted = np.exp(_log_softmax(teacher / temperature))
    loss, grad = _cross_entropy(student / temperature, wanted)
    return _done(student_prediction, loss, grad * len(student), 1.0)


def _log_softmax(scores: Array) -> Array:
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def _cross_entropy(scores: Array, wanted: Array) -> tuple[float, Array]:
    """Return the mean over the batch, and its gradient."""
    logarithm = _log_softmax(scores)
    loss = -(wanted * logarithm).sum() / len(scores)
    grad = (np.exp(logarithm) * wanted.sum(axis=1, keepdims=True) - wanted) / len(scores)
    return float(loss), grad


def _check_rank(name: str, scores: Array, dims: str) -> None:
    if scores.ndim != len(dims.split(",")):
        found = list(scores.shape)
        raise ShapeError.at(f"{name}, prediction", "wrong dims", expected=dims, found=found)


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


def _done(
    prediction: Tensor, loss: Any, grad: Array, scaling: float, dims: tuple[int, ...] = (1, 1)
) -> Tensor:
    """Set the gradient and return the loss, both in the type of the prediction."""
    dtype = prediction.dtype.numpy
    factor = number_of("loss, scaling", scaling, "a finite number")
    prediction.grad = Tensor((factor * grad).astype(dtype))
    return Tensor(np.full(dims, loss, dtype))
