"""The README's first command, run as it stands in a fresh copy of the repository."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parent.parent
SERVER = r"http://(?:localhost|127\.0\.0\.1):\d+"
TUTORIAL = SERVER + r"/\S*01\S*\.ipynb\S*"
INSTALL_LIMIT = 600  # seconds for pip and the start of JupyterLab
ADDRESS_LIMIT = 30  # seconds from the first address that is printed to that of the tutorial
NO_SCREEN = ("DISPLAY", "WAYLAND_DISPLAY", "TERM", "BROWSER")  # where browsers are looked for

pytestmark = pytest.mark.slow


def first_command() -> str:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^```sh\n(.*?)\n```$", readme, flags=re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def fresh_copy(tmp_path: Path, source_files: list[PurePosixPath]) -> Path:
    """Copy what git would give to somebody who clones, links as links."""
    clone = tmp_path / "clone"
    for path in source_files:
        (clone / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, clone / path, follow_symlinks=False)
    return clone


@pytest.fixture
def running(fresh_copy: Path) -> Iterator[subprocess.Popen[str]]:
    """Start the command in a process group of its own, and end that group after the test."""
    dropped = (*NO_SCREEN, "VIRTUAL_ENV", "PYTHONPATH")
    process = subprocess.Popen(
        first_command(),
        shell=True,
        cwd=fresh_copy,
        env={
            **{name: value for name, value in os.environ.items() if name not in dropped},
            "PIP_NO_COMPILE": "1",  # most of what is installed is never imported
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    with process:
        yield process
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        assert process.stdout
        process.stdout.read()


def lines_until(process: subprocess.Popen[str], pattern: str, limit: float) -> list[str]:
    """Read output up to a line with `pattern`, or to the end; end the process after `limit` s."""
    assert process.stdout
    lines = []
    timer = threading.Timer(limit, os.killpg, (process.pid, signal.SIGTERM))
    timer.start()
    for line in process.stdout:
        lines.append(line)
        if re.search(pattern, line):
            break
    timer.cancel()
    return lines


def status(address: str, patience: int = 20) -> int:
    """Ask for a page; the address is printed a moment before the server listens."""
    for _ in range(patience):
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                return int(answer.status)
        except urllib.error.URLError:
            time.sleep(0.5)
    return 0


def test_the_first_command_ends_with_a_jupyterlab_that_answers(
    running: subprocess.Popen[str],
) -> None:
    output = lines_until(running, SERVER, INSTALL_LIMIT)
    if not re.search(TUTORIAL, output[-1]):
        output += lines_until(running, TUTORIAL, ADDRESS_LIMIT)
    address = re.search(TUTORIAL, output[-1])
    assert address, f"the tutorial's address was not printed:\n{''.join(output)}"
    assert status(address[0]) == 200
