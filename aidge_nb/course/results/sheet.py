"""Result sheet: the tasks of one student, and the file that holds the answers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from aidge_nb.core.errors import AidgeError
from aidge_nb.course.results.keys import plain_name, signature_of
from aidge_nb.course.tasks import TASKS, task
from aidge_nb.course.tasks.base import CourseTask

FORMAT = "aidge_nb course result"
VERSION = 1


class ResultSheet:
    """The tasks of one student; :meth:`save` writes the answers to a file.

    Parameters
    ----------
    name
        The student's name. All tasks are drawn from name and ticket.
    ticket
        The ticket that the teacher gave for this name; empty for practice, whose file is not
        signed.

    Examples
    --------
    >>> sheet = ResultSheet("Ada Lovelace", "0123456789abcdef0123")
    >>> sheet.task("1.3").check("0 0").correct
    False
    >>> sheet
    ResultSheet(Ada Lovelace: 1 task, 1 tried, 0 solved)
    """

    def __init__(self, name: str, ticket: str = "") -> None:
        self.name = plain_name(name)
        if not self.name:
            raise AidgeError.at("name", "is empty", cure="Write your name.")
        self._ticket = ticket.strip().lower()
        self._tasks: dict[str, CourseTask] = {}

    def task(self, number: str) -> CourseTask:
        """Return a task; the same one each time.

        Parameters
        ----------
        number
            Its number, as in ``"2.3"``.
        """
        if number not in self._tasks:
            self._tasks[number] = task(number, seed_of(self.name, self._ticket))
        return self._tasks[number]

    def tasks(self, numbers: Iterable[str] = tuple(TASKS)) -> list[CourseTask]:
        """Return several tasks; by default all.

        Parameters
        ----------
        numbers
            Their numbers.
        """
        return [self.task(number) for number in numbers]

    def to_dict(self) -> dict[str, Any]:
        """Return the answers as JSON, signed with the ticket."""
        answers = [
            {
                "task": number,
                "answer": plain_answer(each.best_answer),
                "tries": each.tries,
                "opened": each.opened,
                "ideas": each.ideas,
            }
            for number, each in sorted(self._tasks.items())
            if each.tries
        ]
        result = {"format": FORMAT, "version": VERSION, "name": self.name, "answers": answers}
        if self._ticket:
            result["signature"] = signature_of(self._ticket, result)
        return result

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the result file; hand this one in.

        Parameters
        ----------
        path
            The file, as in ``"ada.json"``.
        """
        target = Path(path)
        target.write_text(json.dumps(self.to_dict(), indent=1, ensure_ascii=True) + "\n", "utf-8")
        return target

    def __repr__(self) -> str:
        count, tried = len(self._tasks), sum(each.tries > 0 for each in self._tasks.values())
        solved = sum(each.best == 1 for each in self._tasks.values())
        tasks = f"{count} task{'s' * (count != 1)}"
        return f"ResultSheet({self.name}: {tasks}, {tried} tried, {solved} solved)"


def seed_of(name: str, ticket: str) -> str:
    """Return the seed of all tasks of a student.

    Parameters
    ----------
    name, ticket
        Those of the student.
    """
    return f"{plain_name(name)}/{ticket}"


def plain_answer(answer: Any) -> Any:
    """Return an answer as JSON has it.

    Parameters
    ----------
    answer
        Numbers, texts, and lists, sets or dictionaries of them; what is something else becomes
        text.
    """
    if isinstance(answer, dict):
        return {str(name): plain_answer(value) for name, value in answer.items()}
    if isinstance(answer, list | tuple | set | frozenset):
        parts = sorted(answer, key=str) if isinstance(answer, set | frozenset) else answer
        return [plain_answer(value) for value in parts]
    if isinstance(answer, np.generic):
        return answer.item()
    return answer if isinstance(answer, int | float | str | None) else str(answer)
