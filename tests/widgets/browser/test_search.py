"""Searching: what is found stands out, and the current match is brought into view."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from aidge_nb.widgets import build_scene
from tests.widgets.browser.bench import CANVASES, Bench
from tests.widgets.models import residual, snapshot

FAR = "b20_add"
TOP = "document.querySelector('.aidge-nb').workbench.panels[0].top"


def test_searching_by_keyboard(bench: Bench, artifacts: Path) -> None:
    before = {panel: bench.image(panel) for panel in CANVASES}
    bench.press("/")
    bench.page.keyboard.type("b1_ SIDE")
    bench.settle()
    assert bench.page.get_attribute(".aidge-nb", "data-matches") == "1"
    assert bench.page.inner_text(".anb-found") == "1 match"
    assert bench.page.locator("[data-panel=table] [data-node]").count() == 1
    assert all(bench.image(panel) != before[panel] for panel in CANVASES)
    bench.page.screenshot(path=artifacts / "search.png")
    bench.press("Escape")
    assert bench.page.get_attribute(".aidge-nb", "data-matches") == ""
    assert bench.page.input_value("input[type=search]") == ""


def test_enter_goes_from_match_to_match_and_escape_leaves(bench: Bench) -> None:
    bench.page.focus("[data-panel=memory] .anb-stage canvas")
    bench.press("/")
    bench.page.keyboard.type("_add")
    found = []
    for key in ("Enter", "Enter", "Enter", "Enter", "Shift+Enter"):
        bench.press(key)
        found.append((bench.selected, bench.page.inner_text(".anb-found")))
        for panel in CANVASES:
            bench.place(panel, str(bench.selected))
    assert found == [
        ("b0_add", "1 of 3"),
        ("b1_add", "2 of 3"),
        ("b2_add", "3 of 3"),
        ("b0_add", "1 of 3"),
        ("b2_add", "3 of 3"),
    ]
    bench.press("Escape")
    assert bench.page.input_value("input[type=search]") == ""
    assert bench.selected == "b2_add"
    focused = "document.activeElement.closest('[data-panel]')?.dataset.panel"
    assert bench.page.evaluate(focused) == "memory"
    bench.press("ArrowLeft")
    assert bench.selected == "b2_side"


def test_searching_brings_the_first_match_into_view(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1280, "height": 500})
    bench.press("/")
    bench.page.keyboard.type("b2_")
    bench.settle()
    assert bench.selected == ""
    for panel in CANVASES:
        bench.place(panel, "b2_conv")


def test_searching_in_vain_is_said_and_dims_nothing(bench: Bench, artifacts: Path) -> None:
    before = {panel: bench.image(panel) for panel in CANVASES}
    rows = bench.page.locator("[data-panel=table] [data-node]").count()
    bench.page.fill("input[type=search]", "nothing of the kind")
    bench.settle()
    assert bench.page.inner_text(".anb-found") == "no match"
    assert bench.page.get_attribute(".aidge-nb", "data-matches") == "0"
    assert {panel: bench.image(panel) for panel in CANVASES} == before
    assert bench.page.locator("[data-panel=table] [data-node]").count() == rows
    bench.page.screenshot(path=artifacts / "search-in-vain.png")


def test_a_long_query_fits_a_narrow_view(browser: Browser) -> None:
    narrow = Bench(browser, viewport={"width": 290, "height": 800})
    narrow.open_widget(build_scene(*residual(2)), query="Conv2D with a long name behind it")
    narrow.page.wait_for_function("document.querySelector('.anb-found').textContent")
    assert narrow.width_to_scroll() <= 0
    actions = narrow.page.locator(".anb-actions button")
    edges = actions.evaluate_all("all => all.map(each => each.getBoundingClientRect().right)")
    assert max(edges) <= 290
    narrow.page.close()


def test_the_closest_match_comes_first(browser: Browser) -> None:
    opened = Bench(browser)
    names = ["a_add", "addition", "mul", "add", "relu"]
    edges = [(0, 1), (1, 2), (2, 3), (3, 4)]
    opened.open_widget(build_scene(snapshot(names, edges, kinds=("ReLU",))))
    opened.page.focus("input[type=search]")
    opened.page.keyboard.type("Add")
    found = []
    for _ in names:
        opened.press("Enter")
        found.append((opened.selected, opened.page.inner_text(".anb-found")))
    assert found[:4] == [
        ("add", "1 of 3"),
        ("addition", "2 of 3"),
        ("a_add", "3 of 3"),
        ("add", "1 of 3"),
    ]
    rows = opened.page.locator("[data-panel=table] [data-node]")
    assert rows.evaluate_all("rows => rows.map(row => row.dataset.node)") == ["3", "1", "0"]
    opened.page.close()


POSES = "document.querySelector('.aidge-nb').workbench.panels.map(each => each.pose ?? null)"
RANGE = "document.querySelector('.aidge-nb').workbench.state.timeRange"


def test_views_go_back_when_what_is_typed_ends_in_vain(browser: Browser) -> None:
    opened = Bench(browser, viewport={"width": 1000, "height": 900})
    opened.open_widget(build_scene(*residual(30)))
    opened.put("time_range", [0, 12])
    before = opened.page.evaluate(POSES), opened.page.evaluate(RANGE)
    opened.page.focus("input[type=search]")
    opened.page.keyboard.type("b29_")
    opened.settle()
    for panel in CANVASES:
        opened.place(panel, "b29_conv")
    moved = opened.page.evaluate(POSES)
    assert moved != before[0]
    opened.page.keyboard.type("zebra", delay=5)
    opened.settle()
    assert (opened.page.evaluate(POSES), opened.page.evaluate(RANGE)) == before
    # Whoever moves a view by hand keeps it there.
    opened.page.fill("input[type=search]", "b29_")
    opened.settle()
    opened.page.evaluate("document.querySelector('.aidge-nb').workbench.panels[0].panBy(40, 40)")
    opened.settle()
    by_hand = opened.page.evaluate(POSES)[0]
    opened.page.fill("input[type=search]", "b29_zebra")
    opened.settle()
    after = opened.page.evaluate(POSES)
    assert after[0] == by_hand
    assert after[1:] == before[0][1:]
    opened.page.close()


def test_the_match_that_is_selected_is_brought_into_view_and_not_the_first(
    browser: Browser, artifacts: Path
) -> None:
    opened = Bench(browser, viewport={"width": 1000, "height": 900})
    opened.open_widget(build_scene(*residual(30)))
    for name, value in (("selected", FAR), ("selected", "stem"), ("selected", FAR)):
        opened.put(name, value)
    opened.put("query", "_add")
    assert opened.page.inner_text(".anb-found") == "21 of 30"
    for panel in CANVASES:
        opened.place(panel, FAR)
    opened.page.screenshot(path=artifacts / "asked-by-python.png")
    opened.put("selected", None)
    opened.put("query", "b29_")
    for panel in CANVASES:
        opened.place(panel, "b29_conv")
    opened.page.close()


def test_what_is_asked_for_before_the_view_has_a_size_is_seen_once_it_has(
    browser: Browser,
) -> None:
    opened = Bench(browser, viewport={"width": 1280, "height": 900})
    opened.open_widget(build_scene(*residual(30)), selected=FAR, query="_add")
    for panel in CANVASES:
        opened.place(panel, FAR)
    opened.page.set_viewport_size({"width": 700, "height": 900})
    opened.settle()
    for panel in CANVASES:
        opened.place(panel, FAR)
    opened.page.close()


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_views_move_gently_unless_motion_is_to_be_reduced(browser: Browser, motion: str) -> None:
    opened = Bench(browser, reduced_motion=motion)
    opened.open_widget(build_scene(*residual(30)))
    opened.page.clock.install()  # frames come when they are called for, however busy a machine is
    tops = [opened.page.evaluate(TOP)]
    opened.page.evaluate('kernel.set("query", "b29_add")')
    for _ in range(60):
        opened.page.clock.run_for(16)
        tops.append(opened.page.evaluate(TOP))
    tops = list(dict.fromkeys(tops))
    assert tops == sorted(tops, reverse=True)
    assert (len(tops) > 3) is (motion == "no-preference")
    opened.place("graph", "b29_add")
    opened.page.close()


def test_whoever_moves_the_view_ends_a_gentle_move(browser: Browser) -> None:
    opened = Bench(browser, reduced_motion="no-preference")
    opened.open_widget(build_scene(*residual(30)))
    opened.put("query", "b29_add")
    graph = opened.page.get_by_role("region", name="Graph")
    graph.get_by_role("button", name="Show the whole graph").click()
    opened.settle()
    top = opened.page.evaluate(TOP)
    opened.page.wait_for_timeout(400)
    assert opened.page.evaluate(TOP) == top
    opened.page.close()
