"""The course where Python runs in the browser alone: a result file to hand in, and the puzzle."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from aidge_nb.cli import main
from aidge_nb.course import ResultSheet
from aidge_nb.course.results.keys import make_key, read_key, ticket_of
from tests.browser.hosts import lay_on_site, run_cell, served, write_notebook
from tests.browser.opened import Opened
from tests.widgets.browser.test_fit import play

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAME, SOLVED, TRIED = "Ada Lovelace", "2.4", "1.3"
PATIENCE = 240_000  # milliseconds for the kernel to start, and to import everything

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def key_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("teacher") / "key.txt"
    make_key(path)
    return path


@pytest.fixture(scope="module")
def opened(
    browser: Browser, lite_site: Path, key_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Opened]:
    """Open a student's notebook in JupyterLite, and run its first cell."""
    folder = tmp_path_factory.mktemp("course")
    ticket = ticket_of(read_key(key_file), NAME)
    begin = f"from aidge_nb import course\nsheet = course.ResultSheet({NAME!r}, {ticket!r})\nsheet"
    asked = (f"sheet.task({number!r})" for number in (SOLVED, TRIED))
    write_notebook(
        folder / "mine.ipynb", begin, *asked, "sheet.save('ada.json')", "course.fit_in_16_kb()"
    )
    page = browser.new_page(viewport={"width": 1400, "height": 1400}, color_scheme="light")
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    made = Opened("lite", page, folder)
    with served("lite", lay_on_site(lite_site, folder / "mine.ipynb"), "mine.ipynb") as address:
        page.goto(address)
        page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        page.get_by_text("Python (Pyodide)").first.wait_for()
        run_cell(page, 0)
        page.get_by_text("0 tasks, 0 tried").wait_for()
        yield made
    page.close()
    expect.set_options(timeout=None)


def _answer(page: Page, cell: int, answer: dict[str, int], said: str) -> None:
    """Answer the question of a cell by keyboard."""
    run_cell(page, cell)
    sheet = page.locator(".jp-CodeCell").nth(cell).locator(".anc")
    sheet.wait_for()
    sheet.get_by_role("textbox").fill(" ".join(map(str, answer.values())))
    page.keyboard.press("Enter")
    sheet.get_by_text(said).first.wait_for()


def test_a_result_made_in_the_browser_is_accepted_by_the_teacher(
    opened: Opened, key_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = opened.page
    same = ResultSheet(NAME, ticket_of(read_key(key_file), NAME))
    _answer(page, 1, same.task(SOLVED)._solve().value, "✓ period")
    (wrong,) = same.task(TRIED).mistakes
    _answer(page, 2, wrong.answer, wrong.says)
    run_cell(page, 3)
    entry = page.locator(".jp-DirListing-item", has_text="ada.json")
    page.get_by_role("button", name="Refresh the file browser.").click()
    entry.click(button="right")
    with page.expect_download() as download:
        page.get_by_text("Download", exact=True).click()
    given = tmp_path / "ada.json"
    download.value.save_as(given)
    assert main(["course", "results", str(given), "--key", str(key_file)]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["name"], row["status"], row[SOLVED]) == (NAME, "ok", "1.0")
    assert float(row[TRIED]) == same.task(TRIED).check(wrong.answer).score < 1
    given.write_text(given.read_text("utf-8").replace('"tries": 1', '"tries": 0'), "utf-8")
    assert main(["course", "results", str(given), "--key", str(key_file)]) == 2


def test_the_puzzle_is_won_by_keyboard(opened: Opened, artifacts: Path) -> None:
    page = opened.page
    run_cell(page, 4)
    page.locator(".anf svg").wait_for()
    page.get_by_role("button", name="Level 1").focus()
    play(page)
    page.locator(".anf").screenshot(path=artifacts / "fit.png")


def test_nothing_was_asked_of_the_network(opened: Opened) -> None:
    assert opened.foreign == []
