"""Plans in CSV files: minimalloc's, omnimalloc's, and our own."""

from __future__ import annotations

import pytest

import aidge_nb
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory import MemoryPlan, PlanOptions
from tests.plan_io.samples import SAMPLES
from tests.runtime.models import zoo_view

HEADER = "id,lower,upper,size,offset"


def test_a_problem_is_placed() -> None:
    plan = aidge_nb.read_plan(SAMPLES / "minimalloc_input.12.csv")
    assert (plan.peak, plan.lower_bound, len(plan.buffers)) == (12, 12, 5)


def test_a_solution_keeps_its_offsets() -> None:
    plan = aidge_nb.read_plan(SAMPLES / "omnimalloc_example.csv")
    assert [buffer.offset for buffer in plan.buffers] == [8, 8, 4, 4, 0]
    assert (plan.peak, plan.lower_bound) == (12, 12)


def test_kinds_and_pool_of_omnimalloc() -> None:
    plan = aidge_nb.read_plan(SAMPLES / "omnimalloc_kinds_pool_offset.csv")
    assert [buffer.kind for buffer in plan.buffers] == ["input", "activation", "activation"]
    assert [buffer.offset for buffer in plan.buffers] == [128, 0, 128]


def test_columns_of_minimalloc_are_read() -> None:
    text = "id,lower,upper,size,alignment,hint,gaps\na,0,2,3,16,-1,\nb,0,2,3,8,-1,\n"
    plan = aidge_nb.read_plan(text.encode())
    assert (plan.alignment, plan.peak) == (16, 32)


@pytest.mark.parametrize(
    "options", [PlanOptions(), PlanOptions(parts=True), PlanOptions(by_rows=True)]
)
def test_our_own_table_comes_back(options: PlanOptions) -> None:
    graph = zoo_view("densenet_like")
    plan = aidge_nb.plan_memory(graph, options=options)
    found = aidge_nb.read_plan(plan.to_csv().encode())
    assert found.buffers == plan.buffers
    assert (found.peak, len(found.order)) == (plan.peak, len(plan.order))


def test_large_ticks_are_numbered_anew() -> None:
    plan = aidge_nb.read_plan(f"{HEADER}\na,-5,{10**15},8,0\nb,0,7,8,8\n".encode())
    assert plan.order == ("tick -5", "tick 0", "tick 7")
    assert [(each.lower, each.upper) for each in plan.buffers] == [(0, 3), (1, 2)]


def test_same_bytes_at_the_same_time_are_one_buffer() -> None:
    plan = aidge_nb.read_plan(f"{HEADER}\na,0,2,8,0\nb,0,2,8,0\n".encode())
    assert [each.view_of for each in plan.buffers] == [None, "a"]
    assert plan.lower_bound == 8


OWN = MemoryPlan((), (), 0, 0).to_csv().strip()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "bytes, line 1: wrong header .*found nothing"),
        ("garbage\n", "line 1: wrong header .*found garbage"),
        (f"{HEADER}\n", "bytes: lists no buffers"),
        (f"{HEADER}\na,0,2,8,0\nb,1,3,8,4\n", "buffers a and b: overlap at tick 1 .* bytes 4 to 8"),
        (f"{HEADER}\na,0,2,8,-8\n", "buffer a: negative offset"),
        (f"{HEADER}\na,0,2,{2**61},0\nb,0,2,{2**61},{2**61}\n", "too large to be summed up"),
        (f"{HEADER},gaps\na,0,9,8,0,2-4\n", "line 2: a buffer with gaps .*found '2-4'"),
        (f"{HEADER},kind\na,0,2,8,0,STACK\n", "line 2: unknown kind .*found 'STACK'"),
        (f"{HEADER},alignment\na,0,2,8,0,x\n", "line 2: wrong alignment .*found 'x'"),
        (f"{OWN}\n", "is not the table of a plan .*found 0"),
        (
            f"{HEADER},node,in_place_of,view_of\na,0,2,8,0,a,z,\n",
            "line 2: names a buffer .*found z",
        ),
        (f"{HEADER},node,in_place_of,view_of,levels\na,0,2,8,0,a,,,4\n", "line 2: wrong levels"),
        (f"{HEADER},node,in_place_of,view_of,kind\na,0,2,8,0,a,,,x\n", "line 2: unknown kind"),
        (f"{HEADER},node,in_place_of,view_of\na,0,{2**60},8,0,a,,\n", "found 11529215"),
    ],
)
def test_what_is_no_plan_is_refused(text: str, message: str) -> None:
    with pytest.raises(MemoryPlanError, match=message):
        aidge_nb.read_plan(text.encode())


def test_vector_clocks_are_refused() -> None:
    with pytest.raises(MemoryPlanError, match=r"line 2, buffer a: lower .*found '0:0'"):
        aidge_nb.read_plan(SAMPLES / "omnimalloc_vector_clock.csv")


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(MemoryPlanError, match="is not text"):
        aidge_nb.read_plan(b"id,\xff\xfe")
    with pytest.raises(FileNotFoundError, match=r"no\.csv"):
        aidge_nb.read_plan("no.csv")


def test_it_is_found_in_the_room_of_memory_too() -> None:
    assert aidge_nb.memory.read_plan is aidge_nb.read_plan


def test_a_table_has_one_arena() -> None:
    with pytest.raises(MemoryPlanError, match=r"a CSV holds one arena \(found 'L2'\)"):
        aidge_nb.read_plan(b"id,lower,upper,size\na,0,2,8\n", arena="L2")
