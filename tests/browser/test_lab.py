"""Tutorials and views in a real JupyterLab: opened by the command, run, answered, looked at."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.hosts import lay_extension, write_notebook

ROOT = Path(__file__).resolve().parents[2]

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect, Locator, Page

LATER = sorted(path.name for path in (ROOT / "notebooks").glob("[0-9]*.ipynb"))[1:]
ADDRESS = re.compile(r"http://(?:127\.0\.0\.1|localhost):\d+/lab\S*token=\w+")
TOUR = (
    """
import aidge_nb
from aidge_nb import zoo
from aidge_nb.widgets import workbench

model = zoo.load("inception_like")
model.forward_dims([[1, 3, 32, 32]])
schedule = aidge_nb.static_schedule(model)
view = workbench(model, schedule, aidge_nb.plan_memory(model, schedule))
view
""",
    """
view.selected = "cell1_concat"
view.query = "concat"
""",
    """
from aidge_nb.course import graphs

chart = aidge_nb.static_schedule(graphs.fork(extra=1)).to_mermaid(mark_critical=True)
display({"text/vnd.mermaid": chart, "text/plain": "a chart"}, raw=True)
""",
)
"""A notebook with a linked view that Python steers, and a chart that JupyterLab draws."""

RAN = r"""cells => cells.map(cell =>
  [...cell.querySelectorAll(".jp-InputPrompt, .jp-OutputPrompt")].some(
    prompt => /\[\d+\]/.test(prompt.textContent)))"""
"""Tells of each cell whether it ran: by its result where its code is folded."""

SETTINGS = {
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run ``aidge-nb lab`` in an empty folder; give the address that it prints."""
    home = tmp_path_factory.mktemp("lab")
    for name, values in SETTINGS.items():
        path = home / "settings" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), encoding="utf-8")
    log = home / "log.txt"
    variables = {
        **os.environ,
        "JUPYTER_PATH": str(lay_extension(home / "share")),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
    }
    command = [sys.executable, "-m", "aidge_nb", "lab", "--no-browser", "--port", "0"]
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, cwd=home, env=variables, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            address = _address(log, server)
            (first,) = home.rglob("01_scheduling.ipynb")
            write_notebook(first.with_name("tour.ipynb"), *TOUR)
            yield address
        finally:
            server.send_signal(15)
            server.wait(timeout=60)


def _address(log: Path, server: subprocess.Popen[bytes]) -> str:
    for _ in range(600):
        found = ADDRESS.search(log.read_text(encoding="utf-8", errors="replace"))
        if found:
            return found.group().replace("localhost", "127.0.0.1")
        if server.poll() is not None:
            break
        time.sleep(0.2)
    pytest.fail(f"aidge-nb lab printed no address:\n{log.read_text()}")


@pytest.fixture(scope="module")
def tutorial(browser: Browser, lab: str) -> Iterator[tuple[Page, list[str], list[str]]]:
    """Open the first tutorial and run it; give the page, its errors and its foreign requests."""
    yield from _run_at(browser, lab)


@pytest.fixture(scope="module")
def tour(browser: Browser, lab: str) -> Iterator[tuple[Page, list[str], list[str]]]:
    """Open a notebook with a view and a chart, and run it; as for a tutorial."""
    address = re.sub(r"/lab(/tree/[^?]*)?\?", "/lab/workspaces/tour/tree/tour.ipynb?", lab)
    yield from _run_at(browser, address)


def _run_at(browser: Browser, address: str) -> Iterator[tuple[Page, list[str], list[str]]]:
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    errors: list[str] = []
    foreign: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: _note_foreign(request.url, foreign))
    page.goto(address)
    page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=120_000)
    _clear_and_run(page)
    yield page, errors, foreign
    page.close()


def _note_foreign(url: str, foreign: list[str]) -> None:
    if not re.match(r"(https?|wss?)://127\.0\.0\.1[:/]|data:|blob:", url):
        foreign.append(url)


def _clear_and_run(page: Page) -> None:
    page.locator("text=Python 3 (ipykernel) >> visible=true").first.wait_for(timeout=120_000)
    page.get_by_role("menuitem", name="Edit", exact=True).click()
    page.get_by_text("Clear Outputs of All Cells", exact=True).click()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    for _ in range(600):
        if page.locator(".jp-CodeCell").evaluate_all(RAN)[-1]:
            return
        page.wait_for_timeout(500)
    pytest.fail("the tutorial did not run to its end")


def _views(page: Page) -> Locator:
    return page.locator(".jp-OutputArea .aidge-nb")


def _check(page: Page, errors: list[str], foreign: list[str]) -> None:
    failed = page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.error']")
    assert failed.count() == 0, failed.first.inner_text()
    assert errors == []
    assert foreign == [], "the page asked the network for something"


def test_a_tutorial_shows_its_pictures_before_it_is_run(
    browser: Browser, lab: str, artifacts: Path
) -> None:
    """They are SVG, which JupyterLab shows in notebooks that are trusted."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    name = "01_scheduling.ipynb"
    page.goto(re.sub(r"/lab(/tree/[^?]*)?\?", f"/lab/workspaces/pictures/tree/{name}?", lab))
    cells = json.loads((ROOT / "notebooks" / name).read_text("utf-8"))["cells"]
    outputs = [each.get("data", ()) for cell in cells for each in cell.get("outputs", ())]
    count = sum("image/svg+xml" in data for data in outputs)
    page.wait_for_function(
        """(count) => [...document.querySelectorAll("[data-mime-type='image/svg+xml'] img")]
          .filter((image) => image.complete && image.naturalWidth > 100).length === count""",
        arg=count,
        timeout=120_000,
    )
    page.screenshot(path=artifacts / "tutorial-unrun.png")
    page.close()


def test_no_cell_fails(
    tutorial: tuple[Page, list[str], list[str]], tour: tuple[Page, list[str], list[str]]
) -> None:
    _check(*tutorial)
    _check(*tour)


def test_every_question_and_view_of_the_tutorial_is_live(
    tutorial: tuple[Page, list[str], list[str]],
) -> None:
    page = tutorial[0]
    page.wait_for_function(
        """() => [...document.querySelectorAll("[data-shown]")].every(
          ({ dataset }) => dataset.shown === "live")"""
    )
    question = page.locator("[data-shown]").filter(has_text="The five must run one at a time")
    question.get_by_role("button", name="check", exact=True).click()
    question.get_by_text("join cannot run first").wait_for()


def test_an_answer_in_the_tutorial_uncovers_its_view(
    tutorial: tuple[Page, list[str], list[str]], artifacts: Path
) -> None:
    from playwright.sync_api import expect

    page = tutorial[0]
    output = page.locator(".jp-OutputArea").filter(has_text="How many steps may quick wait")
    output.scroll_into_view_if_needed()
    view, said = output.locator(".aidge-nb"), output.locator(".anc-said")
    expect(view).to_have_attribute("data-covered", "")
    field = output.get_by_role("textbox", name="your answer in steps")
    field.fill("2")
    field.press("Enter")
    expect(said).to_contain_text("2 is the last step at which it can run")
    expect(view).not_to_have_attribute("data-covered", "")
    field.fill("1")
    field.press("Enter")
    expect(said).to_contain_text("slack = late - early")
    output.screenshot(path=artifacts / "tutorial-01-answered.png")


def test_a_question_without_a_view_is_answered(
    tutorial: tuple[Page, list[str], list[str]],
) -> None:
    from playwright.sync_api import expect

    page = tutorial[0]
    output = page.locator(".jp-OutputArea").filter(has_text="2. How many operators must be added?")
    output.scroll_into_view_if_needed()
    field = output.get_by_role("textbox")
    for given, says in (("3", "One step of slack was there before."), ("2", "2.")):
        field.fill(given)
        field.press("Enter")
        expect(output.locator(".anc-said")).to_contain_text(says)


def test_bars_are_dragged_in_the_tutorial(
    tutorial: tuple[Page, list[str], list[str]], artifacts: Path
) -> None:
    from playwright.sync_api import expect

    page = tutorial[0]
    output = page.locator(".jp-OutputArea").filter(has_text="Put each box on its first")
    output.scroll_into_view_if_needed()
    for name, step in {"slow_1": 1, "quick": 1, "slow_2": 2, "join": 3}.items():
        output.get_by_role("slider", name=f"{name}: early").focus()
        for _ in range(step):
            page.keyboard.press("ArrowRight")
    output.get_by_role("button", name="check", exact=True).click()
    expect(output.locator(".anc-said")).to_contain_text("All 5 are right")
    expect(output.locator(".aidge-nb")).not_to_have_attribute("data-covered", "")
    output.screenshot(path=artifacts / "tutorial-01-bars.png")


@pytest.mark.parametrize(
    "name", [*LATER[:3], *(pytest.param(name, marks=pytest.mark.slow) for name in LATER[3:])]
)
def test_later_tutorials_run(name: str, browser: Browser, lab: str, artifacts: Path) -> None:
    address = re.sub(r"/lab(/tree/[^?]*)?\?", f"/lab/workspaces/{name[:3]}/tree/{name}?", lab)
    for page, errors, foreign in _run_at(browser, address):
        _check(page, errors, foreign)
        cells = page.locator(".jp-CodeCell")
        assert all(cells.evaluate_all(RAN))
        page.screenshot(path=artifacts / f"tutorial-{name[:3].rstrip('_')}.png")


def test_views_are_drawn(tour: tuple[Page, list[str], list[str]], artifacts: Path) -> None:
    page, _, _ = tour
    view = _views(page).first
    view.scroll_into_view_if_needed()
    for name in ("timeline", "memory", "graph"):
        if name == "graph":  # a tab, where the notebook leaves no room for it
            view.locator(".anb-narrow:visible").get_by_role("button", name="Show graph").click()
            page.wait_for_timeout(200)
        panel = view.locator(f"[data-panel={name}]")
        assert int(panel.get_attribute("data-drawn") or 0) > 0, f"{name} is empty"
    view.screenshot(path=artifacts / "tour.png")
    view.locator(".anb-narrow:visible").get_by_role("button", name="Show schedule").click()


def test_mermaid_chart_is_drawn(tour: tuple[Page, list[str], list[str]], artifacts: Path) -> None:
    chart = tour[0].locator(".jp-OutputArea .jp-RenderedMermaid")
    chart.scroll_into_view_if_needed()
    drawing = chart.locator("img")
    drawing.wait_for(timeout=60_000)
    assert "slow_3" in (drawing.get_attribute("src") or "")
    chart.screenshot(path=artifacts / "tour-mermaid.png")


def test_query_and_selection_come_from_python(
    tour: tuple[Page, list[str], list[str]],
) -> None:
    view = _views(tour[0]).first
    assert "cell1_concat" in (view.get_attribute("data-selected") or "")
    assert int(view.get_attribute("data-matches") or 0) > 0


def test_hover_and_click_link_the_panels(
    tour: tuple[Page, list[str], list[str]], artifacts: Path
) -> None:
    page, _, _ = tour
    view = _views(page).first
    view.scroll_into_view_if_needed()
    before = view.get_attribute("data-selected")
    canvas = view.locator("[data-panel=memory] .anb-stage canvas").first
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    name = _probe(page, view, box)
    assert name, "hovering over the memory layout found no tensor"
    page.mouse.down()
    page.mouse.up()
    page.wait_for_function(
        "([root, name]) => root.dataset.selected === name", arg=[view.element_handle(), name]
    )
    assert name != before
    # The table shows what the query finds alone; its details show what is picked in any case.
    assert name in view.locator("[data-part=details]").inner_text().replace("\n", "")
    assert name in view.locator(".anb-live").inner_text()
    view.screenshot(path=artifacts / "tour-picked.png")


def _probe(page: Page, view: Locator, box: FloatRect) -> str:
    """Move over the layout until something is under the pointer that is not picked yet."""
    picked = view.get_attribute("data-selected")
    for column in range(2, 30):
        for row in range(2, 12):
            page.mouse.move(
                box["x"] + box["width"] * column / 32, box["y"] + box["height"] * row / 14
            )
            name = view.get_attribute("data-hovered") or ""
            if name and name != picked:
                return name
    return ""
