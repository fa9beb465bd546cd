"""Models as graphs: names, order, report, and what is not covered."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import zoo
from aidge_nb.core.errors import AidgeError, MissingKernelError, OnnxError
from aidge_nb.export import export
from aidge_nb.export.plan.record import as_inputs
from aidge_nb.hardware import map_schedule, run_mapping, target
from aidge_nb.onnx_io import (
    OnnxFunction,
    OnnxGraph,
    OnnxModel,
    OnnxNode,
    OnnxSignature,
    OnnxValue,
    load_onnx,
)
from aidge_nb.report import study
from aidge_nb.runtime import PreparedRun, run_in_arena


def model(
    nodes: Sequence[OnnxNode],
    inputs: Sequence[OnnxValue] = (OnnxValue("x", "float32", (1, 4)),),
    outputs: Sequence[str] = ("y",),
    initializers: Mapping[str, Any] | None = None,
    **more: Any,
) -> OnnxModel:
    graph = OnnxGraph(
        "g",
        tuple(nodes),
        {name: np.asarray(value) for name, value in (initializers or {}).items()},
        tuple(inputs),
        tuple(OnnxValue(name) for name in outputs),
    )
    return OnnxModel(graph, {"": 13, "my": 1}, source="m.onnx", **more)


def node(op_type: str, inputs: str, outputs: str, name: str = "", **attributes: Any) -> OnnxNode:
    return OnnxNode(
        op_type, tuple(inputs.split()), tuple(outputs.split()), name, attributes=attributes
    )


def run(view: aidge_nb.GraphView, *data: Any) -> list[Any]:
    view.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(view)
    return [result.array for result in scheduler.forward(data=list(data))]


def test_the_report_names_native_nodes_first(capsys: pytest.CaptureFixture[str]) -> None:
    nodes = [
        node("Relu", "x", "a", "relu"),
        node("NoSuch", "a", "b", "odd"),
        node("Tanh", "b", "y"),
    ]
    load_onnx(model(nodes), verbose=True)
    assert capsys.readouterr().out == (
        "Native operators: 2 (2 types)\n"
        "- - relu (Relu)\n"
        "- - y (Tanh)\n"
        "Generic operators: 1 (1 types)\n"
        "- - odd (NoSuch): no such operator\n"
    )


def test_the_report_is_logged_and_kept(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="aidge_nb"):
        view = load_onnx(model([node("NoSuch", "x", "y", "odd")]))
    assert "- - odd (NoSuch): no such operator" in caplog.messages
    assert caplog.messages[-1] == (
        "m.onnx: no operator for 1 of its nodes (NoSuch): the graph can be looked at and not run"
    )
    assert view.annotations["onnx.report"].generic == (("odd", "NoSuch", "no such operator"),)


def test_unknown_operators_can_be_looked_at_and_not_run() -> None:
    body = OnnxGraph("b", (node("Add", "x outer", "z"),), {}, (), (OnnxValue("z"),))
    nodes = [
        node("Relu", "x", "outer", "relu"),
        OnnxNode("Odd", ("outer",), ("y",), "odd", "my", {"size": 3, "body": body}),
    ]
    view = load_onnx(model(nodes))
    odd = view.get_node("odd")
    assert odd.type() == "Odd"
    assert odd.get_operator().attr["size"] == 3
    assert odd.get_nb_inputs() == 2  # what its body reads is an input, too
    assert view.annotations["onnx.report"].generic[0][2] == "no such operator in my"
    with pytest.raises(MissingKernelError, match=r"odd \(Odd\)"):
        run(view, np.zeros((1, 4), np.float32))


def test_declared_dims_of_unknown_operators_are_believed() -> None:
    odd = model([node("Odd", "x", "a", "odd"), node("Relu", "a", "y", "relu")])
    odd.graph.values["a"] = OnnxValue("a", "float32", (7, 2))  # type: ignore[index]
    view = load_onnx(odd)
    assert view.forward_dims([[1, 4]])
    assert view.get_node("relu").get_operator().get_output(0).dims == (7, 2)


def test_names() -> None:
    nodes = [node("Add", "x w", "a", "w"), node("Relu", "a", "y")]
    view = load_onnx(model(nodes, initializers={"w": np.ones(4, np.float32)}))
    assert [n.name() for n in view.get_nodes()] == ["w_1", "w", "y"]
    assert view.name() == "g"
    assert view.get_node("w").attributes()["onnx"] == "Add"


def test_inputs_and_outputs_are_ordered_as_in_the_model() -> None:
    inputs = [OnnxValue(name, "float32", (2,)) for name in ("p", "q")]
    nodes = [node("Sub", "q p", "d", "d"), node("Neg", "p", "e", "e"), node("Add", "d e", "f", "f")]
    view = load_onnx(model(nodes, inputs, ["f", "d", "p"]))
    assert [(port.node.name(), port.index) for port in view.get_ordered_inputs()] == [
        ("d", 1),
        ("e", 0),
        ("p", 0),
        ("d", 0),
    ]
    assert [len(group) for group in view.get_input_groups()] == [3, 1]
    assert [port.node.name() for port in view.get_ordered_outputs()] == ["f", "d", "p"]
    results = run(view, np.array([1, 2], np.float32), np.array([5, 7], np.float32))
    assert [result.tolist() for result in results] == [[3, 3], [4, 5], [1, 2]]


def test_a_constant_may_be_an_output() -> None:
    view = load_onnx(model([node("Relu", "x", "y")], outputs=["y", "w"], initializers={"w": [1.5]}))
    assert [port.node.type() for port in view.get_ordered_outputs()] == ["ReLU", "Producer"]


def test_the_signature_is_kept_and_dims_are_not_given() -> None:
    view = load_onnx(zoo.build("mlp", batch="N"))
    signature = view.annotations["onnx"]
    assert isinstance(signature, OnnxSignature)
    assert signature.inputs == (OnnxValue("data", "float32", ("N", 784)),)
    assert not view.forward_dims()
    assert view.forward_dims([[2, 784]])


def test_initializers_are_no_constants_and_constants_are() -> None:
    nodes = [node("Constant", "", "c", value_floats=(1.0, 2.0)), node("Mul", "x c", "m")]
    nodes.append(node("Add", "m w", "y"))
    view = load_onnx(model(nodes, initializers={"w": np.float32(3)}))
    assert view.get_node("c").get_operator().attr.constant is True
    assert view.get_node("w").get_operator().attr.constant is False


def test_types_of_inputs() -> None:
    view = load_onnx(model([node("Neg", "x", "y")], [OnnxValue("x", "int64", (3,))]))
    view.forward_dims([[3]])
    assert view.get_node("y").get_operator().get_output(0).dtype is aidge_nb.dtype.int64


def test_what_no_output_depends_on_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    inputs = [OnnxValue("x", "float32", (1, 4)), OnnxValue("unread", "float32", (3,))]
    nodes = [node("Relu", "x", "y"), node("Neg", "x", "dead"), node("Abs", "unread", "deader")]
    view = load_onnx(model(nodes, inputs))
    assert [n.name() for n in view.get_nodes()] == ["y"]
    assert [value.name for value in view.annotations["onnx"].inputs] == ["x"]
    assert "m.onnx: no output depends on input unread" in caplog.messages
    assert len(view.get_ordered_inputs()) == 1


class TestInputsThatNoNodeReads:
    """They keep their place: data for them are taken, and ignored."""

    X = np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2)
    SPARE = np.full(3, 7, np.float32)

    def _view(self) -> aidge_nb.GraphView:
        weights = np.full((1, 1, 1, 1), 2, np.float32)
        spare, x = OnnxValue("spare", "float32", (3,)), OnnxValue("x", "float32", (1, 1, 2, 2))
        conv = node("Conv", "x w", "y", "conv", kernel_shape=[1, 1])
        view = load_onnx(model([conv], [spare, x], initializers={"w": weights}))
        view.set_backend("cpu")
        return view

    def test_each_way_of_running_takes_them(self, tmp_path: Path) -> None:
        view, data = self._view(), [self.SPARE, self.X]
        assert view.forward_dims([[3], [1, 1, 2, 2]])
        (y,) = aidge_nb.SequentialScheduler(view).forward(data=data)
        plan = aidge_nb.plan_memory(view, aidge_nb.static_schedule(view))
        mapping = map_schedule(view, target("quad_cluster"))
        package = export(view, tmp_path / "c", inputs=data)
        assert [value.name for value in package.plan.inputs] == ["x"]
        for found in (
            y.array,
            run_in_arena(view, plan, data).outputs[0],
            PreparedRun(view).run(data)[0],
            run_mapping(view, mapping, data).outputs[0],
            as_inputs(package.made, data)[0] * 2,
        ):
            assert np.array_equal(found, 2 * self.X)

    def test_one_array_too_many_is_refused(self) -> None:
        view, data = self._view(), [self.SPARE, self.X, np.ones(1, np.float32)]
        assert view.forward_dims([[3], [1, 1, 2, 2]])
        plan = aidge_nb.plan_memory(view, aidge_nb.static_schedule(view))
        mapping = map_schedule(view, target("mcu"))
        message = r"inputs: too many of them \(expected 2: spare; x, found 3\)"
        ways: tuple[Callable[[], object], ...] = (
            lambda: aidge_nb.SequentialScheduler(view).forward(data=data),
            lambda: run_in_arena(view, plan, data),
            lambda: PreparedRun(view).run(data),
            lambda: run_mapping(view, mapping, data),
        )
        for run in ways:
            with pytest.raises(AidgeError, match=message):
                run()

    def test_reports_study_and_run_them(self) -> None:
        spare, x = OnnxValue("spare", "float32", (3,)), OnnxValue("x", "float32", (1, 4))
        report = study(model([node("Relu", "x", "y")], [spare, x]), run=True)
        assert not report.failure
        assert "y" in dict(report.result)


def test_functions_are_written_out() -> None:
    body = (node("Relu", "i", "t", "relu"), node("Neg", "t", "o", "neg"))
    function = OnnxFunction("F", "my", ("i",), ("o",), {}, body, {"": 13})
    call = OnnxNode("F", ("x",), ("y",), "call", "my")
    view = load_onnx(model([call], functions=(function,)))
    assert [n.name() for n in view.get_nodes()] == ["call_relu", "call_neg"]


# --- what is decided before the run -----------------------------------------------------------


def branches() -> OnnxModel:
    then = OnnxGraph("t", (node("Relu", "x", "a", "relu"),), {}, (), (OnnxValue("a"),))
    other = OnnxGraph(
        "e",
        (node("Mul", "x w", "a", "mul"),),
        {"w": np.array([2], np.float32)},
        (),
        (OnnxValue("a"),),
    )
    nodes = [
        node("Equal", "rate wanted", "same", "equal"),
        node("If", "same", "y", "if", then_branch=then, else_branch=other),
    ]
    inputs = [OnnxValue("x", "float32", ("N", 4)), OnnxValue("rate", "int64", ())]
    return model(nodes, inputs, initializers={"wanted": np.int64(16000)})


def test_a_branch_is_chosen_by_a_constant() -> None:
    data = np.array([[-1, 2, -3, 4]], np.float32)
    view = load_onnx(branches(), constants={"rate": 16000})
    assert [n.name() for n in view.get_nodes()] == ["relu"]
    assert run(view, data)[0].tolist() == [[0, 2, 0, 4]]
    view = load_onnx(branches(), constants={"rate": 8000})
    assert [n.name() for n in view.get_nodes()] == ["if_w", "mul"]
    assert run(view, data)[0].tolist() == [[-2, 4, -6, 8]]


def test_a_branch_that_is_open_stays_one_node() -> None:
    view = load_onnx(branches())
    assert view.annotations["onnx.report"].generic == ()
    assert view.get_node("if").type() == "If"
    assert view.get_node("if").get_nb_inputs() == 2


def test_a_branch_may_give_what_it_takes() -> None:
    then = OnnxGraph("t", (), {}, (), (OnnxValue("x"),))
    choice = node("If", "yes", "y", "if", then_branch=then, else_branch=then)
    view = load_onnx(model([choice], initializers={"yes": np.bool_(True)}))
    assert [(n.name(), n.type()) for n in view.get_nodes()] == [("if", "Identity")]


def test_a_branch_is_chosen_by_dims() -> None:
    then = OnnxGraph("t", (node("Relu", "x", "a", "relu"),), {}, (), (OnnxValue("a"),))
    other = OnnxGraph("e", (node("Neg", "x", "a", "neg"),), {}, (), (OnnxValue("a"),))
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s zero", "n"),
        node("Equal", "n one", "same"),
        node("If", "same", "y", "if", then_branch=then, else_branch=other),
    ]
    constants = {"zero": np.int64(0), "one": np.int64(1)}
    open_batch = model(nodes, [OnnxValue("x", "float32", ("N", 4))], initializers=constants)
    sizes: list[tuple[Any, str]] = [
        ((1, 4), "relu"),
        (np.array([1, 4]), "relu"),
        ([np.int64(2), 4], "neg"),
    ]
    for given, name in sizes:
        batch = int(given[0])
        view = load_onnx(open_batch, dims={"x": given})
        assert [n.name() for n in view.get_nodes()] == [name]
        assert not view.forward_dims()
        assert view.forward_dims([[batch, 4]])


def test_an_input_that_is_not_there() -> None:
    with pytest.raises(OnnxError, match=r"m.onnx: unknown input 'sr' .expected x"):
        load_onnx(model([node("Relu", "x", "y")]), constants={"sr": 1})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"dims": 3}, r"dims: are given by the name .*found int.\. Write dims="),
        ({"dims": [1, 2]}, "dims: .*found list"),
        ({"dims": {"z": [1]}}, r"m.onnx: unknown input 'z' .expected x"),
        ({"dims": {3: [1]}}, "unknown input 3"),
        ({"dims": {"x": 4}}, "input 'x': these are not dims .expected a list of num.*, found int"),
        ({"dims": {"x": "ab"}}, "input 'x': .*found str"),
        ({"dims": {"x": [1.5]}}, "input 'x': .*1.5"),
        ({"dims": {"x": [-1]}}, "input 'x': .*-1"),
        ({"constants": 3}, "constants: are given by the name .*found int"),
        ({"constants": [1]}, "constants: .*found list"),
        ({"constants": {"x": object()}}, "input 'x': cannot be made an array.*found object"),
    ],
)
def test_what_is_given_for_inputs_and_makes_no_sense(given: Any, message: str) -> None:
    with pytest.raises(OnnxError, match=message):
        load_onnx(model([node("Relu", "x", "y")]), **given)


@pytest.mark.parametrize(
    ("op_type", "attributes", "words"),
    [
        ("Conv", {"strides": (1, 2, 3)}, "bad strides"),
        ("Transpose", {"perm": 1}, "attribute output_dims_order should be a list of numbers"),
        ("Conv", {"group": (2,)}, "is invalid"),
        ("Flatten", {"axis": "last"}, "attribute axis should be a number and is 'last'"),
        ("LSTM", {}, "is invalid"),
    ],
)
def test_invalid_nodes(op_type: str, attributes: dict[str, Any], words: str) -> None:
    inputs = "x w w" if op_type == "LSTM" else "x w" if op_type == "Conv" else "x"
    odd = model(
        [node(op_type, inputs, "y", "odd", **attributes)],
        initializers={"w": np.ones((2, 2, 3, 3), np.float32)},
    )
    with pytest.raises(OnnxError, match=rf"m.onnx, node odd \({op_type}\): .*{words}"):
        load_onnx(odd)
