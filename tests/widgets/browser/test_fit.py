"""Fit it in 16 KB is played to its end by keyboard alone, on the page and with a kernel."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from aidge_nb.course import fit_in_16_kb
from aidge_nb.course.fit.game import FitGame
from aidge_nb.widgets.still.fit_page import FIT_BUNDLE
from tests.widgets.browser.bench import FAKE_NOTEBOOK

ASK_PYTHON = """
kernel.on("change:_asked", async () => {
  const traits = await askPython(kernel.traits._asked);
  for (const [name, value] of Object.entries(traits)) kernel.set(name, value);
})
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fit") / "fit.html"
    path.write_text(FitGame().page(), "utf-8")
    return path


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open pages that may ask for nothing and complain about nothing."""
    complaints: list[str] = []
    opened: list[Page] = []

    def make(**options: Any) -> Page:
        page = browser.new_page(**{"viewport": {"width": 1024, "height": 900}, **options})
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("request", lambda request: complaints.append(request.url))
        opened.append(page)
        return page

    yield make
    for page in opened:
        page.close()
    allowed = ("about:", "blob:", "file:", "data:")
    assert [line for line in complaints if not line.startswith(allowed)] == []


@pytest.fixture
def alone(new_page: Callable[..., Page], written: Path) -> Page:
    page = new_page()
    page.goto(written.as_uri())
    page.wait_for_selector(".anf svg")
    return page


@pytest.fixture
def notebook(new_page: Callable[..., Page], monkeypatch: pytest.MonkeyPatch) -> Page:
    """Show the screen beside a kernel: Python works out what the screen asks for."""
    monkeypatch.setattr("aidge_nb.course.fit.run.has_tools", lambda: False)
    board = fit_in_16_kb()

    def ask(request: dict[str, Any]) -> dict[str, Any]:
        board._asked = request
        return {"_states": dict(board._states), "_runs": dict(board._runs)}

    page = new_page()
    page.expose_function("askPython", ask)
    page.goto("about:blank")
    names = ("_facts", "_states", "_runs", "_asked", "played")
    state = {name: getattr(board, name) for name in names}
    page.evaluate(FAKE_NOTEBOOK, [FIT_BUNDLE.read_text("utf-8"), state, []])
    page.evaluate(ASK_PYTHON)
    page.wait_for_selector(".anf svg")
    return page


def tab_to(page: Page, name: str) -> None:
    """Press Tab until an element has the focus whose label begins like this."""
    for _ in range(60):
        page.keyboard.press("Tab")
        found = page.evaluate(
            "document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText"
        )
        if found.startswith(name):
            return
    raise AssertionError(f"Tab does not reach {name}")


def move(page: Page, name: str, key: str, said: str, then: str) -> None:
    """Make a move by keyboard, say which way, and wait for what is said about it."""
    tab_to(page, name)
    page.keyboard.press(key)
    expect(page.locator(".anf-ask")).to_contain_text("Will the peak go up, down, or stay the same?")
    page.keyboard.press(said)
    expect(page.locator(".anf-status")).to_contain_text(then)


def play(page: Page) -> None:
    """Win all levels: what each state says is waited for."""
    status = page.locator(".anf-status")
    expect(status).to_contain_text("14,336 bytes too many at tick 5.")
    move(page, "results may overwrite", "Enter", "d", "67,584 → 57,344 bytes: down, as you said.")
    move(page, "pool_half", "ArrowLeft", "u", "57,344 → 51,200 bytes: down, you said up.")
    expect(status).to_contain_text("It fits, 2,048 bytes are free.")
    expect(page.locator(".anf-end")).to_contain_text("★★★ Level 1 is won.")
    tab_to(page, "next level")
    page.keyboard.press("Enter")
    expect(page.locator(".anf-rule")).to_have_text("Results may follow inputs row by row.")
    move(page, "results may follow", "Enter", "s", "67,584 → 67,584 bytes: same, as you said.")
    move(page, "results may overwrite", "Enter", "d", "→ 40,960 bytes: down")
    move(page, "pool_half", "ArrowLeft", "d", "→ 34,816 bytes: down")
    tab_to(page, "next level")
    page.keyboard.press("Enter")
    expect(page.locator(".anf-rule")).to_contain_text("now the C program must fit")
    move(page, "stripes: 6", "Enter", "d", "67,584 → 17,920 bytes: down")
    move(page, "results may overwrite", "Enter", "d", "17,920 → 14,848 bytes: down")
    expect(page.locator(".anf-end")).to_contain_text("★ Level 3 is won.")
    expect(status).to_contain_text("1,536 bytes are free. Now without computing anything twice?")
    move(page, "halos: keep", "Enter", "s", "14,848 → 15,360 bytes: up, you said same.")
    expect(page.locator(".anf-end")).to_contain_text("★★★ Level 3 is won.")
    expect(page.locator(".anf-figures")).to_contain_text("C program15,360 bytes")
    expect(page.locator(".anf-figures")).to_contain_text("3, 2 foreseen")
    expect(page.locator(".anf-words")).to_contain_text("6 stripes, halos kept; in place.")
    tab_to(page, "run it on the board")
    page.keyboard.press("Enter")
    ran = page.locator(".anf-run")
    expect(ran).to_contain_text("It runs: 15,360 of 15,360 bytes touched.", timeout=60_000)
    expect(ran).to_contain_text("all bits equal. The bar is diagonal, and the answer is: diagonal.")
    expect(ran.locator("canvas")).to_have_attribute("aria-label", re.compile("a bar in noise"))


def test_the_page_is_won_by_keyboard(alone: Page, artifacts: Path) -> None:
    play(alone)
    alone.screenshot(path=artifacts / "fit_won.png", full_page=True)


def test_a_notebook_is_won_by_keyboard(notebook: Page) -> None:
    play(notebook)
    played = notebook.evaluate("kernel.traits.played")
    assert played == {"key": "-|1|0|6|cache", "level": 2, "moves": 3, "foreseen": 2}


def test_there_is_more_behind_the_last_level(alone: Page) -> None:
    """The image in the same memory, and numbers of one byte."""
    tab_to(alone, "Level +")
    alone.keyboard.press("Enter")
    expect(alone.locator(".anf-rule")).to_contain_text("The image has no memory of its own")
    move(alone, "stripes: 8", "Enter", "d", "67,584 → 15,616 bytes: down")
    expect(alone.locator(".anf-won")).to_have_text("★ Level + is won.")
    move(alone, "halos: keep", "Enter", "d", "No MAC twice")
    move(alone, "results may overwrite", "Enter", "d", "→ 15,360 bytes: down")
    expect(alone.locator(".anf-won")).to_have_text("★★★ Level + is won.")
    expect(alone.locator(".anf-words")).to_contain_text("image 4,096")
    tab_to(alone, "run it on the board")
    alone.keyboard.press("Enter")
    expect(alone.locator(".anf-run")).to_contain_text("the answer is: diagonal")
    tab_to(alone, "next level")
    alone.keyboard.press("Enter")
    expect(alone.locator(".anf-status")).to_contain_text("512 bytes too many at tick 5.")
    move(alone, "results may overwrite", "Enter", "d", "16,896 → 14,336 bytes: down")
    expect(alone.locator(".anf-won")).to_have_text("★★★ Bonus is won.")
    expect(alone.get_by_role("button", name="run it")).to_have_count(0)


def test_the_focus_stays_where_it_is_when_all_is_drawn_again(notebook: Page) -> None:
    """What Python works out may come late, while somebody walks on."""
    for name in ("Level 2", "pool_half"):
        tab_to(notebook, name)
        notebook.evaluate("kernel.set('_runs', {late: 'It runs.'})")
        notebook.evaluate("kernel.set('_runs', {})")
        focused = (
            "document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText"
        )
        assert notebook.evaluate(focused).startswith(name)


def test_arrow_keys_are_kept_from_the_notebook(notebook: Page) -> None:
    """JupyterLab hears keys first, and leaves those alone that something with a mark gets."""
    marked = "document.activeElement.hasAttribute('data-lm-suppress-shortcuts')"
    tab_to(notebook, "pool_half")
    notebook.keyboard.press("a")
    assert notebook.evaluate(marked)
    notebook.keyboard.press("Control+s")
    assert not notebook.evaluate(marked), "saving stays with JupyterLab"
    notebook.evaluate("leave()")
    notebook.keyboard.press("a")
    assert not notebook.evaluate(marked)


def test_a_move_can_be_taken_back_before_it_is_made(alone: Page) -> None:
    tab_to(alone, "results may overwrite")
    alone.keyboard.press("Enter")
    expect(alone.locator(".anf-ask")).to_be_visible()
    alone.keyboard.press("Escape")
    expect(alone.locator(".anf-ask")).to_be_hidden()
    expect(alone.locator(".anf-figures")).to_contain_text("67,584 bytes")
    assert alone.evaluate("document.activeElement.dataset.move") == "in_place"


def test_an_order_that_cannot_run_is_refused(alone: Page) -> None:
    tab_to(alone, "relu_wide")
    alone.keyboard.press("ArrowLeft")
    expect(alone.locator(".anf-ask")).to_be_visible()
    alone.keyboard.press("u")
    expect(alone.locator(".anf-status")).to_contain_text("→ 73,728 bytes: up, as you said.")
    alone.keyboard.press("ArrowLeft")
    expect(alone.locator(".anf-status")).to_contain_text("relu_wide cannot run earlier")
    expect(alone.locator(".anf-ask")).to_be_hidden()


def test_each_state_is_described_and_drawn(alone: Page) -> None:
    described = alone.locator(".anf svg").get_attribute("aria-describedby")
    assert described is not None
    words = alone.locator(f"#{described}").text_content()
    assert words is not None
    assert "Peak 67,584 bytes at tick 5 of 11, while relu_wide runs." in words
    assert alone.locator(".anf-block").count() >= 8
    expect(alone.locator(".anf-limit")).to_have_text("53,248")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_is_wider_than_the_page(
    new_page: Callable[..., Page], written: Path, width: int, scheme: str
) -> None:
    page = new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(written.as_uri())
    page.wait_for_selector(".anf svg")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(".anf[data-dark]").count() == (scheme == "dark")


def test_it_prints_without_its_buttons(alone: Page) -> None:
    """One page with name, date and moves."""
    tab_to(alone, "Level 3")
    alone.keyboard.press("Enter")
    move(alone, "results may overwrite", "Enter", "d", "57,344 bytes: down")
    move(alone, "stripes: 4", "Enter", "d", "16,384 bytes: down")
    alone.get_by_label("name, for the printed page").fill("Ada Lovelace")
    assert alone.pdf(format="A4").count(b"/Type /Page\n") == 1
    alone.emulate_media(media="print")
    alone.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(alone.locator(".anf-signed")).to_have_text(
        re.compile(r"^Ada Lovelace, 20\d\d-\d\d-\d\d$")
    )
    expect(alone.locator("li")).to_have_text(
        [re.compile(r"overwrite: on: 67,584 → 57,344"), re.compile(r"stripes: 4: 57,344 → 16,384")]
    )
    expect(alone.locator(".anf-print").first).to_be_hidden()
    expect(alone.locator(".anf-words")).to_be_visible()
    expect(alone.locator(".anf-moves")).to_be_hidden()
    expect(alone.locator(".anf svg")).to_be_visible()


def test_without_scripts_the_start_is_shown(browser: Browser, written: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(written.as_uri())
    expect(page.locator("noscript svg")).to_be_visible()
    label = page.locator("noscript svg").get_attribute("aria-label")
    assert label is not None
    assert "Peak 67,584 bytes" in label
    context.close()
