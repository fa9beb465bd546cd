"""Words that are cut short or painted on a canvas explain themselves under the pointer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from aidge_nb.widgets import Scene, build_scene
from tests.widgets.browser.bench import Bench
from tests.widgets.browser.test_alive import TERMS
from tests.widgets.browser.test_looks import LISTEN, written
from tests.widgets.loops import lstm
from tests.widgets.models import plan_of, residual, schedule_of

PAINTED = [
    ("memory", "peak", lambda: build_scene(*residual(3))),
    ("timeline", "block", lambda: build_scene(*residual(30))),
    ("factorized", "prologue", lambda: build_scene(schedule=lstm(50))),
    ("factorized", "step", lambda: build_scene(schedule=lstm(50))),
]

CUT = """number => {
  const cut = [...document.querySelectorAll(".aidge-nb *")].filter(each => {
    const shown = each.checkVisibility() && each.clientWidth;
    return shown && !each.closest("[title], [data-tip]")
      && getComputedStyle(each).textOverflow === "ellipsis"
      && each.scrollWidth > each.clientWidth + 1;
  });
  if (number >= cut.length) return null;
  cut[number].scrollIntoView({block: "center", behavior: "instant"});
  const {x, y, height} = cut[number].getBoundingClientRect();
  return {x: x + 3, y: y + height / 2, text: cut[number].textContent};
}"""


@pytest.mark.parametrize(("panel", "term", "make"), PAINTED)
def test_a_term_that_is_painted_has_its_sentence(
    browser: Browser, tmp_path: Path, panel: str, term: str, make: Any
) -> None:
    bench = Bench(browser, viewport={"width": 1280, "height": 900})
    bench.page.add_init_script(LISTEN)
    bench.open(make(), tmp_path)
    # Upright words are written around a corner of their own.
    words = [each for each in written(bench, panel) if term in each["text"].split()[0].rstrip(":s")]
    words = [each for each in words if each["bottom"] - each["top"] > 1]
    assert words, [each["text"] for each in written(bench, panel)]
    stage = bench.page.locator(f"[data-panel={panel}] .anb-stage canvas")
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    assert box is not None
    x, y = box["x"] + words[0]["left"] + 3, box["y"] + (words[0]["top"] + words[0]["bottom"]) / 2
    bench.page.mouse.move(x, y)
    expect(bench.page.locator(".anb-tip")).to_contain_text(TERMS[term])
    # Away from words nothing is said.
    bench.page.mouse.move(box["x"] + 1, box["y"] + box["height"] - 1)
    expect(bench.page.locator(".anb-tip")).to_be_hidden()
    assert bench.complaints == []
    bench.page.close()


def long_names() -> Scene:
    names = [f"{'encoder_layer_' * 12}{n}_with_an_ending_of_its_own_{'x' * n}" for n in range(12)]
    schedule = schedule_of(names, [(step, step) for step in range(len(names))])
    return build_scene(schedule=schedule, plan=plan_of(names), title=names[0])


@pytest.mark.parametrize("width", [1440, 390])
def test_all_of_a_text_that_is_cut_short_is_in_a_tip(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    bench = Bench(browser, viewport={"width": width, "height": 900})
    bench.open(long_names(), tmp_path)
    number = 0
    while (each := bench.page.evaluate(CUT, number)) is not None:
        bench.page.mouse.move(0, 0)
        bench.page.mouse.move(each["x"], each["y"])
        expect(bench.page.locator(".anb-tip")).to_contain_text(each["text"][:40])
        number += 1
    assert number
    bench.page.close()
