"""What a reader may ask of Firefox: no motion, a dark page, colours of one's own, a zoom."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aidge_nb.report import study
from aidge_nb.widgets import to_html
from tests.browser.firefox import FirefoxEngine
from tests.browser.page import CANVASES, ReportPage

pytestmark = pytest.mark.slow

Start = Callable[..., FirefoxEngine]
FRAMES = 12
MOVES = """async (frames) => {
  const bench = document.querySelector(".aidge-nb").workbench;
  const { canvas } = bench.panels.find(({ name }) => name === "graph");
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const seen = new Set();
  bench.store.set({ selected: bench.byName.get("fire9_concat") });
  for (let count = 0; count < frames; count++) {
    await frame();
    seen.add(canvas.toDataURL());
  }
  return seen.size;
}"""
"""How many pictures the graph goes through while it is taken to another place."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write the report of a model; give its address."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(to_html(study("zoo:squeezenet").scene()), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def plain(start_engine: Start) -> FirefoxEngine:
    return start_engine("firefox")


@pytest.fixture(scope="module")
def calm(start_engine: Start) -> FirefoxEngine:
    """Start a Firefox whose reader wants a dark page on which nothing moves."""
    wishes = {"ui.prefersReducedMotion": 1, "layout.css.prefers-color-scheme.content-override": 0}
    return start_engine("firefox", preferences=wishes)


@pytest.fixture(scope="module")
def forced(start_engine: Start) -> FirefoxEngine:
    """Start a Firefox that shows the reader's own colours in place of a page's."""
    wishes = {
        "browser.display.document_color_use": 2,
        "browser.display.background_color": "#000000",
        "browser.display.foreground_color": "#ffff00",
    }
    return start_engine("firefox", preferences=wishes)


def test_nothing_glides_for_those_who_want_no_motion(calm: FirefoxEngine, address: str) -> None:
    calm.resize(1440, 1000)
    ReportPage(calm).open(address)
    assert calm.call(MOVES, FRAMES) <= 2  # before and after


def test_a_page_opens_dark_for_those_who_want_that(
    plain: FirefoxEngine, calm: FirefoxEngine, address: str, artifacts: Path
) -> None:
    light, dark = (ReportPage(engine).open(address) for engine in (plain, calm))
    assert dark.paper() < 64 < 192 < light.paper()
    dark.save(artifacts, "wanted-dark")


def test_forced_colours_leave_everything_legible(
    forced: FirefoxEngine, address: str, artifacts: Path
) -> None:
    forced.resize(1440, 1000)
    page = ReportPage(forced).open(address)
    assert forced.call("() => matchMedia('(forced-colors: active)').matches")
    page.check_drawn()
    page.save(artifacts, "forced")
    nothing = {"rgb(0, 0, 0)", "rgba(0, 0, 0, 0)"}
    for selector in (".anb-bar span", ".anb-bars i", ".anb-dot"):
        assert page.fills(selector).isdisjoint(nothing), f"{selector} has lost its colour"
    pressed, free = (page.fills(f"button[aria-pressed={each}]") for each in ("true", "false"))
    assert pressed.isdisjoint(free)
    assert page.paper() == 0
    for panel in CANVASES:
        assert page.ground(panel) < 64, f"{panel} is light on a dark page"


def test_a_zoom_of_200_per_cent_keeps_everything_sharp(
    plain: FirefoxEngine, address: str, artifacts: Path
) -> None:
    plain.resize(1440, 1000)
    page = ReportPage(plain).open(address)
    page.resize(720, 500, ratio=2)
    page.check_drawn()
    page.save(artifacts, "zoom-200")
    page.resize(1440, 1000)
    page.check_drawn()
