"""The front-end as a notebook runs it: traits in, traits out, nothing left behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from aidge_nb.widgets import build_scene
from tests.widgets.browser.bench import Bench
from tests.widgets.models import residual


@pytest.fixture
def bench(browser: Browser) -> Iterator[Bench]:
    opened = Bench(browser, viewport={"width": 1280, "height": 1000})
    opened.open_widget(build_scene(*residual(2)))
    yield opened
    assert opened.complaints == []
    opened.page.close()


def trait(bench: Bench, name: str) -> object:
    value: object = bench.page.evaluate("name => kernel.traits[name]", name)
    return value


def test_a_click_reaches_the_kernel(bench: Bench) -> None:
    bench.hover("graph", "b0_side")
    bench.page.wait_for_function("kernel.saved == 1")
    bench.click("graph", "b0_side")
    assert trait(bench, "selected") == "b0_side"
    bench.page.wait_for_function("kernel.saved == 2")
    bench.press("Escape")
    assert trait(bench, "selected") is None


def test_hover_query_range_and_theme_reach_the_kernel(bench: Bench) -> None:
    bench.hover("memory", "stem")
    assert trait(bench, "hovered") == "stem"
    bench.page.fill("input[type=search]", "relu")
    assert trait(bench, "query") == "relu"
    bench.page.focus("[data-panel=timeline] .anb-stage canvas")
    bench.press("+", "+")
    span = trait(bench, "time_range")
    assert isinstance(span, list)
    assert span[0] < span[1]
    bench.press("0")
    assert trait(bench, "time_range") is None
    bench.page.get_by_role("button", name="Switch between light and dark").click()
    assert trait(bench, "theme") == "dark"


def test_the_kernel_moves_the_view(bench: Bench) -> None:
    bench.put("selected", "b1_add")
    assert bench.selected == "b1_add"
    bench.put("query", "_conv")
    assert bench.page.get_attribute(".aidge-nb", "data-matches") == "2"
    before = bench.image("memory")
    bench.put("time_range", [2, 5])
    assert bench.image("memory") != before
    bench.put("theme", "dark")
    assert bench.page.get_attribute(".aidge-nb", "data-theme") == "dark"
    bench.put("selected", None)
    assert bench.selected == ""


@pytest.mark.parametrize("status", ["dead", "autorestarting"])
def test_a_kernel_that_is_gone_is_said_in_place(bench: Bench, status: str) -> None:
    bench.page.evaluate("kernel.become('busy')")
    assert bench.page.locator("[role=note]").count() == 0
    bench.page.evaluate("status => kernel.become(status)", status)
    assert bench.page.inner_text("[role=note]").startswith("The kernel has stopped.")
    bench.page.evaluate("status => kernel.become(status)", status)
    bench.put("panels", ["graph", "memory"])
    assert bench.page.locator("[role=note]").count() == 1
    bench.click("graph", "b0_side")
    assert bench.selected == "b0_side"
    bench.page.evaluate("leave()")
    assert bench.page.evaluate("kernel.slots.size") == 0


def test_panels_can_be_chosen_from_the_kernel(bench: Bench) -> None:
    bench.put("panels", ["memory"])
    assert list(bench.panels()) == ["memory"]


def test_other_data_redraw_the_view(bench: Bench) -> None:
    bench.replace(build_scene(*residual(5)))
    bench.put("selected", "b4_add")
    assert bench.selected == "b4_add"
    assert bench.page.locator(".aidge-nb").count() == 1


def test_data_that_cannot_be_read_are_said_in_place(bench: Bench) -> None:
    bench.put("_meta", {"version": 7})
    assert "unknown version 7" in bench.page.inner_text("[role=alert]")


def test_leaving_cleans_up(bench: Bench) -> None:
    bench.page.evaluate("leave()")
    assert bench.page.locator(".aidge-nb").count() == 0
    assert bench.page.evaluate("listeners.length") == 0


def test_jupyters_theme_is_followed(bench: Bench) -> None:
    for light, theme in (("false", "dark"), ("true", "light")):
        bench.page.evaluate("light => { document.body.dataset.jpThemeLight = light; }", light)
        bench.page.wait_for_selector(f".aidge-nb[data-theme={theme}][data-jupyter]")


def test_a_theme_that_changes_while_the_view_is_out_of_the_page_is_followed(bench: Bench) -> None:
    before = bench.image("memory")
    bench.page.evaluate(
        """async () => {
          const root = document.querySelector(".aidge-nb");
          const frame = () => new Promise(requestAnimationFrame);
          root.remove();
          await frame();
          document.body.dataset.jpThemeLight = "false";
          await frame();
          document.body.append(root);
        }"""
    )
    bench.page.wait_for_selector(".aidge-nb[data-theme=dark]")
    bench.settle()
    assert bench.colours("memory") > 5
    dark = bench.image("memory")
    assert dark != before
    bench.page.evaluate("document.querySelector('.aidge-nb').workbench.panels[2].redraw()")
    bench.settle()
    assert bench.image("memory") == dark


def test_the_answer_to_a_graph_query_lights_nodes(bench: Bench) -> None:
    before = bench.image("graph")
    bench.page.fill("input[type=search]", "Conv2D->Add")
    assert trait(bench, "query") == "Conv2D->Add"
    bench.put("_found", {"nodes": [0, 2], "text": "1 match", "hint": ""})
    assert bench.page.get_attribute(".aidge-nb", "data-matches") == "2"
    assert bench.page.inner_text(".anb-found") == "1 match"
    assert not bench.page.is_visible(".anb-wrong")
    assert bench.image("graph") != before
    bench.put(
        "_found",
        {"nodes": [0, 2], "text": "", "hint": "query: is malformed\n    A-\n     ^"},
    )
    assert bench.page.inner_text(".anb-wrong").endswith("^")
    bench.put("_found", None)
    assert bench.page.get_attribute(".aidge-nb", "data-matches") == "0"
