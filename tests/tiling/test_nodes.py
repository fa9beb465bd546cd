"""Single operators, tiled along every axis that they can be: always the same bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import aidge_nb
from aidge_nb.core.errors import ShapeError
from aidge_nb.tiling import apply_tiling, plan_tiling
from tests.tiling.graphs import assert_same_bits, block_of, chain_of, ready

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


def test_groups_of_channels_are_not_cut() -> None:
    make, dims, _ = ONE["groups"]
    view = ready(aidge_nb.sequential([make()]), dims)
    with pytest.raises(ShapeError, match=r"a group of channels would be cut.*multiples of 3"):
        aidge_nb.plan_tiling(view, chain_of(view), {1: 2})
    view = ready(aidge_nb.sequential([aidge_nb.Softmax(1, name="s")]), [2, 3])
    with pytest.raises(ShapeError, match=r"cannot be cut along this axis.*axes \[0\]"):
        aidge_nb.plan_tiling(view, chain_of(view), {1: 2})


@pytest.mark.parametrize("halo", ["recompute", "cache"])
def test_tiles_have_the_dimensions_that_are_found_afresh(halo: str) -> None:
    view = ready(block_of(), [1, 3, 24, 10])
    apply_tiling(view, plan_tiling(view, chain_of(view), {2: 5}, halo=halo))
    known = view.snapshot()
    view.reset_dims()
    assert view.snapshot() != known
    assert view.forward_dims([[1, 3, 24, 10]])
    assert view.snapshot() == known
