"""Large graphs in the browser: they open with closed blocks, and no letter is too small to read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from aidge_nb.widgets import Scene, build_scene
from tests.widgets.browser.bench import Bench
from tests.widgets.models import plan_of, schedule_of, snapshot

LETTERS = """() => {
  const sizes = [];
  const { prototype } = CanvasRenderingContext2D;
  const write = prototype.fillText;
  prototype.fillText = function (text, ...place) {
    const { a, d } = this.getTransform();
    const own = parseFloat(this.font.match(/([\\d.]+)px/)[1]);
    if (this.canvas.closest("[data-panel=graph]")) sizes.push(own * d / devicePixelRatio);
    return write.call(this, text, ...place);
  };
  const bench = document.querySelector(".aidge-nb").workbench;
  bench.panels.find(({ name }) => name === "graph").redraw();
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
    prototype.fillText = write;
    done(sizes);
  })));
}"""
"""Draws the graph once more; returns the sizes of its letters on the screen."""


def deep(count: int, per_block: int = 49) -> Scene:
    """Make a chain in numbered blocks, as exporters name them."""
    names = [f"net_block{at // per_block}_op{at % per_block}" for at in range(count)]
    edges = [(at, at + 1) for at in range(count - 1)]
    graph = snapshot(names, edges)
    return build_scene(graph, schedule_of(names, [(at, at) for at in range(count)]), plan_of(names))


def state(opened: Bench) -> dict[str, Any]:
    found: dict[str, Any] = opened.page.evaluate(
        """() => {
          const { panels } = document.querySelector(".aidge-nb").workbench;
          const { data, scale } = panels.find(({ name }) => name === "graph");
          const names = data.name.map((name) => name.replace(/^[a-z]+ /, ""));
          return { boxes: data.nodes, scale, frames: data.frames?.length ?? 0, names };
        }"""
    )
    return found


@pytest.mark.parametrize("count", [1715, 5000])
def test_a_large_graph_opens_readable(
    browser: Browser, tmp_path: Path, artifacts: Path, count: int
) -> None:
    opened = Bench(browser, viewport={"width": 1440, "height": 900}).open(deep(count), tmp_path)
    opened.show_graph()
    shown = state(opened)
    assert shown["boxes"] < count / 10 + 49, "blocks are closed"
    letters = opened.page.evaluate(LETTERS)
    assert letters
    assert min(letters) >= 7
    opened.page.screenshot(path=artifacts / f"{count}.png")
    assert opened.complaints == []
    opened.page.close()


def test_fit_closes_blocks_until_names_can_be_read(browser: Browser, tmp_path: Path) -> None:
    opened = Bench(browser, viewport={"width": 1440, "height": 900}).open(deep(290), tmp_path)
    opened.show_graph()
    graph = opened.page.locator("[data-panel=graph]")
    graph.get_by_role("button", name="Draw each block as one box").click()
    opened.settle()
    assert state(opened)["boxes"] == 290
    graph.get_by_role("button", name="Show the whole graph").click()
    opened.settle()
    shown = state(opened)
    assert shown["names"] == ["0", "1 … 5 ▸"], "the window shows the first block alone"
    assert shown["frames"] == 0
    assert min(opened.page.evaluate(LETTERS)) >= 7
    assert "blocks are closed" in (graph.locator(".anb-hint").text_content() or "")
    opened.page.close()


def test_a_graph_without_blocks_is_drawn_whole(browser: Browser, tmp_path: Path) -> None:
    names = [f"n{'ab'[at % 2] * (at // 2 + 1)}" for at in range(80)]
    edges = [(at, at + 1) for at in range(79)]
    scene = build_scene(snapshot(names, edges, kinds=("ReLU",)))
    opened = Bench(browser, viewport={"width": 1440, "height": 900}).open(scene, tmp_path)
    opened.page.locator("[data-panel=graph]").get_by_role("button", name="Show the whole").click()
    opened.settle()
    assert state(opened)["boxes"] == 80
    letters = opened.page.evaluate(LETTERS)
    assert not letters or min(letters) >= 7
    opened.page.close()


def test_a_closed_block_says_what_a_search_finds_in_it(browser: Browser, tmp_path: Path) -> None:
    opened = Bench(browser, viewport={"width": 1440, "height": 900}).open(deep(290), tmp_path)
    move = "document.querySelector('.aidge-nb').workbench.store.set({ timeRange: [0, 290] })"
    opened.page.evaluate(move)
    opened.page.keyboard.press("/")
    opened.page.keyboard.type("op4")
    opened.settle()
    said = opened.page.evaluate(
        """() => {
          const { store, panels } = document.querySelector(".aidge-nb").workbench;
          const { data } = panels.find(({ name }) => name === "graph");
          return data.members.map((own) => store.foundIn(own));
        }"""
    )
    assert "10 of 49 found" in said  # op4 and op40 to op48
    opened.page.close()


NAMED = """names => {
  const { panels } = document.querySelector(".aidge-nb").workbench;
  const { data } = panels.find(({ name }) => name === "graph");
  return names.join() === data.name.map((name) => name.replace(/^[a-z]+ /, "")).join();
}"""


def test_blocks_away_from_the_window_are_one_stack(browser: Browser, tmp_path: Path) -> None:
    opened = Bench(browser, viewport={"width": 1440, "height": 900}).open(deep(490), tmp_path)
    graph = opened.page.locator("[data-panel=graph]")
    graph.get_by_role("button", name="Show the whole graph").click()
    opened.page.wait_for_function(NAMED, arg=["0", "1 … 9 ▸"])
    move = "range => document.querySelector('.aidge-nb').workbench.store.set({ timeRange: range })"
    opened.page.evaluate(move, [4 * 49 + 5, 5 * 49 + 5])
    opened.page.wait_for_function(NAMED, arg=["0 … 3 ▸", "4", "5", "6 … 9 ▸"])
    # A click on a stack shows its blocks; they stay while the window moves.
    opened.click("graph", "net_block6_op0")
    opened.page.wait_for_function(NAMED, arg=["0 … 3 ▸", "4", "5", "6", "7", "8", "9"])
    opened.page.evaluate(move, [4 * 49 + 5, 4 * 49 + 40])
    opened.page.wait_for_function(NAMED, arg=["0 … 3 ▸", "4", "5", "6", "7", "8", "9"])
    opened.page.evaluate(move, None)
    opened.page.wait_for_function(NAMED, arg=[str(block) for block in range(10)])
    assert opened.complaints == []
    opened.page.close()


def test_the_minimap_covers_nothing_at_the_start(browser: Browser, tmp_path: Path) -> None:
    opened = Bench(browser, viewport={"width": 1440, "height": 900}).open(deep(290), tmp_path)
    right, strip = opened.page.evaluate(
        """() => {
          const { panels } = document.querySelector(".aidge-nb").workbench;
          const { data, left, scale, width } = panels.find(({ name }) => name === "graph");
          const frame = data.frames.map(({ x, width }) => x + width);
          const boxes = [...data.x].map((x, box) => x + data.boxWidth[box] / 2);
          return [left + scale * Math.max(...frame, ...boxes), width - 30];
        }"""
    )
    assert right <= strip
    opened.page.close()
