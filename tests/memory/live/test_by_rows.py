"""Rows of an input overwritten as they are consumed: windows, leads, plans and their check."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aidge_nb import ops
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import MemoryPlan, check_plan, check_replay, plan_memory
from aidge_nb.memory.live.by_rows import RowWindow, lead_of, row_window, works_by_lines
from aidge_nb.memory.place.footprints import place_footprints
from aidge_nb.memory.values.live_range import Footprint, Rectangle, Stream, bound_of, used_at


def dims_known(node: Node, *dims: int) -> Node:
    view = GraphView()
    view.add([node], True)
    assert view.forward_dims([list(dims)])
    return node


@pytest.mark.parametrize(
    ("node", "first"),
    [
        (ops.Conv2D(2, 3, [3, 3], name="n"), [0, 1, 2]),
        (ops.Conv2D(2, 3, [1, 1], name="n"), [0, 1, 2]),
        (ops.PaddedConv2D(2, 3, [3, 3], name="n", padding_dims=[1, 1, 1, 1]), [0, 0, 1]),
        (ops.PaddedConv2D(2, 3, [3, 3], "n", [2, 2], [1, 1, 1, 1]), [0, 1, 3]),
        (ops.MaxPooling2D([2, 2], name="n", stride_dims=[2, 2]), [0, 2, 4]),
        (ops.AvgPooling2D([2, 2], name="n", stride_dims=[1, 1]), [0, 1, 2]),
        (ops.LRN(3, name="n"), [0, 1, 2]),
    ],
    ids=["conv", "pointwise", "padded", "strided", "max", "mean", "lrn"],
)
def test_the_first_row_that_is_needed(node: Node, first: list[int]) -> None:
    window = row_window(dims_known(node, 1, 2, 6, 5))
    assert window is not None
    assert [window.first(row) for row in range(3)] == first


@pytest.mark.parametrize(
    "node",
    [
        ops.ReLU(name="n"),
        ops.Softmax(2, name="n"),
        ops.GlobalAveragePooling(name="n"),
        ops.MaxPooling2D([2, 2], name="n", stride_dims=[2, 2], ceil_mode=True),
    ],
    ids=lambda node: node.type(),
)
def test_not_everything_goes_row_by_row(node: Node) -> None:
    assert row_window(dims_known(node, 1, 2, 5, 5)) is None


@given(
    st.builds(
        RowWindow,
        rows_in=st.integers(1, 9),
        rows_out=st.integers(1, 9),
        batch=st.integers(1, 3),
        stride=st.integers(1, 3),
        above=st.integers(0, 2),
    ),
    st.integers(1, 5),
    st.integers(1, 5),
    st.integers(-3, 3),
)
def test_the_lead_is_the_least_that_is_safe(
    window: RowWindow, row_in: int, row_out: int, more: int
) -> None:
    """Compare with playing it, row by row, in a memory that knows what is needed."""
    source = window.batch * window.rows_in * row_in
    result = window.batch * window.rows_out * row_out
    lead = lead_of(window, source, result) + more

    def is_safe() -> bool:
        rows = list(product(range(window.batch), range(window.rows_out)))
        for number, (sample, row) in enumerate(rows[1:], 1):
            needed = sample * window.rows_in + window.first(row)
            written = set(range(number * row_out))
            if written & set(range(lead + needed * row_in, lead + source)):
                return False
        return True

    if more >= 0:
        assert is_safe()
    elif lead > -source and window.rows_out * window.batch > 1 and lead + source > 0:
        touches = any(
            number * row_out > lead + window.first_of_all(number) * row_in
            and window.first_of_all(number) < window.rows_in * window.batch
            for number in range(1, window.rows_out * window.batch)
        )
        assert is_safe() is not touches


def chain() -> tuple[GraphView, list[Node]]:
    """Make a convolution that widens, one that keeps, and a pooling."""
    nodes = [
        ops.Tanh(name="in"),
        ops.Conv2D(2, 8, [1, 1], name="widen"),
        ops.PaddedConv2D(8, 8, [3, 3], name="keep", padding_dims=[1, 1, 1, 1]),
        ops.ReLU(name="relu"),
        ops.MaxPooling2D([2, 2], name="pool", stride_dims=[2, 2]),
        ops.Softmax(1, name="out"),
    ]
    for parent, child in pairwise(nodes):
        parent.add_child(child, 0, 0)
    view = GraphView("chain")
    view.add(nodes, True)
    assert view.forward_dims([[1, 2, 6, 6]])
    return view, nodes


def test_a_chain_needs_little_more_than_its_largest_value() -> None:
    view, order = chain()
    largest = 8 * 36 * 4
    assert plan_memory(view, order).peak == 2 * largest
    plan = plan_memory(view, order, by_rows=True)
    row = 8 * 6 * 4
    assert plan.peak == plan.lower_bound == largest + row  # the 3 x 3 window lags by one row
    check_plan(plan)
    check_replay(plan, view, order)
    by_name = {buffer.name: buffer for buffer in plan.buffers}
    assert by_name["keep"].in_place_of == ("widen",)
    assert by_name["widen"].offset - by_name["keep"].offset >= row
    assert {name for name, buffer in by_name.items() if buffer.rows} >= {"widen", "keep", "relu"}
    assert MemoryPlan.from_dict(plan.to_dict()) == plan


def test_a_lead_that_is_too_short_is_refused() -> None:
    view, order = chain()
    plan = plan_memory(view, order, by_rows=True)
    keep = next(buffer for buffer in plan.buffers if buffer.name == "keep")
    widen = next(buffer for buffer in plan.buffers if buffer.name == "widen")
    moved = replace(widen, offset=keep.offset + 8 * 6 * 4 - 4)
    wrong = replace(plan, buffers=tuple(moved if b is widen else b for b in plan.buffers))
    match = r"keep \(PaddedConv2D\): row 0 of buffer keep lies on a row of widen that row 1 needs"
    with pytest.raises(MemoryPlanError, match=match):
        check_replay(wrong, view, order)


def test_outputs_of_the_graph_are_not_consumed() -> None:
    view, order = chain()
    view.set_ordered_outputs([(order[1], 0), (order[-1], 0)])
    plan = plan_memory(view, order, by_rows=True)
    check_plan(plan)
    assert "widen" not in {name for buffer in plan.buffers for name in buffer.in_place_of}


@st.composite
def footprints(draw: st.DrawFn) -> list[Footprint]:
    found = []
    for _ in range(draw(st.integers(1, 7))):
        boxes = []
        for _ in range(draw(st.integers(1, 3))):
            lower, start = draw(st.integers(0, 6)), draw(st.integers(0, 4))
            upper, size = lower + draw(st.integers(1, 4)), draw(st.integers(1, 6))
            boxes.append(Rectangle(lower, upper, start, size))
        found.append(Footprint(tuple(sorted(boxes))))
    return found


@given(footprints())
@settings(max_examples=150)
def test_bodies_never_overlap(drawn: list[Footprint]) -> None:
    placed = place_footprints(drawn, {}, 0, rounds=5)
    for tick in range(12):
        taken = np.zeros(placed.peak + 1, int)
        for footprint, offset in zip(drawn, placed.offsets, strict=True):
            mine = np.zeros_like(taken)
            for box in footprint.rectangles:
                if box.lower <= tick < box.upper:
                    mine[offset + box.start : offset + box.start + box.size] = 1
            assert mine.sum() == used_at(footprint, tick)
            taken += mine
        assert taken.max() <= 1
        assert taken.sum() <= bound_of(drawn, {}).size
    assert placed.peak >= bound_of(drawn, {}).size


def test_a_stream_is_kept_by_the_placement_and_counted_by_the_bound() -> None:
    drawn = [Footprint((Rectangle(0, 2, 0, 8),)), Footprint((Rectangle(1, 3, 0, 6),))]
    for lead in (-8, -3, 0, 1, 5, 9):
        streams = {(1, 0): Stream(1, lead)}
        bound = bound_of(drawn, streams)
        placed = place_footprints(drawn, streams, bound.size)
        source, output = placed.offsets
        assert source >= output + lead or output >= source + 8
        assert placed.peak == bound.size == min(14, max(8, 8 + lead))


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (ops.Softmax(-1, name="n"), True),
        (ops.Softmax(2, name="n"), False),
        (ops.LogSoftmax(3, name="n"), True),
        (ops.LayerNorm([5], name="n"), True),
        (ops.LayerNorm([6, 5], axis=2, name="n"), False),
        (ops.Tanh(name="n"), False),
    ],
    ids=["softmax", "along-rows", "log", "norm", "two-axes", "element-wise"],
)
def test_what_works_line_by_line(node: Node, expected: bool) -> None:
    assert works_by_lines(dims_known(node, 1, 2, 6, 5)) is expected


def test_a_softmax_takes_the_place_of_its_input_line_by_line() -> None:
    nodes = [ops.FC(4, 32, name="wide"), ops.Softmax(1, name="soft"), ops.FC(32, 4, name="narrow")]
    for parent, child in pairwise(nodes):
        parent.add_child(child, 0, 0)
    view = GraphView("soft")
    view.add(nodes, True)
    assert view.forward_dims([[3, 4]])
    assert plan_memory(view, nodes).peak == 2 * 3 * 32 * 4
    plan = plan_memory(view, nodes, by_rows=True)
    check_plan(plan)
    check_replay(plan, view, nodes)
    assert plan.peak == 3 * (32 + 4) * 4
    soft = next(buffer for buffer in plan.buffers if buffer.name == "soft")
    assert soft.in_place_of == ("wide",)
    wrong = replace(
        plan,
        peak=1000,
        buffers=tuple(
            replace(b, offset=128) if b is soft else b for b in plan.buffers if b.name != "narrow"
        ),
    )
    with pytest.raises(MemoryPlanError, match=r"soft \(Softmax\): cannot take the place of wide"):
        check_replay(wrong, view, nodes)
