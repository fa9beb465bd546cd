"""One scenario in each place where the views are shown.

They are JupyterLab, Notebook, Voila, a file, and JupyterLite, whose kernel is in the page as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aidge_nb.report import study
from aidge_nb.widgets import to_html
from tests.browser.hosts import HOSTS, SLOW_HOSTS, lay_on_site, served, write_notebook
from tests.browser.opened import Opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
MODEL = "zoo:squeezenet"
CANVASES = ("graph", "timeline", "memory")
NODE = "fire2_concat"
IS_CLOSED = """(bench, node) => {
  const { data } = bench.panels.find(({ name }) => name === "graph");
  return data.members[data.boxOf[bench.byName.get(node)]].length > 1;
}"""
"""Whether a node is in a block that is drawn as one box."""
LARGEST = 300_000  # bytes of a saved notebook
SHOW = f"""\
from aidge_nb.report import study
view = study("{MODEL}").widget()
view"""
KERNELS = {
    "lab": "Python 3 (ipykernel)",
    "notebook": "Python 3 (ipykernel)",
    "lite": "Python (Pyodide)",
}
AGAIN = "study('zoo:lenet').widget()"


@pytest.fixture(
    scope="module",
    params=[*HOSTS, *(pytest.param(host, marks=pytest.mark.slow) for host in SLOW_HOSTS)],
)
def opened(
    request: pytest.FixtureRequest, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Opened]:
    """Open the view of a model in one of the hosts."""
    host = request.param
    folder = tmp_path_factory.mktemp(host)
    page = browser.new_page(
        viewport={"width": 1440, "height": 1100}, color_scheme="light", reduced_motion="reduce"
    )
    made = Opened(host, page, folder)
    if host == "file":
        path = folder / "view.html"
        path.write_text(to_html(study(MODEL).scene()), encoding="utf-8")
        page.goto(path.as_uri())
        page.wait_for_selector("[data-ready=true]")
        yield made
    else:
        write_notebook(folder / "view.ipynb", SHOW, AGAIN)
        root = folder
        if host == "lite":
            root = lay_on_site(request.getfixturevalue("lite_site"), folder / "view.ipynb")
        with served(host, root, "view.ipynb") as address:
            page.goto(address)
            _run(made)
            yield made
    page.close()


def _run(opened: Opened) -> None:
    """Run all cells, where that is not done already, and wait for the view."""
    page = opened.page
    if opened.host != "voila":
        page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=120_000)
        page.get_by_text(KERNELS[opened.host]).first.wait_for(timeout=120_000)
        _run_all(page)
    page.locator(".aidge-nb").first.wait_for(timeout=180_000)
    page.locator(".aidge-nb").first.scroll_into_view_if_needed()
    page.wait_for_function(
        "() => Number(document.querySelector('.aidge-nb [data-panel=memory]').dataset.drawn) > 0"
    )


def _run_all(page: Page) -> None:
    """Ask for it until it begins: a busy machine may not have connected the kernel yet."""
    prompt = page.locator(".jp-CodeCell .jp-InputPrompt").first
    for _ in range(6):
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_text("Run All Cells", exact=True).click()
        for _ in range(50):
            if re.search(r"\[(\d+|\*)\]", prompt.inner_text()):
                return
            page.wait_for_timeout(200)
    pytest.fail("the cells did not begin to run")


def test_views_are_drawn(opened: Opened, artifacts: Path) -> None:
    view = opened.page.locator(".aidge-nb").first
    for panel in (*CANVASES, "table"):
        opened.show(panel)
        drawn = view.locator(f"[data-panel={panel}]").get_attribute("data-drawn")
        assert int(drawn or 0) > 0, panel
    view.screenshot(path=artifacts / f"{opened.host}.png")


def test_the_front_end_is_sent_once(opened: Opened) -> None:
    if opened.host == "file":
        return
    opened.page.locator(".aidge-nb").nth(1).wait_for(timeout=120_000)
    assert opened.page.evaluate("globalThis.aidgeNbModules.size") == 1


@pytest.mark.parametrize("panel", CANVASES)
def test_a_click_in_one_panel_shows_in_the_others(opened: Opened, panel: str) -> None:
    opened.call("(bench, node) => bench.store.set({selected: bench.byName.get(node)})", NODE)
    opened.show("graph")
    if opened.call(IS_CLOSED, NODE):
        opened.page.locator(".aidge-nb [data-panel=graph] .anb-stage canvas").first.focus()
        opened.page.keyboard.press("Enter")
    opened.show(panel)
    opened.call("(bench) => bench.store.set({selected: -1})")
    opened.call(
        "(bench, node) => bench.panels.forEach(p => p.reveal?.(bench.byName.get(node)))", NODE
    )
    opened.settle()
    others = [other for other in CANVASES if other != panel]
    before = {}
    for each in (*others, panel):  # some hosts have room for one tab at a time
        opened.show(each)
        before[each] = opened.image(each)
    canvas = opened.page.locator(f".aidge-nb [data-panel={panel}] .anb-stage canvas").first
    canvas.scroll_into_view_if_needed()
    opened.settle()
    place = opened.call("(bench, panel, node) => bench.locate(panel, node)", panel, NODE)
    assert place is not None
    opened.page.mouse.click(place["x"], place["y"])
    opened.settle()
    assert opened.selected == NODE
    for other in others:
        opened.show(other)
        assert opened.image(other) != before[other]
    details = opened.page.locator(".aidge-nb [data-part=details]").first.inner_text()
    assert NODE in details


def test_everything_by_keyboard(opened: Opened) -> None:
    page = opened.page
    opened.call("(bench) => bench.store.set({selected: -1, query: ''})")
    opened.show("graph")
    canvas = page.locator(".aidge-nb [data-panel=graph] .anb-stage canvas").first
    canvas.focus()
    page.keyboard.press("/")
    page.keyboard.type("concat")
    page.keyboard.press("Enter")
    opened.settle()
    assert opened.selected == NODE
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowDown")
    opened.settle()
    assert opened.selected != NODE
    page.keyboard.press(".")
    page.keyboard.press(".")
    opened.settle()
    assert opened.call("(bench) => bench.state.step") == 2
    before = opened.image("graph")
    page.keyboard.press("+")
    opened.settle()
    assert opened.image("graph") != before
    page.keyboard.press("0")
    for _ in range(3):
        page.keyboard.press("Escape")
    assert opened.selected == ""


def test_the_theme_can_be_switched(opened: Opened, artifacts: Path) -> None:
    view = opened.page.locator(".aidge-nb").first
    button = view.get_by_role("button", name="Switch between light and dark")
    before = view.get_attribute("data-theme")
    picture = opened.image("memory")
    button.click()
    opened.settle()
    assert view.get_attribute("data-theme") != before
    assert opened.image("memory") != picture
    view.screenshot(path=artifacts / f"{opened.host}-dark.png")
    button.click()
    opened.settle()
    assert view.get_attribute("data-theme") == before


def test_axe_finds_nothing(opened: Opened) -> None:
    if not AXE.is_file():
        pytest.skip("no axe-core: npm ci")
    opened.page.evaluate(AXE.read_text(encoding="utf-8"))
    opened.call("(bench) => bench.store.set({step: 3, selected: 5})")
    opened.settle()
    found = opened.page.evaluate(
        "async () => (await axe.run(document.querySelector('.aidge-nb'))).violations"
    )
    assert found == [], json.dumps(
        [[each["id"], [node["html"] for node in each["nodes"]][:4]] for each in found], indent=1
    )


def test_nothing_is_asked_of_the_network_and_nothing_goes_wrong(opened: Opened) -> None:
    assert opened.foreign == []
    assert opened.errors == []


def test_what_is_saved_is_small(opened: Opened) -> None:
    if opened.host not in ("lab", "notebook"):
        return
    opened.page.keyboard.press("Escape")
    opened.page.locator(".jp-Cell").first.click()
    opened.page.keyboard.press("Control+s")
    path = opened.folder / "view.ipynb"
    for _ in range(100):
        if "widget-view+json" in path.read_text(encoding="utf-8"):
            break
        opened.page.wait_for_timeout(200)
    text = path.read_text(encoding="utf-8")
    assert "widget-view+json" in text
    assert len(text.encode()) <= LARGEST


def test_a_kernel_that_dies_leaves_a_view_that_works(opened: Opened) -> None:
    if opened.host != "lab":
        return
    page = opened.page
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_text("Shut Down Kernel", exact=True).click()
    note = page.locator(".aidge-nb").first.get_by_text("The kernel has stopped.")
    note.wait_for(timeout=30_000)
    opened.call("(bench) => bench.store.set({selected: 3})")
    opened.settle()
    assert opened.selected
    opened.show("memory")
    before = opened.image("memory")
    opened.call("(bench) => bench.store.set({selected: 8})")
    opened.settle()
    assert opened.image("memory") != before
    assert opened.foreign == []


def test_the_picture_of_a_view_is_saved(opened: Opened) -> None:
    view = opened.page.locator(".aidge-nb").first
    view.get_by_role("button", name="Save or copy the picture").click()
    for ending in ("svg", "png"):
        with opened.page.expect_download() as download:
            view.get_by_role("button", name=f"Save {ending.upper()}").click()
        path = opened.folder / f"saved.{ending}"
        download.value.save_as(path)
        assert download.value.suggested_filename.endswith(f".{ending}")
        assert path.read_bytes()[:4] in (b"<svg", b"\x89PNG")
    view.get_by_role("button", name="Save or copy the picture").click()
