"""Write tasks as a notebook in nbgrader's format: answers, feedback, and cells that grade.

The tasks are drawn from the name that the student writes into the first cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aidge_nb.core.errors import AidgeError
from aidge_nb.course.tasks import TASKS, task

TEACHER = "Teacher"
"""The name from which the tasks of the source are drawn."""


def assignment(numbers: Sequence[str], points: int = 1) -> dict[str, Any]:
    """Return a notebook of tasks, with solutions, as JSON.

    Parameters
    ----------
    numbers
        Numbers of the tasks.
    points
        Points of each; an answer that is right in part gets its share.

    Raises
    ------
    AidgeError
        For an unknown task, or none.

    Examples
    --------
    >>> notebook = assignment(["1.3", "2.4"])
    >>> len(notebook["cells"])
    12
    """
    if not numbers:
        raise AidgeError.at("assignment", "there are no tasks", cure="Name some, such as 1.1.")
    cells = [
        _text("title", "# Tasks\n\nYour tasks are drawn from your name: write it into the cell."),
        _code("name-answer", _solution(repr(TEACHER)), solution=True),
        _code(
            "name",
            "from aidge_nb import course\n\nname = answer or 'nobody'\n"
            "tasks = course.ResultSheet(name)\nprint(f'Tasks of {tasks.name}')",
        ),
    ]
    for number in numbers:
        drawn = task(number, f"{TEACHER}/")
        drawn.check(drawn.mistakes[0].answer)
        name = f"task-{number.replace('.', '-')}"
        asked = f"task = tasks.task({number!r})\n"
        graded = f"round({points} * tasks.task({number!r}).check(answer).score, 2)"
        hidden = f"### BEGIN HIDDEN TESTS\n{graded}\n### END HIDDEN TESTS"
        cells += [
            _code(name, f"{asked}print(task.table())"),
            _code(f"{name}-answer", _solution(repr(drawn.solution().value)), solution=True),
            _code(f"{name}-grade", hidden, points=points),
        ]
        cells.insert(-1, _code(f"{name}-check", f"tasks.task({number!r}).check(answer)"))
    cells.append(_text("end", "`task.hint(1)` to `task.hint(3)` help in steps."))
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def known(numbers: Sequence[str]) -> list[str]:
    """Return numbers of tasks; those of a unit are named by its number alone.

    Parameters
    ----------
    numbers
        As in ``["1", "2.3"]``.

    Raises
    ------
    AidgeError
        For an unknown one.

    Examples
    --------
    >>> known(["1", "2.3"])
    ['1.1', '1.2', '1.3', '1.4', '2.3']
    """
    found = []
    for number in numbers:
        those = [each for each in TASKS if each == number or each.startswith(f"{number}.")]
        if not those:
            raise AidgeError.at("tasks", "unknown task", found=repr(number))
        found += those
    return list(dict.fromkeys(found))


def _solution(value: str) -> str:
    return f"### BEGIN SOLUTION\nanswer = {value}\n### END SOLUTION"


def _text(name: str, source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": source}


def _code(name: str, source: str, *, solution: bool = False, points: int = 0) -> dict[str, Any]:
    mark: dict[str, Any] = {
        "grade": points > 0,
        "grade_id": name,
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    if points:
        mark["points"] = points
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": name,
        "metadata": {"nbgrader": mark},
        "outputs": [],
        "source": source,
    }
