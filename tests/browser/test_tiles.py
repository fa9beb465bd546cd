"""Sliders and trade-offs of tiles in a real JupyterLab: the kernel plans, the picture follows."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from aidge_nb.widgets.text import size_text
from tests.browser.hosts import open_lab, run_cell, served, write_notebook

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

SHOW = """\
import aidge_nb
from aidge_nb import hardware
from aidge_nb.widgets import explore_tiling
conv = aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")
model = aidge_nb.sequential([conv])
model.forward_dims([[1, 3, 66, 66]])
tiles = explore_tiling(model, [conv], hardware.target("quad_cluster"))
tiles"""
SAY = "tiles.settings, tiles.mapping.cycles"
FRONT = """\
chain = aidge_nb.sequential(
    [aidge_nb.PaddedConv2D(4, 4, [3, 3], f"conv{n}", None, [1] * 4) for n in range(3)]
)
chain.forward_dims([[1, 4, 32, 32]])
found = aidge_nb.tile_for(chain, memory=20_000)
front = found.widget()
front"""
PICKED = "front.selected, found.front[int(front.selected.split()[1])].peak"


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Open a notebook with sliders above tiles; its first cell has run."""
    folder = tmp_path_factory.mktemp("tiles")
    write_notebook(folder / "tiles.ipynb", SHOW, SAY, FRONT, PICKED)
    opened = browser.new_page(viewport={"width": 1400, "height": 1300}, color_scheme="light")
    with served("lab", folder, "tiles.ipynb") as address:
        open_lab(opened, address)
        run_cell(opened, 0)
        opened.locator(".aidge-nb").wait_for(timeout=180_000)
        yield opened
    opened.close()


class Sliders:
    """The controls above the tiles, and what stands below them."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.cell = page.locator(".jp-CodeCell").first

    def handle(self, name: str) -> Locator:
        control = self.cell.locator(".widget-slider").filter(has_text=name)
        return control.get_by_role("slider")

    def value(self, name: str) -> str:
        control = self.cell.locator(".widget-slider").filter(has_text=name)
        return control.locator(".widget-readout").inner_text()

    def figure(self, name: str) -> int:
        return int(self.said(name).inner_text().replace(",", ""))

    def said(self, name: str) -> Locator:
        """Find where a figure is written; the header is made anew with each answer."""
        return self.cell.locator(".anb-figures > div").filter(has_text=name).first.locator("dd")

    def picture(self, panel: str) -> str:
        canvas = self.cell.locator(f"[data-panel={panel}] .anb-stage canvas").first
        data: str = canvas.evaluate("canvas => canvas.toDataURL()")
        return data

    def until_other(self, panel: str, before: str) -> None:
        self.page.wait_for_function(
            "([panel, before]) => document.querySelector("
            "`[data-panel=${panel}] .anb-stage canvas`).toDataURL() !== before",
            arg=[panel, before],
        )

    def until_figure(self, name: str, before: int) -> int:
        """Wait until the kernel's answer says another figure; give it."""
        expect(self.said(name)).not_to_have_text(f"{before:,}")
        return self.figure(name)

    def press(self, name: str, key: str) -> None:
        self.handle(name).focus()
        self.page.keyboard.press(key)

    def drag(self, name: str, share: float) -> None:
        """Drag a handle with the mouse to some share of the way."""
        handle = self.handle(name)
        handle.scroll_into_view_if_needed()
        box, way = handle.bounding_box(), handle.locator("xpath=../..").bounding_box()
        assert box is not None
        assert way is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(way["x"] + way["width"] * share, y, steps=5)
        self.page.mouse.up()


@pytest.fixture
def sliders(page: Page) -> Sliders:
    return Sliders(page)


def _said(page: Page, number: int) -> str:
    """Run a cell and give what it answers."""
    run_cell(page, number)
    answer = page.locator(".jp-CodeCell").nth(number).locator(".jp-OutputArea-output")
    answer.wait_for()
    return answer.inner_text()


def test_one_slice_more_by_keyboard(page: Page, sliders: Sliders) -> None:
    picture, slices = sliders.picture("tiling"), int(sliders.value("slices"))
    tiles = sliders.figure("tiles")
    assert tiles == slices
    sliders.press("slices", "ArrowRight")
    sliders.until_figure("tiles", tiles)
    sliders.until_other("tiling", picture)
    assert sliders.value("slices") == str(slices + 1)
    assert sliders.figure("tiles") == tiles + 1
    assert f"rows={slices + 1}" in _said(page, 1)


def test_fewer_elements_with_the_mouse(page: Page, sliders: Sliders, artifacts: Path) -> None:
    picture, cycles = sliders.picture("devices"), sliders.figure("cycles")
    assert sliders.value("elements") == "4"
    sliders.drag("elements", 0.0)
    sliders.until_figure("cycles", cycles)
    sliders.until_other("devices", picture)
    assert sliders.value("elements") == "1"
    assert sliders.figure("elements") == 1
    assert sliders.figure("cycles") > 2 * cycles
    said = _said(page, 1)
    assert "elements=1" in said
    assert str(sliders.figure("cycles")) in said
    sliders.cell.screenshot(path=artifacts / "elements.png")


def test_a_narrow_bus_with_the_mouse(sliders: Sliders, artifacts: Path) -> None:
    picture, cycles = sliders.picture("devices"), sliders.figure("cycles")
    sliders.press("links", "ArrowRight")
    slow = sliders.until_figure("cycles", cycles)
    sliders.until_other("devices", picture)
    assert sliders.value("links") == "1 B per cycle"
    assert slow > cycles
    picture = sliders.picture("devices")
    sliders.drag("links", 1.0)
    sliders.until_figure("cycles", slow)
    sliders.until_other("devices", picture)
    assert sliders.value("links") == "64 B per cycle"
    assert sliders.figure("cycles") < cycles
    sliders.cell.screenshot(path=artifacts / "bandwidth.png")


def test_a_budget_that_nothing_fits_is_said_and_the_picture_stays(sliders: Sliders) -> None:
    picture = sliders.picture("tiling")
    sliders.press("local memory", "ArrowRight")
    sliders.cell.get_by_text("Not possible:").wait_for()
    assert "at most 4096 bytes" in sliders.cell.locator(".widget-html").inner_text()
    assert sliders.picture("tiling") == picture
    sliders.press("local memory", "ArrowLeft")
    sliders.cell.get_by_text("planned in").wait_for()


def test_a_trade_off_is_picked_on_the_front(page: Page, artifacts: Path) -> None:
    run_cell(page, 2)
    view = page.locator(".jp-CodeCell").nth(2).locator(".aidge-nb")
    view.wait_for()
    view.scroll_into_view_if_needed()
    canvas = view.locator("[data-panel=charts] .anb-stage canvas").first
    page.mouse.move(1, 1)
    view.evaluate("root => root.workbench.store.set({ selected: -1, hovered: -1 })")
    page.wait_for_timeout(300)
    before = canvas.evaluate("canvas => canvas.toDataURL()")
    place = view.evaluate("root => root.workbench.locate('charts', 'choice 1')")
    page.mouse.click(place["x"], place["y"])
    page.wait_for_function(
        "root => root.dataset.selected === 'choice 1'", arg=view.element_handle()
    )
    page.wait_for_function(
        "([canvas, before]) => canvas.toDataURL() !== before", arg=[canvas.element_handle(), before]
    )
    name, peak = ast.literal_eval(_said(page, 3))
    assert name == "choice 1"
    words = view.locator("[data-part=details]").inner_text()
    assert size_text(peak) in words
    view.screenshot(path=artifacts / "front.png")
