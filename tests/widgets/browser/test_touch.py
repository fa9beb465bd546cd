"""A report on a phone: fingers swipe, pinch and tap, and nothing needs a pointer that hovers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import aidge_nb
from aidge_nb.report import study
from aidge_nb.widgets import Scene, scene_of
from tests.widgets.browser.bench import Bench
from tests.widgets.models import mapping_of

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
STEPS = 10
SPAN = "(() => { const {start, stop} = document.querySelector('.aidge-nb').workbench.store.window"
SPAN += ".axis; return stop - start; })()"
START = SPAN.replace("stop - start", "start")


@pytest.fixture(scope="module")
def scene() -> Scene:
    made: Scene = study("zoo:mobilenet_v2@96").scene()
    return made


@pytest.fixture
def phone(browser: Browser, scene: Scene, tmp_path: Path) -> Bench:
    return Bench(browser, **PHONE).open(scene, tmp_path)


def middle(bench: Bench, panel: str) -> tuple[float, float]:
    """Bring the canvas of a panel into the middle of the screen; give its own middle."""
    canvas = bench.page.locator(f"[data-panel={panel}] .anb-stage canvas")
    canvas.evaluate("canvas => canvas.scrollIntoView({block: 'center', behavior: 'instant'})")
    box = canvas.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def fingers(bench: Bench, *paths: tuple[tuple[float, float], tuple[float, float]]) -> None:
    """Move fingers on the screen, each from one point to another, as the browser hears of them."""
    session = bench.page.context.new_cdp_session(bench.page)

    def put(kind: str, share: float) -> None:
        points = [
            {"x": x + share * (to_x - x), "y": y + share * (to_y - y), "id": number}
            for number, ((x, y), (to_x, to_y)) in enumerate(paths)
        ]
        lifted = kind == "touchEnd"
        session.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [] if lifted else points}
        )
        bench.settle()

    put("touchStart", 0)
    for step in range(1, STEPS + 1):
        put("touchMove", step / STEPS)
    put("touchEnd", 1)


def swipe(bench: Bench, at: tuple[float, float], dx: float, dy: float) -> None:
    fingers(bench, (at, (at[0] + dx, at[1] + dy)))


def pinch(bench: Bench, at: tuple[float, float], before: float, after: float) -> None:
    """Move two fingers, so far apart before and after, along a slanting line."""
    x, y = at
    fingers(
        bench,
        *(
            ((x + side * before, y + side * before / 4), (x + side * after, y + side * after / 4))
            for side in (-0.5, 0.5)
        ),
    )


@pytest.mark.parametrize("panel", ["timeline", "memory"])
def test_a_swipe_up_scrolls_the_page(phone: Bench, panel: str) -> None:
    at = middle(phone, panel)
    before, window = phone.page.evaluate("scrollY"), phone.page.evaluate(SPAN)
    swipe(phone, at, 0, -200)
    phone.page.wait_for_function(f"() => scrollY > {before + 100}")
    assert phone.page.evaluate(SPAN) == window
    assert phone.selected == ""
    phone.page.close()


def test_a_swipe_aside_moves_through_time(phone: Bench) -> None:
    at = middle(phone, "memory")
    before, scrolled = phone.page.evaluate(START), phone.page.evaluate("scrollY")
    swipe(phone, at, -120, 0)
    phone.page.wait_for_function(f"() => {START} > {before + 2}")
    assert phone.page.evaluate("scrollY") == scrolled
    assert phone.selected == ""
    phone.page.close()


@pytest.mark.parametrize("panel", ["timeline", "memory"])
def test_a_pinch_zooms_what_is_drawn_and_not_the_page(phone: Bench, panel: str) -> None:
    at = middle(phone, panel)
    before = phone.page.evaluate(SPAN)
    pinch(phone, at, 80, 160)
    phone.page.wait_for_function(f"() => {SPAN} < {0.75 * before}")
    assert phone.page.evaluate("visualViewport.scale") == 1
    assert phone.selected == ""
    pinch(phone, at, 160, 60)
    phone.page.wait_for_function(f"() => {SPAN} > {0.75 * before}")
    assert phone.complaints == []
    phone.page.close()


def test_the_graph_is_pinched_as_well(phone: Bench) -> None:
    phone.show_graph()
    at = middle(phone, "graph")
    before = phone.image("graph")
    pinch(phone, at, 80, 144)
    phone.page.wait_for_function(
        "before => document.querySelector('[data-panel=graph] .anb-stage canvas').toDataURL()"
        " !== before",
        arg=before,
    )
    assert phone.page.evaluate("visualViewport.scale") == 1
    phone.page.close()


def test_a_tap_picks_and_explains_until_the_next(phone: Bench, scene: Scene) -> None:
    middle(phone, "memory")
    name = next(
        node.name for node in scene.nodes if node.name.endswith("linearbottleneck1_relu0_fwd")
    )
    phone.page.touchscreen.tap(*phone.place("memory", name))
    phone.settle()
    assert phone.selected == name
    tip = phone.page.locator(".anb-tip")
    assert tip.is_visible()
    assert "relu0" in tip.inner_text()
    box = tip.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    phone.page.locator(".anb-header h2").tap()
    assert not tip.is_visible()
    phone.page.close()


def test_words_and_the_peak_are_a_tap_away(phone: Bench) -> None:
    term = phone.page.locator(".anb-card [data-term]").first
    word = term.get_attribute("data-term")
    term.tap()
    assert phone.page.locator(f".anb-help [data-word='{word}']").is_visible()
    phone.page.get_by_role("button", name="Keys and words, and what they mean").tap()
    phone.page.locator(".anb-card[data-kind=peak] .anb-figure").tap()
    phone.page.wait_for_function(
        "() => document.querySelector('.aidge-nb').dataset.selected !== ''"
    )
    phone.page.close()


def test_the_window_is_moved_by_a_finger(phone: Bench) -> None:
    overview = phone.page.locator(".anb-overview canvas")
    overview.evaluate("each => each.scrollIntoView({block: 'center', behavior: 'instant'})")
    box = overview.bounding_box()
    assert box is not None
    before = phone.page.evaluate(START)
    phone.page.touchscreen.tap(box["x"] + 0.8 * box["width"], box["y"] + 40)
    phone.page.wait_for_function(f"() => {START} > {before + 20}")
    phone.page.close()


def stripes() -> Scene:
    nodes = [aidge_nb.PaddedConv2D(8, 8, [3, 3], name="conv", padding_dims=[1] * 4)]
    graph = aidge_nb.sequential(nodes)
    graph.set_backend("cpu")
    graph.forward_dims([[1, 8, 64, 64]])
    return scene_of(aidge_nb.plan_tiling(graph, nodes, {2: 8}))


@pytest.mark.parametrize("name", ["mapping", "stripes"])
def test_other_views_explain_what_is_tapped(browser: Browser, tmp_path: Path, name: str) -> None:
    made = scene_of(mapping_of()) if name == "mapping" else stripes()
    phone = Bench(browser, **PHONE).open(made, tmp_path)
    assert phone.width_to_scroll() <= 0
    if name == "mapping":
        x, y = phone.place("devices", made.nodes[0].name)
    else:
        target = phone.page.locator(
            "[data-panel=needs] svg rect[data-stripe], [data-panel=needs] svg rect"
        ).nth(2)
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    phone.page.touchscreen.tap(x, y)
    phone.page.wait_for_function("() => !document.querySelector('.anb-tip').hidden")
    assert phone.complaints == []
    phone.page.close()
