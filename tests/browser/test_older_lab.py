"""The oldest JupyterLab that the package takes, 4.1: live views, and their pictures later."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.hosts import open_lab, run_cell, served, write_notebook
from tests.browser.saved_views import (
    BEGIN,
    KINDS,
    fresh_page,
    save,
    shown,
    wait_for,
    wait_until_lost,
)
from tests.conftest import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

OLDEST = ("jupyterlab==4.1.*", "notebook==7.1.*", "anywidget", "numpy")
CELLS = [KINDS[kind] for kind in ("workbench", "explore", "board", "question")]


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install it in an environment of its own; give its Python."""
    folder = tmp_path_factory.mktemp("older")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python: Path = folder / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "-q", *OLDEST]
    ran = subprocess.run(install, capture_output=True, text=True)
    if ran.returncode:
        pytest.skip(f"JupyterLab 4.1 cannot be installed here: {ran.stderr[-300:]}")
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "checkout.pth").write_text(str(ROOT), encoding="utf-8")  # this package, as it is
    return python


@pytest.mark.slow
@pytest.mark.parametrize("host", ["lab", "notebook"])
def test_views_are_live_and_pictures_later(
    host: str, older: Path, browser: Browser, tmp_path: Path, artifacts: Path
) -> None:
    path, count = tmp_path / "saved.ipynb", len(CELLS)
    write_notebook(path, BEGIN, *CELLS)
    with served(host, tmp_path, path.name, older) as address, fresh_page(browser, 4000) as page:
        open_lab(page, address)
        for number in range(count + 1):
            run_cell(page, number)
        wait_for(page, "live", count)
        save(page, path, count)
        assert [each["live"] for each in shown(page)] == [1] * count
    with served(host, tmp_path, path.name, older) as address, fresh_page(browser, 4000) as page:
        open_lab(page, address)
        wait_for(page, "still", count)
        wait_until_lost(page, count)
        assert shown(page) == [{"pictures": 1, "live": 0, "errors": 0}] * count
        page.screenshot(path=artifacts / f"{host}.png")
