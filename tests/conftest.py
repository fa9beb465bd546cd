"""What all tests share: golden files, the browser, a place for screenshots, hypothesis settings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent
IN_CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")
BROWSER_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

BROWSERS = {"chromium", "need_browsers"}
"""The fixtures that find the programs of browsers."""

MADE_BY_TOOLS = {
    ".git",
    ".hypothesis",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    "__pycache__",
    "build",
    "dist",
    "node_modules",
    "test-artifacts",
}

# No deadline: a slow machine is no reason to fail. In CI the same examples are drawn each time.
settings.register_profile("aidge_nb", deadline=None, derandomize=IN_CI, print_blob=True)
settings.load_profile("aidge_nb")

_not_run = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what the golden tests got into the golden files, instead of comparing",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_not_run] = []


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a browser, so that nobody has to remember to.

    Raises
    ------
    pytest.UsageError
        When such a test is not where the second tier of .ci/test.py looks for it.
    """
    for item in items:
        if BROWSERS & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.browser)
            if "browser" not in item.path.relative_to(ROOT).parts:
                raise pytest.UsageError(f"{item.nodeid}: lies in no folder called `browser`")


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    reasons = config.stash[_not_run]
    if reasons:
        terminalreporter.section("SOME TESTS DID NOT RUN", sep="!", red=True, bold=True)
        for reason in reasons:
            terminalreporter.line(reason)


@pytest.fixture(scope="session")
def source_files() -> list[PurePosixPath]:
    """List the files of the checkout, relative to it, as somebody who clones it would get them.

    Git knows; where it is not there (an unpacked archive), these are the files that no tool made.
    """
    git = shutil.which("git")
    if git and (ROOT / ".git").exists():
        listed = subprocess.run(
            [git, "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
        names = listed.stdout.decode("utf-8").split("\0")
        paths = {ROOT / name for name in names if name}
    else:
        paths = set(_walk(ROOT))
    return sorted(
        PurePosixPath(path.relative_to(ROOT).as_posix()) for path in paths if path.exists()
    )


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            if path.name not in MADE_BY_TOOLS and not path.match(".venv*"):
                yield from _walk(path)
        elif path.suffix != ".pyc":
            yield path


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file: ``golden("lenet.mmd", text)``.

    The files lie in the folder ``golden`` beside the test. ``pytest --update-golden`` writes them;
    read the difference before you commit it.
    """
    folder = request.path.parent / "golden"
    update = bool(request.config.getoption("--update-golden"))

    def compare(name: str, text: str) -> None:
        path = folder / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            return
        assert path.is_file(), f"there is no {path}: run  pytest --update-golden {request.path}"
        expected = path.read_bytes().decode("utf-8")
        assert text == expected, f"differs from {path}; if it should: pytest --update-golden"

    return compare


@pytest.fixture
def artifacts(request: pytest.FixtureRequest) -> Path:
    """Give a folder whose files stay after the test, for screenshots and pages."""
    folder = ROOT / "test-artifacts" / request.path.stem
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def chromium(pytestconfig: pytest.Config) -> str:
    """Give the path of Chromium; without one the test is skipped, and fails when CI=true."""
    found = subprocess.run(
        [sys.executable, str(ROOT / ".ci" / "install_chromium"), "--find"],
        capture_output=True,
        text=True,
    )
    if found.returncode == 0:
        return found.stdout.strip()
    if found.stderr not in pytestconfig.stash[_not_run]:
        pytestconfig.stash[_not_run].append(found.stderr)
    if IN_CI:
        pytest.fail(f"no browser, and CI=true: {found.stderr}", pytrace=False)
    pytest.skip("no browser; run .ci/install_chromium")


@pytest.fixture(scope="session")
def need_browsers(pytestconfig: pytest.Config) -> Callable[..., list[str]]:
    """Give the programs of browsers besides Chromium, by the names of ``.ci/install_browsers``.

    Without one of them a test is skipped: loudly, and as a failure when CI=true.
    """
    found = subprocess.run(
        [sys.executable, str(ROOT / ".ci" / "install_browsers"), "--find"],
        capture_output=True,
        text=True,
    )
    programs: dict[str, str] = json.loads(found.stdout)

    def check(*names: str) -> list[str]:
        if missing := ", ".join(name for name in names if name not in programs):
            reason = f"there is no {missing}; run .ci/install_browsers"
            if reason not in pytestconfig.stash[_not_run]:
                pytestconfig.stash[_not_run].append(reason)
            if IN_CI:
                pytest.fail(f"CI=true, and {reason}", pytrace=False)
            pytest.skip(reason)
        return [programs[name] for name in names]

    return check


@pytest.fixture(scope="session")
def need_tools(pytestconfig: pytest.Config) -> Callable[..., None]:
    """Skip a test unless commands are installed: loudly, and as a failure when CI=true."""
    from aidge_nb.core.errors import ExportError
    from aidge_nb.export.boards.toolchain import need

    def check(*commands: str) -> None:
        try:
            need(*commands)
        except ExportError as error:
            reason = str(error)
        else:
            return
        if reason not in pytestconfig.stash[_not_run]:
            pytestconfig.stash[_not_run].append(reason)
        if IN_CI:
            pytest.fail(f"CI=true, and {reason}", pytrace=False)
        pytest.skip(reason)

    return check


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """Give a headless Chromium, driven by Playwright."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=BROWSER_FLAGS)
        yield running
        running.close()
