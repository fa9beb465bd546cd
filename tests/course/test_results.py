"""Result files: the teacher's command accepts what a ticket signed, checks answers, writes CSV."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from aidge_nb.cli import main
from aidge_nb.core.errors import AidgeError
from aidge_nb.course import TASKS, ResultSheet
from aidge_nb.course.results.grading import LARGEST, check_result
from aidge_nb.course.results.keys import make_key, read_key, signature_of, ticket_of

NUMBERS = ("1.3", "2.4", "4.3")


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "key.txt"
    make_key(path)
    return path


def solved(name: str, key: bytes, *, wrong: tuple[str, ...] = ()) -> ResultSheet:
    """Answer the tasks of a student: those listed wrongly, the others first wrongly, then right."""
    sheet = ResultSheet(name, ticket_of(key, name))
    for number in NUMBERS:
        task = sheet.task(number)
        task.check(task.mistakes[0].answer)
        if number not in wrong:
            task.check(task._solve().value)
    return sheet


def points(text: str) -> dict[str, dict[str, str]]:
    return {row["file"]: row for row in csv.DictReader(io.StringIO(text))}


def test_results_become_csv(
    key_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = read_key(key_file)
    ada, bob = solved("Ada Lovelace", key), solved("Bob", key, wrong=("1.3", "2.4"))
    files = [str(ada.save(tmp_path / "ada.json")), str(bob.save(tmp_path / "bob.json"))]
    assert main(["course", "results", *files, "--key", str(key_file)]) == 0
    found = points(capsys.readouterr().out)
    assert found["ada.json"]["status"] == found["bob.json"]["status"] == "ok"
    assert [found["ada.json"][number] for number in NUMBERS] == ["1.0"] * 3
    assert found["ada.json"]["points"] == "3.0"
    assert float(found["bob.json"]["4.3"]) == 1.0
    assert float(found["bob.json"]["points"]) < 2.01
    output = tmp_path / "points.csv"
    ask = ["course", "results", *files, "--key", str(key_file), "--tasks", "4", "-o", str(output)]
    assert main(ask) == 0
    row = points(output.read_text("utf-8"))["ada.json"]
    assert (row["points"], row["4.1"], row["4.3"]) == ("1.0", "0.0", "1.0")


def test_misconceptions_are_counted(
    key_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = solved("Ada", read_key(key_file)).save(tmp_path / "ada.json")
    assert main(["course", "results", str(file), "--key", str(key_file), "--ideas"]) == 0
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert rows[0] == ["task", "idea", "times"]
    assert ["2.4", "off the cycle", "1"] in rows


def test_the_tasks_of_a_student_are_drawn_from_name_and_ticket(key_file: Path) -> None:
    key = read_key(key_file)
    ada = ResultSheet("Ada", ticket_of(key, "Ada"))
    assert ada.task("2.2") is ada.task("2.2")
    assert ada.task("2.2").text == ResultSheet(" Ada ", ticket_of(key, "Ada")).task("2.2").text
    others = {ResultSheet(name, ticket_of(key, name)).task("2.2").text for name in "bcdef"}
    assert len({ada.task("2.2").text, *others}) > 1
    assert [task.number for task in ada.tasks()] == list(TASKS)


FORGED: dict[str, Any] = {
    "another name": lambda given: {**given, "name": "Bob"},
    "an answer changed": lambda given: {**given, "answers": given["answers"][1:]},
    "a signature made up": lambda given: {**given, "signature": "0" * 64},
    "a signature of letters beyond ASCII": lambda given: {**given, "signature": "é" * 64},
    "of another key": lambda given: {
        **given,
        "signature": signature_of(ticket_of(b"another", given["name"]), given),
    },
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED.keys())
def test_what_a_ticket_did_not_sign_is_not_accepted(
    change: Any, key_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = json.loads(json.dumps(solved("Ada", read_key(key_file)).to_dict()))
    (tmp_path / "ada.json").write_text(json.dumps(change(given)), "utf-8")
    ask = ["course", "results", str(tmp_path / "ada.json"), "--key", str(key_file)]
    assert main(ask) == 2
    said = capsys.readouterr()
    assert "signature does not fit name and key" in said.out
    assert "not accepted: ada.json" in said.err


BROKEN: dict[str, Any] = {
    "not JSON": "{",
    "a list": "[]",
    "deep": "[" * 100_000,
    "another format": json.dumps({"format": "x", "version": 1, "name": "a", "answers": []}),
    "an unknown task": json.dumps(
        {
            "format": "aidge_nb course result",
            "version": 1,
            "name": "a",
            "answers": [{"task": "7.9", "answer": 1, "tries": 1, "opened": False, "ideas": []}],
        }
    ),
    "too large": " " * (LARGEST + 1),
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_files_that_are_no_results_are_said(text: str, key_file: Path, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text, "utf-8")
    found = check_result(tmp_path / "x.json", read_key(key_file))
    assert found.status.startswith("cannot be read: ")
    assert found.scores == {}


def test_a_score_in_the_file_does_not_count(key_file: Path, tmp_path: Path) -> None:
    """Whoever has a ticket can sign anything; the answer is checked again all the same."""
    key = read_key(key_file)
    given = ResultSheet("Ada", ticket_of(key, "Ada")).to_dict()
    given["answers"] = [{"task": "2.4", "answer": "1 1", "tries": 1, "opened": False, "ideas": []}]
    given["signature"] = signature_of(ticket_of(key, "Ada"), given)
    (tmp_path / "ada.json").write_text(json.dumps(given), "utf-8")
    found = check_result(tmp_path / "ada.json", key)
    assert (found.status, found.scores) == ("ok", {"2.4": 0.0})


def test_practice_without_a_ticket_is_not_signed(key_file: Path, tmp_path: Path) -> None:
    sheet = ResultSheet("Ada")
    sheet.task("2.4").check("1 1")
    found = check_result(sheet.save(tmp_path / "ada.json"), read_key(key_file))
    assert (found.status, found.scores) == ("not signed", {})
    with pytest.raises(AidgeError, match="name: is empty"):
        ResultSheet("  ")


def test_what_the_file_tells_of_the_way(key_file: Path, tmp_path: Path) -> None:
    key = read_key(key_file)
    sheet = ResultSheet("Ada", ticket_of(key, "Ada"))
    task = sheet.task("2.4")
    task.solution()
    assert not task.opened, "nothing was shown before a try"
    task.check(task.mistakes[0].answer)
    task.check(task.solution().value)
    found = check_result(sheet.save(tmp_path / "ada.json"), key)
    assert (found.opened, found.tries) == (("2.4",), {"2.4": 2})
    assert found.scores == {"2.4": 1.0}
    assert repr(sheet) == "ResultSheet(Ada: 1 task, 1 tried, 1 solved)"


@pytest.mark.parametrize("number", TASKS)
def test_every_right_answer_survives_the_file(number: str, key_file: Path, tmp_path: Path) -> None:
    key = read_key(key_file)
    sheet = ResultSheet("Ada", ticket_of(key, "Ada"))
    sheet.task(number).check(sheet.task(number)._solve().value)
    found = check_result(sheet.save(tmp_path / "ada.json"), key)
    assert found.scores == {number: 1.0}


def test_tickets_and_two_files_of_one_student(
    key_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = tmp_path / "names.txt"
    names.write_text("Ada Lovelace\n\n Ada  Lovelace\n=cmd()\n", "utf-8")
    assert main(["course", "tickets", str(names), "--key", str(key_file)]) == 0
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    key = read_key(key_file)
    assert rows[1] == ["Ada Lovelace", ticket_of(key, "Ada Lovelace")]
    assert rows[2][0] == "'=cmd()", "a spreadsheet does not run it"
    sheet = solved("Ada", key)
    files = [str(sheet.save(tmp_path / name)) for name in ("a.json", "b.json")]
    assert main(["course", "results", *files, "--key", str(key_file)]) == 0
    assert "more than one file of Ada" in capsys.readouterr().err


def test_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "key.txt"
    assert main(["course", "key", str(path)]) == 0
    kept = path.read_text()
    assert main(["course", "key", str(path)]) == 2
    assert path.read_text() == kept
    assert "there is a file already" in capsys.readouterr().err
    path.write_text("secret", "utf-8")
    with pytest.raises(AidgeError, match="holds no key"):
        read_key(path)
