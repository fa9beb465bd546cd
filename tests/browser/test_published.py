"""Saved notebooks as sites show them: nbviewer, GitHub, and sites made from Markdown.

None of them can be had here. What they do with an output is done by the program that they use, or
by the same rules: nbviewer and GitHub convert with nbconvert, and let no script through.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bleach  # type: ignore[import-untyped]  # ships no types
import pytest

from aidge_nb.widgets.shared import SAVED
from tests.browser.published import converted, save_run, saved_outputs
from tests.browser.saved_views import BEGIN, KINDS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SVG, PNG = "image/svg+xml", "image/png"
HOSTS = Path(__file__).resolve().parents[2] / "docs" / "howto" / "hosts.md"

SHOWN = """() => [...document.querySelectorAll(".jp-OutputArea-output, .output_subarea")].map(
  (output) => [...output.querySelectorAll("img, svg")].filter((each) => {
    const { width, height } = each.getBoundingClientRect();
    return width > 100 && height > 20 && (each.tagName !== "IMG" || each.naturalWidth > 0);
  }).map((each) => each.src?.slice(5).split(";")[0] ?? "inline"))"""
"""Types of the pictures of each output."""

SHAPES = """(svg) => {
  document.body.innerHTML = svg;
  return [...document.querySelectorAll("rect, path, line, text")].map((each) => {
    const { fill, stroke, opacity, textAnchor } = getComputedStyle(each);
    const { x, y, width, height } = each.getBBox();
    const place = each.tagName === "text" ? [y] : [x, y, width, height];
    return [each.tagName, fill, stroke, opacity, textAnchor, ...place.map(Math.round)].join(" ");
  });
}"""
"""Each shape of a picture: how and where it is drawn."""

CLEANED = (
    "--HTMLExporter.preprocessors=['nbconvert.preprocessors.sanitize.SanitizeHTML']",
    "--SanitizeHTML.enabled=True",
)
"""Options of nbconvert with which nothing but safe forms of an output are left."""

TAGS = ["svg", "g", "rect", "path", "line", "text", "title", "desc"]
KEPT = [
    *("x", "y", "x1", "x2", "y1", "y2", "width", "height", "rx", "d", "viewBox", "xmlns"),
    *("fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity"),
    *("opacity", "transform", "font-family", "font-size", "font-weight", "text-anchor"),
]
"""Parts of SVG that lists of safe markup let through: no styles, scripts, links or fonts."""


@pytest.fixture(scope="module")
def outputs() -> dict[str, dict[str, Any]]:
    """Give the output of a view of every kind, as a notebook keeps it."""
    return saved_outputs(BEGIN, KINDS)


@pytest.fixture(scope="module")
def notebook(outputs: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("published") / "notebook.ipynb"
    save_run(path, KINDS, outputs)
    return path


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """Open a page of a site that lets no script run, without a network."""
    # Without a style of the host's own, a PNG is as wide as its drawing: 1,200 at most.
    context = browser.new_context(viewport={"width": 1240, "height": 900})
    context.route(re.compile("^https?:"), lambda route: route.abort())
    yield context.new_page()
    context.close()


def test_an_output_holds_every_form(outputs: dict[str, Any]) -> None:
    for kind, output in outputs.items():
        forms = output["data"]
        assert {SAVED["view"], SAVED["widget"], PNG, "text/plain"} <= set(forms), kind
        pictures = [len(forms.get(each, "").encode()) for each in (SVG, PNG)]
        assert sum(pictures) <= SAVED["pictureBytes"], kind
        assert output["metadata"][PNG]["width"] <= 1200, kind
        assert len(json.dumps(output)) <= 300_000, kind


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        ((), SVG),
        pytest.param(("--template", "classic"), SVG, marks=pytest.mark.slow),
        (("--template", "basic"), SVG),
        (CLEANED, PNG),
    ],
    ids=["nbconvert", "classic", "nbviewer", "cleaned"],
)
def test_a_page_shows_each_view_once(
    options: tuple[str, ...], chosen: str, notebook: Path, page: Page, artifacts: Path
) -> None:
    name = re.sub(r"\W+", "-", "".join(options[:2]) or "html")
    made = converted(notebook, "html", *options)
    page.goto(made.as_uri())
    outputs = json.loads(notebook.read_text("utf-8"))["cells"]
    has_svg = [SVG in cell["outputs"][0]["data"] for cell in outputs]
    expected = [[chosen if svg else PNG] for svg in has_svg]
    page.wait_for_function(f"(count) => ({SHOWN})().flat().length === count", arg=len(KINDS))
    assert page.evaluate(SHOWN) == expected
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 1240, "wider than the page"
    page.screenshot(path=artifacts / f"{name}.png", full_page=True)


@pytest.mark.slow
def test_pictures_can_be_asked_for_where_state_was_saved(
    notebook: Path, page: Page, tmp_path: Path
) -> None:
    """By the command of the page on hosts: live views on such a page need a network."""
    whole = json.loads(notebook.read_text("utf-8"))
    ids = [each["outputs"][0]["data"][SAVED["view"]]["model_id"] for each in whole["cells"]]
    model = {"model_module": "anywidget", "model_name": "AnyModel", "model_module_version": "0"}
    state = {each: {**model, "state": {}} for each in ids}
    kept = {"version_major": 2, "version_minor": 0, "state": state}
    whole["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": kept}
    (tmp_path / "state.ipynb").write_text(json.dumps(whole), "utf-8")
    command = re.search(r"display_data_priority='([^']+)'", HOSTS.read_text("utf-8"))
    assert command is not None
    option = f"--NbConvertBase.display_data_priority={command[1]}"
    page.goto(converted(tmp_path / "state.ipynb", "html", option).as_uri())
    page.wait_for_function(f"(count) => ({SHOWN})().flat().length === count", arg=len(KINDS))
    assert [len(each) for each in page.evaluate(SHOWN)] == [1] * len(KINDS)


QUARTO = [SAVED["widget"], "application/javascript", "text/html", "text/markdown", SVG, PNG]
"""What its pages in HTML take of an output, by its source: the first of these."""


def test_the_filter_for_quarto_leaves_pictures(notebook: Path, tmp_path: Path) -> None:
    (source,) = re.findall(r"```python\n(\"{3}Leave.*?)```", HOSTS.read_text("utf-8"), re.DOTALL)
    (tmp_path / "pictures.py").write_text(source, "utf-8")
    command = [sys.executable, str(tmp_path / "pictures.py")]
    given = notebook.read_bytes()
    filtered = subprocess.run(command, input=given, capture_output=True, check=True).stdout

    def taken(text: bytes) -> list[str]:
        outputs = [cell["outputs"][0]["data"] for cell in json.loads(text)["cells"]]
        return [next(form for form in QUARTO if form in data) for data in outputs]

    assert set(taken(given)) == {SAVED["widget"]}
    assert set(taken(filtered)) <= {SVG, PNG}
    assert len(taken(filtered)) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_cleaned_markup_of_a_picture_draws_the_same(
    kind: str, outputs: dict[str, Any], page: Page
) -> None:
    """Sites that put an SVG into their page let a list of elements and attributes through."""
    forms = outputs[kind]["data"]
    if SVG not in forms:
        assert base64.b64decode(forms[PNG])[:4] == b"\x89PNG"
        return
    page.goto("about:blank")
    cleaned = bleach.clean(forms[SVG], tags=TAGS, attributes=KEPT, strip=True)
    assert len(cleaned) > len(forms[SVG]) / 2
    drawn, whole = page.evaluate(SHAPES, cleaned), page.evaluate(SHAPES, forms[SVG])
    assert len(drawn) > 3
    assert drawn == whole


def test_markdown_for_a_site_has_a_file_for_each_view(
    notebook: Path, page: Page, tmp_path: Path
) -> None:
    """Quarto, Jekyll, MkDocs and the like make pages of such files."""
    shutil.copy(notebook, tmp_path)
    made = converted(tmp_path / notebook.name, "markdown")
    names = re.findall(r"!\[\w+\]\(([^)]+)\)", made.read_text("utf-8"))
    assert len(names) == len(KINDS)
    assert all((tmp_path / name).is_file() for name in names)
    markup = "".join(f'<img src="{name}">' for name in names)
    (tmp_path / "page.html").write_text(markup, "utf-8")
    page.goto((tmp_path / "page.html").as_uri())
    page.wait_for_function(
        "() => [...document.images].every((each) => each.complete && each.naturalWidth > 100)"
    )
