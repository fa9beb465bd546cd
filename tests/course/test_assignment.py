"""Assignments in nbgrader's format: made by the command, released, and graded by nbgrader."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from aidge_nb.cli import main
from aidge_nb.core.errors import AidgeError
from aidge_nb.course import ResultSheet
from aidge_nb.course.release import STUB, release
from aidge_nb.course.results.assignment import assignment, known
from tests.browser.lite_parts import PartMissingError, builder

TASKS = ["1.3", "2.4", "4.3", "5.1"]
ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "notebooks" / "course" / "nbgrader_config.py"


def run_cells(notebook: dict[str, Any]) -> dict[str, Any]:
    """Run the code of a notebook; return its names."""
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    return names


def test_the_source_solves_itself() -> None:
    names = run_cells(assignment(TASKS))
    assert [names["tasks"].task(number).best for number in TASKS] == [1.0] * len(TASKS)


def test_the_release_holds_no_solution() -> None:
    notebook = assignment(TASKS)
    released = release(notebook)
    text = "".join("".join(cell["source"]) for cell in released["cells"])
    assert text.count(STUB) == 1 + len(TASKS)
    assert "SOLUTION" not in text
    assert "HIDDEN" not in text
    names = run_cells(released)
    assert names["tasks"].task("1.3").tries == 0


def test_marks_are_those_of_nbgrader() -> None:
    marks = [
        cell["metadata"]["nbgrader"]
        for cell in assignment(TASKS, points=3)["cells"]
        if cell["cell_type"] == "code"
    ]
    assert len({mark["grade_id"] for mark in marks}) == len(marks)
    assert sum(mark.get("points", 0) for mark in marks) == 3 * len(TASKS)
    assert all(mark["locked"] != mark["solution"] for mark in marks)


def test_units_and_tasks_are_named() -> None:
    assert known(["2", "1.1", "2.1"]) == ["2.1", "2.2", "2.3", "2.4", "1.1"]
    with pytest.raises(AidgeError, match="unknown task"):
        known(["10"])
    with pytest.raises(AidgeError, match="there are no tasks"):
        assignment([])


def test_the_command_writes_a_notebook(tmp_path: Path) -> None:
    path = tmp_path / "tasks.ipynb"
    assert main(["course", "assignment", *TASKS, "--points", "2", "-o", str(path)]) == 0
    assert json.loads(path.read_text("utf-8")) == assignment(TASKS, 2)


def answered(notebook: dict[str, Any], name: str, *, wrong: str) -> dict[str, Any]:
    """Fill in a released notebook as a student would: one task wrongly."""
    sheet = ResultSheet(name)
    answers = {"name-answer": name}
    for number in TASKS:
        task = sheet.task(number)
        right = task._solve().value
        value = task.mistakes[0].answer if number == wrong else right
        answers[f"task-{number.replace('.', '-')}-answer"] = value
    for cell in notebook["cells"]:
        mark = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if mark in answers:
            cell["source"] = f"answer = {answers[mark]!r}"
    return notebook


SCORES = """
import json, sys
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    found = {each: book.find_submission("tasks", each).score for each in sys.argv[1:]}
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def nbgrader_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an environment with nbgrader: it wants versions of Jupyter that we do not prescribe."""
    try:
        return builder(tmp_path_factory.mktemp("nbgrader"), "nbgrader")
    except PartMissingError as error:
        pytest.skip(f"nbgrader cannot be installed here: {error}")


@pytest.mark.slow
def test_nbgrader_grades_it(nbgrader_python: Path, tmp_path: Path) -> None:
    path = f"{nbgrader_python.parent}{os.pathsep}{os.environ['PATH']}"
    variables = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}

    def python(*words: str) -> str:
        command = [str(nbgrader_python), *words]
        ran = subprocess.run(
            command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    shutil.copy(CONFIG, tmp_path)
    source = tmp_path / "source" / "tasks"
    source.mkdir(parents=True)
    (source / "tasks.ipynb").write_text(json.dumps(assignment(TASKS, 2)), "utf-8")
    python("-m", "nbgrader", "generate_assignment", "tasks")
    released = json.loads((tmp_path / "release" / "tasks" / "tasks.ipynb").read_text("utf-8"))
    ours, theirs = (
        ["".join(cell["source"]) for cell in made["cells"]]
        for made in (release(assignment(TASKS, 2)), released)
    )
    assert theirs == ours, "students get the same from nbgrader and without it"
    students = {"ada": "4.3", "bob": ""}
    for student, wrong in students.items():
        folder = tmp_path / "submitted" / student / "tasks"
        folder.mkdir(parents=True)
        given = answered(json.loads(json.dumps(released)), student.title(), wrong=wrong)
        (folder / "tasks.ipynb").write_text(json.dumps(given), "utf-8")
    python("-m", "nbgrader", "autograde", "tasks")
    scores = json.loads(python("-c", SCORES, *students))
    sheet = ResultSheet("Ada")
    task = sheet.task("4.3")
    part = round(2 * task.check(task.mistakes[0].answer).score, 2)
    assert 0 < part < 2
    assert scores == {"ada": pytest.approx(6 + part), "bob": 8}
