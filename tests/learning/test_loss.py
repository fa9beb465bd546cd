"""Losses: their values, their gradients, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from aidge_nb.core.errors import AidgeError, ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.learning import loss, metrics

Loss = Callable[..., Tensor]

SCORES = np.array([[0.2, 0.7, 0.1], [0.6, 0.3, 0.1]])
ONE_HOT = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("function", "value", "first_row"),
    [
        (loss.MSE, 0.23333333, [0.06666667, -0.1, 0.03333334]),
        (loss.BCE, 0.7101217, [0.20833331, -0.23809525, 0.1851846]),
        (loss.CELoss, 1.060618, [0.14070402, -0.2680183, 0.12731427]),
    ],
    ids=["MSE", "BCE", "CELoss"],
)
def test_as_in_aidge(function: Loss, value: float, first_row: list[float]) -> None:
    """The numbers are those of aidge_learning 0.10.1 on the same tensors."""
    prediction = Tensor(SCORES.astype(np.float32))
    found = function(prediction, Tensor(ONE_HOT.astype(np.float32)))
    assert found.dims == [1, 1]
    assert found.array.item() == pytest.approx(value, rel=1e-6)
    assert prediction.has_grad()
    assert prediction.grad.array[0].tolist() == pytest.approx(first_row, rel=1e-5)


# The numbers of the next three are those of aidge_learning 0.10.1 on the same tensors.
LOGITS = np.arange(12).reshape(2, 2, 3) * 0.3
STEP = [[-0.38015276, 0.16177684, 0.21837591], [0.11984723, 0.16177686, -0.28162408]]


@pytest.mark.parametrize(("steps", "value"), [(1, 1.12839019), (2, 2.25678039)])
def test_several_steps_are_added_as_in_aidge(steps: int, value: float) -> None:
    target = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    prediction = Tensor(LOGITS.astype(np.float32))
    found = loss.multiStepCELoss(prediction, target, steps)
    assert found.dims == [1]
    assert found.array.item() == pytest.approx(value)
    expected = [np.array(STEP) * (step < steps) for step in range(2)]
    np.testing.assert_allclose(prediction.grad.array, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("target", "value"),
    [([1, 0, 0], 2.37153912), ([0, 1, 0], 3.37153912), ([0.5, 0.5, 0], 2.871539)],
)
def test_the_worst_between_bounds_as_in_aidge(target: list[float], value: float) -> None:
    low, high = (Tensor(np.array([row], np.float32)) for row in ([1, 0, 0], [3, 2, 0.5]))
    found = loss.RobustCELoss(low, high, np.array([target], np.float32))
    assert found.array.item() == pytest.approx(value)
    assert low.grad.array[0].tolist() == [-each for each in target]
    expected = [0.68967205, 0.25371617, 0.05661173]
    assert high.grad.array[0].tolist() == pytest.approx(expected, rel=1e-6)


def test_the_worst_is_no_better_than_any_scores_between() -> None:
    rng = np.random.default_rng(1)
    low = rng.normal(size=(4, 3))
    width = rng.random((4, 3))
    target = np.eye(3)[[0, 1, 2, 0]]
    worst = loss.RobustCELoss(Tensor(low), Tensor(low + width), target).array.item()
    for _ in range(50):
        some = low + width * rng.random((4, 3))
        assert loss.CELoss(Tensor(some), target).array.item() <= worst


@pytest.mark.parametrize(
    ("temperature", "value", "first_row"),
    [
        (1.0, 1.187645435, [-0.25501567, -0.15731339, 0.41232908]),
        (2.0, 1.128910065, [-0.13871801, -0.10265306, 0.24137102]),
        (4.0, 1.107289433, [-0.07161173, -0.05803841, 0.12965015]),
    ],
)
def test_a_teacher_as_in_aidge(temperature: float, value: float, first_row: list[float]) -> None:
    rng = np.random.default_rng(0)
    student, teacher = (Tensor(rng.normal(size=(2, 3)).astype(np.float32)) for _ in range(2))
    found = loss.KD(student, teacher, temperature)
    assert found.array.item() == pytest.approx(value, rel=1e-6)
    assert student.grad.array[0].tolist() == pytest.approx(first_row, rel=1e-5)


def test_other_gradients_agree_with_finite_differences() -> None:
    rng = np.random.default_rng(2)
    target = np.eye(3)[[0, 2]]
    other = rng.normal(size=(2, 3))
    cases: list[tuple[Loss, float]] = [  # and how many times the derivative the gradient is
        (lambda y: loss.KD(y, other, 3.0), 2 * 3.0),
        (lambda y: loss.multiStepCELoss(y, target, 2), 1.0),
        (lambda y: loss.RobustCELoss(y, Tensor(other), target), 1.0),
        (lambda y: loss.RobustCELoss(Tensor(other), y, target), 1.0),
    ]
    for number, (function, factor) in enumerate(cases):
        values = rng.normal(size=(2, 2, 3) if number == 1 else (2, 3))
        prediction = Tensor(values)
        function(prediction)
        for place in np.ndindex(values.shape):
            sides = []
            for sign in (1, -1):
                moved = values.copy()
                moved[place] += sign * 1e-6
                sides.append(function(Tensor(moved)).array.item())
            slope = factor * (sides[0] - sides[1]) / 2e-6
            assert prediction.grad.array[place] == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: loss.KD(Tensor(SCORES), ONE_HOT, 0.0), r"KD, temperature: .*above 0, found 0"),
        (
            lambda: loss.KD(Tensor(SCORES[0]), ONE_HOT[0]),
            r"KD, pred.*\[batch, classes\], found \[3",
        ),
        (lambda: loss.multiStepCELoss(Tensor(LOGITS), ONE_HOT, 3), r"nbTimeSteps.*1 to 2, found 3"),
        (lambda: loss.multiStepCELoss(Tensor(SCORES), ONE_HOT, 1), r"multiStepCELoss, target"),
        (
            lambda: loss.RobustCELoss(Tensor(SCORES), Tensor(SCORES[:1]), ONE_HOT),
            r"RobustCELoss, t",
        ),
    ],
)
def test_what_the_others_refuse(call: Callable[[], Tensor], message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        call()


@pytest.mark.parametrize("function", [loss.MSE, loss.BCE, loss.CELoss])
def test_gradients_agree_with_finite_differences(function: Loss) -> None:
    rng = np.random.default_rng(0)
    values, target = 0.1 + 0.8 * rng.random((4, 3)), rng.random((4, 3))
    prediction = Tensor(values)
    function(prediction, target)
    assert prediction.has_grad()
    for place in np.ndindex(4, 3):
        sides = []
        for sign in (1, -1):
            moved = values.copy()
            moved[place] += sign * 1e-6
            sides.append(function(Tensor(moved), target).array.item())
        slope = (sides[0] - sides[1]) / 2e-6
        assert prediction.grad.array[place] == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize("function", [loss.MSE, loss.BCE, loss.CELoss])
def test_scaling_is_of_the_gradient_alone(function: Loss) -> None:
    once, thrice = Tensor(SCORES), Tensor(SCORES)
    values = [function(once, ONE_HOT), function(thrice, ONE_HOT, scaling=3.0)]
    assert values[0].array.item() == values[1].array.item()
    assert once.has_grad()
    assert thrice.has_grad()
    np.testing.assert_allclose(thrice.grad.array, 3 * once.grad.array)


def test_classes_by_number() -> None:
    one, other = Tensor(SCORES), Tensor(SCORES)
    assert (
        loss.CELoss(one, np.array([1, 2])).array.item() == loss.CELoss(other, ONE_HOT).array.item()
    )
    assert one.has_grad()
    assert other.has_grad()
    assert np.array_equal(one.grad.array, other.grad.array)


def test_scores_may_be_large() -> None:
    prediction = Tensor(np.array([[1e4, -1e4]], np.float32))
    assert loss.CELoss(prediction, [1]).array.item() == pytest.approx(2e4)
    assert prediction.has_grad()
    assert prediction.grad.array.tolist() == [[1, -1]]


def test_certain_and_wrong_is_finite() -> None:
    prediction = Tensor(np.array([[0.0, 1.0]]))
    assert np.isfinite(loss.BCE(prediction, [[1.0, 0.0]]).array.item())
    assert prediction.has_grad()
    assert np.isfinite(prediction.grad.array).all()


def test_a_loss_replaces_the_gradient() -> None:
    prediction = Tensor([[1.0, 2.0]])
    for _ in range(2):
        loss.MSE(prediction, [[0.0, 0.0]])
    assert prediction.has_grad()
    assert prediction.grad.array.tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("function", "prediction", "target", "message"),
    [
        (loss.MSE, SCORES, ONE_HOT, r"MSE, prediction: is not a tensor \(found ndarray\)"),
        (loss.MSE, Tensor(SCORES), ONE_HOT[:1], r"MSE, target: .*expected \[2, 3\], found \[1, 3"),
        (loss.MSE, Tensor(np.array([1, 2])), [1, 2], "not a tensor of floating-point numbers"),
        (loss.MSE, Tensor(np.zeros((0, 3))), np.zeros((0, 3)), "has no elements"),
        (loss.BCE, Tensor([[1.5]]), [[1.0]], r"BCE, prediction: is not a prob.* Add a Sigmoid"),
        (loss.BCE, Tensor([[0.5]]), [[-1.0]], "BCE, target: is not a probability"),
        (loss.CELoss, Tensor([0.5, 0.5]), [0.0, 1.0], r"expected \[batch, classes\]"),
        (
            loss.CELoss,
            Tensor([[0.5, 0.5]]),
            [2],
            r"has an unknown class \(expected 0 to 1, found 2 to 2",
        ),
        (loss.CELoss, Tensor([[0.5, 0.5]]), [-1], "has an unknown class"),
        (loss.CELoss, SCORES, [0, 1], r"CELoss, prediction: is not a tensor \(found ndarray\)"),
        (
            loss.MSE,
            Tensor([[0.5]]),
            [["a"]],
            r"MSE, target: does not hold real numbers .*str",
        ),
        (loss.BCE, Tensor([[0.5]]), None, r"BCE, target: is not an array \(found NoneType\)"),
        (loss.CELoss, Tensor([[0.5]]), [[1], [1, 2]], r"CELoss, target: .*rows differ in length"),
    ],
    ids=[
        *("array", "dims", "integers", "empty", "above 1", "below 0"),
        *("rank", "class", "negative", "scores", "text", "nothing", "ragged"),
    ],
)
def test_refusals(function: Loss, prediction: Any, target: Any, message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        function(prediction, target)


@pytest.mark.parametrize("scaling", [None, "2", float("nan"), [1.0]])
def test_a_factor_that_is_none(scaling: Any) -> None:
    prediction = Tensor([[1.0]])
    with pytest.raises(
        AidgeError, match=r"loss, scaling: is not a suitable number \(expected a finite number"
    ):
        loss.MSE(prediction, [[0.0]], scaling)
    assert not prediction.has_grad()


class TestAccuracy:
    def test_counts(self) -> None:
        scores = np.array([[0.2, 0.8], [0.7, 0.3], [0.4, 0.6]])
        assert metrics.Accuracy(scores, [1, 1, 1]).array.item() == 2
        assert metrics.Accuracy(Tensor(scores), np.eye(2)[[1, 1, 1]]).array.item() == 2
        assert metrics.Accuracy(scores.T, [1, 0, 1], axis=0).array.item() == 3

    @pytest.mark.parametrize(("target", "axis"), [([1, 1], 1), ([1, 1, 1], 2), ([1, 1, 1], 0)])
    def test_refusals(self, target: Any, axis: int) -> None:
        with pytest.raises(ShapeError, match="Accuracy, "):
            metrics.Accuracy(np.zeros((3, 2)), target, axis)

    def test_what_is_no_number(self) -> None:
        with pytest.raises(ShapeError, match="Accuracy, target: does not hold real numbers"):
            metrics.Accuracy(np.zeros((1, 2)), np.array(["a"]))
        with pytest.raises(ShapeError, match=r"Accuracy, prediction: is not an array"):
            metrics.Accuracy([[1.0, 2.0], [1.0]], [0, 1])
