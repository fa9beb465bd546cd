"""Plans for programs with loops: every execution of an output at one address."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import ops
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import MemoryPlan, check_plan, check_replay, plan_memory
from aidge_nb.ops.build import make_producer
from aidge_nb.runtime import check_execution
from tests.memory.graphs import chain, graph, opaque, unary
from tests.oracle import build_graph, load
from tests.runtime.arena.test_in_arena import expanded_lstm
from tests.runtime.models import order_of, random_inputs, zoo_view
from tests.zoo.small import SMALL

OPTIONS: list[dict[str, Any]] = [{}, {"parts": True}, {"alignment": 64}, {"in_place": False}]


def offsets(plan: MemoryPlan) -> dict[tuple[str, int], set[int]]:
    found: dict[tuple[str, int], set[int]] = {}
    for buffer in plan.buffers:
        found.setdefault((buffer.node, buffer.output), set()).add(buffer.offset)
    return found


@pytest.mark.parametrize("options", OPTIONS)
def test_a_recurrent_layer_has_one_address_for_each_output(options: dict[str, Any]) -> None:
    view = expanded_lstm()
    order = order_of(view)
    plan = plan_memory(view, order, looped=True, **options)
    check_plan(plan)
    check_replay(plan, view, order)
    check_execution(view, plan, random_inputs(view))
    assert all(len(each) == 1 for each in offsets(plan).values())
    free = plan_memory(view, order, **options)
    assert any(len(each) > 1 for each in offsets(free).values())
    assert free.peak <= plan.peak


def lstm(length: int) -> tuple[GraphView, list[Node]]:
    pop, cell = ops.Pop(name="pop"), ops.LSTM(4, 8, length, name="lstm")
    pop.add_child(cell, 0, 0)
    view = GraphView("lstm")
    view.add([pop, cell], True)
    aidge_nb.expand_metaops(view)
    assert view.forward_dims([[length, 2, 4], [2, 8], [2, 8]])
    return view, order_of(view)


def test_the_arena_does_not_grow_with_the_turns() -> None:
    peaks = {plan_memory(*lstm(length), looped=True).peak for length in (5, 20, 80)}
    assert len(peaks) == 1


@pytest.mark.parametrize("name", SMALL)
def test_without_loops_nothing_changes(name: str) -> None:
    view = zoo_view(name)
    order = order_of(view)
    if len(set(order)) == len(order):
        assert plan_memory(view, order, looped=True) == plan_memory(view, order)


def test_what_is_still_needed_in_the_next_turn_is_not_overwritten() -> None:
    """In the second turn, a is written while b, which took its place, waits for c."""
    a, b, c = opaque("a"), unary("b"), opaque("c", nb_inputs=2)
    view = graph([a, b, c], [(0, 1), (1, 2, 0), (0, 2, 1)])
    order = [a, b, a, c]
    plan = plan_memory(view, order, looped=True)
    check_plan(plan)
    check_replay(plan, view, order)
    assert all(len(each) == 1 for each in offsets(plan).values())
    assert {b.in_place_of for b in plan.buffers if b.node == "b"} == {()}


def test_what_shares_memory_in_every_turn_goes_on_to() -> None:
    a, b = opaque("a"), unary("b")
    view = chain(a, b)
    plan = plan_memory(view, [a, b] * 3, looped=True)
    check_plan(plan)
    assert plan.peak == 16
    assert [x.in_place_of for x in plan.buffers if x.node == "b"] == [
        ("a[0]",),
        ("a[1]",),
        ("a[2]",),
    ]


def test_parts_lie_in_one_piece_where_that_is_asked_for() -> None:
    first, second = ops.Tanh(name="a"), ops.Tanh(name="b")
    for axis, blocks in [(1, 2), (0, 1)]:
        concat = ops.Concat(2, axis, name=f"c{axis}")
        first, second = ops.Tanh(name="a"), ops.Tanh(name="b")
        first.add_child(concat, 0, 0)
        second.add_child(concat, 0, 1)
        view = GraphView("two")
        view.add([first, second, concat])
        assert view.forward_dims([[2, 4], [2, 4]])
        order = view.topological_order()
        free = plan_memory(view, order, parts=True)
        whole = plan_memory(view, order, parts=True, contiguous=True)
        assert max(buffer.part.blocks for buffer in free.buffers) == blocks
        assert max(buffer.part.blocks for buffer in whole.buffers) == 1
        assert (free == whole) == (blocks == 1)


@pytest.mark.parametrize("options", OPTIONS[:3])
@pytest.mark.parametrize("looped", [False, True])
def test_a_counter_needs_two_numbers(options: dict[str, Any], looped: bool) -> None:
    """Both outputs of Memorize are one value, which takes the place of the one it hands on."""
    memory, add = ops.Memorize(3, name="m"), ops.Add(name="add")
    ones = aidge_nb.Tensor(np.ones(1, np.float32))
    one, start = make_producer(ones, "one"), make_producer(ones, "start")
    memory.add_child(add, 1, 0)
    one.add_child(add, 0, 1)
    add.add_child(memory, 0, 0)
    start.add_child(memory, 0, 1)
    after = ops.ReLU(name="after")
    memory.add_child(after, 0, 0)
    view = GraphView("counter")
    view.add([memory, add, one, start, after])
    assert view.forward_dims()
    view.set_backend("cpu")
    order = order_of(view)
    plan = plan_memory(view, order, looped=looped, **options)
    check_plan(plan)
    check_replay(plan, view, order)
    check_execution(view, plan, [])
    assert plan.peak == 2 * max(4, plan.alignment)
    twins = [buffer for buffer in plan.buffers if buffer.node == "m" and buffer.output == 1]
    assert [buffer.view_of for buffer in twins] == [f"m[{turn}]" for turn in range(len(twins))]


@pytest.mark.parametrize(
    ("name", "peak"), [("counter_producer_init_3", 8), ("counter_3", 8), ("rnn_cell", 36)]
)
def test_loops_recorded_from_aidge_need_what_its_layout_needs(name: str, peak: int) -> None:
    recorded = load(name)
    view, nodes = build_graph(recorded)
    order = [nodes[each] for each in recorded["runs"]["data"]["memory"]["order"]]
    plan = plan_memory(view, order)
    check_plan(plan)
    check_replay(plan, view, order)
    assert plan.peak == peak
