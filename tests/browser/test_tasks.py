"""Controls that answer a task, and terms that lead to the glossary, in a real JupyterLab."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.hosts import open_lab, run_cell, served, write_notebook
from tests.docs.terms import NOTEBOOKS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EXPLORE = """\
from aidge_nb import course
from aidge_nb.course import graphs
course.reach("Reach 2,688 bytes.", graphs.two_branches(), 2688, hints=["Which policy?"])"""
DEBUG = """\
from aidge_nb.widgets import cp_debugger
small = graphs.rates(6, (2, 1), (3, 1))
task = course.pick("Who is next?", ["a", "b"], ["a"], many=False, because={"b": "Count."}.get)
cp_debugger(small, tick=1, task=task)"""
CUT = """\
chain = graphs.stripes()
nodes = [chain.get_node(name) for name in ("conv0", "conv1", "pool")]
course.cut("Reach 1,800 bytes.", chain, nodes, 1800)"""
QUERY = """\
from aidge_nb.widgets import query_bench
asked = course.query("Find relu with tanh.", graphs.gated(), "ReLU~>Tanh")
query_bench(graphs.gated(), task=asked)"""
TERM = "Delay it, and its [slack](glossary.md#slack) is gone."


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("tasks")
    shutil.copyfile(NOTEBOOKS / "glossary.md", folder / "glossary.md")
    path = folder / "tasks.ipynb"
    write_notebook(path, EXPLORE, DEBUG, CUT, QUERY)
    notebook = json.loads(path.read_text("utf-8"))
    term = {"cell_type": "markdown", "id": "term", "metadata": {}, "source": TERM}
    notebook["cells"].append(term)
    path.write_text(json.dumps(notebook), "utf-8")
    opened = browser.new_page(viewport={"width": 1400, "height": 1400}, color_scheme="light")
    opened.set_default_timeout(120_000)
    with served("lab", folder, path.name) as address:
        open_lab(opened, address)
        yield opened
    opened.close()


def test_the_controls_answer(page: Page, artifacts: Path) -> None:
    run_cell(page, 0)
    cell = page.locator(".jp-CodeCell").nth(0)
    order = cell.get_by_role("combobox").first
    order.wait_for()
    says = cell.locator(".widget-html").nth(1)
    cell.get_by_role("button", name="show me").click()
    expect(says).to_contain_text("Give an answer first")
    cell.get_by_role("button", name="hint", exact=True).click()
    expect(says).to_contain_text("Which policy?")
    order.select_option("shortest branch first")
    expect(says).to_contain_text("→ 2,944 bytes: 256 too many. Length is time.")
    order.select_option("as soon as possible")
    expect(says).to_contain_text("→ 4,096 bytes: 1,408 too many.")
    order.select_option("least memory")
    expect(says).to_contain_text("✓ 2,688 bytes.")
    cell.screenshot(path=artifacts / "task_explore.png")


def test_picks_in_the_debugger_answer(page: Page) -> None:
    run_cell(page, 1)
    view = page.locator(".jp-CodeCell").nth(1).locator(".aidge-nb")
    view.locator(".anb-question").wait_for()
    said = view.locator(".anb-feedback")
    for name, says in (("b", "b is not one of them. Count."), ("a", "Yes: a.")):
        view.get_by_role("searchbox").fill(name)
        page.keyboard.press("Enter")
        view.get_by_role("button", name="Check the answer").click()
        expect(said).to_contain_text(says)


def test_the_sliders_of_stripes_answer(page: Page, artifacts: Path) -> None:
    run_cell(page, 2)
    cell = page.locator(".jp-CodeCell").nth(2)
    slices = cell.get_by_role("slider").first
    slices.wait_for()
    says = cell.locator(".widget-html").nth(1)
    halos = cell.get_by_role("combobox").first
    halos.select_option("keep")
    expect(says).to_contain_text("✓ The peak is 1,792 bytes, for 0.0% more MACs.")
    halos.select_option("recompute")
    expect(says).to_contain_text("→ The peak is 1,664 bytes, for 18.8% more MACs. It fits")
    slices.focus()
    page.keyboard.press("ArrowLeft")
    expect(says).to_contain_text("too many. Smaller tiles")
    cell.screenshot(path=artifacts / "task_tiling.png")


def test_a_query_that_is_typed_answers(page: Page, artifacts: Path) -> None:
    run_cell(page, 3)
    view = page.locator(".jp-CodeCell").nth(3).locator(".aidge-nb")
    view.locator(".anb-question").wait_for()
    said = view.locator(".anb-feedback")
    expect(said).to_contain_text("Type a query into the search box.")
    for query, says in (("ReLU~>Sigmoid", "→ 1 match"), ("ReLU~>Tanh", "✓ 1 match, as wanted.")):
        view.get_by_role("searchbox").fill(query)
        expect(said).to_contain_text(says)
    view.screenshot(path=artifacts / "task_query.png")


def test_a_term_leads_to_its_entry(page: Page, artifacts: Path) -> None:
    page.get_by_role("link", name="slack").first.click()
    entry = page.locator(".jp-RenderedMarkdown h3").filter(has_text="slack")
    entry.wait_for()
    expect(entry).to_be_in_viewport()
    page.screenshot(path=artifacts / "glossary_lab.png")
