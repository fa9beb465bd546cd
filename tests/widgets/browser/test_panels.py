"""Steps, filters, two plans compared, the algorithm, blocks and labels in the browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser

import aidge_nb
from aidge_nb.memory import Buffer, MemoryPlan
from aidge_nb.widgets import Scene, build_scene, scene_of
from aidge_nb.widgets.scene.debugger import debugger_scene
from aidge_nb.widgets.scene.tiles.tiling import tiling_scene
from aidge_nb.widgets.still.charts import Figures, figures_charts
from tests.widgets.browser.bench import CANVASES, Bench
from tests.widgets.models import mapping_of, repeated, residual, schedule_of

AXE = Path(__file__).resolve().parents[3] / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture
def bench(browser: Browser) -> Iterator[Bench]:
    opened = Bench(browser, viewport={"width": 1200, "height": 1000})
    opened.open_widget(build_scene(*residual(3)), step=None)
    yield opened
    assert opened.complaints == []
    opened.page.close()


def test_a_step_is_shown_in_all_panels_and_in_words(bench: Bench) -> None:
    bench.put("clock", "step")
    before = {panel: bench.image(panel) for panel in CANVASES}
    bench.page.get_by_role("slider", name="Playhead").focus()
    bench.press("ArrowRight", "ArrowRight")
    assert all(bench.image(panel) != before[panel] for panel in CANVASES)
    assert bench.page.inner_text(".anb-running") == "runs 2 in parallel: 0 · conv, 0 · side"
    assert bench.page.evaluate("kernel.traits.step") == 2
    bench.press(".")
    assert "may still run: 0 · side" in bench.page.inner_text(".anb-running")
    bench.press("Escape")
    assert all(bench.image(panel) == before[panel] for panel in CANVASES)


def test_a_buffer_in_blocks_is_one_buffer(browser: Browser) -> None:
    blocks = Buffer("tile", "a", 0, 96, 0, 1, 32, levels=((3, 64),))
    plan = MemoryPlan(("a", "b"), (blocks, Buffer("b", "b", 0, 64, 1, 2, 0)), 192, 96)
    opened = Bench(browser).open_widget(build_scene(plan=plan), step=None)
    opened.hover("memory", "a")
    said = opened.page.inner_text(".anb-tip")
    assert "96 B (96 bytes)" in said
    assert "a part of it: bytes" in said
    opened.click("memory", "a")
    details = opened.page.inner_text("[data-part=details]")
    assert details.count("96 B, in parts, from 32, tick 0") == 1
    opened.page.close()


def test_the_playhead_is_dragged_on_the_ruler(bench: Bench) -> None:
    box = bench.page.locator(".anb-ruler canvas").bounding_box()
    assert box is not None
    y = box["y"] + 10
    bench.page.mouse.move(box["x"] + box["width"] * 0.5, y)
    bench.page.mouse.down()
    bench.page.mouse.move(box["x"] + box["width"] * 0.9, y, steps=4)
    bench.page.mouse.up()
    tick, step = bench.page.evaluate("[kernel.traits.tick, kernel.traits.step]")
    assert tick == 11
    assert step == 8, "the step of the tick is told as well"
    assert bench.selected == ""


def test_what_cannot_be_put_off_is_marked_as_a_milestone(bench: Bench) -> None:
    bench.put("clock", "step")
    before = bench.image("timeline")
    bench.page.get_by_role("button", name="Mark what cannot be put off").click()
    bench.settle()
    assert bench.image("timeline") != before
    canvas = bench.page.locator("[data-panel=timeline] .anb-stage canvas")
    assert canvas.get_attribute("data-milestones") == "10", "the three sides have slack"
    assert "◆" in bench.page.inner_text("[data-panel=timeline] .anb-hint")


def test_playing_goes_from_step_to_step(bench: Bench) -> None:
    bench.page.get_by_role("button", name="Play (space)").click()
    bench.page.wait_for_function("kernel.traits.tick >= 3", timeout=20_000)
    bench.page.get_by_role("button", name="Play (space)").click()
    tick = bench.page.evaluate("kernel.traits.tick")
    bench.page.wait_for_timeout(1200)
    assert bench.page.evaluate("kernel.traits.tick") == tick


@pytest.mark.parametrize(("choice", "left"), [("step", 3), ("peak", 3), ("5", 5), ("10", 10)])
def test_buffers_can_be_filtered_and_the_table_sorts_them(
    bench: Bench, choice: str, left: int
) -> None:
    bench.put("tick", 3)
    before = bench.image("memory")
    bench.page.get_by_role("combobox", name="Which buffers to show").select_option(choice)
    bench.settle()
    assert bench.image("memory") != before
    bench.show_nodes()
    assert bench.page.inner_text("[data-panel=table] .anb-hint") == f"{left} of 13"
    bench.page.get_by_role("button", name="Sort by max buffer").click()
    sizes = bench.page.locator("[data-panel=table] [data-node] > :last-child").all_inner_texts()
    kib = [float(size.split()[0]) / (1024 if size.endswith(" B") else 1) for size in sizes]
    assert kib == sorted(kib, reverse=True)


def test_weights_have_a_region_of_their_own(bench: Bench, artifacts: Path) -> None:
    graph, schedule, plan = residual(3)
    nodes = tuple(replace(node, weight_bytes=64 * node.parameters) for node in graph.nodes)
    scene = build_scene(replace(graph, nodes=nodes), schedule, plan)
    meta, columns = scene.payload()
    put = "([meta, columns]) => { kernel.traits._meta = meta;"
    put += " kernel.set('_columns', new DataView(Uint8Array.from(columns).buffer)); }"
    bench.page.evaluate(put, [meta, list(columns)])
    bench.settle()
    button = bench.page.get_by_role("button", name="Show weights in a region of their own")
    button.click()
    bench.settle()
    memory = "document.querySelector('.aidge-nb').workbench.panels[2]"
    owners = [index for index, node in enumerate(graph.nodes) if node.parameters]
    assert bench.page.evaluate(f"{memory}.data.region.size") == 64 * 16 * len(owners)
    assert bench.page.evaluate(f"{memory}.data.region.base") > plan.peak
    bench.page.screenshot(path=artifacts / "weights.png")
    assert bench.panels()["memory"] == len(plan.buffers) + len(owners)
    bench.page.evaluate(put, [meta, list(columns)])
    bench.settle()
    assert button.get_attribute("aria-pressed") == "true", "what was chosen stays"
    button.click()
    bench.settle()
    assert bench.panels()["memory"] == len(plan.buffers)


def test_the_graph_is_coloured_by_device(browser: Browser, tmp_path: Path) -> None:
    graph, schedule, plan = residual(1)
    backends = ("cpu", "npu")
    nodes = tuple(
        replace(node, backend=backends[place % 2]) for place, node in enumerate(graph.nodes)
    )
    opened = Bench(browser).open(build_scene(replace(graph, nodes=nodes), schedule, plan), tmp_path)
    opened.show_graph()
    before = opened.image("graph")
    opened.page.get_by_role("combobox", name="What the colours stand for").select_option("device")
    opened.settle()
    assert opened.image("graph") != before
    assert opened.page.locator("[data-panel=graph] .anb-key").all_inner_texts() == ["cpu", "npu"]
    opened.page.close()


@pytest.mark.parametrize("choice", ["slack", "size"])
def test_the_colours_of_the_graph_can_be_chosen(bench: Bench, choice: str) -> None:
    before = bench.image("graph")
    bench.page.get_by_role("combobox", name="What the colours stand for").select_option(choice)
    bench.settle()
    assert bench.image("graph") != before


def test_two_plans_are_compared_and_move_into_each_other(browser: Browser, tmp_path: Path) -> None:
    graph, schedule, plan = residual(2)
    buffers = tuple(replace(each, offset=each.offset + 1000) for each in plan.buffers)
    before = replace(plan, buffers=buffers, peak=plan.peak + 1000)
    opened = Bench(browser, reduced_motion="no-preference")
    opened.open(build_scene(graph, schedule, plan, before=before), tmp_path)
    hint = opened.page.inner_text("[data-panel=memory] .anb-hint")
    assert "→" in hint
    assert "−" in hint
    after = opened.image("memory")
    opened.page.get_by_role("button", name="Move between both plans").click()
    opened.page.wait_for_timeout(250)
    between = opened.image("memory")
    opened.page.wait_for_timeout(1500)
    settled = opened.image("memory")
    assert len({after, between, settled}) == 3
    opened.page.get_by_role("button", name="Move between both plans").click()
    opened.page.wait_for_timeout(1800)
    assert opened.image("memory") == after
    opened.page.close()


def test_the_algorithm_goes_forwards_and_backwards(browser: Browser, tmp_path: Path) -> None:
    model = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    opened = Bench(browser).open(build_scene(traced=model), tmp_path)
    words = opened.page.locator("[data-panel=algorithm] li[aria-current] p").first
    first = words.inner_text()
    assert "makes the outputs of the graph" in first
    picture = opened.image("graph")
    opened.page.get_by_role("button", name="On to the next stage").click()
    opened.settle()
    assert "lacks nothing but data" in words.inner_text()
    assert opened.image("graph") != picture
    opened.page.get_by_role("button", name="A stage back").click()
    opened.settle()
    assert words.inner_text() == first
    assert opened.image("graph") == picture
    opened.page.close()


def test_repeated_blocks_are_collapsed_and_opened(browser: Browser, tmp_path: Path) -> None:
    opened = Bench(browser).open(build_scene(*residual(3)), tmp_path)
    drawn, before = opened.panels()["graph"], opened.image("graph")
    opened.page.get_by_role("button", name="Draw each block as one box").click()
    opened.settle()
    assert 0 < opened.panels()["graph"] < drawn
    opened.click("graph", "b1_relu")
    assert opened.selected == "b1_conv"
    assert opened.image("graph") != before
    opened.press("Enter")
    assert opened.panels()["graph"] > 4
    opened.place("graph", "b1_conv")
    assert opened.complaints == []
    opened.page.close()


def scenes() -> dict[str, Scene]:
    """Make a scene for each kind of panel."""
    convs = [aidge_nb.PaddedConv2D(2, 2, [3, 3], f"conv{n}", None, [1, 1, 1, 1]) for n in range(2)]
    view = aidge_nb.sequential(convs)
    view.forward_dims([[1, 2, 16, 16]])
    tilings = [aidge_nb.plan_tiling(view, convs, {2: rows}) for rows in (1, 2, 3)]
    graph, schedule, plan = residual(2)
    run = [("stem", 1.0, 3.0), ("b0_conv", 4.0, 9.0)]
    return {
        "tiles": replace(
            tiling_scene(tilings[2]), charts=figures_charts(list(map(Figures.of, tilings)), 3)
        ),
        "stripes": scene_of(tilings[2]),
        "devices": scene_of(mapping_of()),
        "algorithm": build_scene(traced=view),
        "debugger": debugger_scene(view, 300),
        "measured": build_scene(graph, schedule, plan, before=plan, measured=run),
        "factorized": build_scene(schedule=repeated(20)),
        "empty": build_scene(),
    }


@pytest.mark.parametrize("name", scenes())
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_any_panel(
    browser: Browser, tmp_path: Path, name: str, theme: Literal["light", "dark"], artifacts: Path
) -> None:
    if not AXE.is_file():
        pytest.skip("no axe-core: npm ci")
    opened = Bench(browser, viewport={"width": 1024, "height": 900}, color_scheme=theme)
    opened.open(scenes()[name], tmp_path)
    assert opened.width_to_scroll() <= 0
    opened.page.screenshot(path=artifacts / f"{name}-{theme}.png")
    opened.press("?")
    opened.page.evaluate(AXE.read_text(encoding="utf-8"))
    found = opened.page.evaluate("async () => (await axe.run()).violations")
    assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found] == []
    assert opened.complaints == []
    opened.page.close()


def test_labels_are_readable_and_differ_at_422_rows(browser: Browser, tmp_path: Path) -> None:
    names = [f"transformer.encoder.layer_{row // 6}.attention.part_{row % 6}" for row in range(422)]
    scene = build_scene(schedule=schedule_of(names, [(row, row) for row in range(422)]))
    opened = Bench(browser, viewport={"width": 1024, "height": 800})
    opened.page.add_init_script(
        """const write = CanvasRenderingContext2D.prototype.fillText;
        globalThis.written = [];
        CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
          if (this.canvas.closest("[data-panel=timeline]") && x === 12)
            written.push([text, y, parseFloat(this.font.match(/([\\d.]+)px/)[1])]);
          return write.apply(this, arguments);
        };"""
    )
    opened.open(scene, tmp_path)
    opened.page.get_by_role("button", name="Show each operator in a row of its own").click()
    opened.page.evaluate("written.length = 0")
    opened.page.evaluate("document.querySelector('.aidge-nb').workbench.panels[0].redraw()")
    opened.settle()
    written = {tuple(row) for row in opened.page.evaluate("written")}  # it may be drawn twice
    rows = sorted((row for row in written if row[0] != "step"), key=lambda row: row[1])
    assert len(rows) > 10
    assert len({text for text, _, _ in rows}) == len(rows)
    assert min(size for _, _, size in rows) >= 11
    places = [y for _, y, _ in rows]
    assert min(below - above for above, below in pairwise(places)) >= 16
    opened.page.close()


def test_meta_operators_are_opened_and_closed(browser: Browser, tmp_path: Path) -> None:
    convs = [aidge_nb.PaddedConv2D(2, 2, [3, 3], f"conv{n}", None, [1, 1, 1, 1]) for n in range(2)]
    view = aidge_nb.sequential(convs)
    view.forward_dims([[1, 2, 8, 8]])
    opened = Bench(browser).open(build_scene(view), tmp_path)
    boxes = "document.querySelector('.aidge-nb').workbench.panels[0].data.nodes"
    opened.click("graph", "conv0")
    opened.press("Enter")
    inside = opened.page.get_by_role("button", name="Open the meta-operators")
    assert inside.get_attribute("aria-pressed") == "true"
    assert opened.page.evaluate(boxes) == 4
    assert opened.selected == "conv0"
    opened.press("Enter")
    assert opened.page.evaluate(boxes) == 2
    inside.click()
    opened.settle()
    opened.click("graph", "conv1")
    assert opened.selected == "conv1"
    assert opened.complaints == []
    opened.page.close()
