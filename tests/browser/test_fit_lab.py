"""Fit it in 16 KB in a real JupyterLab: the kernel works out each state; won by keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.hosts import open_lab, run_cell, served, write_notebook
from tests.widgets.browser.test_fit import play

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SHOW = """\
from aidge_nb import course
from aidge_nb.course.fit import run
run.has_tools = lambda: False  # the recorded run: what is built elsewhere is tested elsewhere
board = course.fit_in_16_kb()
board"""
ASKED = "course.task('2.4', seed=1)"
PLAYED = "print(board.played['key'], board.played['foreseen'])"


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    tmp_path = tmp_path_factory.mktemp("fit")
    write_notebook(tmp_path / "fit.ipynb", SHOW, PLAYED, ASKED)
    opened = browser.new_page(viewport={"width": 1400, "height": 1400}, color_scheme="light")
    opened.set_default_timeout(120_000)
    with served("lab", tmp_path, "fit.ipynb") as address:
        open_lab(opened, address)
        run_cell(opened, 0)
        opened.locator(".anf svg").wait_for()
        yield opened
    opened.close()


def test_it_is_won_by_keyboard(page: Page, artifacts: Path) -> None:
    page.get_by_role("button", name="Level 1").focus()
    play(page)
    page.locator(".anf").screenshot(path=artifacts / "fit_lab.png")
    run_cell(page, 1)
    page.get_by_text("-|1|0|6|cache 2", exact=True).wait_for()


def test_tasks_are_answered_beside_it(page: Page) -> None:
    """A question that stands alone comes alive, as views do."""
    run_cell(page, 2)
    sheet = page.locator(".anc")
    sheet.wait_for()
    sheet.get_by_role("textbox").fill("5 252")
    page.keyboard.press("Enter")
    sheet.get_by_text("Does it wait for the turn before?").wait_for()
