"""What is written on the canvases: nothing over anything else, and something where all is empty."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Browser, FloatRect

import aidge_nb
from aidge_nb import hardware
from aidge_nb.widgets import Scene, build_scene, explore_tiling, scene_of
from tests.widgets.browser.bench import Bench
from tests.widgets.models import mapping_of, residual, schedule_of, snapshot

LISTEN = """
const write = CanvasRenderingContext2D.prototype.fillText;
globalThis.written = [];
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
  const panel = this.canvas.closest("[data-panel]")?.dataset.panel;
  const size = parseFloat(this.font.match(/([\\d.]+)px/)[1]);
  const {a, d, e, f} = this.getTransform();
  const wide = this.measureText(text).width;
  const from = {start: x, left: x, center: x - wide / 2, right: x - wide}[this.textAlign];
  written.push({panel, text, left: a * from + e, right: a * (from + wide) + e,
    top: d * (y - size / 2) + f, bottom: d * (y + size / 2) + f});
  return write.apply(this, arguments);
};
"""


def written(bench: Bench, panel: str) -> list[dict[str, Any]]:
    """Paint a panel once more; give what is written, and where."""
    bench.page.evaluate(
        "panel => { written.length = 0;"
        " document.querySelector('.aidge-nb').workbench.panels"
        ".find(({name}) => name === panel).redraw(); }",
        panel,
    )
    bench.settle()
    texts: list[dict[str, Any]] = bench.page.evaluate("written")
    return [each for each in texts if each["panel"] == panel]


def overlaps(texts: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [
        (one["text"], other["text"])
        for one, other in combinations(texts, 2)
        if one["left"] < other["right"]
        and other["left"] < one["right"]
        and one["top"] < other["bottom"]
        and other["top"] < one["bottom"]
    ]


@pytest.fixture(scope="module")
def explorer() -> Scene:
    """Tiles on four clusters: a shared memory, four small ones, three charts, a wide graph."""
    conv = aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")
    view = aidge_nb.sequential([conv])
    view.forward_dims([[1, 3, 66, 66]])
    made = explore_tiling(view, [conv], hardware.target("quad_cluster"))
    scene = made.bench.scene
    made.close()
    return scene


@pytest.fixture
def listening(browser: Browser) -> Bench:
    opened = Bench(browser, viewport={"width": 1024, "height": 1000})
    opened.page.add_init_script(LISTEN)
    return opened


@pytest.mark.parametrize("panel", ["memory", "charts", "devices"])
def test_nothing_is_written_over_anything_else(
    listening: Bench, explorer: Scene, tmp_path: Path, panel: str
) -> None:
    listening.open(explorer, tmp_path)
    texts = written(listening, panel)
    assert len(texts) > 5
    assert overlaps(texts) == []
    listening.page.close()


def test_the_unit_of_the_memory_axis_has_room(
    listening: Bench, explorer: Scene, tmp_path: Path
) -> None:
    listening.open(explorer, tmp_path)
    for width in range(900, 1600, 20):
        listening.page.set_viewport_size({"width": width, "height": 1000})
        listening.settle()
        assert overlaps(written(listening, "memory")) == [], width
    listening.page.close()


def test_four_maps_have_room_at_1024_pixels(listening: Bench, tmp_path: Path) -> None:
    model = aidge_nb.zoo.load("lenet")
    model.forward_dims([[1, 1, 32, 32]])
    nodes = aidge_nb.tiling.between(model, model.get_node("conv1"), model.get_node("pool1"))
    made = explore_tiling(model, nodes, hardware.target("quad_cluster"))
    listening.open(made.bench.scene, tmp_path)
    box = listening.page.locator("[data-panel=tiling] .anb-stage canvas").bounding_box()
    assert box is not None
    texts = written(listening, "tiling")
    assert {"conv1", "relu1", "pool1"} <= {each["text"] for each in texts}
    assert max(each["right"] for each in texts) <= box["width"]
    made.close()
    listening.page.close()


def test_maps_are_closer_to_each_other_where_all_of_them_have_room_then(
    listening: Bench, tmp_path: Path
) -> None:
    convs = [aidge_nb.PaddedConv2D(4, 4, [3, 3], f"conv{place}") for place in range(4)]
    model = aidge_nb.sequential(convs)
    model.forward_dims([[1, 4, 32, 32]])
    nodes = aidge_nb.tiling.between(model, model.get_node("conv0"), model.get_node("conv3"))
    made = explore_tiling(model, nodes, hardware.target("quad_cluster"))
    listening.page.set_viewport_size({"width": 1024, "height": 900})
    listening.open(made.bench.scene, tmp_path)
    box = listening.page.locator("[data-panel=tiling] .anb-stage canvas").bounding_box()
    assert box is not None
    texts = written(listening, "tiling")
    assert sum("×" in each["text"] for each in texts) == 5
    assert max(each["right"] for each in texts) <= box["width"]
    assert overlaps(texts) == []
    listening.page.close()


def test_every_memory_is_named(listening: Bench, explorer: Scene, tmp_path: Path) -> None:
    listening.open(explorer, tmp_path)
    texts = " ".join(each["text"] for each in written(listening, "memory"))
    assert explorer.memory is not None
    names = [space.name.partition(":")[0] for space in explorer.memory.spaces]
    assert len(names) == 5
    assert all(name in texts for name in names)
    listening.page.close()


def test_a_wide_and_shallow_graph_is_seen_whole(
    listening: Bench, explorer: Scene, tmp_path: Path
) -> None:
    listening.open(explorer, tmp_path)
    for node in explorer.nodes:
        listening.place("graph", node.name)
    listening.page.close()


def test_dims_keep_apart_from_each_other(listening: Bench, tmp_path: Path) -> None:
    listening.open(build_scene(*residual(3)), tmp_path)
    listening.show_graph()
    texts = written(listening, "graph")
    assert sum("×" in each["text"] for each in texts) > 8
    assert overlaps(texts) == []
    listening.page.close()


def test_what_is_empty_says_so(listening: Bench, tmp_path: Path) -> None:
    listening.open(build_scene(snapshot([], []), schedule_of([], [])), tmp_path)
    assert "Nothing runs." in [each["text"] for each in written(listening, "timeline")]
    listening.show_graph()
    assert "There is no node." in [each["text"] for each in written(listening, "graph")]
    listening.page.close()


def test_a_picked_buffer_keeps_its_colour_however_small_it_is(browser: Browser) -> None:
    opened = Bench(browser, viewport={"width": 1000, "height": 900})
    opened.open_widget(build_scene(*residual(30)), panels=["memory"])
    opened.put("selected", "b20_add")
    x, y = opened.place("memory", "b20_add")
    colour = opened.page.evaluate(
        """([x, y]) => {
          const canvas = document.querySelector("[data-panel=memory] .anb-stage canvas");
          const box = canvas.getBoundingClientRect();
          const at = canvas.getContext("2d").getImageData(x - box.left, y - box.top, 1, 1);
          return [...at.data.slice(0, 3)];
        }""",
        [x, y],
    )
    assert max(colour) - min(colour) > 60, "its colour, and not the black of the frame around it"
    opened.page.close()


def test_bars_of_the_picked_node_are_framed_among_those_of_others(
    browser: Browser, artifacts: Path
) -> None:
    opened = Bench(browser, viewport={"width": 1000, "height": 700})
    opened.open_widget(scene_of(mapping_of()), panels=["devices"], theme="light")
    dark = """([panel]) => {
      const canvas = document.querySelector(`[data-panel=${panel}] .anb-stage canvas`);
      const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let at = 0; at < data.length; at += 4)
        count += data[at] < 60 && data[at + 1] < 60 && data[at + 2] < 70;
      return count;
    }"""
    before = opened.page.evaluate(dark, ["devices"])
    opened.put("selected", "tile 3")
    opened.page.screenshot(path=artifacts / "picked-device.png")
    assert opened.page.evaluate(dark, ["devices"]) > before + 300
    opened.page.close()


def gap(one: FloatRect, other: FloatRect, start: str, size: str) -> float:
    """Give how far two boxes are apart along an axis; less than 0 where they overlap."""
    boxes = [cast("dict[str, float]", box) for box in (one, other)]
    return max(box[start] for box in boxes) - min(box[start] + box[size] for box in boxes)


PANELS = {"graph", "timeline", "memory", "alive", "details"}
COLUMN = {"timeline", "memory"}  # in one frame, for they share a ruler


def assert_apart(opened: Bench, names: set[str]) -> None:
    """Check which panels are displayed, and that they keep apart; in the column they touch."""
    found = {}
    for panel in opened.page.locator(".anb-panel:visible").all():
        box = panel.bounding_box()
        assert box is not None
        found[panel.get_attribute("data-panel")] = box
    assert set(found) == names
    for (one, own), (other, its) in combinations(found.items(), 2):
        apart = max(gap(own, its, "x", "width"), gap(own, its, "y", "height"))
        if {one, other} == COLUMN:
            assert apart == pytest.approx(0)
        else:
            assert apart >= 8, (one, other)


@pytest.mark.parametrize("width", [400, 775, 1024])
@pytest.mark.parametrize("is_page", [True, False], ids=["page", "notebook"])
def test_panels_lie_beside_or_below_each_other(
    browser: Browser, tmp_path: Path, width: int, is_page: bool
) -> None:
    opened = Bench(browser, viewport={"width": width, "height": 800})
    scene = build_scene(*residual(3))
    if is_page:
        opened.open(scene, tmp_path)
    else:
        opened.open_widget(scene)
    is_tab = width >= 700
    assert_apart(opened, PANELS - {"graph"} if is_tab else PANELS)
    opened.show_graph()
    assert_apart(opened, {"graph", "alive", "details"} if is_tab else PANELS)
    opened.page.close()


def test_scrollbars_and_the_page_are_of_the_theme(bench: Bench) -> None:
    look = """() => {
      const root = document.querySelector(".aidge-nb");
      const {colorScheme, backgroundColor} = getComputedStyle(root);
      return [root.dataset.theme, colorScheme,
              getComputedStyle(document.body).backgroundColor === backgroundColor];
    }"""
    for theme in ("light", "dark", "light"):
        assert bench.page.evaluate(look) == [theme, theme, True]
        bench.page.get_by_role("button", name="Switch between light and dark").click()


@pytest.mark.parametrize("width", [340, 420, 700])
def test_no_button_is_cut_in_a_narrow_view(listening: Bench, tmp_path: Path, width: int) -> None:
    listening.page.set_viewport_size({"width": width, "height": 900})
    listening.open(build_scene(*residual(3)), tmp_path)
    cut = listening.page.evaluate(
        """() => [...document.querySelectorAll(".anb-head button, .anb-head select")]
          .filter(each => each.offsetWidth > 0)
          .filter(each => {
            const own = each.getBoundingClientRect();
            const head = each.closest(".anb-head").getBoundingClientRect();
            return own.right > head.right || own.left < head.left || own.bottom > head.bottom;
          })
          .map(each => each.textContent)"""
    )
    assert cut == []
    assert listening.width_to_scroll() <= 0
    listening.page.close()
