"""The worked numbers of tiling, each computed by hand before."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np
import pytest

import aidge_nb
from aidge_nb import tiling, zoo
from aidge_nb.tiling.candidates import SearchSpace
from aidge_nb.tiling.chain import as_chain
from aidge_nb.tiling.chain_model import Assumptions, ChainModel, chain_model
from aidge_nb.tiling.costs import profiles, suffix_costs
from aidge_nb.tiling.tiles import Tiling
from tests.tiling.graphs import mobilenet_v2

STAGE = "mobilenetv20_features_linearbottleneck"


class Costs(NamedTuple):
    peak: int
    macs: int
    traffic: int


def chain_costs(model: ChainModel, rows: int, columns: int) -> Costs:
    """The costs of one grid of tiles, halos recomputed."""
    along = [profiles(model, axis, [parts]) for axis, parts in enumerate((rows, columns))]
    [(_, *costs)] = suffix_costs(model, along[0], along[1], [0])
    return Costs(*(int(each[0]) for each in costs))


def seed_002(grid: dict[int, int], batch: int = 4) -> Tiling:
    view = aidge_nb.sequential([aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")])
    view.forward_dims([[batch, 3, 66, 66]])
    return aidge_nb.plan_tiling(view, [view.get_node("conv0")], grid)


def rows(found: Tiling) -> tuple[list[int], list[int]]:
    parts = [tile.parts[0] for tile in found]
    return [p.output[2].size for p in parts], [dict(p.inputs)[0][2].size for p in parts]


def test_four_stripes_of_seed_002() -> None:
    found = seed_002({2: 4})
    first = found.tiles[0].parts[0]
    assert prod(each.size for each in dict(first.inputs)[0]) * 4 == 57_024
    assert found.read("conv0") == 228_096
    assert seed_002({2: 1}).read("conv0") == 209_088
    assert prod(each.size for each in first.output) * 4 == 524_288
    assert (
        (32 * 3 * 3 * 3 + 32) * 4
        == 3_584
        == found.read("conv0", 1) // 4 + found.read("conv0", 2) // 4
    )
    assert [tile.macs for tile in found] == [3_538_944] * 4
    assert found.tiled_macs == found.macs == 14_155_776


def test_uneven_stripes_of_seed_002() -> None:
    assert rows(seed_002({2: 5})) == ([13, 13, 13, 13, 12], [15, 15, 15, 15, 14])
    assert rows(seed_002({2: 3})) == ([22, 21, 21], [24, 23, 23])


def test_padded_stripes_carry_their_own_padding() -> None:
    conv = aidge_nb.PaddedConv2D(1, 1, [3, 3], "conv", padding_dims=[1, 0, 1, 0])
    view = aidge_nb.sequential([conv])
    view.forward_dims([[1, 1, 64, 64]])
    parts = [tile.parts[0] for tile in aidge_nb.plan_tiling(view, [conv], {2: 4})]
    assert [str(dict(part.inputs)[0][2]) for part in parts] == ["0:17", "15:33", "31:49", "47:64"]
    assert [(part.pads[0], part.pads[2]) for part in parts] == [(1, 0), (0, 0), (0, 0), (0, 1)]


@pytest.mark.parametrize(
    ("grid", "values"),
    [
        ({2: 11}, 5_676),
        ({2: 2, 3: 5}, 5_032),
        ({2: 22}, 7_128),
        ({2: 4, 3: 6}, 5_472),
        ({2: 3}, 4_620),
    ],
)
def test_tiles_in_two_dimensions_read_less(grid: dict[int, int], values: int) -> None:
    assert seed_002({2: 1}, 1).read("conv0") == 4 * 3 * 4_356
    assert seed_002(grid, 1).read("conv0") == 4 * 3 * values


@pytest.mark.parametrize(
    ("memory", "buffers", "count", "used"),
    [
        (65_536, 1, 11, 59_072),
        (65_536, 2, 22, 60_656),
        (32_768, 1, 22, None),
        (262_144, 1, 3, None),
    ],
)
def test_stripes_for_a_local_memory(
    memory: int, buffers: int, count: int, used: int | None
) -> None:
    """Weights stay; with two buffers one tile is loaded while the other is computed."""

    def local(stripes: int) -> int:
        parts = [tile.parts[0] for tile in seed_002({2: stripes}, 1)]
        tiles = [
            sum(prod(e.size for e in region) for region in (p.output, dict(p.inputs)[0])) * 4
            for p in parts
        ]
        return 3_584 + buffers * max(tiles)

    fewest = next(stripes for stripes in range(1, 65) if local(stripes) <= memory)
    assert fewest == count
    if used is not None:
        assert local(fewest) == used


def test_intensity_falls_when_every_tile_reads_the_weights() -> None:
    view = aidge_nb.sequential([aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")])
    view.forward_dims([[4, 3, 66, 66]])
    model = chain_model(as_chain(view, [view.get_node("conv0")]))
    whole, tiled = (chain_costs(model, count, 1) for count in (1, 4))
    assert (whole.traffic, tiled.traffic) == (2_309_824, 2_339_584)
    assert round(whole.macs / whole.traffic, 3) == 6.129
    assert round(tiled.macs / tiled.traffic, 3) == 6.051


@pytest.fixture(scope="module")
def mobilenet() -> aidge_nb.GraphView:
    view = zoo.load("mobilenet_v2")
    assert view.forward_dims([[1, 3, 224, 224]], allow_data_dependency=True)
    return view


def head(view: aidge_nb.GraphView, last: int) -> list[aidge_nb.Node]:
    end = f"{STAGE}{last}_elemwise_add0"
    if not view.in_view(end):
        end = f"{STAGE}{last}_batchnorm2_fwd"
    start = view.get_node("mobilenetv20_features_conv0_fwd")
    return tiling.between(view, start, view.get_node(end))


@pytest.mark.parametrize(
    ("stripes", "peak", "percent"),
    [
        (1, 6_322_176, 0.0),
        (2, 3_354_624, 1.42),
        (4, 1_849_344, 4.27),
        (7, 1_204_224, 8.54),
        (8, 1_096_704, 9.97),
        (14, 774_144, 18.51),
        (28, 559_104, 38.45),  # TILING_FACTS rounds it up to 38.5
    ],
)
def test_stripes_of_the_head_of_mobilenet(
    mobilenet: aidge_nb.GraphView, stripes: int, peak: int, percent: float
) -> None:
    nodes = head(mobilenet, 1)
    model = chain_model(as_chain(mobilenet, nodes))
    costs = chain_costs(model, stripes, 1)
    found = aidge_nb.plan_tiling(mobilenet, nodes, {2: stripes})
    assert costs.peak == peak
    assert costs.macs == found.tiled_macs
    assert 100 * found.overhead == pytest.approx(percent, abs=0.005)


def test_a_stripe_of_the_head_reads_these_rows_of_the_image(
    mobilenet: aidge_nb.GraphView,
) -> None:
    found = aidge_nb.plan_tiling(mobilenet, head(mobilenet, 1), {2: 4})
    part = found.tiles[1].part("mobilenetv20_features_conv0_fwd")
    assert part is not None
    assert str(found.tiles[1].output[2]) == "14:28"
    assert str(dict(part.inputs)[0][2]) == "51:114"


@pytest.mark.parametrize(
    ("last", "stripes", "peak", "percent", "of_most"),
    [
        (1, 4, 3_913_728, 0.86, 0.9),
        (2, 4, 2_257_920, 3.38, 3.6),
        (3, 7, 1_326_080, 10.15, 10.9),
        (3, 14, 1_304_576, 22.0, 23.6),
    ],
)
def test_the_whole_of_mobilenet_fits_as_promised(
    mobilenet: aidge_nb.GraphView,
    last: int,
    stripes: int,
    peak: int,
    percent: float,
    of_most: float,
) -> None:
    """The extra work is a part of all that of the network.

    TILING_FACTS gives it as a part of the network without its last convolution and its classifier
    (``of_most``), which is more.
    """
    copy, where = mobilenet.clone_with_map()
    macs = sum(node.get_operator().macs() or 0 for node in mobilenet)
    nodes = head(mobilenet, last)
    model = chain_model(as_chain(mobilenet, nodes))
    costs = chain_costs(model, stripes, 1)
    live = SearchSpace(mobilenet, Assumptions()).live
    assert max(costs.peak, *live[len(nodes) :]) == peak
    found = aidge_nb.plan_tiling(copy, [where[node] for node in nodes], {2: stripes})
    extra = found.tiled_macs - found.macs
    assert 100 * extra / macs == pytest.approx(percent, abs=0.005)
    assert 100 * extra / (macs - 320 * 1280 * 49 - 1280 * 1000) == pytest.approx(of_most, abs=0.05)
    aidge_nb.apply_tiling(copy, found)
    plan = aidge_nb.plan_memory(copy, copy.topological_order(), parts=True)
    assert plan.peak <= peak


@pytest.fixture(scope="module")
def published() -> tuple[aidge_nb.GraphView, list[aidge_nb.Node]]:
    return mobilenet_v2()


@pytest.mark.parametrize(
    ("blocks", "tiles", "kib", "percent"),
    [
        (2, 2, 514.5, 0.37),
        (4, 2, 431.48, 2.94),
        (4, 3, 226.73, 6.05),
        (4, 4, 171.5, 9.32),
        (7, 14, 146.23, 459.29),
    ],
)
def test_patches_of_a_network_of_bytes(
    published: tuple[aidge_nb.GraphView, list[aidge_nb.Node]],
    blocks: int,
    tiles: int,
    kib: float,
    percent: float,
) -> None:
    """MCUNetV2's example: extra work as a part of that of all convolutions.

    TILING_FACTS has 266.1 KiB for 3×3: that of tiles of 10, 10 and 8 rows, not of balanced ones.
    """
    view, ends = published
    nodes = tiling.between(view, view.get_node("conv0"), ends[blocks - 1])
    model = chain_model(as_chain(view, nodes), Assumptions(1, True, True))
    costs = chain_costs(model, tiles, tiles)
    live = SearchSpace(view, Assumptions(1, True, True)).live
    assert max(live) == 1372 * 1024
    assert max(costs.peak, *live[len(nodes) :]) / 1024 == pytest.approx(kib, abs=0.005)
    found = aidge_nb.plan_tiling(view, nodes, {2: tiles, 3: tiles})
    convolutions = 300_774_272 - 1280 * 1000
    assert convolutions == sum(n.get_operator().macs() or 0 for n in view if n.type() != "FC")
    extra = 100 * (found.tiled_macs - found.macs) / convolutions
    assert extra == pytest.approx(percent, abs=0.005)
    assert costs.macs == found.tiled_macs


def test_three_patches_of_uneven_rows_need_what_the_facts_say(
    published: tuple[aidge_nb.GraphView, list[aidge_nb.Node]],
) -> None:
    """10, 10 and 8 rows of the result instead of 10, 9 and 9: the middle one is the largest."""
    view, ends = published
    nodes = tiling.between(view, view.get_node("conv0"), ends[3])
    rows = back_from(nodes, range(10, 20))
    expand = view.get_node("block1_expand")  # from 16 channels to 96
    result = 32 * 28 * 28
    assert ((16 + 96) * len(rows[expand]) ** 2 + result) / 1024 == pytest.approx(266.1, abs=0.05)
    balanced = back_from(nodes, range(10, 19))
    assert ((16 + 96) * len(balanced[expand]) ** 2 + result) / 1024 < 227


def back_from(nodes: list[aidge_nb.Node], rows: range) -> dict[aidge_nb.Node, set[int]]:
    """Trace rows of the last node's result back, tap by tap."""
    needed: dict[aidge_nb.Node, set[int]] = {node: set() for node in nodes}
    needed[nodes[-1]] = set(rows)
    for node in reversed(nodes):
        attr = node.get_operator().attr
        kernel, stride, pad = 1, 1, 0
        if "Conv" in node.type():
            kernel, stride = attr.kernel_dims[0], attr.stride_dims[0]
            pad = attr.padding_dims[0] if "padding_dims" in attr else 0
        for _, port in node.edges_in():
            if port.node in needed:
                height = port.node.get_operator().get_output(port.index).dims[2]
                taps = {row * stride - pad + tap for row in needed[node] for tap in range(kernel)}
                needed[port.node] |= {row for row in taps if 0 <= row < height}
    return needed


def test_rows_read_follow_the_formula() -> None:
    """s·(O - n) + n·(d·(k-1) + 1) over all stripes, and products of both axes for tiles."""
    random = np.random.default_rng(0)
    for _ in range(30):
        kernel, stride, dilation = (int(random.integers(1, high)) for high in (5, 4, 3))
        outs = [int(random.integers(2, 12)) for _ in range(2)]
        reach = dilation * (kernel - 1) + 1
        dims = [1, 2, *((out - 1) * stride + reach for out in outs)]
        conv = aidge_nb.Conv2D(2, 1, [kernel] * 2, "c", [stride] * 2, [dilation] * 2)
        view = aidge_nb.sequential([conv])
        assert view.forward_dims([dims])
        grid = {axis + 2: int(random.integers(1, out + 1)) for axis, out in enumerate(outs)}
        found = aidge_nb.plan_tiling(view, [conv], grid)
        read = prod(
            stride * (out - n) + n * reach for out, n in zip(outs, grid.values(), strict=True)
        )
        assert found.read("c") == 4 * 2 * read
