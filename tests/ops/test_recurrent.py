"""LSTM and GRU: the same graph as Aidge's, and the numbers that the formulae give."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb.graph import GraphView, Node
from tests import oracle

Array = NDArray[np.float32]
STEPS, BATCH, WIDTH, HIDDEN = 4, 2, 3, 5


def expanded(layer: Node) -> GraphView:
    view = aidge_nb.get_connected_graph_view(layer)
    aidge_nb.expand_metaops(view)
    return view


RECORDED = [
    ("lstm_1_token", lambda: aidge_nb.LSTM(4, 8, 1, name="lstm")),
    ("lstm_2_token", lambda: aidge_nb.LSTM(4, 8, 2, name="lstm")),
    ("lstm_5_token", lambda: aidge_nb.LSTM(4, 8, 5, name="lstm")),
    ("gru_3_token", lambda: aidge_nb.GRU(4, 8, 3, name="gru")),
]


@pytest.mark.parametrize(("name", "make"), RECORDED, ids=[name for name, _ in RECORDED])
def test_the_graph_is_that_of_aidge(name: str, make: Callable[[], Node]) -> None:
    recorded = oracle.load(name)["graph"]
    view = expanded(make())
    assert {node.name() for node in view.get_nodes()} == {n["name"] for n in recorded["nodes"]}
    for expected in recorded["nodes"]:
        node = view.get_node(expected["name"])
        parents = [port and [port.node.name(), port.index] for port in node.inputs()]
        indices = range(node.get_nb_inputs())
        assert node.type() == expected["op"]
        assert parents == expected["inputs"]
        assert [node.input_category(i).name for i in indices] == expected["categories"]
        assert [i for i in indices if node.parent_is_back_edge(i)] == expected["back_edges"]
    inputs = [[port.node.name(), port.index] for port in view.get_ordered_inputs()]
    outputs = [[port.node.name(), port.index] for port in view.get_ordered_outputs()]
    assert inputs == recorded["ordered_inputs"]
    assert outputs == recorded["ordered_outputs"]


@pytest.mark.parametrize(("length", "expected"), [(1, 42), (2, 82), (7, 282)])
def test_length_of_the_schedule_of_an_lstm(length: int, expected: int) -> None:
    scheduler = aidge_nb.Scheduler(expanded(aidge_nb.LSTM(4, 8, length)))
    scheduler.generate_scheduling()
    assert len(scheduler.get_static_scheduling(0)) == expected


def test_length_of_the_schedule_of_a_gru() -> None:
    scheduler = aidge_nb.Scheduler(expanded(aidge_nb.GRU(4, 8, 3)))
    scheduler.generate_scheduling()
    assert len(scheduler.get_static_scheduling(0)) == 32 * 3 + 1


def test_without_initial_state_dims_stay_unknown() -> None:
    view = expanded(aidge_nb.LSTM(WIDTH, HIDDEN, STEPS))
    assert not view.forward_dims([[BATCH, WIDTH]])
    assert view.forward_dims([[BATCH, WIDTH], [BATCH, HIDDEN], [BATCH, HIDDEN]])


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def run(layer: Node, inputs: list[Array]) -> list[Array]:
    """Run a layer behind a Pop; fill its parameters with its name's numbers."""
    pop = aidge_nb.Pop(name="pop")
    pop.add_child(layer)
    view = aidge_nb.get_connected_graph_view(layer)
    aidge_nb.expand_metaops(view)
    for name, values in parameters(view).items():
        view.get_node(name).get_operator().set_output(0, aidge_nb.Tensor(values))
    view.set_ordered_inputs([(pop, 0), *_states(view)])
    view.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(view)
    outputs = scheduler.forward(data=[aidge_nb.Tensor(each) for each in inputs])
    return [np.asarray(output) for output in outputs]


def _states(view: GraphView) -> list[tuple[Node, int]]:
    return [
        (node, 1)
        for name in ("hidden_state", "cell_state")
        for node in view.get_nodes()
        if node.name().endswith(name)
    ]


def parameters(view: GraphView) -> dict[str, Array]:
    """Draw the parameters of all Producers, the same ones each time."""
    rng = np.random.default_rng(0)
    drawn = {}
    for node in sorted(view.get_nodes(), key=lambda node: node.name()):
        tensor = node.get_operator().get_output(0)
        if node.type() == "Producer" and not tensor.has_data:
            drawn[node.name()] = rng.normal(0, 0.5, tensor.dims).astype(np.float32)
    return drawn


def data(*dims: int) -> Array:
    return np.random.default_rng(1).normal(size=dims).astype(np.float32)


@pytest.mark.parametrize("nobias", [False, True])
def test_lstm_gives_what_the_formula_gives(nobias: bool) -> None:
    layer = aidge_nb.LSTM(WIDTH, HIDDEN, STEPS, nobias=nobias, name="l")
    p = parameters(expanded(aidge_nb.LSTM(WIDTH, HIDDEN, STEPS, nobias=nobias, name="l")))
    sequence, h, c = data(STEPS, BATCH, WIDTH), data(BATCH, HIDDEN), data(BATCH, HIDDEN)
    found = run(layer, [sequence, h, c])

    def gate(name: str, x: Array, state: Array) -> Array:
        both = x @ p[f"l_w{name}"].T + state @ p[f"l_r{name}"].T
        return both if nobias else both + p[f"l_wb{name}"] + p[f"l_rb{name}"]

    for x in sequence:
        kept = sigmoid(gate("f", x, h)) * c
        new = sigmoid(gate("i", x, h)) * np.tanh(gate("c", x, h))
        h, c = sigmoid(gate("o", x, h)) * np.tanh(kept + new), kept + new
    np.testing.assert_allclose(found[0], h, atol=1e-5)
    np.testing.assert_allclose(found[1], h, atol=1e-5)
    np.testing.assert_allclose(found[2], c, atol=1e-5)


def test_gru_gives_what_the_formula_gives() -> None:
    layer = aidge_nb.GRU(WIDTH, HIDDEN, STEPS, name="g")
    p = parameters(expanded(aidge_nb.GRU(WIDTH, HIDDEN, STEPS, name="g")))
    sequence, h = data(STEPS, BATCH, WIDTH), data(BATCH, HIDDEN)
    (found,) = run(layer, [sequence, h])

    def gate(name: str, x: Array, state: Array) -> Array:
        from_data = x @ p[f"g_w{name}"].T + p[f"g_wb{name}"]
        return np.asarray(from_data + state @ p[f"g_r{name}"].T + p[f"g_rb{name}"])

    for x in sequence:
        z = sigmoid(gate("z", x, h))
        candidate = np.tanh(gate("h", x, sigmoid(gate("r", x, h)) * h))
        h = np.asarray((1 - z) * candidate + z * h)
    np.testing.assert_allclose(found, h, atol=1e-5)
