"""The time column in the browser: one ruler, one window and one playhead for all of its panels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from aidge_nb import plan_memory, static_schedule, zoo
from aidge_nb.widgets import Scene, build_scene
from aidge_nb.widgets.live.workbench import Workbench
from tests.widgets.browser.bench import Bench
from tests.widgets.models import residual

PLACES = """tick => {
  const {column, panels, store} = document.querySelector(".aidge-nb").workbench;
  const [schedule, memory] = ["timeline", "memory"].map(
    (name) => panels.find((panel) => panel.name === name));
  const left = (canvas) => canvas.getBoundingClientRect().left;
  const time = store.clock.at(tick);
  return [
    left(column.ruler.canvas) + column.ruler.map.x(time),
    left(schedule.canvas) + schedule.gutter + schedule.axis.toPixel(time, schedule.plotWidth),
    left(memory.canvas) + memory.x(tick),
  ];
}"""
WINDOW = "document.querySelector('.aidge-nb').workbench.store.window.units"


@pytest.fixture(scope="module")
def mobilenet() -> Scene:
    view = zoo.load("mobilenet_v2")
    view.forward_dims([[1, 3, 224, 224]], allow_data_dependency=True)
    schedule = static_schedule(view)
    return build_scene(view, schedule, plan_memory(view, schedule))


@pytest.fixture
def opened(browser: Browser, mobilenet: Scene) -> Iterator[Bench]:
    bench = Bench(browser, viewport={"width": 1440, "height": 1000}).open_widget(mobilenet)
    yield bench
    assert bench.complaints == []
    bench.page.close()


def same_x(bench: Bench, ticks: tuple[int, ...]) -> bool:
    found = [bench.page.evaluate(PLACES, tick) for tick in ticks]
    return all(max(places) - min(places) <= 0.5 for places in found)


@pytest.mark.parametrize("clock", ["tick", "step"])
def test_a_tick_has_one_x_in_all_panels(opened: Bench, clock: str) -> None:
    opened.put("clock", clock)
    assert same_x(opened, (0, 14, 20))
    opened.page.focus(".anb-ruler canvas")
    opened.press("+", "+", "ArrowRight")
    assert same_x(opened, (0, 14, 20))


def test_it_opens_with_the_peak_in_view_and_a_low_lane(opened: Bench, mobilenet: Scene) -> None:
    first, stop = opened.page.evaluate(WINDOW)
    assert (first, stop) == (0, 36), "the block of the peak, and two on either side"
    opened.page.focus("[data-panel=timeline] .anb-stage canvas")
    opened.press("p")
    assert opened.page.evaluate("kernel.traits.tick") == 14
    assert opened.page.evaluate(WINDOW) == [first, stop]
    stage = opened.page.locator("[data-panel=timeline] .anb-stage").bounding_box()
    assert stage is not None
    assert stage["height"] <= 112
    assert "tick 14 of 155 · step 15 · window 0–35 · 5.74 MiB in use" in opened.page.inner_text(
        ".anb-place"
    )


def test_keys_change_clock_layout_and_block(opened: Bench) -> None:
    opened.page.focus("[data-panel=timeline] .anb-stage canvas")
    opened.press("n", "n")
    assert opened.page.evaluate("kernel.traits.tick") == 3, "stem has the ticks 0 to 2"
    opened.press("c")
    assert opened.page.evaluate("[kernel.traits.clock, kernel.traits.step]") == ["step", 4]
    rows = "document.querySelector('.aidge-nb').workbench.panels[1].rows.length"
    assert opened.page.evaluate(rows) == 1, "no two firings can run at once"
    opened.press("l")
    assert opened.page.evaluate(rows) == 155


def test_a_brush_on_the_ruler_becomes_the_window(opened: Bench) -> None:
    box = opened.page.locator(".anb-ruler canvas").bounding_box()
    assert box is not None
    place = "at => document.querySelector('.aidge-nb').workbench.column.ruler.map.x(at)"
    from_x, to_x = (opened.page.evaluate(place, at) for at in (11.5, 18.5))
    opened.page.keyboard.down("Shift")
    opened.page.mouse.move(box["x"] + from_x, box["y"] + 12)
    opened.page.mouse.down()
    opened.page.mouse.move(box["x"] + to_x, box["y"] + 12, steps=3)
    opened.page.mouse.up()
    opened.page.keyboard.up("Shift")
    said = "document.querySelector('.aidge-nb').workbench.column.ruler.brushText([11, 19])"
    assert opened.page.evaluate(said) == "ticks 11–18 · 8 ticks · 5.74 MiB"
    opened.page.focus(".anb-ruler canvas")
    opened.press("Enter")
    assert opened.page.evaluate("kernel.traits.time_range") == [11, 19]


def test_the_overview_moves_the_window(opened: Bench) -> None:
    box = opened.page.locator(".anb-overview canvas").bounding_box()
    assert box is not None
    opened.page.mouse.click(box["x"] + box["width"] * 0.7, box["y"] + 50)
    opened.settle()
    first, stop = opened.page.evaluate(WINDOW)
    assert first > 50
    assert stop - first in (36, 37), "as many ticks as before"
    opened.page.focus(".anb-overview canvas")
    opened.press("ArrowLeft")
    assert opened.page.evaluate(WINDOW)[0] < first
    opened.page.mouse.dblclick(box["x"] + box["width"] * 0.7, box["y"] + 50)
    opened.settle()
    assert opened.page.evaluate(WINDOW) == [0, 155]


def test_the_overview_says_what_it_shows(opened: Bench) -> None:
    title = opened.page.locator(".anb-overview h3")
    assert title.inner_text() == "Overview ticks 0–154, 19 blocks: drag or click"
    canvas = opened.page.locator(".anb-overview canvas").bounding_box()
    above = title.bounding_box()
    assert canvas is not None
    assert above is not None
    assert above["y"] + above["height"] <= canvas["y"], "not over what is drawn"
    opened.put("clock", "step")
    assert "steps 1–155, 19 blocks" in title.inner_text()


def test_an_overview_without_memory_is_flat(
    browser: Browser, mobilenet: Scene, tmp_path: Path
) -> None:
    heights = []
    for scene in (mobilenet, replace(mobilenet, memory=None)):
        bench = Bench(browser, viewport={"width": 1440, "height": 1000}).open(scene, tmp_path)
        box = bench.page.locator(".anb-overview canvas").bounding_box()
        assert box is not None
        heights.append(box["height"])
        bench.page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 12)
        bench.settle()
        assert bench.page.evaluate(WINDOW)[0] > 50
        assert bench.complaints == []
        bench.page.close()
    assert heights[0] - heights[1] == 50, "no room for bytes that are not there"


def test_a_page_opens_with_the_clock_and_the_window_of_the_view(
    browser: Browser, tmp_path: Path
) -> None:
    view = Workbench(build_scene(*residual(3)), clock="step", time_range=(2, 6), step=3)
    page = tmp_path / "page.html"
    page.write_text(view.to_html(), encoding="utf-8")
    bench = Bench(browser)
    bench.page.goto(page.as_uri())
    bench.page.wait_for_selector("[data-ready=true]")
    state = "document.querySelector('.aidge-nb').workbench.state"
    assert bench.page.evaluate(f"[{state}.clock, {state}.timeRange, {state}.step]") == [
        "step",
        [2, 6],
        3,
    ]
    bench.page.close()
