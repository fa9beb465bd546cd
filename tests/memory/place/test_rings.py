"""Rings of what is on its way, played byte by byte."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph import GenericOperatorOp, GraphView, InputCategory, Node, Operator
from aidge_nb.memory import Memory, MemoryPlan, check_plan, plan_memory, plan_rings
from aidge_nb.scheduling import Elts_t, OperatorImpl, ProdConso

WIDTH = 4
LINE = WIDTH * 4  # bytes


def gift(gives: int, turn: int) -> int:
    """Give the lines of a turn: always one, or more, and every other time one more."""
    return gives + (turn % 2 if gives > 1 else 0)


class Window(ProdConso):
    """Takes a window of lines at first, then some lines each time; protects the whole window."""

    def __init__(self, op: Operator, window: int, stride: int, gives: int) -> None:
        super().__init__(op)
        self.window, self.stride, self.gives, self.turn = window, stride, gives, 0

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        return Elts_t.data_elts(WIDTH * (self.stride if self.turn else self.window))

    def get_nb_required_protected(self, input_idx: int) -> Elts_t:
        return Elts_t.data_elts(WIDTH * self.window)

    def get_required_memory(  # type: ignore[override]  # as models are often written
        self, output_idx: int, inputs_size: Sequence[Sequence[int]]
    ) -> Elts_t:
        return Elts_t.data_elts(WIDTH * gift(self.gives, self.turn))

    def update_consummer_producer(self) -> None:
        super().update_consummer_producer()
        self.turn += 1

    def reset_consummer_producer(self) -> None:
        super().reset_consummer_producer()
        self.turn = 0


class WindowImpl(OperatorImpl):
    def __init__(self, op: Operator, window: int, stride: int, gives: int) -> None:
        super().__init__(op, "cpu")
        self.amounts = window, stride, gives

    def get_prod_conso(self) -> ProdConso:
        return Window(self.get_operator(), *self.amounts)


def stage(name: str, window: int, stride: int = 1, gives: int = 1) -> Node:
    node = aidge_nb.GenericOperator("Window", [InputCategory.Data], 1, name=name)
    operator = node.get_operator()
    assert isinstance(operator, GenericOperatorOp)

    def forward(dims: list[list[int]]) -> list[list[int]]:
        count = max(0, (dims[0][0] - window) // stride + 1)
        return [[sum(gift(gives, turn) for turn in range(count)), WIDTH]]

    operator.set_forward_dims(forward)
    operator.set_impl(WindowImpl(operator, window, stride, gives))
    return node


def pipeline(lines: int, windows: Sequence[tuple[int, int, int]]) -> tuple[GraphView, list[Node]]:
    """Make stages ``s0, s1, ...``, and an order: the last stage that has its data runs."""
    stages = [stage(f"s{i}", *each) for i, each in enumerate(windows)]
    view = aidge_nb.sequential([aidge_nb.Producer([lines, WIDTH], name="image"), *stages])
    assert view.forward_dims()
    there, turns = [lines, *(0 for _ in windows)], [0 for _ in windows]
    order: list[Node] = []
    while True:
        ready = [
            i
            for i, (window, stride, _) in enumerate(windows)
            if there[i] >= window + turns[i] * stride
        ]
        if not ready:
            return view, order
        there[ready[-1] + 1] += gift(windows[ready[-1]][2], turns[ready[-1]])
        turns[ready[-1]] += 1
        order.append(stages[ready[-1]])


def ordered(view: GraphView) -> list[Node]:
    scheduler = aidge_nb.SequentialScheduler(view)
    scheduler.generate_scheduling()
    return scheduler.get_sequential_static_scheduling()


def play(plan: MemoryPlan, windows: Sequence[tuple[int, int, int]]) -> None:
    """Write and read lines at the addresses of a plan of a pipeline."""
    arena: dict[int, tuple[str, int]] = {}
    address: dict[tuple[str, int], int] = {}
    given, turns = dict.fromkeys(plan.order, 0), dict.fromkeys(plan.order, 0)
    born = {(buffer.lower, buffer.node): buffer for buffer in plan.buffers}
    for tick, name in enumerate(plan.order):
        stage_number = int(name[1:])
        window, stride, gives = windows[stage_number]
        first = turns[name] * stride
        for line in range(first, first + window) if stage_number else ():
            source = f"s{stage_number - 1}"
            for byte in range(LINE):
                place = address[source, line * LINE + byte]
                assert arena[place] == (source, line * LINE + byte), f"tick {tick}: {name}"
        buffer = born[tick, name]
        places = [place for low, high in buffer.intervals for place in range(low, high)]
        assert len(places) == gift(gives, turns[name]) * LINE
        for place in places:
            assert place < plan.peak
            address[name, given[name]] = place
            arena[place] = (name, given[name])
            given[name] += 1
        turns[name] += 1
    last = f"s{len(windows) - 1}"
    for byte in range(given.get(last, 0)):  # the result
        assert arena[address[last, byte]] == (last, byte), f"tick {len(plan.order)}: the end"


THREE = [(1, 1, 1), (3, 1, 1), (3, 1, 1)]


def test_a_window_keeps_its_lines_and_no_more() -> None:
    view, order = pipeline(12, THREE)
    plan = plan_rings(view, order)
    check_plan(plan)
    play(plan, THREE)
    assert plan.is_optimal
    assert plan.peak == (8 + 3 + 2) * LINE  # the result, a window, and the lines of the next one
    assert plan_memory(view, order).peak > plan.peak


def test_the_ring_does_not_grow_with_the_image() -> None:
    peaks = [plan_rings(*pipeline(lines, THREE)).peak - lines * LINE for lines in (12, 24, 48)]
    assert len({*peaks}) == 1


def test_pieces_that_do_not_fill_a_ring_wrap_around() -> None:
    windows = [(1, 1, 2), (5, 1, 1)]
    plan = plan_rings(*pipeline(22, windows))
    check_plan(plan)
    play(plan, windows)
    assert any(buffer.wrapped_size for buffer in plan.buffers)


WINDOWS = st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 3)).map(
    lambda each: (max(each[0], each[1]), each[1], each[2])
)


@given(st.integers(8, 20), st.lists(WINDOWS, min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_pipeline_finds_what_it_reads(lines: int, windows: list[tuple[int, int, int]]) -> None:
    plan = plan_rings(*pipeline(lines, windows))
    check_plan(plan)
    play(plan, windows)


def test_a_broken_plan_is_found_by_playing() -> None:
    values = plan_rings(*pipeline(8, THREE)).to_dict()
    buffers = [{**buffer, "offset": 0, "wrapped_size": 0} for buffer in values["buffers"]]
    with pytest.raises(AssertionError, match="tick"):
        play(MemoryPlan.from_dict({**values, "buffers": buffers}), THREE)


def test_whole_tensors_are_rings_of_one_piece() -> None:
    view = aidge_nb.sequential([aidge_nb.FC(4, 8, name="a"), aidge_nb.FC(8, 2, name="b")])
    assert view.forward_dims([[1, 4]])
    order = view.topological_order()
    plan = plan_rings(view, order)
    assert [(b.name, b.lower, b.upper) for b in plan.buffers] == [("a", 0, 2), ("b", 1, 2)]
    assert plan.peak == plan_memory(view, order).peak == 40


def test_a_slice_that_comes_back_keeps_its_tensor() -> None:
    """`Pop` protects all of its input: it comes back for the other slices."""
    nodes = [aidge_nb.Tanh(name="t"), aidge_nb.Pop(name="pop"), aidge_nb.ReLU(name="r")]
    view = aidge_nb.sequential([aidge_nb.Producer([3, 4], name="x"), *nodes])
    assert view.forward_dims()
    plan = plan_rings(view, ordered(view))
    check_plan(plan)
    lives = {buffer.name: buffer.upper for buffer in plan.buffers}
    assert lives["t"] == 1 + max(i for i, name in enumerate(plan.order) if name == "pop")


def test_unknown_dims_and_tokens_are_refused() -> None:
    view = aidge_nb.sequential([aidge_nb.FC(4, 8, name="a"), aidge_nb.FC(8, 2, name="b")])
    with pytest.raises(MemoryPlanError, match=r"a \(FC\).*forward_dims"):
        plan_rings(view, view.topological_order())


# --- among all other ways to share memory -----------------------------------------------------


def test_rings_join_the_plan_of_a_graph() -> None:
    view, order = pipeline(12, THREE)
    plan = plan_memory(view, order, rings=True)
    check_plan(plan)
    play(plan, THREE)
    assert plan.is_optimal
    assert plan.peak == plan_rings(view, order).peak < plan_memory(view, order).peak


@given(st.integers(8, 20), st.lists(WINDOWS, min_size=1, max_size=4), st.sampled_from([1, 4, LINE]))
@settings(max_examples=40, deadline=None)
def test_any_pipeline_finds_what_it_reads_in_the_plan_of_a_graph(
    lines: int, windows: list[tuple[int, int, int]], alignment: int
) -> None:
    view, order = pipeline(lines, windows)
    assume(len({*order}) == len(windows))  # each stage runs
    plan = plan_memory(view, order, rings=True, alignment=alignment)
    check_plan(plan)
    play(plan, windows)
    assert plan.peak <= plan_memory(view, order, alignment=alignment).peak


def test_what_follows_a_pipeline_is_planned_as_ever() -> None:
    """The result of the pipeline is overwritten in place once it is whole, and has no ring then."""
    view, order = pipeline(12, THREE)
    last = order[-1]
    relu, fc = aidge_nb.ReLU(name="relu"), aidge_nb.FC(WIDTH, 2, name="fc")
    last.add_child(relu)
    relu.add_child(fc)
    view.add([relu, fc])
    assert view.forward_dims()
    plan = plan_memory(view, [*order, relu, fc], rings=True)
    check_plan(plan)
    by_node: dict[str, int] = {}
    for buffer in plan.buffers:
        by_node[buffer.node] = by_node.get(buffer.node, 0) + 1
    assert by_node == {"s0": 12, "s1": 10, "s2": 1, "relu": 1, "fc": 1}
    [relu_buffer] = [buffer for buffer in plan.buffers if buffer.node == "relu"]
    assert relu_buffer.in_place_of == ("s2",)
    assert plan.peak < plan_memory(view, [*order, relu, fc]).peak


def test_pieces_that_would_not_be_aligned_have_no_ring() -> None:
    view, order = pipeline(12, THREE)
    options: dict[str, Any] = {"alignment": 4 * LINE}
    assert plan_memory(view, order, rings=True, **options) == plan_memory(view, order, **options)


def test_values_of_their_own_have_no_ring() -> None:
    nodes = [aidge_nb.Pop(name="pop"), aidge_nb.FC(4, 2, name="a"), aidge_nb.Tanh(name="b")]
    view = aidge_nb.sequential([aidge_nb.Producer([6, 4], name="data"), *nodes])
    assert view.forward_dims()
    assert plan_memory(view, ordered(view), rings=True) == plan_memory(view, ordered(view))


def test_rings_lie_in_the_memories_that_there_are() -> None:
    view, order = pipeline(12, THREE)
    plan = plan_memory(view, order, rings=True, memories=[Memory("a", 100), Memory("b", 1000)])
    check_plan(plan)
    play(plan, THREE)
    assert all(use.peak for use in plan.memories)


def test_rings_and_one_address_for_every_turn_exclude_each_other() -> None:
    view, order = pipeline(12, THREE)
    with pytest.raises(MemoryPlanError, match=r"looped=True and rings=True cannot be combined"):
        plan_memory(view, order, rings=True, looped=True)
