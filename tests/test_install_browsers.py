"""The script that finds browsers names what is there, and says what is missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent / ".ci" / "install_browsers"
KINDS = {"firefox", "webkit", "webkit-driver", "xvfb"}


def find(**variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), "--find"],
        capture_output=True,
        text=True,
        env={**os.environ, **variables},
    )


def test_what_is_missing_is_named_with_its_package(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nothing")
    ran = find(PATH=str(tmp_path), FIREFOX=nowhere, MINIBROWSER=nowhere)
    assert ran.returncode == 1
    assert json.loads(ran.stdout) == {}
    for package in ("firefox-esr", "webkit2gtk-driver", "xvfb"):
        assert f"(Debian: apt-get install {package})" in ran.stderr


def test_a_program_that_only_asks_for_another_is_no_firefox(tmp_path: Path) -> None:
    stub = tmp_path / "firefox"
    stub.write_text("#!/bin/sh\necho please install the snap\n", encoding="utf-8")
    stub.chmod(0o755)
    assert "firefox" not in json.loads(find(FIREFOX=str(stub)).stdout)


def test_what_is_found_is_there() -> None:
    ran = find()
    found = json.loads(ran.stdout)
    assert set(found) <= KINDS
    assert all(Path(program).exists() for program in found.values())
    assert (ran.returncode == 0) is (set(found) == KINDS)
