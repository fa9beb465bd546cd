"""Several memories: filled by priority, spilled into the next, and checked."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb import ops
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import (
    Memory,
    MemoryPlan,
    check_plan,
    check_replay,
    describe_plan,
    plan_memory,
)
from aidge_nb.runtime import check_execution
from tests.runtime.models import order_of, random_graphs, random_inputs, zoo_view


def line() -> tuple[GraphView, list[Node]]:
    """Make values of 32, 128, 16 and 32 bytes, each read by the next operator."""
    nodes = [
        ops.FC(4, 8, name="a"),
        ops.FC(8, 32, name="b"),
        ops.FC(32, 4, name="c"),
        ops.FC(4, 8, name="d"),
    ]
    for parent, child in zip(nodes, nodes[1:], strict=False):  # noqa: RUF007
        parent.add_child(child, 0, 0)
    view = GraphView("line")
    view.add(nodes, True)
    view.forward_dims([[1, 4]])
    return view, nodes


def where(plan: MemoryPlan) -> dict[str, str | None]:
    return {buffer.name: plan.memory_of(buffer) for buffer in plan.buffers}


def test_all_goes_into_the_first_one_that_suffices() -> None:
    view, order = line()
    plan = plan_memory(view, order, memories=[Memory("fast", 160), Memory("slow", 1000, 1)])
    assert set(where(plan).values()) == {"fast"}
    assert [(use.name, use.peak) for use in plan.memories] == [("fast", 160), ("slow", 0)]
    assert plan.peak == plan_memory(view, order).peak == 160


def test_what_does_not_fit_spills_into_the_next() -> None:
    view, order = line()
    plan = plan_memory(view, order, memories=[Memory("slow", 1000, 1), Memory("fast", 48, 0)])
    check_plan(plan)
    check_replay(plan, view, order)
    assert where(plan) == {"a": "fast", "b": "slow", "c": "fast", "d": "fast"}
    fast, slow = plan.memories
    assert (fast.base, fast.peak, fast.capacity) == (0, 48, 48)
    assert (slow.base, slow.peak, slow.lower_bound) == (48, 128, 128)
    assert plan.peak == 48 + 128
    assert MemoryPlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    assert plan_memory(view, order).memory_of(plan.buffers[0]) is None


def test_the_table_names_the_memory_of_each_buffer() -> None:
    view, order = line()
    plan = plan_memory(view, order, memories=[Memory("slow", 1000, 1), Memory("fast", 48, 0)])
    rows = list(csv.DictReader(io.StringIO(plan.to_csv())))
    assert {row["id"]: row["memory"] for row in rows} == where(plan)
    assert "memory" not in plan_memory(view, order).to_csv().splitlines()[0].split(",")


def test_the_description_tells_what_is_where() -> None:
    view, order = line()
    plan = plan_memory(view, order, memories=[Memory("slow", 1000, 1), Memory("fast", 48, 0)])
    text = describe_plan(plan)
    assert "memory       fast: 48 of 48 bytes, from 0\n" in text
    assert "memory       slow: 128 of 1000 bytes, from 48\n" in text
    assert "b, in slow" in text


def test_the_largest_come_first_when_that_is_the_only_way() -> None:
    view, order = line()
    plan = plan_memory(view, order, memories=[Memory("one", 128), Memory("two", 48, 1)])
    check_plan(plan)
    assert where(plan)["b"] == "one"


@pytest.mark.parametrize(
    ("memories", "message"),
    [
        ([Memory("m", 100)], r"buffer b: is larger than every memory by 28 bytes .*m: 100 bytes"),
        (
            [Memory("m", 130), Memory("n", 8, 1)],
            r"buffer .: fits into no memory beside what lives .*m: 130 bytes, n: 8 bytes",
        ),
        ([Memory("m", 0)], "memory m: has no capacity .*found 0"),
        ([Memory("m", 10), Memory("m", 20)], "memory m: two memories have this name"),
    ],
)
def test_memories_that_do_not_suffice_are_refused(memories: list[Memory], message: str) -> None:
    view, order = line()
    with pytest.raises(MemoryPlanError, match=message):
        plan_memory(view, order, memories=memories)


def test_the_checker_knows_memories() -> None:
    view, order = line()
    plan = plan_memory(view, order, memories=[Memory("fast", 48), Memory("slow", 1000, 1)])
    fast, slow = plan.memories
    for memories, message in [
        ((replace(fast, capacity=40), slow), "memory fast: needs more than it has"),
        ((replace(fast, lower_bound=60), slow), "memory fast: needs more .* less than its lower"),
        ((fast, replace(slow, base=40)), "memories fast and slow: lie on each other"),
        ((fast, replace(slow, peak=100, lower_bound=0)), "buffer b: does not lie in one of the"),
    ]:
        with pytest.raises(MemoryPlanError, match=message):
            check_plan(replace(plan, memories=memories))


def test_rows_that_cannot_run_over_each_other_do_not_lower_the_bound() -> None:
    first, second = (
        ops.Conv2D(1, 2, [1, 1], name="a"),
        ops.PaddedConv2D(2, 2, [3, 3], name="b", padding_dims=[1, 1, 1, 1]),
    )
    view = aidge_nb.sequential([first, second])
    assert view.forward_dims([[1, 1, 4, 4]])
    order = order_of(view)
    one = plan_memory(view, order, by_rows=True)
    assert one.peak == one.lower_bound < 256
    plan = plan_memory(
        view, order, by_rows=True, memories=[Memory("one", 128), Memory("two", 128, 1)]
    )
    check_plan(plan)
    assert not any(buffer.rows for buffer in plan.buffers)
    assert plan.lower_bound == plan.peak == 256


@given(random_graphs(axes=(0, 1, 2)), st.booleans(), st.integers(1, 8), st.sampled_from([1, 16]))
@settings(max_examples=50, deadline=None)
def test_random_graphs_run_in_two_memories(
    view: GraphView, by_rows: bool, eighths: int, alignment: int
) -> None:
    order = view.topological_order()
    least = plan_memory(view, order, alignment=alignment).peak
    memories = [Memory("fast", max(1, least * eighths // 8)), Memory("slow", 10**6, 1)]
    plan = plan_memory(
        view, order, memories=memories, parts=by_rows, by_rows=by_rows, alignment=alignment
    )
    check_plan(plan)
    check_replay(plan, view, order)
    check_execution(view, plan, random_inputs(view))


def test_a_model_runs_in_two_memories() -> None:
    view = zoo_view("mobilenet_v2")
    memories = [Memory("fast", 100_000), Memory("slow", 10**6, 1)]
    plan = plan_memory(view, order_of(view), memories=memories)
    run = check_execution(view, plan, random_inputs(view))
    assert all(np.isfinite(output).all() for output in run.outputs)
    assert 0 < plan.memories[0].peak <= 100_000
