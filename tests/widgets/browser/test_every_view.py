"""What holds for every view: keys reach all of it, axe finds nothing, each term explains itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser

import aidge_nb
from aidge_nb.tiling import plan_tiling
from aidge_nb.widgets import Scene, build_scene, scene_of
from tests.widgets.browser.bench import Bench
from tests.widgets.browser.test_panels import AXE
from tests.widgets.loops import lstm
from tests.widgets.models import mapping_of, residual
from tests.widgets.odd_scenes import ODD

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[3]
TERMS: dict[str, str] = json.loads((ROOT / "widgets/shared/terms.json").read_text("utf-8"))


def network() -> Scene:
    """A network of five blocks, more than 60 ticks: cards, overview, lanes, alive and graph."""
    return build_scene(*residual(20))


def tiles(columns: int) -> Scene:
    convs = [aidge_nb.PaddedConv2D(2, 2, [3, 3], f"conv{n}", None, [1] * 4) for n in range(2)]
    view = aidge_nb.sequential(convs)
    view.forward_dims([[1, 2, 16, 16]])
    return scene_of(plan_tiling(view, convs, {2: 4, 3: columns} if columns else {2: 4}))


VIEWS: dict[str, Callable[[], Scene]] = {
    "network": network,
    "folded": lambda: build_scene(schedule=lstm(50)),
    "mapping": lambda: scene_of(mapping_of(8, 2)),
    "stripes": lambda: tiles(0),
    "grid": lambda: tiles(4),
    "debugger": lambda: build_scene(traced=aidge_nb.sequential([aidge_nb.ReLU(name="a")])),
}


@cache
def view(name: str) -> Scene:
    return VIEWS[name]()


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (390, "dark")])
def test_axe_finds_nothing(
    browser: Browser, tmp_path: Path, name: str, width: int, theme: Literal["light", "dark"]
) -> None:
    if not AXE.is_file():
        pytest.skip("no axe-core: npm ci")
    bench = Bench(browser, viewport={"width": width, "height": 900}, color_scheme=theme)
    bench.open(view(name), tmp_path)
    for card in bench.page.locator(".anb-card[data-kind=peak] .anb-figure").all()[:1]:
        card.click()
    bench.settle()
    bench.page.evaluate(AXE.read_text(encoding="utf-8"))
    found = bench.page.evaluate("async () => (await axe.run()).violations")
    assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found] == []
    assert bench.complaints == []
    bench.page.close()


REACHABLE = """() => [...document.querySelectorAll(
  ".aidge-nb :is(button, input, select, a[href], [tabindex])")]
  .filter(each => !each.disabled && each.tabIndex >= 0 && each.checkVisibility(
    {visibilityProperty: true}))
  .map((each, at) => { each.dataset.stop ??= at; return each.dataset.stop; })"""


@pytest.mark.parametrize("name", VIEWS)
def test_tab_alone_reaches_every_control(browser: Browser, tmp_path: Path, name: str) -> None:
    bench = Bench(browser, viewport={"width": 1440, "height": 900}).open(view(name), tmp_path)
    wanted = set(bench.page.evaluate(REACHABLE))
    assert wanted
    seen: set[str] = set()
    for _ in range(3 * len(wanted) + 20):
        bench.page.keyboard.press("Tab")
        at = bench.page.evaluate("document.activeElement?.dataset?.stop ?? ''")
        if at:
            seen.add(at)
        if seen >= wanted:
            break
    left = [
        bench.page.evaluate("at => document.querySelector(`[data-stop='${at}']`)?.outerHTML", at)
        for at in sorted(wanted - seen)
    ]
    # A group of which one is chosen is one stop; arrows go from one to the next.
    assert [each for each in left if each] == []
    unreachable = bench.page.evaluate(
        """() => [...document.querySelectorAll(".aidge-nb :is(button, input, select)")]
          .filter(each => !each.disabled && each.checkVisibility({visibilityProperty: true})
            && each.tabIndex < 0 && !each.closest("[role=tablist], [role=toolbar], [tabindex='0']"))
          .map(each => each.outerHTML)"""
    )
    assert unreachable == []
    bench.page.close()


@pytest.mark.parametrize("name", VIEWS)
def test_each_term_has_a_sentence_and_leads_to_the_words(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    bench = Bench(browser, viewport={"width": 1440, "height": 900}).open(view(name), tmp_path)
    terms = bench.page.locator(".anb-term:visible")
    assert terms.count() > 0
    said: list[dict[str, Any]] = terms.evaluate_all(
        "all => all.map(each => ({term: each.dataset.term, title: each.title}))"
    )
    for each in said:
        sentence = TERMS[each["term"]]
        assert each["title"].startswith(sentence)
        assert sentence.count(". ") == 0, "one sentence"
    first = terms.first
    word = first.get_attribute("data-term")
    first.focus()
    bench.press("Enter")
    entry = bench.page.locator(f"[data-word='{word}']")
    assert entry.is_visible()
    bench.page.close()


# --- odd values, and odd windows ----------------------------------------------------------------


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize(
    "width", [320, *(pytest.param(wide, marks=pytest.mark.slow) for wide in (1440, 3000))]
)
def test_odd_values_are_shown_in_any_window(
    browser: Browser, tmp_path: Path, name: str, width: int
) -> None:
    bench = Bench(browser, viewport={"width": width, "height": 900}).open(ODD[name](), tmp_path)
    for key in ("ArrowDown", "ArrowRight", ".", ",", "p", "n", "c", "+", "-", "0", "Escape"):
        bench.press(key)
    assert bench.width_to_scroll() <= 0
    assert bench.complaints == []
    assert bench.page.locator(".aidge-nb img").count() == 0
    assert bench.page.locator("[data-panel]").count() > 0
    bench.page.close()


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize(
    ("width", "scale"),
    [(320, 1), *(pytest.param(*each, marks=pytest.mark.slow) for each in ((720, 2), (3000, 1)))],
)
def test_small_large_and_magnified_windows_hold_every_view(
    browser: Browser, tmp_path: Path, name: str, width: int, scale: int
) -> None:
    """200 % zoom halves the window, in pixels of the page, and doubles those of the screen."""
    window = {"width": width, "height": 900 // scale}
    bench = Bench(browser, viewport=window, device_scale_factor=scale).open(view(name), tmp_path)
    assert bench.width_to_scroll() <= 0
    wide = bench.page.evaluate(
        """() => [...document.querySelectorAll("[data-panel]")]
          .filter(each => each.checkVisibility())
          .map(each => [each.dataset.panel, each.getBoundingClientRect()])
          .filter(([, box]) => box.right > innerWidth + 1 || box.left < -1 || box.width < 100)
          .map(([name]) => name)"""
    )
    assert wide == []
    assert bench.complaints == []
    bench.page.close()
