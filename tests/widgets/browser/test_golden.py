"""The canvases show what Python draws: the pixels of both are compared, text apart."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser

import aidge_nb
from aidge_nb.widgets import PICTURES, Scene, build_scene, scene_of, to_png
from aidge_nb.widgets.still.charts import Figures, figures_charts
from aidge_nb.widgets.still.png.picture import draw_svg
from aidge_nb.widgets.still.svg.picture import draw_as_seen
from tests.widgets.browser.bench import Bench
from tests.widgets.models import mapping_of, repeated, residual

MOST = 0.01  # of the pixels
APART = 48  # of 255: edges are softened in different ways
SOFT = 0.15  # of the pixels that are not white

STATE = {"timeline": {"clock": "step"}}  # Python draws windows from early to late steps

READ = """panel => {
  const bench = document.querySelector(".aidge-nb").workbench;
  const own = bench.panels.find(({name}) => name === panel);
  CanvasRenderingContext2D.prototype.fillText = () => {};
  own.draw();
  const {canvas} = own;
  const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let text = "";
  for (let at = 0; at < data.length; at += 8192)
    text += String.fromCharCode(...data.subarray(at, at + 8192));
  return [canvas.width, canvas.height, btoa(text)];
}"""


def scene_with(panel: str) -> Scene:
    """Make a scene that has something to draw in a panel."""
    if panel == "factorized":
        return build_scene(schedule=repeated(20))
    if panel in ("devices", "memories"):
        return scene_of(mapping_of())
    if panel in ("tiling", "charts"):
        names = ("conv0", "conv1", "conv2")
        convs = [aidge_nb.PaddedConv2D(2, 2, [3, 3], name, None, [1] * 4) for name in names]
        view = aidge_nb.sequential(convs)
        view.forward_dims([[1, 2, 24, 16]])
        tilings = [aidge_nb.plan_tiling(view, convs, {2: rows}) for rows in (1, 2, 3, 4)]
        return replace(
            scene_of(tilings[3]), charts=figures_charts(list(map(Figures.of, tilings)), 3)
        )
    run = [("stem", 1.0, 3.0), ("b0_conv", 4.0, 9.0), ("b0_side", 5.0, 8.5), ("b0_relu", 9.5, 40.0)]
    return build_scene(*residual(3), measured=run)


@pytest.mark.parametrize(
    "shown", [*(each for each in PICTURES if each not in ("overview", "stripes")), "memories"]
)
def test_the_canvas_shows_what_python_draws(browser: Browser, shown: str, artifacts: Path) -> None:
    scene = scene_with(shown)
    panel = "memory" if shown == "memories" else shown
    opened = Bench(browser, viewport={"width": 900, "height": 700})
    opened.open_widget(scene, panels=[panel], theme="light", **STATE.get(shown, {}))
    opened.page.locator(f"[data-panel={panel}]").screenshot(path=artifacts / f"{shown}.png")
    width, height, data = opened.page.evaluate(READ, panel)
    opened.page.close()
    pixels = np.frombuffer(base64.b64decode(data), np.uint8)
    canvas = pixels.reshape(height, width, 4)[..., :3]
    (artifacts / f"{shown}-python.png").write_bytes(to_png(scene, panel, size=(width, height)))
    drawn = without_text(draw_as_seen(scene, panel, width, height))
    apart = np.abs(canvas.astype(int) - drawn.astype(int)).max(axis=2) > APART
    assert apart.mean() <= MOST, f"{100 * apart.mean():.2f} % of the pixels differ"
    ink = (canvas != 255).any(axis=2).mean()
    assert apart.mean() <= SOFT * ink, "thin lines differ where their edges are softened, no more"


def without_text(svg: str) -> NDArray[np.uint8]:
    return draw_svg(re.sub(r"<text.*?</text>", "", svg)).array()
