"""Every question of the tutorials takes its right answer, and has words for wrong ones."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest

from aidge_nb.course import NumberQuestion, OrderQuestion, PickQuestion, Question
from tests.course.questions_of import (
    ASKING,
    NOTEBOOKS,
    asked_of,
    boards_of,
    half_right_answers,
    wrong_answers,
)

pytest.importorskip("anywidget")

LEAST = {
    "01_scheduling": 13,
    "02_cp_model": 24,
    "03_policies": 12,
    "04_memory": 18,
    "05_queries": 18,
    "06_tiling": 20,
    "07_hardware": 19,
    "07b_export": 12,
    "08_your_own_model": 12,
    "09_training": 14,
    "10_quantization": 14,
}
"""Questions of each tutorial, at least."""

LONG = {"06_tiling", "07b_export", "10_quantization"}
"""Tutorials that search, compile and emulate for long: nbval runs them in the first tier."""


def each_of(names: Iterable[str]) -> list[Any]:
    """Return the parameters of a test that runs the cells of tutorials."""
    return [pytest.param(n, marks=pytest.mark.slow) if n in LONG else n for n in names]


MOST_WORDS, MOST_LINES = 85, 12
"""Of a cell; 70 words are the aim."""


@cache
def placed_in(name: str) -> tuple[tuple[int, Question], ...]:
    """Return the questions of a tutorial, each with the number of its cell."""
    places: list[int] = []
    found, _ = asked_of(name, places)
    return tuple(zip(places, found, strict=True))


def asked_in(name: str) -> tuple[Question, ...]:
    return tuple(asked for _, asked in placed_in(name))


@pytest.mark.parametrize("name", each_of(ASKING))
def test_the_right_answer_is_accepted_and_others_are_answered(name: str) -> None:
    found = asked_in(name)
    assert len(found) >= LEAST[name]
    for asked in found:
        assert asked.text[-1] in "?.", asked.text
        for answer in wrong_answers(asked):
            feedback = asked.check(answer)
            assert not feedback.correct, (asked.text, answer)
            assert "" not in (feedback.text, feedback.hint), (asked.text, answer)
        for answer in half_right_answers(asked):
            feedback = asked.check(answer)
            assert 0 < feedback.score < 1, (asked.text, answer)
            assert not feedback.correct, (asked.text, answer)
        solution = asked.solution()
        feedback = asked.check(solution.value)
        assert feedback.correct, (asked.text, solution)
        assert asked.best == 1.0


RIGHT = {
    "07_hardware": [
        "73,728 cycles",
        "a little more than half",
        "1.81084128",
        "the bus, which serves core 0 first",
        "44,902",
        "store 1 of conv, load 0 of second, load 1 of second",
        "faster",
        "51,200 cycles",
        "long",
        "the result of long",
        "6.050552577",
        "4 elements",
        "11 bytes",
        "cell0_pool",
        "accelerator/pe",
        "8 times as long",
        "pool, flatten, fc",
        "73,728 cycles",
        "a core",
        "yes",
    ],
    "07b_export": [
        "nothing",
        "576",
        "720 bytes",
        "0",
        "no",
        "relu",
        "10 times",
        "yes",
        "28",
        "5",
        "negative numbers",
        "conv, relu, fc",
        "relu is dead by then",
    ],
    "08_your_own_model": [
        "swirl",
        "swirl",
        "one",
        "conv1",
        "the number of dimensions",
        "the error names swirl",
        "65,536 bytes",
        "a kernel of swirl that works in place",
        "2 × 10 scores",
        "conv2 input#0 dimensions",
        "262,144 bytes",
        "shape, batch, flat_shape",
        "40,960 bytes",
    ],
    "09_training": [
        "0.4041836064",
        "make it smaller",
        "fc1 relu fc2 loss fc2_grad relu_grad fc1_grad",
        "none",
        "fc1 0–1, relu 1–5, fc2 2–3, loss 3–4",
        "no",
        "128 bytes",
        "364 bytes",
        "4,096 bytes",
        "about 10 times",
        "nearly all",
        "about 3 times",
        "twice the first",
        "sigmoid, leaky, fc2, tanh",
        "relu_grad, fc1_grad",
    ],
    "10_quantization": [
        "3.5",
        "a little below 3",
        "0.0225",
        "10.2 dB",
        "less than 39",
        "stem",
        "stem, wide, fc",
        "fewer than 10",
        "14,336 bytes",
        "nearly as in float",
        "biases and scales",
        "fewer",
        "21",
        "720 bytes",
        "fc",
    ],
}
"""Answers that the sentences around them rely on."""


@pytest.mark.parametrize("name", each_of(RIGHT))
def test_the_sentences_fit_the_answers(name: str) -> None:
    assert [asked._solve().text for asked in asked_in(name)] == RIGHT[name]


@pytest.mark.parametrize("name", each_of(ASKING))
def test_what_is_asked_does_not_hold_its_answer(name: str) -> None:
    """The sheet is told what it needs to show; the answer stays with Python."""
    for asked in asked_in(name):
        assert "value" not in asked.config
        assert "right" not in asked.config


def test_boards_take_the_best_layout_alone() -> None:
    boards = boards_of("04_memory")
    assert len(boards) >= 4
    for board in boards:
        stacked, top = {}, 0
        for name, (_, _, size) in board.blocks.items():
            stacked[name] = top
            top += size
        assert board.check(dict(zip(board.blocks, board.best.offsets, strict=True))).correct
        assert 0 < board.check(stacked).score < 1
        assert board.check(dict.fromkeys(board.blocks, 0)).score == 0


ASKED = {"slope"}
"""Questions whose value a later cell compares with."""


def bound_in(tree: ast.Module) -> set[str]:
    """Return the names that the statements of a cell make."""
    made = [name for each in tree.body if isinstance(each, ast.Assign) for name in ast.walk(each)]
    names = {each.id for each in made if isinstance(each, ast.Name) and is_made(each)}
    return names | {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}


def is_made(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


@pytest.mark.parametrize("name", ASKING)
def test_what_open_cells_use_is_made_in_open_cells(name: str) -> None:
    """Who does not open the folded code sees where every name comes from."""
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))["cells"]
    folded: set[str] = set()
    for cell in (each for each in cells if each["cell_type"] == "code"):
        tree = ast.parse("".join(cell["source"]))
        if "source_hidden" in cell["metadata"].get("jupyter", ()):
            folded |= bound_in(tree) - ASKED
            continue
        names = [each for each in ast.walk(tree) if isinstance(each, ast.Name)]
        own = {each.id for each in names if is_made(each)}
        assert not {each.id for each in names} & folded - own, cell["id"]
        folded -= bound_in(tree)


ASKS = re.compile(
    r"course\.(predict|number|choose|pick|pick_in|order|drag_bars|fold|query|reach|cut|rows)\("
)


@pytest.mark.parametrize("name", ASKING)
def test_the_code_of_a_question_is_folded(name: str) -> None:
    """It holds the hints and the answer."""
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))["cells"]
    asking = [
        cell
        for cell in cells
        if cell["cell_type"] == "code" and ASKS.search("".join(cell["source"]))
    ]
    assert len(asking) >= LEAST[name]
    assert all(cell["metadata"]["jupyter"]["source_hidden"] for cell in asking)


def seen(cell: dict[str, Any]) -> str:
    """Return the text that stands open below a saved cell; a covered one has its summary."""
    texts = []
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        kinds = [kind for kind in ("text/html", "text/plain") if kind in data]
        if not any(kind.startswith("image/") for kind in data):
            texts += ["".join(data[kind]) for kind in kinds[:1]] + ["".join(output.get("text", ""))]
    open_text = re.sub(r"</summary>.*?</details>", "", "\n".join(texts), flags=re.DOTALL)
    return without_commas(open_text)


def without_commas(text: str) -> str:
    return re.sub(r"(?<=\d),(?=\d{3})", "", text)


def telling(asked: Question) -> list[str]:
    """Return texts that would give the answer away; numbers of one digit say too little."""
    if isinstance(asked, NumberQuestion):
        shown = without_commas(asked._solve().text).split()[0]
        return [shown] if len(shown) > 1 else []
    right = asked._solve().value
    if isinstance(asked, (PickQuestion, OrderQuestion)):
        names = right.split() if isinstance(right, str) else list(right)
        return [sign.join(names) for sign in (" ", ", ")]
    return [without_commas(right)] if isinstance(right, str) else []


@pytest.mark.parametrize("name", each_of(ASKING))
def test_what_a_cell_prints_does_not_answer_the_question_above_it(name: str) -> None:
    """Who runs all cells first sees no answer between a question and the next one."""
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))["cells"]
    places = sorted({place for place, _ in placed_in(name)})
    for place, asked in placed_in(name):
        until = next((each for each in places if each > place), len(cells))
        shown = "\n".join(seen(cell) for cell in cells[place + 1 : until])
        for text in telling(asked):
            found = re.search(rf"(?<![\w.]){re.escape(text)}(?!\w|\.\d)", shown)
            assert not found, (asked.text, text, "print it in `with course.covered():`")


@pytest.mark.parametrize("name", ASKING)
def test_a_cell_is_short(name: str) -> None:
    """The first cell says what is to come, the last what was; code of questions is folded."""
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))["cells"]
    for cell in cells[1:-1]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            assert len(source.split()) <= MOST_WORDS, source
        elif "source_hidden" not in cell["metadata"].get("jupyter", ()):
            assert len(source.splitlines()) <= MOST_LINES, source
