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

TASKS: Mapping[str, TaskForm] = MappingProxyType(
    {
        "1.1": TaskForm("Fork", steps.fork_steps),
        "1.2": TaskForm("Three branches", steps.most_slack),
        "1.3": TaskForm("Two ends", steps.two_ends),
        "1.4": TaskForm("Make it fit", steps.make_it_fit),
        "2.1": TaskForm("Fire by hand", amounts.fire_by_hand),
        "2.2": TaskForm("Balance", amounts.balance),
        "2.3": TaskForm("Fold it", amounts.fold_it),
        "2.4": TaskForm("Period", amounts.period),
        "3.1": TaskForm("Valid order", orders.valid_order),
        "3.2": TaskForm("Live bytes", orders.live_bytes),
        "3.3": TaskForm("Which first", orders.which_first),
        "3.4": TaskForm("Best order", orders.best_order),
        "4.1": TaskForm("Live ranges", layouts.live_ranges),
        "4.2": TaskForm("The bound", layouts.the_bound),
        "4.3": TaskForm("Place", layouts.place),
        "4.4": TaskForm("No luck", layouts.no_luck),
        "5.1": TaskForm("Pairs", queries.pairs),
        "5.2": TaskForm("One reader", queries.one_reader),
        "5.3": TaskForm("Diamond", queries.find_diamond),
        "5.4": TaskForm("What it saves", queries.what_it_saves),
        "6.1": TaskForm("Halo", stripes.halo),
        "6.2": TaskForm("Chain", stripes.chain),
        "6.3": TaskForm("The price", stripes.price),
        "6.4": TaskForm("Fit it", stripes.fit_it),
        "7.1": TaskForm("Ideal cycles", machines.ideal_cycles),
        "7.2": TaskForm("Bound by", machines.bound_by),
        "7.3": TaskForm("Who does what", machines.who_does_what),
        "7.4": TaskForm("Two memories", machines.two_memories),
        "8.1": TaskForm("Address", programs.address),
        "8.2": TaskForm("Which bits", programs.which_bits),
        "8.3": TaskForm("Find the fault", programs.find_fault),
        "8.4": TaskForm("Own kernel", programs.own_kernel),
        "9.1": TaskForm("Kept", training.kept),
        "9.2": TaskForm("Deep", training.deep),
        "9.3": TaskForm("One number", training.one_number),
        "9.4": TaskForm("Where to convert", training.where_to_convert),
    }
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
