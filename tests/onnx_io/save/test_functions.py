"""Meta-operators as functions of the model: other runtimes run them, and they come back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aidge_nb
from aidge_nb import GraphView, zoo
from aidge_nb.graph import fuse_nodes
from aidge_nb.graph.topology import way_back
from aidge_nb.onnx_io import OnnxGraph, OnnxModel, OnnxNode, OnnxValue, load_onnx, to_onnx
from aidge_nb.onnx_io.save.library import DOMAIN
from tests.graph.seed_003 import SEED_003
from tests.recipes.graphs import producer


def _fused() -> GraphView:
    view = load_onnx(zoo.dinov2_like(size=28, dim=16, heads=2, depth=2))
    for kind, query in SEED_003.items():
        aidge_nb.fuse_to_metaops(view, query, kind)
    return view


def _run(view: GraphView, *data: np.ndarray) -> np.ndarray:
    view.set_backend("cpu")
    return np.asarray(aidge_nb.SequentialScheduler(view).forward(data=list(data))[0]).copy()


def test_a_fused_transformer_runs_elsewhere_and_comes_back(tmp_path: Path) -> None:
    view = _fused()
    model = to_onnx(view)
    assert [function.name for function in model.functions] == [
        "LayerNorm",
        "ScaledDotProductAttention",
        "Linear",
        "MultiHeadAttention",
        "GeLU",
    ]
    calls = [node.op_type for node in model.nodes if node.domain == DOMAIN]
    # Two Linear of six are inside MultiHeadAttention, and so is all of the attention.
    assert {kind: calls.count(kind) for kind in SEED_003} == {
        "Linear": 4,
        "LayerNorm": 5,
        "ScaledDotProductAttention": 0,
        "MultiHeadAttention": 2,
        "GeLU": 2,
    }
    image = np.random.default_rng(5).standard_normal((1, 3, 28, 28)).astype(np.float32)
    expected = _run(view, image)
    aidge_nb.save_onnx(view, tmp_path / "fused.onnx")
    content = (tmp_path / "fused.onnx").read_bytes()
    onnx.checker.check_model(onnx.load_from_string(content), full_check=True)
    session = onnxruntime.InferenceSession(content)
    (found,) = session.run(None, {model.inputs[0].name: image})
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(_run(load_onnx(content), image), expected)
    assert to_onnx(_fused()).to_bytes() == content


def test_blocks_that_differ_in_more_than_weights_have_functions_of_their_own() -> None:
    layers = [aidge_nb.Tanh(), aidge_nb.LeakyReLU(0.5), aidge_nb.Tanh(), aidge_nb.LeakyReLU(0.25)]
    view = aidge_nb.sequential(layers)
    assert aidge_nb.fuse_to_metaops(view, "Tanh->LeakyReLU", "Act") == 2
    model = to_onnx(view)
    assert [function.name for function in model.functions] == ["Act", "Act_2"]
    assert [node.op_type for node in model.nodes] == ["Act", "Act_2"]
    x = np.linspace(-2, 2, 7, dtype=np.float32)
    np.testing.assert_array_equal(_run(load_onnx(model.to_bytes()), x), _run(view, x))


def test_a_parameter_that_blocks_share_is_written_once() -> None:
    scale = producer(np.array([2.0, 3.0]), "scale")
    first, second = aidge_nb.Mul(name="first"), aidge_nb.Mul(name="second")
    for node in (first, second):
        scale.add_child(node, 0, 1)
    first.add_child(second)
    view = aidge_nb.get_connected_graph_view(first)
    assert aidge_nb.fuse_to_metaops(view, "Mul<1~Producer", "Scale") == 2
    model = to_onnx(view)
    (array,) = model.initializers.values()
    np.testing.assert_array_equal(array, [2, 3])
    assert len(model.functions) == 1


def test_optional_inputs_that_nothing_feeds_are_left_out() -> None:
    view = aidge_nb.sequential([aidge_nb.Tanh(name="t"), aidge_nb.Clip(min=0.0, name="c")])
    aidge_nb.fuse_to_metaops(view, "Tanh->Clip", "Both")
    (function,) = to_onnx(view).functions
    assert function.inputs[0] == "in0"
    assert all(value.startswith("parameter") for value in function.inputs[1:])


def test_bodies_that_may_read_values_around_them_stay_in_place() -> None:
    inner = OnnxGraph("b", (OnnxNode("Neg", ("t",), ("z",), "n"),), {}, (), (OnnxValue("z"),))
    nodes = (
        OnnxNode("Tanh", ("x",), ("t",), "tanh"),
        OnnxNode(
            "If",
            ("flag",),
            ("y",),
            "if",
            attributes=dict.fromkeys(("then_branch", "else_branch"), inner),
        ),
    )
    inputs = (OnnxValue("flag", "bool", ()), OnnxValue("x", "float32", (3,)))
    view = load_onnx(OnnxModel(OnnxGraph("g", nodes, {}, inputs, (OnnxValue("y"),)), {"": 17}))
    fuse_nodes(list(view), "Block")
    model = to_onnx(view)
    assert (model.functions, [node.op_type for node in model.nodes]) == ((), ["Tanh", "If"])


@pytest.mark.parametrize("functions", [True, False])
def test_what_is_inside_may_be_written_in_place(functions: bool) -> None:
    model = to_onnx(_fused(), functions=functions)
    assert bool(model.functions) == functions
    assert any(node.domain == DOMAIN for node in model.nodes) == functions


MAKERS = {
    "T": aidge_nb.Tanh,
    "N": aidge_nb.Neg,
    "A": aidge_nb.Abs,
    "+": aidge_nb.Add,
    "M": aidge_nb.Mul,
}


@given(
    chosen=st.text("TNA+M", min_size=2, max_size=10),
    spans=st.lists(st.tuples(st.integers(0, 9), st.integers(2, 4)), min_size=1, max_size=3),
    back=st.integers(1, 3),
)
def test_random_graphs_with_random_blocks(
    chosen: str, spans: list[tuple[int, int]], back: int
) -> None:
    nodes = [aidge_nb.ReLU(name="start")]
    for number, kind in enumerate(chosen):
        node = MAKERS[kind](name=f"n{number}")
        nodes[-1].add_child(node, 0, 0)
        if kind == "+":
            nodes[max(0, len(nodes) - 1 - back)].add_child(node, 0, 1)
        elif kind == "M":
            producer(np.array([1.5 + number % 2]), f"w{number}").add_child(node, 0, 1)
        nodes.append(node)
    view = aidge_nb.get_connected_graph_view(nodes[0])
    view.set_ordered_outputs([aidge_nb.graph.Port(nodes[-1], 0)])
    x = np.linspace(-2, 2, 5, dtype=np.float32)
    expected = _run(view, x)
    for start, length in spans:
        order = view.topological_order()
        part = [each for each in order[start : start + length] if each in view]
        if part and way_back(part) is None:
            fuse_nodes(part, "Block", inner_outputs=True)
    model = to_onnx(view)
    np.testing.assert_array_equal(_run(load_onnx(model.to_bytes()), x), expected)
    session = onnxruntime.InferenceSession(model.to_bytes())
    (found,) = session.run(None, {model.inputs[0].name: x})
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5, atol=1e-6)
