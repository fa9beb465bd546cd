"""Optimizers against their formulas, and learning rates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aidge_nb import ops
from aidge_nb.core.errors import AidgeError, GraphError, SchedulingError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import Node
from aidge_nb.learning import (
    SGD,
    Adam,
    LRScheduler,
    Optimizer,
    constant_lr,
    cosine_lr,
    poly_lr,
    step_lr,
)

GRADS = [np.array([1.0, -0.5]), np.array([2.0, -0.5]), np.array([3.0, 0.25]), np.array([4.0, 0.0])]


def _parameter(name: str = "w") -> tuple[Node, Tensor]:
    node = ops.Producer(Tensor(np.array([1.0, 2.0])), name=name)
    return node, node.get_operator().get_output(0)


def _run(optimizer: Optimizer, rates: LRScheduler | None = None) -> list[Any]:
    """Take a step for each gradient; give the values after each."""
    node, tensor = _parameter()
    optimizer.set_parameters([node])
    optimizer.set_learning_rate_scheduler(rates or constant_lr(0.1))
    values = []
    for grad in GRADS:
        tensor.grad = Tensor(grad)
        optimizer.update()
        values.append(tensor.array.copy())
    return values


def test_gradient_descent() -> None:
    w = np.array([1.0, 2.0])
    for grad, found in zip(GRADS, _run(SGD()), strict=True):
        w = w - 0.1 * grad
        np.testing.assert_allclose(found, w, rtol=1e-12)


@pytest.mark.parametrize(("dampening", "decay"), [(0.0, 0.0), (0.5, 0.0), (0.5, 0.1)])
def test_momentum(dampening: float, decay: float) -> None:
    w, v = np.array([1.0, 2.0]), None
    for grad, found in zip(GRADS, _run(SGD(0.9, dampening, decay)), strict=True):
        grad = grad + decay * w
        v = grad if v is None else 0.9 * v + (1 - dampening) * grad
        w = w - 0.1 * v
        np.testing.assert_allclose(found, w, rtol=1e-12)


@pytest.mark.parametrize(("beta1", "beta2", "epsilon"), [(0.9, 0.999, 1e-8), (0.5, 0.8, 0.1)])
def test_adam(beta1: float, beta2: float, epsilon: float) -> None:
    w = np.array([1.0, 2.0])
    for t, found in enumerate(_run(Adam(beta1, beta2, epsilon)), start=1):
        m = (1 - beta1) * sum(beta1 ** (t - 1 - i) * GRADS[i] for i in range(t))
        v = (1 - beta2) * sum(beta2 ** (t - 1 - i) * GRADS[i] ** 2 for i in range(t))
        w = w - 0.1 * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + epsilon)
        np.testing.assert_allclose(found, w, rtol=1e-12)


AIDGE_GRADS = [np.array([1.0 + i, -0.5], np.float32) for i in range(4)]


@pytest.mark.parametrize(
    ("optimizer", "last"),
    [
        (SGD(), [0.34999996, 2.15000010]),
        (SGD(0.9), [-0.12295008, 2.29872489]),
        (SGD(0.9, 0.5), [0.30504999, 2.21609974]),
        (Adam(), [0.70756149, 2.29999971]),
        (Adam(0.5, 0.8, 0.1), [0.70922083, 2.25]),
    ],
    ids=["SGD", "momentum", "dampening", "Adam", "Adam2"],
)
def test_as_in_aidge(optimizer: Optimizer, last: list[float]) -> None:
    """What aidge_learning 0.10.1 makes of [1, 2] in four steps.

    With ``weight_decay`` it leaves the decay out of the first step; ours does not.
    """
    node = ops.Producer(Tensor(np.array([1.0, 2.0], np.float32)))
    tensor = node.get_operator().get_output(0)
    optimizer.set_parameters([node])
    optimizer.set_learning_rate_scheduler(step_lr(0.1, 2, 0.5))
    for grad in AIDGE_GRADS:
        tensor.grad = Tensor(grad)
        optimizer.update()
    assert tensor.dtype.name == "float32"
    np.testing.assert_allclose(tensor.array, last, rtol=2e-6)
    assert optimizer.learning_rate() == pytest.approx(0.025)


@pytest.mark.parametrize("make", [lambda: SGD(0.9), Adam], ids=["SGD", "Adam"])
def test_parameters_do_not_mix(make: Any) -> None:
    (one, first), (two, second) = _parameter("one"), _parameter("two")
    optimizer = make()
    optimizer.set_parameters([one, two])
    optimizer.set_learning_rate_scheduler(constant_lr(0.1))
    expected = _run(make())
    for step, grad in enumerate(GRADS):
        first.grad, second.grad = Tensor(grad), None if step == 1 else Tensor(grad)
        optimizer.update()
    np.testing.assert_allclose(first.array, expected[-1])
    assert not np.allclose(second.array, expected[-1])


def test_new_parameters_begin_anew() -> None:
    optimizer = SGD(0.9)
    assert np.array_equal(_run(optimizer), _run(optimizer))


def test_values_are_replaced_and_not_written_over() -> None:
    node, tensor = _parameter()
    before = tensor.array
    optimizer = SGD()
    optimizer.set_parameters([node])
    optimizer.set_learning_rate_scheduler(constant_lr(1.0))
    tensor.grad = Tensor([1.0, 1.0])
    optimizer.update()
    assert before.tolist() == [1, 2]
    optimizer.reset_grad()
    assert not tensor.has_grad()
    assert optimizer.parameters() == [node]


def _any(value: Any) -> Any:
    """Hide from type checkers what a value is."""
    return value


class TestRefusals:
    def test_no_gradient(self) -> None:
        node, tensor = _parameter()
        optimizer = Adam()
        optimizer.set_parameters([node])
        with pytest.raises(AidgeError, match=r"no learning rate\. Call set_learning_rate_sch"):
            optimizer.update()
        optimizer.set_learning_rate_scheduler(constant_lr(0.1))
        with pytest.raises(SchedulingError, match=r"no parameter has .*found 1 parameters.*backwa"):
            optimizer.update()
        assert optimizer.learning_rate_scheduler().step() == 0
        tensor.grad = Tensor([1.0, 1.0])
        optimizer.update()
        assert optimizer.learning_rate_scheduler().step() == 1

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ([ops.ReLU(name="a")], r"expects Producers only \(found a \(ReLU\)\)"),
            ([Tensor([1.0])], "expects Producers only"),
            ([ops.Producer(Tensor(np.array([1])), name="n")], r"n \(Producer\): integers"),
        ],
        ids=["node", "tensor", "integers"],
    )
    def test_parameters(self, parameters: Any, message: str) -> None:
        with pytest.raises(GraphError, match=message):
            SGD().set_parameters(parameters)

    def test_what_is_no_list_or_no_rate(self) -> None:
        with pytest.raises(
            GraphError, match=r"is not a list \(found NoneType\)\. Pass aidge_nb\.prod"
        ):
            SGD().set_parameters(_any(None))
        with pytest.raises(AidgeError, match=r"not a learning rate scheduler \(found float"):
            SGD().set_learning_rate_scheduler(_any(0.1))

    def test_twice(self) -> None:
        node, _ = _parameter()
        with pytest.raises(GraphError, match=r"w \(Producer\) is listed twice"):
            SGD().set_parameters([node, node])

    @pytest.mark.parametrize(
        ("make", "name"),
        [
            (lambda: SGD(momentum=1.5), "SGD, momentum"),
            (lambda: SGD(dampening=-1), "SGD, dampening"),
            (lambda: SGD(weight_decay=float("nan")), "SGD, weight_decay"),
            (lambda: Adam(beta1=1.0), "Adam, beta1"),
            (lambda: Adam(beta2=-0.1), "Adam, beta2"),
            (lambda: Adam(epsilon=-1), "Adam, epsilon"),
            (lambda: constant_lr(0), "initial_lr"),
            (lambda: step_lr(0.1, 0), "step_lr, step_size"),
            (lambda: cosine_lr(0.1, 0), "cosine_lr, max_steps"),
            (lambda: poly_lr(0.1, 0), "poly_lr, max_steps"),
            (lambda: constant_lr(0.1).set_nb_warmup_steps(-1), "set_nb_warmup_steps"),
            (lambda: SGD(momentum=_any(None)), "SGD, momentum"),
            (lambda: Adam(epsilon=_any([1e-8])), "Adam, epsilon"),
            (lambda: constant_lr(_any("0.1")), "initial_lr"),
            (lambda: constant_lr(float("inf")), "initial_lr"),
            (lambda: step_lr(0.1, _any(None)), "step_lr, step_size"),
            (lambda: step_lr(0.1, 1, float("nan")), "step_lr, gamma"),
            (lambda: cosine_lr(0.1, 3, -1), "cosine_lr, min_decay"),
            (lambda: poly_lr(0.1, 3, _any({})), "poly_lr, power"),
            (lambda: constant_lr(0.1).lr_profile(_any("7")), "lr_profile"),
        ],
        ids=[*"abcdefghijklmnopqrst"],
    )
    def test_numbers(self, make: Any, name: str) -> None:
        with pytest.raises(AidgeError, match=f"{name}: .*expected .*found"):
            make()


class TestRates:
    def test_profiles(self) -> None:
        assert constant_lr(0.2).lr_profile(3) == [0.2, 0.2, 0.2]
        np.testing.assert_allclose(
            step_lr(0.1, 3).lr_profile(7), [0.1, 0.1, 0.1, 0.01, 0.01, 0.01, 0.001]
        )
        np.testing.assert_allclose(poly_lr(0.1, 10, 2).lr_profile(4), [0.1, 0.081, 0.064, 0.049])
        half = cosine_lr(0.1, 10, 0.5).lr_profile(12)
        np.testing.assert_allclose(half[:3], [0.1, 0.09877641, 0.09522542])
        np.testing.assert_allclose(half[10:], [0.05, 0.05])

    def test_warm_up(self) -> None:
        rates = step_lr(0.1, 2)
        rates.set_nb_warmup_steps(4)
        np.testing.assert_allclose(
            rates.lr_profile(7), [0.02, 0.04, 0.06, 0.08, 0.1, 0.1, 0.01], rtol=1e-12
        )

    def test_steps(self) -> None:
        rates = step_lr(0.1, 1, 0.5)
        seen = []
        for _ in range(3):
            seen.append((rates.step(), rates.learning_rate()))
            rates.update()
        assert seen == [(0, 0.1), (1, 0.05), (2, 0.025)]
