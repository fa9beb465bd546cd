"""A part of a convolution that knows its place has the bits of the whole."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from aidge_nb.kernels.cpu.common.arrays import index
from aidge_nb.kernels.cpu.convolution.columns import ConvWindow
from aidge_nb.kernels.cpu.convolution.forward import convolve, plan_panels
from aidge_nb.kernels.workspace import Workspace
from aidge_nb.ops.place import TilePlace

Array = NDArray[np.floating]
LAYERS = [
    # channels, outs, kernel, stride, group, sizes
    (3, 32, (3, 3), 1, 1, (66, 66)),
    (64, 50, (1, 1), 1, 1, (40, 41)),
    (16, 24, (3, 3), 2, 1, (37, 52)),
    (8, 8, (3, 3), 1, 8, (50, 33)),
    (8, 12, (5, 3), 1, 4, (30, 31)),
    (300, 17, (3, 3), 1, 1, (12, 13)),
    (5, 40, (9,), 2, 1, (400,)),
    (4, 9, (2, 3, 2), 1, 1, (7, 11, 9)),
]


@pytest.mark.parametrize(("channels", "outs", "kernel", "stride", "group", "sizes"), LAYERS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_parts_have_the_bits_of_the_whole(
    channels: int,
    outs: int,
    kernel: tuple[int, ...],
    stride: int,
    group: int,
    sizes: tuple[int, ...],
    dtype: type[np.floating],
) -> None:
    random = np.random.default_rng(channels)
    x = random.standard_normal((2, channels, *sizes)).astype(dtype)
    weight = random.standard_normal((outs, channels // group, *kernel)).astype(dtype)
    strides, dilations = (stride,) * len(sizes), (1,) * len(sizes)
    whole = convolve(x, weight, None, strides, dilations, group)
    per_group = outs // group
    for _ in range(8):
        ends = [
            sorted(map(int, random.choice(size + 1, 2, replace=False))) for size in whole.shape[2:]
        ]
        first, last = sorted(map(int, random.choice(outs + 1, 2, replace=False)))
        if group > 1:
            first, last = 0, outs
        spans = (
            slice(low * stride, (high - 1) * stride + k)
            for (low, high), k in zip(ends, kernel, strict=True)
        )
        data = x[index(..., *spans)]
        starts = (first, *(low for low, _ in ends))
        place = TilePlace(starts, (per_group, *whole.shape[2:]))
        part = convolve(data, weight[first:last], None, strides, dilations, group, place=place)
        right = whole[index(slice(None), slice(first, last), *(slice(*each) for each in ends))]
        assert part.tobytes() == right.tobytes(), (ends, first, last)


def test_a_part_of_a_part_has_its_place_in_the_whole() -> None:
    outer, inner = TilePlace((8, 16, 0), (64, 64, 8)), TilePlace((0, 4, 2), (32, 8, 8))
    assert inner.inside(outer) == TilePlace((8, 20, 2), (64, 64, 8))
    assert inner.inside(None) == inner


def test_panels_do_not_depend_on_batch_and_groups() -> None:
    """So that parts of these need not know their place."""
    random = np.random.default_rng(0)
    x = random.standard_normal((5, 12, 20, 20)).astype(np.float32)
    weight = random.standard_normal((12, 1, 3, 3)).astype(np.float32)
    whole = convolve(x, weight, None, (1, 1), (1, 1), 12)
    part = convolve(x[3:4, 5:7], weight[5:7], None, (1, 1), (1, 1), 2)
    assert part.tobytes() == whole[3:4, 5:7].tobytes()


def test_panels_take_little_memory() -> None:
    x, weight = np.zeros((1, 64, 56, 56), np.float32), np.zeros((64, 64, 3, 3), np.float32)
    workspace = Workspace()
    sliding = ConvWindow.of((56, 56), (3, 3), (1, 1), (1, 1), (1, 1, 1, 1))
    panels = list(plan_panels(x, weight, np.empty_like(x), sliding, 1, workspace))
    assert len(panels) > 1
    assert workspace.needed < 1 << 20
