"""The board of the exercise on layouts, moved by pointer and by keyboard in a real browser."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from aidge_nb.course import PlaceBlocks, PlaceInTwo
from aidge_nb.widgets.live import blocks
from aidge_nb.widgets.live.blocks import BlockBoard
from tests.widgets.browser.bench import FAKE_NOTEBOOK

BUNDLE = Path(blocks.__file__).parent.parent / "static" / "board.js"

EXERCISE = PlaceBlocks({"a": (0, 2, 4), "b": (1, 3, 4), "c": (2, 4, 2)})


@pytest.fixture
def board(browser: Browser, artifacts: Path) -> Iterator[Page]:
    with opened(browser, EXERCISE) as page:
        yield page
        page.screenshot(path=artifacts / "board.png")


@contextmanager
def opened(browser: Browser, exercise: PlaceBlocks, *, tells_best: bool = True) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 800, "height": 500})
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url))
    widget = BlockBoard(exercise, tells_best=tells_best)
    state = {name: getattr(widget, name) for name in ("_blocks", "_best", "_fast", "offsets")}
    page.goto("about:blank")
    page.evaluate(FAKE_NOTEBOOK, [BUNDLE.read_text("utf-8"), state, []])
    yield page
    assert [line for line in complaints if not line.startswith(("about:", "blob:"))] == []
    page.close()


def offsets(page: Page) -> dict[str, int]:
    found: dict[str, int] = page.evaluate("kernel.traits.offsets")
    return found


def drag(page: Page, name: str, bytes_up: float) -> None:
    block = page.locator(f"[data-name={name}] rect")
    box = block.bounding_box()
    assert box is not None
    size = EXERCISE.blocks[name][2]
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - bytes_up * (box["height"] + 1) / size, steps=4)
    page.mouse.up()


def test_dragging_reaches_the_best_layout(board: Page) -> None:
    assert offsets(board) == {"a": 0, "b": 4, "c": 8}
    expect(board.get_by_role("status")).to_contain_text("Peak 10 bytes; 8 are possible")
    drag(board, "c", -8)
    assert offsets(board) == {"a": 0, "b": 4, "c": 0}
    expect(board.get_by_role("status")).to_contain_text("Solved")
    board.wait_for_function("kernel.saved >= 1")
    assert EXERCISE.check(offsets(board)).correct


def test_the_least_peak_need_not_be_told(browser: Browser) -> None:
    with opened(browser, EXERCISE, tells_best=False) as page:
        says = page.get_by_role("status")
        expect(says).to_have_text("Peak 10 bytes.")
        drag(page, "c", -8)
        expect(says).to_have_text("Peak 8 bytes.")
        expect(page.locator(".anb-best")).to_have_count(0)


def test_overlaps_are_shown(board: Page) -> None:
    drag(board, "b", -2)
    expect(board.get_by_role("status")).to_contain_text("a, b overlap")
    expect(board.locator(".anb-bad")).to_have_count(2)


def test_the_keyboard_does_it_too(board: Page) -> None:
    board.focus("[data-name=c]")
    board.keyboard.press("PageDown")
    assert offsets(board)["c"] == 0
    board.keyboard.press("ArrowUp")
    board.keyboard.press("ArrowUp")
    assert offsets(board)["c"] == 4
    assert board.get_attribute("[data-name=c]", "aria-valuenow") == "4"
    label = board.get_attribute("[data-name=c]", "aria-label")
    assert label == "c: ticks 2 to 3, 2 bytes from 4, overlaps"
    board.keyboard.press("ArrowDown")
    assert offsets(board)["c"] == 2


def test_blocks_stay_on_the_board(board: Page) -> None:
    drag(board, "a", -5)
    assert offsets(board)["a"] == 0
    drag(board, "a", 100)
    assert offsets(board)["a"] == 6


def test_the_kernel_moves_blocks(board: Page) -> None:
    board.evaluate("kernel.set('offsets', {a: 0, b: 4, c: 1})")
    assert board.get_attribute("[data-name=c]", "aria-valuenow") == "1"
    board.evaluate("leave()")
    assert board.evaluate("listeners.length") == 0


TWO = PlaceInTwo({"a": (0, 2, 6), "b": (1, 3, 2), "c": (2, 4, 2)}, 4)


def test_two_memories_lie_above_each_other(browser: Browser, artifacts: Path) -> None:
    with opened(browser, TWO) as page:
        says, c = page.get_by_role("status"), page.locator("[data-name=c]")
        expect(says).to_have_text("10 bytes lie in the slow memory.")
        expect(page.locator(".anb-memory")).to_have_text(["fast", "slow"])
        expect(c).to_have_attribute("aria-label", "c: ticks 2 to 3, 2 bytes from slow 8")
        page.focus("[data-name=a]")
        page.keyboard.press("ArrowDown")
        expect(says).to_have_text("a: on another block, or in both memories.")
        assert not TWO.check(offsets(page)).correct
        page.screenshot(path=artifacts / "two_memories.png")
    drive(browser, TWO)


def drive(browser: Browser, exercise: PlaceBlocks) -> None:
    """Lay blocks half right, right and wrong; the line below says what the check in Python says."""
    best = dict(zip(exercise.blocks, exercise.best.offsets, strict=True))
    with opened(browser, exercise) as page:
        says = page.get_by_role("status")
        start = "bytes lie in the slow memory." if exercise.fast else "are possible. Score"
        expect(says).to_contain_text(start)
        first = page.locator(".anb-block").first
        first.focus()
        page.evaluate("best => kernel.set('offsets', best)", best)
        expect(says).to_contain_text("Solved")
        page.evaluate("zero => kernel.set('offsets', zero)", dict.fromkeys(best, 0))
        expect(says).to_contain_text("on another block" if exercise.fast else "overlap")
        expect(first).to_have_attribute("aria-valuenow", "0")
        page.keyboard.press("ArrowUp")
        unit = math.gcd(exercise.fast, *(size for *_, size in exercise.blocks.values()))
        expect(first).to_have_attribute("aria-valuenow", str(unit))
