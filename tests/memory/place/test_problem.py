"""Problems in minimalloc's CSV format."""

from __future__ import annotations

import pytest

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory import LiveRange, read_problem, write_solution
from aidge_nb.memory.place.problem import read_solution


def test_what_is_written_is_read() -> None:
    problem = {"a": LiveRange(0, 2, 10), "b": LiveRange(1, 3, 20)}
    assert read_problem(write_solution(problem, [0, 10])) == problem


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.csv, line 1: wrong header .*found nothing"),
        ("id,begin,stop,size\n", "f.csv, line 1: wrong header .*found id,begin,stop,size"),
        ("id,begin,lower,upper,size\n", "line 1: a column comes twice .*found lower"),
        ("# pool\nid,lower,upper,size\na,0,x,2\n", "line 3, buffer a: upper is not a whole"),
        ("id,lower,upper,size\na,0,1,2\na,1,2,3\n", "line 3: this id comes twice .*found a"),
        ("id,lower,upper,size\na,0,x,2\n", "line 2, buffer a: upper is not a whole .*found 'x'"),
        ("id,lower,upper,size\na,0,1.0,2\n", "buffer a: upper is not a whole .*found '1.0'"),
        ("id,lower,upper,size\na,0,1_0,2\n", "buffer a: upper is not a whole number"),
        ("id,lower,upper,size\na,0,,2\n", "buffer a: upper is not a whole number .*found ''"),
        ("id,lower,upper,size\na,0\n", "line 2: wrong number of cells .*expected 4, found 2"),
        ("id,lower,upper,size\na,0,1,2,3\n", "line 2: wrong number of cells"),
        ("id,lower,upper,size\n\na,0,1,0\n", "line 3, buffer a: has no size .*found 0"),
        ("id,lower,upper,size\na,0,1,-4\n", "line 2, buffer a: has no size .*found -4"),
        ("id,lower,upper,size\na,3,3,4\n", r"line 2, buffer a: .*before it starts .*\[3, 3\)"),
        (f"id,lower,upper,size\na,0,1,{2**62}\n", "buffer a: size is too large .*2..62"),
        (f"id,lower,upper,size\na,0,1,{'9' * 5000}\n", "buffer a: size is not a whole number"),
        ("id,lower,upper,size,size\n", "line 1: a column comes twice .*found size"),
        ("id,lower,upper,size,offset\na,0,1,2,b\n", "buffer a: offset is not a whole number"),
        (f"id,lower,upper,size\n{'a' * 200_000},0,1,2\n", "line 2: field larger than"),
    ],
)
def test_what_is_no_problem_is_refused(text: str, message: str) -> None:
    with pytest.raises(MemoryPlanError, match=message):
        read_problem(text, "f.csv")


def test_offsets_are_read_where_there_are_some() -> None:
    problem = {"a": LiveRange(0, 2, 10), "b": LiveRange(1, 3, 20)}
    assert read_solution(write_solution(problem, [20, 0])) == (problem, [20, 0])
    assert read_solution("id,size,upper,lower\r\na, 10,2,0\r\n") == (
        {"a": LiveRange(0, 2, 10)},
        None,
    )


@pytest.mark.parametrize("header", ["buffer,start,end,size", "buffer_id,begin,end,size"])
def test_other_headings_of_minimalloc_are_read(header: str) -> None:
    assert read_problem(f"# pool_offset=8\n{header}\na,0,1,10\n") == {"a": LiveRange(0, 2, 10)}


def test_control_characters_around_a_number_are_blank() -> None:
    """As they are for str.strip(), though not for int()."""
    assert read_problem("id,lower,upper,size\na,0,2\x1f,8\n") == {"a": LiveRange(0, 2, 8)}
