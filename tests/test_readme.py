"""The README's first screen holds two commands, and the tests run the second one as it stands."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from aidge_nb import zoo

ROOT = Path(__file__).resolve().parent.parent
FIRST_SCREEN = 45  # lines

INSTALL_AND_RUN = (
    'python3 -m venv .venv && .venv/bin/python -m pip install ".[all]" && .venv/bin/aidge-nb lab'
)
TEST = "python3 .ci/test.py"


def blocks(language: str) -> list[tuple[int, str]]:
    """Return (line number, text) of each fenced block of a language."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    fence = rf"^```{language}\n(.*?)^```$"
    return [
        (text.count("\n", 0, found.start()) + 1, found[1].strip())
        for found in re.finditer(fence, text, flags=re.MULTILINE | re.DOTALL)
    ]


def test_the_first_two_blocks_are_the_two_commands() -> None:
    first, second = blocks("sh")[:2]
    assert (first[1], second[1]) == (INSTALL_AND_RUN, TEST)
    assert second[0] <= FIRST_SCREEN


def test_ci_runs_the_test_command() -> None:
    run = ROOT / ".ci" / "run"
    assert TEST in run.read_text(encoding="utf-8")
    assert os.access(run, os.X_OK), ".ci/run has lost its run bit"


def test_the_python_blocks_run_one_after_the_other(tmp_path: Path) -> None:
    """Whoever copies them into one session gets no error and no warning."""
    zoo.mobilenet_v2(width=0.35).save(tmp_path / "model.onnx")
    shutil.copy(ROOT / "tests/tflite_io/recorded/image.tflite", tmp_path / "model.tflite")
    code = "\n".join(text for _, text in blocks("python"))
    assert "run_in_arena" in code
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    peak, bound = re.findall(r"^(\d+) (\d+)$", done.stdout, re.MULTILINE)[0]
    assert int(peak) == int(bound) > 0
    assert "is on the critical path" in done.stdout
    assert "fits 5000000 bytes" in done.stdout


def test_the_first_screen_plans_a_tflite_file_in_two_lines(tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests/tflite_io/recorded/image.tflite", tmp_path / "model.tflite")
    place, text = blocks("python")[0]
    lines = [line for line in text.splitlines() if line and "import" not in line]
    assert place <= FIRST_SCREEN
    assert lines[0].startswith('graph = aidge_nb.load_tflite("model.tflite")')
    code = "\n".join(["import aidge_nb", *lines[:2]])
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "peak" in done.stdout


def test_links_lead_somewhere() -> None:
    for document in (
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "benchmarks/README.md",
    ):
        path = ROOT / document
        for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (path.parent / target).exists(), f"{document} links to {target}: not there"
