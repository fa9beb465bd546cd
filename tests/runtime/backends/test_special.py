"""Operators that remember, and recurrent layers made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb import ops
from aidge_nb.core.errors import SchedulingError, ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView, Node
from tests import oracle

CASES = {case["title"]: case for case in oracle.load("numbers_a")["cases"]}
Array = NDArray[np.float32]


def _array(described: dict[str, Any]) -> Array:
    return np.array(described["values"], np.float32).reshape(described["dims"])


def _random(*dims: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(dims).astype(np.float32)


def _fill(view: GraphView, values: dict[str, Array]) -> None:
    for name, value in values.items():
        view.get_node(name).get_operator().set_output(0, Tensor(value))


class TestPopAndStack:
    def _scheduler(self, length: int = 3) -> aidge_nb.SequentialScheduler:
        view = aidge_nb.sequential(
            [ops.Pop(name="pop"), ops.ReLU(name="r"), ops.Stack(length, name="stack")]
        )
        view.set_backend("cpu")
        return aidge_nb.SequentialScheduler(view)

    def test_slices_go_through_one_by_one(self) -> None:
        x = _random(3, 4)
        (output,) = self._scheduler().forward(data=[x])
        assert np.array_equal(output, np.maximum(x, 0))

    def test_each_pass_starts_over(self) -> None:
        scheduler = self._scheduler()
        for seed in range(3):
            x = _random(3, 4, seed=seed)
            (output,) = scheduler.forward(data=[x])
            assert np.array_equal(output, np.maximum(x, 0))

    def test_results_of_a_pass_are_not_written_again(self) -> None:
        scheduler = self._scheduler()
        (output,) = scheduler.forward(data=[_random(3, 4, seed=1)])
        kept = output.array
        before = kept.copy()
        scheduler.forward(data=[_random(3, 4, seed=2)])
        assert np.array_equal(kept, before)

    def test_as_aidge(self) -> None:
        case = CASES["pop relu stack"]
        view = aidge_nb.sequential(
            [ops.Pop(name="pop"), ops.ReLU(name="r"), ops.Stack(4, name="st"), ops.Tanh(name="o")]
        )
        kinds = {node["name"]: node["op"] for node in case["graph"]["nodes"]}
        assert kinds == {node.name(): node.type() for node in view}
        view.set_backend("cpu")
        (output,) = aidge_nb.SequentialScheduler(view).forward(data=[_array(case["inputs"][0])])
        np.testing.assert_allclose(output, _array(case["outputs"][0]), atol=1e-6)

    def test_no_slice_left(self) -> None:
        operator = ops.Pop(name="pop").get_operator()
        operator.set_input(0, Tensor([1.0]))
        operator.set_backend("cpu")
        operator.forward()
        with pytest.raises(ShapeError, match=r"pop \(Pop\): no slice is left \(expected at most 1"):
            operator.forward()

    def test_nested(self) -> None:
        """They are scheduled; aidge_core 0.10.1 stops with "Coordinate component exceeds …"."""
        view = aidge_nb.sequential([ops.Pop(name="rows"), ops.Pop(name="columns"), ops.ReLU()])
        view.set_backend("cpu")
        data = _random(2, 3, 4)
        scheduler = aidge_nb.SequentialScheduler(view)
        with pytest.raises(ShapeError) as caught:
            scheduler.forward(data=[data])
        assert scheduler.schedule().count("columns") == 6
        assert str(caught.value).startswith("columns (Pop): no slice is left")
        assert str(caught.value).endswith("take them apart with one Pop.")
        merged = aidge_nb.sequential([ops.Pop(name="pop"), ops.ReLU()])
        merged.set_backend("cpu")
        (last,) = aidge_nb.SequentialScheduler(merged).forward(data=[np.reshape(data, (6, 4))])
        assert np.array_equal(last, np.maximum(np.asarray(data)[-1, -1], 0))

    def test_no_data(self) -> None:
        operator = ops.Pop(name="pop").get_operator()
        operator.set_backend("cpu")
        with pytest.raises(ShapeError, match=r"pop \(Pop\), input#0: has no data"):
            operator.forward()


class TestMemorize:
    def _sums(self, length: int) -> GraphView:
        pop, add, memory, out = (
            ops.Pop(name="pop"),
            ops.Add(name="add"),
            ops.Memorize(length, name="m"),
            ops.ReLU(name="o"),
        )
        pop.add_child(add)
        memory.add_child(add, 1, 1)
        add.add_child(memory, 0, 0)
        memory.add_child(out, 0, 0)
        view = GraphView()
        view.add([pop, add, memory, out])
        view.set_backend("cpu")
        return view

    def test_running_sum_as_aidge(self) -> None:
        case = CASES["pop, running sum, memorize"]
        scheduler = aidge_nb.SequentialScheduler(self._sums(5))
        data = [_array(each) for each in case["inputs"]]
        for _ in range(2):
            (output,) = scheduler.forward(data=data)
            np.testing.assert_allclose(output, _array(case["outputs"][0]), atol=1e-6)
        assert len(scheduler.get_forward_scheduling()) == case["executed"]

    def test_starts_from_its_initial_value(self) -> None:
        scheduler = aidge_nb.SequentialScheduler(self._sums(2))
        x = np.ones((2, 3), np.float32)
        (output,) = scheduler.forward(data=[x, np.full(3, 10, np.float32)])
        assert output.array.tolist() == [12, 12, 12]


def _sigmoid(x: NDArray[Any]) -> NDArray[Any]:
    result: NDArray[Any] = 1 / (1 + np.exp(-x))
    return result


def _lstm_by_hand(
    x: NDArray[Any], h: NDArray[Any], c: NDArray[Any], p: dict[str, Array]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Compute Hochreiter's and Schmidhuber's formulas, as they are printed."""
    for step in x:
        gates = {
            gate: step @ p[f"w{gate}"].T + p[f"wb{gate}"] + h @ p[f"r{gate}"].T + p[f"rb{gate}"]
            for gate in "iofc"
        }
        c = _sigmoid(gates["f"]) * c + _sigmoid(gates["i"]) * np.tanh(gates["c"])
        h = _sigmoid(gates["o"]) * np.tanh(c)
    return h, c


def _parameters(inputs: int, hidden: int) -> dict[str, Array]:
    return {
        f"{side}{bias}{gate}": 0.3
        * _random(
            *((hidden,) if bias else (hidden, inputs if side == "w" else hidden)),
            seed=17 * "wr".index(side) + 5 * len(bias) + "iofc".index(gate),
        )
        for side in "wr"
        for bias in ("", "b")
        for gate in "iofc"
    }


def _lstm(length: int, expanded: bool, values: dict[str, Array]) -> GraphView:
    """Make Pop and LSTM of ``length`` steps, 4 features in and 8 out."""
    pop = ops.Pop(name="pop")
    lstm: Node = ops.LSTM(4, 8, length, name="lstm")
    pop.add_child(lstm, 0, 0)
    view = aidge_nb.get_connected_graph_view(lstm)
    _fill(view, {f"lstm_{name}": value for name, value in values.items()})
    view.set_ordered_inputs(
        [(pop, 0), (lstm, lstm.get_nb_inputs() - 2), (lstm, lstm.get_nb_inputs() - 1)]
    )
    if expanded:
        aidge_nb.expand_metaops(view)
    view.set_backend("cpu")
    return view


class TestLstm:
    @pytest.mark.parametrize("kind", [aidge_nb.SequentialScheduler, aidge_nb.ParallelScheduler])
    @pytest.mark.parametrize("length", [1, 2, 5])
    def test_is_the_formula(self, length: int, kind: Any) -> None:
        values = _parameters(4, 8)
        x, h, c = _random(length, 2, 4), _random(2, 8, seed=1), _random(2, 8, seed=2)
        scheduler = kind(_lstm(length, True, values))
        for _ in range(2):
            outputs = scheduler.forward(data=[x, h, c])
            hidden, cell = _lstm_by_hand(x, h, c, values)
            for output, expected in zip(outputs, (hidden, hidden, cell), strict=True):
                np.testing.assert_allclose(output, expected, rtol=1e-5, atol=1e-6)

    @pytest.mark.parametrize(
        "policy",
        [
            aidge_nb.SchedulingPolicy.AsSoonAsPossible,
            aidge_nb.SchedulingPolicy.AsLateAsPossible,
        ],
    )
    def test_in_other_orders(self, policy: aidge_nb.SchedulingPolicy) -> None:
        values = _parameters(4, 8)
        x, h, c = _random(3, 2, 4), _random(2, 8, seed=1), _random(2, 8, seed=2)
        scheduler = aidge_nb.SequentialScheduler(_lstm(3, True, values))
        scheduler.set_scheduling_policy(policy)
        outputs = scheduler.forward(data=[x, h, c])
        np.testing.assert_allclose(outputs[0], _lstm_by_hand(x, h, c, values)[0], atol=1e-5)

    def test_of_one_step_as_one_node(self) -> None:
        values = _parameters(4, 8)
        x, h, c = _random(1, 2, 4), _random(2, 8, seed=1), _random(2, 8, seed=2)
        scheduler = aidge_nb.SequentialScheduler(_lstm(1, False, values))
        outputs = scheduler.forward(data=[x, h, c])
        np.testing.assert_allclose(outputs[0], _lstm_by_hand(x, h, c, values)[0], atol=1e-5)

    def test_of_several_steps_as_one_node(self) -> None:
        values = _parameters(4, 8)
        x, h, c = _random(3, 2, 4), _random(2, 8, seed=1), _random(2, 8, seed=2)
        found = []
        for expanded in (False, True):
            graph = _lstm(3, expanded, values)
            scheduler = aidge_nb.SequentialScheduler(graph)
            scheduler.forward(data=[x[::-1].copy(), h, c])  # each pass begins anew
            outputs = scheduler.forward(data=[x, h, c])
            for output, expected in zip(outputs[:1], _lstm_by_hand(x, h, c, values), strict=False):
                np.testing.assert_allclose(output, expected, atol=1e-5)
            outputs[0].grad = aidge_nb.Tensor(_random(2, 8, seed=3))
            scheduler.backward()
            parameters = [n for n in graph.get_nodes() if n.type() == "Producer"]
            tensors = {n.name(): n.get_operator().get_output(0) for n in parameters}
            found.append({n: np.asarray(t.grad) for n, t in tensors.items() if t.has_grad()})
        assert found[0].keys() == found[1].keys()
        assert len(found[0]) == 16
        for name, gradient in found[0].items():
            np.testing.assert_allclose(gradient, found[1][name], rtol=1e-5, atol=1e-6, err_msg=name)

    def test_as_one_node_it_has_so_many_turns(self) -> None:
        data = [_random(4, 2, 4), _random(2, 8), _random(2, 8)]
        with pytest.raises(SchedulingError) as refusal:
            aidge_nb.SequentialScheduler(_lstm(3, False, _parameters(4, 8))).forward(data=data)
        message = str(refusal.value)
        assert message.startswith("lstm (LSTM): no turn of its loop is left")
        assert "(expected at most 3 executions in a pass)" in message

    def test_as_aidge(self) -> None:
        case = CASES["lstm of 3 steps"]
        values = {
            name.removeprefix("lstm_"): _array(value) for name, value in case["parameters"].items()
        }
        data = [_array(each) for each in case["inputs"]]
        scheduler = aidge_nb.SequentialScheduler(_lstm(3, True, values))
        outputs = scheduler.forward(data=data)
        for output, expected in zip(outputs, case["outputs"], strict=False):
            np.testing.assert_allclose(output, _array(expected), atol=1e-5)

    def test_as_onnxruntime(self) -> None:
        onnx = pytest.importorskip("onnx")
        runtime = pytest.importorskip("onnxruntime")
        values = _parameters(4, 8)
        x, h, c = _random(3, 2, 4), _random(2, 8, seed=1), _random(2, 8, seed=2)
        constants = {
            "W": np.concatenate([values[f"w{g}"] for g in "iofc"])[None],
            "R": np.concatenate([values[f"r{g}"] for g in "iofc"])[None],
            "B": np.concatenate([values[f"{s}b{g}"] for s in "wr" for g in "iofc"])[None],
            "h": h[None],
            "c": c[None],
        }
        helper = onnx.helper
        node = helper.make_node(
            "LSTM", ["x", "W", "R", "B", "", "h", "c"], ["", "y"], hidden_size=8
        )
        graph = helper.make_graph(
            [node],
            "lstm",
            [helper.make_tensor_value_info("x", 1, x.shape)],
            [helper.make_tensor_value_info("y", 1, (1, 2, 8))],
            [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        session = runtime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"]
        )
        (expected,) = session.run(None, {"x": x})
        scheduler = aidge_nb.SequentialScheduler(_lstm(3, True, values))
        outputs = scheduler.forward(data=[x, h, c])
        np.testing.assert_allclose(outputs[0], expected[0], rtol=1e-4, atol=1e-5)


def test_meta_operators_run_like_what_is_inside() -> None:
    def model() -> GraphView:
        return aidge_nb.sequential(
            [ops.PaddedConv2D(2, 3, [3, 3], name="conv", padding_dims=[1, 1, 1, 1]), ops.ReLU()]
        )

    x = _random(1, 2, 5, 5)
    results = []
    for expand in (False, True):
        view = model()
        _fill(view, {"conv_w": _random(3, 2, 3, 3, seed=3), "conv_b": _random(3, seed=4)})
        if expand:
            aidge_nb.expand_metaops(view)
        view.set_backend("cpu")
        scheduler = aidge_nb.SequentialScheduler(view)
        scheduler.forward(data=[_random(1, 2, 4, 4)])
        results.append(np.array(scheduler.forward(data=[x])[0]))
    assert np.array_equal(results[0], results[1])
    assert results[0].shape == (1, 3, 5, 5)
