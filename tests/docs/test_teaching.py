"""The page of ten questions: answers as the library computes them, places that exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.docs.teaching import Asked, asked, table

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "teaching.md").read_text("utf-8")


def test_the_answers_are_computed() -> None:
    shown = [line for line in PAGE.splitlines() if re.match(r"\| \d", line)]
    assert shown == table(), "python -m tests.docs.teaching prints the table"
    assert len(shown) == 10


@pytest.mark.parametrize("each", asked(), ids=[str(n) for n in range(1, 11)])
def test_the_places_that_teach_are_there(each: Asked) -> None:
    for name, heading in each.taught:
        cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text("utf-8"))["cells"]
        assert any("".join(cell["source"]).startswith(f"## {heading}\n") for cell in cells)


def test_no_notebook_has_the_network() -> None:
    for path in (ROOT / "notebooks").rglob("*.ipynb"):
        assert "two_heads" not in path.read_text("utf-8"), path.name


def test_another_network_has_other_answers() -> None:
    other = asked(6, 32, 2)
    assert not {(each.text, each.answer) for each in asked()} & {each[:2] for each in other}
    assert all(each.answer for each in other)


def test_all_ticks_of_a_peak_are_named() -> None:
    """Where several operators run at the peak, the key has each of them."""
    tied = asked(6, 32, 2)[3].answer.partition(";")[0]
    assert tied.endswith("near_relu, near_tanh_0, near_tanh_1")


def test_the_reason_of_the_better_branch_holds() -> None:
    """The branch with more to give back goes first, as tutorial 03 says."""
    for numbers in ((4, 24, 0), (6, 32, 2), (8, 40, 1)):
        first, other = re.findall(r"(?:back|near|wide) ([\d,]+)", asked(*numbers)[4].answer)
        assert int(first.replace(",", "")) > int(other.replace(",", ""))


def test_the_graph_is_described_as_it_is() -> None:
    from aidge_nb.course import graphs

    described = set(re.findall(r"`(\w+)`", PAGE.partition("| | question")[0]))
    view = graphs.two_heads()
    names = {node.name() for node in view.get_nodes() if node.type() != "Producer"}
    assert names == described
