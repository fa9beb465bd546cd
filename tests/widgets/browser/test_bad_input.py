"""What is wrong is said in place, and the view stays usable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser

from aidge_nb.widgets import Scene, build_scene
from aidge_nb.widgets.scene.parts import Nest, Row, SceneNode, Timeline
from tests.widgets.browser.bench import Bench
from tests.widgets.models import EVIL, LONG, plan_of, residual, snapshot


def test_sizes_that_are_no_numbers_are_said_in_place(browser: Browser, artifacts: Path) -> None:
    scene = build_scene(*residual(1))
    assert scene.memory is not None
    size = scene.memory.size.astype(np.float64)
    size[0] = np.nan
    memory = replace(scene.memory, size=size)  # type: ignore[arg-type]  # it is wrong on purpose
    broken = replace(scene, memory=memory)
    bench = Bench(browser).open_widget(broken)
    assert "not a number" in bench.page.inner_text("[role=note]")
    bench.page.screenshot(path=artifacts / "not-a-number.png")
    bench.click("graph", "stem")
    assert bench.selected == "stem"
    assert bench.complaints == []
    bench.page.close()


def test_names_of_markup_and_of_10_kb_are_text(browser: Browser, tmp_path: Path) -> None:
    scene = build_scene(snapshot([LONG, EVIL], [(0, 1)]), plan=plan_of([LONG, EVIL]))
    bench = Bench(browser, viewport={"width": 320, "height": 600}).open(scene, tmp_path)
    for name in (LONG, EVIL):
        bench.show_graph()
        bench.click("graph", name)
        assert bench.selected == name
        details = bench.page.inner_text("[data-panel=details]")
        assert name in details or (name[:8] in details and len(details) < len(name))
        assert bench.width_to_scroll() <= 0
    assert bench.page.locator(".aidge-nb :is(img, script)").count() == 0
    assert bench.complaints == []
    bench.page.close()


def test_a_million_bars_fit_on_a_small_screen(
    browser: Browser, tmp_path: Path, artifacts: Path
) -> None:
    count, rows = 1_000_000, 500
    place = np.arange(count, dtype=np.int64)
    slack = np.random.default_rng(0).integers(0, 9, count)
    none = np.empty(0, np.int64)
    timeline = Timeline(
        tuple(Row(f"op{row}", "ReLU", row, producer=False) for row in range(rows)),
        place % rows,
        place // 2,
        place // 2 + slack,
        count // 2 + 9,
        Nest(none, none, none, none, ()),
    )
    nodes = tuple(SceneNode(f"op{row}", "ReLU") for row in range(rows))
    bench = Bench(browser, viewport={"width": 400, "height": 600})
    bench.open(Scene("a million", nodes, timeline=timeline), tmp_path)
    assert 0 < bench.panels()["timeline"] < 50_000
    bench.page.screenshot(path=artifacts / "million.png")
    bench.press("ArrowDown", "+", "+")
    assert bench.selected
    assert bench.width_to_scroll() <= 0
    assert bench.complaints == []
    bench.page.close()


def test_a_measured_run_stands_beside_the_schedule(browser: Browser, tmp_path: Path) -> None:
    graph, schedule, _ = residual(1)
    runs = [("stem", 100.0, 130.0), ("b0_conv", 131.0, 180.0), ("b0_side", 140.0, 150.0)]
    bench = Bench(browser).open(build_scene(graph, schedule, measured=runs), tmp_path)
    assert bench.panels()["measured"] == 3
    bench.hover("measured", "b0_side")
    assert "takes 10 µs" in bench.page.inner_text(".anb-tip")
    bench.click("measured", "b0_side")
    assert bench.selected == "b0_side"
    bench.page.close()
