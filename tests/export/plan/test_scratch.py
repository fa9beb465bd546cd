"""Working memory of kernels goes to the holes of the plan."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from aidge_nb.export.plan.calls import with_scratch
from aidge_nb.graph import GraphView
from aidge_nb.memory import Buffer, MemoryPlan, check_plan, plan_memory
from tests.runtime.models import order_of, random_graphs


def two_buffers() -> MemoryPlan:
    buffers = Buffer("a", "a", 0, 64, 0, 2, 0), Buffer("b", "b", 0, 32, 1, 2, 64)
    return MemoryPlan(("a", "b"), buffers, 96, 96)


def test_a_hole_that_is_large_enough_is_taken() -> None:
    plan = with_scratch(two_buffers(), {"a": 32})
    assert plan.peak == 96
    assert [b.offset for b in plan.buffers if b.kind == "scratch"] == [64]


def test_without_a_hole_the_arena_grows_by_what_is_wanted() -> None:
    plan = with_scratch(two_buffers(), {"b": 8})
    assert (plan.peak, plan.lower_bound) == (104, 104)


def test_a_node_that_runs_twice_works_at_one_place() -> None:
    buffers = tuple(
        Buffer(f"{n}{t}", n, 0, 8, t, t + 1, 8 * (t % 2), execution=t // 2)
        for t, n in enumerate("abab")
    )
    plan = with_scratch(MemoryPlan(("a", "b", "a", "b"), buffers, 16, 8), {"a": 8})
    places = [b.offset for b in plan.buffers if b.kind == "scratch"]
    assert places == [8, 8]


@settings(max_examples=25)
@given(random_graphs(), st.data())
def test_working_memory_never_lies_over_what_is_in_use(
    view: GraphView, data: st.DataObject
) -> None:
    order = [node for node in order_of(view) if node.type() != "Producer"]
    plan = plan_memory(view, order, alignment=4)
    wanted = {name: 4 * data.draw(st.integers(0, 40)) for name in dict.fromkeys(plan.order)}
    found = with_scratch(plan, wanted)
    check_plan(found)
    made = {b.node: b.size for b in found.buffers if b.kind == "scratch"}
    assert made == {name: size for name, size in wanted.items() if size}
