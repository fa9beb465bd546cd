"""Slides: which cell goes on which, what of the code is shown, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aidge_nb.cli import main
from aidge_nb.core.errors import AidgeError
from aidge_nb.course.slides import MOST_LINES, NO_CODE, as_slides, slides_page
from tests.browser.hosts import write_notebook

NOTEBOOK = Path(__file__).resolve().parents[2] / "notebooks" / "09_training.ipynb"
PICTURE = {
    "data": {"image/svg+xml": '<svg width="600" height="90">'},
    "output_type": "display_data",
}


def text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code(source: str, *outputs: dict[str, Any], folded: bool = False) -> dict[str, Any]:
    metadata = {"jupyter": {"source_hidden": True}} if folded else {}
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": [*outputs]}


def printed(lines: int) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": "line\n" * lines}


def kinds(*cells: dict[str, Any]) -> list[str]:
    made = as_slides({"cells": list(cells)})["cells"]
    return [cell["metadata"]["slideshow"]["slide_type"] for cell in made]


def test_a_heading_begins_a_slide_and_answers_come_later() -> None:
    question = code("course.number('How many?', 3, why='1 + 2 = 3.')", PICTURE, folded=True)
    talk = [text("# Title"), code("import numpy"), text("## Part"), question, text("**Slack**: …")]
    assert kinds(*talk) == ["slide", "skip", "slide", "-", "fragment", "fragment"]
    made = as_slides({"cells": talk})["cells"]
    assert made[4]["source"] == "1 + 2 = 3."
    assert made[3]["metadata"]["tags"] == [NO_CODE]
    assert "slideshow" not in question["metadata"], "what is given stays as it is"


def test_each_question_has_a_slide_and_so_has_what_leads_to_it() -> None:
    question = code("show()", PICTURE)
    talk = [text("# Title"), question, question, text("And the other?"), question]
    assert kinds(*talk) == ["slide", "-", "subslide", "subslide", "-"]


def test_what_does_not_fit_any_more_goes_on_the_next_slide() -> None:
    assert kinds(text("# Title"), *[text("word " * 100)] * 3) == ["slide", "-", "-", "subslide"]
    made = as_slides({"cells": [text("# Title"), code("f()", printed(60))]})["cells"]
    assert made[1]["outputs"][0]["text"].count("\n") == MOST_LINES - 1
    assert made[1]["outputs"][0]["text"].endswith("… 45 more lines")


def test_the_right_option_is_told() -> None:
    chosen = code("course.choose('Who?', {'a': 'No.', 'b': 'It has *all*.'}, 'b')", PICTURE)
    made = as_slides({"cells": [text("# Title"), chosen]})["cells"]
    assert made[2]["source"] == r"**b**. It has \*all\*."


def test_short_code_that_is_not_folded_is_shown() -> None:
    cells = [code("f()", PICTURE), code("f()\n" * 9, PICTURE), code("%magic", PICTURE)]
    made = as_slides({"cells": [text("# Title"), *cells]})["cells"]
    assert [NO_CODE in cell["metadata"].get("tags", ()) for cell in made[1:]] == [
        False,
        True,
        False,
    ]


def test_what_is_for_those_at_a_notebook_is_left_out() -> None:
    title = text("# Title\n\nBegin with **Run > Run All Cells**, then answer.\n\nMore.")
    assert as_slides({"cells": [title]})["cells"][0]["source"] == "# Title\n\nMore."


def test_a_page_with_reveal_js_inside_asks_for_nothing(tmp_path: Path) -> None:
    pytest.importorskip("nbconvert")
    for name, content in {
        "dist/reveal.css": "a{}",
        "dist/theme/white.css": "@import url(https://fonts.example);b{}",
        "dist/reveal.js": "/* reveal */",
        "plugin/notes/notes.js": "/* notes */",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, "utf-8")
    page = slides_page(NOTEBOOK, tmp_path)
    for wanted in ("/* reveal */", "/* notes */", "<style>a{}</style>", "</main>"):
        assert wanted in page
    for unwanted in ('src="http', 'href="http', "fonts.example", "import mermaid"):
        assert unwanted not in page.split("<main>")[0]
    assert 'alt="By how much does the loss grow' in page
    assert "unpkg.com/reveal.js" in slides_page(NOTEBOOK)


def test_what_cannot_be_made_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("nbconvert")
    with pytest.raises(AidgeError, match=r"holds no reveal\.js"):
        slides_page(NOTEBOOK, tmp_path)
    (tmp_path / "no.ipynb").write_text("{", "utf-8")
    assert main(["course", "slides", str(tmp_path / "no.ipynb"), "-o", str(tmp_path / "out")]) == 2
    assert "no.ipynb" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_command_writes_a_page_for_each_notebook(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("nbconvert")
    write_notebook(tmp_path / "mine.ipynb", "1 + 1")
    assert main(["course", "slides", str(tmp_path / "mine.ipynb"), "-o", str(tmp_path)]) == 0
    assert "mine.html" in capsys.readouterr().out
    assert 'class="reveal"' in (tmp_path / "mine.html").read_text("utf-8")
