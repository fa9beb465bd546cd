"""Several picks, questions with answers, and views that stay covered until then."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser

from aidge_nb.widgets import build_scene, to_html
from tests.widgets.browser.bench import Bench
from tests.widgets.browser.test_panels import AXE
from tests.widgets.models import LONG, plan_of, residual, schedule_of, snapshot


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


def says(bench: Bench, part: str) -> str:
    return bench.page.inner_text(f".anb-{part}")


@pytest.mark.parametrize("key", ["Control", "Shift", "Meta"])
def test_a_click_with_a_key_picks_one_more_and_takes_it_away(bench: Bench, key: str) -> None:
    bench.click("graph", "b0_side")
    assert (trait(bench, "selected"), trait(bench, "picked")) == ("b0_side", [])
    alone = bench.image("memory")
    bench.page.keyboard.down(key)
    bench.click("graph", "b1_conv")
    assert trait(bench, "picked") == ["b0_side", "b1_conv"]
    assert bench.image("memory") != alone, "other panels show it, too"
    bench.click("memory", "stem")
    bench.click("graph", "b1_conv")
    assert trait(bench, "picked") == ["b0_side", "stem"]
    bench.page.keyboard.up(key)
    bench.click("graph", "b1_add")
    assert (trait(bench, "selected"), trait(bench, "picked")) == ("b1_add", [])


def test_the_table_picks_several(bench: Bench) -> None:
    bench.show_nodes()
    rows = bench.page.locator("[data-panel=table] [data-node]")
    rows.nth(0).click()
    rows.nth(2).click(modifiers=["Control"])
    assert trait(bench, "picked") == ["stem", "b0_relu"]
    chosen = bench.page.locator("[data-panel=table] [aria-selected=true]")
    assert chosen.evaluate_all("rows => rows.map(row => row.dataset.node)") == ["0", "2"]


def test_keys_alone_walk_mark_and_answer(bench: Bench) -> None:
    bench.put("many", True)
    bench.put("question", "Which two run while stem waits?")
    assert says(bench, "asked") == "Which two run while stem waits?"
    assert says(bench, "picks") == "nothing picked yet"
    bench.page.focus("[data-panel=graph] canvas")
    bench.press("ArrowDown", "Space", "ArrowDown", "ArrowDown", "Space")
    assert trait(bench, "picked") == ["stem", bench.selected]
    assert says(bench, "picks").startswith("2 picked: stem, ")
    assert not bench.page.evaluate("document.querySelector('.aidge-nb').workbench.state.playing")
    bench.press("Enter")
    assert trait(bench, "answer") == trait(bench, "picked")
    assert trait(bench, "answers") == 1
    assert says(bench, "feedback") == "answer given"
    bench.put("feedback", "1 of 2. What does b0_conv wait for?")
    assert says(bench, "feedback") == "1 of 2. What does b0_conv wait for?"
    bench.press("Enter")
    assert trait(bench, "answers") == 2, "the same answer is told again"
    bench.press("Escape")
    assert trait(bench, "picked") == []
    bench.press("Enter")
    assert trait(bench, "answers") == 2, "nothing is no answer"


def test_where_several_are_asked_for_each_click_picks(bench: Bench) -> None:
    bench.put("question", "Which?")
    bench.put("many", True)
    bench.click("graph", "b0_side")
    bench.click("timeline", "b1_add")
    assert trait(bench, "picked") == ["b0_side", "b1_add"]
    bench.click("graph", "b0_side")
    assert trait(bench, "picked") == ["b1_add"]
    bench.page.get_by_role("button", name="Check the answer").click()
    assert trait(bench, "answer") == ["b1_add"]


def test_where_one_is_asked_for_the_selected_node_is_the_answer(bench: Bench) -> None:
    bench.put("question", "Which?")
    bench.click("graph", "b0_side")
    bench.page.get_by_role("button", name="Check the answer").click()
    assert (trait(bench, "answer"), trait(bench, "answers")) == (["b0_side"], 1)


def test_without_a_question_space_plays_and_m_marks(bench: Bench) -> None:
    assert not bench.page.is_visible(".anb-question")
    bench.click("graph", "b0_side")
    bench.press("m")
    assert trait(bench, "picked") == ["b0_side"]
    bench.press("m")
    assert trait(bench, "picked") == []
    bench.press("Space")
    assert bench.page.evaluate("document.querySelector('.aidge-nb').workbench.state.playing")
    bench.press("Space")


def test_python_picks_several(bench: Bench) -> None:
    before = bench.image("graph")
    bench.put("picked", ["b0_add", "b1_add"])
    assert bench.image("graph") != before
    assert trait(bench, "picked") == ["b0_add", "b1_add"]
    bench.put("picked", [])
    assert bench.image("graph") == before


READABLE = """() => {
  const root = document.querySelector(".aidge-nb");
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode;
    const isShown = parentElement.checkVisibility({ visibilityProperty: true });
    if (isShown && textContent.trim()) found.push(textContent.trim());
  }
  return found;
}"""


def test_a_covered_view_tells_nothing_to_eyes_ears_search_and_keys(bench: Bench) -> None:
    places = bench.page.locator("[data-panel]")
    sizes = "panels => panels.map(each => [each.clientWidth, each.clientHeight])"
    before = places.evaluate_all(sizes)
    bench.put("covered", True)
    assert places.evaluate_all(sizes) == before, "nothing is drawn anew when it is uncovered"
    read = bench.page.evaluate(READABLE)
    assert "Give your answer first" in read
    spoken = bench.page.locator(".aidge-nb").aria_snapshot()
    names = [node.name for node in build_scene(*residual(2)).nodes]
    for words in (*names, "Peak", "peak", "17", "Schedule"):
        assert not [each for each in read if words in each], words
        assert words not in spoken
    assert bench.page.is_disabled("input[type=search]")
    bench.press("/", "Tab", "ArrowDown", "Enter", ".", "p", "m")
    assert bench.selected == ""
    assert bench.page.inner_text(".anb-live") == ""
    for _ in range(12):
        bench.press("Tab")
        assert bench.page.evaluate("!document.activeElement.closest('[data-panel]')")
    bench.put("selected", "b0_add")
    assert bench.page.inner_text(".anb-live") == ""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("covered", [True, False])
def test_axe_finds_nothing_in_questions_and_curtains(
    browser: Browser,
    theme: Literal["light", "dark"],
    covered: bool,
    tmp_path: Path,
    artifacts: Path,
) -> None:
    if not AXE.is_file():
        pytest.skip("no axe-core: npm ci")
    opened = Bench(browser, viewport={"width": 1024, "height": 900}, color_scheme=theme)
    scene = build_scene(*residual(2))
    asked = {"question": "Which?", "feedback": "Yes.", "many": True, "picked": ["stem"]}
    path = tmp_path / "page.html"
    text = to_html(scene, opened={"panels": list(scene.panels), "covered": covered, **asked})
    path.write_text(text, encoding="utf-8")
    opened.page.goto(path.as_uri())
    opened.page.wait_for_selector("[data-ready=true]")
    opened.page.evaluate(AXE.read_text(encoding="utf-8"))
    found = opened.page.evaluate("async () => (await axe.run()).violations")
    assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found] == []
    opened.page.screenshot(path=artifacts / f"asked-{covered}-{theme}.png")
    opened.page.close()


def test_show_me_uncovers_and_tells_python(bench: Bench) -> None:
    bench.put("covered", True)
    show = bench.page.get_by_role("button", name="Uncover the view")
    show.focus()
    bench.press("Enter")
    assert trait(bench, "covered") is False
    assert not bench.page.is_visible(".anb-curtain")
    assert bench.page.is_visible("[data-panel=graph]")
    bench.page.fill("input[type=search]", "stem")
    assert says(bench, "found") == "1 match"


def test_a_covered_view_stays_covered_while_its_data_change(bench: Bench) -> None:
    bench.put("covered", True)
    bench.replace(build_scene(*residual(3)))
    assert bench.page.is_visible(".anb-curtain")
    assert not [text for text in bench.page.evaluate(READABLE) if "Peak" in text or "b0" in text]
    bench.put("panels", ["memory"])
    assert bench.page.is_visible(".anb-curtain")
    assert not bench.page.is_visible("[data-panel=memory]")


def test_python_uncovers_after_an_answer(bench: Bench) -> None:
    bench.put("covered", True)
    bench.put("covered", False)
    bench.click("graph", "b0_side")
    assert trait(bench, "selected") == "b0_side"


def test_a_page_opens_covered_without_pictures_for_browsers_that_run_no_script(
    browser: Browser, tmp_path: Path
) -> None:
    scene = build_scene(*residual(2))
    path = tmp_path / "page.html"
    text = to_html(scene, opened={"panels": list(scene.panels), "covered": True})
    still = text[: text.index("<script")]
    assert still.count("<svg") == 1, "the card that says that the view is covered"
    assert not [node.name for node in residual(2)[0].nodes if f">{node.name}<" in still]
    path.write_text(text, encoding="utf-8")
    opened = Bench(browser)
    opened.page.goto(path.as_uri())
    opened.page.wait_for_selector("[data-ready=true]")
    assert opened.page.is_visible(".anb-curtain")
    assert opened.complaints == []
    opened.page.close()


def test_odd_models_can_be_asked_about(browser: Browser) -> None:
    opened = Bench(browser)
    asked = {"question": "Why? " * 1000, "many": True, "covered": False}
    for names in ([], ["a"], [LONG], ["same", "same"]):
        edges = [(0, 1)] if len(names) > 1 else []
        spans = [(step, step) for step in range(len(names))]
        scene = build_scene(snapshot(names, edges), schedule_of(names, spans), plan_of(names))
        opened.open_widget(scene, **asked)
        opened.press("Tab", "ArrowDown", "Space", "Enter")
        assert opened.width_to_scroll() <= 0
        opened.put("covered", True)
        assert opened.page.is_visible(".anb-curtain")
    assert opened.complaints == []
    opened.page.close()
