"""Problems in minimalloc's CSV format."""

from __future__ import annotations

import pytest

from aidge_nb.errors import MemoryPlanError
from aidge_nb.memory import LiveRange, read_problem, write_solution


def test_what_is_written_is_read() -> None:
    problem = {"a": LiveRange(0, 2, 10), "b": LiveRange(1, 3, 20)}
    assert read_problem(write_solution(problem, [0, 10])) == problem


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.csv, line 1: wrong header .*found nothing"),
        ("id,begin,end,size\n", "f.csv, line 1: wrong header .*found id,begin,end,size"),
        ("id,lower,upper,size\na,0,1,2\na,1,2,3\n", "line 3: this id comes twice .*found a"),
        ("id,lower,upper,size\na,0,x,2\n", "line 2, buffer a: not a whole number .*0, x, 2"),
        ("id,lower,upper,size\na,0\n", "line 2, buffer a: not a whole number"),
    ],
)
def test_what_is_no_problem_is_refused(text: str, message: str) -> None:
    with pytest.raises(MemoryPlanError, match=message):
        read_problem(text, "f.csv")
