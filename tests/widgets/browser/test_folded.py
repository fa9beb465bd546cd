"""The folded schedule in a browser: frames at their true steps, opened and closed by keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from aidge_nb.scheduling import StaticSchedule
from aidge_nb.widgets import build_scene
from aidge_nb.widgets.shared import PANELS
from tests.widgets.browser.bench import Bench
from tests.widgets.loops import chain_of_rates, lstm

pytestmark = pytest.mark.browser

BOXES = """() => [...document.querySelectorAll(".anb-overlay button")].map((each) => {
  const {left, top, right, bottom} = each.getBoundingClientRect();
  return {label: each.ariaLabel, left, top, right, bottom};
})"""


def opened(browser: Browser, folder: Path, schedule: StaticSchedule, width: int = 1440) -> Bench:
    bench = Bench(browser, viewport={"width": width, "height": 800})
    bench.open_widget(build_scene(schedule=schedule), panels=["factorized"])
    return bench


def boxes(bench: Bench) -> list[dict[str, Any]]:
    bench.settle()
    found: list[dict[str, Any]] = bench.page.evaluate(BOXES)
    return found


def test_fifty_and_a_million_turns_have_frames_at_the_same_place(
    browser: Browser, tmp_path: Path, artifacts: Path
) -> None:
    places = []
    for turns in (50, 10**6):
        bench = opened(browser, tmp_path, lstm(turns))
        (frame,) = boxes(bench)
        assert "every 8 steps" in frame["label"]
        places.append([round(frame[edge], 1) for edge in ("left", "right")])
        bench.page.screenshot(path=artifacts / f"folded-{turns}.png")
        assert bench.complaints == []
        bench.page.close()
    assert places[0] == places[1]


def test_two_turns_and_the_last_one_are_equally_wide(
    browser: Browser, tmp_path: Path, artifacts: Path
) -> None:
    bench = opened(browser, tmp_path, lstm(50))
    bench.page.get_by_role("button", name="Show two turns of the loop").click()
    frames = boxes(bench)
    assert [frame["label"].split(", ")[2].split(":")[0] for frame in frames] == [
        "steps 17–24",
        "steps 25–32",
        "steps 385–392",
    ]
    widths = [frame["right"] - frame["left"] for frame in frames]
    assert max(widths) - min(widths) < 1
    assert abs(frames[0]["right"] - frames[1]["left"]) < 1
    bench.page.screenshot(path=artifacts / "folded-open.png")
    bench.page.get_by_role("spinbutton", name="first turn shown").fill("20")
    bench.page.keyboard.press("Tab")
    assert "steps 169–176" in boxes(bench)[0]["label"]
    bench.page.get_by_role("button", name="Fewer turns").click()
    bench.page.get_by_role("button", name="Fewer turns").click()
    (closed,) = boxes(bench)
    assert "open 2 turns" in closed["label"]
    assert bench.complaints == []
    bench.page.close()


@pytest.mark.parametrize("width", [1440, 390, 320])
def test_the_legend_says_how_each_mark_reads(browser: Browser, tmp_path: Path, width: int) -> None:
    bench = Bench(browser, viewport={"width": width, "height": 800})
    bench.page.add_init_script(
        """
        window.texts = [];
        const write = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
          const end = x + this.measureText(text).width;
          const { width, height } = this.canvas.getBoundingClientRect();
          texts.push([text, x, end, y, width, height]);
          write.call(this, text, x, y);
        };
        """
    )
    bench.open(build_scene(schedule=lstm(50)), tmp_path)
    texts = {text: place for text, *place in bench.page.evaluate("texts")}
    marks = PANELS["folded"]["marks"]
    shown = [marks[kind] for kind in marks if kind != "guest" or width == 1440]
    for text in shown:
        left, end, y, wide, high = texts[text]
        assert 0 < left < end <= wide, text
        assert 0 < y <= high - 6, text
    rows = bench.page.evaluate("texts.filter(([text]) => /gate|cell/i.test(text)).length")
    assert rows > 5, "the legend leaves the rows their room"
    bench.page.close()


def test_tab_reaches_the_frame_and_enter_opens_it(browser: Browser, tmp_path: Path) -> None:
    bench = opened(browser, tmp_path, lstm(50))
    frame = bench.page.locator(".anb-overlay button").first
    frame.focus()
    bench.page.keyboard.press("Enter")
    bench.settle()
    assert bench.page.locator(".anb-overlay button").count() == 3
    focused = "document.activeElement.getAttribute('aria-expanded')"
    assert bench.page.evaluate(focused) == "true"
    bench.page.keyboard.press("Enter")
    bench.settle()
    assert bench.page.locator(".anb-overlay button").count() == 1
    bench.page.close()


def test_the_card_of_the_loop_leads_to_what_sets_its_pace(browser: Browser, tmp_path: Path) -> None:
    bench = opened(browser, tmp_path, lstm(50))
    card = bench.page.locator(".anb-card[data-kind=loop]")
    assert card.locator(".anb-figure").inner_text() == "×47, every 8 steps"
    assert "17 + 47×8 + 8 = 401 steps" in card.inner_text()
    card.get_by_text("hidden_state", exact=True).click()
    bench.settle()
    assert bench.selected == "lstm_hidden_state"
    assert bench.complaints == []
    bench.page.close()


@pytest.mark.parametrize("width", [390, 960, 1440])
def test_frames_lie_in_their_frame_and_in_the_view(
    browser: Browser, tmp_path: Path, artifacts: Path, width: int
) -> None:
    chain = chain_of_rates([(1, 1), (1, 4), (1, 1), (120, 1)], 2400)
    bench = opened(browser, tmp_path, chain, width)
    found = {each["label"].split(",")[0]: each for each in boxes(bench)}
    outer, inner = found["×78"], found.get("×28")
    bench.page.screenshot(path=artifacts / f"nested-{width}.png")
    assert 0 <= outer["left"] <= outer["right"] <= width
    if inner is not None:
        assert outer["left"] <= inner["left"] <= inner["right"] <= outer["right"] + 0.5
        assert outer["bottom"] <= inner["top"]
    bench.page.locator(".anb-overlay button").first.click()
    assert bench.complaints == []
    bench.page.close()


def test_all_steps_are_drawn_unless_they_are_too_many(browser: Browser, tmp_path: Path) -> None:
    bench = opened(browser, tmp_path, lstm(50))
    before = bench.panels()["factorized"]
    bench.page.get_by_role("button", name="Show every step").click()
    bench.settle()
    assert bench.panels()["factorized"] > 5 * before
    bench.page.close()
    bench = opened(browser, tmp_path, lstm(10**6))
    button = bench.page.get_by_role("button", name="Show every step")
    assert button.is_disabled()
    assert "8,000,001 steps are too many" in (button.get_attribute("title") or "")
    bench.page.close()
