"""The command line: every command and every format."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import aidge_nb
from aidge_nb.cli import main
from aidge_nb.cli.text import _INSTEAD
from aidge_nb.memory import MemoryPlan
from aidge_nb.onnx_io import OnnxGraph, OnnxModel, OnnxNode, OnnxValue
from aidge_nb.report import study
from aidge_nb.scheduling import SchedulingPolicy, StaticSchedule
from tests.odd_model import write_odd_model

pytest.importorskip("onnx")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def model(tmp_path: Path) -> str:
    """Write a small model to a file, and give its name."""
    from aidge_nb import zoo

    path = tmp_path / "net.onnx"
    path.write_bytes(zoo.build("mlp", batch="N").to_bytes())
    return path.name


def _files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"net.onnx"}


class TestReport:
    def test_writes_a_page(
        self, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["report", model, "-o", "page.html", "--dim", "N=2", "--quiet"]) == 0
        page = (tmp_path / "page.html").read_text(encoding="utf-8")
        assert page.lstrip().lower().startswith("<!doctype html>")
        assert "fc0" in page
        out, err = capsys.readouterr()
        assert out.startswith("Report(net: 5 nodes, 6 steps, peak ")
        lines = out.splitlines()
        assert lines[1] == "page.html"
        assert lines[2].startswith("PEAK: 336 B while fc1 (FC) runs (tick 2): ")
        assert lines[3].startswith("CAN A LAYOUT HELP?: No, peak = lower bound")
        assert "--advice" in lines[-1]
        assert err == ""

    def test_default_name_and_notes(
        self, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["report", model, "-q"]) == 0
        assert _files(tmp_path) == {"net.html"}
        assert (
            "note: input data: size 1 assumed for N (another value: --dim N=...)"
            in capsys.readouterr().err
        )

    def test_models_of_the_zoo(self, tmp_path: Path) -> None:
        assert main(["report", "zoo:lenet", "-q", "--run"]) == 0
        assert _files(tmp_path) == {"lenet.html"}

    def test_errors_beside_a_float_twin(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        samples = np.random.default_rng(0).standard_normal((4, 1, 32, 32)).astype(np.float32)
        np.save("samples.npy", samples)
        made = ["quantize", "zoo:lenet", "--samples", "samples.npy", "-o", "int8.onnx", "-q"]
        assert main(made) == 0
        assert main(["report", "int8.onnx", "--float-twin", "zoo:lenet", "-q"]) == 0
        said = capsys.readouterr().out
        assert re.search(r"dB +worst channel +which +layer\n", said)
        assert re.search(r"\n *[2-5]\d\.\d +-?\d+\.\d +\d+ +conv1\n", said)
        assert "beside the float twin, least" in (tmp_path / "int8.html").read_text("utf-8")

    @pytest.mark.parametrize("more", [[], ["--budget", "60"]])
    def test_quantizing_shows_how_far_it_is(
        self, capsys: pytest.CaptureFixture[str], more: list[str]
    ) -> None:
        samples = np.random.default_rng(0).standard_normal((4, 1, 32, 32)).astype(np.float32)
        np.save("samples.npy", samples)
        made = ["quantize", "zoo:lenet", "--samples", "samples.npy", "-o", "int8.onnx", *more]
        assert main(made) == 0, capsys.readouterr().err

    def test_models_of_the_zoo_at_another_size(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["report", "zoo:tiling_model@size=10,batch=2", "-q"]) == 0
        assert _files(tmp_path) == {"tiling_model-size-10-batch-2.html"}
        peaks = []
        for size in (8, 16):
            assert main(["memory", f"zoo:tiling_model@{size}", "-q"]) == 0
            peaks.append(int(capsys.readouterr().out.split("peak ")[1].split()[0]))
        assert peaks[0] < peaks[1]

    def test_a_run_is_printed(self, capsys: pytest.CaptureFixture[str]) -> None:
        import numpy as np

        import aidge_nb

        assert main(["report", "zoo:mlp", "-q", "--run"]) == 0
        out = capsys.readouterr().out.splitlines()[:5]
        view = aidge_nb.zoo.load("mlp")
        view.set_backend("cpu")
        data = np.random.default_rng(0).standard_normal((1, 784)).astype(np.float32)
        (found,) = aidge_nb.SequentialScheduler(view).forward(data=[data])
        values = found.array[0]
        assert out[-3].startswith("run in NumPy, on random input: ")
        assert ": 1×10 float32, " in out[-2]
        assert out[-2].endswith(f", largest at [0, {values.argmax()}]")
        first = [float(each) for each in out[-1].split()[:-1]]
        np.testing.assert_allclose(first, values[:5], rtol=1e-5)

    def test_a_run_that_fails_is_exit_code_1(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        write_odd_model(tmp_path)
        assert main(["report", "odd.onnx", "-q", "--run"]) == 1
        out, err = capsys.readouterr()
        assert out.endswith("odd.html\n")
        assert err.splitlines()[-1].startswith("aidge-nb: not run: warp (Warp)")
        assert "note: not run" not in err

    def test_a_bar_on_the_standard_error_unless_quiet(
        self, model: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pytest.importorskip("tqdm")
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        assert main(["report", model, "--dim", "N=1"]) == 0
        out, err = capsys.readouterr()
        assert "schedule" in err
        assert "schedule" not in out
        assert main(["report", model, "--dim", "N=1", "--quiet"]) == 0
        assert capsys.readouterr().err == ""

    def test_dims_by_name_or_place(self, model: str) -> None:
        for given in ("4,784", "4x784", "data=4,784", " 4, 784 "):
            assert main(["report", model, "-q", "--dims", given]) == 0


class TestSchedule:
    def test_table(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["schedule", "zoo:mlp", "-q"]) == 0
        lines = capsys.readouterr().out.split("\n")
        assert lines[0].split() == ["early", "late", "critical", "type", "node"]
        assert lines[1].split() == ["1", "1", "*", "FC", "fc0"]
        assert lines[-2] == "StaticSchedule(11 actors, 11 firings, 6 steps)"
        assert main(["schedule", "zoo:mlp", "-q", "--producers"]) == 0
        assert "Producer" in capsys.readouterr().out

    @pytest.mark.parametrize("policy", ["Default", "AsSoonAsPossible", "AsLateAsPossible"])
    def test_policies(self, policy: str) -> None:
        assert main(["schedule", "zoo:mlp", "-q", "--policy", policy]) == 0

    def test_formats(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for suffix in ("mmd", "csv", "json", "svg"):
            assert main(["schedule", "zoo:mlp", "-q", "-o", f"s.{suffix}"]) == 0
            assert capsys.readouterr().out == f"s.{suffix}\n"
        assert (tmp_path / "s.mmd").read_text().startswith("gantt\n")
        assert "Producer" not in (tmp_path / "s.mmd").read_text()
        rows = list(csv.DictReader(io.StringIO((tmp_path / "s.csv").read_text())))
        assert len(rows) == 11
        values = json.loads((tmp_path / "s.json").read_text())
        assert StaticSchedule.from_dict(values).n_steps == 6
        assert ET.fromstring((tmp_path / "s.svg").read_text()).tag.endswith("svg")

    def test_mermaid_options(self, tmp_path: Path) -> None:
        assert main(["schedule", "zoo:mlp", "-q", "-o", "s.MMD", "--producers"]) == 0
        assert "Producer" in (tmp_path / "s.MMD").read_text()
        assert main(["schedule", "zoo:mlp", "-q", "-o", "f.mmd", "--factorized"]) == 0
        assert "section seq#0" in (tmp_path / "f.mmd").read_text()

    def test_without_dims_tokens_are_scheduled(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        import onnx.helper as helper

        graph = helper.make_graph(
            [
                helper.make_node("Relu", ["x"], ["a"], "first"),
                helper.make_node("Neg", ["a"], ["y"], "second"),
            ],
            "g",
            [helper.make_tensor_value_info("x", 1, [1, "T"])],
            [helper.make_tensor_value_info("y", 1, None)],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        (tmp_path / "open.onnx").write_bytes(model.SerializeToString())
        assert main(["schedule", "open.onnx", "-q"]) == 0
        out, err = capsys.readouterr()
        assert [line.split()[-1] for line in out.splitlines()[1:3]] == ["first", "second"]
        assert err.startswith("note: scheduled by tokens, without dimensions: input x: dimension 1")
        assert len(err.splitlines()) == 1
        assert main(["schedule", "open.onnx", "-q", "--dim", "T=3"]) == 0
        assert capsys.readouterr() == (out, "")
        assert main(["memory", "open.onnx", "-q"]) == 2
        assert "dimension 1 (T) unknown" in capsys.readouterr().err


class TestMemory:
    def test_table(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["memory", "zoo:mlp", "-q"]) == 0
        lines = capsys.readouterr().out.split("\n")
        assert lines[0].split() == [
            "offset",
            "bytes",
            "from",
            "until",
            "buffer",
            "in",
            "place",
            "of",
        ]
        assert lines[-2].startswith("peak ")

    def test_formats(self, tmp_path: Path) -> None:
        for suffix in ("csv", "json", "svg"):
            assert main(["memory", "zoo:mlp", "-q", "-o", f"m.{suffix}"]) == 0
        plan = MemoryPlan.from_dict(json.loads((tmp_path / "m.json").read_text()))
        rows = list(csv.reader(io.StringIO((tmp_path / "m.csv").read_text())))
        assert len(rows) == 1 + len(plan.buffers)
        assert ET.fromstring((tmp_path / "m.svg").read_text()).tag.endswith("svg")


class TestHelp:
    def test_without_a_command_all_are_listed(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert all(f"    {word} " in said.err for word in ("report", "plan", "export", "lab"))

    @pytest.mark.parametrize("command", [[], ["report"], ["schedule"], ["memory"], ["lab"]])
    def test_help(self, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        assert main([*command, "--help"]) == 0
        out, err = capsys.readouterr()
        assert out.startswith("usage: aidge-nb")
        assert err == ""

    def test_version(self, capsys: pytest.CaptureFixture[str]) -> None:
        from aidge_nb import __version__

        assert main(["--version"]) == 0
        assert capsys.readouterr().out == f"aidge-nb {__version__}\n"


def test_memory_tells_what_lies_in_place_of_what(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "zoo:lenet", "-q"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("  in place of")
    place = lines[0].index("in place of")
    found = {line[lines[0].index("buffer") : place].strip(): line[place:] for line in lines[1:-1]}
    plan = study("zoo:lenet").plan
    assert plan is not None
    assert found == {each.name: ", ".join(each.shares_with) for each in plan.buffers}
    assert any(found.values())


def test_memory_of_nothing_is_noted(capsys: pytest.CaptureFixture[str]) -> None:
    values = {name: OnnxValue(name, "float32", (0, 4)) for name in "xy"}
    nodes = (OnnxNode("Relu", ("x",), ("y",), "first", ""),)
    graph = OnnxGraph("g", nodes, {}, (values["x"],), (values["y"],), {})
    OnnxModel(graph, {"": 17}).save("none.onnx")
    assert main(["memory", "none.onnx", "-q"]) == 0
    assert (
        "note: first: takes no bytes, because one of its dimensions is 0" in capsys.readouterr().err
    )


def test_memory_is_drawn_as_pixels_too(tmp_path: Path) -> None:
    assert main(["memory", "zoo:lenet", "-q", "-o", str(tmp_path / "plan.png")]) == 0
    assert (tmp_path / "plan.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("policy", [policy.name for policy in SchedulingPolicy])
def test_every_policy_can_be_chosen(policy: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "zoo:inception_like", "-q", "--policy", policy]) == 0
    plan = study("zoo:inception_like", policy=SchedulingPolicy[policy]).plan
    assert plan is not None
    assert f"peak {plan.peak} bytes" in capsys.readouterr().out


def write_model(node: str, dims: tuple[int, ...] | None = None) -> str:
    """Write a model of one such node and an Identity, with or without its dimensions inside."""
    domain = "my" if node == "Odd" else ""
    nodes = (
        OnnxNode(node, ("x",), ("y",), "first", domain),
        OnnxNode("Identity", ("y",), ("z",), "last"),
    )
    values = {} if dims is None else {"y": OnnxValue("y", "float32", dims)}
    inputs, outputs = (OnnxValue("x", "float32", (1, 4)),), (OnnxValue("z"),)
    graph = OnnxGraph("g", nodes, {}, inputs, outputs, values)
    OnnxModel(graph, {"": 17, "my": 1}).save("odd.onnx")
    return "odd.onnx"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("node", "command", "advice"),
    [
        ("Odd", ["memory"], "graph.value_info"),
        ("Odd", ["report", "--run"], "leave out --run"),
        ("NonZero", ["memory"], "--constant NAME=VALUE"),
    ],
)
def test_advice_can_be_followed_on_a_command_line(
    node: str, command: list[str], advice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, write_model(node), "-q"]) in (1, 2)
    err = capsys.readouterr().err
    assert advice in err
    for python in ("set_forward_dims", "allow_data_dependency", "constant_folding("):
        assert python not in err
    assert ".;" not in err


@pytest.mark.filterwarnings("ignore")
def test_dimensions_in_the_file_are_enough(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", write_model("Odd", (1, 4)), "-q"]) == 0
    assert "peak " in capsys.readouterr().out


def test_every_replaced_advice_is_given_somewhere() -> None:
    root = Path(aidge_nb.__file__).parent
    sources = [path for path in root.rglob("*.py") if path.name != "cli_text.py"]
    given = "".join(
        value.value
        for path in sources
        if "cure=" in (text := path.read_text(encoding="utf-8"))
        for value in ast.walk(ast.parse(text))
        if isinstance(value, ast.Constant) and isinstance(value.value, str)
    )
    for advice in _INSTEAD:
        assert advice in given
