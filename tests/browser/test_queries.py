"""Graph queries in a real JupyterLab: what matches lights up as one types, a fusion collapses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.hosts import open_lab, run_cell, served, write_notebook

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SHOW = """\
import aidge_nb
from aidge_nb.widgets import query_bench
model = aidge_nb.load_onnx(aidge_nb.zoo.dinov2_like(size=28, dim=16, heads=2, depth=2))
model.forward_dims([[1, 3, 28, 28]], True)
bench = query_bench(model)
bench"""
FUSE = "bench.fuse('GeLU')"
GELU = "Div#1->Erf->Add#1-*>Mul->Mul#2"


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Open a notebook with a view that takes queries, run but for its last cell."""
    folder = tmp_path_factory.mktemp("queries")
    write_notebook(folder / "queries.ipynb", SHOW, FUSE)
    opened = browser.new_page(viewport={"width": 1400, "height": 1100}, color_scheme="light")
    with served("lab", folder, "queries.ipynb") as address:
        open_lab(opened, address)
        run_cell(opened, 0)
        opened.locator(".aidge-nb").wait_for(timeout=180_000)
        yield opened
    opened.close()


def _lit(page: Page, count: int) -> None:
    page.wait_for_function(
        "n => document.querySelector('.aidge-nb').dataset.matches === String(n)", arg=count
    )


def _picture(page: Page) -> str:
    data: str = page.evaluate(
        "document.querySelector('[data-panel=graph] .anb-stage canvas').toDataURL()"
    )
    return data


def test_what_matches_lights_up_while_one_types(page: Page, artifacts: Path) -> None:
    box = page.locator(".aidge-nb input[type=search]")
    dark = _picture(page)
    box.press_sequentially("Div#1->Erf")
    _lit(page, 4)
    assert page.inner_text(".anb-found") == "2 matches"
    first = _picture(page)
    assert first != dark
    box.press_sequentially("->Add#1-*")  # half a query: what was lit stays, and a mark says where
    page.wait_for_selector(".anb-wrong:visible")
    assert page.inner_text(".anb-wrong").rstrip().endswith("^")
    box.press_sequentially(">Mul->Mul#2")
    _lit(page, 10)
    page.wait_for_selector(".anb-wrong", state="hidden")
    assert _picture(page) != first
    page.locator(".aidge-nb").screenshot(path=artifacts / "lit.png")


def test_a_type_that_is_not_there_is_said(page: Page) -> None:
    box = page.locator(".aidge-nb input[type=search]")
    box.fill("Div->Gelu")
    page.wait_for_selector(".anb-wrong:visible")
    assert "no node of type Gelu" in page.inner_text(".anb-wrong")
    _lit(page, 0)
    box.fill(GELU)
    _lit(page, 10)


def test_a_fusion_collapses_into_its_block(page: Page, artifacts: Path) -> None:
    box = page.locator(".aidge-nb input[type=search]")
    box.fill(GELU)
    _lit(page, 10)
    before = _picture(page)
    run_cell(page, 1)
    page.locator(".jp-CodeCell").nth(1).get_by_text("2", exact=True).wait_for()
    _lit(page, 2)  # the box says GeLU now, and the blocks are what it finds
    assert box.input_value() == "GeLU"
    assert _picture(page) != before
    box.fill("Erf")
    _lit(page, 0)
    box.fill("Add<1-GeLU")
    page.locator(".aidge-nb").screenshot(path=artifacts / "fused.png")
