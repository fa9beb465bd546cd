"""The strip of findings in a browser: what a click on a card does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import aidge_nb
from aidge_nb.advice import ChangeFinding, plan_findings
from aidge_nb.widgets import Scene, build_scene
from tests.widgets.browser.bench import Bench
from tests.widgets.browser.test_panels import AXE


@pytest.fixture(scope="module")
def scene() -> Scene:
    graph = aidge_nb.zoo.load("mobilenet_v2", size=96)
    graph.forward_dims([[1, 3, 96, 96]], allow_data_dependency=True)
    schedule = aidge_nb.static_schedule(graph)
    plan = aidge_nb.plan_memory(graph, schedule)
    rows = aidge_nb.plan_memory(graph, schedule, by_rows=True)
    taken = [b.node for b in rows.buffers if b.rows and b.in_place_of]
    change = ChangeFinding(("by rows",), plan.peak, rows, 0.0, tuple(taken), (), "plan = …")
    return build_scene(graph.snapshot(), schedule, plan, findings=[*plan_findings(plan), change])


@pytest.fixture
def opened(browser: Browser, scene: Scene, tmp_path: Path) -> Bench:
    bench = Bench(browser, viewport={"width": 1440, "height": 900})
    bench.open(scene, tmp_path)
    return bench


def card(bench: Bench, kind: str) -> str:
    return f".anb-card[data-kind={kind}]"


def test_a_click_on_the_peak_moves_the_playhead_there(opened: Bench) -> None:
    page = opened.page
    assert "while" in page.inner_text(card(opened, "peak"))
    page.click(f"{card(opened, 'peak')} .anb-figure")
    opened.settle()
    assert opened.selected == "mobilenetv20_features_linearbottleneck1_conv1_fwd"
    assert page.evaluate("document.querySelector('.aidge-nb').workbench.state.step") == 15
    assert not opened.complaints


@pytest.mark.parametrize(("width", "highest"), [(1440, 150), (1024, 190), (960, 150), (390, 150)])
def test_what_can_be_done_has_its_buttons_in_one_row(
    browser: Browser, scene: Scene, tmp_path: Path, width: int, highest: int
) -> None:
    others = [each for each in scene.findings if each.kind != "change"]
    (change,) = (each for each in scene.findings if each.kind == "change")
    more = (
        *others,
        replace(change, why="Everything was tried."),
        replace(change, title="OR", why=""),
    )
    bench = Bench(browser, viewport={"width": width, "height": 900})
    bench.open(replace(scene, findings=more), tmp_path)
    rows = bench.page.evaluate(
        """() => [...document.querySelectorAll(".anb-acts")].map((row) =>
          [...row.children].map((each) => Math.round(each.getBoundingClientRect().top)))"""
    )
    assert sorted(len(tops) for tops in rows) == [0, 0, 3, 3]
    assert all(len(set(tops)) <= 1 for tops in rows)
    heights = bench.page.evaluate(
        "() => [...document.querySelectorAll('.anb-card')].map((each) => each.offsetHeight)"
    )
    parts = bench.page.evaluate(
        """() => [...document.querySelectorAll(".anb-bar span")].map((part) => {
          const range = document.createRange();
          range.selectNodeContents(part);
          return range.getBoundingClientRect().top < part.getBoundingClientRect().bottom;
        })"""
    )
    assert parts[0] or width == 1024, "bytes in the bar of the peak"
    assert max(heights) < highest, "not a row of buttons higher than drawn"
    assert bench.page.locator(".anb-rest .anb-link >> text=how found").count() == 1
    bench.page.close()


@pytest.mark.parametrize("width", [390, 700, 800, 900, 1024, 1180, 1440])
def test_what_belongs_together_stays_in_one_line(
    browser: Browser, scene: Scene, tmp_path: Path, width: int
) -> None:
    bench = Bench(browser, viewport={"width": width, "height": 900}).open(scene, tmp_path)
    lines = bench.page.evaluate(
        """() => [...document.querySelectorAll(".anb-findings :is(b, .anb-together)")]
          .map((each) => [each.textContent, each.getClientRects().length])"""
    )
    assert {"(tick 14)", "−20 %", "1.05 MiB"} <= dict(lines).keys()
    assert {count for _, count in lines} == {1}
    bench.page.close()


def test_no_line_ends_between_a_number_and_its_unit(
    browser: Browser, scene: Scene, tmp_path: Path
) -> None:
    bench = Bench(browser, viewport={"width": 390, "height": 900}).open(scene, tmp_path)
    broken = """() => {
      const found = [];
      const walk = document.createTreeWalker(document.querySelector(".aidge-nb"), 4);
      for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        for (const {index, 0: text} of node.data.matchAll(/\\d (?:[KM]iB|B|%|steps?)/g)) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + text.length);
          found.push([text, new Set([...range.getClientRects()].map(({top}) => top)).size]);
        }
      }
      return found;
    }"""
    bench.page.click(f"{card(bench, 'peak')} .anb-figure")
    seen: set[int] = set()
    for width in range(330, 480, 6):
        bench.page.set_viewport_size({"width": width, "height": 900})
        lines = bench.page.evaluate(broken)
        assert [text for text, count in lines if count > 1] == [], width
        seen.add(len(lines))
    assert min(seen) > 10
    bench.page.close()


def test_names_in_a_card_pick_their_nodes(opened: Bench) -> None:
    opened.page.click(f"{card(opened, 'peak')} .anb-rest .anb-link")
    opened.settle()
    assert opened.selected == "mobilenetv20_features_linearbottleneck1_relu0_fwd"


def test_a_change_shows_where_it_acts_until_something_else_is_searched(opened: Bench) -> None:
    page = opened.page
    page.click(f"{card(opened, 'change')} >> text=show where")
    opened.settle()
    lit = int(page.locator(".aidge-nb").get_attribute("data-matches") or 0)
    assert lit > 10
    assert page.inner_text(".anb-found") in (f"{lit} nodes", f"1 of {lit}")
    page.fill("input[type=search]", "relu0")
    opened.settle()
    found = int(page.locator(".aidge-nb").get_attribute("data-matches") or 0)
    names = page.evaluate("document.querySelector('.aidge-nb').workbench.store.model.name")
    assert found == sum("relu0" in name for name in names)


def test_layouts_proof_and_python_open_below_and_close(opened: Bench) -> None:
    page = opened.page
    page.click("text=why this is a proof")
    assert "every layout must hold them" in page.inner_text(".anb-pop")
    page.click("text=compare")
    assert page.locator(".anb-pop canvas").count() == 2
    assert "less" in page.inner_text(".anb-pop")
    page.click(".anb-pop >> text=×")
    assert page.locator(".anb-pop").is_hidden()
    assert not opened.complaints


def test_a_term_says_its_sentence_and_leads_to_the_words(opened: Bench) -> None:
    page = opened.page
    term = page.locator(".anb-findings [data-term='lower bound']").first
    sentence = "No layout of these buffers can do with fewer bytes."
    assert sentence in (term.get_attribute("title") or "")
    term.click()
    assert page.inner_text(".anb-sought") == "lower bound"
    assert sentence in page.inner_text(".anb-words")


@pytest.mark.parametrize("width", [320, 390, 960, 1440])
def test_nothing_leaves_its_card_at_any_width(
    browser: Browser, scene: Scene, tmp_path: Path, width: int
) -> None:
    bench = Bench(browser, viewport={"width": width, "height": 900})
    bench.open(scene, tmp_path)
    page = bench.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    outside = """
    () => [...document.querySelectorAll('.anb-card > *')].filter((each) => {
      const [own, card] = [each, each.parentElement].map((one) => one.getBoundingClientRect());
      return own.right > card.right + 1 || own.bottom > card.bottom + 1;
    }).length
    """
    assert page.evaluate(outside) == 0


def test_axe_finds_nothing_in_the_strip(opened: Bench) -> None:
    if not AXE.exists():
        pytest.skip("no axe-core: npm ci")
    opened.page.evaluate(AXE.read_text(encoding="utf-8"))
    run = "async () => (await axe.run(document.querySelector('.anb-findings'))).violations"
    assert opened.page.evaluate(run) == []
