"""The 36 tasks: the right answer passes, the common wrong one gets its sentence, seeds agree."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from functools import cache

import pytest

from aidge_nb import course
from aidge_nb.core.errors import AidgeError
from aidge_nb.course.tasks.base import (
    MOST_TRIES,
    CourseTask,
    Drawing,
    TaskForm,
    chains_text,
    draw_task,
    seed_number,
)

SEEDS = range(20)
NUMBERS = tuple(course.TASKS)


ODD = ["", "?", 3.5, [], {}, "a b c", ["a", 1], {"a": "b"}, "1e400 2", 10**400, True, ["x" * 999]]
"""Answers of odd forms."""


@cache
def drawn(number: str) -> tuple[CourseTask, ...]:
    return tuple(course.task(number, seed) for seed in SEEDS)


def test_there_are_36_tasks_in_nine_units() -> None:
    assert tuple(f"{unit}.{place}" for unit in range(1, 10) for place in range(1, 5)) == NUMBERS
    titles = [form.title for form in course.TASKS.values()]
    assert len(set(titles)) == 36


@pytest.mark.parametrize("number", NUMBERS)
def test_the_right_answer_passes(number: str) -> None:
    for task in drawn(number):
        assert task.solution().value is None or task.tries, "it opens after a try"
        task.check(task.mistakes[0].answer)
        solution = task.solution()
        feedback = task.check(solution.value)
        assert feedback.correct, (task.seed, solution, feedback)
        assert solution.reason, task.seed
        assert task.check(solution.value).reason == solution.reason


@pytest.mark.parametrize("number", NUMBERS)
def test_the_common_wrong_answer_gets_its_sentence(number: str) -> None:
    for task in drawn(number):
        assert task.mistakes
        for mistake in task.mistakes:
            feedback = task.check(mistake.answer)
            assert not feedback.correct, (task.seed, mistake)
            assert feedback.score < 1
            assert (feedback.hint, feedback.idea) == (mistake.says, mistake.idea), task.seed


@pytest.mark.parametrize("number", NUMBERS)
def test_hints_come_in_three_steps_and_the_text_is_enough(number: str) -> None:
    for task in drawn(number):
        assert len(set(task.hints)) == 3, task.seed
        assert all(hint[-1] in ".?…" for hint in task.hints), task.hints
        assert task.text in task.table()
        assert f".check({task.form})" in task.table()
        assert task.text[-1] in ".?"
        assert not {"right", "value"} & task.config.keys()


@pytest.mark.parametrize("number", NUMBERS)
def test_seeds_give_different_tasks(number: str) -> None:
    texts = {task.text for task in drawn(number)}
    assert len(texts) >= 6, f"{len(texts)} of {len(SEEDS)}"


def fingerprint() -> str:
    """Return a digest of all tasks of two seeds: texts, mistakes and hints."""
    digest = hashlib.sha256()
    for number in NUMBERS:
        for seed in (3, "Ada Lovelace"):
            task = course.task(number, seed)
            answers = sorted(repr(mistake) for mistake in task.mistakes)
            digest.update(repr((task.text, task.hints, answers)).encode())
    return digest.hexdigest()


def test_the_same_seed_gives_the_same_task_in_every_process() -> None:
    code = "from tests.course.test_tasks import fingerprint; print(fingerprint())"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": salt},
        ).stdout
        for salt in ("1", "2")
    }
    assert found == {f"{fingerprint()}\n"}


def test_seeds_are_numbers_or_names() -> None:
    assert course.task("1.1", "7").text == course.task("1.1", 7).text
    assert course.task("1.1", " Ada ").text == course.task("1.1", "Ada").text
    assert seed_number("Ada") != seed_number("Bob")


def test_an_unknown_task_is_refused_with_the_list() -> None:
    with pytest.raises(AidgeError, match=r"unknown task .*1\.1, 1\.2.*'7\.9'"):
        course.task("7.9")


def test_a_filter_that_never_holds_is_reported_after_a_thousand_tries() -> None:
    tried: list[int] = []

    def never(seed: int) -> Drawing | None:
        tried.append(seed)
        return None

    with pytest.raises(AidgeError, match="no problem passes its filter in 1,000 tries"):
        draw_task("0.0", TaskForm("Never", never), 3)
    assert len(set(tried)) == MOST_TRIES
    assert tried[0] == 3


def test_answers_are_taken_in_any_writing() -> None:
    task = course.task("1.3", 0)
    task.check("0 0")
    right = task.solution().value
    first, second = right.values()
    for answer in (right, [first, second], f"{first} {second}", f"{first}, {second}"):
        assert task.check(answer).correct
    named = " ".join(f"{name}: {value}" for name, value in right.items())
    assert task.check(named).correct, "names hold digits, too"
    assert "has not the form" in task.check("1").text
    assert "has not the form" in task.check([True, "x"]).text


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("answer", ODD)
def test_no_answer_breaks_a_task(number: str, answer: object) -> None:
    feedback = drawn(number)[0].check(answer)
    assert feedback.text


def test_every_task_has_a_widget() -> None:
    pytest.importorskip("anywidget")
    from aidge_nb.widgets.live.answers import AnswerSheet
    from aidge_nb.widgets.live.blocks import BlockBoard

    for number in NUMBERS:
        task = drawn(number)[1]
        widget = task.widget()
        assert isinstance(widget, BlockBoard if number == "4.3" else AnswerSheet)
        assert widget._repr_mimebundle_()
    board = course.task("4.3", 0).widget()
    assert isinstance(board, BlockBoard)
    board.offsets = dict(course.task("4.3", 0).mistakes[0].answer)
    assert board.check().hint == "That is first fit. Which lives longest? It first."


def test_chains_name_each_edge_once() -> None:
    text = chains_text(course.graphs.shared_slack())
    assert text == (
        "join → end; split → long_1 → long_2 → long_3 → join; split → short_1 → short_2 → join"
    )
