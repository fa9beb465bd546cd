"""Which rows a stripe reads: right answers, and the sentence of each wrong one."""

from __future__ import annotations

from typing import Any

import pytest

import aidge_nb
from aidge_nb import course
from aidge_nb.core.errors import AidgeError
from aidge_nb.course import graphs

ROWS = {"input": (2, 9), "conv0": (3, 8), "conv1": (4, 7)}


def stripe(number: int, **options: Any) -> course.RowsQuestion:
    view = graphs.stripes(**options)
    nodes = [node for node in view.topological_order() if node.type() != "Producer"]
    return course.rows("Which?", view, aidge_nb.plan_tiling(view, nodes, {2: 4}), number)


@pytest.mark.parametrize(
    ("name", "given", "says", "idea"),
    [
        ("conv1", (2, 3), "Each of them begins 2 rows of conv1 further", "stride"),
        ("conv0", (4, 7), "row 4 reads a row above row 4", "no halo"),
        ("conv0", (1, 10), "Of 3 rows one is its own: 2 are more", "k rows"),
        ("input", (2, 8), "The first row is right. Which row does row 8 read last?", "last"),
        ("input", (3, 9), "The last row is right. Which row does row 3 read first?", "first"),
        ("input", (0, 15), "Which does row 3 read?", ""),
        ("input", (-1, 9), "Beyond them there is padding", "padding"),
        ("input", None, "give its first and its last row", "form"),
    ],
)
def test_wrong_rows_have_their_sentence(name: str, given: Any, says: str, idea: str) -> None:
    feedback = stripe(2).check({**ROWS, name: given})
    assert (feedback.score, feedback.idea) == (2 / 3, idea)
    assert feedback.hint.startswith(name)
    assert says in feedback.hint
    assert set(feedback.right) == set(ROWS) - {name}


def test_rows_are_walked_backwards() -> None:
    asked = stripe(2)
    assert asked.check({"input": (0, 0)}).hint.startswith("conv1:")
    assert asked.check({"input": (0, 0), "conv1": (4, 7)}).hint.startswith("conv0:")
    assert asked.check(ROWS).text == "Yes: input 2–9, conv0 3–8, conv1 4–7."
    assert asked.solution().value == ROWS
    assert "Rows: input 16, conv0 16, conv1 16, pool 8. Given: rows 2–3 of pool." in asked.table()


def test_at_the_border_there_is_padding() -> None:
    asked = stripe(1)
    assert asked.check({"conv1": (0, 3), "conv0": (0, 4), "input": (0, 5)}).correct
    feedback = asked.check({"conv1": (0, 3), "conv0": (0, 3), "input": (0, 5)})
    assert "row 3 reads a row below row 3" in feedback.hint


@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("halo", ["recompute", "cache"])
def test_the_rows_are_those_of_the_tiling(number: int, halo: str) -> None:
    view = graphs.bars_net()
    nodes = aidge_nb.tiling.between(view, view.get_node("stem"), view.get_node("both"))
    tiling = aidge_nb.plan_tiling(view, nodes, {2: 4}, halo=halo)
    asked = course.rows("Which?", view, tiling, number)
    asked.check({})
    found = asked.solution().value
    assert set(found) == {"input"} | set(tiling.nodes) - {"both"}
    for part in tiling.tiles[number - 1].parts:
        rows = (part.needed[2].start, part.needed[2].stop - 1)
        assert found.get(part.node, rows) == rows
    assert asked.check(found).correct


def test_rows_of_another_form() -> None:
    asked = stripe(1)
    assert "has not the form" in asked.check([1]).text
    assert asked.check({"pool": (0, 1)}).text == "The rows of 'pool' are not asked for."
    with pytest.raises(AidgeError, match="no such stripe"):
        stripe(5)
    view = graphs.stripes()
    tiling = aidge_nb.plan_tiling(view, [view.get_node("conv0")], {2: 2, 3: 2})
    with pytest.raises(AidgeError, match="stripes are asked for"):
        course.rows("Which?", view, tiling, 1)
