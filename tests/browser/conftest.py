"""The site without a server, built once for all tests that need it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.lite_parts import PartMissingError, Parts, builder, get_pyodide, get_wheels


@pytest.fixture(scope="session")
def lite_parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    """Ask the package registries for all parts; without them, there is nothing to test."""
    folder = tmp_path_factory.mktemp("lite")
    try:
        python = builder(folder)
        return Parts(python, get_pyodide(folder), get_wheels(python, folder))
    except (PartMissingError, FileNotFoundError) as error:
        pytest.skip(f"the site cannot be built here: {error}")


@pytest.fixture(scope="session")
def lite_site(lite_parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site in a place without a network."""
    target = tmp_path_factory.mktemp("site") / "lite"
    built = lite_parts.build(target)
    assert built.returncode == 0, built.stdout + built.stderr
    return target
