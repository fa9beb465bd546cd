"""Bits of the fast runtime: layers as large as real ones, cut in every way, against the whole.

Small layers say little: a BLAS changes its kernel, and with it the order of its sums, with the
dimensions of a product and with the place of an element in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import tiling
from tests.tiling.graphs import Array, fill, run


def pick(random: np.random.Generator, *values: Any) -> Any:
    return values[int(random.integers(len(values)))]


def layer(random: np.random.Generator) -> tuple[aidge_nb.Node, list[int]]:
    """Make a convolution with enough channels and rows for several panels."""
    ins, outs = (int(pick(random, 3, 8, 17, 32, 48, 96, 160)) for _ in range(2))
    kernel = [int(pick(random, 1, 1, 3, 5)), int(pick(random, 1, 3, 3, 5))]
    strides = [int(pick(random, 1, 1, 2, 3)) for _ in range(2)]
    dilations = [int(pick(random, 1, 1, 2)) for _ in range(2)]
    size = [dilations[i] * (kernel[i] - 1) + int(random.integers(20, 61)) for i in range(2)]
    pads = [int(random.integers(0, kernel[i % 2])) for i in range(4)]
    group = int(pick(random, 1, 1, 1, 2, 4))
    options: dict[str, Any] = {"stride_dims": strides, "dilation_dims": dilations}
    options["no_bias"] = bool(random.integers(2))
    kind = int(random.integers(4))
    if kind == 0:
        node = aidge_nb.PaddedConvDepthWise2D(ins, kernel, "n", padding_dims=pads, **options)
    else:
        ins, outs = group * -(-ins // group), group * -(-outs // group)
        make = aidge_nb.PaddedConv2D if kind == 1 else aidge_nb.Conv2D
        extra: dict[str, Any] = {"padding_dims": pads} if kind == 1 else {}
        node = make(ins, outs, kernel, "n", group=group, **extra, **options)
    return node, [int(pick(random, 1, 1, 2)), ins, *size]


def grids(
    random: np.random.Generator, node: aidge_nb.Node, dims: tuple[int, ...]
) -> list[dict[int, int]]:
    """Choose stripes, columns, tiles, channels, and one part for each row."""
    attr = node.get_operator().attr
    group = int(attr.group) if "group" in attr else 1

    def some(axis: int) -> int:
        return int(random.integers(2, min(dims[axis], 9) + 1))

    found = [{2: some(2)}, {3: some(3)}, {2: some(2), 3: some(3)}, {2: dims[2]}]
    if dims[0] > 1:
        found.append({0: dims[0], 2: some(2)})
    if group == 1:
        found += [{1: some(1)}, {1: some(1), 2: some(2), 3: some(3)}]
    else:
        found.append({1: group})
    return found


@pytest.mark.parametrize("backend", ["cpu", "exact"])
@pytest.mark.parametrize("seed", range(12))
def test_tiles_of_large_layers_have_the_bits_of_the_whole(seed: int, backend: str) -> None:
    random = np.random.default_rng(1000 + seed)
    node, dims = layer(random)
    if backend == "exact":
        dims = [*dims[:2], *(min(size, 24) for size in dims[2:])]
    view = fill(aidge_nb.sequential([node]), seed)
    assert view.compile(backend, dims=[dims])
    data = random.standard_normal(dims).astype(np.float32)
    before = run(view.clone(), data)
    for grid in grids(random, node, before.shape):
        copy, where = view.clone_with_map()
        aidge_nb.apply_tiling(copy, aidge_nb.plan_tiling(copy, [where[node]], grid))
        after = run(copy, data)
        assert np.array_equal(before.view(np.uint32), after.view(np.uint32)), (node, dims, grid)


CHAIN = (
    ("expand", 16, 96, 1, 1),
    ("filter", 96, 96, 3, 2),
    ("project", 96, 24, 1, 1),
    ("expand2", 24, 144, 1, 1),
    ("filter2", 144, 144, 3, 1),
    ("project2", 144, 24, 1, 1),
)


def inverted_residuals() -> tuple[aidge_nb.GraphView, Array]:
    """Two blocks of MobileNetV2 at their real number of channels."""
    nodes: list[aidge_nb.Node] = []
    for name, ins, outs, kernel, stride in CHAIN:
        if kernel == 3:
            steps = [stride] * 2
            nodes.append(aidge_nb.PaddedConvDepthWise2D(ins, [3, 3], name, steps, [1] * 4))
        else:
            nodes.append(aidge_nb.Conv2D(ins, outs, [1, 1], name))
        nodes.append(aidge_nb.BatchNorm2D(outs, name=f"{name}_norm"))
        if not name.startswith("project"):
            nodes.append(aidge_nb.ReLU(f"{name}_act"))
    view = fill(aidge_nb.sequential(nodes))
    assert view.compile("cpu", dims=[[1, 16, 56, 56]])
    data = np.random.default_rng(5).standard_normal((1, 16, 56, 56)).astype(np.float32)
    return view, data


@pytest.mark.parametrize(
    ("grid", "halo"),
    [
        ({2: 3}, "recompute"),
        ({2: 4, 3: 4}, "recompute"),
        ({2: 28}, "recompute"),
        ({2: 7}, "cache"),
        ({3: 5}, "cache"),
    ],
)
def test_tiles_of_real_blocks_have_the_bits_of_the_whole(grid: dict[int, int], halo: str) -> None:
    view, data = inverted_residuals()
    before = run(view.clone(), data)
    nodes = tiling.between(view, view.get_node("expand"), view.get_node("project2_norm"))
    aidge_nb.apply_tiling(view, aidge_nb.plan_tiling(view, nodes, grid, halo=halo))
    after = run(view, data)
    assert np.array_equal(before.view(np.uint32), after.view(np.uint32))


def test_a_tile_of_a_tile_has_the_bits_of_the_whole() -> None:
    """Places add up: a stripe that is cut once more still lies in the first layer."""
    view, data = inverted_residuals()
    before = run(view.clone(), data)
    node = view.get_node("expand2")
    aidge_nb.apply_tiling(view, aidge_nb.plan_tiling(view, [node], {2: 3}))
    again = view.get_node("expand2_1")
    aidge_nb.apply_tiling(view, aidge_nb.plan_tiling(view, [again], {3: 4}))
    after = run(view, data)
    assert np.array_equal(before.view(np.uint32), after.view(np.uint32))
