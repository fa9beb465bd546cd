"""Buffers alive at a tick, details of the picked node, and the arrangement of the page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import aidge_nb
from aidge_nb.memory import MemoryPlan
from aidge_nb.widgets import Scene, build_scene
from aidge_nb.widgets.text import size_text
from tests.widgets.browser.bench import Bench

ROOT = Path(__file__).parents[3]
TERMS: dict[str, str] = json.loads((ROOT / "widgets/shared/terms.json").read_text("utf-8"))
CONV = "mobilenetv20_features_linearbottleneck1_conv1_fwd"


@pytest.fixture(scope="module")
def made() -> tuple[Scene, MemoryPlan]:
    graph = aidge_nb.zoo.load("mobilenet_v2", size=96)
    graph.forward_dims([[1, 3, 96, 96]], allow_data_dependency=True)
    schedule = aidge_nb.static_schedule(graph)
    plan = aidge_nb.plan_memory(graph, schedule)
    return build_scene(graph.snapshot(), schedule, plan), plan


def opened(browser: Browser, scene: Scene, folder: Path, width: int = 1440) -> Bench:
    return Bench(browser, viewport={"width": width, "height": 900}).open(scene, folder)


def test_the_peak_card_shows_two_buffers_that_are_the_peak(
    browser: Browser, made: tuple[Scene, MemoryPlan], tmp_path: Path
) -> None:
    scene, plan = made
    bench = opened(browser, scene, tmp_path)
    bench.page.click(".anb-card[data-kind=peak] .anb-figure")
    bench.settle()
    state = bench.page.evaluate("document.querySelector('.aidge-nb').workbench.state")
    first, stop = state["timeRange"] or (0, len(plan.order))
    assert state["tick"] == 14 == plan.peak_tick
    assert first <= 14 < stop
    assert bench.page.inner_text("[data-panel=alive] h3") == "Alive at tick 14"
    rows = bench.page.locator(".anb-held tbody tr").all_inner_texts()
    assert len(rows) == 2
    shares = [int(share) for row in rows for share in re.findall(r"(\d+) %", row)]
    assert sum(shares) == 100
    assert sum(buffer.size for buffer in plan.live_set(14)) == plan.peak
    assert "conv1 has run" in rows[0]
    assert bench.complaints == []


def test_before_anything_is_picked_the_details_tell_of_the_peak(
    browser: Browser, made: tuple[Scene, MemoryPlan], tmp_path: Path
) -> None:
    scene, plan = made
    bench = opened(browser, scene, tmp_path)
    details = "[data-panel=details]"
    assert bench.page.inner_text(f"{details} h3") == "1 · conv1"
    assert "of the peak" in bench.page.inner_text(f"{details} .anb-hint")
    assert plan.order[plan.peak_tick] in bench.page.inner_text(f"{details} dd >> nth=0")
    bench.page.click(".anb-held tbody tr >> nth=0 >> button")
    bench.settle()
    assert bench.page.inner_text(f"{details} h3") == "1 · relu0"
    assert bench.page.inner_text(f"{details} .anb-hint") == ""
    bench.page.keyboard.press("Escape")
    bench.open(replace(scene, findings=()), tmp_path)
    assert bench.page.inner_text(f"{details} h3") == "Details"
    assert "Click a box in any view" in bench.page.inner_text(f"{details} .anb-empty")
    assert bench.complaints == []
    bench.page.close()


def test_on_a_telephone_memory_has_room_and_a_schedule_alone_no_more_than_it_needs(
    browser: Browser, made: tuple[Scene, MemoryPlan], tmp_path: Path
) -> None:
    scene, _ = made
    bench = opened(browser, scene, tmp_path, 390)
    high = "document.querySelector('[data-panel=memory] canvas').getBoundingClientRect().height"
    assert bench.page.evaluate(high) > 180
    graph = aidge_nb.sequential([aidge_nb.Identity(name="a"), aidge_nb.ReLU(name="b")])
    bench.open(build_scene(graph.snapshot(), aidge_nb.static_schedule(graph)), tmp_path)
    column = bench.page.locator(".anb-column").bounding_box()
    assert column is not None
    assert column["height"] < 440
    bench.page.close()


def test_other_high_ticks_and_blocks_lead_there(
    browser: Browser, made: tuple[Scene, MemoryPlan], tmp_path: Path
) -> None:
    scene, plan = made
    bench = opened(browser, scene, tmp_path)
    live = plan.live_bytes()
    links = bench.page.locator(".anb-others .anb-link").all_inner_texts()
    ticks = [int(text.split()[1].rstrip(":")) for text in links]
    assert max(live[tick] for tick in ticks) < plan.peak, "what shares the peak is counted apart"
    assert [live[tick] for tick in ticks] == sorted((live[tick] for tick in ticks), reverse=True)
    assert all(abs(one - two) >= 3 for one in ticks for two in [14, *ticks] if one != two)
    bench.page.locator(".anb-bars button").last.click()
    bench.settle()
    tick = int(bench.page.inner_text("[data-panel=alive] h3").split()[-1])
    assert "output" in plan.order[tick] or tick > 140


def test_details_of_what_is_picked(
    browser: Browser, made: tuple[Scene, MemoryPlan], tmp_path: Path
) -> None:
    scene, plan = made
    bench = opened(browser, scene, tmp_path)
    bench.page.click(".anb-card[data-kind=peak] .anb-figure")
    bench.settle()
    own = next(buffer for buffer in plan.buffers if buffer.node == CONV)
    labels = bench.page.locator(".anb-details dt").all_inner_texts()
    values = bench.page.locator(".anb-details dd").all_inner_texts()
    said = dict(zip(labels, values, strict=True))
    assert said["name"] == CONV
    assert said["runs at"] == "tick 14, step 15"
    assert said["slack"].startswith("0 steps")
    assert said["waits for"] == "1 · relu0 (tick 13)"
    assert f"{own.offset:,}–{own.end - 1:,}" in said["result"]
    widths = bench.page.evaluate(
        "[...document.querySelectorAll('.anb-details dt')].map((each) => each.offsetWidth)"
    )
    assert set(widths) == {98}


@pytest.mark.parametrize("width", [320, 390, 960, 1440])
def test_the_page_has_no_sideways_scrolling_and_its_order(
    browser: Browser, made: tuple[Scene, MemoryPlan], tmp_path: Path, width: int
) -> None:
    bench = opened(browser, made[0], tmp_path, width)
    bench.page.click(".anb-card[data-kind=peak] .anb-figure")
    bench.settle()
    assert bench.page.evaluate("document.documentElement.scrollWidth") <= width
    graph = bench.page.locator("[data-panel=graph]")
    column, alive = (
        bench.page.locator(name).bounding_box() for name in (".anb-column", "[data-panel=alive]")
    )
    assert column
    assert alive
    assert column["y"] < alive["y"]
    if width == 960:
        assert graph.is_hidden()
        bench.page.locator(".anb-column .anb-narrow >> text=graph").click()
        assert graph.is_visible()
        assert bench.page.locator(".anb-column").is_hidden()
    else:
        box = graph.bounding_box()
        assert box
        assert (box["y"] > alive["y"]) == (width < 700)
        assert width < 700 or box["width"] == 264


def test_all_nodes_stay_within_reach(
    browser: Browser, made: tuple[Scene, MemoryPlan], tmp_path: Path
) -> None:
    bench = opened(browser, made[0], tmp_path)
    table = bench.page.locator("[data-panel=table]")
    assert table.is_hidden()
    bench.page.locator("[data-panel=alive] .anb-switch >> text=all nodes").click()
    assert table.is_visible()
    assert table.get_by_role("row").count() > 5
    assert bench.page.locator("[data-panel=alive]").is_hidden()


def test_titles_and_headings_explain_their_terms(
    browser: Browser, made: tuple[Scene, MemoryPlan], tmp_path: Path
) -> None:
    page = opened(browser, made[0], tmp_path).page
    terms = {
        "timeline": ["firing", "slack"],
        "alive": ["buffer", "buffer", "written by", "peak", "alive", "tick", "what frees it"],
    }
    for panel, expected in terms.items():
        said = page.locator(f"[data-panel={panel}] .anb-term")
        found = said.evaluate_all("all => all.map(each => each.dataset.term)")
        assert found[: len(expected)] == expected
    hints = page.locator("[data-panel=graph] .anb-hint")
    assert hints.evaluate("each => each.scrollWidth <= each.clientWidth"), "not cut"
    page.locator("[data-panel=alive] .anb-switch >> text=all nodes").click()
    head = page.locator("[data-panel=table] [role=columnheader] button >> text=slack")
    assert head.get_attribute("title") == f"Sort by slack\n{TERMS['slack']}"
    page.close()


def test_details_say_what_is_read_with_its_bytes(
    browser: Browser, made: tuple[Scene, MemoryPlan], tmp_path: Path
) -> None:
    scene, plan = made
    bench = opened(browser, scene, tmp_path)
    bench.page.evaluate(
        """(name) => {
          const { store, byName } = document.querySelector(".aidge-nb").workbench;
          store.set({ selected: byName.get(name) });
        }""",
        CONV,
    )
    bench.settle()
    details = bench.page.inner_text("[data-part=details]")
    before = CONV.replace("conv1", "relu0")
    (read,) = (buffer for buffer in plan.buffers if buffer.node == before)
    assert re.search(rf"reads\s+1×96×48×48, {re.escape(size_text(read.size))}", details)
    node = next(each for each in scene.nodes if each.name == CONV)
    assert node.weight_bytes == 4 * 96 * 9
    assert re.search(rf"weights\s+96×1×3×3, {re.escape(size_text(node.weight_bytes))}", details)
    bench.page.close()


@pytest.mark.parametrize("width", [390, 1440])
def test_details_are_complete_for_each_node_of_a_network(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    """Inputs, weights and results have shapes and bytes, from the first node to the last."""
    convs = [
        aidge_nb.PaddedConv2D(3, 8, [3, 3], name="stem", padding_dims=[1] * 4),
        aidge_nb.ReLU(name="relu"),
        aidge_nb.Conv2D(8, 4, [1, 1], name="last"),
    ]
    view = aidge_nb.sequential(convs)
    view.set_backend("cpu")
    view.forward_dims([[1, 3, 16, 16]])
    schedule = aidge_nb.static_schedule(view)
    scene = build_scene(view, schedule, aidge_nb.plan_memory(view, schedule))
    bench = opened(browser, scene, tmp_path, width)
    wanted = {
        "stem": (
            "1×3×16×16, 3 KiB",
            "8×3×3×3 · 8, together 896 B",
            "1×8×16×16, 8 KiB, bytes 0–8191",
        ),
        "last": ("1×8×16×16, 8 KiB", "4×8×1×1 · 4, together 144 B", "1×4×16×16, 4 KiB, bytes"),
    }
    for name, (reads, weights, result) in wanted.items():
        bench.page.evaluate(
            """(name) => {
              const { store, byName } = document.querySelector(".aidge-nb").workbench;
              store.set({ selected: byName.get(name) });
            }""",
            name,
        )
        bench.settle()
        labels = bench.page.locator(".anb-details dt").all_inner_texts()
        values = bench.page.locator(".anb-details dd").all_inner_texts()
        said = dict(zip(labels, values, strict=True))
        assert (said["reads"], said["weights"]) == (reads, weights)
        assert said["result"].startswith(result)
        assert {"runs at", "slack", "waits for" if name == "last" else "then come"} <= set(said)
        assert any("kernel" in label for label in labels)
    assert bench.complaints == []
    bench.page.close()


def test_the_table_ends_a_buffer_where_the_drawing_does(
    browser: Browser, made: tuple[Scene, MemoryPlan], tmp_path: Path
) -> None:
    """What is written over a buffer, in place, has the tick that both are alive in."""
    scene, _ = made
    bench = opened(browser, scene, tmp_path)
    assert bench.page.inner_text("[data-panel=alive] h3") == "Alive at the peak, tick 14"
    assert "no tick picked" in bench.page.inner_text(".anb-place")
    rows = bench.page.locator(".anb-held tbody tr").all_inner_texts()
    conv = next(row.split("\t") for row in rows if "1 · conv1" in row)
    assert [each.strip() for each in conv[-2:]] == ["14", "batchnorm1 writes over it"]
    bench.page.evaluate("document.querySelector('.aidge-nb').workbench.store.goToTick(15)")
    bench.page.wait_for_function(
        "() => document.querySelector('[data-panel=alive] h3').textContent === 'Alive at tick 15'"
    )
    rows = bench.page.locator(".anb-held tbody tr").all_inner_texts()
    assert not any("1 · conv1" in row for row in rows)


def test_a_table_that_goes_on_to_the_right_is_pale_there(
    browser: Browser, made: tuple[Scene, MemoryPlan], tmp_path: Path
) -> None:
    bench = opened(browser, made[0], tmp_path, 390)
    goes_on = "() => document.querySelector('[data-panel=alive] .anb-scroller.anb-on') !== null"
    bench.page.wait_for_function(goes_on)
    bench.page.evaluate(
        "document.querySelector('[data-panel=alive] .anb-scroller').scrollLeft = 9999"
    )
    bench.page.wait_for_function(goes_on.replace("!==", "==="))
