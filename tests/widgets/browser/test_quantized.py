"""The view of a quantized network: layers go to 16 bits, to float and back in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import aidge_nb
from aidge_nb.quantization import quantize
from aidge_nb.widgets.live import quantized
from aidge_nb.widgets.live.quantized import QuantizedBoard
from tests.quantization.test_post_training import network, samples
from tests.widgets.browser.bench import FAKE_NOTEBOOK

BUNDLE = Path(quantized.__file__).parent.parent / "static" / "quantized.js"
AXE = Path(aidge_nb.__file__).parent.parent / "node_modules" / "axe-core" / "axe.min.js"

ASK_PYTHON = """
for (const name of ["floats", "wides"]) kernel.on("change:" + name, async () => {
  const { floats, wides } = kernel.traits;
  kernel.set("_facts", await askPython({ floats, wides }));
});
"""


@pytest.fixture(scope="module")
def board() -> QuantizedBoard:
    return QuantizedBoard(quantize(network(), samples(4), ranges="entropy", weight_bits=4))


@pytest.fixture
def opened(browser: Browser, board: QuantizedBoard) -> Iterator[Callable[..., Page]]:
    """Open pages beside Python, which may ask for nothing and complain about nothing."""
    complaints: list[str] = []
    pages: list[Page] = []

    def ask(types: dict[str, list[str]]) -> dict[str, Any]:
        board.set_state(types)
        return dict(board._facts)

    def make(**options: Any) -> Page:
        page = browser.new_page(**{"viewport": {"width": 1024, "height": 700}, **options})
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url))
        page.expose_function("askPython", ask)
        page.goto("about:blank")
        board.set_state({"floats": [], "wides": []})
        names = ("_facts", "floats", "wides", "selected")
        state = {name: getattr(board, name) for name in names}
        page.evaluate(FAKE_NOTEBOOK, [BUNDLE.read_text("utf-8"), state, []])
        page.evaluate(ASK_PYTHON)
        page.wait_for_selector(".anq svg")
        pages.append(page)
        return page

    yield make
    for page in pages:
        page.close()
    assert [line for line in complaints if not line.startswith(("about:", "blob:"))] == []


def place(page: Page, layer: str, kind: str) -> Locator:
    return page.get_by_role("radiogroup", name=f"{layer} computes on").get_by_role(
        "radio", name=kind, exact=True
    )


def test_a_layer_goes_to_16_bits_and_to_float_by_keyboard(
    opened: Callable[..., Page], board: QuantizedBoard, artifacts: Path
) -> None:
    page = opened()
    said = page.get_by_role("status")
    before, sqnr = board.network, board._facts["sqnr"]
    expect(said).to_contain_text(f"{sqnr:.1f} dB")
    place(page, "fc", "int8").focus()
    for key, kind, types in (
        ("ArrowRight", "int16", ((), ("fc",))),
        ("ArrowRight", "float", (("fc",), ())),
    ):
        page.keyboard.press(key)
        expect(place(page, "fc", kind)).to_be_checked()
        assert (board.network.floats, board.network.wides) == types
        assert board.network.sqnr != before.sqnr
        expect(said).to_contain_text(f"{board._facts['sqnr']:.1f} dB")
        expect(said).to_contain_text(f"→ {board.network.parameter_bytes[1]:,}")
        expect(said).to_contain_text(f"→ {board._facts['peak'][1]:,}")
        expect(place(page, "fc", kind)).to_be_focused()
        page.screenshot(path=artifacts / f"quantized-{kind}.png")
    page.keyboard.press("ArrowRight")  # there is nothing behind the last
    expect(place(page, "fc", "float")).to_be_checked()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(place(page, "fc", "float")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(place(page, "fc", "int16")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(said).to_contain_text(f"{sqnr:.1f} dB")


def drag(page: Page, layer: str, start: int, places: float) -> None:
    """Drag the thumb of a switch from one place over several."""
    box = page.get_by_role("radiogroup", name=f"{layer} computes on").bounding_box()
    assert box is not None
    middle, wide = box["y"] + box["height"] / 2, box["width"] / 3
    left = box["x"] + (start + 0.5) * wide
    page.mouse.move(left, middle)
    page.mouse.down()
    page.mouse.move(left + places * wide, middle, steps=6)
    page.mouse.up()


def test_a_layer_is_dragged_to_16_bits_to_float_and_back(
    opened: Callable[..., Page], board: QuantizedBoard, artifacts: Path
) -> None:
    page = opened()
    said, before, sqnr = page.get_by_role("status"), board.network, board._facts["sqnr"]
    drag(page, "c2", 0, 0.3)  # not far enough
    expect(place(page, "c2", "int8")).to_be_checked()
    assert board.network is before
    for start, places, kind in ((0, 1.2, "int16"), (1, -1, "int8"), (0, 2.4, "float")):
        drag(page, "c2", start, places)
        expect(place(page, "c2", kind)).to_be_checked()
        assert board.network.floats == (("c2",) if kind == "float" else ())
        assert board.network.wides == (("c2",) if kind == "int16" else ())
        expect(said).to_contain_text(f"{board._facts['sqnr']:.1f} dB")
        expect(said).to_contain_text(f"→ {board.network.parameter_bytes[1]:,}")
        expect(said).to_contain_text(f"→ {board._facts['peak'][1]:,}")
        page.screenshot(path=artifacts / f"quantized-dragged-{kind}.png")
    drag(page, "c2", 2, -2)
    expect(place(page, "c2", "int8")).to_be_checked()
    expect(said).to_contain_text(f"{sqnr:.1f} dB")
    for kind in ("int16", "float", "int8"):
        place(page, "c2", kind).click()
        expect(place(page, "c2", kind)).to_be_checked()


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
