"""Slides made by nbconvert, shown by reveal.js without a network."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aidge_nb.course.slides import HEIGHT, SHORT_CODE, WIDTH, slides_page
from tests.browser.published import converted, save_run, saved_outputs
from tests.browser.saved_views import BEGIN, KINDS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[2]
REVEAL = ROOT / "node_modules" / "reveal.js"
REQUIRE = Path(sys.prefix) / "share/jupyter/voila/templates/base/static/require.min.js"
"""What loads reveal.js on pages of nbconvert; Voila has it."""

TUTORIALS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SMALLEST_LETTERS = 16  # pixels, of words and code
LOOKED_AT = """() => {
  const slide = [...document.querySelectorAll("section.present")].at(-1);
  if (!slide.dataset.fitted || slide.dataset.counted) return null;
  slide.dataset.counted = "1";
  const zoom = Number(slide.children[0]?.style.zoom) || 1;
  const letters = [...slide.querySelectorAll(":is(p, li, td, pre)")].map(
    (each) => parseFloat(getComputedStyle(each).fontSize));
  const pictures = slide.querySelectorAll(":is(.jp-RenderedSVG, .jp-RenderedImage) > *");
  return {
    says: slide.innerText.slice(0, 60),
    tooHigh: slide.scrollHeight - slide.clientHeight,
    tooWide: slide.scrollWidth - slide.clientWidth,
    letters: zoom * Math.min(100, ...letters),
    code: Math.max(0, ...[...slide.querySelectorAll(".jp-InputArea pre")].map(
      (each) => each.innerText.trim().split("\\n").length)),
    pictures: [...pictures].map((each) => each.getBoundingClientRect().width > 90),
    isEmpty: slide.innerText.trim() === "" && pictures.length === 0,
    isLast: Reveal.isLastSlide(),
  };
}"""
"""What is to be said of the present slide, once its pictures are fitted."""

SLIDES = ("workbench", "graph", "mapping", "factorized", "front", "board", "question")

SEEN = """() => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  return [...document.querySelectorAll("img, svg")].map((each) => {
    const box = each.getBoundingClientRect();
    const isThere = box.width > 50 && box.height > 10 && each.checkVisibility(
      { opacityProperty: true, visibilityProperty: true });
    const isInside = box.left >= 0 && box.right <= width + 1 && box.top < height;
    return isThere && isInside && Boolean(each.closest("section.present"));
  });
}"""
"""Which pictures are to be seen on the present slide."""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.route(re.compile("^https?:"), lambda route: route.abort())
    yield context.new_page()
    context.close()


@pytest.mark.slow
def test_each_slide_shows_its_picture(page: Page, tmp_path: Path, artifacts: Path) -> None:
    for part, how in ((REVEAL, "npm ci"), (REQUIRE, "install Voila")):
        if not part.exists():
            pytest.skip(f"no {part.name}: {how}")
    cells = {kind: KINDS[kind] for kind in SLIDES}
    save_run(tmp_path / "talk.ipynb", cells, saved_outputs(BEGIN, cells))
    shutil.copytree(REVEAL, tmp_path / "reveal.js")
    shutil.copy(REQUIRE, tmp_path / "require.js")
    made = converted(
        tmp_path / "talk.ipynb",
        "slides",
        "--SlidesExporter.reveal_url_prefix=reveal.js",
        "--SlidesExporter.require_js_url=require.js",
        "--SlidesExporter.reveal_transition=none",
    )
    page.goto(made.as_uri())
    page.wait_for_selector(".reveal.ready")
    for place, kind in enumerate(SLIDES):
        page.wait_for_function(
            """([seen, place]) => {
              const now = document.querySelectorAll(".slides > section")[place];
              return now.matches(".present") && eval(seen)().filter(Boolean).length === 1;
            }""",
            arg=[SEEN, place],
        )
        page.screenshot(path=artifacts / f"{place}-{kind}.png")
        page.keyboard.press("ArrowRight")
    assert len(page.evaluate(SEEN)) == len(SLIDES)


@pytest.mark.slow
def test_slides_that_cannot_load_reveal_js_show_all_pictures_below_each_other(
    page: Page, tmp_path: Path
) -> None:
    """Its usual address is on a network."""
    cells = {kind: KINDS[kind] for kind in SLIDES}
    save_run(tmp_path / "talk.ipynb", cells, saved_outputs(BEGIN, cells))
    page.goto(converted(tmp_path / "talk.ipynb", "slides").as_uri())
    page.wait_for_function(
        """(count) => [...document.images].filter(
          (each) => each.complete && each.naturalWidth > 0 && each.getClientRects().length
        ).length === count""",
        arg=len(SLIDES),
    )


@pytest.mark.slow
@pytest.mark.parametrize("notebook", TUTORIALS, ids=lambda path: path.stem)
def test_no_slide_of_a_tutorial_is_larger_than_its_frame(
    browser: Browser, notebook: Path, tmp_path: Path, artifacts: Path
) -> None:
    if not REVEAL.exists():
        pytest.skip("no reveal.js: npm ci")
    wrong: list[str] = []
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: wrong.append(asked.url))
    (tmp_path / "talk.html").write_text(slides_page(notebook, REVEAL), "utf-8")
    page.goto((tmp_path / "talk.html").as_uri())
    page.wait_for_selector(".reveal.ready")
    pictures = count = 0
    while True:
        found = page.wait_for_function(LOOKED_AT).json_value()
        where = f"{count}: {found}"
        assert found["tooHigh"] <= 0, where
        assert found["tooWide"] <= 0, where
        assert found["letters"] >= SMALLEST_LETTERS, where
        assert found["code"] <= SHORT_CODE, where
        assert all(found["pictures"]), where
        assert not found["isEmpty"], where
        pictures, count = pictures + len(found["pictures"]), count + 1
        if count == 3:
            page.screenshot(path=artifacts / f"{notebook.stem}.png")
        if found["isLast"]:
            break
        page.evaluate("() => { Reveal.navigateFragment(99); Reveal.next(); }")
    page.close()
    outputs = json.loads(notebook.read_text("utf-8"))["cells"]
    saved = [output for cell in outputs for output in cell.get("outputs", ())]
    assert pictures == sum("image/png" in output.get("data", {}) for output in saved)
    assert [line for line in wrong if not line.startswith(("file:", "data:"))] == []
