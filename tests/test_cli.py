"""The command line: every command and every format."""

from __future__ import annotations

import csv
import io
import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from aidge_nb.cli import main
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
