"""The view of a quantized network: layers go to float and back in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import aidge_nb
from aidge_nb.quantization import quantize
from aidge_nb.widgets.live import quantized
from aidge_nb.widgets.live.quantized import QuantizedBoard
from tests.quantization.test_post_training import network, samples
from tests.widgets.browser.bench import FAKE_NOTEBOOK

BUNDLE = Path(quantized.__file__).parent.parent / "static" / "quantized.js"
AXE = Path(aidge_nb.__file__).parent.parent / "node_modules" / "axe-core" / "axe.min.js"

ASK_PYTHON = """
kernel.on("change:floats", async () => kernel.set("_facts", await askPython(kernel.traits.floats)))
"""


@pytest.fixture(scope="module")
def board() -> QuantizedBoard:
    return QuantizedBoard(quantize(network(), samples(4), ranges="entropy", weight_bits=4))


@pytest.fixture
def opened(browser: Browser, board: QuantizedBoard) -> Iterator[Callable[..., Page]]:
    """Open pages beside Python, which may ask for nothing and complain about nothing."""
    complaints: list[str] = []
    pages: list[Page] = []

    def ask(floats: list[str]) -> dict[str, Any]:
        board.floats = floats
        return dict(board._facts)

    def make(**options: Any) -> Page:
        page = browser.new_page(**{"viewport": {"width": 1024, "height": 700}, **options})
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url))
        page.expose_function("askPython", ask)
        page.goto("about:blank")
        board.floats = []
        state = {name: getattr(board, name) for name in ("_facts", "floats", "selected")}
        page.evaluate(FAKE_NOTEBOOK, [BUNDLE.read_text("utf-8"), state, []])
        page.evaluate(ASK_PYTHON)
        page.wait_for_selector(".anq svg")
        pages.append(page)
        return page

    yield make
    for page in pages:
        page.close()
    assert [line for line in complaints if not line.startswith(("about:", "blob:"))] == []


def test_a_layer_goes_to_float_by_keyboard(
    opened: Callable[..., Page], board: QuantizedBoard, artifacts: Path
) -> None:
    page = opened()
    said = page.get_by_role("status")
    before = board.network
    expect(said).to_contain_text(f"{before.sqnr:.1f} dB")
    switch = page.get_by_role("switch", name="fc in float")
    switch.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("switch", name="fc in float")).to_be_checked()
    assert board.network.floats == ("fc",)
    assert board.network.sqnr != before.sqnr
    expect(said).to_contain_text(f"{board.network.sqnr:.1f} dB")
    expect(said).to_contain_text(f"→ {board.network.parameter_bytes[1]:,}")
    expect(said).to_contain_text(f"→ {board._facts['peak'][1]:,}")
    expect(page.get_by_role("switch", name="fc in float")).to_be_focused()
    page.screenshot(path=artifacts / "quantized.png")
    page.keyboard.press("Enter")
    expect(said).to_contain_text(f"{before.sqnr:.1f} dB")


def drag(page: Page, name: str, by: float) -> None:
    """Drag the thumb of a switch by a part of its width."""
    box = page.get_by_role("switch", name=name).bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    start = box["x"] + box["width"] * (0.25 if by > 0 else 0.75)
    page.mouse.move(start, middle)
    page.mouse.down()
    page.mouse.move(start + by * box["width"], middle, steps=6)
    page.mouse.up()


def test_a_layer_is_dragged_to_float_and_back(
    opened: Callable[..., Page], board: QuantizedBoard, artifacts: Path
) -> None:
    page = opened()
    said, before = page.get_by_role("status"), board.network
    drag(page, "c2 in float", 0.1)  # not far enough
    expect(page.get_by_role("switch", name="c2 in float")).not_to_be_checked()
    assert board.network is before
    drag(page, "c2 in float", 0.5)
    expect(page.get_by_role("switch", name="c2 in float")).to_be_checked()
    assert board.network.floats == ("c2",)
    expect(said).to_contain_text(f"{board.network.sqnr:.1f} dB")
    expect(said).to_contain_text(f"→ {board.network.parameter_bytes[1]:,}")
    expect(said).to_contain_text(f"→ {board._facts['peak'][1]:,}")
    page.screenshot(path=artifacts / "quantized-dragged.png")
    drag(page, "c2 in float", -0.5)
    expect(page.get_by_role("switch", name="c2 in float")).not_to_be_checked()
    expect(said).to_contain_text(f"{before.sqnr:.1f} dB")
    page.get_by_role("switch", name="c2 in float").click()
    expect(page.get_by_role("switch", name="c2 in float")).to_be_checked()


def test_the_range_of_a_layer_is_drawn_with_what_is_clipped(
    opened: Callable[..., Page], board: QuantizedBoard
) -> None:
    page = opened()
    row = next(each for each in board._facts["rows"] if each["name"] == "c1")
    page.get_by_role("button", name="c1", exact=True).click()
    expect(page.locator(".anq figcaption")).to_contain_text("c1: codes from")
    tensor = row["tensor"]
    assert tensor["clipped"] > 0
    assert page.locator(".anq-in, .anq-out").count() == len(tensor["bars"])
    assert page.locator(".anq-out").count() > 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(opened: Callable[..., Page], artifacts: Path, scheme: str) -> None:
    if not AXE.exists():
        pytest.skip("no axe-core: npm ci")
    page = opened(viewport={"width": 390, "height": 800}, color_scheme=scheme)
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run('.anq').then(found => found.violations)")
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
    page.screenshot(path=artifacts / f"quantized-{scheme}.png", full_page=True)
