"""Views in JupyterLab in Firefox and WebKit, beside Chromium: the kernel and the page agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.browser.engines import ENGINES, Engine
from tests.browser.hosts import served, write_notebook
from tests.browser.notebook import NotebookPage

NODE = "fire2_concat"
SHOW = """\
from aidge_nb.report import study
from aidge_nb.widgets import explore
view = study("zoo:squeezenet").widget()
view"""
SAY = "print('picked', view.selected)"
EXPLORE = """\
import aidge_nb
small = aidge_nb.zoo.load("lenet")
small.forward_dims([[1, 1, 32, 32]])
tries = explore(small)
tries"""
SAY_TRIES = "print('width', tries.settings.width)"
TELL = f"view.selected = '{NODE}'"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=ENGINES)
def lab(
    request: pytest.FixtureRequest,
    start_engine: Callable[..., Engine],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[NotebookPage]:
    """Open a notebook and run its first cell, which shows a view."""
    folder = tmp_path_factory.mktemp("engines-lab")
    write_notebook(folder / "view.ipynb", SHOW, SAY, TELL, EXPLORE, SAY_TRIES)
    with served("lab", folder, "view.ipynb") as address:
        engine = start_engine(request.param)
        engine.resize(1440, 1100)
        page = NotebookPage(engine).open(address)
        page.run_cell(0)
        page.until_drawn()
        yield page


def test_a_cell_shows_a_view(lab: NotebookPage, artifacts: Path) -> None:
    lab.check_drawn(("timeline", "memory"))
    lab.save(artifacts, "view")


def test_python_reads_what_is_picked(lab: NotebookPage, artifacts: Path) -> None:
    lab.pick("memory", NODE)
    assert lab.selected == NODE
    lab.save(artifacts, "picked")
    lab.run_cell(1)
    lab.until_output(1, f"picked {NODE}")


def test_keys_go_to_the_view_and_not_to_the_notebook(lab: NotebookPage) -> None:
    cells = lab.cells
    lab.pick("memory", NODE)
    lab.engine.press("ArrowRight", ".", "0")
    assert lab.selected != NODE
    assert lab.cells == cells


def test_the_view_shows_what_python_picks(lab: NotebookPage) -> None:
    lab.pick("memory", "fire4_concat")
    lab.run_cell(2)
    lab.until_selected(NODE)


def test_a_slider_plans_again(lab: NotebookPage, artifacts: Path) -> None:
    lab.run_cell(3)
    lab.until_drawn(3)
    lab.save(artifacts, "explore")
    lab.drag_slider(3, "run at once", 1.0)
    lab.until_planned(3)
    lab.save(artifacts, "explored")
    lab.run_cell(4)
    lab.until_output(4, "width 8")


def test_nothing_goes_wrong(lab: NotebookPage) -> None:
    assert lab.foreign == []
    assert [line for line in lab.complaints if "aidge" in line.lower()] == []
