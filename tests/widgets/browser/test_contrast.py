"""Each label on a canvas can be read on its ground: 4.5 to 1, in both themes, searched or not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import aidge_nb
from aidge_nb.widgets import Scene, build_scene
from tests.widgets.browser.bench import Bench
from tests.widgets.models import repeated

LEAST = 4.5

# Reads what lies under the middle line of each label, before it is written.
LISTEN = """
const write = CanvasRenderingContext2D.prototype.fillText;
globalThis.labels = [];
const channel = (value) => {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
};
const light = ([red, green, blue]) =>
  0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
const contrast = (one, other) => {
  const [dim, bright] = [light(one), light(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dim + 0.05);
};
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
  const wide = this.measureText(text).width;
  const shift = {start: 0, left: 0, center: wide / 2, right: wide, end: wide}[this.textAlign];
  const matrix = this.getTransform();
  const found = new Map();
  const {width, height} = this.canvas;
  for (let part = 0.1; part < 1; part += 0.1) {
    const {x: left, y: top} = matrix.transformPoint({x: x - shift + part * wide, y});
    if (left < 0 || top < 0 || left >= width || top >= height) continue;
    const pixel = [...this.getImageData(left, top, 1, 1).data];
    found.set(pixel.join(), [(found.get(pixel.join())?.[0] ?? 0) + 1, pixel]);
  }
  const [most] = [...found.values()].sort((a, b) => b[0] - a[0]);
  if (most && text.trim()) {
    const [, [red, green, blue, alpha]] = most;
    const root = document.querySelector(".aidge-nb");
    const probe = document.createElement("canvas").getContext("2d");
    const flat = (colour) => {
      probe.fillStyle = colour;
      probe.fillRect(0, 0, 1, 1);
      return [...probe.getImageData(0, 0, 1, 1).data];
    };
    const paper = flat(getComputedStyle(root).getPropertyValue("--anb-paper"));
    const ground = [red, green, blue].map((each, at) =>
      (each * alpha + paper[at] * (255 - alpha)) / 255);
    const ink = flat(this.fillStyle).slice(0, 3).map((each, at) =>
      each * this.globalAlpha + ground[at] * (1 - this.globalAlpha));
    const panel = this.canvas.closest("[data-panel]")?.dataset.panel ?? "column";
    labels.push([panel, text, contrast(ink, ground)]);
  }
  return write.apply(this, arguments);
};
"""


@pytest.fixture(scope="module")
def scenes() -> dict[str, Scene]:
    graph = aidge_nb.zoo.load("mobilenet_v2", size=96)
    graph.forward_dims([[1, 3, 96, 96]], allow_data_dependency=True)
    schedule = aidge_nb.static_schedule(graph)
    plan = aidge_nb.plan_memory(graph, schedule)
    small = aidge_nb.zoo.load("inception_like")
    small.forward_dims([[1, 3, 32, 32]], allow_data_dependency=True)
    order = aidge_nb.static_schedule(small)
    return {
        "blocks": build_scene(graph.snapshot(), schedule, plan),
        "branches": build_scene(small.snapshot(), order, aidge_nb.plan_memory(small, order)),
        "loops": build_scene(schedule=repeated(20)),
    }


def labels(bench: Bench) -> list[tuple[str, str, float]]:
    """Paint everything once more; give each label with its contrast."""
    bench.page.evaluate(
        "() => { labels.length = 0; const {panels, column} = "
        "document.querySelector('.aidge-nb').workbench;"
        " panels.forEach((panel) => panel.redraw()); column.redraw(); }"
    )
    bench.settle()
    found: list[Any] = bench.page.evaluate("labels")
    return [(panel, text, contrast) for panel, text, contrast in found]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("name", "query"), [("blocks", "relu0"), ("branches", "pool"), ("loops", "a")]
)
def test_each_label_can_be_read_on_its_ground(
    browser: Browser,
    scenes: dict[str, Scene],
    tmp_path: Path,
    name: str,
    query: str,
    theme: str,
) -> None:
    bench = Bench(browser, viewport={"width": 1440, "height": 1000}, color_scheme=theme)
    bench.page.add_init_script(LISTEN)
    bench.open(scenes[name], tmp_path)
    seen = labels(bench)
    bench.page.fill("input[type=search]", query)
    bench.page.wait_for_function(
        "document.querySelector('.aidge-nb').workbench.store.matches !== null"
    )
    searched = labels(bench)
    assert len(seen) > 20
    assert len(searched) > 20
    dim = {each for each in [*seen, *searched] if each[2] < LEAST}
    assert not dim
    bench.page.close()
