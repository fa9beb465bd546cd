"""The command that opens the tutorials."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aidge_nb import cli
from aidge_nb.cli import lab, main
from aidge_nb.core.errors import AidgeError
from aidge_nb.course import recorded

pytest.importorskip("onnx")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path.parent / "jupyter"))  # signatures


def _files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


class TestLab:
    @pytest.fixture(autouse=True)
    def _never_really(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Starting JupyterLab replaces the process that does it, which would be pytest."""
        monkeypatch.setattr(lab, "start", lambda command: pytest.fail(f"started {command}"))

    def test_list_says_where_and_makes_nothing(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        source = _tutorials(tmp_path / "wheel")
        monkeypatch.setattr(recorded, "tutorial_sources", lambda: source)
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

    @pytest.mark.parametrize("name", ["mine.ipynb", "notes.txt"])
    def test_a_notebook_or_another_file_is_no_folder(
        self, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "notes.txt").touch()
        assert main(["lab", name]) == 2
        said = capsys.readouterr().err
        assert f"lab {name}: is a file (expected a folder" in said
        assert "jupyter lab NOTEBOOK" in said
        assert _files(tmp_path) == {"notes.txt"}

    def test_a_checkout_is_used_as_it_is(self, tmp_path: Path) -> None:
        _tutorials(tmp_path / "notebooks")
        (tmp_path / "pyproject.toml").touch()
        assert lab.find_tutorials() == Path("notebooks")
        assert not (tmp_path / "aidge_nb_tutorials").exists()

    def test_tutorials_that_are_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(recorded, "FIRST", "none.ipynb")
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
        monkeypatch.setattr(lab, "start", call)
        assert main(["lab", "mine", "--no-browser", "--port", "8899"]) == 0
        (command,) = called
        assert command[:3] == [sys.executable, "-m", "jupyterlab"]
        assert any("NeverCheckForUpdate" in word for word in command)
        assert {"--no-browser", "--port=8899", f"--ServerApp.root_dir={tmp_path / 'mine'}"} <= set(
            command
        )

    def test_when_jupyterlab_fails_or_is_missing(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(lab, "tutorial_sources", lambda: _tutorials(tmp_path / "wheel"))
        monkeypatch.setattr(lab, "find_spec", lambda name: object())
        monkeypatch.setattr(lab, "start", lambda command: 3)
        assert main(["lab", "mine"]) == 2
        assert "JupyterLab ended with exit code 3" in capsys.readouterr().err
        monkeypatch.setattr(lab, "find_spec", lambda name: None)
        assert main(["lab", "mine"]) == 2
        assert 'run  pip install "aidge_nb[lab]"' in capsys.readouterr().err

    @pytest.mark.parametrize("port", ["99999999", "65536", "-1", "web", "²"])
    def test_ports_that_are_none(self, port: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["lab", f"--port={port}"]) == 2
        assert f"{port}: not a port (expected 0 to 65535)" in capsys.readouterr().err


FAKE = """
import os, pathlib, sys, time
pathlib.Path("started").write_text(str(os.getpid()))
if "--fail" in os.environ.get("FAKE", ""):
    sys.exit(7)
time.sleep(60)
"""


@pytest.mark.skipif(os.name != "posix", reason="elsewhere there are no such signals")
class TestAsAProcess:
    """The real command, with a JupyterLab that only waits."""

    def _start(self, folder: Path, **variables: str) -> subprocess.Popen[str]:
        (folder / "jupyterlab").mkdir()
        (folder / "jupyterlab" / "__init__.py").touch()
        (folder / "jupyterlab" / "__main__.py").write_text(FAKE)
        path = os.pathsep.join(
            [str(folder), str(Path(cli.__file__).resolve().parent.parent.parent)]
        )
        return subprocess.Popen(
            [sys.executable, "-m", "aidge_nb", "lab", "mine", "--no-browser"],
            env={**os.environ, "PYTHONPATH": path, **variables},
            stderr=subprocess.PIPE,
            text=True,
        )

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
    def test_whoever_stops_the_command_stops_jupyterlab(self, tmp_path: Path, number: int) -> None:
        command = self._start(tmp_path)
        try:
            server = _wait_for(tmp_path / "started", command)
            command.send_signal(number)
            command.communicate(timeout=30)
            assert command.returncode != 0
            assert not _runs(server)
        finally:
            command.kill()

    def test_its_exit_code_is_that_of_jupyterlab(self, tmp_path: Path) -> None:
        command = self._start(tmp_path, FAKE="--fail")
        command.communicate(timeout=60)
        assert command.returncode == 7


def _wait_for(file: Path, command: subprocess.Popen[str]) -> int:
    """Give the process id in a file, once it is there."""
    for _ in range(600):
        if file.exists() and file.read_text():
            return int(file.read_text())
        if command.poll() is not None:
            break
        time.sleep(0.05)
    pytest.fail(f"JupyterLab was not started: {command.communicate()[1]}")


def _runs(process: int) -> bool:
    """Whether a process is there, for a while: one that was told to end may take a moment."""
    for _ in range(100):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.05)
    os.kill(process, signal.SIGKILL)
    return True


def _tutorials(folder: Path) -> Path:
    (folder / "data").mkdir(parents=True, exist_ok=True)
    (folder / "data" / "x.txt").write_text("x")
    empty = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "01_scheduling.ipynb").write_text(json.dumps(empty))
    return folder
