"""The export in the browser: what is picked in it is picked in the timeline, and back."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

from aidge_nb.export import export
from aidge_nb.widgets import scene_of
from tests.export.models import diamond
from tests.widgets.browser.bench import Bench


def test_code_and_timeline_are_linked(browser: Browser, tmp_path: Path) -> None:
    scene = scene_of(export(diamond(), tmp_path / "diamond"))
    opened = Bench(browser, viewport={"width": 1200, "height": 1000}).open(scene, tmp_path)
    lines = opened.page.locator(".anb-card > p")
    shown = lines.evaluate_all("lines => lines.map(line => getComputedStyle(line).display)")
    assert set(shown) == {"block"}, "the words of a card stand in one line"
    before = {panel: opened.image(panel) for panel in ("timeline", "memory", "graph")}
    opened.page.locator("[data-panel=export] .anb-code [data-node]", has_text="nb_add_f32").click()
    opened.settle()
    assert opened.selected == "join"
    for panel, image in before.items():
        assert opened.image(panel) != image, f"{panel} does not follow"
    opened.click("timeline", "left")
    marked = opened.page.locator("[data-panel=export] .anb-code [aria-current]")
    assert "nb_relu_f32(&left_config" in marked.inner_text()
    layer = opened.page.locator("[data-panel=export] .anb-files [aria-current]")
    assert layer.inner_text().startswith("left.h")
    opened.page.get_by_role("slider", name="Playhead").focus()
    opened.press("Home")
    opened.settle()
    runs = opened.page.locator("[data-panel=export] .anb-code [data-runs]")
    assert "nb_relu_f32(&fork_config" in runs.inner_text()
    assert opened.complaints == []
    opened.page.close()
