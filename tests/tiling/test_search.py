"""The search against brute force on small chains, and its promises on large ones."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import tiling, zoo
from aidge_nb.errors import GraphError, MemoryPlanError
from aidge_nb.tiling import tile_for
from tests.tiling.graphs import chain_of, ready, run
from tests.tiling.test_chains import block_of


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
    return ready(aidge_nb.sequential(nodes), [1, 3, 14, 14])


def slow_peak(view: aidge_nb.GraphView, found: aidge_nb.Tiling, first: int, last: int) -> int:
    """Walk through a chain of layers by hand, tile by tile, and note the most bytes alive."""
    order = chain_of(view)
    sizes = [node.get_operator().get_output(0).size * 4 for node in order]
    overwrites = [node.type() == "ReLU" for node in order]
    inside = range(first, last + 1)
    result = sizes[last] + (sizes[first - 1] if first else 0)
    most = 0
    for tile, following in zip(found.tiles, [*found.tiles[1:], None], strict=True):
        for at in inside:
            alive = 0
            for other in inside:
                name = order[other].name()
                here, then = tile.part(name), following and following.part(name)
                if here is not None and found.halo == "cache":
                    joined = other
                    while joined and overwrites[joined] and joined > first:
                        joined -= 1
                    if joined > at:
                        alive += here.kept * 4
                if then and other <= at:
                    alive += then.kept * 4
                if here is None or _is_result(order, overwrites, other, last):
                    continue
                if other in (at, at - 1) and not (other == at - 1 and overwrites[at]):
                    alive += prod(each.size for each in here.needed) * 4
            most = max(most, alive)
    outside = []
    for at in range(len(order)):
        if at in inside:
            continue
        before = sizes[at - 1] if at and not overwrites[at] else 0
        outside.append(sizes[at] + before)
    return max([most + result, *outside])


def _is_result(order: list[aidge_nb.Node], overwrites: list[bool], at: int, last: int) -> bool:
    return all(overwrites[other] for other in range(at + 1, last + 1))


def brute_force(view: aidge_nb.GraphView, halos: tuple[str, ...]) -> list[tuple[int, int]]:
    """Weigh every chain that holds the peak, with every grid; give peaks and extra work."""
    order = chain_of(view)
    macs = sum(node.get_operator().macs() or 0 for node in order)
    live = []
    for at, node in enumerate(order):
        before = order[at - 1].get_operator().get_output(0).size if at else 0
        mine = node.get_operator().get_output(0).size
        live.append(4 * (mine + (0 if node.type() == "ReLU" else before)))
    top = live.index(max(live))
    found = [(max(live), macs)]
    for first in range(top + 1):
        for last in range(top, len(order)):
            if last + 1 < len(order) and order[last + 1].type() == "ReLU":
                continue
            nodes = order[first : last + 1]
            rows, columns = order[last].get_operator().get_output(0).dims[2:]
            for halo in halos:
                grids = [{2: count} for count in range(2, rows + 1)]
                if halo == "recompute":
                    grids += [{2: count, 3: count} for count in range(2, min(rows, columns) + 1)]
                for grid in grids:
                    made = aidge_nb.plan_tiling(view, nodes, grid, halo=halo)
                    extra = made.tiled_macs - made.macs
                    found.append((slow_peak(view, made, first, last), macs + extra))
    return found


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("halos", [("recompute",), ("cache",), ("recompute", "cache")])
def test_the_search_finds_what_brute_force_finds(seed: int, halos: tuple[str, ...]) -> None:
    view = simple_chain(seed)
    all_choices = brute_force(view, halos)
    least = min(peak for peak, _ in all_choices)
    found = tile_for(view, halos=halos, max_slices=64)
    assert found.best.peak == least
    assert found.untiled.peak == all_choices[0][0]
    for budget in sorted({peak for peak, _ in all_choices}):
        fewest = min(macs for peak, macs in all_choices if peak <= budget)
        best = tile_for(view, budget, halos=halos, max_slices=64, confirm=False).best
        assert best.peak <= budget
        if budget >= found.untiled.peak:
            assert best == found.untiled
            continue
        assert best.macs == fewest


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
    assert made is not None
    assert made.grid[0] > 1
    plan = aidge_nb.plan_memory(view, view.topological_order(), parts=True)
    assert plan.peak <= 60_000 < found.untiled.peak
    assert np.array_equal(run(view, data), before)


def test_what_fits_is_left_alone() -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    found = tile_for(view, memory=10**9)
    assert found.best == found.untiled
    assert found.extra_macs == 0
    assert found.apply(view) is None
    with pytest.raises(GraphError, match="nothing in this graph is to be tiled"):
        found.best.plan(view)


def test_a_budget_that_nothing_reaches_is_refused_with_the_least() -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    least = tile_for(view).best.peak
    with pytest.raises(MemoryPlanError, match=rf"expected at least {least} bytes, found 100\)"):
        tile_for(view, memory=100)
    wrong: list[Any] = ["64KiB", 1.5, True]
    for memory in wrong:
        with pytest.raises(MemoryPlanError, match="a number of bytes"):
            tile_for(view, memory=memory)
    with pytest.raises(GraphError, match="unknown halo"):
        tile_for(view, halos=["keep"])
    with pytest.raises(GraphError, match="max_slices is 1 or more"):
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
    assert (found.best.halo, found.extra_macs) == ("cache", 0.0)


@pytest.mark.parametrize(("residual_in_place", "kib"), [(False, 196.0), (True, 171.5)])
def test_the_example_of_mcunet(
    mobilenet: aidge_nb.GraphView, residual_in_place: bool, kib: float
) -> None:
    """A network of bytes with depthwise in place: the first convolution and four blocks, 4×4."""
    found = tile_for(
        mobilenet,
        halos=["recompute"],
        bytes_per_element=1,
        depthwise_in_place=True,
        residual_in_place=residual_in_place,
    )
    assert found.untiled.peak == 1372 * 1024
    end = "mobilenetv20_features_linearbottleneck3_batchnorm2_fwd"
    stage = tiling.between(
        mobilenet,
        mobilenet.get_node("mobilenetv20_features_conv0_fwd"),
        mobilenet.get_node(end),
    )
    names = tuple(node.name() for node in stage)
    [four] = [each for each in found.front if each.nodes == names and each.grid == (4, 4)]
    assert four.peak == kib * 1024


def test_line_buffers_bring_mcunets_peak_without_more_work(mobilenet: aidge_nb.GraphView) -> None:
    found = tile_for(
        mobilenet,
        memory=171 * 1024 + 512,
        halos=["cache"],
        bytes_per_element=1,
        depthwise_in_place=True,
        residual_in_place=True,
    )
    assert found.extra_macs == 0
