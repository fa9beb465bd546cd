"""Reports: what a study finds out, and the notes it leaves where it cannot."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import ops, zoo
from aidge_nb.advice import ChangeFinding, plan_findings
from aidge_nb.core.errors import AidgeError, OnnxError, ShapeError
from aidge_nb.graph import GraphView
from aidge_nb.onnx_io import OnnxGraph, OnnxModel, OnnxNode, OnnxValue, load_onnx
from aidge_nb.report import Report, study
from aidge_nb.scheduling import OperatorImpl, SchedulingPolicy

RUN = "run in NumPy, on random input"


class Twice(OperatorImpl):
    """What a user gives an operator that has no kernel."""


def _model() -> GraphView:
    return aidge_nb.sequential([ops.FC(4, 2, name="fc"), ops.ReLU(name="relu")], "net")


class TestOfAGraph:
    def test_complete(self) -> None:
        report = study(_model(), [[3, 4]])
        assert report.schedule is not None
        assert report.plan is not None
        assert (report.title, report.notes, report.result) == ("net", (), ())
        assert report.schedule.order[-2:] == ("fc", "relu")
        assert report.plan.peak == 24
        assert report.graph.edges[0].dims == (3, 2)
        assert repr(report) == "Report(net: 2 nodes, 3 steps, peak 24 bytes)"

    def test_it_begins_and_ends_with_what_the_plan_says(self) -> None:
        report = study("zoo:mobilenet_v2@32", ram=64 * 1024)
        assert report.plan is not None
        assert report.findings[:3] == plan_findings(report.plan, ("ram", 64 * 1024))
        assert [line.split(":")[0] for line in report.conclusions()] == [
            "PEAK",
            "CAN A LAYOUT HELP?",
            "DOES NOT FIT",
            "DO THIS",
            "OR",
        ]
        assert "while 1 · conv1 runs (tick 14)" in report.conclusions()[0]
        kinds = [each["kind"] for each in report.to_dict()["findings"]]
        assert kinds == ["peak", "layout", "fit", "change", "change"]

    def test_plainly_opened_it_says_what_to_do_and_how_that_was_searched(self) -> None:
        report = study("zoo:resnet50")
        peak, layout, *changes = report.scene().findings
        assert (peak.title, layout.title) == ("PEAK", "CAN A LAYOUT HELP?")
        assert [change.title for change in changes] == ["DO THIS", "OR"]
        assert changes[0].figure.startswith("Tile 1 chain: ")
        assert "stripes, halos kept" in changes[0].text
        assert "A quick search found it" in changes[0].why
        assert "report --advice (10 s)" in changes[0].why
        assert not report.notes

    def test_without_advice_nothing_is_tried(self) -> None:
        report = study("zoo:mobilenet_v2@32", advice=None)
        assert [each.kind for each in report.findings] == ["peak", "layout"]

    def test_advice_is_searched_for_when_it_is_asked_for(self) -> None:
        stages: list[str] = []
        report = study("zoo:mobilenet_v2@32", advice=60.0, ram=110_000, progress=stages.append)
        assert "advice" in stages
        best = report.findings[3]
        assert isinstance(best, ChangeFinding)
        assert best.peak <= 110_000
        assert "brings it to" in report.conclusions()[2]
        assert report.conclusions()[3].startswith("DO THIS: ")
        assert '"layout":{' in json.dumps(report.scene().payload()[0], separators=(",", ":"))

    def test_advice_with_little_time_says_that_it_was_short(self) -> None:
        report = study("zoo:mobilenet_v2@32", advice=1e-9)
        assert "advice: stopped after 1e-09 s; not every change was tried" in report.notes
        assert "stopped after 1e-09 s" in report.scene().findings[2].why

    def test_stages_are_told(self) -> None:
        stages: list[str] = []
        study(_model(), [[3, 4]], run=True, progress=stages.append)
        assert stages == ["load", "dimensions", "schedule", "memory", "advice", "run"]

    def test_without_dims_there_is_a_schedule_and_a_note(self) -> None:
        report = study(_model())
        assert report.schedule is not None
        assert report.plan is None
        assert report.notes[0].startswith("Missing mandatory input#0 for node [fc (FC)]")
        assert any(note.startswith("no memory layout:") for note in report.notes)
        assert repr(report) == "Report(net: 2 nodes, 3 steps)"

    def test_without_name(self) -> None:
        assert study(aidge_nb.sequential([ops.ReLU()]), [[2]]).title == "graph"

    def test_dims_that_do_not_fit(self) -> None:
        with pytest.raises(ShapeError, match=r"fc \(FC\)"):
            study(_model(), [[3, 5]])

    def test_no_schedule_leaves_a_note(self) -> None:
        view = aidge_nb.sequential(
            [aidge_nb.GenericOperator("Odd", 1, 0, 1, name="odd"), ops.Pop()]
        )
        report = study(view, [[3, 2]])
        assert (report.schedule, report.plan) == (None, None)
        assert any(
            note.startswith("no schedule: ") and "Pop needs" in note for note in report.notes
        )
        assert len(report.graph.nodes) == 2
        assert repr(report) == "Report(graph: 2 nodes)"

    def test_unknown_operators_are_named(self) -> None:
        names = [f"odd{i}" for i in range(7)]
        nodes = [aidge_nb.GenericOperator("Odd", 1, 0, 1, name=name) for name in names]
        report = study(aidge_nb.sequential(nodes), [[3]], run=True)
        wanted = "operators without kernel, shown but not run: odd0 (Odd), "
        note = next(note for note in report.notes if note.startswith(wanted))
        assert note.endswith(" and 2 more")
        assert any(note.startswith("not run: odd0 (Odd): ") for note in report.notes)

    def test_operators_that_run_as_onnx_defines_them_are_not_named(self) -> None:
        nodes = (
            OnnxNode("DynamicQuantizeLinear", ("x",), ("a", "s", "z"), "q"),
            OnnxNode("DequantizeLinear", ("a", "s", "z"), ("y",), "dq"),
        )
        graph = OnnxGraph(
            "g", nodes, {}, (OnnxValue("x", "float32", (1, 4)),), (OnnxValue("y", "float32"),)
        )
        report = study(OnnxModel(graph, {"": 17}), run=True)
        assert not report.failure
        assert [label for label, _ in report.result] == [RUN, "y"]
        assert not any("not run" in note for note in report.notes)

    def test_an_operator_with_an_implementation_of_its_own_is_not_named(self) -> None:
        node = aidge_nb.GenericOperator("Odd", 1, 0, 1, name="odd")
        node.get_operator().set_impl(Twice(node.get_operator()))
        report = study(aidge_nb.sequential([node]), [[3]])
        assert not any("not run" in note for note in report.notes)

    @pytest.mark.parametrize("policy", SchedulingPolicy)
    def test_every_policy_gives_its_own_order(self, policy: SchedulingPolicy) -> None:
        view = load_onnx(zoo.build("inception_like"))
        report = study(view, [[1, 3, 32, 32]], policy=policy)
        assert report.plan is not None
        scheduler = aidge_nb.SequentialScheduler(view)
        scheduler.tag_fork_branches()
        scheduler.generate_scheduling()
        names = view.unique_names()
        order = scheduler.get_sequential_static_scheduling(0, policy)
        wanted = tuple(names[node] for node in order if node.type() != "Producer")
        assert report.plan.order == wanted

    def test_policy(self) -> None:
        report = study(_model(), [[3, 4]], policy=SchedulingPolicy.AsLateAsPossible)
        assert report.plan is not None


class TestRun:
    def test_results_are_summed_up(self) -> None:
        view = aidge_nb.sequential([ops.ReLU(name="a")])
        report = study(view, [[50]], run=True)
        assert [label for label, _ in report.result] == [RUN, "output 0"]
        assert report.result[0][1].endswith(" ms")
        assert report.result[1][1].startswith("50 float32, 0 to ")

    def test_a_run_that_fails_leaves_its_reason(self) -> None:
        view = aidge_nb.sequential([aidge_nb.GenericOperator("Warp", 1, 0, 1, name="warp")])
        report = study(view, [[2]], run=True)
        assert report.failure.startswith("not run: warp (Warp)")
        assert report.failure in report.scene().notes
        assert (report.result, report.values) == ((), ())
        assert study(view, [[2]]).failure == ""

    def test_first_values_are_kept(self) -> None:
        view = aidge_nb.sequential([ops.ReLU(name="a")])
        given = aidge_nb.Tensor(np.arange(7, dtype=np.float32) / 3)
        view.get_node("a").get_operator().set_input(0, given)
        report = study(view, run=True)
        assert report.values == (("output 0", "0 0.333333 0.666667 1 1.33333 ..."),)

    def test_inputs_are_the_same_each_time(self) -> None:
        view = aidge_nb.sequential([ops.ReLU(name="a")])
        first = study(view.clone(), [[50]], run=True).result[1]
        assert study(view.clone(), [[50]], run=True).result[1] == first

    def test_data_that_are_there_are_used(self) -> None:
        view = aidge_nb.sequential([ops.ReLU(name="a")])
        given = aidge_nb.Tensor(np.array([1, 5], np.int64))
        view.get_node("a").get_operator().set_input(0, given)
        assert study(view, run=True).result[1] == ("output 0", "2 int64, 1 to 5, largest at [1]")


class TestOfAFile:
    @pytest.fixture(autouse=True)
    def _needs_onnx(self) -> None:
        pytest.importorskip("onnx")

    def _file(self, folder: Path, **options: Any) -> Path:
        from aidge_nb import zoo

        path = folder / "small.onnx"
        path.write_bytes(zoo.build("mlp", **options).to_bytes())
        return path

    def test_path_text_or_model(self, tmp_path: Path) -> None:
        import onnx

        path = self._file(tmp_path)
        reports = [study(path), study(str(path)), study(onnx.load(path)), study("zoo:mlp")]
        assert [report.title for report in reports][:2] == ["small", "small"]
        assert len({repr(report.plan) for report in reports}) == 1

    def test_symbols_and_what_is_assumed(self, tmp_path: Path) -> None:
        path = self._file(tmp_path, batch="N")
        assert study(path, symbols={"N": 3}).graph.inputs[0].dims == (3, 784)
        report = study(path)
        assert report.graph.inputs[0].dims == (1, 784)
        assert report.notes == ("input data: size 1 assumed for N (another value: --dim N=...)",)

    def test_dims_by_name_place_or_in_order(self, tmp_path: Path) -> None:
        path = self._file(tmp_path, batch="N")
        ways: list[Any] = [{"data": [2, 784]}, {0: [2, 784]}, [[2, 784]]]
        for dims in ways:
            assert study(path, dims).graph.inputs[0].dims == (2, 784)
        with pytest.raises(OnnxError, match="the model has no such input"):
            study(path, {"other": [1]})

    @pytest.mark.parametrize(
        ("declared", "message"),
        [
            (None, r"input x: all dimensions unknown \(found dims not declared\)\. Pass its dim"),
            ([1, None], r"input x: dimension 1 unknown \(found \[1, \?\]\)\. Pass its dimensions"),
            ([1, "T"], r"found \[1, T\]\).*--dims x=.*or a value for each symbol: --dim T="),
        ],
    )
    def test_dims_that_nobody_knows(self, declared: Any, message: str) -> None:
        from onnx import helper

        graph = helper.make_graph(
            [helper.make_node("Relu", ["x"], ["y"], "relu")],
            "g",
            [helper.make_tensor_value_info("x", 1, declared)],
            [helper.make_tensor_value_info("y", 1, None)],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        with pytest.raises(OnnxError, match=message):
            study(model)
        assert study(model, {"x": [1, 5]}).graph.inputs[0].dims == (1, 5)
        with pytest.raises(ShapeError, match="input x: dimension 1 is not a size"):
            study(model, {"x": [1, -5]})

    def test_results_have_the_names_of_the_outputs(self, tmp_path: Path) -> None:
        report = study(self._file(tmp_path), run=True)
        graph = load_onnx(tmp_path / "small.onnx")
        names = [value.name for value in graph.annotations["onnx"].outputs]
        assert [label for label, _ in report.result] == [RUN, *names]


class TestOfTheZoo:
    def test_at_another_size(self) -> None:
        assert study("zoo:tiling_model@10").graph.inputs[0].dims == (4, 3, 10, 10)
        report = study("zoo:tiling_model@size=10,batch=2")
        assert report.graph.inputs[0].dims == (2, 3, 10, 10)
        assert report.title == "tiling_model@size=10,batch=2"

    @pytest.mark.parametrize("text", ["@", "@a", "@size=", "@size=b", "@10,", "@size=1,batch=N"])
    def test_what_is_no_option(self, text: str) -> None:
        with pytest.raises(OnnxError, match="not an option of a model"):
            study(f"zoo:tiling_model{text}")

    def test_dims_that_it_was_not_built_for(self) -> None:
        with pytest.raises(OnnxError, match=r"Build it so: zoo:lstm_classifier@sequence=\.\.\. "):
            study("zoo:lstm_classifier", [[7, 1, 4]])


class TestAsAValue:
    def test_plain_data(self) -> None:
        values = json.loads(json.dumps(study(_model(), [[3, 4]], run=True).to_dict()))
        assert values["title"] == "net"
        assert values["plan"] is not None
        bare = json.loads(json.dumps(study(_model()).to_dict()))
        assert bare["plan"] is None

    def test_notes_and_results_are_drawn(self) -> None:
        found = study(_model(), [[3, 4]])
        report = replace(found, notes=("to read",), result=(("answer", "42"),))
        scene = report.scene()
        assert scene.title == "net"
        assert scene.notes[-1] == "to read"
        assert scene.figures[-1] == ("answer", "42")
        assert len(scene.figures) > len(report.result)

    def test_page_of_a_graph_alone(self) -> None:
        report = study(_model())
        page = Report("t", report.graph, None, None).to_html()
        assert page.lstrip().lower().startswith("<!doctype html>")


def test_constants_decide_branches() -> None:
    """An If on an input is decided when the value of the input is given."""
    onnx = pytest.importorskip("onnx")
    helper, kind = onnx.helper, onnx.TensorProto
    branches = {
        name: helper.make_graph(
            [helper.make_node(op, ["x"], [f"{name}_y"])],
            name,
            [],
            [helper.make_tensor_value_info(f"{name}_y", kind.FLOAT, [2])],
        )
        for name, op in (("yes", "Relu"), ("no", "Neg"))
    }
    node = helper.make_node("If", ["c"], ["y"], "choose")
    node.attribute.extend(
        [
            helper.make_attribute("then_branch", branches["yes"]),
            helper.make_attribute("else_branch", branches["no"]),
        ]
    )
    graph = helper.make_graph(
        [node],
        "choice",
        [
            helper.make_tensor_value_info("x", kind.FLOAT, [2]),
            helper.make_tensor_value_info("c", kind.BOOL, []),
        ],
        [helper.make_tensor_value_info("y", kind.FLOAT, [2])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    for value, expected in ((True, "ReLU"), (False, "Neg")):
        types = {node.type for node in study(model, constants={"c": value}).graph.nodes}
        assert expected in types
        assert len(types & {"ReLU", "Neg"}) == 1


@pytest.mark.parametrize("integer", [True, False])
def test_errors_of_layers_beside_a_float_twin(tmp_path: Path, integer: bool) -> None:
    random = np.random.default_rng(0)
    samples = random.standard_normal((16, 1, 32, 32)).astype(np.float32)
    graph = aidge_nb.load_onnx(aidge_nb.zoo.build("lenet"), dims={"data": [1, 1, 32, 32]})
    graph.forward_dims([[1, 1, 32, 32]])
    worse = {}
    for bits in (8, 4):
        found = aidge_nb.quantize(graph, samples, weight_bits=bits)
        aidge_nb.save_onnx(found.graph, tmp_path / f"{bits}.onnx", opset=21)
        report = study(str(tmp_path / f"{bits}.onnx"), float_twin="zoo:lenet", integer=integer)
        worse[bits] = {each.name: each for each in report.errors}
        (label, _), (_, last) = report.scene().figures[-2:]
        assert label == "beside the float twin, least"
        assert last == f"{worse[bits]['fc3'].sqnr:.1f} dB (fc3)"
        assert report.to_dict()["errors"][0]["name"] == report.errors[0].name
    assert {"conv1", "conv2", "fc1", "fc2", "fc3"} <= set(worse[8])
    # Equalized channels are compared after their factors: no layer looks lost.
    assert min(each.sqnr for each in worse[8].values()) > 20
    assert all(worse[8][name].sqnr > each.sqnr + 6 for name, each in worse[4].items())
    assert all(each.worst[1] <= each.sqnr + 1e-6 for each in worse[8].values())


@pytest.mark.parametrize(
    ("twin", "message"),
    [
        ("8.onnx", "is quantized itself"),
        ("zoo:squeezenet", "has other inputs"),
        ("missing.onnx", "missing.onnx"),
    ],
)
def test_twins_that_do_not_fit_are_named(
    twin: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    graph = aidge_nb.load_onnx(aidge_nb.zoo.build("lenet"), dims={"data": [1, 1, 32, 32]})
    graph.forward_dims([[1, 1, 32, 32]])
    samples = np.random.default_rng(0).standard_normal((2, 1, 32, 32)).astype(np.float32)
    aidge_nb.save_onnx(aidge_nb.quantize(graph, samples).graph, "8.onnx", opset=21)
    with pytest.raises((AidgeError, OSError), match=message):
        study("8.onnx", float_twin=twin)
