"""The canvases show what Python draws: the pixels of both are compared, text apart."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser

from aidge_nb.widgets import build_scene, to_png
from aidge_nb.widgets.as_seen import AS_SEEN, draw_as_seen
from aidge_nb.widgets.png import draw_svg
from tests.widgets.browser.bench import Bench
from tests.widgets.models import residual

MOST = 0.01  # of the pixels
APART = 48  # of 255: edges are softened in different ways
SOFT = 0.15  # of the pixels that are not white

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


@pytest.mark.parametrize("panel", AS_SEEN)
def test_the_canvas_shows_what_python_draws(browser: Browser, panel: str, artifacts: Path) -> None:
    scene = build_scene(*residual(3))
    opened = Bench(browser, viewport={"width": 900, "height": 700})
    opened.open_widget(scene, panels=[panel], theme="light")
    opened.page.locator(f"[data-panel={panel}]").screenshot(path=artifacts / f"{panel}.png")
    width, height, data = opened.page.evaluate(READ, panel)
    opened.page.close()
    pixels = np.frombuffer(base64.b64decode(data), np.uint8)
    canvas = pixels.reshape(height, width, 4)[..., :3]
    (artifacts / f"{panel}-python.png").write_bytes(to_png(scene, panel, size=(width, height)))
    drawn = without_text(draw_as_seen(scene, panel, width, height))
    apart = np.abs(canvas.astype(int) - drawn.astype(int)).max(axis=2) > APART
    assert apart.mean() <= MOST, f"{100 * apart.mean():.2f} % of the pixels differ"
    ink = (canvas != 255).any(axis=2).mean()
    assert apart.mean() <= SOFT * ink, "thin lines differ where their edges are softened, no more"


def without_text(svg: str) -> NDArray[np.uint8]:
    return draw_svg(re.sub(r"<text.*?</text>", "", svg)).array()
