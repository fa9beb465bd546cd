"""Tiles, the front of a search, and the elements of a machine in the browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

import aidge_nb
from aidge_nb import hardware
from aidge_nb.tiling import tile_for
from aidge_nb.widgets import build_scene, explore_tiling, scene_of
from aidge_nb.widgets.scene.tiles.tiling import tiling_scene
from tests.widgets.browser.bench import Bench
from tests.widgets.browser.test_looks import LISTEN, written
from tests.widgets.models import mapping_of


def test_picking_a_tile_shows_what_it_needs(browser: Browser, tmp_path: Path) -> None:
    convs = [aidge_nb.PaddedConv2D(2, 2, [3, 3], f"conv{n}", None, [1, 1, 1, 1]) for n in range(3)]
    view = aidge_nb.sequential(convs)
    view.forward_dims([[1, 2, 32, 32]])
    tiling = aidge_nb.plan_tiling(view, convs, {2: 4})
    opened = Bench(browser).open(tiling_scene(tiling), tmp_path)
    before = {panel: opened.image(panel) for panel in ("tiling", "graph")}
    assert opened.panels()["graph"] > 4 * 3
    opened.click("tiling", "tile 2")
    assert opened.selected == "tile 2"
    assert all(opened.image(panel) != picture for panel, picture in before.items())
    opened.click("graph", "tile 1")
    assert opened.selected == "tile 1"
    assert "reads" not in opened.page.locator("[data-part=details] dt").all_inner_texts()
    opened.click("tiling", "tile 2")
    opened.press("ArrowRight")
    assert opened.selected == "tile 3"
    assert opened.complaints == []
    opened.page.close()


def test_all_maps_stay_in_sight_when_what_is_picked_is_tiled_anew(browser: Browser) -> None:
    convs = [aidge_nb.PaddedConv2D(2, 2, [3, 3], f"conv{n}", None, [1, 1, 1, 1]) for n in range(3)]
    view = aidge_nb.sequential(convs)
    view.forward_dims([[1, 2, 32, 32]])
    few, more = (tiling_scene(aidge_nb.plan_tiling(view, convs, {2: count})) for count in (4, 7))
    opened, fresh = Bench(browser).open_widget(few), Bench(browser).open_widget(more)
    for bench in (opened, fresh):
        bench.put("selected", "tile 1")
    opened.replace(more)
    assert opened.selected == "tile 1"
    assert opened.image("tiling") == fresh.image("tiling")
    for bench in (opened, fresh):
        assert bench.complaints == []
        bench.page.close()


def test_a_tile_of_a_grid_tells_its_own_part_from_its_halo(browser: Browser) -> None:
    convs = [aidge_nb.PaddedConv2D(2, 2, [3, 3], f"conv{n}", None, [1, 1, 1, 1]) for n in range(3)]
    view = aidge_nb.sequential(convs)
    view.forward_dims([[1, 2, 64, 64]])
    scene = tiling_scene(aidge_nb.plan_tiling(view, convs, {2: 2, 3: 2}))
    opened = Bench(browser, viewport={"width": 1440, "height": 900})
    opened.page.add_init_script(LISTEN)
    opened.open_widget(scene, selected="tile 0")
    texts = {each["text"] for each in written(opened, "tiling")}
    assert {"35×35", "34×34", "33×33", "32×32"} <= texts, "with halos, and without"
    assert opened.complaints == []
    opened.page.close()


def on_a_machine() -> tuple[aidge_nb.GraphView, hardware.Mapping]:
    """Two convolutions, the second computed together with what follows it."""
    convs = [aidge_nb.PaddedConv2D(8, 8, [3, 3], name, None, [1] * 4) for name in ("a", "b")]
    view = aidge_nb.sequential([*convs, aidge_nb.ReLU(name="relu")])
    view.forward_dims([[1, 8, 16, 16]])
    return view, hardware.map_schedule(view, hardware.target("quad_cluster"))


@pytest.mark.parametrize("unit", ["step", "tick"])
def test_a_step_is_marked_where_it_runs_on_a_machine(browser: Browser, unit: str) -> None:
    view, mapping = on_a_machine()
    schedule = aidge_nb.static_schedule(view) if unit == "step" else None
    plan = aidge_nb.plan_memory(view, view.topological_order())
    opened = Bench(browser, viewport={"width": 1200, "height": 1000})
    opened.open_widget(build_scene(view, schedule, plan, mapping=mapping), clock=unit)
    hint = "[data-panel=devices] .anb-hint"
    without = opened.image("devices")
    seen = set()
    first, last = (1, 2) if unit == "step" else (0, 1)
    for step in (first, last):
        opened.put("step", step)
        opened.settle()
        assert opened.page.text_content(hint) == f"marked: {unit} {step}"
        seen.add(opened.image("devices"))
    assert len(seen | {without}) == 3
    assert opened.page.inner_text(".anb-place").startswith(f"{unit} {last}")
    # What runs at the step is brought into view.
    opened.page.evaluate(
        """() => {
          const {panels} = document.querySelector(".aidge-nb").workbench;
          const devices = panels.find(({name}) => name === "devices");
          for (let turn = 0; turn < 20; turn++) devices.zoom({x: 1e4, y: 50}, 0.8, true);
        }"""
    )
    shown = "document.querySelector('.aidge-nb').workbench.panels.find(p => p.name === 'devices')"
    before = opened.page.evaluate(f"{shown}.axis.start")
    opened.put("step", first)
    spans = opened.page.evaluate(f"{shown}.marks.spans")
    start, stop = opened.page.evaluate(f"[{shown}.axis.start, {shown}.axis.stop]")
    assert start < before
    assert any(begin < stop and end > start for begin, end in spans)
    assert opened.complaints == []
    opened.page.close()


def test_what_is_computed_together_is_named_and_framed_together(browser: Browser) -> None:
    view, mapping = on_a_machine()
    opened = Bench(browser, viewport={"width": 1200, "height": 900})
    opened.open_widget(build_scene(view, mapping=mapping), panels=["graph", "devices"])
    opened.hover("devices", "relu")
    said = opened.page.inner_text(".anb-tip").split("\n")
    assert said[:2] == ["b", "together with relu"]
    assert said[2].startswith("on cluster/")
    opened.page.mouse.move(5, 5)
    images = []
    for node in ("a", "b", "relu"):
        opened.put("selected", node)
        opened.put("hovered", None)
        images.append(opened.image("devices"))
    # The nodes that are computed together are framed alike, and others are not.
    assert images[1] == images[2] != images[0]
    opened.page.close()


def test_a_tile_is_followed_through_devices_and_memories(browser: Browser, tmp_path: Path) -> None:
    opened = Bench(browser).open(scene_of(mapping_of()), tmp_path)
    before = opened.image("memory")
    opened.click("devices", "tile 3")
    assert opened.selected == "tile 3"
    assert opened.image("memory") != before
    opened.press(".", ".")
    assert "cluster/0/pe" in opened.page.inner_text(".anb-running")
    assert opened.complaints == []
    opened.page.close()


def test_tiles_stand_in_every_panel_of_the_explorer(browser: Browser, tmp_path: Path) -> None:
    """Map, devices with transfers, each memory and the roofline: one pick, all of them."""
    conv = aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")
    view = aidge_nb.sequential([conv])
    view.forward_dims([[1, 3, 66, 66]])
    made = explore_tiling(view, [conv], hardware.target("quad_cluster"))
    scene = made.bench.scene
    made.close()
    rows = [row.name for row in scene.devices.rows] if scene.devices else []
    assert "l2_bus" in rows
    assert {"Largest tile", "Recomputed", "Roofline"} == {chart.title for chart in scene.charts}
    opened = Bench(browser).open(scene, tmp_path)
    panels = [name for name in ("tiling", "memory", "charts") if name in scene.panels]
    before = {name: opened.image(name) for name in panels}
    opened.click("devices", "tile 2")
    assert opened.selected == "tile 2"
    assert all(opened.image(name) != before[name] for name in panels)
    assert opened.complaints == []
    opened.page.close()


def test_a_trade_off_is_picked_on_the_front(browser: Browser, tmp_path: Path) -> None:
    convs = [aidge_nb.PaddedConv2D(4, 4, [3, 3], f"conv{n}", None, [1] * 4) for n in range(3)]
    view = aidge_nb.sequential(convs)
    view.forward_dims([[1, 4, 32, 32]])
    opened = Bench(browser).open(scene_of(tile_for(view, memory=20_000)), tmp_path)
    opened.click("charts", "choice 1")
    assert opened.selected == "choice 1"
    assert opened.complaints == []
    opened.page.close()
