"""Operators and chains of them, tiled in every way that they can be: always the same bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import tiling
from aidge_nb.errors import GraphError, ShapeError
from tests.tiling.graphs import assert_same_bits, chain_of, ready, run

Make = Callable[[], aidge_nb.Node]

ONE: dict[str, tuple[Make, list[int], list[dict[int, int]]]] = {
    "convolution": (
        lambda: aidge_nb.Conv2D(5, 12, [3, 2], "n", [2, 1], [1, 2]),
        [2, 5, 19, 17],
        [{2: 4}, {3: 5}, {1: 5}, {0: 2}, {2: 2, 3: 3}, {0: 2, 1: 2, 2: 3, 3: 2}],
    ),
    "padded": (
        lambda: aidge_nb.PaddedConv2D(5, 12, [3, 3], "n", [2, 1], [1, 2, 2, 1]),
        [2, 5, 19, 17],
        [{2: 4}, {3: 5}, {1: 12}, {2: 2, 3: 3}],
    ),
    "groups": (
        lambda: aidge_nb.PaddedConv2D(6, 9, [3, 3], "n", padding_dims=[1] * 4, group=3),
        [1, 6, 9, 9],
        [{1: 3}, {2: 4, 3: 2}],
    ),
    "depthwise": (
        lambda: aidge_nb.PaddedConvDepthWise2D(7, [3, 3], "n", [2, 2], [1, 1, 1, 1]),
        [1, 7, 20, 21],
        [{1: 3}, {2: 5}, {3: 4}, {2: 3, 3: 3}],
    ),
    "one dimension": (
        lambda: aidge_nb.PaddedConv1D(3, 4, [5], "n", [2], [2, 2]),
        [2, 3, 31],
        [{2: 5}, {1: 2}],
    ),
    "three dimensions": (
        lambda: aidge_nb.Conv3D(2, 3, [2, 3, 2], "n"),
        [1, 2, 7, 8, 9],
        [{2: 3}, {3: 2, 4: 3}],
    ),
    "maximum": (
        lambda: aidge_nb.PaddedMaxPooling2D([3, 3], "n", [2, 2], padding_dims=[1, 1, 1, 1]),
        [1, 4, 23, 22],
        [{2: 5}, {3: 3}, {1: 2}, {2: 2, 3: 2}],
    ),
    "rounded up": (
        lambda: aidge_nb.MaxPooling2D([3, 3], "n", [2, 2], ceil_mode=True),
        [1, 2, 14, 16],
        [{2: 7}, {2: 3, 3: 2}],
    ),
    "mean": (
        lambda: aidge_nb.PaddedAvgPooling2D([3, 3], "n", [2, 2], padding_dims=[1, 1, 1, 1]),
        [1, 4, 23, 22],
        [{2: 5}, {3: 3}, {2: 2, 3: 2}],
    ),
    "mean without pads": (
        lambda: aidge_nb.PaddedAvgPooling2D(
            [3, 3], "n", [1, 1], padding_dims=[1, 1, 1, 1], count_include_pad=False
        ),
        [1, 4, 11, 9],
        [{2: 5}, {3: 3}],
    ),
    "global mean": (lambda: aidge_nb.GlobalAveragePooling("n"), [2, 6, 5, 5], [{1: 4}, {0: 2}]),
    "normalisation": (lambda: aidge_nb.BatchNorm2D(6, name="n"), [2, 6, 5, 5], [{1: 4}, {2: 3}]),
    "activation": (lambda: aidge_nb.LeakyReLU(0.1, name="n"), [3, 50], [{1: 7}, {0: 2}]),
    "softmax": (lambda: aidge_nb.Softmax(1, name="n"), [3, 6, 5], [{0: 2}, {2: 5}]),
    "border": (lambda: aidge_nb.Pad([1, 2, 0, 3], "n"), [1, 2, 9, 9], [{2: 4}, {3: 3}]),
}


@pytest.mark.parametrize(
    ("name", "grid"), [(name, grid) for name, (_, _, grids) in ONE.items() for grid in grids]
)
def test_tiles_of_one_node_have_the_bits_of_the_whole(name: str, grid: dict[int, int]) -> None:
    make, dims, _ = ONE[name]
    view = ready(aidge_nb.sequential([make()]), dims)
    found = assert_same_bits(view, chain_of(view), grid)
    assert len(found.tiles) == int(np.prod(list(grid.values())))


@pytest.mark.parametrize("block", range(10))
def test_transposed_convolutions(block: int) -> None:
    random = np.random.default_rng(block)
    for _ in range(6):
        kernel, strides, dilations = (random.integers(1, 4, 2).tolist() for _ in range(3))
        node = aidge_nb.ConvTranspose2D(
            3, 5, kernel, stride_dims=strides, dilation_dims=dilations, name="n"
        )
        node.get_operator().attr.pads = tuple(
            int(random.integers(0, dilation * (k - 1) // 2 + 1))
            for k, dilation in [*zip(kernel, dilations, strict=True)] * 2
        )
        view = ready(aidge_nb.sequential([node]), [1, 3, 6, 7])
        rows = node.get_operator().get_output(0).dims[2]
        for grid in ({2: int(random.integers(1, rows + 1))}, {2: 2, 3: 3}, {1: 2}):
            copy, where = view.clone_with_map()
            assert_same_bits(copy, [where[node]], grid)


def block_of(stride: int = 1, *, skip: bool = True) -> aidge_nb.GraphView:
    """Make an inverted residual, with a pooling behind it."""
    body = [
        aidge_nb.Conv2D(4, 8, [1, 1], "expand"),
        aidge_nb.BatchNorm2D(8, name="norm"),
        aidge_nb.ReLU("relu"),
        aidge_nb.PaddedConvDepthWise2D(8, [3, 3], "filter", [stride] * 2, [1] * 4),
        aidge_nb.Conv2D(8, 4, [1, 1], "project"),
    ]
    first = aidge_nb.PaddedConv2D(3, 4, [3, 3], "first", [1, 1], [1] * 4)
    view = aidge_nb.sequential([first, *body])
    if skip:
        join = aidge_nb.Add("join")
        body[-1].add_child(join, 0, 0)
        first.add_child(join, 0, 1)
        view.add(join)
    pool = aidge_nb.MaxPooling2D([2, 2], "pool", [2, 2])
    (view.get_node("join") if skip else body[-1]).add_child(pool)
    view.add(pool)
    return view


GRIDS: list[tuple[dict[int, int], str]] = [
    ({2: 1}, "recompute"),
    ({2: 4}, "recompute"),
    ({3: 3}, "recompute"),
    ({2: 3, 3: 2}, "recompute"),
    ({2: 11}, "recompute"),
    ({2: 4}, "cache"),
    ({2: 11}, "cache"),
    ({3: 5}, "cache"),
    ({0: 2}, "cache"),
]


@pytest.mark.parametrize(("grid", "halo"), GRIDS)
@pytest.mark.parametrize("skip", [True, False])
def test_chains_with_branches_keep_their_bits(grid: dict[int, int], halo: str, skip: bool) -> None:
    view = ready(block_of(skip=skip), [2, 3, 22, 22])
    found = assert_same_bits(view, chain_of(view), grid, halo)
    if halo == "cache":
        assert found.tiled_macs == found.macs
    elif 2 in grid and grid[2] > 1:
        assert found.tiled_macs > found.macs


def test_a_branch_and_the_way_around_it_share_their_range() -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    middle = aidge_nb.plan_tiling(view, chain_of(view), {2: 11}).tiles[5]
    first, join = middle.part("first"), middle.part("join")
    assert first is not None
    assert join is not None
    assert join.output[2] == (10, 12)
    assert first.output[2] == (9, 13)  # the filter's halo on the one way, none on the other


def test_the_middle_of_a_graph_is_tiled_and_the_rest_stays() -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    nodes = tiling.between(view, view.get_node("expand"), view.get_node("project"))
    assert_same_bits(view, nodes, {2: 3, 3: 2})
    assert view.in_view("join")
    assert view.in_view("first")
    assert not view.in_view("expand")


def test_tilings_are_values() -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    found = aidge_nb.plan_tiling(view, chain_of(view), {2: 4}, halo="cache")
    assert aidge_nb.Tiling.from_dict(found.to_dict()) == found
    assert repr(found) == "Tiling(first … pool, axis 2 in 4: 4 tiles, halo kept, 0.0 % more MACs)"
    assert [tile.place for tile in found] == [(0,), (1,), (2,), (3,)]


REFUSED: list[tuple[Any, str, str]] = [
    ({2: 2.5}, "recompute", r"axis 2: .*expected 1 to 11, found 2.5"),
    ({2: True}, "recompute", r"axis 2: .*expected 1 to 11, found True"),
    ({2: "4"}, "recompute", r"axis 2: .*expected 1 to 11, found '4'"),
    ({True: 2}, "recompute", r"no such axis to cut \(expected 0 to 3.*found True"),
    ({2: 2, -2: 3}, "recompute", "axis 2: is cut twice"),
    ([2, 2], "recompute", r"the grid is a mapping .*expected \{2: 4\}, say"),
    ({2: 12}, "recompute", r"pool \(MaxPooling2D\), axis 2: .*expected 1 to 11, found 12"),
    ({7: 2}, "recompute", r"no such axis to cut \(expected 0 to 3.*found 7"),
    ({2: 2, 3: 2}, "cache", r"kept along one axis only.*recompute"),
    ({2: 2}, "keep", r"unknown halo \(expected recompute or cache, found 'keep'"),
]


@pytest.mark.parametrize(("grid", "halo", "message"), REFUSED)
def test_grids_that_make_no_sense_are_refused(grid: Any, halo: str, message: str) -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    nodes = list(view)
    with pytest.raises((GraphError, ShapeError), match=message):
        aidge_nb.plan_tiling(view, chain_of(view), grid, halo=halo)
    assert list(view) == nodes


def test_nodes_that_cannot_be_tiled_together_are_refused() -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    with pytest.raises(GraphError, match=r"first \(PaddedConv2D\): is needed outside.*join"):
        aidge_nb.plan_tiling(view, [view.get_node("first"), view.get_node("expand")], {2: 2})
    with pytest.raises(GraphError, match="no nodes to tile"):
        aidge_nb.plan_tiling(view, [], {2: 2})
    with pytest.raises(GraphError, match="is not in this graph"):
        aidge_nb.plan_tiling(view, [aidge_nb.ReLU(name="other")], {2: 2})
    turned = aidge_nb.sequential([aidge_nb.ReLU(name="r"), aidge_nb.Transpose([1, 0], name="t")])
    turned.forward_dims([[1, 4]])
    message = r"t \(Transpose\): cannot be tiled .expected a convolution.*End the chain before it"
    nodes = list(turned)
    with pytest.raises(GraphError, match=message):
        aidge_nb.plan_tiling(turned, chain_of(turned), {0: 2})
    assert list(turned) == nodes
    unknown = aidge_nb.sequential([aidge_nb.ReLU(name="r")])
    with pytest.raises(ShapeError, match="has no dimensions yet"):
        aidge_nb.plan_tiling(unknown, chain_of(unknown), {1: 2})


def test_groups_of_channels_are_not_cut() -> None:
    make, dims, _ = ONE["groups"]
    view = ready(aidge_nb.sequential([make()]), dims)
    with pytest.raises(ShapeError, match=r"a group of channels would be cut.*multiples of 3"):
        aidge_nb.plan_tiling(view, chain_of(view), {1: 2})
    view = ready(aidge_nb.sequential([aidge_nb.Softmax(1, name="s")]), [2, 3])
    with pytest.raises(ShapeError, match=r"cannot be cut along this axis.*axes \[0\]"):
        aidge_nb.plan_tiling(view, chain_of(view), {1: 2})


def test_a_tiling_is_applied_once_to_its_own_graph() -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    found = aidge_nb.plan_tiling(view, chain_of(view), {2: 2})
    other = ready(block_of(), [1, 3, 26, 26])
    with pytest.raises(GraphError, match="was tiled for other dimensions"):
        aidge_nb.apply_tiling(other, found)
    aidge_nb.apply_tiling(view, found)
    nodes = list(view)
    with pytest.raises(GraphError, match=r"belongs to another graph.*applied once"):
        aidge_nb.apply_tiling(view, found)
    wrong: Any = {2: 4}
    with pytest.raises(GraphError, match=r"is no Tiling .found dict.*plan_tiling"):
        aidge_nb.apply_tiling(view, wrong)
    assert list(view) == nodes


def broken(values: dict[str, Any], how: str) -> dict[str, Any]:
    part = values["tiles"][1]["parts"][0]
    if how == "hole":
        values["tiles"].pop(1)
    elif how == "twice":
        values["tiles"].append(values["tiles"][0])
    elif how == "halo":
        part["inputs"][0][1][2][0] += 1
    elif how == "pads":
        part["pads"][0] += 1
    elif how == "outside":
        values["tiles"][-1]["parts"][0]["inputs"][0][1][2][1] += 1
    elif how == "absent":
        values["tiles"][1]["parts"][0]["output"][2][0] += 1
        values["tiles"][1]["parts"][0]["needed"][2][0] += 1
    return values


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("hole", "no tile gives element"),
        ("twice", "several tiles give element"),
        ("halo", r"tile \(1,\), first: lacks rows of axis 2"),
        ("pads", "wrong padding before axis 2"),
        ("outside", "lies outside of"),
        ("absent", "is not there in this tile"),
    ],
)
def test_the_checker_names_what_is_wrong(how: str, message: str) -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    values = aidge_nb.plan_tiling(view, chain_of(view), {2: 4}).to_dict()
    with pytest.raises(GraphError, match=message):
        tiling.check_tiling(view, aidge_nb.Tiling.from_dict(broken(values, how)))


def test_one_layer_costs_no_memory_and_a_chain_saves_some() -> None:
    view = ready(block_of(skip=False), [1, 3, 66, 66])
    nodes = chain_of(view)
    untiled = aidge_nb.plan_memory(view, view.topological_order(), parts=True)
    data = np.random.default_rng(0).standard_normal((1, 3, 66, 66)).astype(np.float32)
    before = run(view, data)
    one, where = view.clone_with_map()
    aidge_nb.apply_tiling(one, aidge_nb.plan_tiling(one, [where[nodes[0]]], {2: 4}))
    layer = aidge_nb.plan_memory(one, one.topological_order(), parts=True)
    assert layer.peak <= untiled.peak
    aidge_nb.apply_tiling(view, aidge_nb.plan_tiling(view, nodes, {2: 11}))
    plan = aidge_nb.plan_memory(view, view.topological_order(), parts=True)
    assert plan.peak < untiled.peak / 3
    aidge_nb.check_plan(plan)
    found = aidge_nb.runtime.run_in_arena(view, plan, [data])
    assert np.array_equal(found.outputs[0], before)


@pytest.mark.parametrize("grid", [{2: 4}, {3: 4}, {1: 4}, {1: 2, 2: 2}, {2: 4, 3: 4}])
def test_tiles_of_one_layer_cost_no_memory(grid: dict[int, int]) -> None:
    """Along two axes one row of tiles is put together beside the whole, and no more."""
    nodes = [aidge_nb.PaddedConv2D(8, 8, [3, 3], name, padding_dims=[1, 1, 1, 1]) for name in "abc"]
    view = ready(aidge_nb.sequential(nodes), [1, 8, 16, 16])
    untiled = aidge_nb.plan_memory(view, view.topological_order(), parts=True).peak
    aidge_nb.apply_tiling(view, aidge_nb.plan_tiling(view, [view.get_node("b")], grid))
    tiled = aidge_nb.plan_memory(view, view.topological_order(), parts=True)
    row_of_tiles = 8 * 4 * 16 * 4
    assert tiled.peak <= untiled + (row_of_tiles if grid == {2: 4, 3: 4} else 0)


def test_many_small_tiles_need_what_the_search_says_and_a_row_of_tiles() -> None:
    ends = [aidge_nb.PaddedConv2D(3, 8, [3, 3], "a", padding_dims=[1] * 4)]
    ends.append(aidge_nb.PaddedConv2D(8, 4, [3, 3], "b", padding_dims=[1] * 4))
    view = ready(aidge_nb.sequential(ends), [1, 3, 16, 16])
    found = tiling.tile_for(view, halos=["recompute"])
    squares = [choice for choice in found.front if any(c.grid[1] > 1 for c in choice.chains)]
    assert squares
    for choice in squares:
        copy = view.clone()
        tiling.apply_tilings(copy, choice.plan(copy))
        plan = aidge_nb.plan_memory(copy, copy.topological_order(), parts=True)
        rows = -(-16 // choice.chains[0].grid[0])
        assert plan.peak <= choice.peak + 2 * 4 * 4 * rows * 16


def squeezed() -> aidge_nb.GraphView:
    """Make a block that scales its channels by a mean over all rows."""
    relu, scale = aidge_nb.ReLU("relu"), aidge_nb.Mul("scale")
    view = aidge_nb.sequential(
        [
            aidge_nb.PaddedConv2D(3, 8, [3, 3], "conv", padding_dims=[1] * 4),
            relu,
            aidge_nb.GlobalAveragePooling("mean"),
            aidge_nb.FC(8, 8, name="fc"),
            aidge_nb.Reshape([1, 8, 1, 1], name="shape"),
            aidge_nb.Sigmoid("gate"),
            scale,
            aidge_nb.PaddedConv2D(8, 4, [3, 3], "last", padding_dims=[1] * 4),
        ]
    )
    relu.add_child(scale, 0, 1)
    return ready(view, [1, 3, 16, 16])


def gated() -> aidge_nb.GraphView:
    """The same with a convolution instead of the fully connected layer: all can be tiled."""
    relu, scale = aidge_nb.ReLU("relu"), aidge_nb.Mul("scale")
    view = aidge_nb.sequential(
        [
            aidge_nb.PaddedConv2D(3, 8, [3, 3], "conv", padding_dims=[1] * 4),
            relu,
            aidge_nb.GlobalAveragePooling("mean"),
            aidge_nb.Conv2D(8, 8, [1, 1], "narrow"),
            scale,
            aidge_nb.PaddedConv2D(8, 4, [3, 3], "last", padding_dims=[1] * 4),
        ]
    )
    relu.add_child(scale, 0, 1)
    return ready(view, [1, 3, 16, 16])


def test_what_needs_all_rows_makes_each_tile_compute_them() -> None:
    view = gated()
    tiled = assert_same_bits(view, chain_of(view), {2: 4})
    part = tiled.tiles[2].part("relu")
    assert part is not None
    assert part.output[2] == (0, 16)


def test_halos_of_what_is_read_at_once_are_not_kept() -> None:
    view = gated()
    nodes = list(view)
    message = r"relu .ReLU.: all of axis 2 is read at once.*expected recompute"
    with pytest.raises(ShapeError, match=message):
        aidge_nb.plan_tiling(view, chain_of(view), {2: 4}, halo="cache")
    assert list(view) == nodes


def whole_rows() -> aidge_nb.GraphView:
    """Make a chain with a Softmax along rows, which cannot be cut."""
    first, last = (
        aidge_nb.PaddedConv2D(ins, outs, [3, 3], name, padding_dims=[1] * 4)
        for ins, outs, name in ((3, 8, "first"), (8, 4, "last"))
    )
    return ready(aidge_nb.sequential([first, aidge_nb.Softmax(2, "s"), last]), [1, 3, 16, 16])


def upsampled() -> aidge_nb.GraphView:
    """Make a chain with a transposed convolution, and one with a border of its own."""
    return ready(
        aidge_nb.sequential(
            [
                aidge_nb.PaddedConv2D(3, 8, [3, 3], "first", padding_dims=[1] * 4),
                aidge_nb.ConvTranspose2D(8, 6, [3, 3], stride_dims=[2, 2], name="up"),
                aidge_nb.Pad([1, 2, 1, 1], "border"),
                aidge_nb.Conv2D(6, 2, [3, 3], "last"),
            ]
        ),
        [1, 3, 12, 12],
    )


@pytest.mark.parametrize("make", [squeezed, gated, whole_rows, upsampled, block_of])
def test_all_choices_of_a_search_can_be_applied(make: Callable[[], aidge_nb.GraphView]) -> None:
    """Also where something needs all rows, spreads, or pads: bits and extra work are as said."""
    view = make()
    if make is block_of:
        view = ready(view, [1, 3, 22, 22])
    group = view.get_input_groups()[0][0]
    tensor = group.node.get_operator().get_input(0)
    assert tensor is not None
    data = np.random.default_rng(0).standard_normal(tensor.dims).astype(np.float32)
    before = run(view.clone(), data)
    for choice in tiling.tile_for(view).front:
        copy = view.clone()
        if choice.chains:
            tiling.apply_tilings(copy, choice.plan(copy))
        assert sum(node.get_operator().macs() or 0 for node in copy) == choice.macs
        assert np.array_equal(run(copy, data), before), choice


def test_tiles_run_side_by_side_with_the_same_bits() -> None:
    view = ready(block_of(), [1, 3, 30, 30])
    data = np.random.default_rng(0).standard_normal((1, 3, 30, 30)).astype(np.float32)
    before = run(view, data)
    aidge_nb.apply_tiling(view, aidge_nb.plan_tiling(view, chain_of(view), {2: 3, 3: 2}))
    scheduler = aidge_nb.ParallelScheduler(view)
    outputs = scheduler.forward(data=[aidge_nb.Tensor(data)])
    assert np.array_equal(np.array(outputs[0]), before)
