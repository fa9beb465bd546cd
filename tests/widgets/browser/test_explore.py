"""A control changes what is in the view, and never where it is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

import aidge_nb
from aidge_nb.widgets import explore
from aidge_nb.widgets.exploration import Settings
from aidge_nb.widgets.live.controls import Explorer
from aidge_nb.widgets.text import size_text
from tests.widgets.browser.bench import Bench

PLACES = """() => Object.fromEntries(
  [...document.querySelectorAll("[data-panel], .anb-stage canvas, .anb-ruler, .anb-header")]
    .filter((each) => each.checkVisibility())
    .map((each) => {
      const { x, y, width, height } = each.getBoundingClientRect();
      const name = each.closest("[data-panel]")?.dataset.panel ?? "";
      const kind = `${each.tagName} ${each.closest(".anb-ruler") !== null}`;
      return [`${name} ${kind}`, [x, y + scrollY, width, height]];
    }),
)"""

SETTINGS = (
    Settings(policy="MinimumMemory"),
    Settings(policy="AsLateAsPossible", width=2),
    Settings(stripes=4),
    Settings(stripes=8, in_place=False),
    Settings(strategy="None_"),
    Settings(wrapping=True),
    Settings(width=1),
    Settings(budget=1024),
)


@pytest.fixture(scope="module")
def explorer() -> Iterator[Explorer]:
    convs = [
        aidge_nb.PaddedConv2D(3 if n == 0 else 8, 8, [3, 3], f"conv{n}", None, [1, 1, 1, 1])
        for n in range(4)
    ]
    left, right, join = aidge_nb.ReLU("left"), aidge_nb.ReLU("right"), aidge_nb.Add("join")
    first, fork = convs[0], convs[2]
    first.add_child(convs[1])
    convs[1].add_child(fork)
    for branch in (left, convs[3]):
        fork.add_child(branch)
    convs[3].add_child(right)
    for index, branch in enumerate((left, right)):
        branch.add_child(join, 0, index)
    view = aidge_nb.get_connected_graph_view(first)
    view.forward_dims([[1, 3, 32, 32]])
    made = explore(view)
    yield made
    made.close()


@pytest.mark.parametrize("width", [1440, 960, 390])
def test_no_control_moves_the_view(browser: Browser, explorer: Explorer, width: int) -> None:
    explorer.settings = Settings()
    opened = Bench(browser, viewport={"width": width, "height": 900})
    opened.open_widget(explorer.bench.scene, _steady=True)
    before = opened.page.evaluate(PLACES)
    assert len(before) > 5
    for settings in (*SETTINGS, Settings()):
        explorer.settings = settings
        opened.replace(explorer.bench.scene)
        assert opened.page.evaluate(PLACES) == before, settings
    assert opened.complaints == []
    opened.page.close()


def test_a_policy_changes_the_order_in_which_bars_run(browser: Browser, explorer: Explorer) -> None:
    explorer.settings = Settings()
    opened = Bench(browser, viewport={"width": 1280, "height": 900})
    opened.open_widget(explorer.bench.scene)
    first = opened.image("timeline")
    explorer.settings = Settings(policy="AsLateAsPossible")
    opened.replace(explorer.bench.scene)
    assert opened.image("timeline") != first
    opened.page.close()


def test_the_budget_is_a_line_that_says_what_is_too_much(
    browser: Browser, explorer: Explorer
) -> None:
    explorer.settings = Settings(budget=1024)
    memory = explorer.scene.memory
    assert memory is not None
    opened = Bench(browser, viewport={"width": 1280, "height": 900})
    opened.open_widget(explorer.scene)
    opened.page.evaluate(
        """() => {
          const write = CanvasRenderingContext2D.prototype.fillText;
          globalThis.written = [];
          CanvasRenderingContext2D.prototype.fillText = function (text) {
            written.push(text);
            return write.apply(this, arguments);
          };
          document.querySelector(".aidge-nb").workbench.panels.forEach((each) => each.redraw());
        }"""
    )
    words = f"budget 1 KiB, {size_text(memory.peak - 1024)} too much"
    opened.page.wait_for_function("words => written.includes(words)", arg=words)
    explorer.settings = Settings(budget=memory.peak)
    opened.replace(explorer.scene)
    words = f"budget {size_text(memory.peak)}"
    opened.page.wait_for_function("words => written.includes(words)", arg=words)
    assert opened.complaints == []
    opened.page.close()
