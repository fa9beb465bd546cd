"""Tiling one layer costs no memory, whatever the layer: also where it overwrites its input."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb import ops
from aidge_nb.core.errors import GraphError, ShapeError
from aidge_nb.graph import GraphView, InputCategory, Node
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.memory import MemoryPlan, check_plan, check_replay, plan_memory
from aidge_nb.runtime import PreparedRun, check_execution
from aidge_nb.tiling.rules import can_tile
from tests.kernels.case import Case
from tests.runtime.models import order_of, random_inputs, zoo_view
from tests.tiling.graphs import Array, ready, run
from tests.tiling.test_every import KNOWN, graph_of
from tests.tiling.test_memory import GRIDS, Grid
from tests.zoo.small import SMALL


def planned(view: GraphView, order: Sequence[Node], **options: Any) -> MemoryPlan:
    """Plan memory with the best placement that can be found, and check the plan."""
    plan = plan_memory(view, order, parts=True, effort=1.0, **options)
    check_plan(plan)
    check_replay(plan, view, order)
    return plan


def tiled_order(view: GraphView, tiling: aidge_nb.Tiling, order: Sequence[Node] = ()) -> list[Node]:
    """Tile nodes, and give an order in which the tiles run when the nodes ran."""
    untiled = order or view.topological_order()
    before = [node for node in untiled if node.type() != "Producer"]
    names = view.unique_names()
    last = next(node for node in before if names[node] == tiling.nodes[-1])
    aidge_nb.apply_tiling(view, tiling)
    view.set_backend("cpu")
    after = view.topological_order()
    made = [node for node in after if node.type() != "Producer" and node not in before]
    at = before.index(last)
    left = [[node for node in part if node in view] for part in (before[:at], before[at:])]
    return [*left[0], *made, *left[1]]


def right_in_every_run(view: GraphView, plan: MemoryPlan, untiled: GraphView) -> None:
    """Compare the bits in poisoned arenas, and where a run is prepared once for many inputs."""
    prepared = PreparedRun(view, plan)
    for seed in range(2):
        data = random_inputs(view, seed)
        expected = run(untiled, data[0])
        assert np.array_equal(check_execution(view, plan, data).outputs[0], expected)
        assert np.array_equal(prepared.run(data)[0], expected)


# --- element-wise layers --------------------------------------------------------------------------

UNARY: list[Callable[[str], Node]] = [
    ops.ReLU,
    lambda name: ops.Tanh(name=name),
    lambda name: ops.LeakyReLU(0.25, name=name),
    lambda name: ops.Clip(name, 0.125, 0.875),
    lambda name: aidge_nb.BatchNorm2D(6, name=name),
]


@pytest.mark.parametrize("number", range(len(GRIDS)))
def test_tiles_of_an_element_wise_layer(number: int) -> None:
    first, last = aidge_nb.Conv2D(2, 6, [1, 1], "first"), aidge_nb.Conv2D(6, 1, [1, 1], "last")
    grid, make = GRIDS[number], UNARY[number % len(UNARY)]
    view = ready(aidge_nb.sequential([first, make("layer"), last]), [2, 2, 8, 9])
    untiled = view.clone()
    untiled.set_backend("cpu")
    before = planned(view, view.topological_order())
    layer = 2 * 6 * 8 * 9 * 4
    assert before.peak == layer + layer // 6
    order = tiled_order(view, aidge_nb.plan_tiling(view, [view.get_node("layer")], grid))
    after = planned(view, order)
    assert after.peak == before.peak == after.lower_bound
    assert planned(view, order, in_place=False).peak > before.peak
    right_in_every_run(view, after, untiled)


@pytest.mark.parametrize("grid", [{0: 3}, {2: 2}, {0: 3, 1: 2, 3: 4}])
@pytest.mark.parametrize("first", ["whole", "small"])
def test_an_operand_that_all_tiles_read(first: str, grid: Grid) -> None:
    """Tiles are written over what they are cut from, also the one that reads the operand last."""
    small = [1, 6, 2, 4] if grid == {0: 3} else [3, 6, 1, 4] if grid == {2: 2} else [3, 1, 2, 1]
    dims, layer, last = {"whole": [3, 6, 2, 4], "small": small}, ops.Sub("layer"), ops.Tanh("last")
    operands = sorted(dims, key=lambda name: name != first)
    nodes = [ops.Tanh(name) for name in operands]
    for number, node in enumerate(nodes):
        node.add_child(layer, 0, number)
    layer.add_child(last)
    view = GraphView("broadcast")
    view.add([*nodes, layer, last])
    inputs = [node.name() for node, _ in view.get_ordered_inputs()]
    assert view.compile("cpu", dims=[dims[name] for name in inputs])
    untiled = view.clone()
    untiled.set_backend("cpu")
    before = planned(view, view.topological_order())
    order = tiled_order(view, aidge_nb.plan_tiling(view, [layer], grid))
    after = planned(view, order)
    assert after.peak <= before.peak
    data = random_inputs(view, 0)
    (expected,) = aidge_nb.SequentialScheduler(untiled).forward(data=data)
    assert np.array_equal(check_execution(view, after, data).outputs[0], expected.array)


@st.composite
def element_wise(draw: st.DrawFn) -> tuple[GraphView, list[Node], Grid]:
    """Draw element-wise layers that read each other between convolutions, and some to tile."""
    dims = [draw(st.integers(1, 3)), 6, draw(st.integers(2, 9)), draw(st.integers(2, 9))]
    first, second = (aidge_nb.Conv2D(6, 6, [1, 1], name) for name in ("first", "second"))
    first.add_child(second)
    nodes, values = [first, second], [first, second]
    for number in range(draw(st.integers(1, 4))):
        if draw(st.integers(0, 2)) == 0:
            node = draw(st.sampled_from([ops.Add, ops.Mul, ops.Sub]))(f"layer{number}")
            values[-1].add_child(node, 0, 0)
            draw(st.sampled_from(values)).add_child(node, 0, 1)
        else:
            node = draw(st.sampled_from(UNARY))(f"layer{number}")
            values[-1].add_child(node, 0, 0)
        values.append(node)
    last = ops.Softmax(1, name="last")
    values[-1].add_child(last)
    nodes = [*values, last]
    view = GraphView("element-wise")
    view.add([*nodes, *(p for node in nodes for p in node.get_parents() if p is not None)], True)
    ready(view, dims, draw(st.integers(0, 9)))
    at = draw(st.integers(2, len(values) - 1))
    grid = {axis: draw(st.integers(1, min(4, dims[axis]))) for axis in range(4)}
    return view, _chain(values, at), grid


def _chain(values: Sequence[Node], at: int) -> list[Node]:
    """Take a layer, and the next one if it reads nothing else and is the only one to read it."""
    pair = list(values[at : at + 2])
    is_chain = (
        len(pair) == 2
        and len(pair[0].output(0)) == 1
        and pair[1].type() not in ("Add", "Mul", "Sub")
    )
    return pair if is_chain else pair[:1]


@given(element_wise(), st.booleans())
@settings(max_examples=20, deadline=None)
def test_random_element_wise_layers(
    drawn: tuple[GraphView, list[Node], Grid], inc_inputs: bool
) -> None:
    view, nodes, grid = drawn
    untiled = view.clone()
    untiled.set_backend("cpu")
    before = planned(view, view.topological_order(), inc_inputs=inc_inputs)
    order = tiled_order(view, aidge_nb.plan_tiling(view, nodes, grid))
    after = planned(view, order, inc_inputs=inc_inputs)
    assert after.lower_bound <= before.lower_bound
    assert after.peak <= before.peak
    right_in_every_run(view, after, untiled)


@pytest.mark.parametrize("grid", GRIDS)
def test_code_that_wants_tensors_in_one_piece(grid: Grid) -> None:
    """Tiles that are one piece each lie over their slices; others are copied, and counted."""
    first, last = aidge_nb.Conv2D(2, 6, [1, 1], "first"), aidge_nb.Conv2D(6, 1, [1, 1], "last")
    view = ready(aidge_nb.sequential([first, ops.ReLU("layer"), last]), [2, 2, 8, 9])
    untiled = view.clone()
    untiled.set_backend("cpu")
    before = planned(view, view.topological_order(), contiguous=True, looped=True)
    order = tiled_order(view, aidge_nb.plan_tiling(view, [view.get_node("layer")], grid))
    after = planned(view, order, contiguous=True, looped=True)
    assert not any(buffer.levels for buffer in after.buffers)
    assert (after.peak == before.peak) == (set(grid) == {0})
    right_in_every_run(view, after, untiled)


# --- layers of networks ---------------------------------------------------------------------------


def layers_cost_nothing(name: str, seed: int, share: int) -> None:
    """Tile layers of a network of the zoo, one at a time, each in some random way."""
    random = np.random.default_rng(seed)
    untiled = zoo_view(name)
    names = [node.name() for node in untiled.topological_order() if can_tile(node)]
    before = {inc: planned(untiled, order_of(untiled), inc_inputs=inc) for inc in (False, True)}
    for layer in random.permutation(names)[: -(-len(names) // share)]:
        view = zoo_view(name)
        node = view.get_node(layer)
        dims = node.get_operator().get_output(0).dims
        grid = {axis: int(random.integers(1, min(4, n) + 1)) for axis, n in enumerate(dims)}
        try:
            tiling = aidge_nb.plan_tiling(view, [node], grid)
        except (GraphError, ShapeError):
            continue
        order = tiled_order(view, tiling, order_of(view))
        for inc_inputs, whole in before.items():
            assert planned(view, order, inc_inputs=inc_inputs).peak <= whole.peak, (layer, grid)


@pytest.mark.parametrize("name", ["inception_like", "densenet_like"])
def test_layers_of_networks_with_branches(name: str) -> None:
    layers_cost_nothing(name, seed=0, share=6)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(SMALL) - {"lstm_classifier"}))
def test_layers_of_all_networks(name: str) -> None:
    layers_cost_nothing(name, seed=1, share=4)


# --- every operator -------------------------------------------------------------------------------


def grids_of(dims: Sequence[int]) -> Iterator[Grid]:
    long = [axis for axis, size in enumerate(dims) if size > 1]
    for axis in long:
        yield {axis: 2}
        yield {axis: dims[axis]}
    for pair in combinations(long, 2):
        yield dict.fromkeys(pair, 2)


def unknown(name: str, like: aidge_nb.Tensor) -> Node:
    """Make an operator of which nothing is known but what its output looks like."""
    node = Node(GenericOperatorOp("Op", [InputCategory.Data], 1), name)
    node.get_operator().get_output(0).resize(like.dims)
    node.get_operator().get_output(0).set_datatype(like.dtype)
    return node


def between(view: GraphView, node: Node) -> None:
    """Let unknown operators compute all data of a layer, and read its result."""
    operator = node.get_operator()
    last = unknown("last", operator.get_output(0))
    node.add_child(last, 0, 0)
    view.add(last)
    for index in range(operator.nb_inputs):
        data, parent = operator.get_input(index), node.input(index)
        if data is None or operator.input_category(index) is not InputCategory.Data:
            continue
        if parent is not None:
            node.remove_parent(index)
            view.remove(parent.node)
        before = unknown(f"before{index}", data)
        before.add_child(node, 0, index)
        view.add(before)


def costs_nothing(case: Case, *, every: bool) -> None:
    """See that no grid takes memory, in the middle of a network and as its only layer."""
    made = graph_of(case)
    if made is None or case.attrs.get("training_mode"):
        return
    view, node = made
    data = case.arrays[0]
    assert data is not None
    grids = list(grids_of(run(view, data).shape))  # element types are known now
    for grid in grids if every else grids[-1:]:
        for alone, inc_inputs in [(True, True), (False, False), (True, False), (False, True)]:
            if every or alone is inc_inputs:
                _costs_nothing(view, node, data, grid, alone=alone, inc_inputs=inc_inputs)


def _costs_nothing(
    view: GraphView, node: Node, data: Array, grid: Grid, *, alone: bool, inc_inputs: bool
) -> None:
    copy, where = view.clone_with_map()
    copy.set_backend("cpu")
    run(copy, data)
    layer = where[node]
    if not alone:
        between(copy, layer)
    try:
        tiling = aidge_nb.plan_tiling(copy, [layer], grid)
    except (GraphError, ShapeError):
        return  # see test_every.py
    untiled = planned(copy, copy.topological_order(), inc_inputs=inc_inputs)
    order = tiled_order(copy, tiling)
    if alone:
        run(copy, data)
    tiled = planned(copy, order, inc_inputs=inc_inputs)
    assert tiled.peak <= untiled.peak, (grid, alone, inc_inputs)
    if alone:
        check_execution(copy, tiled, [data])


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for case, name in KNOWN])
def test_no_operator_takes_more_memory_in_tiles(case: Case) -> None:
    costs_nothing(case, every=False)


@pytest.mark.slow
@pytest.mark.parametrize("case", [pytest.param(case, id=name) for case, name in KNOWN])
def test_no_operator_takes_more_memory_in_any_tiles(case: Case) -> None:
    costs_nothing(case, every=True)
