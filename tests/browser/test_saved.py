"""Run, save, stop the kernel, open again in a fresh browser: each view is there as its picture."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.hosts import open_lab, run_cell, served, variables_of, write_notebook
from tests.browser.saved_views import (
    BEGIN,
    KINDS,
    LIVE_PARTS,
    MANY_BARS,
    OURS,
    WIDGET,
    fresh_page,
    keep_state,
    outputs_of,
    run_and_save,
    save,
    shown,
    wait_for,
    wait_until_lost,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTS = ("lab", "notebook")
LARGEST = 300_000  # bytes of a notebook with one view, its state included
PICTURE = {"pictures": 1, "live": 0, "errors": 0}
LIVE = {"pictures": 0, "live": 1, "errors": 0}


@pytest.mark.slow
@pytest.mark.parametrize("host", ["lab", "notebook"])
def test_a_view_that_was_saved_half_way_is_its_picture(
    host: str, browser: Browser, tmp_path: Path, artifacts: Path
) -> None:
    path = tmp_path / "saved.ipynb"
    with fresh_page(browser) as page:
        sleep = "import time\ntime.sleep(600)"
        run_and_save(page, path, host, KINDS["workbench"], unfinished=sleep)
        assert shown(page) == [LIVE]
    (data,) = outputs_of(path)
    assert {OURS, WIDGET, "image/png", "image/svg+xml", "text/plain"} == set(data)
    with served(host, tmp_path, path.name) as address, fresh_page(browser) as page:
        open_lab(page, address)
        wait_for(page, "still", 1)
        wait_until_lost(page, 1)
        assert shown(page) == [PICTURE]
        page.screenshot(path=artifacts / f"{host}.png")


@pytest.mark.slow
@pytest.mark.parametrize("host", HOSTS)
def test_every_kind_of_view_is_its_picture(
    host: str, browser: Browser, tmp_path: Path, artifacts: Path
) -> None:
    path, count = tmp_path / "saved.ipynb", len(KINDS)
    with fresh_page(browser, 9000) as page:
        run_and_save(page, path, host, *KINDS.values())
        live = {kind: {**LIVE, "live": parts} for kind, parts in LIVE_PARTS.items()}
        assert dict(zip(KINDS, shown(page), strict=True)) == live
    with served(host, tmp_path, path.name) as address, fresh_page(browser, 9000) as page:
        open_lab(page, address)
        wait_for(page, "still", count)
        wait_until_lost(page, count)
        assert dict(zip(KINDS, shown(page), strict=True)) == dict.fromkeys(KINDS, PICTURE)
        page.screenshot(path=artifacts / f"{host}-all.png")


@pytest.mark.slow
def test_saved_state_brings_the_live_view_back_in_each_of_two_copies(
    browser: Browser, tmp_path: Path, artifacts: Path
) -> None:
    path = tmp_path / "saved.ipynb"
    keep_state(tmp_path)
    with fresh_page(browser) as page:
        run_and_save(page, path, "lab", KINDS["workbench"])
    notebook = json.loads(path.read_text("utf-8"))
    assert "widgets" in notebook["metadata"]
    assert path.stat().st_size <= LARGEST
    notebook["cells"].append({**notebook["cells"][1], "id": "copy"})
    path.write_text(json.dumps(notebook), "utf-8")
    _trust(path)
    with served("lab", tmp_path, path.name) as address, fresh_page(browser, 3000) as page:
        page.goto(address)
        wait_for(page, "live", 2)
        assert shown(page) == [LIVE, LIVE]
        page.screenshot(path=artifacts / "state.png")


@pytest.mark.slow
def test_two_copies_of_a_view_without_a_kernel_are_two_pictures(
    browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "saved.ipynb"
    with fresh_page(browser) as page:
        run_and_save(page, path, "lab", KINDS["graph"])
    notebook = json.loads(path.read_text("utf-8"))
    notebook["cells"].append({**notebook["cells"][1], "id": "copy"})
    path.write_text(json.dumps(notebook), "utf-8")
    _trust(path)
    with served("lab", tmp_path, path.name) as address, fresh_page(browser, 3000) as page:
        open_lab(page, address)
        wait_for(page, "still", 2)
        wait_until_lost(page, 2)
        assert shown(page) == [PICTURE, PICTURE]


@pytest.mark.slow
def test_a_page_that_is_loaded_again_finds_the_views_of_its_kernel(
    browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "saved.ipynb"
    write_notebook(path, BEGIN, KINDS["workbench"], KINDS["board"])
    with served("lab", tmp_path, path.name) as address:
        with fresh_page(browser) as page:
            open_lab(page, address)
            for number in range(3):
                run_cell(page, number)
            wait_for(page, "live", 2)
            save(page, path, 2)
        with fresh_page(browser) as page:
            open_lab(page, address)
            wait_for(page, "live", 2)
            assert shown(page) == [LIVE, LIVE]


@pytest.mark.slow
@pytest.mark.parametrize("factor", [1, 48_271])
def test_100_000_bars_are_drawn_and_saved_small(
    factor: int, browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "saved.ipynb"
    keep_state(tmp_path)
    with fresh_page(browser) as page:
        run_and_save(page, path, "lab", f"FACTOR = {factor}\n{MANY_BARS}")
        assert shown(page) == [LIVE]
    assert "widgets" in json.loads(path.read_text("utf-8"))["metadata"]
    assert path.stat().st_size <= LARGEST
    with served("lab", tmp_path, path.name) as address, fresh_page(browser) as page:
        open_lab(page, address)
        page.get_by_text("The data are too large to be saved.").wait_for(state="attached")
        assert shown(page) == [PICTURE]


@pytest.mark.slow
def test_on_another_machine_the_picture_is_shown_without_our_extension(
    browser: Browser, tmp_path: Path, artifacts: Path
) -> None:
    path = tmp_path / "saved.ipynb"
    with fresh_page(browser) as page:
        run_and_save(page, path, "lab", KINDS["workbench"])
    elsewhere = {"JUPYTER_PATH": "", "JUPYTER_DATA_DIR": str(tmp_path / "data")}  # not trusted
    with (
        served("lab", tmp_path, path.name, **elsewhere) as address,
        fresh_page(browser) as page,
    ):
        open_lab(page, address)
        image = page.locator(".jp-OutputArea-output img")
        image.wait_for()
        assert image.count() == 1
        assert image.evaluate("image => image.complete && image.naturalWidth > 0")
        page.screenshot(path=artifacts / "elsewhere.png")


def _trust(path: Path) -> None:
    """Trust a notebook that was changed by hand, as its reader would."""
    words = [sys.executable, "-m", "jupyter", "trust", str(path)]
    subprocess.run(words, env=variables_of(path.parent), check=True)
