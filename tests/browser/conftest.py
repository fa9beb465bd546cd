"""The site without a server, built once for all tests that need it, in whatever process."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.lite_parts import PartMissingError, Parts, builder, get_pyodide, get_wheels

PATIENCE = 600  # seconds for another process to make what is shared


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
