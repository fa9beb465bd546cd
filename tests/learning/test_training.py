"""Small networks that learn: losses fall, and gradients through all of it are right."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb import learning, ops
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView
from aidge_nb.learning import SGD, Adam, Optimizer

Array = NDArray[Any]


def _blobs(count: int = 60) -> tuple[Array, Array]:
    """Make points of three classes that lie apart."""
    rng = np.random.default_rng(0)
    classes = np.arange(count) % 3
    centres = np.array([[2.0, 0.0], [-1.0, 1.7], [-1.0, -1.7]])
    points = centres[classes] + 0.4 * rng.standard_normal((count, 2))
    return points.astype(np.float32), classes


def _perceptron() -> GraphView:
    layers = [ops.FC(2, 8, name="fc1"), ops.Tanh(name="t"), ops.FC(8, 3, name="fc2")]
    return aidge_nb.sequential(layers)


def _ready(view: GraphView) -> GraphView:
    aidge_nb.init_weights(view, seed=0)
    view.set_backend("cpu")
    return view


def _train(
    view: GraphView, optimizer: Optimizer, rate: float, x: Array, target: Array, steps: int
) -> tuple[list[float], Tensor]:
    scheduler = aidge_nb.SequentialScheduler(view)
    optimizer.set_parameters(aidge_nb.producers(view))
    optimizer.set_learning_rate_scheduler(learning.constant_lr(rate))
    losses = []
    for _ in range(steps):
        y = scheduler.forward(data=[x])[0]
        optimizer.reset_grad()
        losses.append(learning.loss.CELoss(y, target).array.item())
        scheduler.backward()
        optimizer.update()
    return losses, scheduler.forward(data=[x])[0]


@pytest.mark.parametrize(
    ("make", "rate"),
    [(lambda: SGD(), 0.5), (lambda: SGD(0.9), 0.1), (lambda: Adam(), 0.05)],
    ids=["SGD", "momentum", "Adam"],
)
def test_classes_that_lie_apart_are_told_apart(make: Callable[[], Optimizer], rate: float) -> None:
    x, classes = _blobs()
    losses, y = _train(_ready(_perceptron()), make(), rate, x, classes, 40)
    assert losses[-1] < losses[0] / 5
    assert learning.metrics.Accuracy(y, classes).array.item() == len(x)


def test_descent_in_small_steps_is_steady() -> None:
    x, classes = _blobs()
    losses, _ = _train(_ready(_perceptron()), SGD(), 0.05, x, classes, 30)
    assert all(later < earlier for earlier, later in pairwise(losses))


def test_a_convolutional_network_learns() -> None:
    """Upright and lying bars, with BatchNorm by the statistics of the batch."""
    rng = np.random.default_rng(1)
    x, classes = np.zeros((24, 1, 6, 6), np.float32), np.arange(24) % 2
    for image, lying in zip(x, classes, strict=True):
        place = rng.integers(6)
        image[0, place if lying else slice(None), slice(None) if lying else place] = 1
    view = aidge_nb.sequential(
        [
            ops.PaddedConv2D(1, 4, [3, 3], name="conv", padding_dims=[1, 1, 1, 1]),
            ops.BatchNorm2D(4, name="bn"),
            ops.ReLU(name="relu"),
            ops.MaxPooling2D([2, 2], stride_dims=[2, 2], name="pool"),
            ops.Flatten(name="flat"),
            ops.FC(36, 2, name="fc"),
        ]
    )
    aidge_nb.set_producers_constant(view, False)
    _ready(view)
    assert learning.set_batchnorm_training_mode(view) == 1
    losses, y = _train(view, Adam(), 0.02, x, classes, 30)
    assert losses[-1] < losses[0] / 5
    assert learning.metrics.Accuracy(y, classes).array.item() == 24


def test_a_network_with_a_loop_learns() -> None:
    """Whether the sum of a sequence is above 0, by a recurrent layer."""
    rng = np.random.default_rng(2)
    x = rng.standard_normal((5, 32, 1)).astype(np.float32)
    classes = (x.sum(axis=(0, 2)) > 0).astype(np.int64)
    cell = ops.LSTM(1, 4, seq_length=5, name="lstm")
    pop, stack = ops.Pop(name="pop"), ops.Stack(5, name="stack")
    mean, head = ops.ReduceMean([0], keep_dims=False, name="mean"), ops.FC(4, 2, name="fc")
    pop.add_child(cell, 0, 0)
    for index in (17, 18):
        zeros = Tensor(np.zeros((32, 4), np.float32))
        ops.Producer(zeros, f"state{index}", constant=True).add_child(cell, 0, index)
    cell.add_child(stack, 0, 0)
    stack.add_child(mean)
    mean.add_child(head)
    view = aidge_nb.get_connected_graph_view(head)
    aidge_nb.expand_metaops(view)
    states = [view.get_node(f"lstm_{name}_state") for name in ("hidden", "cell")]
    view.set_ordered_outputs([(node, 0) for node in (head, *states)])
    losses, y = _train(_ready(view), Adam(), 0.05, x, classes, 40)
    assert losses[-1] < losses[0] / 3
    assert learning.metrics.Accuracy(y, classes).array.item() >= 30


def test_gradients_through_network_and_loss() -> None:
    """The slope of the loss in each weight, by finite differences."""
    x, classes = _blobs(6)
    view = _ready(_perceptron())
    view.set_datatype("float64")
    scheduler = aidge_nb.SequentialScheduler(view)

    def loss() -> float:
        (y,) = scheduler.forward(data=[x.astype(np.float64)])
        return float(learning.loss.CELoss(y, classes).array.item())

    loss()
    scheduler.backward()
    for node in aidge_nb.producers(view):
        tensor = node.get_operator().get_output(0)
        assert tensor.has_grad()
        values, grads = tensor.array.copy(), tensor.grad.array
        for place in np.ndindex(tensor.shape):
            sides = []
            for sign in (1, -1):
                moved = values.copy()
                moved[place] += sign * 1e-6
                tensor.set_array(moved)
                sides.append(loss())
            tensor.set_array(values)
            assert grads[place] == pytest.approx((sides[0] - sides[1]) / 2e-6, abs=1e-8)


class TestBatchNorm:
    @staticmethod
    def _norm() -> GraphView:
        view = aidge_nb.sequential([ops.BatchNorm2D(3, momentum=0.9, name="bn")])
        for index, value in ((1, 1.0), (2, 0.0), (3, 0.0), (4, 1.0)):
            parent = view.get_node("bn").get_parent(index)
            assert parent is not None
            aidge_nb.constant_filler(parent.get_operator().get_output(0), value)
        view.set_backend("cpu")
        return view

    def test_statistics_move_towards_those_of_the_batch(self) -> None:
        view = self._norm()
        x = np.random.default_rng(0).standard_normal((8, 3, 4, 4)) * 2 + 5
        scheduler = aidge_nb.SequentialScheduler(view)
        learning.set_batchnorm_training_mode(view)
        scheduler.forward(data=[x.astype(np.float32)])
        assert learning.update_batchnorm_statistics(view) == 1
        operator = view.get_node("bn").get_operator()
        mean, variance = (operator.get_input(index) for index in (3, 4))
        assert mean is not None
        assert variance is not None
        np.testing.assert_allclose(mean.array, 0.1 * x.mean(axis=(0, 2, 3)), rtol=1e-5)
        np.testing.assert_allclose(variance.array, 0.9 + 0.1 * x.var(axis=(0, 2, 3)), rtol=1e-5)
        for _ in range(200):
            learning.update_batchnorm_statistics(view)
        (training,) = (tensor.array for tensor in scheduler.forward(data=[x.astype(np.float32)]))
        assert learning.set_batchnorm_training_mode(view, False) == 1
        (inference,) = scheduler.forward(data=[x.astype(np.float32)])
        np.testing.assert_allclose(inference.array, training, rtol=1e-4, atol=1e-4)
        assert learning.update_batchnorm_statistics(view) == 0

    def test_there_must_have_been_a_batch(self) -> None:
        view = self._norm()
        learning.set_batchnorm_training_mode(view)
        with pytest.raises(aidge_nb.SchedulingError, match=r"bn .*no batch.*Call forward"):
            learning.update_batchnorm_statistics(view)
