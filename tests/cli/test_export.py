"""The command ``aidge-nb export``."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from aidge_nb.cli import main


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_model_becomes_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "zoo:mlp", "-o", "mlp"]) == 0
    manifest = json.loads((tmp_path / "mlp" / "manifest.json").read_text())
    printed = capsys.readouterr().out
    assert f"activations {manifest['bytes']['arena']} bytes" in printed
    assert f"parameters {manifest['bytes']['parameters']} bytes" in printed


def test_it_builds_and_runs(
    need_tools: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    need_tools("make")
    assert main(["export", "zoo:mlp", "-o", "mlp", "--build", "--run"]) == 0
    printed = capsys.readouterr().out
    assert "build/host" in printed
    assert "all bits equal" in printed


def test_it_runs_on_a_board(
    need_tools: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    need_tools("make", "arm-none-eabi-gcc", "qemu-system-arm")
    assert main(["export", "zoo:mlp", "-o", "mlp", "--target", "cortex-m4", "--run"]) == 0
    assert "BoardRun(mps2-an386: all bits equal" in capsys.readouterr().out


def test_the_size_of_a_model_of_the_zoo(tmp_path: Path) -> None:
    assert main(["export", "zoo:inception_like", "--size", "16", "-o", "net"]) == 0
    manifest = json.loads((tmp_path / "net" / "manifest.json").read_text())
    assert manifest["inputs"][0]["dims"] == [1, 3, 16, 16]


def test_memories_become_arenas(tmp_path: Path) -> None:
    words = ["--memory", "l1=1KiB", "--memory", "l2=64KiB"]
    assert main(["export", "zoo:lenet", "-o", "net", *words]) == 0
    manifest = json.loads((tmp_path / "net" / "manifest.json").read_text())
    assert [arena["memory"] for arena in manifest["arenas"]] == ["l1", "l2"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["zoo:mlp", "-o", "there"], "there: is there and was not made by an export"),
        (["zoo:mlp", "-o", "new", "--target", "z80"], "target: is unknown (expected host"),
        (["net.onnx", "-o", "new", "--size", "3"], "--size 3: applies to built-in models only"),
        (["zoo:mlp", "-o", "new", "--memory", "l1"], "--memory l1: not a memory"),
        (["zoo:mlp", "-o", "new", "--memory", "l1=64"], "--memory l1"),
        (["zoo:lenet", "-o", "new", "--memory", "l1=1KiB"], "activations do not fit"),
    ],
)
def test_bad_input_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine.txt").write_text("mine")
    assert main(["export", *words]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_bits_that_differ_are_an_exit_code(
    need_tools: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    need_tools("make")
    from aidge_nb.export import RunResult, package

    def other(outputs: Sequence[Any], expected: Sequence[Any]) -> RunResult:
        return RunResult(tuple(outputs), tuple(expected), 3)

    monkeypatch.setattr(package, "compare", other)
    assert main(["export", "zoo:mlp", "-o", "mlp", "--run"]) == 1
    captured = capsys.readouterr()
    assert "3 bits differ" in captured.out
    assert "the bits differ from the exact NumPy runtime" in captured.err
