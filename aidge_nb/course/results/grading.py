"""Check result files with a teacher's key, and write them as CSV.

Scores in a file do not count: each task is drawn again from name and ticket, and the answer is
checked by the library.
"""

from __future__ import annotations

import hmac
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aidge_nb.core.errors import AidgeError, reading
from aidge_nb.core.forms import check_form
from aidge_nb.core.text import csv_text
from aidge_nb.course.results.keys import plain_name, signature_of, ticket_of
from aidge_nb.course.results.sheet import FORMAT, VERSION, seed_of
from aidge_nb.course.tasks import TASKS, task

LARGEST = 1_000_000
"""Bytes of a result file; larger ones are refused."""

_FORM = {
    "format": str,
    "version": int,
    "name": str,
    "signature?": str,
    "answers": list[dict[str, Any]],
}
_ANSWER = {
    "task": str,
    "answer": object,
    "tries": int,
    "opened": bool,
    "ideas": list[str],
}


@dataclass(frozen=True, slots=True)
class CheckedResult:
    """A result file as it was checked.

    Attributes
    ----------
    file, name
        The file, and the student's name in it.
    status
        ``ok``, or what is wrong; scores count only where it is ``ok``.
    scores
        Between 0 and 1, by number of the task.
    tries
        By number of the task, as the file tells them.
    opened
        Tasks whose solution had been opened before they were solved, as the file tells it.
    ideas
        How often each misconception was met, as the file tells it.
    """

    file: str
    name: str
    status: str
    scores: dict[str, float] = field(default_factory=dict)
    tries: dict[str, int] = field(default_factory=dict)
    opened: tuple[str, ...] = ()
    ideas: Counter[str] = field(default_factory=Counter)


def check_result(path: str | Path, key: bytes) -> CheckedResult:
    """Check a result file.

    Parameters
    ----------
    path
        The file.
    key
        The teacher's key.
    """
    where = Path(path).name
    try:
        given = _read(Path(path))
    except (AidgeError, OSError) as error:
        return CheckedResult(where, "", f"cannot be read: {error}")
    name = plain_name(given["name"])
    ticket = ticket_of(key, name)
    wanted = signature_of(ticket, given)
    if "signature" not in given:
        return CheckedResult(where, name, "not signed")
    if not hmac.compare_digest(wanted.encode(), given["signature"].encode()):
        return CheckedResult(where, name, "signature does not fit name and key")
    seed = seed_of(name, ticket)
    answers = given["answers"]
    return CheckedResult(
        where,
        name,
        "ok",
        {each["task"]: task(each["task"], seed).check(each["answer"]).score for each in answers},
        {each["task"]: each["tries"] for each in answers},
        tuple(each["task"] for each in answers if each["opened"]),
        Counter(f"{each['task']} {idea}" for each in answers for idea in each["ideas"]),
    )


def _read(path: Path) -> dict[str, Any]:
    if path.stat().st_size > LARGEST:
        raise AidgeError.at(path.name, f"is larger than {LARGEST:,} bytes")
    with reading(path.name, expected="a result file"):
        given: dict[str, Any] = json.loads(path.read_text("utf-8"))
    check_form(given, _FORM, path.name)
    if (given["format"], given["version"]) != (FORMAT, VERSION):
        raise AidgeError.at(path.name, "is not a result file of this version")
    for number, each in enumerate(given["answers"]):
        check_form(each, _ANSWER, f"{path.name}, answer {number + 1}")
        if each["task"] not in TASKS:
            raise AidgeError.at(path.name, "unknown task", found=repr(each["task"]))
    return given


def mark_repeated(results: Iterable[CheckedResult]) -> list[str]:
    """Return names for which there is more than one file.

    Parameters
    ----------
    results
        What was checked.
    """
    names = Counter(each.name for each in results if each.name)
    return [name for name, count in names.items() if count > 1]


def results_csv(results: Sequence[CheckedResult], numbers: Sequence[str] = ()) -> str:
    """Write a line for each file: name, status, points, and the score of each task.

    Parameters
    ----------
    results
        What was checked.
    numbers
        The tasks that count; by default all that were tried by anybody.
    """
    tried = {number for each in results for number in each.scores}
    columns = list(numbers) or [number for number in TASKS if number in tried]
    rows: list[list[object]] = [["name", "file", "status", "points", "opened", *columns]]
    for each in sorted(results, key=lambda each: (each.name, each.file)):
        scores = [each.scores.get(number, 0.0) for number in columns]
        points = round(sum(scores), 2)
        shown = [round(score, 2) for score in scores]
        rows.append([each.name, each.file, each.status, points, " ".join(each.opened), *shown])
    return csv_text(rows)


def ideas_csv(results: Iterable[CheckedResult]) -> str:
    """Write how often each misconception was met, the most frequent first.

    Parameters
    ----------
    results
        What was checked.
    """
    total: Counter[str] = Counter()
    for each in results:
        total.update(each.ideas)
    rows: list[tuple[object, ...]] = [("task", "idea", "times")]
    rows += [(*idea.split(" ", 1), times) for idea, times in total.most_common()]
    return csv_text(rows)
