"""The graph of a training step, its schedule and its memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import learning, ops
from aidge_nb.core.errors import MissingKernelError, SchedulingError, ShapeError
from aidge_nb.graph import GraphView
from aidge_nb.learning import TrainingMemory, backward_memory, training_graph


def _chain(count: int) -> GraphView:
    """Make layers of 8 × 4 bytes each, behind a product with parameters."""
    layers = [ops.Tanh(name=f"t{index}") for index in range(count)]
    view = aidge_nb.sequential([ops.FC(8, 8, no_bias=True, name="fc"), *layers])
    assert view.forward_dims([[1, 8]])
    return view


def _fork() -> GraphView:
    """Make x w, read by two nodes."""
    fc, exp, mul = ops.FC(4, 4, no_bias=True, name="fc"), ops.Exp(name="exp"), ops.Mul(name="mul")
    fc.add_child(exp)
    fc.add_child(mul, 0, 0)
    exp.add_child(mul, 0, 1)
    view = aidge_nb.get_connected_graph_view(mul)
    assert view.forward_dims([[2, 4]])
    return view


@pytest.mark.parametrize("count", [1, 2, 5, 9])
def test_the_peak_of_a_chain(count: int) -> None:
    """Tanh keeps its result, 32 bytes each; at the turn, dy and the first gradient lie beside.

    On the way back one value goes for each that comes, until the gradient of the weights.
    """
    memory = backward_memory(_chain(count), input_grads=False)
    assert memory.kept == 32 * count
    assert memory.gradients == 4 * 64
    turn, end = 32 * (count + 2), 32 + 256
    assert memory.peak == max(turn, end)
    assert memory.forward_peak == 32
    aidge_nb.check_plan(memory.plan)


def test_what_is_kept_is_what_gradients_read() -> None:
    layers = [
        ops.ReLU(name="relu"),  # reads its result
        ops.Add(name="add"),  # reads nothing
        ops.Exp(name="exp"),  # reads its result
        ops.Softplus(name="plus"),  # reads its input, the result of exp
    ]
    view = aidge_nb.sequential([ops.FC(2, 2, name="fc"), *layers])
    bias = ops.Producer([2], name="b")
    bias.add_child(view.get_node("add"), 0, 1)
    view.add(bias)
    view.forward_dims([[1, 2]])
    step = training_graph(view)
    assert {port.node.name() for port in step.kept} == {"relu", "exp"}


def test_views_keep_what_they_view() -> None:
    layers = [ops.Tanh(name="t"), ops.Flatten(name="flat"), ops.FC(8, 2, name="head")]
    view = aidge_nb.sequential([ops.FC(4, 8, name="fc"), *layers])
    view.forward_dims([[2, 4]])
    step = training_graph(view)
    assert [port.node.name() for port in step.kept] == ["t"]
    assert backward_memory(step).kept == 64


def test_the_graph_is_left_as_it_is() -> None:
    view = _fork()
    before = {node.name() for node in view.get_nodes()}
    training_graph(view)
    assert {node.name() for node in view.get_nodes()} == before


def test_forks_add_up() -> None:
    step = training_graph(_fork())
    names = [node.name() for node in step.order]
    assert names[:4] == ["fc", "exp", "mul", "loss"]
    assert names[4] == "mul_grad"
    assert set(names[5:-1]) == {"exp_grad", "exp_grad_sum"}
    assert names[-1] == "fc_grad"
    assert step.n_forward == 3
    total = step.graph.get_node("exp_grad_sum")
    assert {parent.name() for parent in total.get_parents() if parent} == {"mul_grad", "exp_grad"}


def test_the_order_is_that_of_the_run() -> None:
    view = _fork()
    aidge_nb.init_weights(view, seed=0)
    view.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(view)
    (y,) = scheduler.forward(data=[np.ones((2, 4), np.float32)])
    y.init_grad()
    scheduler.backward()
    ran = [element.node.name() for element in scheduler.get_backward_scheduling()]
    planned = [node.name() for node in training_graph(view).order]
    assert [f"{name}_grad" for name in ran] == [n for n in planned if n.endswith("_grad")]


def test_gradients_that_are_computed_are_those_that_come_back() -> None:
    view = _fork()
    step = training_graph(view)
    assert [port.node.name() for port in step.gradients] == ["fc_grad", "fc_grad"]
    dims = [port.node.get_operator().get_output(port.index).dims for port in step.gradients]
    assert dims == [[4, 4], [2, 4]]
    assert len(training_graph(view, input_grads=False).gradients) == 1


def test_a_training_step_can_be_scheduled() -> None:
    schedule = aidge_nb.static_schedule(training_graph(_chain(2)).graph)
    steps = {schedule.name_of(firing): firing.early for firing in schedule.firings}
    way = ["fc", "t0", "t1", "loss", "t1_grad", "t0_grad", "fc_grad"]
    assert [steps[name] - steps["fc"] for name in way] == list(range(7))


def test_meta_operators_are_looked_into() -> None:
    conv = ops.PaddedConv2D(2, 3, [3, 3], name="conv", padding_dims=[1, 1, 1, 1])
    view = aidge_nb.sequential([conv, ops.ReLU(name="relu")])
    view.forward_dims([[1, 2, 4, 4]])
    names = {node.type() for node in training_graph(view).order}
    assert names >= {"PadGrad", "Conv2DGrad", "ReLUGrad"}


def test_longer_networks_keep_more_than_inference() -> None:
    memory = backward_memory(_chain(20))
    assert memory.peak > 10 * memory.forward_peak


def test_as_text_and_back() -> None:
    memory = backward_memory(_chain(2))
    again = TrainingMemory.from_dict(memory.to_dict())
    assert again == memory
    assert repr(memory).startswith(f"TrainingMemory({memory.peak} bytes; forward pass alone 32, ")
    assert backward_memory(training_graph(_chain(2))).peak == memory.peak


def test_it_shows_the_picture_of_its_plan() -> None:
    memory = backward_memory(_chain(2))
    bundle = memory._repr_mimebundle_()
    assert bundle["text/plain"] == repr(memory)
    assert "t1_grad" in bundle["image/svg+xml"]


class TestRefusals:
    def test_what_is_no_graph(self) -> None:
        wrong: Any = [ops.ReLU()]
        for function in (
            training_graph,
            backward_memory,
            learning.set_batchnorm_training_mode,
            learning.update_batchnorm_statistics,
        ):
            with pytest.raises(
                SchedulingError, match=r"is not a graph \(expected a GraphView, found list\)"
            ):
                function(wrong)

    def test_loops(self) -> None:
        view = aidge_nb.sequential([ops.Pop(name="pop"), ops.ReLU(name="r")])
        view.forward_dims([[3, 2]])
        with pytest.raises(SchedulingError, match=r"pop \(Pop\): the graph has a loop"):
            training_graph(view)

    def test_unknown_dims(self) -> None:
        view = aidge_nb.sequential([ops.FC(2, 2, name="fc"), ops.ReLU(name="r")])
        with pytest.raises(ShapeError, match=r"output#0: has no dim.*forward_dims\(\)"):
            training_graph(view)

    def test_no_gradient(self) -> None:
        odd = aidge_nb.GenericOperator("Odd", 1, 0, 1, name="odd")
        odd.get_operator().set_forward_dims(lambda dims: dims)
        view = aidge_nb.sequential([ops.FC(2, 2, name="fc"), odd])
        view.forward_dims([[1, 2]])
        with pytest.raises(MissingKernelError, match=r"odd \(Odd\): operator Odd has no gradient"):
            training_graph(view)

    def test_nothing_to_learn(self) -> None:
        view = aidge_nb.sequential([ops.ReLU(name="r"), ops.ArgMax(0, name="a")])
        view.forward_dims([[3]])
        with pytest.raises(SchedulingError, match="no output depends on a parameter"):
            learning.training_graph(view)
