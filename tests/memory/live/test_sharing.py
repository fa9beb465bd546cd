"""Slice, Split and Concat without a copy: where parts lie, and when it is worth it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from aidge_nb import ops
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import MemoryPlan, check_plan, check_replay, live_values, plan_memory
from aidge_nb.memory.live.sharing import concat_parts, has_parts, part_of_input
from aidge_nb.memory.values.part import Part


def view_of(nodes: Sequence[Node], dims: Sequence[Sequence[int]]) -> GraphView:
    view = GraphView("test")
    view.add(nodes, True)
    assert view.forward_dims(dims, True)
    return view


def planned(view: GraphView, **options: int) -> MemoryPlan:
    order = view.topological_order()
    plan = plan_memory(view, order, parts=True, **options)  # type: ignore[arg-type]
    check_plan(plan)
    check_replay(plan, view, order)
    return plan


def two_into_one(axis: int, dims: Sequence[int]) -> GraphView:
    """``concat(tanh(x), softmax(x))`` and a last operator."""
    a, b = ops.Tanh(name="a"), ops.Softmax(1, name="b")
    concat, last = ops.Concat(2, axis, name="c"), ops.Softmax(1, name="d")
    a.add_child(concat, 0, 0)
    b.add_child(concat, 0, 1)
    concat.add_child(last)
    return view_of([a, b, concat, last], [dims, dims])


def test_inputs_of_concat_are_computed_at_their_place() -> None:
    plan = planned(two_into_one(1, [1, 2, 3]))
    a, b, c, _ = plan.buffers
    assert c.made_of == ("a", "b")
    assert (a.offset - c.offset, b.offset - c.offset, c.levels) == (0, 24, ())
    assert plan.peak == 96


def test_along_an_inner_axis_they_lie_in_blocks() -> None:
    plan = planned(two_into_one(2, [1, 2, 3]))
    a, b, c, _ = plan.buffers
    assert (a.levels, b.offset - c.offset) == (((2, 24),), 12)
    assert a.intervals == ((c.offset, c.offset + 12), (c.offset + 24, c.offset + 36))


@pytest.mark.parametrize(("alignment", "made_of"), [(4, ("a", "b")), (8, ("a", "b")), (16, ())])
def test_places_that_are_not_aligned_are_copied_to(
    alignment: int, made_of: tuple[str, ...]
) -> None:
    plan = planned(two_into_one(1, [1, 2, 3]), alignment=alignment)
    assert next(b.made_of for b in plan.buffers if b.name == "c") == made_of


def live(view: GraphView) -> dict[str, tuple[str, ...]]:
    order = view.topological_order()
    found = live_values(view, order, without_copy=has_parts(order))
    return {value.name: value.made_of for each in found.storages for value in each.values}


def test_what_comes_twice_is_copied() -> None:
    a, concat = ops.Tanh(name="a"), ops.Concat(2, 0, name="c")
    a.add_child(concat, 0, 0)
    a.add_child(concat, 0, 1)
    assert live(view_of([a, concat], [[2, 3]]))["c"] == ()


def test_inputs_and_parameters_are_copied() -> None:
    weights = ops.Producer([2, 3], name="w")
    concat = ops.Concat(2, 0, name="c")
    weights.add_child(concat, 0, 0)
    view = view_of([weights, concat], [[2, 3]])
    found = live_values(view, list(view.get_nodes()), inc_producers=True, without_copy=[concat])
    assert next(v for s in found.storages for v in s.values if v.name == "c").made_of == ()


def test_what_is_converted_is_copied() -> None:
    a, b, concat = ops.Tanh(name="a"), ops.Cast("int8", name="b"), ops.Concat(2, 0, name="c")
    a.add_child(concat, 0, 0)
    b.add_child(concat, 0, 1)
    view = view_of([a, b, concat], [[4], [4]])
    assert concat.get_operator().get_output(0).nbytes == 32
    assert live(view)["c"] == ()


def test_a_concat_of_a_concat_is_one_memory() -> None:
    a, b, d = ops.Tanh(name="a"), ops.Tanh(name="b"), ops.Tanh(name="d")
    inner, outer = ops.Concat(2, 0, name="inner"), ops.Concat(2, 0, name="outer")
    a.add_child(inner, 0, 0)
    b.add_child(inner, 0, 1)
    inner.add_child(outer, 0, 0)
    d.add_child(outer, 0, 1)
    view = view_of([a, b, d, inner, outer], [[1, 4], [1, 4], [1, 4]])
    plan = planned(view)
    assert plan.peak == 48
    by_name = {buffer.name: buffer for buffer in plan.buffers}
    assert by_name["outer"].made_of == ("inner", "d")
    assert by_name["inner"].offset == by_name["outer"].offset


def test_concat_without_copies_is_not_forced() -> None:
    """The first input would hold the whole result while a large value is needed."""
    first, large = ops.FC(8, 8, name="first"), ops.FC(8, 64, name="large")
    small, concat = ops.FC(64, 32, name="small"), ops.Concat(2, 1, name="c")
    first.add_child(large)
    large.add_child(small)
    first.add_child(concat, 0, 0)
    small.add_child(concat, 0, 1)
    view = view_of([first, large, small, concat], [[1, 8]])
    order = view.topological_order()
    copied = plan_memory(view, order)
    assert planned(view).peak <= copied.peak
    forced = live_values(view, order, without_copy=[concat])
    # As a step function of time the result takes no more; as one block it would.
    assert max(storage.live_range.size for storage in forced.storages) == 256
    assert copied.peak == (8 + 64 + 32) * 4


def test_slices_and_splits_are_where_they_were() -> None:
    a, split = ops.Tanh(name="a"), ops.Split(2, 1, name="s")
    b, c = ops.Softmax(1, name="b"), ops.Softmax(1, name="c")
    a.add_child(split)
    split.add_child(b, 0, 0)
    split.add_child(c, 1, 0)
    view = view_of([a, split, b, c], [[1, 4, 2]])
    plan = planned(view)
    by_name = {buffer.name: buffer for buffer in plan.buffers}
    assert (by_name["s"].view_of, by_name["s:1"].view_of) == ("a", "a")
    assert by_name["s:1"].offset - by_name["a"].offset == 16
    assert plan.peak < plan_memory(view, view.topological_order()).peak


@pytest.mark.parametrize(
    ("starts", "ends", "axes", "steps", "expected"),
    [
        ([1], [3], [1], [], Part(8, 32, ((2, 32),))),
        ([-2], [9], [1], [1], Part(16, 32, ((2, 32),))),
        ([1], [2], [0], [], Part(32, 32)),
        ([0], [4], [1], [2], None),  # every other one
        ([1, 0], [3, 1], [1, 2], [], Part(8, 16, ((2, 32), (2, 8)))),
        ([1, 0, -1], [2, 1, 9], [0, 1, 2], [], Part(36, 4)),
        ([0], [9], [1], [], Part(0, 64)),  # all of it
    ],
)
def test_the_place_of_a_slice(
    starts: list[int], ends: list[int], axes: list[int], steps: list[int], expected: Part | None
) -> None:
    node = ops.Slice(starts, ends, axes, steps, name="s")
    view_of([node], [[2, 4, 2]])
    assert part_of_input(node, 0) == expected


def test_the_places_in_a_concat() -> None:
    node = ops.Concat(2, -1, name="c")
    view_of([node], [[2, 3], [2, 5]])
    assert concat_parts(node) == [Part(0, 24, ((2, 32),)), Part(12, 40, ((2, 32),))]
