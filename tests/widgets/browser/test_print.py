"""What a printer gets of a page: pictures on a few sheets, whole, and without colours too.

Sheets are looked at where ``pdftoppm`` is installed (poppler-utils); all else needs Chromium alone.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import aidge_nb
from aidge_nb import zoo
from aidge_nb.report import study
from aidge_nb.widgets import Scene, build_scene, scene_of, to_html
from tests.widgets.models import mapping_of, plan_of, schedule_of, snapshot

MOST = 3
SHEETS = {"upright": (190, 277), "on its side": (277, 190)}
"""Width and height of what A4 leaves between its margins, in millimetres."""


def report(name: str) -> Scene:
    scene: Scene = study(f"zoo:{name}").scene()
    return scene


def chain() -> Scene:
    names = [f"node{place}" for place in range(5000)]
    edges = [(place, place + 1) for place in range(4999)]
    spans = [(place, place) for place in range(5000)]
    return build_scene(snapshot(names, edges), schedule_of(names, spans), plan_of(names))


def folded() -> Scene:
    lstm = aidge_nb.LSTM(in_channels=4, hidden_channels=8, seq_length=50, name="lstm")
    graph = aidge_nb.get_connected_graph_view(lstm)
    aidge_nb.expand_metaops(graph)
    return scene_of(aidge_nb.static_schedule(graph))


SCENES: dict[str, Callable[[], Scene]] = {
    "lenet": lambda: report("lenet"),
    "mobilenet_v2": lambda: report("mobilenet_v2"),
    "resnet50": lambda: report("resnet50"),
    "lstm": lambda: report("lstm_classifier"),
    "chain": chain,
    "folded": folded,
    "mapping": lambda: scene_of(mapping_of()),
}


@pytest.fixture(scope="module", params=list(SCENES))
def page_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("print") / f"{request.param}.html"
    path.write_text(to_html(SCENES[request.param]()), encoding="utf-8")
    return path


def opened(browser: Browser, path: Path) -> Page:
    page = browser.new_page(color_scheme="dark")
    page.goto(path.as_uri())
    page.wait_for_selector("[data-ready=true]")
    return page


def shades(pdf: Path) -> list[np.ndarray]:
    """Paint each sheet in shades of grey."""
    subprocess.run(["pdftoppm", "-r", "40", "-gray", pdf, pdf.with_suffix("")], check=True)
    found = []
    for path in sorted(pdf.parent.glob(f"{pdf.stem}-*.pgm")):
        head = re.match(rb"P5\s+(\d+)\s+(\d+)\s+255\s", path.read_bytes())
        assert head is not None
        pixels = np.frombuffer(path.read_bytes()[head.end() :], np.uint8)
        found.append(pixels.reshape(int(head[2]), int(head[1])))
    return found


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_page_prints_on_few_sheets_none_empty_none_cut(
    browser: Browser, page_file: Path, tmp_path: Path, sheet: str
) -> None:
    page = opened(browser, page_file)
    pdf = tmp_path / "out.pdf"
    page.pdf(path=pdf, format="A4", landscape=sheet != "upright", print_background=True)
    page.close()
    count = len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes()))
    assert 1 <= count <= MOST
    if shutil.which("pdftoppm") is None:
        return
    sheets = shades(pdf)
    assert len(sheets) == count
    for pixels in sheets:
        assert (pixels < 128).mean() > 0.002, "an empty sheet"
        edges = (pixels[:6], pixels[-6:], pixels[:, :6], pixels[:, -6:])
        assert all((edge > 250).all() for edge in edges), "ink in the margin, or dark paper"


@pytest.mark.parametrize("sheet", SHEETS)
def test_each_picture_fits_a_sheet_with_letters_that_can_be_read(
    browser: Browser, page_file: Path, sheet: str
) -> None:
    page = opened(browser, page_file)
    wide, high = (round(millimetres / 25.4 * 96) for millimetres in SHEETS[sheet])
    page.set_viewport_size({"width": wide, "height": high})
    page.emulate_media(media="print")
    assert not page.locator("main").is_visible()
    found = page.evaluate(
        """() => [...document.querySelectorAll(".paper svg")].map(svg => {
          const box = svg.getBoundingClientRect();
          const scale = Math.min(box.width / svg.viewBox.baseVal.width,
            box.height / svg.viewBox.baseVal.height);
          const sizes = [...svg.querySelectorAll("text")]
            .map(text => parseFloat(getComputedStyle(text).fontSize) * scale);
          return {wide: box.width, high: box.height, least: Math.min(...sizes),
            label: svg.getAttribute("aria-label")};
        })"""
    )
    page.close()
    assert found
    for picture in found:
        assert picture["wide"] <= wide + 1
        assert picture["high"] <= high
        assert picture["label"]
        assert picture["least"] * 0.75 >= 4.5, "points of the smallest letters"


def test_families_can_be_told_apart_without_colours(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(to_html(report("lenet")), encoding="utf-8")
    page = opened(browser, path)
    page.emulate_media(media="print")
    fills = page.evaluate(
        """() => [...document.querySelectorAll(".paper svg")[0].querySelectorAll("pattern path")]
          .map(path => path.getAttribute("d"))"""
    )
    used = page.evaluate(
        """() => new Set([...document.querySelectorAll(".paper svg [fill^='url(']")]
          .map(each => each.getAttribute("fill"))).size"""
    )
    page.close()
    assert len(set(fills)) == len(fills) == 9
    graph = zoo.load("lenet").snapshot()
    assert used >= min(4, len({node.type for node in graph.nodes}))


def test_a_page_that_cannot_be_drawn_shows_its_pictures(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    page_text = to_html(report("lenet"))
    path.write_text(re.sub(r'(id="aidge-nb-data">)[^<]*', r"\1AAAA", page_text), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("[role=alert]")
    page.locator(".still svg").first.wait_for()
    page.close()


def test_a_covered_page_prints_no_answer() -> None:
    scene = report("lenet")
    assert '<div class="paper' in to_html(scene)
    assert '<div class="paper' not in to_html(scene, opened={"covered": True})
