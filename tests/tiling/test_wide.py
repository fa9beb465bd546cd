"""Chains in which something needs all rows, spreads them, or has a border of its own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import aidge_nb
from aidge_nb import tiling
from aidge_nb.core.errors import ShapeError
from tests.tiling.graphs import assert_same_bits, block_of, chain_of, ready, run


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


@pytest.mark.parametrize(
    "make", [squeezed, gated, whole_rows, pytest.param(upsampled, marks=pytest.mark.slow), block_of]
)
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
