"""The report's page in Chromium, Firefox and WebKit: one scenario, played as a person would.

Golden pictures are Chromium's (`tests/widgets/browser/test_golden.py`); here is looked at what must
be the same everywhere, and every step leaves a screenshot to lay beside Chromium's.
"""

from __future__ import annotations

import functools
import http.server
import re
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from aidge_nb.report import study
from aidge_nb.widgets import to_html
from tests.browser.engines import ENGINES, Engine
from tests.browser.page import CANVASES, ReportPage

MODEL = "zoo:squeezenet"
OTHERS = ("firefox", "webkit")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report of a model."""
    made = tmp_path_factory.mktemp("report")
    (made / "report.html").write_text(to_html(study(MODEL).scene()), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def running(start_engine: Callable[..., Engine]) -> Callable[[str], Engine]:
    """Start each engine once."""
    return functools.cache(start_engine)


@pytest.fixture
def page(
    running: Callable[[str], Engine], folder: Path, request: pytest.FixtureRequest
) -> ReportPage:
    """Open the report from the disk, in the engine that the test is for."""
    engine = running(request.param)
    engine.resize(1440, 1000)
    return ReportPage(engine).open((folder / "report.html").as_uri())


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """Serve the folder of the report."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None: ...

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/report.html"
        server.shutdown()


@pytest.mark.parametrize("page", OTHERS, indirect=True)
def test_a_report_opens_and_what_is_clicked_is_picked(page: ReportPage, artifacts: Path) -> None:
    page.check_drawn()
    page.save(artifacts, "open")
    page.pick("memory", "fire2_concat")
    assert page.selected == "fire2_concat"
    assert page.complaints == []


@pytest.mark.slow
@pytest.mark.parametrize("page", ENGINES, indirect=True)
class TestEverywhere:
    """What the first tier tries in two engines is tried here in more ways, and in Chromium too."""

    def test_the_views_are_drawn(self, page: ReportPage, artifacts: Path) -> None:
        page.check_drawn()
        page.save(artifacts, "open")

    @pytest.mark.parametrize("width", [1024, 390])
    def test_they_are_in_a_small_window(
        self, page: ReportPage, width: int, artifacts: Path
    ) -> None:
        page.resize(width, 800)
        page.check_drawn()
        page.save(artifacts, f"open-{width}")

    def test_terms_have_dots_below_them(self, page: ReportPage) -> None:
        lines = page.engine.call(
            """() => [...document.querySelectorAll(".anb-term")]
              .map((term) => getComputedStyle(term))
              .map((style) => `${style.textDecorationLine} ${style.textDecorationStyle}`)"""
        )
        assert set(lines) == {"underline dotted"}

    def test_a_server_hands_it_out(self, page: ReportPage, address: str) -> None:
        page.open(address)
        page.check_drawn()
        assert page.foreign == []

    @pytest.mark.parametrize("panel", CANVASES)
    def test_a_click_in_one_panel_shows_in_the_others(self, page: ReportPage, panel: str) -> None:
        node = "relu_conv1"  # in the one block that is open
        before = {other: page.picture(other) for other in CANVASES}
        page.pick(panel, node)
        assert page.selected == node
        for other in CANVASES:
            assert page.picture(other) != before[other], other
        assert node in page.text("[data-part=details]")

    def test_what_is_pointed_at_is_named(self, page: ReportPage, artifacts: Path) -> None:
        page.point("memory", "fire2_concat")
        assert page.hovered == "fire2_concat"
        assert "concat" in page.text(".anb-tip")
        page.save(artifacts, "pointed")

    def test_search_and_arrows(self, page: ReportPage, artifacts: Path) -> None:
        page.engine.press("/")
        page.engine.write("concat")
        page.engine.press("Enter")
        assert page.selected == "fire2_concat"
        page.save(artifacts, "search")
        page.engine.press("Enter")
        assert page.selected == "fire3_concat"
        page.engine.press("Escape")
        page.pick("timeline", "fire4_concat")
        page.engine.press("ArrowRight")
        assert page.selected not in ("", "fire4_concat")

    def test_tab_walks_through_the_page(self, page: ReportPage) -> None:
        reached = page.tab_through(48)
        assert "INPUT search" in reached
        assert reached.count("CANVAS") >= 5, reached

    def test_the_playhead_moves(self, page: ReportPage, artifacts: Path) -> None:
        engine = page.engine
        engine.press(".", ".", ".")
        assert page.now == 2
        engine.press(",")
        assert page.now == 1
        left, middle, right = page.box(".anb-ruler canvas")
        engine.drag((left + 0.5 * (right - left), middle), (left + 0.75 * (right - left), middle))
        moved = page.now
        assert moved > 30, moved
        page.save(artifacts, "playhead")
        engine.press("End")
        assert page.now > moved

    def test_it_plays(self, page: ReportPage) -> None:
        page.push_button("Play")
        page.until_now(3)
        page.push_button("Play")
        assert page.state("playing") is False

    def test_the_wheel_scrolls_and_zooms(self, page: ReportPage, artifacts: Path) -> None:
        engine = page.engine
        x, y = engine.centre("[data-panel=memory] .anb-stage canvas")
        engine.wheel(x, y, -300, "Control")
        start, stop = page.wait_state("timeRange")
        assert stop - start < 45
        page.save(artifacts, "zoomed")
        engine.call("() => scrollTo({top: 0, behavior: 'instant'})")
        engine.wheel(*page.box(".aidge-nb header, .anb-header")[:2], 200)
        engine.wait("() => scrollY > 0")

    def test_the_theme_is_light_and_dark(self, page: ReportPage, artifacts: Path) -> None:
        light = {panel: page.picture(panel) for panel in CANVASES}
        paper = page.paper()
        page.push_button("Switch between light and dark")
        assert page.paper() < 64 < 192 < paper
        assert all(page.picture(panel) != light[panel] for panel in CANVASES)
        page.save(artifacts, "dark")
        page.push_button("Switch between light and dark")
        assert page.paper() == paper

    def test_a_panel_can_have_the_whole_page(self, page: ReportPage, artifacts: Path) -> None:
        before = {panel["name"]: panel["high"] for panel in page.check_sizes()}
        page.push_button("Enlarge the memory")
        after = {panel["name"]: panel["high"] for panel in page.check_sizes()}
        assert after["memory"] > before["memory"]
        page.save(artifacts, "large")

    def test_help_opens(self, page: ReportPage, artifacts: Path) -> None:
        page.engine.press("?")
        page.engine.wait("() => !!document.querySelector('.anb-help')?.checkVisibility()")
        page.save(artifacts, "help")
        page.engine.press("Escape")
        page.engine.wait("() => !document.querySelector('.anb-help')?.checkVisibility()")


@pytest.mark.slow
@pytest.mark.parametrize("page", ["chromium", "firefox"], indirect=True)
def test_it_prints_in_colour_on_few_sheets(page: ReportPage, artifacts: Path) -> None:
    """Look into what is printed without a background, as readers print; WebKit's driver cannot."""
    path = artifacts / f"printed-{page.engine.name}.pdf"
    page.engine.pdf(path)
    printed = inflated(path.read_bytes())
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 3
    fills = re.findall(rb"([\d.]+) ([\d.]+) ([\d.]+) rg\b", printed)
    painted = {
        f"rgb({', '.join(str(round(255 * float(part))) for part in fill)})" for fill in fills
    }
    assert page.fills(".anb-bar span") <= painted
    assert page.fills(".anb-bars i") <= painted
    assert page.ground_of_page not in painted


def inflated(pdf: bytes) -> bytes:
    """Return a PDF with what is packed in it, unpacked."""
    parts = [pdf]
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
        with suppress(zlib.error):
            parts.append(zlib.decompress(stream))
    return b"\n".join(parts)
