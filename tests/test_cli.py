"""The command line: every command, format and exit code, and what bad input leaves behind."""

from __future__ import annotations

import csv
import io
import json
import logging
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from aidge_nb import cli, lab, report
from aidge_nb.cli import main
from aidge_nb.errors import AidgeError
from aidge_nb.log import logger
from aidge_nb.memory import MemoryPlan
from aidge_nb.scheduling import StaticSchedule

pytest.importorskip("onnx")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def model(tmp_path: Path) -> str:
    """Write a small model to a file, and give its name."""
    from aidge_nb import zoo
    from aidge_nb.onnx_io.encode import serialized

    path = tmp_path / "net.onnx"
    path.write_bytes(serialized(zoo.build("mlp", batch="N")))
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
        assert out.endswith("page.html\n")
        assert err == ""

    def test_default_name_and_notes(
        self, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["report", model, "-q"]) == 0
        assert _files(tmp_path) == {"net.html"}
        assert "note: input data: batch size 1 assumed for N" in capsys.readouterr().err

    def test_models_of_the_zoo(self, tmp_path: Path) -> None:
        assert main(["report", "zoo:lenet", "-q", "--run"]) == 0
        assert _files(tmp_path) == {"lenet.html"}

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


class TestMemory:
    def test_table(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["memory", "zoo:mlp", "-q"]) == 0
        lines = capsys.readouterr().out.split("\n")
        assert lines[0].split() == ["offset", "bytes", "from", "until", "buffer"]
        assert lines[-2].startswith("peak ")

    def test_formats(self, tmp_path: Path) -> None:
        for suffix in ("csv", "json", "svg"):
            assert main(["memory", "zoo:mlp", "-q", "-o", f"m.{suffix}"]) == 0
        plan = MemoryPlan.from_dict(json.loads((tmp_path / "m.json").read_text()))
        rows = list(csv.reader(io.StringIO((tmp_path / "m.csv").read_text())))
        assert len(rows) == 1 + len(plan.buffers)
        assert ET.fromstring((tmp_path / "m.svg").read_text()).tag.endswith("svg")


class TestLab:
    def test_list_says_where_and_makes_nothing(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        source = _tutorials(tmp_path / "wheel")
        monkeypatch.setattr(lab, "tutorial_sources", lambda: source)
        assert main(["lab", "--list"]) == 0
        assert capsys.readouterr().out == f"{source}\n"
        assert _files(tmp_path) == {"wheel"}

    def test_tutorials_are_copied(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(lab, "tutorial_sources", lambda: _tutorials(tmp_path / "wheel"))
        assert lab.find_tutorials("mine") == Path("mine")
        assert (tmp_path / "mine" / "01_scheduling.ipynb").is_file()
        assert (tmp_path / "mine" / "data" / "x.txt").is_file()

    def test_copies_leave_what_is_there(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(lab, "tutorial_sources", lambda: _tutorials(tmp_path / "wheel"))
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "01_scheduling.ipynb").write_text("my answers")
        assert lab.find_tutorials("mine") == Path("mine")
        assert (tmp_path / "mine" / "01_scheduling.ipynb").read_text() == "my answers"

    def test_a_checkout_is_used_as_it_is(self, tmp_path: Path) -> None:
        _tutorials(tmp_path / "notebooks")
        (tmp_path / "pyproject.toml").touch()
        assert lab.find_tutorials() == Path("notebooks")
        assert not (tmp_path / "aidge_nb_tutorials").exists()

    def test_tutorials_that_are_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(lab, "FIRST", "none.ipynb")
        with pytest.raises(AidgeError, match="the tutorials are missing, please install aidge_nb"):
            lab.find_tutorials("mine")
        assert not Path("mine").exists()

    def test_starts_jupyterlab(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        called: list[list[str]] = []

        def call(command: list[str]) -> int:
            called.append(command)
            return 0

        monkeypatch.setattr(lab, "tutorial_sources", lambda: _tutorials(tmp_path / "wheel"))
        monkeypatch.setattr(lab, "find_spec", lambda name: object())
        monkeypatch.setattr(subprocess, "call", call)
        assert main(["lab", "mine", "--no-browser", "--port", "8899"]) == 0
        (command,) = called
        assert command[:3] == [sys.executable, "-m", "jupyterlab"]
        assert {"--no-browser", "--port=8899", f"--ServerApp.root_dir={tmp_path / 'mine'}"} <= set(
            command
        )

    def test_when_jupyterlab_fails_or_is_missing(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(lab, "tutorial_sources", lambda: _tutorials(tmp_path / "wheel"))
        monkeypatch.setattr(lab, "find_spec", lambda name: object())
        monkeypatch.setattr(subprocess, "call", lambda command: 3)
        assert main(["lab", "mine"]) == 2
        assert "JupyterLab ended with exit code 3" in capsys.readouterr().err
        monkeypatch.setattr(lab, "find_spec", lambda name: None)
        assert main(["lab", "mine"]) == 2
        assert 'run  pip install "aidge_nb[lab]"' in capsys.readouterr().err


def _tutorials(folder: Path) -> Path:
    (folder / "data").mkdir(parents=True, exist_ok=True)
    (folder / "data" / "x.txt").write_text("x")
    (folder / "01_scheduling.ipynb").write_text("{}")
    return folder


class TestHelp:
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


BAD = [
    ([], "required: COMMAND"),
    (["fly"], "invalid choice: 'fly'"),
    (["report"], "required: MODEL"),
    (["report", "zoo:mlp", "--colour"], "unrecognized arguments: --colour"),
    (["schedule", "zoo:mlp", "--policy", "Random"], "invalid choice: 'Random'"),
    (["report", "none.onnx"], "none.onnx: "),
    (["report", "zoo:none"], "there is no such model"),
    (["report", "text.onnx"], "text.onnx"),
    (["report", "cut.onnx"], "cut.onnx"),
    (["report", "empty.onnx"], "empty.onnx"),
    (["report", "."], ".: "),
    (["report", "zoo:mlp", "-o", "none/page.html"], "none/page.html: there is no folder none"),
    (["report", "zoo:mlp", "-o", "folder"], "folder: is a folder"),
    (["schedule", "zoo:mlp", "-o", "s.xyz"], "s.xyz: unknown format '.xyz' (expected .mmd, .csv"),
    (["memory", "zoo:mlp", "-o", "m.mmd"], "m.mmd: unknown format '.mmd' (expected .csv, .json"),
    (["memory", "zoo:mlp", "-o", "m"], "m: unknown format ''"),
    (["report", "zoo:mlp", "--dims", "1,nan"], "--dims 1,nan: not dimensions (expected whole"),
    (["report", "zoo:mlp", "--dims", "1,2.5"], "--dims 1,2.5: not dimensions"),
    (["report", "zoo:mlp", "--dims", "data="], "dimensions contradict"),
    (["report", "zoo:mlp", "--dims=-1,784"], "input data: dimension 0 is not a size"),
    (["report", "zoo:mlp", "--dims", "1,783"], "(expected [1, 784], found [1, 783])"),
    (["report", "zoo:mlp", "--dims", "other=1"], "the model has no such input (expected ['data']"),
    (["report", "zoo:mlp", "--dims", "1,784", "--dims", "1"], "the model has no such input"),
    (["report", "zoo:mlp", "--dim", "M=1"], "the model has no such symbolic dimension"),
    (["report", "zoo:mlp", "--dim", "N"], "--dim N: not a symbolic dimension (expected, say, N=1)"),
    (["report", "zoo:mlp", "--dim", "=1"], "--dim =1: not a symbolic dimension"),
    (["report", "zoo:mlp", "--dim", "N=-1"], "--dim N=-1: not a symbolic dimension"),
    (["report", "zoo:mlp", "--dim", "N=²"], "--dim N=²: not a symbolic dimension"),
    (["report", "zoo:mlp", "--dim", "N=nan"], "--dim N=nan: not a symbolic dimension"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(a) or "-" for a, _ in BAD])
def test_bad_input(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from aidge_nb import zoo
    from aidge_nb.onnx_io.encode import serialized

    whole = serialized(zoo.build("mlp"))
    (tmp_path / "text.onnx").write_text("this is no model\n")
    (tmp_path / "cut.onnx").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "empty.onnx").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    before = _files(tmp_path)
    assert main([*arguments, "-q"] if len(arguments) > 1 else arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert "Traceback" not in err
    assert _files(tmp_path) == before


class TestFailures:
    def test_debug_shows_where(self) -> None:
        with pytest.raises(AidgeError, match=r"none\.onnx"):
            main(["report", "none.onnx", "-q", "--debug"])

    def test_a_defect_is_exit_code_1(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def fail(*arguments: Any, **options: Any) -> None:
            raise ZeroDivisionError("inside")

        monkeypatch.setattr(report, "study", fail)
        assert main(["report", "zoo:mlp", "-q"]) == 1
        err = capsys.readouterr().err
        assert "this is a defect, please report it: ZeroDivisionError: inside" in err
        assert "--debug" in err
        with pytest.raises(ZeroDivisionError):
            main(["report", "zoo:mlp", "-q", "--debug"])

    def test_interrupted(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def stop(*arguments: Any, **options: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(report, "study", stop)
        assert main(["memory", "zoo:mlp", "-q"]) == 130
        assert capsys.readouterr().err == "interrupted\n"

    def test_an_old_page_stays_when_the_new_one_fails(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        def fail(*arguments: Any) -> str:
            raise AidgeError("cannot be drawn")

        (tmp_path / "page.html").write_text("old")
        monkeypatch.setattr(report.Report, "to_html", fail)
        assert main(["report", "zoo:mlp", "-q", "-o", "page.html"]) == 2
        assert _files(tmp_path) == {"page.html"}
        assert (tmp_path / "page.html").read_text() == "old"

    def test_system_errors_name_the_file(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def fail(*arguments: Any, **options: Any) -> None:
            raise PermissionError(13, "Permission denied", "page.html")

        monkeypatch.setattr(cli, "write_atomically", fail)
        assert main(["report", "zoo:mlp", "-q"]) == 2
        assert capsys.readouterr().err == "aidge-nb: page.html: Permission denied\n"

    def test_what_cannot_be_scheduled(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        import onnx.helper as helper

        graph = helper.make_graph(
            [helper.make_node("Warp", ["x"], ["y"], "warp", domain="my.own")],
            "g",
            [helper.make_tensor_value_info("x", 1, [1, 4])],
            [helper.make_tensor_value_info("y", 1, None)],
        )
        imports = [helper.make_opsetid("", 17), helper.make_opsetid("my.own", 1)]
        path = tmp_path / "odd.onnx"
        path.write_bytes(helper.make_model(graph, opset_imports=imports).SerializeToString())
        assert main(["memory", "odd.onnx", "-q"]) == 2
        assert "warp" in capsys.readouterr().err
        assert main(["report", "odd.onnx", "-q"]) == 0
        assert "without declaration" in capsys.readouterr().err

    def test_messages_are_shown_again_afterwards(self) -> None:
        before = logger.level
        main(["schedule", "none.onnx", "-q"])
        assert logger.level == before
        assert logger.isEnabledFor(logging.WARNING)


class TestAsAProcess:
    def _run(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        folder = Path(cli.__file__).resolve().parent.parent
        return subprocess.run(
            [sys.executable, "-m", "aidge_nb", *arguments],
            capture_output="stdout" not in options,
            text=True,
            env={**os.environ, "PYTHONPATH": str(folder)},
            **options,
        )

    def test_exit_code(self) -> None:
        done = self._run("schedule", "none.onnx", "-q")
        assert done.returncode == 2
        assert done.stderr.startswith("aidge-nb: none.onnx: ")
        assert self._run("--version").returncode == 0

    def test_a_reader_that_leaves(self) -> None:
        reader, writer = os.pipe()
        os.close(reader)
        try:
            done = self._run("schedule", "zoo:mlp", "-q", stdout=writer, stderr=subprocess.PIPE)
        finally:
            os.close(writer)
        assert (done.returncode, done.stderr) == (0, "")


def test_warnings_are_notes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nodes of one name are renamed; the command says so in a line, without a source file."""
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    graph = helper.make_graph(
        [
            helper.make_node(op, [x], [y], "same")
            for op, x, y in (("Relu", "x", "a"), ("Neg", "a", "y"))
        ],
        "g",
        [helper.make_tensor_value_info("x", 1, [2])],
        [helper.make_tensor_value_info("y", 1, [2])],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), "twice.onnx")
    assert main(["schedule", "twice.onnx", "-q"]) == 0
    notes = capsys.readouterr().err.splitlines()
    assert len(notes) == 1
    assert notes[0].startswith("note: twice.onnx: several nodes have the same name; renamed same")
