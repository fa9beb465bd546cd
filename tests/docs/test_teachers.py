"""The teacher's guide: exam and exit tickets as the library computes them, sentences of tasks."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

import aidge_nb
from aidge_nb import course
from aidge_nb.course import graphs
from tests.docs.exam import answers, table

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "teachers.md").read_text("utf-8")

QUESTION = re.compile(
    r"\bcourse\.(?:number|choose|pick|order|drag_bars|fold|query|rows|place_blocks)\("
)


def test_the_answers_of_the_exam_are_computed() -> None:
    for row in table():
        assert row in GUIDE, f"python -m tests.docs.exam prints the table: {row}"


def test_the_reasons_of_the_exam_hold() -> None:
    extra = {variant: float(re.findall(r"([\d.]+)%", answers(variant)[8])[0]) for variant in "ABC"}
    assert min(extra, key=lambda variant: extra[variant]) == "B"
    assert all("no" in answers(variant)[5] for variant in "ABC")


def test_the_exit_tickets() -> None:
    assert aidge_nb.static_schedule(graphs.loop(100, 2)).n_steps == 402
    view = graphs.second_reader()
    plan = aidge_nb.plan_memory(view, view.topological_order())
    over = [buffer.name for buffer in plan.buffers if "conv" in buffer.in_place_of]
    assert over == ["tanh"]
    conv = aidge_nb.PaddedConv2D(1, 1, [5, 5], "conv", padding_dims=[2] * 4)
    view = aidge_nb.sequential([conv])
    view.forward_dims([[1, 1, 12, 12]])
    read = aidge_nb.plan_tiling(view, conv, {2: 3}).tiles[1].parts[0].inputs[0][1][2]
    assert (read.start, read.stop - 1) == (2, 9)
    for number in ("402", "`tanh`", "2–9"):
        assert number in GUIDE


TIMES = re.findall(
    r"^\| (\d\w+) \| (\d+) min \| (\d+) \| ([\d.]+) s \| ([\d.]+) s \|", GUIDE, re.MULTILINE
)


@pytest.mark.parametrize("row", TIMES, ids=[row[0] for row in TIMES])
def test_measured_times_are_those_that_notebooks_tell(row: tuple[str, ...]) -> None:
    """They were measured by benchmarks/notebooks.py, which is run anew when this fails."""
    name, minutes, questions, seconds, view = row
    cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text("utf-8"))["cells"]
    asked = [QUESTION.findall("".join(cell["source"])) for cell in cells]
    said = re.search(r"(\d+) minutes for you, about (\d+) sec", "".join(cells[0]["source"]))
    assert said
    assert said[1] == minutes
    assert abs(sum(map(len, asked)) - int(questions)) <= 3, "much has changed"
    assert float(seconds) <= int(said[2]) < 60
    assert int(said[2]) <= max(10, 2 * float(seconds)), "nor does it frighten"
    assert float(view) < 5


def test_every_tutorial_was_measured() -> None:
    assert [row[0] for row in TIMES] == sorted(
        path.stem for path in (ROOT / "notebooks").glob("*.ipynb")
    )


@cache
def sentences(number: str) -> str:
    """Return the sentences of a task for several seeds, as one text."""
    said = [mistake.says for seed in range(12) for mistake in course.task(number, seed).mistakes]
    return " ".join(said)


ROWS = re.findall(r"^\| ([^|]+) \((\d\.\d)\) \| ([^|]+) \|$", GUIDE, re.MULTILINE)


@pytest.mark.parametrize(("_idea", "number", "says"), ROWS, ids=[row[1] for row in ROWS])
def test_sentences_are_those_of_the_tasks(_idea: str, number: str, says: str) -> None:
    if number == "5.2":
        says = "-> asks for the only one"
    shown = says.rstrip(".")
    assert shown in sentences(number), sentences(number)


def test_there_are_sentences_for_every_unit() -> None:
    assert {number[0] for _, number, _ in ROWS} == set("123456789")


def test_the_commands_of_the_guide_exist(capsys: pytest.CaptureFixture[str]) -> None:
    from aidge_nb.cli import main

    for action in re.findall(r"^aidge-nb course (\w+)", GUIDE, re.MULTILINE):
        assert main(["course", action, "--help"]) == 0
        assert "usage: aidge-nb course" in capsys.readouterr().out
