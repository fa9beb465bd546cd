"""The tutorials in a browser alone: built without a network, opened without one, and used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.hosts import served
from tests.browser.lite_parts import Parts
from tests.browser.opened import Opened
from tests.conftest import BROWSER_FLAGS

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

ROOT = Path(__file__).resolve().parents[2]
CUT = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
RAN = r"""cells => cells.map(cell => {
  const prompts = [...cell.querySelectorAll(".jp-InputPrompt, .jp-OutputPrompt")];
  if (prompts.some(prompt => /\[\d+\]/.test(prompt.textContent))) return true;
  return cell.querySelector(".jp-InputPrompt") ? false : null;
})"""
"""Tells of each cell whether it ran, by its result where its code is folded; null of cells that are
far from the window, which are not drawn."""
PATIENCE = 240  # seconds for the kernel to start and all cells to run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tutorial(chromium: str, lite_site: Path) -> Iterator[Opened]:
    """Open the first tutorial in a Chromium that finds no other host, and run it."""
    from playwright.sync_api import sync_playwright

    with (
        sync_playwright() as playwright,
        served("lite", lite_site, "01_scheduling.ipynb") as address,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=[*BROWSER_FLAGS, CUT])
        context = browser.new_context(viewport={"width": 1400, "height": 1000})
        opened = Opened("lite", context.new_page())
        opened.page.goto(address)
        opened.page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=120_000)
        _run_all(opened.page)
        yield opened
        browser.close()


def _run_all(page: Page) -> None:
    for menu, entry in (("Edit", "Clear Outputs of All Cells"), ("Run", "Run All Cells")):
        page.get_by_role("menuitem", name=menu, exact=True).click()
        page.get_by_text(entry, exact=True).click()
    for _ in range(PATIENCE):
        if page.locator(".jp-CodeCell").evaluate_all(RAN)[-1]:
            return
        page.wait_for_timeout(1000)
    failed = page.locator("[data-mime-type='application/vnd.jupyter.error']").all_inner_texts()
    pytest.fail(f"the tutorial did not run to its end: {failed}")


def test_all_tutorials_are_there_and_no_solutions(lite_site: Path) -> None:
    there = {path.name for path in (lite_site / "files").rglob("*.ipynb")}
    assert there >= {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}
    listed = json.loads((lite_site / "api" / "contents" / "all.json").read_text("utf-8"))["content"]
    assert {entry["name"] for entry in listed} >= {"01_scheduling.ipynb", "course"}
    assert not (lite_site / "files" / "course" / "source").exists()


def test_a_release_without_its_packages_is_refused(lite_parts: Parts, tmp_path: Path) -> None:
    core = tmp_path / "core"
    core.mkdir()
    for path in lite_parts.pyodide.iterdir():
        if path.is_file() and not path.name.startswith("numpy"):
            (core / path.name).symlink_to(path)
    found = Parts(lite_parts.python, core, lite_parts.wheels).build(tmp_path / "site")
    assert found.returncode == 1
    assert "has no numpy" in found.stderr
    assert "take the whole release of Pyodide 0.27.7" in found.stderr


def test_a_file_that_was_changed_is_refused(lite_parts: Parts, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    changed.mkdir()
    for path in lite_parts.pyodide.iterdir():
        (changed / path.name).symlink_to(path)
    (name,) = (path.name for path in changed.glob("numpy-*.whl"))
    (changed / name).unlink()
    (changed / name).write_bytes(b"something else")
    found = Parts(lite_parts.python, changed, lite_parts.wheels).build(tmp_path / "site")
    assert found.returncode == 1
    assert "is not the file that Pyodide's lock file names" in found.stderr


def test_the_first_tutorial_runs(tutorial: Opened, artifacts: Path) -> None:
    page = tutorial.page
    failed = page.locator("[data-mime-type='application/vnd.jupyter.error']")
    # One cell shows an error on purpose: none stops the run.
    assert failed.count() == 0, failed.first.inner_text()
    ran = page.locator(".jp-CodeCell").evaluate_all(RAN)
    assert False not in ran, ran
    assert page.locator(".jp-OutputArea .aidge-nb").count() >= 2
    page.screenshot(path=artifacts / "tutorial-01.png")


def _scroll_to(page: Page, wanted: Locator) -> None:
    """Scroll as a reader does: what is far away is hidden, and comes when it is near.

    A busy machine may come late with it: whoever has gone past it begins again.
    """
    panel = page.locator(".jp-WindowedPanel-outer").first
    for _ in range(4):
        panel.evaluate("(panel) => { panel.scrollTop = 0; }")
        page.mouse.move(700, 600)
        for _ in range(200):
            if wanted.is_visible():
                wanted.scroll_into_view_if_needed()
                return
            page.mouse.wheel(0, 300)
            page.wait_for_timeout(150)
            end = "panel => panel.scrollTop + panel.clientHeight >= panel.scrollHeight - 2"
            if panel.evaluate(end):
                break
    pytest.fail("what was looked for never came")


def test_a_slider_is_dragged_and_the_views_follow(tutorial: Opened, artifacts: Path) -> None:
    page = tutorial.page
    view = page.locator(".jp-OutputArea .aidge-nb:not([data-covered])").first
    slider = view.get_by_role("slider", name="Playhead").first
    _scroll_to(page, slider)
    before = int(slider.get_attribute("aria-valuenow") or 0)
    box = slider.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.3, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, middle, steps=8)
    page.mouse.up()
    assert int(slider.get_attribute("aria-valuenow") or 0) > before
    assert slider.get_attribute("aria-valuetext")
    view.screenshot(path=artifacts / "dragged.png")


def test_nothing_was_asked_of_the_network(tutorial: Opened) -> None:
    assert tutorial.foreign == []
