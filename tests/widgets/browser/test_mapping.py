"""The mapping in the browser: one ruler, paper between works, idle times, memories, details."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

import aidge_nb
from aidge_nb.advice.findings import WaitFinding
from aidge_nb.advice.reading import mapping_findings
from aidge_nb.hardware import run_mapping
from aidge_nb.widgets import build_scene, scene_of
from tests.widgets.browser.bench import Bench
from tests.widgets.browser.test_looks import LISTEN, overlaps, written
from tests.widgets.browser.test_panels import AXE
from tests.widgets.mappings import mapped, odd_mappings

THEMES = ("light", "dark")

BARS = """() => {
  const {panels} = document.querySelector(".aidge-nb").workbench;
  const panel = panels.find(({name}) => name === "devices");
  const {canvas} = panel;
  const pixels = canvas.getContext("2d");
  const {machine} = panel.data;
  return panel.layout.rows.filter(({row}) => panel.data.type[row] === "element").map(place => {
    const y = Math.round(place.y + place.high * 0.2);
    const {data} = pixels.getImageData(0, y, canvas.width, 1);
    const bars = [];
    panel.eachSeen(place.row, (bar, left, right) => bars.push([left, right]));
    return {bars, row: [...data]};
  });
}"""


def opened_at(browser: Browser, width: int, theme: str, tmp_path: Path) -> Bench:
    _, scene = mapped()
    bench = Bench(browser, viewport={"width": width, "height": 900}, color_scheme=theme)
    bench.page.add_init_script(LISTEN)
    return bench.open(scene, tmp_path)


def ask(bench: Bench, panel: str, what: str) -> Any:
    return bench.page.evaluate(
        f"""() => {{
          const bench = document.querySelector(".aidge-nb").workbench;
          const panel = bench.panels.find(({{name}}) => name === "{panel}");
          return {what};
        }}"""
    )


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_there_is_paper_between_any_two_works(
    browser: Browser, tmp_path: Path, width: int, theme: str
) -> None:
    opened = opened_at(browser, width, theme, tmp_path)
    paper = (255, 255, 255) if theme == "light" else (0x14, 0x17, 0x1C)
    pairs = 0
    for row in opened.page.evaluate(BARS):
        pixels = [tuple(row["row"][4 * x : 4 * x + 3]) for x in range(len(row["row"]) // 4)]
        for (left, right), (following, end) in zip(row["bars"], row["bars"][1:], strict=False):
            if min(right - left, end - following) < 4 or following - right > 1:
                continue
            pairs += 1
            middle = round(following)
            assert paper in pixels[middle - 2 : middle + 1], (right, following)
    assert pairs >= 8
    opened.page.close()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_nothing_is_written_over_anything_else_in_a_mapping(
    browser: Browser, tmp_path: Path, width: int, theme: str
) -> None:
    opened = opened_at(browser, width, theme, tmp_path)
    for panel in ("devices", "memory"):
        # What stands upright is written around a corner of its own.
        texts = [each for each in written(opened, panel) if each["bottom"] - each["top"] > 1]
        assert len(texts) > 5
        assert overlaps(texts) == [], panel
        most = ask(opened, panel, "panel.width")
        assert all(each["left"] >= 0 and each["right"] <= most for each in texts)
    opened.page.close()


@pytest.mark.parametrize("theme", THEMES)
def test_works_narrower_than_their_names_have_them_upright(
    browser: Browser, tmp_path: Path, theme: str
) -> None:
    opened = opened_at(browser, 1440, theme, tmp_path)
    texts = [each["text"] for each in written(opened, "devices")]
    widths = ask(
        opened,
        "devices",
        "panel.layout.rows.filter(({row}) => panel.data.type[row] === 'element').flatMap(each => "
        "{const found = []; panel.eachSeen(each.row, (bar, left, right) => found.push(right - left"
        ")); return found;})",
    )
    assert sum(wide < 40 for wide in widths) >= 6
    for short in ("3x3_red", "5x5_red", "proj"):
        assert texts.count(short) == 2, texts
    assert "poo_proj" not in texts, "a word is cut only where two letters are saved"
    opened.page.close()


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_a_cycle_has_one_place_in_ruler_rows_and_memories(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    opened = opened_at(browser, width, "light", tmp_path)
    for zoomed in (False, True):
        if zoomed:
            ask(opened, "devices", "panel.zoom({x: 300, y: 20}, 0.4, true)")
            opened.settle()
        for cycle in (9000, 10380, 11724, 13708):
            places = [
                ask(
                    opened,
                    "devices",
                    f"panel.x({cycle}) + panel.canvas.getBoundingClientRect().left",
                ),
                ask(
                    opened,
                    "memory",
                    f"panel.x({cycle}) + panel.canvas.getBoundingClientRect().left",
                ),
                ask(
                    opened,
                    "devices",
                    f"bench.column.ruler.map.x({cycle}) + "
                    "bench.column.ruler.canvas.getBoundingClientRect().left",
                ),
            ]
            assert max(places) - min(places) <= 0.5, (cycle, places)
    opened.page.close()


def test_the_playhead_is_a_line_through_rows_and_memories(browser: Browser, tmp_path: Path) -> None:
    opened = opened_at(browser, 1440, "light", tmp_path)
    ask(opened, "devices", "bench.store.goTo(14600)")
    opened.settle()
    for panel in ("devices", "memory"):
        x = round(ask(opened, panel, "panel.x(14600)"))
        colours = ask(
            opened,
            panel,
            f"""Array.from({{length: 9}}, (_, at) => [...panel.canvas.getContext("2d")
              .getImageData({x} - 4 + at, 60, 1, 1).data.slice(0, 3)])""",
        )
        assert [0xC2, 0x18, 0x5B] in colours
        assert colours.count([0xC2, 0x18, 0x5B]) <= 2, "a line, and no cell"
    opened.page.close()


def test_idle_times_are_numbered_as_the_card_says(browser: Browser, tmp_path: Path) -> None:
    mapping, _ = mapped()
    waits = next(each for each in mapping_findings(mapping) if isinstance(each, WaitFinding))
    opened = opened_at(browser, 1440, "light", tmp_path)
    texts = {each["text"] for each in written(opened, "devices")}
    gaps = [stop - start for start, stop in waits.gaps]
    assert {f"{each:,}" for each in (waits.start, *gaps, waits.end)} <= texts
    said = opened.page.inner_text(".aidge-nb")
    assert all(f"{each:,}" in said for each in (waits.waiting, waits.start, *gaps, waits.end))
    assert {"Elements", "Links", "ram→scratch", "busy 79 %"} <= texts
    opened.page.close()


def test_each_memory_has_a_scale_of_its_own(browser: Browser, tmp_path: Path) -> None:
    opened = opened_at(browser, 1440, "light", tmp_path)
    texts = {each["text"] for each in written(opened, "memory")}
    assert {"capacity 128 KiB", "peak 127 KiB", "127 KiB of 128 KiB (99 %)"} <= texts
    assert {"peak 36 KiB", "36 KiB of 2 MiB (2 %)"} <= texts
    plots = ask(
        opened,
        "memory",
        "panel.plots.map(({space, y, high, base, up}) => [space.name, space.size, space.capacity,"
        " y + 22, base - space.size * up, base - space.capacity * up, base, y + 22 + high])",
    )
    assert len(plots) == 3
    for name, used, there, top, peak, end, base, bottom in plots:
        assert top < peak < base < bottom, name
        if 2 * used > there:
            assert end == pytest.approx(top + 8)
        else:
            assert (base - peak) / (base - top - 8) == pytest.approx(1 / 1.2)
    opened.page.close()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_details_of_a_work_have_room_and_a_bar(
    browser: Browser, tmp_path: Path, width: int, theme: str
) -> None:
    opened = opened_at(browser, width, theme, tmp_path)
    opened.page.evaluate(
        "document.querySelector('.aidge-nb').workbench.set({selected: 'cell0_5x5'})"
    )
    opened.settle()
    details = opened.page.locator("[data-part=details]")
    values = details.locator("dd").all()
    assert len(values) > 10
    assert all((value.bounding_box() or {"width": 0})["width"] >= 150 for value in values)
    labels = details.locator("dt").all_inner_texts()
    for label in ("runs on", "cycles", "takes", "MACs", "waits for", "could start", "then"):
        assert labels.count(label) == 1, label
    bar = details.locator(".anb-phases")
    kinds = [part.get_attribute("data-phase") for part in bar.locator("span").all()]
    assert kinds == ["load", "wait", "compute", "store"]
    assert "waits 2,796" in bar.inner_text()
    assert bar.get_attribute("aria-label") == (
        "loads 266, waits 2,796, computes 4,032, stores 266 cycles"
    )
    if width >= 1100:
        column = opened.page.locator(".anb-column").bounding_box()
        own = details.bounding_box()
        assert column is not None
        assert own is not None
        assert own["x"] >= column["x"] + column["width"], "beside the mapping"
    assert opened.width_to_scroll() <= 0
    opened.page.close()


def test_works_are_listed_by_their_cycles(browser: Browser, tmp_path: Path) -> None:
    opened = opened_at(browser, 1440, "light", tmp_path)
    table = opened.page.get_by_role("grid", name="Works by cycles")
    rows = table.locator("[data-node]").all()
    cycles = [int(row.locator(".anb-amount").inner_text().replace(",", "")) for row in rows]
    mapping, _ = mapped()
    assert cycles == sorted(cycles, reverse=True)
    assert cycles[0] == max(
        step.end - step.start for step in mapping.steps if step.kind == "operation"
    )
    wide = [(row.locator("i").bounding_box() or {"width": 0})["width"] for row in rows]
    assert wide == sorted(wide, reverse=True)
    assert wide[0] > 40
    opened.page.close()


def test_microseconds_are_the_same_cycles_with_other_labels(
    browser: Browser, tmp_path: Path
) -> None:
    opened = opened_at(browser, 1440, "light", tmp_path)
    ask(opened, "devices", "bench.store.goTo(20000)")
    opened.settle()
    before = ask(opened, "devices", "[9000, 13708].map(cycle => panel.x(cycle))")
    assert opened.page.inner_text(".anb-place").startswith("cycle 20,000 of 34,196")
    opened.page.get_by_role("button", name="Write the cycles as microseconds").click()
    opened.settle()
    assert ask(opened, "devices", "[9000, 13708].map(cycle => panel.x(cycle))") == before
    marks = "bench.store.clock.marks(bench.store.window.axis, 10)"
    assert ask(opened, "devices", f"{marks}.map(mark => mark / 400)") == list(range(0, 81, 10))
    assert opened.page.inner_text(".anb-place").startswith("µs 50 of 85.49")
    texts = {each["text"] for each in written(opened, "devices")}
    assert {"10.96 µs", "5.17"} <= texts, "4,384 cycles of the stem, 2,068 idle ones"
    opened.page.locator("[data-panel=devices] .anb-stage canvas").focus()
    opened.press("c")
    assert opened.page.inner_text(".anb-place").startswith("cycle 20,000 of 34,196")
    assert opened.complaints == []
    opened.page.close()


def test_a_clock_of_microseconds_is_kept_by_the_page(browser: Browser) -> None:
    _, scene = mapped()
    opened = Bench(browser, viewport={"width": 1200, "height": 900})
    opened.open_widget(scene, clock="µs", tick=4000)
    assert opened.page.inner_text(".anb-place").startswith("µs 10 of 85.49")
    opened.page.close()


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("name", odd_mappings())
def test_odd_mappings_are_shown(browser: Browser, tmp_path: Path, name: str, width: int) -> None:
    opened = Bench(browser, viewport={"width": width, "height": 900})
    opened.page.add_init_script(LISTEN)
    opened.open(scene_of(odd_mappings()[name]), tmp_path)
    for panel in ("devices", "memory"):
        texts = written(opened, panel)
        assert all(len(each["text"]) < 200 for each in texts)
        most = ask(opened, panel, "panel.width")
        assert all(each["right"] <= most + 1 for each in texts), panel
    said = " ".join(each["text"] for each in written(opened, "memory"))
    if name in ("nothing takes time", "no memories"):
        assert "Nothing is kept in memory." in said
    if name == "2000 works":
        assert int(ask(opened, "devices", "panel.section.dataset.drawn")) > 200
        box = opened.page.locator("[data-panel=table]").bounding_box()
        assert box is not None
        assert box["height"] < 1200, "a long list is scrolled"
    assert opened.width_to_scroll() <= 0
    assert opened.complaints == []
    opened.page.close()


def test_a_measured_run_of_a_mapping_stands_beside_it(browser: Browser, tmp_path: Path) -> None:
    nodes = [aidge_nb.ReLU("a"), aidge_nb.MaxPooling2D([2, 2], "b")]
    view = aidge_nb.sequential(nodes)
    view.compile("cpu", dims=[[1, 4, 16, 16]])
    mapping = aidge_nb.hardware.map_schedule(view, aidge_nb.hardware.target("duo_soc"))
    run = run_mapping(view, mapping, [np.zeros((1, 4, 16, 16), np.float32)])
    schedule = aidge_nb.static_schedule(view)
    measured = [(each.step.work, 1e6 * each.start, 1e6 * each.end) for each in run.steps]
    assert len(measured) == 2
    scene = build_scene(view, schedule, measured=measured, mapping=mapping)
    opened = Bench(browser).open(scene, tmp_path)
    assert {"devices", "measured"} <= set(opened.panels())
    assert opened.complaints == []
    opened.page.close()


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_in_a_mapping(browser: Browser, tmp_path: Path, theme: str) -> None:
    if not AXE.is_file():
        pytest.skip("no axe-core: npm ci")
    opened = opened_at(browser, 1440, theme, tmp_path)
    ask(opened, "devices", "bench.store.set({selected: 6})")
    opened.settle()
    opened.page.evaluate(AXE.read_text(encoding="utf-8"))
    found = opened.page.evaluate(
        "async () => (await axe.run(document.querySelector('.aidge-nb'))).violations"
        ".map(({id, nodes}) => [id, nodes.map(({html}) => html.slice(0, 160))])"
    )
    assert found == []
    opened.page.close()


def test_a_click_on_a_card_goes_to_its_cycle(browser: Browser, tmp_path: Path) -> None:
    mapping, _ = mapped()
    opened = opened_at(browser, 1440, "light", tmp_path)
    found = {finding.kind: finding for finding in mapping_findings(mapping)}
    wait = found["wait"]
    assert isinstance(wait, WaitFinding)
    opened.page.click(".anb-card[data-kind=wait] .anb-figure")
    opened.settle()
    state = opened.page.evaluate("document.querySelector('.aidge-nb').workbench.state")
    assert state["tick"] == wait.longest[0]
    title = opened.page.get_attribute(".anb-card[data-kind=wait] .anb-figure", "title")
    assert title == f"Go to cycle {wait.longest[0]:,}" or wait.longest[0] < 10_000
    assert opened.complaints == []
    opened.page.close()
