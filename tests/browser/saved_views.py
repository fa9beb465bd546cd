"""Notebooks with a view of every kind, as they are saved, and what a page shows of them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.hosts import open_lab, run_cell, served, write_notebook

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = [
    "BEGIN",
    "KINDS",
    "LIVE_PARTS",
    "MANY_BARS",
    "fresh_page",
    "keep_state",
    "outputs_of",
    "run_and_save",
    "save",
    "shown",
    "wait_for",
    "wait_until_lost",
]

OURS = "application/vnd.aidge-nb.view+json"
WIDGET = "application/vnd.jupyter.widget-view+json"

BEGIN = """\
import aidge_nb
from aidge_nb import hardware, widgets
from aidge_nb.report import study
graph = aidge_nb.zoo.load("lenet")
graph.forward_dims([[1, 1, 32, 32]])
whole = study("zoo:lenet")"""
"""The first cell: what the others show."""

KINDS = {
    "workbench": "whole.widget()",
    "graph": "graph.widget()",
    "schedule": "aidge_nb.static_schedule(graph).widget()",
    "memory": "aidge_nb.plan_memory(graph).widget()",
    "explore": "widgets.explore(graph)",
    "query": "widgets.query_bench(graph, 'Conv2D->ReLU')",
    "tiles": """\
conv = aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")
one = aidge_nb.sequential([conv])
one.forward_dims([[1, 3, 66, 66]])
widgets.explore_tiling(one, [conv], hardware.target("quad_cluster"))""",
    "front": """\
chain = aidge_nb.sequential(
    [aidge_nb.PaddedConv2D(4, 4, [3, 3], f"conv{n}", None, [1] * 4) for n in range(3)]
)
chain.forward_dims([[1, 4, 32, 32]])
aidge_nb.tile_for(chain, memory=20_000).widget()""",
    "board": """\
from aidge_nb.course import PlaceBlocks
PlaceBlocks({"a": (0, 2, 4), "b": (1, 3, 8), "c": (2, 4, 2)}).widget()""",
    "mapping": """\
graph.set_backend("cpu")
hardware.map_schedule(graph, hardware.target("duo_soc")).widget()""",
    "factorized": """\
cell = aidge_nb.LSTM(in_channels=4, hidden_channels=8, seq_length=50, name="lstm")
inside = aidge_nb.get_connected_graph_view(cell)
aidge_nb.expand_metaops(inside)
aidge_nb.static_schedule(inside).widget(panels=["timeline"])""",
    "debugger": "widgets.cp_debugger(graph)",
    "question": """\
from aidge_nb import course
course.choose("Which runs first?", {"conv1": "It has its input.", "fc3": "It waits."}, "conv1")""",
    "prediction": """\
course.predict(course.number("How many steps?", 12), widgets.show(graph))""",
    "asked": "widgets.workbench(graph, question='Which reads the image?')",
    "covered": "widgets.workbench(graph, question='Which runs last?', covered=True)",
    "puzzle": "course.fit_in_16_kb()",
}
"""A cell for each kind of view."""

LIVE_PARTS = dict.fromkeys(KINDS, 1) | {"prediction": 2}
"""Live parts of each kind: a prediction is a question above a view."""

MANY_BARS = """\
from aidge_nb.scheduling import StaticSchedule
from aidge_nb.scheduling.schedule.static_schedule import Actor, Firing
actors = tuple(Actor(f"op{row}", "Conv2D", False, "", row) for row in range(200))
firings = tuple(
    Firing(n % 200, n // 200, n * FACTOR % 50_000, n * FACTOR % 50_000 + n % 7)
    for n in range(100_000)
)
StaticSchedule(actors, firings).widget()"""
"""A view of 100,000 bars; with a large FACTOR they lie in no order."""


@contextmanager
def fresh_page(browser: Browser, height: int = 1400) -> Iterator[Page]:
    """Open a page in a browser that knows nothing of earlier ones."""
    context = browser.new_context(viewport={"width": 1400, "height": height})
    yield context.new_page()
    context.close()


def run_and_save(page: Page, path: Path, host: str, *cells: str, unfinished: str = "") -> None:
    """Run the cells of a notebook in a host, wait for each view, save it and stop the host.

    Parameters
    ----------
    unfinished
        A cell that is still running when the notebook is saved.
    """
    more = [unfinished] if unfinished else []
    write_notebook(path, BEGIN, *cells, *more)
    with served(host, path.parent, path.name) as address:
        open_lab(page, address)
        for number in range(len(cells) + 1 + len(more)):
            run_cell(page, number)
        wait_for(page, "live", len(cells))
        save(page, path, len(cells))


def save(page: Page, path: Path, count: int) -> None:
    """Save a notebook until the file holds as many outputs."""
    for _ in range(6):
        page.keyboard.press("Control+s")
        for _ in range(25):
            if len(outputs_of(path)) == count:
                return
            page.wait_for_timeout(200)
    pytest.fail("the notebook was not saved")


def keep_state(folder: Path) -> None:
    """Let the JupyterLab that is served from a folder save the state of widgets."""
    name = "settings/@jupyter-widgets/jupyterlab-manager/plugin.jupyterlab-settings"
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"saveState": True}), encoding="utf-8")


def outputs_of(path: Path) -> list[dict[str, Any]]:
    """Give the data of each output of a notebook."""
    for _ in range(50):
        try:
            notebook = json.loads(path.read_text("utf-8"))
            break
        except ValueError:  # it is being written
            time.sleep(0.1)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [output["data"] for cell in cells for output in cell["outputs"] if "data" in output]


def wait_for(page: Page, kind: str, count: int) -> None:
    """Wait until as many views are shown, all of them live or all as pictures."""
    page.wait_for_function(
        """([kind, count]) => {
          const all = [...document.querySelectorAll("[data-shown]")];
          return all.length === count && all.every(({ dataset }) => dataset.shown === kind);
        }""",
        arg=[kind, count],
        timeout=240_000,
    )


def wait_until_lost(page: Page, count: int) -> None:
    """Wait until the host has looked for the models of views, and found none of them."""
    page.wait_for_function(
        """(count) => [...document.querySelectorAll("[data-shown]")].filter(
          (output) => output.textContent.includes("model not found")).length === count""",
        arg=count,
        timeout=120_000,
    )


def shown(page: Page) -> list[dict[str, int]]:
    """Count, for each view, the pictures and the live views that a reader sees."""
    found: list[dict[str, int]] = page.evaluate(
        """() => [...document.querySelectorAll("[data-shown]")].map((output) => {
          const seen = (names) =>
            [...output.querySelectorAll(names)].filter((each) => each.getClientRects().length);
          const images = seen("img").filter((each) => each.complete && each.naturalWidth > 0);
          return {
            pictures: images.length,
            live: seen(".aidge-nb, .anb-board, .anc, .anf").length,
            errors: Number(/Error displaying|model not found/.test(output.innerText)),
          };
        })"""
    )
    return found
