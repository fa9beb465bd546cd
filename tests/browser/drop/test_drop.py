"""The page on which a network is dropped: built and opened without a network, and used."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import onnx
import pytest

from aidge_nb import zoo
from aidge_nb.report import study
from aidge_nb.report.tab import Tab
from aidge_nb.widgets.text import size_text
from tests.browser.drop.using import (
    PATIENCE,
    RECORDED,
    choose,
    page_of,
    state,
    studied,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[3]
WHEEL = "AIDGE_NB_TINYML_WHEEL"
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"

SEEN = """globalThis.seen = [];
new MutationObserver(() => {
  const bar = document.querySelector("#progress");
  if (bar) seen.push(bar.value);
}).observe(document, { subtree: true, childList: true });"""
"""Notes where the bar stands whenever the words beside it change."""

pytestmark = pytest.mark.slow


def test_the_second_start_takes_what_the_first_compiled(page: Page) -> None:
    (worker,) = page.workers
    asked = worker.evaluate("() => performance.getEntriesByType('resource').map(each => each.name)")
    assert any(name.endswith("numpy.pack") for name in asked)
    assert not any(name.endswith("python_stdlib.zip") for name in asked)


@pytest.mark.parametrize("name", ["squeezenet", "mobilenet_v2", "lstm_classifier"])
def test_real_models(page: Page, name: str, tmp_path: Path) -> None:
    model = zoo.build(name)
    model.save(tmp_path / f"{name}.onnx")
    report = study(tmp_path / f"{name}.onnx")
    assert report.plan is not None
    choose(page, tmp_path / f"{name}.onnx")
    said = studied(page, name)
    assert f"peak {size_text(report.plan.peak)}" in said
    page.locator("#view .anb-card", has_text="PEAK").first.wait_for()
    assert page.locator("#alert").inner_text() == ""


@pytest.mark.parametrize("name", ["moved", "conv_same_two", "sums"])
def test_a_tflite_file(page: Page, name: str) -> None:
    """They mean in the tab, where the network is off, what they do on a machine."""
    path = RECORDED / f"{name}.tflite"
    report = study(path)
    assert report.plan is not None
    choose(page, path)
    said = studied(page, name)
    assert f"{len(report.graph.nodes)} operators" in said
    assert f"peak {size_text(report.plan.peak)}" in said
    assert page.locator("#kinds").inner_text() == "an .onnx or .tflite file"
    assert page.locator("#alert").inner_text() == ""


@pytest.mark.skipif(not os.environ.get(WHEEL), reason=f"needs the wheel named by {WHEEL}")
def test_the_tasks_of_mlperf_tiny(page: Page, tmp_path: Path) -> None:
    with zipfile.ZipFile(os.environ[WHEEL]) as wheel:
        names = [n for n in wheel.namelist() if "/tinyml/" in n and n.endswith(".mltk.zip")]
        assert len(names) == 4
        wheel.extractall(tmp_path, names)
    for name in names:
        with zipfile.ZipFile(tmp_path / name) as inner:
            (member,) = [each for each in inner.namelist() if each.endswith(".tflite")]
            path = tmp_path / f"{Path(name).name.removesuffix('.mltk.zip')}.tflite"
            path.write_bytes(inner.read(member))
        report = study(path)
        assert report.plan is not None
        choose(page, path)
        assert f"peak {size_text(report.plan.peak)}" in studied(page, path.stem)


def test_controls_plan_as_on_a_machine_with_wider_numbers(page: Page) -> None:
    page.select_option("#zoo", "inception_like")
    studied(page, "inception_like")
    here = Tab()
    here.open_zoo("inception_like")
    for name, value in (("stripes", "3"), ("width", "2"), ("policy", "MinimumMemory")):
        control = page.locator(f"#controls [name={name}]")
        before = control.input_value()
        texts = control.locator("option").all_inner_texts()
        control.select_option(index=texts.index(value if value.isdigit() else "least memory"))
        settings = {name: int(value) if value.isdigit() else value}
        verdict = json.loads(here.plan(json.dumps(settings))[0])["verdict"]
        page.locator("#status", has_text=verdict).wait_for(timeout=PATIENCE)
        control.select_option(index=int(before))
        page.locator("#status", has_text="as in the plan at first").wait_for(timeout=PATIENCE)


def test_tiles_of_the_layers_at_the_peak(page: Page) -> None:
    page.select_option("#zoo", "")
    page.select_option("#zoo", "squeezenet")
    studied(page, "squeezenet")
    here = Tab()
    here.open_zoo("squeezenet")
    told = json.loads(here.tile("")[0])
    tiles = page.get_by_role("button", name="Tiles at the peak")
    tiles.focus()
    page.keyboard.press("Enter")
    page.locator("#status", has_text=told["summary"]).wait_for(timeout=PATIENCE)
    assert page.evaluate("() => document.activeElement.dataset.mode") == "tile"
    assert tiles.get_attribute("aria-pressed") == "true"
    page.locator("#view [data-panel=tiling]").wait_for()
    page.locator("#controls [name=rows]").select_option(label="7")
    page.locator("#status", has_text="in 7 tiles").wait_for(timeout=PATIENCE)
    page.get_by_role("button", name="The whole network").click()
    page.locator("#status", has_text="as in the plan at first").wait_for(timeout=PATIENCE)
    page.locator("#view [data-panel=memory]").first.wait_for()


def test_a_search_for_more_changes(page: Page) -> None:
    page.select_option("#zoo", "")
    page.select_option("#zoo", "mobilenet_v2@96")
    studied(page, "mobilenet_v2@96")
    page.locator("#advise").click()
    page.locator("#status", has_text="DO THIS: ").wait_for(timeout=PATIENCE)
    state(page, "open")
    page.locator("#view .anb-card", has_text="DO THIS").first.wait_for()
    assert page.locator("#alert").inner_text() == ""


def test_data_in_a_file_beside_the_model(page: Page, tmp_path: Path) -> None:
    proto = zoo.build("lenet").to_proto()
    onnx.save(proto, tmp_path / "apart.onnx", save_as_external_data=True, location="apart.bin")
    choose(page, tmp_path / "apart.onnx", tmp_path / "apart.bin")
    studied(page, "apart")
    choose(page, tmp_path / "apart.onnx")
    alert = page.locator("#alert", has_text="does not exist")
    alert.wait_for(timeout=PATIENCE)
    assert page.locator("body").get_attribute("data-state") == "open", "the last one is still there"


def test_what_is_saved(page: Page, tmp_path: Path) -> None:
    page.select_option("#zoo", "")
    page.select_option("#zoo", "lenet")
    studied(page, "lenet")
    saved = {}
    for kind in ("report", "picture", "plan", "schedule", "c"):
        with page.expect_download(timeout=PATIENCE) as download:
            page.locator(f"[data-save={kind}]").click()
        saved[kind] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[kind])
    assert saved["report"].read_text("utf-8").startswith("<!DOCTYPE html>")
    assert saved["plan"].name == "lenet_plan.csv"
    with zipfile.ZipFile(io.BytesIO(saved["c"].read_bytes())) as archive:
        archive.extractall(tmp_path)
    built = subprocess.run(
        ["make", "-C", str(tmp_path / "lenet"), "test"], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr


def test_by_keyboard_alone(page: Page) -> None:
    page.select_option("#zoo", "")
    page.locator("#files").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.id") == "zoo"
    page.keyboard.type("lenet")
    studied(page, "lenet")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.dataset.mode") == "plan"
    for _ in range(3):
        page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.name") == "policy"


def test_a_file_that_was_changed_is_read_again(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "same.onnx"
    for content, words in ((b"hello", "plain text"), (b"", "empty")):
        path.write_bytes(content)
        with page.expect_file_chooser() as chooser:
            page.locator("#files").click()
        chooser.value.set_files(path)
        page.locator("#alert", has_text=words).wait_for(timeout=PATIENCE)


def test_nothing_is_wrong_for_readers_of_screens(page: Page) -> None:
    page.add_script_tag(path=AXE)
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    assert [each["id"] for each in found["violations"]] == []


def test_a_phone_shows_all_without_scrolling_sideways(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#view .aidge-nb").wait_for()
    wide = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1]
    page.set_viewport_size({"width": 1400, "height": 1000})


def test_a_file_is_dropped_where_the_page_is_empty(page: Page, site: Path) -> None:
    """The browser itself would open it elsewhere; and Python need not be there yet."""
    browser = page.context.browser
    assert browser is not None
    with page_of(site) as address:
        other = browser.new_page(viewport={"width": 1400, "height": 900})
        other.goto(address)
        files = other.evaluate_handle(
            """bytes => {
              const dropped = new DataTransfer();
              dropped.items.add(new File([Uint8Array.from(bytes)], "dropped.onnx"));
              return dropped;
            }""",
            list(zoo.build("lenet").to_bytes()),
        )
        other.evaluate(
            """files => document.elementFromPoint(700, 890).dispatchEvent(
              new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true })
            )""",
            files,
        )
        assert "12 operators" in studied(other, "dropped")
        other.close()


def test_a_bar_shows_how_much_is_loaded(page: Page, site: Path) -> None:
    browser = page.context.browser
    assert browser is not None
    with page_of(site) as address:
        other = browser.new_page()
        other.add_init_script(SEEN)
        other.goto(address)
        state(other, "ready")
        seen = other.evaluate("() => seen")
        assert len(set(seen)) >= 3
        assert seen == sorted(seen)
        assert not other.locator("#progress").is_visible()
        other.close()


def test_a_browser_that_cannot_run_python_says_so(page: Page, site: Path) -> None:
    browser = page.context.browser
    assert browser is not None
    with page_of(site) as address:
        other = browser.new_page()
        other.add_init_script("delete globalThis.WebAssembly")
        other.goto(address)
        other.locator("#alert", has_text="no WebAssembly").wait_for(timeout=PATIENCE)
        other.close()


def test_the_size_of_what_is_ours(site: Path) -> None:
    ours = sum(path.stat().st_size for path in site.iterdir() if path.is_file())
    assert ours <= 1_500_000
    told = (site / "offline.js").read_text("utf-8").splitlines()[1]
    listed = json.loads(told.partition("= ")[2].rstrip(";"))
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert set(listed) == (files - {"offline.js"}) | {"./"}
    assert sys.maxsize > 2**31  # what is planned here is planned with wider numbers than there
