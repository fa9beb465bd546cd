"""Moving and zooming, by mouse, wheel and keyboard; what is picked is brought into view."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

import aidge_nb
from aidge_nb.widgets import build_scene
from aidge_nb.widgets.scene.tiles.tiling import tiling_scene
from tests.widgets.browser.bench import CANVASES, Bench
from tests.widgets.models import residual


def test_what_is_selected_elsewhere_is_brought_into_view(bench: Bench) -> None:
    bench.page.focus("[data-panel=timeline] .anb-stage canvas")
    bench.press(*["ArrowDown"] * 13)
    assert bench.selected == "b2_add"
    for panel in CANVASES:
        bench.place(panel, "b2_add")


def test_bringing_into_view_leaves_no_room_free(browser: Browser) -> None:
    opened = Bench(browser, viewport={"width": 1280, "height": 900})
    opened.open_widget(build_scene(*residual(30)))
    opened.page.get_by_role("button", name="Draw each block as one box").click()
    opened.settle()
    graph = "(([panel]) => panel)(document.querySelector('.aidge-nb').workbench.panels)"
    ends = f"(g => [g.top, g.top + g.data.depth * g.scale - g.height])({graph})"
    left = opened.page.evaluate(f"{graph}.left")
    first = opened.page.evaluate(ends)
    opened.put("selected", "b29_add")
    last = opened.page.evaluate(ends)
    assert last[0] < first[0]
    assert last[1] == pytest.approx(-first[0], abs=1), "as much room below as there was above"
    opened.put("selected", "stem")
    assert opened.page.evaluate(ends) == pytest.approx(first)
    assert opened.page.evaluate(f"{graph}.left") == left, "what is seen across stays"
    opened.page.close()


def test_zooming_by_keyboard_and_wheel_keeps_time_together(bench: Bench) -> None:
    bench.page.focus("[data-panel=timeline] .anb-stage canvas")
    before = {panel: bench.image(panel) for panel in CANVASES}
    bench.press("+", "+")
    assert bench.image("timeline") != before["timeline"]
    assert bench.image("memory") != before["memory"]
    bench.press("0")
    assert bench.image("memory") == before["memory"]
    x, y = bench.place("memory", "b1_add")
    bench.page.mouse.move(x, y)
    bench.page.keyboard.down("Control")
    bench.page.mouse.wheel(0, -240)
    bench.page.keyboard.up("Control")
    bench.page.mouse.move(2, 2)
    bench.settle()
    assert bench.image("timeline") != before["timeline"]


def test_a_plain_wheel_scrolls_what_is_longer_than_its_panel(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 1280, "height": 600})
    bench.settle()
    before = {panel: bench.image(panel) for panel in CANVASES}
    box = bench.page.locator("[data-panel=timeline] .anb-stage canvas").bounding_box()
    assert box is not None
    bench.page.mouse.move(box["x"] + box["width"] - 30, box["y"] + box["height"] - 10)
    bench.page.mouse.wheel(0, 60)
    bench.page.mouse.move(2, 2)
    bench.settle()
    assert bench.image("timeline") != before["timeline"]
    assert bench.image("memory") == before["memory"], "the steps that are shown are the same"
    assert bench.page.evaluate("scrollY") == 0


@pytest.mark.parametrize(("panel", "turn"), [("graph", -120), ("memory", 120)])
def test_a_plain_wheel_scrolls_the_page_that_is_longer_than_the_window(
    bench: Bench, panel: str, turn: int
) -> None:
    bench.page.set_viewport_size({"width": 700, "height": 600})
    bench.settle()
    canvas = bench.page.locator(f"[data-panel={panel}] .anb-stage canvas")
    canvas.scroll_into_view_if_needed()
    bench.settle()
    before, top = bench.image(panel), bench.page.evaluate("scrollY")
    canvas.hover()
    # The graph stands at the end of a narrow page: from there, the way is back.
    bench.page.mouse.wheel(0, turn)
    bench.page.wait_for_function("([top, turn]) => (scrollY - top) * turn > 0", arg=[top, turn])
    bench.page.mouse.move(1, 1)
    bench.settle()
    assert bench.image(panel) == before


def test_moving_and_zooming_the_other_axis_by_keyboard(bench: Bench) -> None:
    for panel in CANVASES:
        bench.page.focus(f"[data-panel={panel}] .anb-stage canvas")
        bench.press("+", "+", "]", "]", "]")
        seen = [bench.image(panel)]
        bench.press("Shift+ArrowDown", "Shift+ArrowRight")
        seen.append(bench.image(panel))
        bench.press("[")
        seen.append(bench.image(panel))
        assert len(set(seen)) == 3, panel
        bench.press("0")
    assert bench.selected == ""


def test_dragging_moves_without_selecting(bench: Bench) -> None:
    before = bench.image("graph")
    x, y = bench.place("graph", "stem")
    bench.page.mouse.move(x, y)
    bench.page.mouse.down()
    bench.page.mouse.move(x + 80, y + 40, steps=4)
    bench.page.mouse.up()
    bench.settle()
    assert bench.selected == ""
    assert bench.image("graph") != before


def test_the_selected_bar_is_drawn_at_any_zoom(bench: Bench) -> None:
    bench.click("graph", "b0_side")
    bench.page.focus("[data-panel=timeline] .anb-stage canvas")
    for key in ("+", "+", "+", "0", "0", "-"):
        bench.press(key)
        bench.place("timeline", "b0_side")


def test_a_panel_can_be_enlarged(bench: Bench) -> None:
    enlarge = bench.page.get_by_role("button", name="Enlarge the memory view")
    enlarge.click()
    box = bench.page.locator("[data-panel=memory]").bounding_box()
    assert box is not None
    assert box["width"] > 1200
    assert not bench.page.locator("[data-panel=graph]").is_visible()
    enlarge.click()
    assert bench.page.locator("[data-panel=graph]").is_visible()


def test_the_canvas_is_as_sharp_as_the_screen(browser: Browser, tmp_path: Path) -> None:
    opened = Bench(browser, device_scale_factor=2).open(build_scene(*residual(1)), tmp_path)
    ratio = opened.page.evaluate(
        "() => { const canvas = document.querySelector('canvas');"
        " return canvas.width / canvas.clientWidth; }"
    )
    assert ratio == pytest.approx(2, abs=0.02)
    opened.page.close()


def test_a_title_stays_at_the_top_of_its_panel(bench: Bench) -> None:
    bench.page.add_style_tag(content=".anb-stage { min-height: 900px !important }")
    for panel in CANVASES:
        bench.page.focus(f"[data-panel={panel}] .anb-stage canvas")
        bench.page.locator(f"[data-panel={panel}] .anb-stage canvas").evaluate(
            "canvas => canvas.scrollIntoView({block: 'end'})"
        )
        frame = bench.page.locator(f"[data-panel={panel}]").bounding_box()
        title = bench.page.locator(f"[data-panel={panel}] .anb-head").bounding_box()
        assert frame is not None
        assert title is not None
        assert title["y"] == pytest.approx(max(0, frame["y"]), abs=1.5), panel


def test_a_title_stays_in_sight_while_its_panel_does(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 700, "height": 160})
    canvas = bench.page.locator("[data-panel=timeline] .anb-stage canvas")
    canvas.evaluate("canvas => canvas.scrollIntoView({block: 'end'})")
    frame = bench.page.locator("[data-panel=timeline]").bounding_box()
    title = bench.page.locator("[data-panel=timeline] .anb-head").bounding_box()
    assert frame is not None
    assert title is not None
    assert frame["y"] < -1
    assert title["y"] == pytest.approx(0, abs=1.5)


def test_a_view_that_was_hidden_comes_back_as_it_was(bench: Bench) -> None:
    before = {panel: bench.image(panel) for panel in CANVASES}
    show = "shown => { document.querySelector('.anb-panels').style.display = shown; }"
    for shown in ("none", ""):
        bench.page.evaluate(show, shown)
        bench.settle()
    assert {panel: bench.image(panel) for panel in CANVASES} == before


def test_a_tile_that_is_picked_is_brought_into_view(browser: Browser, tmp_path: Path) -> None:
    convs = [aidge_nb.PaddedConv2D(2, 2, [3, 3], f"conv{n}", None, [1] * 4) for n in range(5)]
    view = aidge_nb.sequential(convs)
    view.forward_dims([[1, 2, 16, 16]])
    opened = Bench(browser).open(tiling_scene(aidge_nb.plan_tiling(view, convs, {2: 4})), tmp_path)
    opened.page.focus("[data-panel=tiling] .anb-stage canvas")
    opened.press(*["+"] * 5)
    opened.press(*["Shift+ArrowLeft"] * 40)
    opened.press("ArrowRight", "ArrowRight")
    assert opened.selected == "tile 1"
    x, _ = opened.place("tiling", "tile 1")
    box = opened.page.locator("[data-panel=tiling] .anb-stage canvas").bounding_box()
    assert box is not None
    assert box["x"] < x < box["x"] + box["width"]
    opened.page.close()
