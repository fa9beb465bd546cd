"""The tasks of the course: 36 in nine units, each drawn from a seed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aidge_nb.core.errors import AidgeError
from aidge_nb.course.tasks import (
    amounts,
    layouts,
    machines,
    orders,
    programs,
    queries,
    steps,
    stripes,
    training,
)
from aidge_nb.course.tasks.base import CourseTask, TaskForm, draw_task

UNITS = (steps, amounts, orders, layouts, queries, stripes, machines, programs, training)

TASKS: Mapping[str, TaskForm] = MappingProxyType(
    {number: form for unit in UNITS for number, form in unit.TASKS.items()}
)
"""Title and generator of each task, by number."""


def task(number: str, seed: int | str = 0) -> CourseTask:
    """Draw a task of the course; the same seed gives the same task everywhere.

    Parameters
    ----------
    number
        Unit and number in it, as in ``"2.3"``; see ``course.TASKS``.
    seed
        A number, or a text such as the name of a student.

    Raises
    ------
    AidgeError
        For a number that is not in the table.

    Examples
    --------
    >>> drawn = task("4.3", seed=0)
    >>> drawn.check(drawn.mistakes[0].answer)
    Not yet (92 %): The blocks fit in 12 bytes.
    Hint: That is first fit. Which lives longest? It first.
    >>> drawn.solution().reason
    '11 bytes: proven to be the least.'
    """
    if number not in TASKS:
        expected = f"one of {', '.join(TASKS)}"
        raise AidgeError.at("course.task", "unknown task", expected=expected, found=repr(number))
    return draw_task(number, TASKS[number], seed)
