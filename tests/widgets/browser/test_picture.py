"""Save or copy the picture of a view: what is on screen, as SVG and as PNG."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Browser, Page

import aidge_nb
from aidge_nb.report import study
from aidge_nb.widgets import Scene, build_scene, scene_of
from tests.widgets.browser.bench import Bench
from tests.widgets.browser.test_panels import AXE
from tests.widgets.models import EVIL, mapping_of, plan_of, residual, schedule_of, snapshot

SVG = "{http://www.w3.org/2000/svg}"


def many() -> Scene:
    """So many bars that panels paint pixels, and not shapes."""
    names = [f"node{place}" for place in range(3000)]
    edges = [(place, place + 1) for place in range(2999)]
    spans = [(place, place) for place in range(3000)]
    return build_scene(snapshot(names, edges), schedule_of(names, spans), plan_of(names))


def stripes() -> Scene:
    nodes = [aidge_nb.PaddedConv2D(8, 8, [3, 3], name="conv", padding_dims=[1] * 4)]
    graph = aidge_nb.sequential(nodes)
    graph.set_backend("cpu")
    graph.forward_dims([[1, 8, 64, 64]])
    return scene_of(aidge_nb.plan_tiling(graph, nodes, {2: 8}))


SCENES: dict[str, Callable[[], Scene]] = {
    "report": lambda: study("zoo:lenet").scene(),
    "mapping": lambda: scene_of(mapping_of()),
    "stripes": stripes,
    "many": many,
}


def open_menu(page: Page) -> None:
    page.get_by_role("button", name="Save or copy the picture").click()


def saved(page: Page, ending: str, folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Save {ending}").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    page.wait_for_function(
        "() => document.querySelector('.anb-picture').innerText.includes('Saved.')"
    )
    return path


def texts(path: Path) -> list[str]:
    return [each.text or "" for each in ET.parse(path).iter(f"{SVG}text")]


@pytest.mark.parametrize("name", SCENES)
def test_a_page_saves_what_is_on_screen(browser: Browser, tmp_path: Path, name: str) -> None:
    scene = SCENES[name]()
    bench = Bench(browser, viewport={"width": 1280, "height": 900}).open(scene, tmp_path)
    open_menu(bench.page)
    svg, png = (saved(bench.page, ending, tmp_path) for ending in ("SVG", "PNG"))
    box = bench.page.locator(".aidge-nb").bounding_box()
    assert box is not None
    root = ET.parse(svg).getroot()
    assert float(root.get("width", "0")) == pytest.approx(box["width"], abs=1)
    assert float(root.get("height", "0")) == pytest.approx(box["height"], abs=1)
    assert (root.findtext(f"{SVG}title"), root.get("role")) == (scene.title, "img")
    said = " ".join(texts(svg))
    for panel in bench.page.locator(".anb-panel h3:visible").all_inner_texts():
        assert panel in said
    assert "Save SVG" not in said
    data = png.read_bytes()
    wide, high = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    assert (wide, high) == pytest.approx((2 * box["width"], 2 * box["height"]), abs=2)
    assert svg.stat().st_size < 3_000_000
    assert bench.complaints == []
    bench.page.close()


def test_it_is_the_present_window_and_theme(browser: Browser, tmp_path: Path) -> None:
    scene = study("zoo:mobilenet_v2@96").scene()
    bench = Bench(browser, viewport={"width": 1280, "height": 900}).open(scene, tmp_path)
    page = bench.page
    open_menu(page)
    first = texts(saved(page, "SVG", tmp_path))
    paper = ET.parse(next(tmp_path.glob("*.svg"))).getroot().find(f".//{SVG}rect")
    page.get_by_role("button", name="Switch between light and dark").click()
    page.evaluate("document.querySelector('.aidge-nb').workbench.set({timeRange: [100, 120]})")
    bench.settle()
    path = saved(page, "SVG", tmp_path)
    second = texts(path)
    assert "window 0" in " ".join(first)
    assert "window 100" in " ".join(second)
    dark = ET.parse(path).getroot().find(f".//{SVG}rect")
    assert paper is not None
    assert dark is not None
    assert paper.get("fill") != dark.get("fill")
    page.close()


def test_text_of_the_picture_lies_where_it_is_on_screen(browser: Browser, tmp_path: Path) -> None:
    bench = Bench(browser, viewport={"width": 1280, "height": 900})
    bench.open(build_scene(*residual(3)), tmp_path)
    open_menu(bench.page)
    path = saved(bench.page, "SVG", tmp_path)
    box = bench.page.locator("[data-panel=memory] h3").bounding_box()
    root = bench.page.locator(".aidge-nb").bounding_box()
    assert box is not None
    assert root is not None
    (label,) = [each for each in ET.parse(path).iter(f"{SVG}text") if each.text == "Memory"]
    assert float(label.get("x", "0")) == pytest.approx(box["x"] - root["x"], abs=1)
    top = box["y"] - root["y"]
    assert top < float(label.get("y", "0")) < top + box["height"]
    bench.page.close()


def test_names_of_files_stay_text(browser: Browser, tmp_path: Path) -> None:
    names = [EVIL, "\x00\x1f\ufffe"]
    scene = build_scene(snapshot(names, [(0, 1)]), plan=plan_of(names), title=EVIL)
    bench = Bench(browser).open(scene, tmp_path)
    open_menu(bench.page)
    path = saved(bench.page, "SVG", tmp_path)
    tags = {each.tag.removeprefix(SVG) for each in ET.parse(path).iter()}
    known = {"svg", "title", "desc", "g", "rect", "text", "path", "circle", "clipPath", "pattern"}
    assert tags <= {*known, "image"}
    assert path.name.isascii()
    bench.page.close()


def test_what_is_covered_is_not_in_the_picture(browser: Browser, tmp_path: Path) -> None:
    bench = Bench(browser)
    bench.open_widget(build_scene(*residual(2)), covered=True, question="What runs first?")
    svg = bench.page.evaluate("document.querySelector('.aidge-nb').workbench.picture()")
    assert "What runs first?" in svg
    assert "b0_conv" not in svg
    bench.page.close()


def test_a_picture_is_copied(browser: Browser, tmp_path: Path) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    path = tmp_path / "page.html"
    path.write_text(aidge_nb.widgets.to_html(build_scene(*residual(1))), encoding="utf-8")
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("[data-ready=true]")
    open_menu(page)
    for ending, said in (("PNG", "Copied."), ("SVG", "Copied as text.")):
        page.get_by_role("button", name=f"Copy {ending}").click()
        page.wait_for_function(
            "said => document.querySelector('.anb-picture [role=status]').innerText === said",
            arg=said,
        )
    assert page.evaluate("navigator.clipboard.readText()").startswith("<svg")
    context.close()


@pytest.mark.parametrize(
    "clipboard", ["undefined", "{write: refuse, writeText: refuse}"], ids=["none", "refused"]
)
def test_a_browser_that_does_not_copy_is_reported(
    browser: Browser, tmp_path: Path, clipboard: str
) -> None:
    bench = Bench(browser)
    bench.page.add_init_script(
        "const refuse = () => Promise.reject(new Error('not allowed'));"
        f"Object.defineProperty(navigator, 'clipboard', {{value: {clipboard}}});"
    )
    bench.open(build_scene(*residual(1)), tmp_path)
    open_menu(bench.page)
    for ending in ("PNG", "SVG"):
        bench.page.get_by_role("button", name=f"Copy {ending}").click()
        bench.page.wait_for_function(
            "words => document.querySelector('.anb-picture').innerText.includes(words)",
            arg="did not allow it: save the picture",
        )
    assert bench.complaints == []
    bench.page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_menu_is_for_keys_and_for_everybody(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    bench = Bench(browser, viewport={"width": width, "height": 844})
    bench.open(build_scene(*residual(1)), tmp_path)
    page = bench.page
    page.get_by_role("button", name="Save or copy the picture").focus()
    bench.press("Enter")
    menu = page.get_by_role("group", name="Save or copy the picture")
    assert menu.is_visible()
    assert bench.width_to_scroll() <= 0
    bench.press("Tab")
    assert "Save PNG" in page.evaluate("document.activeElement.textContent")
    bench.press("Escape")
    assert not menu.is_visible()
    name = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert name == "Save or copy the picture"
    bench.press("Enter")
    if AXE.exists():
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("async () => (await axe.run('.anb-header')).violations")
        assert [each["id"] for each in found] == []
    page.close()
