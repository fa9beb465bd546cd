"""The search against brute force on small chains, and its promises on large ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise, product
from math import prod
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import tiling, zoo
from aidge_nb.core.errors import GraphError, MemoryPlanError, ShapeError
from aidge_nb.tiling import tile_for
from aidge_nb.tiling.search import least_choice
from tests.tiling.graphs import block_of, chain_of, ready, run

TILED_FIRST = ("Conv2D", "PaddedConv2D", "FC")


def simple_chain(seed: int) -> aidge_nb.GraphView:
    """Make a chain of a few random layers, with a large tensor inside."""
    random = np.random.default_rng(seed)
    nodes: list[aidge_nb.Node] = []
    channels = 3
    for number in range(int(random.integers(2, 5))):
        outs = int(random.integers(2, 9))
        kernel, stride = int(random.integers(1, 4)), int(random.integers(1, 3))
        pads = [kernel // 2] * 4
        nodes.append(
            aidge_nb.PaddedConv2D(channels, outs, [kernel] * 2, f"c{number}", [stride] * 2, pads)
        )
        if random.integers(2):
            nodes.append(aidge_nb.ReLU(f"r{number}"))
        channels = outs
    return ready(aidge_nb.sequential(nodes), [1, 3, 12, 9])


Cost = tuple[int, int, int]  # peak, multiply-accumulates, traffic


def slow_costs(view: aidge_nb.GraphView, found: aidge_nb.Tiling, first: int, last: int) -> Cost:
    """Walk through a chain of layers by hand, tile by tile; note the most bytes alive."""
    order = chain_of(view)
    sizes = [node.get_operator().get_output(0).size * 4 for node in order]
    overwrites = [node.type() == "ReLU" for node in order]
    inside = range(first, last + 1)
    result = sizes[last] + (sizes[first - 1] if first else 0)
    most, moved = 0, sizes[last]
    for tile, following in zip(found.tiles, [*found.tiles[1:], None], strict=True):
        for at in inside:
            alive = 0
            for other in inside:
                name = order[other].name()
                needed, kept = held(tile, name)
                if other >= at:  # then it lies beside what is new
                    alive += kept
                if other <= at:
                    alive += held(following, name)[1]
                if _is_result(order, overwrites, other, last):
                    continue
                if other in (at, at - 1) and not (other == at - 1 and overwrites[at]):
                    alive += needed
            most = max(most, alive)
        start = tile.part(order[first].name())
        if start is not None:
            moved += prod(each.size for each in dict(start.inputs)[0]) * 4
        moved += sum(parameters_of(order[at]) for at in inside)
    return most + result, found.tiled_macs, moved


def held(tile: aidge_nb.tiling.Tile | None, name: str) -> tuple[int, int]:
    """Give the bytes that a tile needs of a node, and those that it has from the tile before."""
    part = tile and tile.part(name)
    if part:
        return prod(each.size for each in part.needed) * 4, part.kept * 4
    region = dict(tile.reused).get(name) if tile else None
    size = prod(each.size for each in region) * 4 if region else 0
    return size, size


def parameters_of(node: aidge_nb.Node) -> int:
    tensors = (node.get_operator().get_input(index) for index in range(1, node.get_nb_inputs()))
    return sum(tensor.nbytes for tensor in tensors if tensor is not None)


def _is_result(order: list[aidge_nb.Node], overwrites: list[bool], at: int, last: int) -> bool:
    return all(overwrites[other] for other in range(at + 1, last + 1))


def whole_costs(order: list[aidge_nb.Node], at: int) -> Cost:
    """Weigh a node that is not tiled."""
    operator = order[at].get_operator()
    source = operator.get_input(0)
    assert source is not None
    macs = operator.macs() or 0
    before, mine = source.size * 4, operator.get_output(0).size * 4
    if order[at].type() == "ReLU":
        return mine, macs, 0
    return (before if at else 0) + mine, macs, before + mine + parameters_of(order[at])


def front_of(costs: set[Cost]) -> set[Cost]:
    return {
        one
        for one in costs
        if not any(
            other != one and all(a <= b for a, b in zip(other, one, strict=True)) for other in costs
        )
    }


def brute_force(view: aidge_nb.GraphView, halos: tuple[str, ...]) -> set[Cost]:
    """Weigh every set of chains that do not touch, with every grid of each."""
    order = chain_of(view)
    ways: list[dict[int, set[Cost]]] = [{} for _ in order]
    for first in range(len(order)):
        for last in range(first, len(order)):
            if last + 1 < len(order) and order[last + 1].type() == "ReLU":
                continue
            nodes = order[first : last + 1]
            rows, columns = order[last].get_operator().get_output(0).dims[2:]
            costs = set()
            for halo in halos:
                for high, wide in product(range(1, rows + 1), range(1, columns + 1)):
                    if (halo == "cache" and min(high, wide) > 1) or high == wide == 1:
                        continue
                    made = aidge_nb.plan_tiling(view, nodes, {2: high, 3: wide}, halo=halo)
                    costs.add(slow_costs(view, made, first, last))
            ways[last][first] = front_of(costs)
    reached: list[set[Cost]] = [{(0, 0, 0)}]
    for at in range(len(order)):
        steps = {(at, cost) for cost in [whole_costs(order, at)]}
        steps |= {(first, cost) for first, costs in ways[at].items() for cost in costs}
        joined = {
            (max(a[0], b[0]), a[1] + b[1], a[2] + b[2])
            for first, b in steps
            for a in reached[first]
        }
        reached.append(front_of(joined))
    return reached[-1]


def three_convolutions(seed: int) -> aidge_nb.GraphView:
    """Make a short chain in which the peak moves when one part of it is tiled."""
    random = np.random.default_rng(seed)
    wide, thin = (int(random.integers(low, low + 4)) for low in (6, 2))
    channels = [3, wide, thin, wide, thin]
    nodes: list[aidge_nb.Node] = []
    for number, (ins, outs) in enumerate(pairwise(channels)):
        kernel = int(random.integers(1, 4))
        pads = [kernel // 2] * 4
        nodes.append(aidge_nb.PaddedConv2D(ins, outs, [kernel] * 2, f"c{number}", [1, 1], pads))
        if random.integers(2):
            nodes.append(aidge_nb.ReLU(f"r{number}"))
    return ready(aidge_nb.sequential(nodes), [1, 3, 8, 8])


@pytest.mark.parametrize("make", [simple_chain, three_convolutions])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("halos", [("recompute",), ("cache",), ("recompute", "cache")])
def test_the_front_is_that_of_brute_force(
    make: Callable[[int], aidge_nb.GraphView], seed: int, halos: tuple[str, ...]
) -> None:
    view = make(seed)
    front = brute_force(view, halos)
    found = tile_for(view, halos=halos, max_slices=64)
    assert {(each.peak, each.macs, each.traffic) for each in found.front} == front
    assert found.best.peak == min(peak for peak, _, _ in front)
    for budget in sorted({peak for peak, _, _ in front}):
        best = tile_for(view, budget, halos=halos, max_slices=64, confirm=False).best
        if budget >= found.untiled.peak:
            assert best == found.untiled
            continue
        fitting = [(macs, traffic) for peak, macs, traffic in front if peak <= budget]
        assert (best.macs, best.traffic) == min(fitting)


def test_several_chains_go_below_what_one_reaches() -> None:
    view = three_convolutions(1)
    found = tile_for(view, memory=2_200, halos=["recompute"])
    assert len(found.best.chains) > 1
    assert found.extra_macs == 0
    data = np.random.default_rng(0).standard_normal((1, 3, 8, 8)).astype(np.float32)
    before = run(view, data)
    tilings = found.apply(view)
    assert [made.nodes for made in tilings] == [chain.nodes for chain in found.best.chains]
    assert np.array_equal(run(view, data), before)
    plan = aidge_nb.plan_memory(view, view.topological_order(), parts=True)
    assert plan.peak <= 2_200


@pytest.mark.parametrize("seed", range(5))
def test_nothing_on_the_front_is_beaten_and_all_else_is(seed: int) -> None:
    view = simple_chain(seed)
    front = tile_for(view).front
    for one in front:
        for other in front:
            worse = [one.peak >= other.peak, one.macs >= other.macs, one.traffic >= other.traffic]
            assert one is other or not all(worse)
    assert list(front) == sorted(front, key=lambda each: each.peak)


def test_the_best_choice_is_applied_with_the_same_bits_and_its_peak_holds() -> None:
    view = ready(block_of(), [1, 3, 66, 66])
    data = np.random.default_rng(0).standard_normal((1, 3, 66, 66)).astype(np.float32)
    before = run(view, data)
    found = tile_for(view, memory=60_000)
    made = found.apply(view)
    assert made[0].grid[0] > 1
    plan = aidge_nb.plan_memory(view, view.topological_order(), parts=True)
    assert plan.peak <= 60_000 < found.untiled.peak
    assert np.array_equal(run(view, data), before)


def test_a_tiled_graph_goes_on_to_a_memory_order_and_a_plan_within_the_budget() -> None:
    convs = [aidge_nb.Conv2D(8, 8, [3, 3], f"conv{number}") for number in range(3)]
    pool = aidge_nb.MaxPooling2D([4, 4], "pool", [4, 4])
    view = ready(aidge_nb.sequential([*convs, pool]), [1, 8, 38, 38])
    found = tile_for(view, memory=20_000)
    assert found.untiled.peak > 20_000
    found.apply(view)
    plan = aidge_nb.plan_memory(view, aidge_nb.order_for_memory(view), parts=True)
    assert plan.peak <= 20_000


@pytest.mark.parametrize("make", [simple_chain, three_convolutions])
@pytest.mark.parametrize("seed", range(6))
def test_the_least_peak_alone_is_the_best_without_a_budget(
    make: Callable[[int], aidge_nb.GraphView], seed: int
) -> None:
    view = make(seed)
    assert least_choice(view) == tile_for(view).best


def test_what_fits_is_left_alone() -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    found = tile_for(view, memory=10**9)
    assert found.best == found.untiled
    assert found.extra_macs == 0
    assert found.apply(view) == ()
    with pytest.raises(GraphError, match="nothing in this graph is to be tiled"):
        found.best.plan(view)


def test_a_budget_that_nothing_reaches_is_refused_with_the_least() -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    nodes = list(view)
    message = r"no tiling fits .*at least (\d+) bytes, found 100\)\. The least is .* in .* tiles"
    with pytest.raises(MemoryPlanError, match=message) as caught:
        tile_for(view, memory=100)
    [least] = map(int, re.findall(r"at least (\d+) bytes", str(caught.value)))
    assert list(view) == nodes
    found = tile_for(view, memory=least)  # what is named is possible
    found.apply(view)
    plan = aidge_nb.plan_memory(view, view.topological_order(), parts=True)
    assert plan.peak <= least
    wrong: list[Any] = ["64KiB", 1.5, True]
    for memory in wrong:
        with pytest.raises(MemoryPlanError, match=r"a number of bytes .expected 65536, say"):
            tile_for(view, memory=memory)
    for options, legal in (
        ({"max_slices": "3"}, "max_slices must be 1 or more .expected 1, found '3'"),
        ({"bytes_per_element": -1}, "bytes_per_element must be 0 or more .expected 0, found -1"),
        ({"halos": "recompute"}, r"unknown halo .expected some of \['recompute', 'cache'\]"),
    ):
        bad: dict[str, Any] = dict(options)
        with pytest.raises(GraphError, match=legal):
            tile_for(view, **bad)
    with pytest.raises(GraphError, match="unknown halo"):
        tile_for(view, halos=["keep"])
    with pytest.raises(GraphError, match="max_slices must be 1 or more"):
        tile_for(view, max_slices=0)


def test_graphs_in_which_nothing_can_be_tiled_are_left_alone() -> None:
    view = ready(aidge_nb.sequential([aidge_nb.FC(8, 4, name="fc")]), [1, 8])
    assert tile_for(view).front == (tile_for(view).untiled,)


@pytest.fixture(scope="module")
def mobilenet() -> aidge_nb.GraphView:
    view = zoo.load("mobilenet_v2")
    view.set_backend("cpu")
    assert view.forward_dims([[1, 3, 224, 224]], allow_data_dependency=True)
    return view


def test_mobilenet_fits_into_a_fifth_of_its_memory(mobilenet: aidge_nb.GraphView) -> None:
    data = np.random.default_rng(0).standard_normal((1, 3, 224, 224)).astype(np.float32)
    copy = mobilenet.clone()
    before = run(copy, data)
    found = tile_for(copy, memory=1_326_080, halos=["recompute"])
    assert found.untiled.peak == 6_021_120
    assert found.extra_macs <= 0.109
    found.apply(copy)
    plan = aidge_nb.plan_memory(copy, copy.topological_order(), parts=True)
    assert plan.peak <= 1_326_080
    assert np.array_equal(run(copy, data), before)


def test_kept_halos_cost_no_more_work(mobilenet: aidge_nb.GraphView) -> None:
    found = tile_for(mobilenet, memory=1_326_080, confirm=False)
    assert {chain.halo for chain in found.best.chains} == {"cache"}
    assert found.extra_macs == 0.0


def test_the_example_of_mcunet_goes_below_128_kib(mobilenet: aidge_nb.GraphView) -> None:
    """A network of bytes, depthwise and residuals in place: several chains in one search."""
    found = tile_for(
        mobilenet,
        memory=128 * 1024 - 1,
        bytes_per_element=1,
        depthwise_in_place=True,
        residual_in_place=True,
    )
    assert found.untiled.peak == 1372 * 1024
    assert found.best.peak < 128 * 1024
    assert found.extra_macs < 0.1
    assert len(found.best.chains) > 1
    assert "cache" in {chain.halo for chain in found.best.chains}


def test_a_graph_without_nodes_has_nothing_to_tile() -> None:
    found = tile_for(aidge_nb.GraphView())
    assert (found.best.chains, found.best.peak) == ((), 0)


def test_what_is_no_graph_is_refused() -> None:
    view = simple_chain(2)
    tiling = aidge_nb.plan_tiling(view, [next(iter(view))], {2: 2})
    acts: list[Callable[[Any], object]] = [
        aidge_nb.tile_for,
        lambda graph: aidge_nb.plan_tiling(graph, [], {2: 2}),
        lambda graph: aidge_nb.apply_tiling(graph, tiling),
    ]
    for act in acts:
        with pytest.raises(GraphError, match=r"expected a GraphView, found str.*load_onnx"):
            act("model.onnx")


@pytest.mark.parametrize("name", list(zoo.MODELS))
def test_networks_without_dimensions_are_refused_with_the_cure(name: str) -> None:
    view = zoo.load(name)
    nodes = list(view)
    layer = next(node for node in view.topological_order() if node.type() in TILED_FIRST)
    with pytest.raises(MemoryPlanError, match=r"dimensions are unknown\. Call forward_dims\(\)"):
        tile_for(view, memory=100_000)
    with pytest.raises(MemoryPlanError, match=r"dimensions are unknown\. Call forward_dims\(\)"):
        tile_for(view, memory=100_000, bytes_per_element=1)
    with pytest.raises(ShapeError, match=r"no dimensions yet\. Call forward_dims\(\)"):
        tiling.plan_tiling(view, layer, {0: 2})
    with pytest.raises(ShapeError, match=r"no dimensions yet\. Call forward_dims\(\)"):
        tiling.tile_layer(view, layer, 65536)
    if layer.type() != "FC":
        with pytest.raises(ShapeError, match=r"no dimensions yet\. Call forward_dims\(\)"):
            tiling.get_conv_horizontal_tiling(layer, 2, 2)
    assert tiling.between(view, layer, layer) == [layer]  # needs none
    assert list(view) == nodes
    assert layer.get_operator().get_output(0).undefined()
