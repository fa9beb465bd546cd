"""Every exercise with a widget, in a real browser: a wrong, a half right and the right answer.

Those of the tutorials, and all tasks of the course. What a reader does with pointer and keys is in
`test_answers.py`, for each kind of question.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from aidge_nb import course
from aidge_nb.course import PlacingQuestion
from tests.course.questions_of import (
    ASKING,
    ON_SLIDERS,
    asked_of,
    half_right_answers,
    wrong_answers,
)
from tests.widgets.browser.desk import Desk
from tests.widgets.browser.test_board import drive

SEED = 1
QUICK = ("1.1", "4.3", "6.2")


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKING)
def test_each_question_of_the_tutorials(browser: Browser, name: str) -> None:
    questions, boards = asked_of(name)
    for asked in questions:
        if not isinstance(asked, ON_SLIDERS):  # its widgets are JupyterLab's: tests/browser
            others = [*wrong_answers(asked)[:1], *half_right_answers(asked)]
            Desk(browser, asked).drive(others)
    for board in boards:
        drive(browser, board)


@pytest.mark.parametrize(
    "number",
    [
        number if number in QUICK else pytest.param(number, marks=pytest.mark.slow)
        for number in course.TASKS
    ],
)
def test_each_task_of_the_course(browser: Browser, number: str) -> None:
    task = course.task(number, SEED)
    if isinstance(task._asked, PlacingQuestion):
        drive(browser, task._asked.exercise)
        return
    wrong = [mistake.answer for mistake in task.mistakes]
    Desk(browser, task).drive([*wrong, *half_right_answers(task._asked)])
