"""The command line: exit codes, and what bad input leaves behind."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from aidge_nb import cli, report
from aidge_nb.cli import main
from aidge_nb.core.errors import AidgeError
from aidge_nb.core.log import logger
from tests.odd_model import write_odd_model

pytest.importorskip("onnx")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


BAD = [
    ([], "lab       Open the tutorials in JupyterLab."),
    (["fly"], "invalid choice: 'fly'"),
    (["report"], "required: MODEL"),
    (["report", "zoo:mlp", "--colour"], "unrecognized arguments: --colour"),
    (["schedule", "zoo:mlp", "--policy", "Random"], "invalid choice: 'Random'"),
    (["report", "none.onnx"], "none.onnx: "),
    (["report", "zoo:none"], "unknown model"),
    (["report", "text.onnx"], "text.onnx"),
    (["report", "cut.onnx"], "cut.onnx"),
    (["report", "empty.onnx"], "empty.onnx"),
    (["report", "."], ".: "),
    (["report", "zoo:mlp", "-o", "none/page.html"], "the folder none does not exist"),
    (["report", "zoo:mlp", "-o", "folder"], "folder: is a folder"),
    (["schedule", "zoo:mlp", "-o", "s.xyz"], "s.xyz: unknown format '.xyz' (expected .mmd, .csv"),
    (["memory", "zoo:mlp", "-o", "m.mmd"], "m.mmd: unknown format '.mmd' (expected .csv, .json"),
    (["memory", "zoo:mlp", "-o", "m"], "m: unknown format ''"),
    (["report", "zoo:mlp", "-o", "x.pdf"], "x.pdf: unknown format '.pdf' (expected .html, .htm)"),
    (["report", "none.onnx", "-o", "x"], "x: unknown format '' (expected .html, .htm)"),
    (["schedule", "zoo:mlp", "--factorized"], "--factorized: applies to Mermaid diagrams only"),
    (["schedule", "zoo:mlp", "--factorized", "-o", "s.csv"], "(expected -o FILE.mmd)"),
    (["memory", "zoo:mlp", "--dim", "N=0"], "--dim N=0: a dimension cannot be 0 (expected 1 or"),
    (["report", "zoo:mlp@96"], "unknown option (expected inputs, batch"),
    (["report", "zoo:mlp@big"], "zoo:mlp@big: not an option of a model (expected say zoo:mlp@96"),
    (
        ["report", "zoo:resnet18", "--dims", "1,3,96,96"],
        "Build it so: zoo:resnet18@96 (options: size",
    ),
    (
        ["report", "zoo:mlp", "--dims", "data=1,784", "--dims", "data=1,784"],
        "--dims data: given twice (expected once for an input)",
    ),
    (
        ["report", "zoo:mlp", "--dims", "1,784", "--dims", "data=1,784"],
        "input data: has dimensions twice: by name and by place",
    ),
    (["report", "zoo:mlp", "--dim", "N=1", "--dim", "N=2"], "--dim N: given twice"),
    (["report", "zoo:mlp", "--constant", "a=1", "--constant", "a=1"], "--constant a: given twice"),
    (["report", "zoo:mlp", "--dims", "1,nan"], "--dims 1,nan: not dimensions (expected whole"),
    (["report", "zoo:mlp", "--dims", "1,2.5"], "--dims 1,2.5: not dimensions"),
    (["report", "zoo:mlp", "--dims", "data="], "dimensions contradict"),
    (["report", "zoo:mlp", "--dims=-1,784"], "input data: dimension 0 is not a size"),
    (
        ["report", "zoo:mlp", "--dims", "1,783"],
        "found [1, 783]). Build it so: zoo:mlp@inputs=... (options: inputs, batch",
    ),
    (["report", "zoo:mlp", "--dims", "other=1"], "the model has no such input (expected ['data']"),
    (["report", "zoo:mlp", "--dims", "1,784", "--dims", "1"], "found dimensions of input#1"),
    (["report", "zoo:mlp", "--dim", "M=1"], "the model has no such symbolic dimension"),
    (["report", "zoo:mlp", "--dim", "N"], "--dim N: not a symbolic dimension (expected something"),
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

    whole = zoo.build("mlp").to_bytes()
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
        assert "internal error, please report it: ZeroDivisionError: inside" in err
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

    def test_interrupted_while_arguments_are_read(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def stop(*arguments: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("aidge_nb.cli.command.make_parser", stop)
        assert main(["memory", "zoo:mlp"]) == 130
        assert capsys.readouterr().err == "interrupted\n"

    def test_interrupted_while_an_error_is_written(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def stop(error: Exception) -> str:
            raise KeyboardInterrupt

        monkeypatch.setattr("aidge_nb.cli.command._message", stop)
        assert main(["memory", "none.onnx", "-q"]) == 130
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

        monkeypatch.setattr("aidge_nb.cli.command.write_atomically", fail)
        assert main(["report", "zoo:mlp", "-q"]) == 2
        assert capsys.readouterr().err == "aidge-nb: page.html: Permission denied\n"

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
    @pytest.mark.parametrize("command", ["report", "schedule", "memory"])
    def test_a_full_disk_names_the_file(
        self, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        name = "page.html" if command == "report" else "page.svg"
        (tmp_path / name).symlink_to("/dev/full")
        assert main([command, "zoo:mlp", "-q", "-o", name]) == 2
        assert capsys.readouterr().err == f"aidge-nb: {name}: No space left on device\n"

    def test_what_cannot_be_scheduled(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        write_odd_model(tmp_path)
        assert main(["memory", "odd.onnx", "-q"]) == 2
        assert "warp" in capsys.readouterr().err
        assert main(["report", "odd.onnx", "-q"]) == 0
        assert "without kernel" in capsys.readouterr().err

    def test_messages_are_shown_again_afterwards(self) -> None:
        before = logger.level
        main(["schedule", "none.onnx", "-q"])
        assert logger.level == before
        assert logger.isEnabledFor(logging.WARNING)


class TestAsAProcess:
    def _run(self, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        folder = Path(cli.__file__).resolve().parent.parent.parent
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

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
    def test_a_terminal_that_takes_nothing(self) -> None:
        with Path("/dev/full").open("w") as full:
            done = self._run("schedule", "zoo:mlp", "-q", stdout=full, stderr=subprocess.PIPE)
        assert done.returncode == 2
        assert done.stderr == "aidge-nb: standard output: No space left on device\n"

    @pytest.mark.parametrize("command", [["-m", "aidge_nb"], ["aidge-nb"]])
    def test_interrupted_while_it_is_imported(self, command: list[str], tmp_path: Path) -> None:
        """NumPy is imported first of all; here it is a module that interrupts its process."""
        (tmp_path / "numpy.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
        (tmp_path / "aidge-nb").write_text("from aidge_nb.cli import main\nmain()\n")
        folder = Path(cli.__file__).resolve().parent.parent.parent
        path = os.pathsep.join([str(tmp_path), str(folder)])
        done = subprocess.run(
            [sys.executable, *command, "schedule", "zoo:mlp"],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert (done.returncode, done.stdout, done.stderr) == (130, "", "")

    def test_a_program_that_imports_the_package_is_interrupted_as_ever(self) -> None:
        program = "import aidge_nb, signal; signal.raise_signal(signal.SIGINT)"
        folder = Path(cli.__file__).resolve().parent.parent.parent
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(folder)},
        )
        assert "KeyboardInterrupt" in done.stderr

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
