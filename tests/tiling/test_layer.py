"""Tiles of one layer for a local memory, against grids weighed one by one."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import pytest

import aidge_nb
from aidge_nb import zoo
from aidge_nb.core.errors import MemoryPlanError, ShapeError
from aidge_nb.tiling import tile_layer
from benchmarks.grids import exhaustive


def view_of(node: aidge_nb.Node, dims: list[int]) -> aidge_nb.GraphView:
    view = aidge_nb.sequential([node])
    assert view.forward_dims([dims])
    return view


def weigh(
    view: aidge_nb.GraphView, node: aidge_nb.Node, grid: dict[int, int], buffers: int
) -> tuple[int, int]:
    """Add up the bytes of every tile; give the largest one, and all that is moved."""
    tiling = aidge_nb.plan_tiling(view, [node], grid)
    largest, regions, parameters, both = 0, {}, {}, 0
    for tile in tiling:
        part = tile.parts[0]
        inputs = dict(part.inputs)
        held = prod(e.size for e in inputs.pop(0)) + prod(e.size for e in part.output)
        weights = sum(prod(e.size for e in region) for region in inputs.values())
        largest = max(largest, 4 * (buffers * held + weights))
        regions[dict(part.inputs)[0]] = prod(e.size for e in dict(part.inputs)[0])
        parameters[part.output[1]] = weights
        both += prod(e.size for e in dict(part.inputs)[0])
    deep = len(parameters)
    output = node.get_operator().get_output(0).size
    all_weights = sum(parameters.values())
    by_parameters = both + all_weights
    spatial = len(tiling.tiles) // deep
    by_input = sum(regions.values()) + all_weights * (spatial if deep > 1 else 1)
    return largest, 4 * (min(by_parameters, by_input) + output)


CASES = [
    (aidge_nb.Conv2D(3, 8, [3, 3], "n"), [1, 3, 9, 8]),
    (aidge_nb.PaddedConv2D(4, 6, [3, 3], "n", [2, 2], [1] * 4), [1, 4, 13, 11]),
    (aidge_nb.Conv2D(16, 12, [1, 1], "n"), [1, 16, 6, 5]),
    (aidge_nb.PaddedConvDepthWise2D(6, [3, 3], "n", [1, 1], [1] * 4), [1, 6, 7, 6]),
]


@pytest.mark.parametrize(("node", "dims"), CASES)
@pytest.mark.parametrize("buffers", [1, 2])
def test_no_grid_moves_less(node: aidge_nb.Node, dims: list[int], buffers: int) -> None:
    view = view_of(node, dims)
    sizes = node.get_operator().get_output(0).dims[1:]
    all_grids = []
    for counts in product(*(range(1, size + 1) for size in sizes)):
        grid = dict(enumerate(counts, 1))
        all_grids.append(weigh(view, node, grid, buffers))
    for memory in (700, 1500, 4000, 100_000):
        fitting = [moved for size, moved in all_grids if size <= memory]
        if not fitting:
            least = min(size for size, _ in all_grids)
            with pytest.raises(MemoryPlanError, match=f"at least {least} bytes, found {memory}"):
                tile_layer(view, node, memory, buffers=buffers)
            continue
        found = tile_layer(view, node, memory, buffers=buffers)
        assert found.traffic == min(fitting)
        assert weigh(view, node, found.grid or {2: 1}, buffers) == (found.tile_bytes, found.traffic)


@pytest.mark.parametrize(
    ("memory", "stripes", "grid", "values"),
    [
        (65_536, 11, {2: 2, 3: 5}, 5_032),
        (32_768, 22, {2: 4, 3: 6}, 5_472),
        (262_144, 3, {2: 3}, 4_620),
    ],
)
def test_seed_002_in_a_local_memory(
    memory: int, stripes: int, grid: dict[int, int], values: int
) -> None:
    conv = aidge_nb.Conv2D(3, 32, [3, 3], "conv0")
    view = view_of(conv, [1, 3, 66, 66])
    assert tile_layer(view, conv, memory, axes=[2]).grid == {2: stripes}
    found = tile_layer(view, conv, memory, axes=[2, 3])
    assert found.traffic == 4 * 3 * values + 3_584 + 4 * 32 * 64 * 64
    assert len(aidge_nb.plan_tiling(view, [conv], found.grid).tiles) <= prod(grid.values())


def test_tiles_for_64_kib_use_what_the_exhaustive_optimum_uses() -> None:
    view = zoo.load("mobilenet_v2")
    view.forward_dims([[1, 3, 224, 224]], allow_data_dependency=True)
    for node in view.topological_order():
        if "Conv" in node.type():
            found = tile_layer(view, node, 65_536)
            traffic, used = exhaustive(node, 65_536)
            assert found.traffic == traffic
            assert found.tile_bytes >= 0.95 * used


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"memory": "64KiB"}, "memory is a number .expected 65536, say, found '64KiB'"),
        ({"buffers": 0}, "buffers is a number .expected 1 or 2, found 0"),
        ({"stays": ["all"]}, r"what stays is not known .expected some of \['parameters', 'input'"),
        (
            {"multiples": {2: 999}},
            r"axis 2: has no such number of parts .expected multiples of 1 to",
        ),
        ({"multiples": {2: 0}}, r"axis 2: has no such number of parts .expected multiples of 1 to"),
        (
            {"multiples": {9: 2}},
            r"axis 9: has no .*expected multiples of 1 to 1, found multiples of 2",
        ),
        ({"axes": [7]}, r"no such axis to cut .expected some of \[0, 1, 2, 3\], found '?\[7\]"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    node, dims = CASES[0]
    view = view_of(node, dims)
    nodes = list(view)
    with pytest.raises(MemoryPlanError, match=message):
        tile_layer(view, node, **{"memory": 10_000, **options})
    assert list(view) == nodes


def test_every_layer_of_mobilenet_fits_into_64_kib() -> None:
    view = zoo.load("mobilenet_v2")
    view.forward_dims([[1, 3, 224, 224]], allow_data_dependency=True)
    layers = [node for node in view.topological_order() if "Conv" in node.type()]
    assert len(layers) == 54
    for node in layers:
        found = tile_layer(view, node, 65_536)
        assert found.tile_bytes <= 65_536
        try:
            size, moved = weigh(view, node, found.grid or {2: 1}, 1)
        except ShapeError:  # a tile of padding alone
            pytest.fail(f"{node.label}: {found}")
        assert (size, moved) == (found.tile_bytes, found.traffic)


@pytest.mark.parametrize("kernel", [[1, 1], [2, 1]])
def test_no_tile_is_of_padding_alone(kernel: list[int]) -> None:
    """The outermost rows and columns read nothing but padding: they stay with their neighbours."""
    conv = aidge_nb.PaddedConv2D(3, 4, kernel, "n", [1, 1], [2] * 4)
    view = view_of(conv, [1, 3, 7, 8])
    height, width = conv.get_operator().get_output(0).dims[2:]
    possible = least = 0
    for memory in range(150, 2000, 150):
        try:
            found = tile_layer(view, conv, memory)
        except MemoryPlanError as refused:
            least = int(str(refused).split("at least ")[1].split(" ")[0])
            assert least > memory
            found = tile_layer(view, conv, least)
        size, moved = weigh(view, conv, found.grid or {2: 1}, 1)
        assert size <= found.tile_bytes <= memory or found.tile_bytes == least
        assert moved == found.traffic
        possible += found.grid.get(2, 1) > 1
    assert possible
    with pytest.raises(ShapeError, match="padding alone"):
        aidge_nb.plan_tiling(view, [conv], {2: height, 3: width})
