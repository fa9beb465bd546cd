"""Borders of zeros taken into convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.graph import GraphView, Port
from aidge_nb.recipes import fuse_pad_with_conv
from tests.recipes.graphs import check, prepared, producer

IMAGE = (1, 2, 5, 6)


def _model(pads: list[int], **options: Any) -> GraphView:
    pad = aidge_nb.Pad(pads, name="pad", **options)
    conv = aidge_nb.Conv2D(2, 3, [3, 3], stride_dims=[2, 1], name="conv")
    return aidge_nb.sequential([aidge_nb.Tanh(name="start"), pad, conv, aidge_nb.ReLU(name="end")])


@pytest.mark.parametrize(
    ("pads", "options", "goes"),
    [
        ([1, 2, 0, 3], {}, True),
        ([0, 0, 1, 2, 0, 0, 3, 4], {}, True),
        ([2, 1], {"axes": [-2]}, True),
        ([2, 1, 0, 3], {"axes": [3, 2]}, True),
        ([1, 0, 0, 0, 0, 0, 0, 0], {}, False),
        ([-1, 0, 0, 0], {}, False),
        ([1, 1, 1, 1], {"mode": "edge"}, False),
        ([1, 1, 1, 1], {"constant_value": 2.0}, False),
    ],
    ids=str,
)
def test_borders(pads: list[int], options: dict[str, Any], goes: bool) -> None:
    view = prepared(_model(pads, **options), IMAGE)
    count, left = check(view, fuse_pad_with_conv)
    assert count == int(goes)
    assert ("PaddedConv2D" in left, "Pad" in left) == (goes, not goes)


@pytest.mark.parametrize("depthwise", [False, True])
def test_names_and_parameters_stay(depthwise: bool) -> None:
    pad = aidge_nb.Pad([1, 1, 1, 1])
    conv = (
        aidge_nb.ConvDepthWise2D(2, [3, 3], name="conv")
        if depthwise
        else aidge_nb.Conv2D(2, 4, [3, 3], group=2, no_bias=True, name="conv")
    )
    weights = conv.get_parent(1)
    view = prepared(aidge_nb.sequential([pad, conv]), IMAGE)
    assert check(view, fuse_pad_with_conv)[0] == 1
    assert view.get_node("conv").get_parent(1) is weights


def test_pads_as_tensors() -> None:
    pad, conv = aidge_nb.Pad(), aidge_nb.Conv2D(2, 3, [3, 3], name="conv")
    producer([1, 1, 1, 1], "pads").add_child(pad, 0, 1)
    producer(0.0, "zero").add_child(pad, 0, 2)
    view = prepared(aidge_nb.sequential([aidge_nb.Tanh(), pad, conv]), IMAGE)
    assert check(view, fuse_pad_with_conv) == (1, ["Tanh", "PaddedConv2D"])
    assert sorted(n.name() for n in view if n.type() == "Producer") == ["conv_b", "conv_w"]


@pytest.mark.parametrize("how", ["read", "output"])
def test_a_border_that_is_used_otherwise_stays(how: str) -> None:
    view = _model([1, 1, 1, 1])
    if how == "read":
        view.add_child(aidge_nb.ReLU(name="other"), "pad")
    else:
        ports = [Port(view.get_node("end"), 0), Port(view.get_node("pad"), 0)]
        view.set_ordered_outputs(ports)
    prepared(view, IMAGE)
    assert check(view, fuse_pad_with_conv)[0] == 0


def test_the_result_may_be_an_output_and_the_data_an_input() -> None:
    layers = [aidge_nb.Pad([1, 1, 1, 1]), aidge_nb.Conv2D(2, 3, [3, 3], name="conv")]
    view = prepared(aidge_nb.sequential(layers), IMAGE)
    assert check(view, fuse_pad_with_conv) == (1, ["PaddedConv2D"])
    assert np.isfinite(view.get_node("conv").get_operator().get_output(0).array).all()
