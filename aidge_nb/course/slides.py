"""Make slides of a notebook: reveal.js, through nbconvert, from the outputs that are saved in it.

Which cell goes on which slide follows from the cells themselves, so that nothing has to be kept in
step: a heading begins a slide, a picture has a slide of its own, and what answers it comes one key
later.
"""

from __future__ import annotations

import ast
import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aidge_nb.core.errors import AidgeError, MissingExtraError, reading
from aidge_nb.core.forms import check_form
from aidge_nb.core.text import html_text

WIDTH, HEIGHT = 1280, 720
"""Pixels of a slide; reveal.js scales all of it to the window."""

FULL = 640  # pixels of a slide, about, that are filled before the next one begins
SHORT_CODE = 5  # lines of code that are shown beside what they print
MOST_LINES = 16  # of what is printed
NO_CODE = "slides-no-code"
HANDS_ON = "**Run > Run All Cells**"
"""Paragraphs for those who sit at a notebook: slides leave them out."""

EMBEDDED = ("dist/reveal.css", "dist/theme/white.css", "dist/reveal.js", "plugin/notes/notes.js")
"""Files of reveal.js that a page needs."""

_DRESS = Path(__file__).with_name("slides.html").read_text("utf-8")

_OFFLINE = """<script>
// What the page would load from elsewhere is in it.
window.require = (config, names, begin) => begin(window.Reveal, window.RevealNotes);
window.MathJax = { Hub: { getAllJax: () => null } };
</script>
"""


def as_slides(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook whose cells say on which slide they go.

    Parameters
    ----------
    notebook
        A notebook that was run, as JSON; it is left as it is.

    Examples
    --------
    >>> made = as_slides({"cells": [{"cell_type": "markdown", "source": "# Title"}]})
    >>> made["cells"][0]["metadata"]
    {'slideshow': {'slide_type': 'slide'}}
    """
    check_form(notebook.get("cells"), list[dict[str, Any]], "notebook, cells")
    made: list[dict[str, Any]] = []
    used, is_taken = 0, False  # pixels of the slide, and whether it has something to look at
    for cell in notebook["cells"]:
        placed = _dressed(cell)
        kind = "slide" if not made else _kind(placed, used, is_taken=is_taken)
        if kind == "skip":
            made.append(_typed(placed, kind))
            continue
        if kind in ("slide", "subslide"):
            used, is_taken = 0, False
        made.append(_typed(placed, kind))
        used += _height(placed)
        is_taken = is_taken or placed["cell_type"] == "code"
        for number, why in enumerate(_reasons(cell)):
            added = {"id": f"why-{len(made)}-{number}", "metadata": {}, "source": why}
            made.append(_typed({"cell_type": "markdown", **added}, "fragment"))
            used += _height(made[-1])
    return {**notebook, "cells": made}


def _kind(cell: dict[str, Any], used: int, *, is_taken: bool) -> str:
    """Return the type that a cell has on slides."""
    text = "".join(cell["source"])
    is_text = cell["cell_type"] == "markdown"
    if not is_text and not cell.get("outputs"):
        return "skip"
    if is_text and text.startswith("#"):
        return "slide"
    leads_on = is_taken and is_text and text.rstrip().endswith((":", "?"))
    asks_next = is_taken and not is_text and _pictures(cell)
    if leads_on or asks_next or used + _height(cell) > FULL:
        return "subslide"
    return "fragment" if is_taken else "-"


def _height(cell: dict[str, Any]) -> int:
    """Return about how many pixels of a slide a cell takes."""
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return sum(38 * -(-len(line) // 72) for line in text.split("\n\n")) + 14
    tags = cell["metadata"].get("tags", ())
    lines = 0 if NO_CODE in tags else text.count("\n") + 1
    for output in cell["outputs"]:
        lines += "".join(output.get("text", "")).count("\n")
    return 28 * lines + sum(min(round(1.8 * each), 400) for each in _pictures(cell))


def _pictures(cell: dict[str, Any]) -> list[int]:
    """Return the heights of the pictures of a cell."""
    found = []
    for output in cell["outputs"]:
        data = output.get("data", {})
        size = re.search(r'<svg[^>]* height="(\d+)', "".join(data.get("image/svg+xml", "")))
        if size or "image/png" in data:
            found.append(int(size[1]) if size else FULL)
    return found


def _typed(cell: dict[str, Any], kind: str) -> dict[str, Any]:
    cell["metadata"]["slideshow"] = {"slide_type": kind}
    return cell


def _dressed(cell: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a cell; code is shown where it is short and not folded."""
    made = copy.deepcopy(cell)
    metadata = made.setdefault("metadata", {})
    if cell["cell_type"] == "markdown":
        paragraphs = "".join(cell["source"]).split("\n\n")
        made["source"] = "\n\n".join(each for each in paragraphs if HANDS_ON not in each)
        return made
    lines = "".join(cell["source"]).count("\n") + 1
    if metadata.get("jupyter", {}).get("source_hidden") or lines > SHORT_CODE:
        metadata["tags"] = [*metadata.get("tags", ()), NO_CODE]
    for output in made.get("outputs", ()):
        if output["output_type"] == "stream":
            output["text"] = _shortened("".join(output["text"]))
    return made


def _shortened(text: str) -> str:
    lines = text.splitlines()
    if len(lines) <= MOST_LINES:
        return text
    return "\n".join([*lines[: MOST_LINES - 1], f"… {len(lines) - MOST_LINES + 1} more lines"])


def _reasons(cell: dict[str, Any]) -> Iterator[str]:
    """Yield what answers the questions of a cell, as far as it can be read off the code."""
    if cell["cell_type"] != "code" or not cell.get("outputs"):
        return
    try:
        tree = ast.parse("".join(cell["source"]))
    except SyntaxError:  # a magic of IPython
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "course.choose":
            yield from _right_option(node)
        if isinstance(node, ast.keyword) and node.arg == "why":
            yield from _plain(node.value)


def _right_option(call: ast.Call) -> Iterator[str]:
    """Yield the right one of several options, and what is said of it."""
    match call.args:
        case [_, ast.Dict(keys, values), ast.Constant(str() as right), *_]:
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and key.value == right:
                    yield " ".join([f"**{right}**.", *_plain(value)])


def _plain(value: ast.expr) -> Iterator[str]:
    """Yield a text that holds no expressions, as Markdown."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        yield re.sub(r"([*_<`])", r"\\\1", value.value).replace("\n", "  \n")


def slides_page(path: str | Path, reveal: str | Path | None = None) -> str:
    """Return the slides of a notebook as a page.

    Parameters
    ----------
    path
        The notebook, which was run and saved.
    reveal
        A folder with the package reveal.js: the page then holds all it needs. Without it, a browser
        gets reveal.js from the network.

    Raises
    ------
    MissingExtraError
        When nbconvert is not installed.
    AidgeError
        For a file that is no notebook, or a folder without reveal.js.
    """
    try:
        import nbformat
        from nbconvert.exporters import SlidesExporter
        from traitlets.config import Config
    except ImportError:
        raise MissingExtraError("nbconvert", "lab") from None
    path = Path(path)
    with reading(str(path), expected="a notebook"):
        notebook = json.loads(path.read_text("utf-8"))
    check_form(notebook, dict[str, Any], str(path))
    make: Any = SlidesExporter
    exporter = make(
        reveal_theme="white",
        reveal_transition="none",
        reveal_number="c/t",
        reveal_width=str(WIDTH),
        reveal_height=str(HEIGHT),
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        config=Config(TagRemovePreprocessor={"enabled": True, "remove_input_tags": {NO_CODE}}),
    )
    read: Any = nbformat.reads
    prepared = read(json.dumps(as_slides(notebook)), as_version=4)
    page, _ = exporter.from_notebook_node(prepared, {"metadata": {"name": path.stem}})
    page = _described(page, prepared)
    if reveal is not None:
        page = _embedded(page, Path(reveal))
    return str(page).replace("</main>", f"</main>{_DRESS}", 1)


def _described(page: str, notebook: dict[str, Any]) -> str:
    """Describe each picture by its text, which nbconvert leaves out."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    shown = [output["data"] for output in outputs if "image/svg+xml" in output.get("data", {})]
    texts = iter([html_text(data.get("text/plain", "picture")) for data in shown])
    return re.sub(
        r'<img alt="[^"]*"(?= src="data:image/svg\+xml)',
        lambda found: f'<img alt="{next(texts, "picture")}"',
        page,
    )


def _embedded(page: str, reveal: Path) -> str:
    """Put reveal.js into a page, in the place of all that it would load."""
    try:
        reset, theme, script, notes = ((reveal / name).read_text("utf-8") for name in EMBEDDED)
    except OSError as error:
        cure = "Get it with: npm pack reveal.js"
        raise AidgeError.at(str(reveal), f"holds no reveal.js ({error})", cure=cure) from None
    page = re.sub(r'<link[^>]* rel="stylesheet"[^>]*>', "", page)
    page = re.sub(r'<script[^>]* src="[^"]*"[^>]*>\s*</script>', "", page)
    page = re.sub(r'<script type="module">\s*import mermaid.*?</script>', "", page, flags=re.DOTALL)
    page = re.sub(r'<script type="text/x-mathjax-config">.*?</script>', "", page, flags=re.DOTALL)
    theme = re.sub(r"@import[^;]*;", "", theme)
    head = f"<style>{reset}</style><style>{theme}</style>"
    scripts = "".join(f"<script>{text}</script>" for text in (script, notes))
    head, body = page.split("</head>", 1)[0] + head, page.split("</head>", 1)[1]
    return f"{head}</head>{body}".replace("</main>", f"{scripts}{_OFFLINE}</main>", 1)
