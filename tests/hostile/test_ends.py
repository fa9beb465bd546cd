"""Commands that are stopped, hang, or cannot write: what they leave, and what they say."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aidge_nb.core.errors import ExportError
from aidge_nb.core.limits import limits
from aidge_nb.export.boards.toolchain import make

COMMAND = [sys.executable, "-m", "aidge_nb"]
PATIENCE = 120  # seconds until a test gives up on what hangs

needs_make = pytest.mark.skipif(
    os.name != "posix" or shutil.which("make") is None, reason="needs make and process groups"
)


def _hanging(folder: Path) -> Path:
    """Write a makefile that starts a child, notes its number, and waits."""
    (folder / "Makefile").write_text("all:\n\tsleep 600 & echo $$! > child; wait\n", "utf-8")
    return folder / "child"


def _ends(pid: int) -> bool:
    """Wait until a process is gone, or only its entry is left."""
    for _ in range(100 * PATIENCE):
        try:
            if Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


@needs_make
def test_a_build_that_hangs_is_stopped_with_all_that_it_started(tmp_path: Path) -> None:
    child = _hanging(tmp_path)
    message = r"make in .*: did not end within 2 s\. Set AIDGE_NB_RUN_SECONDS to a larger"
    with limits(run_seconds=2), pytest.raises(ExportError, match=message):
        make(tmp_path, ["all"], {})
    assert _ends(int(child.read_text("utf-8")))


@needs_make
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_is_stopped_stops_its_build(tmp_path: Path, number: signal.Signals) -> None:
    child, remains = tmp_path / "child", tmp_path / "remains"
    fake = tmp_path / "bin" / "make"
    fake.parent.mkdir()
    fake.write_text(
        f"#!/bin/sh\ntrap 'rm {remains}; exit 1' TERM\n"
        f"touch {remains}; sleep 600 & echo $! > {child}; wait\n",
        "utf-8",
    )
    fake.chmod(0o755)
    environment = {**os.environ, "PATH": f"{fake.parent}{os.pathsep}{os.environ['PATH']}"}
    line = [*COMMAND, "export", "zoo:lenet", "-o", str(tmp_path / "made"), "--run"]
    process = subprocess.Popen(line, env=environment, stdout=subprocess.DEVNULL)
    for _ in range(100 * PATIENCE):
        if child.exists() and child.read_text("utf-8"):
            break
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait(PATIENCE) == 128 + number
    assert _ends(int(child.read_text("utf-8")))
    assert not remains.exists()


def test_characters_that_a_stream_cannot_write_are_replaced() -> None:
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    ran = subprocess.run(
        [*COMMAND, "schedule", "näme.onnx", "--quiet"],
        env=environment,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == 2
    assert b"internal error" not in ran.stderr
    code = (
        "from aidge_nb.core.startup import make_streams_safe\nmake_streams_safe(); print('\\u2713')"
    )
    in_c = {name: text for name, text in environment.items() if name != "PYTHONIOENCODING"}
    for given in (environment, {**in_c, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}):
        out = subprocess.run(
            [sys.executable, "-c", code], env=given, capture_output=True, check=True
        ).stdout
        assert out.strip() == b"?"


@pytest.mark.skipif(os.name != "posix", reason="closes a stream as a shell does")
def test_a_closed_output_is_no_defect() -> None:
    line = f'"{sys.executable}" -m aidge_nb memory zoo:lenet --quiet >&-'
    ran = subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
    assert ran.returncode == 0
    assert ran.stderr == b""
