"""Graphs as ONNX files: what comes back is the same graph, computes the same, and is valid."""

from __future__ import annotations

import logging
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aidge_nb
from aidge_nb import GraphView, Node, Tensor, onnx_backend, zoo
from aidge_nb.core.errors import OnnxError
from aidge_nb.onnx_io import OnnxGraph, OnnxModel, OnnxNode, OnnxValue, load_onnx, to_onnx
from tests.onnx_io.test_onnx_backend import KNOWN, cases, data_sets

LIGHT = sorted(Path(onnx.__file__).parent.glob("backend/test/data/light/*.onnx"))
SMALL = ("lenet", "mlp", "lstm_classifier", "squeezenet", "tiling_model", "dinov2_like")


def described(view: GraphView) -> list[Any]:
    """Give all that makes a graph: names, types, attributes, edges, ports, parameters."""
    names = view.unique_names()
    nodes = sorted(
        (
            names[node],
            node.type(),
            repr(sorted((k, plain(v)) for k, v in node.get_operator().attr.items())),
            [(index, names[port.node], port.index) for index, port in node.edges_in()],
            plain(node.get_operator().get_output(0).array) if node.type() == "Producer" else "",
        )
        for node in view.get_nodes()
    )
    ports = [[(names[p.node], p.index) for p in group] for group in view.get_input_groups()]
    outputs = [(names[port.node], port.index) for port in view.get_ordered_outputs()]
    return [nodes, ports, outputs, view.annotations["input_names"], view.annotations["onnx"]]


def plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.name, value.shape, value.tobytes()
    return "a graph" if isinstance(value, OnnxGraph) else value


@pytest.mark.parametrize("source", [*SMALL, *LIGHT], ids=lambda s: Path(s).stem)
def test_a_model_comes_back_as_it_was(source: Any) -> None:
    first = load_onnx(source if isinstance(source, Path) else zoo.build(source))
    content = to_onnx(first).to_bytes()
    again = load_onnx(content)
    assert described(again) == described(first)
    assert to_onnx(again).to_bytes() == content
    onnx.checker.check_model(onnx.load_from_string(content), full_check=True)


@pytest.mark.parametrize("name", ["lenet", "lstm_classifier", "tiling_model"])
def test_other_runtimes_compute_the_same(name: str) -> None:
    model = zoo.build(name)
    view = load_onnx(model)
    content = to_onnx(view).to_bytes()
    random = np.random.default_rng(0)
    data = [
        random.standard_normal([d if isinstance(d, int) else 2 for d in value.dims or ()]).astype(
            np.float32
        )
        for value in model.inputs
    ]
    session = onnxruntime.InferenceSession(content)
    wanted = session.run(None, dict(zip((v.name for v in model.inputs), data, strict=True)))
    found = onnx_backend.prepare(content).run(data)
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_all_that_runs_is_written_and_runs_again(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, logger="aidge_nb")
    from onnx.backend.test.runner import Runner

    unwritten = {}
    for case in cases():
        if case.name in KNOWN:
            continue
        model = case.model or onnx.load(Path(case.model_dir, "model.onnx"))
        try:
            prepared = onnx_backend.prepare(to_onnx(load_onnx(model)).to_bytes())
        except OnnxError as error:
            unwritten[case.name] = str(error)
            continue
        for fed, wanted in data_sets(case, model):
            Runner.assert_similar_outputs(wanted, list(prepared.run(fed)), case.rtol, case.atol)
    assert list(unwritten) == ["test_if_opt"], unwritten  # its attribute is a type


OPERATORS = (
    lambda name: aidge_nb.ReLU(name=name),
    lambda name: aidge_nb.LeakyReLU(0.3, name=name),
    lambda name: aidge_nb.Softmax(1, name=name),
    lambda name: aidge_nb.Transpose([0, 2, 1], name=name),
    lambda name: aidge_nb.Squeeze([], name=name),
    lambda name: aidge_nb.ReduceMean([2], name=name),
    lambda name: aidge_nb.Clip(name=name, min=-0.5, max=2.0),
    lambda name: aidge_nb.Slice([0], [2], [1], [1], name=name),
    lambda name: aidge_nb.Gather(1, [1, 0], [2], name=name),
    lambda name: aidge_nb.TopK(1, 1, name=name),
    lambda name: aidge_nb.Sigmoid(name=name),
)
PAIRS = (aidge_nb.Add, aidge_nb.Mul, aidge_nb.Sub)


@given(st.lists(st.integers(0, 99), min_size=1, max_size=12))
def test_random_graphs_compute_the_same(choices: list[int]) -> None:
    nodes: list[Node] = [aidge_nb.Identity(name="first")]
    view = GraphView("random")
    view.add(nodes[0])
    for number, choice in enumerate(choices):
        left = nodes[-1]
        if choice % 3 == 0:
            node = PAIRS[choice % len(PAIRS)](name=f"n{number}")
            nodes[choice % len(nodes)].add_child(node, 0, 1)
        else:
            node = OPERATORS[choice % 5](f"n{number}")
        left.add_child(node, 0, 0)
        view.add(node)
        nodes.append(node)
    x = np.random.default_rng(0).standard_normal((2, 3, 3)).astype(np.float32)
    content = to_onnx(view).to_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = load_onnx(content)
    try:
        (wanted,) = computed(view, x)
    except aidge_nb.ShapeError:
        with pytest.raises(aidge_nb.ShapeError):
            computed(loaded, x)
        return
    (found,) = computed(loaded, x)
    np.testing.assert_array_equal(found, wanted)
    assert to_onnx(loaded).to_bytes() == to_onnx(load_onnx(to_onnx(loaded).to_bytes())).to_bytes()


def computed(view: GraphView, *data: Any) -> list[Any]:
    view.set_backend("cpu")
    results = aidge_nb.SequentialScheduler(view).forward(data=[Tensor(each) for each in data])
    return [result.array for result in results]


@pytest.mark.parametrize("make", OPERATORS, ids=map(str, range(len(OPERATORS))))
def test_attributes_become_inputs_where_onnx_wants_them(make: Any) -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)
    view = aidge_nb.sequential([make("n")])
    found = onnx_backend.prepare(to_onnx(view).to_bytes()).run([x])
    np.testing.assert_array_equal(np.asarray(found[0]), computed(view, x)[0])


def filled(node: Node) -> Node:
    for index, port in node.edges_in():
        tensor = port.node.get_operator().get_output(0)
        values = np.random.default_rng(index).standard_normal(tensor.dims)
        tensor.set_array(values.astype(np.float32))
    return node


def test_meta_operators_become_what_onnx_has_or_what_is_inside() -> None:
    conv = filled(aidge_nb.PaddedConv2D(3, 4, [3, 3], padding_dims=[1, 1, 1, 1], name="conv"))
    own = aidge_nb.MetaOperator(
        "Twice", aidge_nb.sequential([aidge_nb.Tanh(name="t"), aidge_nb.Neg(name="u")]), "own"
    )
    view = aidge_nb.sequential([conv, own])
    model = to_onnx(view, functions=False)
    assert [(node.op_type, node.name) for node in model.nodes] == [
        ("Conv", "conv"),
        ("Tanh", "t"),
        ("Neg", "u"),
    ]
    x = np.random.default_rng(0).standard_normal((1, 3, 5, 5)).astype(np.float32)
    (found,) = onnx_backend.run_model(model.to_proto(), [x])
    np.testing.assert_array_equal(np.asarray(found), computed(view, x)[0])


def test_generic_operators_keep_domain_attributes_and_captured_values() -> None:
    body = OnnxGraph(
        "b", (OnnxNode("Add", ("x", "outer"), ("z",), "add"),), {}, (), (OnnxValue("z"),)
    )
    nodes = (
        OnnxNode("Relu", ("x",), ("outer",), "relu"),
        OnnxNode("Odd", ("outer",), ("y",), "odd", "my", {"size": 3, "body": body}),
    )
    graph = OnnxGraph("g", nodes, {}, (OnnxValue("x", "float32", (4,)),), (OnnxValue("y"),))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        written = to_onnx(load_onnx(OnnxModel(graph, {"": 17, "my": 2})))
        relu, odd = written.nodes
        assert relu.outputs == ("relu",)
        assert (odd.op_type, odd.domain, odd.inputs) == ("Odd", "my", ("relu",))
        assert odd.attributes["size"] == 3
        assert odd.attributes["body"].nodes[0].inputs == ("x", "relu")
        assert written.opsets == {"": 17, "my": 2}
        again = to_onnx(load_onnx(written.to_bytes()))
    assert again.to_bytes() == written.to_bytes()


def test_a_graph_without_names_gets_some() -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU(), aidge_nb.Tanh(), aidge_nb.ReLU()])
    model = to_onnx(view)
    assert [node.name for node in model.nodes] == ["ReLU_0", "Tanh_0", "ReLU_1"]
    assert (model.inputs[0].name, model.outputs[0].name) == ("input", "output")


def test_the_version_follows_the_operators() -> None:
    assert to_onnx(aidge_nb.sequential([aidge_nb.ReLU()])).opset == 21
    assert to_onnx(aidge_nb.sequential([aidge_nb.Swish()])).opset == 24
    with pytest.raises(OnnxError, match=r"n \(Swish\): .*opset 20 has no operator Swish"):
        to_onnx(aidge_nb.sequential([aidge_nb.Swish(name="n")]), opset=20)


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (
            aidge_nb.Pop(name="n"),
            r"n \(Pop\): cannot be written as ONNX: ONNX has no such operator",
        ),
        (aidge_nb.Round("n", "half_up"), r"n \(Round\): .*halves to even \(found half_up\)"),
        (aidge_nb.BatchNorm2D(3, name="n"), r"n_.* \(Producer\): .*it has no values"),
    ],
)
def test_what_cannot_be_written_is_named(node: Node, message: str, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    with pytest.raises(OnnxError, match=message):
        aidge_nb.save_onnx(aidge_nb.sequential([node]), path)
    assert not path.exists()


@pytest.mark.parametrize("graph", [None, 3, aidge_nb.ReLU()])
def test_what_is_no_graph_is_refused(graph: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    with pytest.raises(
        OnnxError,
        match=r"save: is not a graph .* found \w+.\. Pass the graph",
    ):
        aidge_nb.save_onnx(graph, path)
    with pytest.raises(OnnxError, match="is not a graph"):
        to_onnx(graph)
    assert not path.exists()


@pytest.mark.parametrize("path", [None, 3])
def test_what_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(
        OnnxError, match=r"save_onnx: has no path to write to .expected a path such as"
    ):
        aidge_nb.save_onnx(aidge_nb.sequential([aidge_nb.ReLU()]), path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(OnnxError, match="cannot be written"):
        aidge_nb.save_onnx(aidge_nb.sequential([aidge_nb.ReLU()]), tmp_path / "no" / "m.onnx")


@pytest.mark.parametrize("suffix", [".json", ".textproto", ".onnxtxt", ".PBTXT"])
def test_bytes_are_not_written_under_the_name_of_a_text(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"m{suffix}"
    with pytest.raises(OnnxError, match=r"is the name of a text file.*\.onnx"):
        aidge_nb.save_onnx(aidge_nb.sequential([aidge_nb.ReLU()]), path)
    assert not path.exists()


@pytest.mark.parametrize(("name", "warned"), [("m.onnx", 0), ("m.pb", 0), ("m.txt", 1), ("m", 1)])
def test_unusual_names_are_warned_of(
    name: str, warned: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / name
    with caplog.at_level(logging.WARNING, "aidge_nb"):
        aidge_nb.save_onnx(aidge_nb.sequential([aidge_nb.ReLU()]), path)
    assert len(caplog.records) == warned
    assert onnx.load(path).graph.node[0].op_type == "Relu"
