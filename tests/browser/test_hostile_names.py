"""The worst names in a real JupyterLab: every view is drawn, no script of a name runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.hosts import open_lab, run_cell, served, write_notebook
from tests.hostile.names import MARKER, WORST

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

pytestmark = pytest.mark.slow

NODES = """\
import json
import aidge_nb
from aidge_nb.widgets import cp_debugger, explore, workbench
names = json.loads(open("names.json", encoding="utf-8").read())
graph = aidge_nb.sequential([aidge_nb.ReLU(name) for name in names])
graph.set_name(names[0])
graph.forward_dims([[1, 4, 8, 8]])
schedule = aidge_nb.static_schedule(graph)
plan = aidge_nb.plan_memory(graph, schedule)
workbench(graph, schedule, plan)"""
VIEWS = (NODES, "graph", "schedule", "plan", "explore(graph)", "cp_debugger(graph)")


@pytest.fixture(scope="module")
def notebook(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Page, Path]]:
    """Open a notebook whose model has every one of the worst names; note what it asks for."""
    folder = tmp_path_factory.mktemp("names")
    names = [name for name in WORST.values() if name]
    (folder / "names.json").write_text(json.dumps(names), encoding="utf-8")
    write_notebook(folder / "names.ipynb", *VIEWS)
    opened = browser.new_page(viewport={"width": 1440, "height": 1100}, color_scheme="light")
    with served("lab", folder, "names.ipynb") as address:
        open_lab(opened, address)
        yield opened, folder
    opened.close()


def test_views_of_the_worst_names(notebook: tuple[Page, Path], artifacts: Path) -> None:
    page, folder = notebook
    dialogs: list[str] = []
    asked: list[str] = []
    errors: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    for number in range(len(VIEWS)):
        run_cell(page, number)
        cell = page.locator(".jp-CodeCell").nth(number)
        output = cell.locator(".aidge-nb:visible, .jp-OutputArea-output img:visible")
        output.first.wait_for(timeout=120_000)
        output.first.scroll_into_view_if_needed()
        assert cell.locator("[data-mime-type='application/vnd.jupyter.error']").count() == 0
        assert cell.locator("script, iframe, [onerror], a[href^='javascript']").count() == 0
        cell.screenshot(path=artifacts / f"names-{number}.png")
    foreign = [url for url in asked if not re.match(r"(http|ws)://127\.0\.0\.1|data:|blob:", url)]
    assert (dialogs, foreign, errors) == ([], [], [])
    assert not (folder / MARKER).exists()
