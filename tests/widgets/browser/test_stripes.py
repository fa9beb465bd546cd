"""Stripes in the browser: one slider moves charts, maps, memory and words; keys reach all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import aidge_nb
from aidge_nb.tiling import Tiling, plan_tiling
from aidge_nb.widgets import Scene, scene_of
from aidge_nb.widgets.scene.tiles.stripe_parts import StripeDrawing
from aidge_nb.widgets.text import size_text
from tests.widgets.browser.bench import Bench


@cache
def chain(count: int = 3, name: str = "conv", stripes: int = 8, halo: str = "recompute") -> Scene:
    nodes: list[aidge_nb.Node] = [
        aidge_nb.PaddedConv2D(8, 8, [3, 3], f"{name}{n}", None, [1, 1, 1, 1]) for n in range(count)
    ]
    nodes.append(aidge_nb.MaxPooling2D([4, 4], "pool", stride_dims=[4, 4]))
    view = aidge_nb.sequential(nodes)
    view.forward_dims([[1, 8, 64, 64]])
    return scene_of(plan_tiling(view, nodes, {2: stripes}, halo=halo))


@cache
def tiles(rows: int = 4, columns: int = 4) -> Scene:
    nodes: list[aidge_nb.Node] = [
        aidge_nb.PaddedConv2D(8, 8, [3, 3], f"conv{n}", None, [1, 1, 1, 1]) for n in range(2)
    ]
    nodes.append(aidge_nb.MaxPooling2D([4, 4], "pool", stride_dims=[4, 4]))
    view = aidge_nb.sequential(nodes)
    view.forward_dims([[1, 8, 64, 64]])
    return scene_of(plan_tiling(view, nodes, {2: rows, 3: columns}))


def drawing() -> StripeDrawing:
    found = chain().stripes
    assert found is not None
    return found


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(browser, viewport={"width": 1440, "height": 1000})
    bench.open(chain(), tmp_path)
    yield bench
    assert bench.complaints == []
    bench.page.close()


def seen(bench: Bench) -> dict[str, str]:
    """Return what each part of the view says."""
    found: dict[str, str] = bench.page.evaluate(
        """() => {
          const text = (path) => document.querySelector(path)?.textContent ?? "";
          const label = (path, name) => document.querySelector(path)?.getAttribute(name) ?? "";
          return {
            title: text("[data-panel=needs] h3"),
            needs: label("[data-panel=needs] svg", "aria-valuetext"),
            card: text("[data-kind=peak] .anb-figure"),
            price: text("[data-kind=price] .anb-figure"),
            peak: text(".anb-now[data-value=peak]"),
            more: text(".anb-now[data-value='more MACs']"),
            arena: text(".anb-now[data-value=arena]"),
            memory: label("[data-panel=arenas] svg", "aria-label"),
            slider: label("input.anb-count", "aria-valuetext"),
            row: text("[data-panel=figures] [aria-current]"),
          };
        }"""
    )
    return found


def test_captions_are_sentences_and_not_pieces_apart(opened: Bench) -> None:
    gaps = opened.page.evaluate(
        """() => [...document.querySelectorAll(".anb-caption:not([hidden])")].map((caption) => {
          const boxes = [...caption.childNodes].flatMap((part) => {
            const range = document.createRange();
            range.selectNodeContents(part);
            return [...range.getClientRects()].filter(({ width }) => width > 0);
          });
          const isBeside = (box, at) => at && Math.abs(box.bottom - boxes[at - 1].bottom) < 6;
          const gap = (box, at) => (isBeside(box, at) ? box.left - boxes[at - 1].right : 0);
          return Math.max(...boxes.map(gap));
        })"""
    )
    assert len(gaps) == 3
    assert max(gaps) < 6


def test_the_slider_moves_everything(opened: Bench) -> None:
    before = seen(opened)
    opened.page.focus("input.anb-count")
    opened.press("ArrowLeft")
    after = seen(opened)
    assert {name for name in before if before[name] == after[name]} == set()
    assert after["title"] == "What stripe 3 of 6 needs"
    assert opened.page.locator("[data-panel=needs] [data-map]").count() == 5
    opened.press("Home")
    whole = seen(opened)
    assert whole["title"] == "What stripe 1 of 1 needs"
    assert whole["card"] == size_text(drawing().ways[0].peak)
    assert "as a whole" in whole["memory"]


def test_figures_on_screen_are_those_of_the_library(opened: Bench) -> None:
    ways = drawing().ways
    links = opened.page.locator("[data-panel=figures] [data-go^=w]")
    assert links.count() == len(ways)
    for at, way in enumerate(ways):
        links.nth(at).click()
        opened.settle()
        found = seen(opened)
        assert found["card"] == found["peak"] == size_text(way.peak)
        assert found["price"] == f"+{100 * way.extra:.1f} % MACs"
        assert found["more"] == f"+{100 * way.extra:.1f} %"
        if way.count > 1:
            assert found["arena"] == f"peak {size_text(way.peak)}"
        highest = opened.page.evaluate(
            "() => Math.max(...[...document.querySelectorAll('[data-panel=arenas] .anb-box')]"
            ".map(box => Number(box.dataset.stripe)))"
        )
        assert highest == way.count - 1


def test_all_maps_are_inside_of_the_panel(browser: Browser, tmp_path: Path) -> None:
    for count in (3, 12):
        bench = Bench(browser, viewport={"width": 960, "height": 900})
        bench.open(chain(count, "features_block_convolution_"), tmp_path)
        for width in (960, 390, 700, 1024, 1440):
            bench.page.set_viewport_size({"width": width, "height": 900})
            bench.settle()
            assert outside(bench) == [], width
            assert bench.width_to_scroll() <= 0
            maps = bench.page.locator("[data-panel=needs] [data-map]").count()
            assert maps == min(count + 2, 7)
        more = bench.page.locator("[data-panel=needs] text", has_text="7 more").count()
        assert more == (count == 12)
        assert bench.complaints == []
        bench.page.close()


def outside(bench: Bench) -> list[str]:
    """Return what reaches out of the drawing that it is in."""
    found: list[str] = bench.page.evaluate(
        """() => [...document.querySelectorAll(".anb-drawing")].flatMap(svg => {
          const frame = svg.getBoundingClientRect();
          return [...svg.querySelectorAll("text, rect, circle")].filter(each => {
            if (each.closest("defs")) return false;
            const box = each.getBoundingClientRect();
            return box.left < frame.left - 1 || box.right > frame.right + 1
              || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
          }).map(each => each.outerHTML);
        })"""
    )
    return found


def texts(bench: Bench, panel: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = bench.page.evaluate(
        """panel => [...document.querySelectorAll(`[data-panel=${panel}] .anb-drawing text`)]
          .filter(each => each.textContent)
          .map(each => {
            const {left, right, top, bottom} = each.getBoundingClientRect();
            return {text: each.textContent, left, right, top: top + 2, bottom: bottom - 2};
          })""",
        panel,
    )
    return found


@pytest.mark.parametrize("width", [390, 960, 1440])
@pytest.mark.parametrize(
    "scene",
    [
        lambda: chain(3, "conv", 8, "recompute"),
        lambda: chain(12, "layer_", 16, "cache"),
        lambda: tiles(),
        lambda: tiles(8, 3),
    ],
    ids=["stripes", "many maps", "square grid", "grid"],
)
def test_nothing_is_written_over_anything_else(
    browser: Browser, tmp_path: Path, width: int, scene: Callable[[], Scene]
) -> None:
    bench = Bench(browser, viewport={"width": width, "height": 900})
    bench.open(scene(), tmp_path)
    for keys in ((), ("Home",), ("End",)):
        bench.page.focus("[data-panel=needs] svg")
        bench.press(
            *(["ArrowUp"] * 20 if keys == ("Home",) else ["ArrowDown"] * 20 if keys else [])
        )
        for panel in ("counts", "needs", "arenas"):
            over = [
                (one["text"], other["text"])
                for one, other in combinations(texts(bench, panel), 2)
                if one["left"] < other["right"]
                and other["left"] < one["right"]
                and one["top"] < other["bottom"]
                and other["top"] < one["bottom"]
            ]
            assert over == [], panel
    bench.page.close()


def test_keys_alone_reach_count_stripe_and_halos(opened: Bench) -> None:
    opened.page.focus("input.anb-count")
    opened.press("ArrowRight")
    assert "of 12 needs" in seen(opened)["title"]
    for _ in range(12):
        opened.press("Tab")
        if opened.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Stripe":
            break
    before = seen(opened)["needs"]
    opened.press("ArrowDown")
    after = seen(opened)["needs"]
    assert before.startswith("6 of 12")
    assert after.startswith("7 of 12")
    assert "of the halo" in after
    assert opened.page.get_attribute("[data-panel=needs] svg", "aria-valuenow") == "7"
    opened.page.get_by_role("button", name="Keep halos", exact=True).focus()
    opened.press("Enter")
    assert "halos kept" in seen(opened)["slider"]
    assert "because halos are kept" in opened.page.inner_text("[data-kind=price]")


def test_keeping_halos_is_one_click_where_it_is_better(opened: Bench) -> None:
    card = opened.page.locator("[data-kind=change]")
    assert card.locator(".anb-figure").inner_text().startswith("Keep the halos")
    card.get_by_role("button", name="keep halos", exact=True).click()
    opened.settle()
    assert card.count() == 0
    kept = next(way for way in drawing().ways if way.kept and way.count == 8)
    assert seen(opened)["card"] == size_text(kept.peak)


def test_a_click_on_a_map_or_on_memory_picks_a_stripe(opened: Bench) -> None:
    box = opened.page.locator("[data-panel=needs] [data-map='1']").bounding_box()
    assert box is not None
    opened.page.mouse.click(box["x"] + 20, box["y"] + box["height"] * 0.99)
    opened.settle()
    assert seen(opened)["title"] == "What stripe 8 of 8 needs"
    assert opened.selected == "tile 7"
    opened.page.locator("[data-panel=arenas] text", has_text="stripe 2").click()
    opened.settle()
    assert seen(opened)["title"] == "What stripe 2 of 8 needs"
    assert opened.page.locator("[data-panel=arenas] .anb-mine").count() > 2


def test_a_tile_that_is_selected_from_outside_is_the_stripe(browser: Browser) -> None:
    bench = Bench(browser).open_widget(chain())
    bench.put("selected", "tile 6")
    assert seen(bench)["title"] == "What stripe 7 of 8 needs"
    bench.page.close()


def test_own_rows_and_halo_on_screen_add_up(opened: Bench) -> None:
    rows = opened.page.locator("[data-panel=figures] table").nth(1).locator("tbody tr")
    assert rows.count() == 8
    for row in rows.all():
        for cell in row.locator("td").all_inner_texts():
            rest, span = cell.split(": ")
            first, _, last = span.partition("–")
            assert sum(map(int, rest.split(" + "))) == int(last or first) - int(first) + 1


def test_without_a_graph_no_peak_is_told(browser: Browser, tmp_path: Path) -> None:
    view = aidge_nb.sequential([aidge_nb.Conv2D(3, 4, [3, 3], name="c")])
    view.forward_dims([[1, 3, 34, 34]])
    tiling = Tiling.from_dict(plan_tiling(view, view.get_node("c"), {2: 4}).to_dict())
    bench = Bench(browser).open(scene_of(tiling), tmp_path)
    assert bench.page.locator("[data-kind=peak]").count() == 0
    assert "names no graph" in bench.page.inner_text("[data-panel=counts]")
    assert bench.page.is_disabled("input.anb-count")
    assert "No memory plan is known" in (bench.page.text_content("[data-panel=arenas]") or "")
    assert bench.complaints == []
    bench.page.close()


def test_names_without_end_leave_the_panels_as_they_are(browser: Browser, tmp_path: Path) -> None:
    name = "x" * 10_000
    view = aidge_nb.sequential([aidge_nb.Conv2D(3, 4, [3, 3], name=name)])
    view.forward_dims([[1, 3, 34, 34]])
    bench = Bench(browser, viewport={"width": 960, "height": 900})
    bench.open(scene_of(plan_tiling(view, view.get_node(name), {2: 4})), tmp_path)
    assert outside(bench) == []
    assert bench.width_to_scroll() <= 0
    bench.page.close()


def test_python_sets_the_stripes_and_hears_of_them(browser: Browser) -> None:
    bench = Bench(browser).open_widget(chain(), stripes=4, halo="cache")
    assert seen(bench)["title"] == "What stripe 2 of 4 needs"
    assert "halos kept" in seen(bench)["slider"]
    bench.put("stripes", 2)
    assert seen(bench)["title"] == "What stripe 1 of 2 needs"
    bench.put("halo", "recompute")
    assert "halos recomputed" in seen(bench)["slider"]
    bench.page.focus("input.anb-count")
    bench.press("ArrowRight")
    bench.page.wait_for_function("kernel.traits.stripes === 3 && kernel.saved > 0")
    saved = bench.page.evaluate("kernel.saved")
    bench.page.get_by_role("button", name="Keep halos", exact=True).click()
    bench.page.wait_for_function(
        "saved => kernel.traits.halo === 'cache' && kernel.saved > saved", arg=saved
    )
    bench.put("stripes", None)
    assert "of 8 needs" in seen(bench)["title"]
    assert bench.complaints == []
    bench.page.close()


def test_long_names_stand_upright_where_there_is_no_room(browser: Browser, tmp_path: Path) -> None:
    bench = Bench(browser, viewport={"width": 390, "height": 900})
    bench.open(chain(12, "features_block_convolution_"), tmp_path)
    names = [each["text"] for each in texts(bench, "needs")]
    for number in (0, 1, 9, 10, 11):
        assert any(each.endswith(f"_{number}") for each in names), number
    assert bench.page.locator("[data-panel=needs] text[transform]").count() == 7
    assert outside(bench) == []
    bench.page.set_viewport_size({"width": 1440, "height": 900})
    bench.page.wait_for_function(
        "() => !document.querySelector('[data-panel=needs] text[transform]')"
    )
    bench.page.close()


def test_a_grid_has_the_slider_and_the_memory_that_stripes_have(
    browser: Browser, tmp_path: Path
) -> None:
    bench = Bench(browser, viewport={"width": 1440, "height": 1000})
    bench.open(tiles(), tmp_path)
    found = tiles().stripes
    assert found is not None
    before = seen(bench)
    assert before["title"] == "What tile 6 of 16 needs"
    assert before["card"] == size_text(found.ways[found.chosen].peak)
    assert "16×16 of 20×20, rows 14–33, columns 14–33" in before["needs"]
    bench.page.focus("input.anb-count")
    bench.press("ArrowLeft")
    after = seen(bench)
    assert {name for name in before if before[name] == after[name]} == set()
    assert after["slider"].startswith("3×3 tiles, halos recomputed")
    fewer = next(way for way in found.ways if way.label == "3×3")
    assert after["card"] == after["peak"] == size_text(fewer.peak)
    assert after["arena"] == f"peak {size_text(fewer.peak)}"
    assert "stripe" not in bench.page.inner_text(".anb-panels")
    bench.press("ArrowRight")
    bench.page.focus("[data-panel=needs] svg")
    bench.press("ArrowDown", "ArrowRight")
    assert seen(bench)["title"] == "What tile 11 of 16 needs"
    box = bench.page.locator("[data-panel=needs] [data-map='1']").bounding_box()
    assert box is not None
    bench.page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.05)
    bench.settle()
    assert seen(bench)["title"] == "What tile 4 of 16 needs"
    assert bench.selected == "tile 3"
    for width in (320, 390, 1024, 1440):
        bench.page.set_viewport_size({"width": width, "height": 900})
        bench.settle()
        assert outside(bench) == [], width
        assert bench.width_to_scroll() <= 0
    assert bench.complaints == []
    bench.page.close()


def test_names_in_memory_do_not_fade(opened: Bench) -> None:
    masks = opened.page.evaluate(
        "() => [...document.querySelectorAll('.anb-drawing text')]"
        ".filter(each => getComputedStyle(each).maskImage !== 'none').length"
    )
    assert masks == 0
