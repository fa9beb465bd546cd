"""Gradients of whole graphs against finite differences: networks, loops, meta-operators."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import numpy as np
import pytest

import aidge_nb
from aidge_nb import ops
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView, Node
from tests.runtime.autodiff.gradients import Array, check_graph, fill


def _data(*dims: int, seed: int = 1) -> Array:
    return np.random.default_rng(seed).standard_normal(dims)


def _ready(view: GraphView) -> GraphView:
    view.set_datatype("float64")
    fill(view)
    view.set_backend("cpu")
    return view


def _network() -> GraphView:
    """Make a small network of most kinds of layers."""
    norm = ops.BatchNorm2D(4, name="bn")
    return aidge_nb.sequential(
        [
            ops.PaddedConv2D(2, 4, [3, 3], name="conv", padding_dims=[1, 1, 1, 1]),
            norm,
            ops.LeakyReLU(0.1, name="act"),
            ops.MaxPooling2D([2, 2], stride_dims=[2, 2], name="pool"),
            ops.ConvDepthWise2D(4, [2, 2], name="dw"),
            ops.Gelu(name="gelu"),
            ops.Flatten(name="flat"),
            ops.FC(16, 3, name="fc"),
            ops.Softmax(1, name="softmax"),
        ]
    )


def _training_norm() -> GraphView:
    view = _network()
    view.get_node("bn").get_operator().attr.training_mode = True
    return view


def _residual() -> GraphView:
    block = aidge_nb.residual(
        [
            ops.Identity(name="in"),
            ops.PaddedConv2D(3, 3, [3, 3], name="c1", padding_dims=[1, 1, 1, 1]),
            ops.Tanh(name="t"),
            ops.PaddedConv2D(3, 3, [3, 3], name="c2", padding_dims=[1, 1, 1, 1]),
            ops.Add(name="add"),
        ]
    )
    return aidge_nb.sequential([block, ops.GlobalAveragePooling(name="gap")])


def _attention() -> GraphView:
    """Softmax(x wq (x wk)ᵀ) x."""
    x = ops.Identity(name="x")
    query, key = ops.MatMul(name="q"), ops.MatMul(name="k")
    for node, name in ((query, "wq"), (key, "wk")):
        x.add_child(node, 0, 0)
        ops.Producer([4, 4], name=name).add_child(node, 0, 1)
    swap, scores, mix = ops.Transpose([0, 2, 1], name="t"), ops.MatMul(name="s"), ops.MatMul("m")
    key.add_child(swap)
    query.add_child(scores, 0, 0)
    swap.add_child(scores, 0, 1)
    soft = ops.Softmax(-1, name="soft")
    scores.add_child(soft)
    soft.add_child(mix, 0, 0)
    x.add_child(mix, 0, 1)
    return aidge_nb.get_connected_graph_view(mix)


def _concat() -> GraphView:
    """Cut, treat the parts apart, and put them together in another order."""
    split, join = ops.Split(2, axis=1, name="cut"), ops.Concat(3, axis=1, name="join")
    exp, norm = ops.Exp(name="exp"), ops.LayerNorm([2], name="ln")
    split.add_child(exp, 0, 0)
    split.add_child(norm, 1, 0)
    norm.add_child(join, 0, 0)
    exp.add_child(join, 0, 1)
    split.add_child(join, 0, 2)
    return aidge_nb.get_connected_graph_view(join)


@pytest.mark.parametrize("kind", [aidge_nb.SequentialScheduler, aidge_nb.ParallelScheduler])
@pytest.mark.parametrize(
    ("make", "dims"),
    [
        (_network, (2, 2, 6, 6)),
        (_training_norm, (3, 2, 6, 6)),
        (_residual, (2, 3, 4, 5)),
        (_attention, (2, 3, 4)),
        (_concat, (3, 4)),
    ],
    ids=["network", "training", "residual", "attention", "concat"],
)
def test_networks(
    make: Callable[[], GraphView],
    dims: tuple[int, ...],
    kind: type[aidge_nb.SequentialScheduler],
) -> None:
    view = _ready(make())
    _positive_variances(view)
    check_graph(view, [_data(*dims)], kind)


def _positive_variances(view: GraphView) -> None:
    """Statistics of BatchNorm are no parameters here: constants, the variance above 0."""
    for node in view.get_nodes():
        if node.type() == "BatchNorm2D":
            for index in (3, 4):
                parent = node.get_parent(index)
                assert parent is not None
                parent.get_operator().attr.constant = True
                tensor = parent.get_operator().get_output(0)
                tensor.set_array(0.5 + np.abs(_data(*tensor.dims)))


def _recurrent(cell: Node, hidden: int, states: int, name: str) -> GraphView:
    """Put a Pop in front of a cell, and zeros before its states."""
    pop = ops.Pop(name="pop")
    pop.add_child(cell, 0, 0)
    count = cell.get_nb_inputs()
    for index in range(count - states, count):
        producer = ops.Producer(Tensor(np.zeros((2, hidden))), name=f"{name}{index}")
        producer.add_child(cell, 0, index)
    view = aidge_nb.get_connected_graph_view(cell)
    aidge_nb.expand_metaops(view)
    return view


@pytest.mark.parametrize("length", [1, 4])
def test_lstm_through_time(length: int) -> None:
    view = _recurrent(ops.LSTM(3, 5, seq_length=length, name="lstm"), 5, 2, "state")
    ran = check_graph(_ready(view), [_data(length, 2, 3)])
    assert ran.count("pop") == length


def test_gru_through_time() -> None:
    view = _recurrent(ops.GRU(3, 4, seq_length=3, name="gru"), 4, 1, "state")
    check_graph(_ready(view), [_data(3, 2, 3)])


def test_pop_and_stack() -> None:
    layers = [ops.Pop(name="pop"), ops.FC(3, 2, name="fc"), ops.Tanh(name="t")]
    view = aidge_nb.sequential([*layers, ops.Stack(4, name="stack"), ops.Exp(name="e")])
    check_graph(_ready(view), [_data(4, 2, 3)])


def test_meta_operators_are_gone_back_through() -> None:
    """An LSTM whose loop runs inside of one node, as models in ONNX have it."""
    pop, stack = ops.Pop(name="pop"), ops.Stack(3, name="stack")
    cell = ops.FC(2, 2, name="fc")
    inner = aidge_nb.sequential([pop, cell, ops.Tanh(name="t"), stack])
    node = aidge_nb.MetaOperator("Steps", inner, name="steps")
    view = aidge_nb.sequential([ops.Sigmoid(name="first"), node, ops.Exp(name="last")])
    assert check_graph(_ready(view), [_data(3, 1, 2)]) == ["last", "steps", "first"]


@pytest.mark.parametrize("backend", ["exact", "c"])
def test_other_backends_have_the_same_gradients(backend: str) -> None:
    """Also of what they compute as one, such as a convolution with its padding."""
    if backend == "c" and not any(map(shutil.which, ("cc", "gcc", "clang"))):
        pytest.skip("there is no C compiler")
    found = []
    for name in ("cpu", backend):
        view = aidge_nb.sequential([ops.Pop(name="pop"), _network(), ops.Stack(3, name="stack")])
        fill(view)
        _positive_variances(view)
        view.set_datatype("float32")
        view.set_backend(name)
        scheduler = aidge_nb.SequentialScheduler(view)
        x = Tensor(_data(3, 1, 2, 6, 6).astype(np.float32))
        (y,) = scheduler.forward(data=[x])
        y.grad = Tensor(_data(*y.dims, seed=2).astype(np.float32))
        scheduler.backward()
        tensors = [x, *(node.get_operator().get_output(0) for node in aidge_nb.producers(view))]
        found.append([None if not each.has_grad() else each.grad.array for each in tensors])
    for ours, theirs in zip(*found, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None and theirs is not None:
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


def test_a_meta_operator_that_runs_several_times() -> None:
    inner = aidge_nb.sequential([ops.FC(2, 2, name="fc"), ops.Tanh(name="t")])
    node = aidge_nb.MetaOperator("Layer", inner, name="layer")
    view = aidge_nb.sequential([ops.Pop(name="pop"), node, ops.Stack(3, name="stack")])
    check_graph(_ready(view), [_data(3, 1, 2)])
