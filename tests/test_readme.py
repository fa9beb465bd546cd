"""The README's first screen holds two commands, and the tests run the second one as it stands."""

from __future__ import annotations

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIRST_SCREEN = 45  # lines

INSTALL_AND_RUN = (
    'python3 -m venv .venv && .venv/bin/python -m pip install ".[all]" && .venv/bin/aidge-nb lab'
)
TEST = "python3 .ci/test.py"


def shell_blocks() -> list[tuple[int, str]]:
    """Return (line number, text) of each fenced ``sh`` block."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, found.start()) + 1, found[1].strip())
        for found in re.finditer(r"^```sh\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    ]


def test_the_first_two_blocks_are_the_two_commands() -> None:
    first, second = shell_blocks()[:2]
    assert (first[1], second[1]) == (INSTALL_AND_RUN, TEST)
    assert second[0] <= FIRST_SCREEN


def test_ci_runs_the_test_command() -> None:
    run = ROOT / ".ci" / "run"
    assert TEST in run.read_text(encoding="utf-8")
    assert os.access(run, os.X_OK), ".ci/run has lost its run bit"


def test_links_lead_somewhere() -> None:
    for document in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md"):
        path = ROOT / document
        for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (path.parent / target).exists(), f"{document} links to {target}: not there"
