"""What tiles cost in memory: nothing for one layer, cut in any way, and what is said for chains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb import tiling
from aidge_nb.memory import MemoryPlan, check_plan, check_replay, live_values, lower_bound
from aidge_nb.memory.live.sharing import has_parts
from aidge_nb.runtime import check_execution
from aidge_nb.tiling.build import apply_tilings
from tests.runtime.models import order_of, random_inputs, zoo_view
from tests.tiling.graphs import block_of, chain_of, ready, run
from tests.tiling.test_search import simple_chain
from tests.tiling.test_wide import upsampled

Grid = dict[int, int]


def planned(view: aidge_nb.GraphView, **options: Any) -> MemoryPlan:
    """Plan the memory of a graph, and check the plan."""
    order = view.topological_order()
    plan = aidge_nb.plan_memory(view, order, parts=True, **options)
    check_plan(plan)
    check_replay(plan, view, order)
    return plan


def copies_of(view: aidge_nb.GraphView) -> list[str]:
    """Name the Slice and Concat nodes that cannot work without a copy, even if they shall."""
    order = view.topological_order()
    wanted = has_parts(order)
    live = live_values(view, order, without_copy=wanted, inc_inputs=True)
    values = {value.node: value for storage in live.storages for value in storage.values}
    found = [values[view.unique_names()[node]] for node in wanted]
    return [value.name for value in found if value.view_of is None and not value.made_of]


def convolutions(batch: int, size: tuple[int, int]) -> aidge_nb.GraphView:
    """Make three convolutions, the middle one of which needs the most memory."""
    nodes = [aidge_nb.PaddedConv2D(8, 8, [3, 3], name, padding_dims=[1, 1, 1, 1]) for name in "abc"]
    return ready(aidge_nb.sequential(nodes), [batch, 8, *size])


GRIDS: list[Grid] = [
    {2: 4},
    {3: 4},
    {1: 4},
    {0: 2},
    {2: 4, 3: 4},
    {2: 5, 3: 3},
    {0: 2, 2: 4},
    {0: 2, 3: 5},
    {1: 2, 2: 2},
    {1: 3, 3: 5},
    {1: 3, 2: 4, 3: 5},
    {0: 2, 1: 3, 2: 2, 3: 3},
]


@pytest.mark.parametrize("grid", GRIDS)
def test_tiles_of_one_layer_cost_no_memory(grid: Grid) -> None:
    view = convolutions(2, (16, 15))
    untiled = planned(view)
    aidge_nb.apply_tiling(view, aidge_nb.plan_tiling(view, [view.get_node("b")], grid))
    tiled = planned(view)
    assert tiled.peak == untiled.peak == tiled.lower_bound
    assert copies_of(view) == []
    data = random_inputs(view)
    assert np.array_equal(check_execution(view, tiled, data).outputs[0], run(view, data[0]))


@pytest.mark.parametrize("grid", GRIDS)
def test_tiles_of_a_first_layer_read_what_the_caller_gave(grid: Grid) -> None:
    """Inputs of the graph that are not in the plan are not copied into it, tile by tile."""
    layer = aidge_nb.PaddedConv2D(4, 8, [3, 3], "layer", padding_dims=[1, 1, 1, 1])
    view = ready(aidge_nb.sequential([layer]), [2, 4, 16, 15])
    data = random_inputs(view)
    before, untiled = run(view, data[0]), planned(view)
    aidge_nb.apply_tiling(view, aidge_nb.plan_tiling(view, [layer], grid))
    tiled = planned(view)
    assert tiled.peak == untiled.peak == tiled.lower_bound == before.nbytes
    found = check_execution(view, tiled, data)
    assert np.array_equal(found.outputs[0], before)
    types = {name: node.type() for node, name in view.unique_names().items()}
    assert not any(f.scratch for f in found.firings if types[f.node] in ("Slice", "Concat"))


def stored(plan: MemoryPlan) -> int:
    """Count what is written somewhere: neither cut out nor put together where it is."""
    return sum(buffer.view_of is None and not buffer.made_of for buffer in plan.buffers)


@pytest.mark.parametrize("grid", GRIDS)
def test_code_that_wants_tensors_in_one_piece_pays_for_its_copies(grid: Grid) -> None:
    """What would lie in blocks is copied, and the copies have their bytes in the plan."""
    view = convolutions(2, (8, 9))
    aidge_nb.apply_tiling(view, aidge_nb.plan_tiling(view, [view.get_node("b")], grid))
    views, pieces = planned(view), planned(view, contiguous=True)
    in_blocks = any(buffer.levels for buffer in views.buffers)
    assert in_blocks == (set(grid) != {0})
    assert not any(buffer.levels for buffer in pieces.buffers)
    assert pieces.peak >= views.peak
    assert (stored(pieces) > stored(views)) == in_blocks
    check_execution(view, pieces, random_inputs(view))


@st.composite
def layers(draw: st.DrawFn) -> tuple[aidge_nb.GraphView, Grid]:
    """Draw a layer with a window between two others, and a grid for it."""
    kernel, stride = [draw(st.integers(1, 3))] * 2, draw(st.sampled_from([[1, 1], [2, 2], [2, 1]]))
    pads = [draw(st.integers(0, kernel[0] // 2)) for _ in range(4)]
    kind = draw(st.sampled_from(["dense", "groups", "depthwise", "pooling"]))
    channels = 4 if kind in ("depthwise", "pooling") else draw(st.sampled_from([2, 6]))
    if kind == "depthwise":
        layer = aidge_nb.PaddedConvDepthWise2D(4, kernel, "layer", stride, pads)
    elif kind == "pooling":
        layer = aidge_nb.PaddedMaxPooling2D(kernel, "layer", stride, padding_dims=pads)
    else:
        group = 2 if kind == "groups" else 1
        layer = aidge_nb.PaddedConv2D(4, channels, kernel, "layer", stride, pads, group=group)
    first = aidge_nb.Conv2D(2, 4, [1, 1], "first")
    view = aidge_nb.sequential([first, layer, aidge_nb.Conv2D(channels, 3, [1, 1], "last")])
    sizes = [draw(st.integers(1, 3)), 2, draw(st.integers(4, 9)), draw(st.integers(4, 9))]
    view = ready(view, sizes, seed=draw(st.integers(0, 9)))
    dims = layer.get_operator().get_output(0).dims
    cuts = [1, 2] if kind == "groups" else range(1, channels + 1)  # whole groups
    grid = {0: draw(st.integers(1, dims[0])), 1: draw(st.sampled_from(cuts))}
    return view, {**grid, **{axis: draw(st.integers(1, min(4, dims[axis]))) for axis in (2, 3)}}


@given(layers())
@settings(max_examples=40, deadline=None)
def test_random_tiles_lie_where_the_layer_would_and_keep_their_bits(
    drawn: tuple[aidge_nb.GraphView, Grid],
) -> None:
    view, grid = drawn
    data = random_inputs(view)
    before, untiled = run(view, data[0]), planned(view, inc_inputs=True)
    aidge_nb.apply_tiling(view, aidge_nb.plan_tiling(view, [view.get_node("layer")], grid))
    tiled = planned(view, inc_inputs=True)
    assert tiled.peak <= untiled.peak
    assert copies_of(view) == []
    found = check_execution(view, tiled, data)
    assert found.touched <= tiled.peak
    assert np.array_equal(found.outputs[0], before)


@given(layers())
@settings(max_examples=15, deadline=None)
def test_tiles_of_tiles_are_views_too(drawn: tuple[aidge_nb.GraphView, Grid]) -> None:
    """A tile is tiled once more: slices of slices, and concatenations in concatenations."""
    view, grid = drawn
    data = random_inputs(view)
    before, untiled = run(view, data[0]), planned(view, inc_inputs=True)
    [outer] = apply_tilings(view, [aidge_nb.plan_tiling(view, [view.get_node("layer")], grid)])
    [tile] = [node for node in outer.tiles[-1] if node.type() != "Slice"]
    rows, columns = tile.get_operator().get_output(0).dims[2:]
    inner = {2: min(2, rows), 3: min(3, columns)}
    aidge_nb.apply_tiling(view, aidge_nb.plan_tiling(view, [tile], inner))
    tiled = planned(view, inc_inputs=True)
    assert tiled.peak <= untiled.peak
    assert copies_of(view) == []
    assert np.array_equal(check_execution(view, tiled, data).outputs[0], before)


@pytest.mark.parametrize("name", ["lenet", "mobilenet_v2", "resnet18", "squeezenet"])
def test_layers_of_the_zoo_are_tiled_for_nothing(name: str) -> None:
    view = zoo_view(name)
    data = random_inputs(view)
    order = order_of(view)
    before = check_execution(view, aidge_nb.plan_memory(view, order, parts=True), data).outputs
    untiled = planned(view, inc_inputs=True)
    random = np.random.default_rng(0)
    convolutions = [node for node in order if node.type().endswith("Conv2D")]
    for node in random.permutation(np.array(convolutions, object))[:4]:
        dims = node.get_operator().get_output(0).dims
        grid = {axis: int(random.integers(1, min(4, dims[axis]) + 1)) for axis in (1, 2, 3)}
        aidge_nb.apply_tiling(view, aidge_nb.plan_tiling(view, [node], grid))
    tiled = planned(view, inc_inputs=True)
    assert tiled.peak <= untiled.peak
    assert copies_of(view) == []
    for found, right in zip(check_execution(view, tiled, data).outputs, before, strict=True):
        assert np.array_equal(found, right)


def test_one_layer_costs_no_memory_and_a_chain_saves_some() -> None:
    view = ready(block_of(skip=False), [1, 3, 66, 66])
    nodes = chain_of(view)
    untiled = planned(view)
    data = random_inputs(view)
    before = run(view, data[0])
    one, where = view.clone_with_map()
    aidge_nb.apply_tiling(one, aidge_nb.plan_tiling(one, [where[nodes[0]]], {2: 4, 3: 3}))
    assert planned(one).peak <= untiled.peak
    for grid in ({2: 11}, {2: 11, 3: 3}):
        copy, where = view.clone_with_map()
        chain = [where[node] for node in nodes]
        aidge_nb.apply_tiling(copy, aidge_nb.plan_tiling(copy, chain, grid))
        copy.set_backend("cpu")
        plan = planned(copy)
        assert plan.peak < untiled.peak / 3
        assert np.array_equal(check_execution(copy, plan, data).outputs[0], before)


def graphs() -> dict[str, aidge_nb.GraphView]:
    return {
        "block": ready(block_of(), [1, 3, 22, 22]),
        "upsampled": upsampled(),
        **{f"chain {seed}": simple_chain(seed) for seed in range(3)},
    }


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n == "upsampled" else n for n in graphs()],
)
def test_the_peaks_of_a_front_are_what_lives_if_results_are_reserved(name: str) -> None:
    """To the byte, for all grids of rows and columns; inputs of the graph are not counted."""
    view = graphs()[name]
    front = tiling.tile_for(view, halos=["recompute"]).front
    assert any(chain.grid[1] > 1 for choice in front for chain in choice.chains)
    for choice in [choice for choice in front if choice.chains][::3]:
        copy = view.clone()
        applied = apply_tilings(copy, choice.plan(copy))
        order, names = copy.topological_order(), copy.unique_names()
        live = live_values(copy, order, without_copy=has_parts(order), inc_inputs=True)
        first = {names[each.result]: names[each.tiles[0][0]] for each in applied}
        ranges, inputs = [], 0
        for storage in live.storages:
            found = storage.live_range
            born = [first[value.node] for value in storage.values if value.node in first]
            if storage.values[0].kind == "input":
                inputs += found.size
            else:
                lower = min([found.lower, *map(live.order.index, born)])
                ranges.append(found._replace(lower=lower))
        assert lower_bound(ranges).size == choice.peak
        assert planned(copy, inc_inputs=True).peak <= choice.peak + inputs
        assert planned(copy).peak <= choice.peak
