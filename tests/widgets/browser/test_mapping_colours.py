"""The colours of a mapping in the browser: of types, works, blocks and tiles."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Browser

from aidge_nb.widgets import scene_of
from tests.widgets.browser.bench import Bench
from tests.widgets.browser.test_mapping import ask, opened_at
from tests.widgets.models import mapping_of


def test_colours_stand_for_types_works_or_blocks(browser: Browser, tmp_path: Path) -> None:
    opened = opened_at(browser, 1440, "light", tmp_path)
    group = opened.page.get_by_role("group", name="Colour by")
    family = ask(opened, "devices", "[...bench.store.model.family]")
    pictures = {"type": (opened.image("devices"), opened.image("memory"))}
    for hue in ("work", "block"):
        group.locator("button", has_text=hue).click()
        opened.settle()
        pictures[hue] = opened.image("devices"), opened.image("memory")
        assert group.locator("[aria-pressed=true]").inner_text() == hue
        now = ask(opened, "devices", "[...bench.store.model.family]")
        if hue == "work":
            assert all(one != other for one, other in pairwise(now))
        dots = opened.page.locator("[data-panel=table] .anb-dot").evaluate_all(
            "dots => dots.map(each => each.style.background)"
        )
        assert len(set(dots)) == {"work": 5, "block": 4}[hue], "the table has the same colours"
    assert len({picture for each in pictures.values() for picture in each}) == 6
    legend = opened.page.locator(".anb-column > .anb-legend")
    assert {"stem", "cell 0", "cell 1", "head"} <= set(legend.locator("span").all_inner_texts())
    group.locator("button", has_text="type").click()
    opened.settle()
    assert ask(opened, "devices", "[...bench.store.model.family]") == family
    assert (opened.image("devices"), opened.image("memory")) == pictures["type"]
    assert opened.complaints == []
    opened.page.close()


def test_works_of_one_block_alternate_between_two_shades(browser: Browser, tmp_path: Path) -> None:
    opened = opened_at(browser, 1440, "light", tmp_path)
    group = opened.page.get_by_role("group", name="Colour by")
    for hue in ("type", "work", "block"):
        group.locator("button", has_text=hue).click()
        opened.settle()
        same = ask(
            opened,
            "devices",
            """(() => {
              const {bars, data: {machine}} = panel, {model} = bench.store;
              const {source} = machine;
              const colour = bar => [model.family[source[bar]], machine.shadeOf(bar, model)];
              const found = [];
              for (let bar = 1; bar < bars.count; bar++) {
                const isNext = bars.rowOf(bar) === bars.rowOf(bar - 1)
                  && bars.early[bar] === bars.stopOf(bar - 1);
                if (isNext && source[bar] >= 0 && source[bar - 1] >= 0)
                  found.push([colour(bar - 1), colour(bar)]);
              }
              return found;
            })()""",
        )
        assert len(same) > 5
        assert all(one != other for one, other in same), hue
    opened.page.close()


def test_tiles_have_colours_of_their_own(browser: Browser, tmp_path: Path) -> None:
    opened = Bench(browser).open(scene_of(mapping_of(8)), tmp_path)
    assert opened.page.get_by_role("group", name="Colour by").count() == 0
    assert opened.complaints == []
    opened.page.close()
