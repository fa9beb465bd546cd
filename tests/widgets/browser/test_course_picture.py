"""Save the picture of a board and of a question, as on screen."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Browser, Page, expect

from aidge_nb.course import PlaceBlocks
from aidge_nb.course.fit.game import FitGame
from aidge_nb.widgets.live import blocks
from aidge_nb.widgets.live.blocks import BlockBoard
from tests.widgets.browser.bench import FAKE_NOTEBOOK
from tests.widgets.browser.desk import Desk
from tests.widgets.browser.test_answers import QUESTIONS
from tests.widgets.browser.test_picture import open_menu, saved, texts

BOARD = Path(blocks.__file__).parent.parent / "static" / "board.js"
SVG = "{http://www.w3.org/2000/svg}"


def check(page: Page, part: str, folder: Path, artifacts: Path, name: str) -> list[str]:
    """Save both pictures of a part of a page; give the texts of the SVG."""
    if not page.locator(".anb-picture").is_visible():
        open_menu(page)
    svg, png = (saved(page, ending, folder) for ending in ("SVG", "PNG"))
    box = page.locator(part).bounding_box()
    assert box is not None
    data = png.read_bytes()
    wide, high = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    assert (wide, high) == pytest.approx((2 * box["width"], 2 * box["height"]), abs=2)
    (artifacts / f"{name}.png").write_bytes(data)
    page.screenshot(path=artifacts / f"{name}-page.png")
    assert ET.parse(svg).getroot().get("role") == "img"
    said = texts(svg)
    assert not {"Save SVG", "⤓"} & set(said)
    return said


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_board_as_it_is_now(
    scheme: Literal["light", "dark"], browser: Browser, tmp_path: Path, artifacts: Path
) -> None:
    page = browser.new_page(viewport={"width": 800, "height": 560}, color_scheme=scheme)
    page.goto("about:blank")
    page.evaluate(f"document.documentElement.style.colorScheme = '{scheme}'")
    board = BlockBoard(PlaceBlocks({"a": (0, 2, 4), "b": (1, 3, 4), "c": (2, 4, 2)}))
    state = {name: getattr(board, name) for name in ("_blocks", "_best", "offsets")}
    page.evaluate(FAKE_NOTEBOOK, [BOARD.read_text("utf-8"), state, []])
    page.focus("[data-name=b]")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("status").first).to_contain_text("overlap")
    said = check(page, ".anb-whole", tmp_path, artifacts, f"board-{scheme}")
    assert {"a (4)", "b (4)", "c (2)"} <= set(said)
    assert "a, b overlap." in " ".join(said)
    page.close()


@pytest.mark.parametrize("kind", ["number", "choose", "pick", "order", "both"])
def test_a_question_with_what_was_answered(
    kind: str, browser: Browser, tmp_path: Path, artifacts: Path
) -> None:
    desk = Desk(browser, QUESTIONS[kind]())
    said = check(desk.page, ".anc", tmp_path, artifacts, f"question-{kind}")
    words = " ".join(" ".join(said).split())
    assert desk.page.locator(".anc-question").inner_text() in words
    assert "on" not in said, "the value of a box is no label of it"
    desk.page.close()


def test_the_puzzle_as_it_is_now(browser: Browser, tmp_path: Path, artifacts: Path) -> None:
    path = tmp_path / "fit.html"
    path.write_text(FitGame().page(), "utf-8")
    page = browser.new_page(viewport={"width": 900, "height": 900})
    page.goto(path.as_uri())
    page.wait_for_selector(".anf svg")
    said = check(page, ".anf", tmp_path, artifacts, "puzzle")
    assert {"Fit it in 16 KB", "relu_wide", "budget", "In words"} <= set(said)
    assert not any("Alive then" in each for each in said), "what is folded away is not on screen"
    page.get_by_text("In words").click()
    assert "Alive then" in " ".join(check(page, ".anf", tmp_path, artifacts, "puzzle-in-words"))
    page.close()
