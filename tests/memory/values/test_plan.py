"""Memory plans as values."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace

import pytest

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory import Buffer, MemoryPlan, generate_memory, plan_memory, plan_of_manager
from tests.memory.graphs import graph, op, opaque, reshape, unary
from tests.oracle import build_graph, load

A = Buffer("a", "a", 0, 64, 0, 2, 0)
B = Buffer("b", "b", 0, 32, 1, 3, 80, wrapped_offset=0, wrapped_size=16)
PLAN = MemoryPlan(("a", "b", "c"), (A, B), peak=96, lower_bound=72)


LEVELS = {"order": [], "buffers": [{"name": "a", "levels": [[1, 2, 3]]}]}


def test_figures() -> None:
    assert (PLAN.gap, PLAN.is_optimal, PLAN.efficiency, PLAN.fragmentation) == (
        24,
        False,
        0.75,
        0.25,
    )
    assert PLAN.live_bytes() == (64, 80, 32)
    assert PLAN.peak_tick == 1
    assert [buffer.name for buffer in PLAN.live_set()] == ["a", "b"]
    assert [buffer.name for buffer in PLAN.live_set(2)] == ["b"]
    assert B.intervals == ((80, 96), (0, 16))
    assert (B.end, B.is_live(2), B.is_live(3)) == (96, True, False)
    assert replace(B, view_of="a", in_place_of=("x",)).shares_with == ("a", "x")


def test_live_bytes_are_counted_once() -> None:
    rng = random.Random(3)
    for _ in range(50):
        begins = [rng.randrange(6) for _ in range(7)]
        buffers = tuple(
            Buffer(f"b{n}", "n", 0, rng.randrange(9), t, t + rng.randrange(1, 5), rng.randrange(20))
            for n, t in enumerate(begins)
        )
        wanted = [
            {byte for b in buffers if b.is_live(t) for byte in range(b.offset, b.offset + b.size)}
            for t in range(6)
        ]
        plan = MemoryPlan(tuple("abcdef"), buffers, peak=28, lower_bound=0)
        assert plan.live_bytes() == tuple(map(len, wanted))


def test_numbers_of_any_size_are_counted() -> None:
    large = replace(PLAN, buffers=(A, replace(B, wrapped_size=0, offset=1 << 70)))
    assert large.live_bytes() == (64, 96, 32)


def test_an_empty_plan_is_optimal() -> None:
    empty = MemoryPlan((), (), 0, 0)
    assert (empty.is_optimal, empty.efficiency, empty.peak_tick, empty.live_set()) == (
        True,
        1,
        0,
        (),
    )


def test_plans_do_not_change_and_print_the_same_each_time() -> None:
    with pytest.raises(FrozenInstanceError):
        PLAN.peak = 3  # type: ignore[misc]
    assert repr(PLAN) == "MemoryPlan(2 buffers, 3 ticks, peak 96 bytes, lower bound 72 bytes)"
    assert hash(PLAN) == hash(replace(PLAN))


def test_plans_go_through_json() -> None:
    plan = replace(PLAN, buffers=(A, replace(B, in_place_of=("a",))))
    assert MemoryPlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    tile = replace(A, levels=((2, 40), (4, 10)))
    plan = replace(PLAN, buffers=(tile, B))
    assert MemoryPlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    assert ",2x40 4x10," in plan.to_csv()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "order: is missing"),
        ({"buffers": [{"name": "a"}]}, "order: is missing"),
        ({"buffers": [], "order": [], "x": 1}, "unknown field .*found 'x'"),
        (LEVELS, r"buffers\[0\].node: is missing"),
    ],
)
def test_what_is_no_plan_is_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(MemoryPlanError, match=f"memory plan: {message}"):
        MemoryPlan.from_dict(values)


def test_csv(golden: Callable[[str, str], None]) -> None:
    view = graph(
        [
            opaque("a"),
            reshape("v"),
            unary("b"),
            op("split", nb_outputs=2),
            opaque("c", nb_inputs=2),
        ],
        [(0, 1), (1, 2), (2, 3), (3, 4, 0, 0), (3, 4, 1, 1)],
    )
    golden("plan.csv", plan_memory(view, list(view.get_nodes())).to_csv())


def test_a_layout_of_the_manager_shows_wrapped_planes() -> None:
    recorded = load("protected_10_4_20")
    view, nodes = build_graph(recorded)
    order = [nodes[name] for name in recorded["runs"]["data"]["memory"]["order"]]
    plan = plan_of_manager(generate_memory(view, order, False, True), view, order)
    assert [
        (each.name, each.offset, each.wrapped_offset, each.wrapped_size, each.in_place_of)
        for each in plan.buffers
    ] == [
        ("r", 0, 0, 0, ()),
        ("g", 40, 0, 24, ("r",)),
        ("z", 24, 0, 8, ("g",)),
        ("y", 8, 0, 0, ("z",)),
    ]
    assert (plan.peak, plan.is_optimal) == (96, True)
