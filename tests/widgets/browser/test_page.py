"""The page in a real browser: drawn, linked, by mouse and by keyboard, asking for nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from aidge_nb import ReLU, Tanh, sequential
from aidge_nb.widgets import build_scene, query_bench, workbench
from tests.widgets.browser.bench import CANVASES, Bench
from tests.widgets.browser.test_looks import LISTEN, written
from tests.widgets.models import EVIL, LONG, plan_of, residual, schedule_of, snapshot


def test_every_panel_is_drawn(bench: Bench, artifacts: Path) -> None:
    drawn = bench.panels()
    assert list(drawn) == ["graph", "timeline", "memory", "alive", "details"]
    assert all(drawn.values())
    assert bench.page.locator("[data-panel=alive] tbody tr").count() > 0
    bench.show_nodes()
    drawn = bench.panels()
    assert list(drawn) == ["graph", "timeline", "memory", "table", "details"]
    assert all(drawn.values())
    for panel in CANVASES:
        assert bench.colours(panel) > 5, panel
    bench.page.screenshot(path=artifacts / "light.png")


@pytest.mark.parametrize("panel", CANVASES)
def test_hovering_in_one_panel_shows_in_all(bench: Bench, panel: str) -> None:
    others = [other for other in CANVASES if other != panel]
    before = {other: bench.image(other) for other in others}
    bench.hover(panel, "b0_side")
    assert bench.hovered == "b0_side"
    assert all(bench.image(other) != before[other] for other in others)
    assert "b0_side" in bench.page.inner_text(".anb-tip")
    bench.page.mouse.move(2, 2)
    bench.settle()
    assert bench.hovered == ""
    assert all(bench.image(other) == before[other] for other in others)


@pytest.mark.parametrize("panel", CANVASES)
def test_clicking_in_one_panel_selects_in_all(bench: Bench, panel: str, artifacts: Path) -> None:
    others = [other for other in CANVASES if other != panel]
    before = {other: bench.image(other) for other in others}
    bench.click(panel, "b0_side")
    assert bench.selected == "b0_side"
    assert all(bench.image(other) != before[other] for other in others)
    assert "b0_side" in bench.page.inner_text("[aria-selected=true]")
    assert "b0_side" in bench.page.inner_text("[data-part=details]")
    assert bench.page.inner_text(".anb-live") == "b0_side, FC, selected"
    bench.page.screenshot(path=artifacts / f"selected-in-{panel}.png")


def test_clicking_in_the_table_selects_in_all(bench: Bench) -> None:
    bench.show_nodes()
    before = {panel: bench.image(panel) for panel in CANVASES}
    bench.page.get_by_role("gridcell", name="b0_relu").click()
    bench.settle()
    assert bench.selected == "b0_relu"
    assert all(bench.image(panel) != before[panel] for panel in CANVASES)


def test_clicking_beside_everything_clears_the_selection(bench: Bench) -> None:
    bench.click("graph", "stem")
    box = bench.page.locator("[data-panel=graph] .anb-stage canvas").bounding_box()
    assert box is not None
    bench.page.mouse.click(box["x"] + 3, box["y"] + 3)
    assert bench.selected == ""


def test_arrow_keys_follow_the_edges_of_the_graph(bench: Bench) -> None:
    bench.page.focus("[data-panel=graph] .anb-stage canvas")
    bench.press("ArrowDown")
    assert bench.selected == "stem"
    bench.press("ArrowDown")
    first = bench.selected
    assert first in ("b0_conv", "b0_side")
    bench.press("ArrowRight" if first == "b0_conv" else "ArrowLeft")
    assert bench.selected in ("b0_conv", "b0_side")
    bench.press("ArrowUp")
    assert bench.selected == "stem"
    bench.press("Escape")
    assert bench.selected == ""


def test_arrow_keys_move_through_the_other_panels(bench: Bench) -> None:
    for panel in ("timeline", "memory"):
        bench.press("Escape")
        bench.page.focus(f"[data-panel={panel}] .anb-stage canvas")
        bench.press("ArrowRight", "ArrowRight")
        assert bench.selected == "b0_conv"
        bench.press("ArrowLeft")
        assert bench.selected == "stem"


def test_the_keys_are_listed_when_asked_for(bench: Bench, artifacts: Path) -> None:
    keys = bench.page.get_by_role("region", name="Keys and words, and what they mean")
    assert not keys.is_visible()
    bench.page.focus("[data-panel=graph] .anb-stage canvas")
    bench.press("?")
    assert "with Ctrl or ⌘ it zooms" in keys.inner_text()
    bench.page.screenshot(path=artifacts / "help.png")
    assert bench.width_to_scroll() <= 0
    bench.press("Escape")
    assert not keys.is_visible()


def test_steps_of_weights_alone_are_not_shown_without_weights(bench: Bench) -> None:
    bench.page.get_by_role("button", name="Count what can run at once").click()
    first = "document.querySelector('.aidge-nb').workbench.panels[1].axis.start"
    assert bench.page.evaluate(first) == 1
    producers = bench.page.get_by_role("button", name="Show when weights are produced")
    producers.click()
    assert bench.page.evaluate(first) == 0
    producers.click()
    assert bench.page.evaluate(first) == 1


def test_weights_and_names_can_be_switched(bench: Bench) -> None:
    bench.page.get_by_role("button", name="Count what can run at once").click()
    rows = "document.querySelector('.aidge-nb').workbench.panels[1].rows.length"
    count = bench.page.evaluate(rows)
    bench.page.get_by_role("button", name="Show when weights are produced").click()
    bench.settle()
    assert bench.page.evaluate(rows) == count + 3
    before = bench.image("memory")
    bench.page.get_by_role("button", name="Write the names of the buffers").click()
    bench.settle()
    assert bench.image("memory") != before


def test_the_theme_can_be_switched(bench: Bench, artifacts: Path) -> None:
    before = bench.image("memory")
    assert bench.page.get_attribute(".aidge-nb", "data-theme") == "light"
    bench.page.get_by_role("button", name="Switch between light and dark").click()
    bench.settle()
    assert bench.page.get_attribute(".aidge-nb", "data-theme") == "dark"
    assert bench.image("memory") != before
    bench.page.screenshot(path=artifacts / "dark.png")


def test_the_theme_follows_the_system(bench: Bench) -> None:
    bench.page.emulate_media(color_scheme="dark")
    bench.page.wait_for_selector(".aidge-nb[data-theme=dark]")


def test_the_table_can_be_sorted(bench: Bench) -> None:
    bench.show_nodes()
    head = bench.page.get_by_role("columnheader", name="node")
    for order in ("ascending", "descending"):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == order
    first = bench.page.locator("[data-panel=table] [data-node]").first
    assert "stem" in first.inner_text()


def test_numbers_are_sorted_from_the_largest_on(bench: Bench) -> None:
    bench.show_nodes()
    head = bench.page.get_by_role("columnheader", name="first step")
    for order, name in (("descending", "b2_add"), ("ascending", "stem")):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == order
        first = bench.page.locator("[data-panel=table] [data-node]").first
        assert name in first.inner_text()


def test_what_the_peak_leaves_out_is_said(bench: Bench) -> None:
    assert bench.page.inner_text("[data-panel=memory] .anb-hint") == "without inputs and weights"


@pytest.mark.parametrize("width", [1024, 700, 400])
def test_the_page_does_not_scroll_sideways(bench: Bench, width: int, artifacts: Path) -> None:
    bench.page.set_viewport_size({"width": width, "height": 800})
    bench.settle()
    assert bench.width_to_scroll() <= 0
    bench.page.screenshot(path=artifacts / f"width-{width}.png", full_page=True)
    bench.show_nodes()
    assert bench.width_to_scroll() <= 0
    name, search, table = (
        bench.page.locator(part).bounding_box()
        for part in ("h2", ".anb-actions", "[data-panel=table]")
    )
    assert name is not None
    assert search is not None
    assert table is not None
    is_row = search["y"] < name["y"] + name["height"]
    assert is_row == (width > 480), "name and search share a row, but on a phone"
    assert search["x"] + search["width"] > width - 20, "the search is at the right"
    assert table["height"] < 500
    if "graph" not in bench.panels():
        bench.page.get_by_role("button", name="Show graph").click()
        bench.settle()
        assert bench.width_to_scroll() <= 0
    graph = bench.page.locator("[data-panel=graph]").bounding_box()
    assert graph is not None
    assert graph["height"] > 300


@pytest.mark.parametrize("width", [320, 390])
def test_a_phone_shows_names_and_titles_whole(browser: Browser, tmp_path: Path, width: int) -> None:
    opened = Bench(browser, viewport={"width": width, "height": 844})
    opened.page.add_init_script(LISTEN)
    graph, schedule, _ = residual(12)
    scene = build_scene(graph, schedule, plan_of([node.name for node in graph.nodes]))
    opened.open(replace(scene, title="a_network_with_a_name_of_several_words"), tmp_path)
    cut = opened.page.evaluate(
        """() => [...document.querySelectorAll("h2, .anb-head h3, .anb-head .anb-hint")]
          .filter(each => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
          .map(each => each.textContent)"""
    )
    assert cut == []
    assert opened.width_to_scroll() <= 0
    names = {row.name.split("_")[-1] for row in scene.nodes}
    labels = [each["text"] for each in written(opened, "memory")]
    assert any(label.split("_")[-1].split(" ")[-1] in names for label in labels), labels
    opened.page.close()


def test_names_inject_nothing(browser: Browser, tmp_path: Path, artifacts: Path) -> None:
    names = [EVIL, LONG, "\ud800\x00", "漢字", EVIL + "2"]
    edges = [(index, index + 1) for index in range(4)]
    spans = [(index, index) for index in range(5)]
    scene = build_scene(
        snapshot(names, edges, name=EVIL), schedule_of(names, spans), plan_of(names)
    )
    opened = Bench(browser)
    opened.page.on("dialog", lambda dialog: opened.complaints.append(dialog.message))
    opened.open(scene, tmp_path)
    for panel in CANVASES:
        opened.click(panel, EVIL)
        assert opened.selected == EVIL
        opened.hover(panel, EVIL)
    opened.click("graph", LONG)
    assert opened.selected == LONG
    assert opened.page.locator(".aidge-nb img").count() == 0
    assert opened.width_to_scroll() <= 0
    assert opened.complaints == []
    assert len(opened.requests) == 1
    opened.page.screenshot(path=artifacts / "names.png")
    opened.page.close()


def test_empty_values_are_shown_as_empty(browser: Browser, tmp_path: Path) -> None:
    opened = Bench(browser).open(build_scene(snapshot([], []), schedule_of([], [])), tmp_path)
    assert "nothing fires" in opened.page.inner_text("[role=note]")
    opened.page.keyboard.press("ArrowDown")
    assert opened.complaints == []
    opened.page.close()


def test_without_scripts_there_are_pictures(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    opened = Bench(browser, java_script_enabled=False)
    from aidge_nb.widgets import to_html

    path.write_text(to_html(build_scene(*residual(1))), encoding="utf-8")
    opened.page.goto(path.as_uri())
    assert opened.page.locator("svg:visible").count() == 4
    opened.page.close()


def test_a_page_of_a_view_begins_as_the_view_is(browser: Browser, tmp_path: Path) -> None:
    view = workbench(*residual(3), panels=["memory", "table"], selected="stem", theme="dark")
    view.query, view.step, view.time_range = "add", 3, (1.0, 4.0)
    page = tmp_path / "view.html"
    page.write_text(view.to_html(), encoding="utf-8")
    bench = Bench(browser)
    bench.page.goto(page.as_uri())
    bench.page.wait_for_selector("[data-ready=true]")
    assert list(bench.panels()) == ["memory", "alive", "details"]
    assert bench.selected == "stem"
    assert bench.page.input_value("[role=searchbox], input[type=search]") == "add"
    state = "document.querySelector('.aidge-nb').workbench.store.state"
    assert bench.page.evaluate(f"[{state}.step, ...{state}.timeRange]") == [3, 1, 4]
    assert bench.page.get_attribute(".aidge-nb", "data-theme") == "dark"
    assert bench.complaints == []
    bench.page.close()


def test_a_page_shows_what_a_graph_query_found(browser: Browser, tmp_path: Path) -> None:
    view = query_bench(sequential([ReLU(name="a"), Tanh(name="b"), ReLU(name="c")]), "ReLU->Tanh")
    page = tmp_path / "query.html"
    page.write_text(view.to_html(), encoding="utf-8")
    bench = Bench(browser)
    bench.page.goto(page.as_uri())
    bench.page.wait_for_selector("[data-ready=true]")
    assert bench.page.get_attribute(".aidge-nb", "data-matches") == "2"
    bench.page.close()
