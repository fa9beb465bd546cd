"""The command that opens the tutorials."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from aidge_nb import lab
from aidge_nb.cli import main
from aidge_nb.errors import AidgeError

pytest.importorskip("onnx")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


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
