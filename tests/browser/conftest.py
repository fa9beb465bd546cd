"""Browsers of several kinds, and the site without a server, built once for all tests."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.engines import ChromiumEngine, Engine
from tests.browser.lite_parts import PartMissingError, Parts, builder, get_pyodide, get_wheels

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PATIENCE = 600  # seconds for another process to make what is shared


@pytest.fixture(scope="module")
def start_engine(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    need_browsers: Callable[..., list[str]],
) -> Iterator[Callable[..., Engine]]:
    """Start browsers by the names of their engines; they end after the tests of a module."""
    running: list[Engine] = []

    def start(name: str, **options: Any) -> Engine:
        folder = tmp_path_factory.mktemp(name)
        made: Engine
        if name == "chromium":
            browser: Browser = request.getfixturevalue("browser")
            made = ChromiumEngine(browser, **options)
        elif name == "firefox":
            from tests.browser.firefox import FirefoxEngine

            (program,) = need_browsers("firefox")
            made = FirefoxEngine(program, folder, **options)
        else:
            from tests.browser.webkit import WebKitEngine

            program, driver, display = need_browsers("webkit", "webkit-driver", "xvfb")
            made = WebKitEngine(program, driver, display)
        running.append(made)
        return made

    yield start
    for engine in running:
        engine.close()


@pytest.fixture(scope="session")
def lite_parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    """Ask the package registries for all parts; without them, there is nothing to test."""

    def make(folder: Path) -> dict[str, str]:
        try:
            python = builder(folder)
            parts = Parts(python, get_pyodide(folder), get_wheels(python, folder))
        except (PartMissingError, FileNotFoundError) as error:
            return {"missing": str(error)}
        return {name: str(getattr(parts, name)) for name in ("python", "pyodide", "wheels")}

    made = _once(tmp_path_factory, "lite", make)
    if "missing" in made:
        pytest.skip(f"the site cannot be built here: {made['missing']}")
    return Parts(**{name: Path(path) for name, path in made.items()})


@pytest.fixture(scope="session")
def lite_site(lite_parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site in a place without a network."""

    def make(folder: Path) -> dict[str, str]:
        built = lite_parts.build(folder / "lite")
        return {"site": str(folder / "lite"), "wrong": built.stderr if built.returncode else ""}

    made = _once(tmp_path_factory, "site", make)
    assert not made["wrong"], made["wrong"]
    return Path(made["site"])


def _once(
    factory: pytest.TempPathFactory, name: str, make: Callable[[Path], dict[str, str]]
) -> dict[str, str]:
    """Let the first process of a run make something in a folder; the others wait for it."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    answer = folder.with_suffix(".json")
    try:
        folder.mkdir()
    except FileExistsError:
        for _ in range(PATIENCE):
            if answer.exists():
                break
            time.sleep(1)
    else:
        draft = folder.with_suffix(".draft")
        draft.write_text(json.dumps(make(folder)), encoding="utf-8")
        draft.rename(answer)  # at once, so that nobody reads half of it
    made: dict[str, str] = json.loads(answer.read_text(encoding="utf-8"))
    return made
