"""The notebooks of the course: what students get is made from what teachers have, and runs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from aidge_nb.course.release import STUB, main, release

COURSE = Path(__file__).resolve().parents[2] / "notebooks" / "course"
SOURCES = sorted((COURSE / "source").rglob("*.ipynb"))
NAMES = [path.stem for path in SOURCES]


def code(notebook: dict[str, Any]) -> str:
    return "\n".join(
        "".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"
    )


def test_there_is_an_exercise_of_each_kind() -> None:
    text = "".join(path.read_text("utf-8") for path in SOURCES)
    for name in ("PredictSteps", "WantedSchedule", "PlaceBlocks", "FindQuery", "ChooseTiles"):
        assert f"{name}(" in text


@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_the_release_is_made_from_the_source(source: Path) -> None:
    given = json.loads(source.read_text("utf-8"))
    target = COURSE / "release" / source.relative_to(COURSE / "source")
    found = json.loads(target.read_text("utf-8"))
    assert found == release(given), "python -m aidge_nb.course.release source release"
    assert STUB in code(found)
    for mark in ("SOLUTION", "HIDDEN TESTS"):
        assert mark in code(given)
        assert mark not in code(found)


@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_cells_are_marked_as_nbgrader_wants_them(source: Path) -> None:
    cells = json.loads(source.read_text("utf-8"))["cells"]
    marks = [cell["metadata"]["nbgrader"] for cell in cells if "nbgrader" in cell["metadata"]]
    assert len({mark["grade_id"] for mark in marks}) == len(marks)
    assert all(mark["schema_version"] == 3 for mark in marks)
    assert any(mark["solution"] for mark in marks)
    assert all(mark["points"] > 0 for mark in marks if mark["grade"])
    for cell in cells:
        if "BEGIN HIDDEN TESTS" in "".join(cell["source"]):
            assert cell["metadata"]["nbgrader"]["grade"]
        if "BEGIN SOLUTION" in "".join(cell["source"]):
            assert cell["metadata"]["nbgrader"]["solution"]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(COURSE / "source"), str(tmp_path)]) == 0
    for path in tmp_path.rglob("*.ipynb"):
        committed = COURSE / "release" / path.relative_to(tmp_path)
        assert path.read_bytes() == committed.read_bytes()
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_what_students_get_runs_and_asks_for_an_answer(source: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    path = COURSE / "release" / source.relative_to(COURSE / "source")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    answers = [
        output["data"]["text/plain"]
        for cell in notebook.cells
        if re.search(r"\.check\w*\(", cell.source)
        for output in cell.get("outputs", ())
        if "data" in output
    ]
    assert answers
    assert all("There is no answer yet" in text for text in answers)
