"""Slices of slices and concatenations in concatenations run where they lie, with the same bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb import ops
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import Buffer, MemoryPlan, check_plan, check_replay, live_values, plan_memory
from aidge_nb.memory.live.sharing import has_parts
from aidge_nb.runtime import check_execution, run_in_arena
from tests.runtime.models import random_inputs

UNARY: list[Callable[[str], Node]] = [
    lambda name: ops.Tanh(name=name),
    lambda name: ops.ReLU(name=name),
    lambda name: ops.Softmax(-1, name=name),
    lambda name: ops.Sigmoid(name=name),
]


class _Nest:
    """Builds a graph that takes a tensor apart, works on the parts, and puts them together."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw, self.nodes = draw, list[Node]()

    def add(self, node: Node, *parents: Node) -> Node:
        for index, parent in enumerate(parents):
            parent.add_child(node, 0, index)
        self.nodes.append(node)
        return node

    def name(self) -> str:
        return f"n{len(self.nodes)}"

    def work(self, node: Node) -> Node:
        return self.add(self.draw(st.sampled_from(UNARY))(self.name()), node)

    def cut(self, node: Node, dims: Sequence[int], ends: dict[int, tuple[int, int]]) -> Node:
        axes = sorted(ends)
        begins, stops = [ends[axis][0] for axis in axes], [ends[axis][1] for axis in axes]
        return self.add(ops.Slice(begins, stops, axes, [1] * len(axes), self.name()), node)

    def build(self, node: Node, dims: tuple[int, ...], depth: int) -> Node:
        """Give a node of the same dimensions."""
        long = [axis for axis, size in enumerate(dims) if size > 1]
        if not depth or not long or self.draw(st.integers(0, 4)) == 0:
            return self.work(node)
        axis = self.draw(st.sampled_from(long))
        at = self.draw(st.integers(1, dims[axis] - 1))
        halves = []
        for low, high in ((0, at), (at, dims[axis])):
            ends = {axis: (low, high)}
            for other in long:  # all of it, said in so many words
                if other != axis and self.draw(st.booleans()):
                    ends[other] = (0, dims[other])
            part = self.cut(node, dims, ends)
            sizes = (*dims[:axis], high - low, *dims[axis + 1 :])
            halves.append(self.build(part, sizes, depth - 1))
        joined = self.add(ops.Concat(2, axis, self.name()), *halves)
        return self.work(joined) if self.draw(st.booleans()) else joined


@st.composite
def nests(draw: st.DrawFn) -> GraphView:
    """Draw a graph that takes a tensor apart along any axes, again and again."""
    nest = _Nest(draw)
    dims = tuple(draw(st.lists(st.integers(2, 5), min_size=2, max_size=4)))
    first = nest.add(ops.Tanh(name="first"))
    nest.add(ops.Softmax(0, name="last"), nest.build(first, dims, draw(st.integers(1, 4))))
    view = GraphView("nest")
    view.add(nest.nodes, True)
    assert view.forward_dims([dims], True)
    view.set_backend("cpu")
    return view


@given(nests(), st.booleans(), st.sampled_from([1, 4, 16]))
@settings(max_examples=60, deadline=None)
def test_nests_run_in_the_arena(view: GraphView, in_place: bool, alignment: int) -> None:
    order, data = view.topological_order(), random_inputs(view)
    expected = aidge_nb.SequentialScheduler(view).forward(data=data)
    plan = plan_memory(view, order, parts=True, in_place=in_place, alignment=alignment)
    check_plan(plan)
    check_replay(plan, view, order)
    run = check_execution(view, plan, data)
    assert run.outputs[0].tobytes() == expected[0].array.tobytes()
    assert plan.peak <= plan_memory(view, order, in_place=in_place, alignment=alignment).peak


@given(nests())
@settings(max_examples=30, deadline=None)
def test_nests_need_no_copy(view: GraphView) -> None:
    """Where nothing is in place, each Slice and each Concat can stay where it is."""
    order = view.topological_order()
    live = live_values(view, order, without_copy=has_parts(order), in_place=False)
    values = {value.name: value for storage in live.storages for value in storage.values}
    for node in order:
        if node.type() == "Slice":
            assert values[node.name()].view_of is not None
        if node.type() == "Concat":
            assert values[node.name()].made_of


def test_levels_that_are_no_array_are_refused() -> None:
    view = aidge_nb.sequential([ops.ReLU(name="a")])
    view.forward_dims([[2, 3]])
    view.set_backend("cpu")
    buffer = Buffer("a", "a", 0, 24, 0, 1, 0, levels=((3, 16),))
    plan = MemoryPlan(("a",), (buffer,), 40, 40)
    with pytest.raises(
        MemoryPlanError, match=r"buffer a: does not lie in memory as an array.*2, 3"
    ):
        run_in_arena(view, plan, random_inputs(view))
