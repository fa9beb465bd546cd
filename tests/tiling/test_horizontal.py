"""Seed 002 as written, and 400 random convolutions cut into slices: always the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb.core.errors import GraphError, ShapeError

Array = NDArray[Any]


def run(view: aidge_nb.GraphView, data: Array) -> Array:
    scheduler = aidge_nb.SequentialScheduler(view)
    return np.array(scheduler.forward(data=[aidge_nb.Tensor(data)])[0])


def filled(node: aidge_nb.Node, random: np.random.Generator) -> aidge_nb.Node:
    """Give all parameters of a node random values."""
    for parent in node.get_parents():
        if parent is not None:
            dims = parent.get_operator().get_output(0).dims
            values = random.standard_normal(dims).astype(np.float32)
            parent.get_operator().set_output(0, aidge_nb.Tensor(values))
    return node


def old_nodes(conv: aidge_nb.Node) -> set[aidge_nb.Node]:
    return {conv, *(parent for parent in conv.get_parents()[1:] if parent is not None)}


@pytest.mark.parametrize("nb_slices", [1, 3, 4, 5, 64])
def test_the_notebook_of_seed_002(nb_slices: int) -> None:
    random = np.random.default_rng(2)
    model = aidge_nb.sequential(
        [
            aidge_nb.LeakyReLU(1, name="leakyrelu0"),
            filled(aidge_nb.Conv2D(3, 32, [3, 3], name="conv0"), random),
            aidge_nb.BatchNorm2D(32, name="bn0"),
            aidge_nb.ReLU(name="relu0"),
        ]
    )
    for index in range(1, 5):
        values = aidge_nb.Tensor(random.random(32, np.float32))
        model.get_node("bn0").get_operator().set_input(index, values)
    data = aidge_nb.Tensor(random.random((4, 3, 66, 66), np.float32))
    model.compile("cpu", aidge_nb.dtype.float32, dims=[[4, 3, 66, 66]])
    scheduler = aidge_nb.SequentialScheduler(model)
    scheduler.forward(data=[data])
    res1 = np.array(model.get_node("relu0").get_operator().get_output(0))

    conv = model.get_node("conv0")
    tiled = aidge_nb.get_conv_horizontal_tiling(conv, 2, nb_slices)
    assert len(tiled) == 6 * nb_slices + 3
    assert aidge_nb.GraphView.replace(old_nodes(conv), tiled) is True

    assert model.compile("cpu", aidge_nb.dtype.float32)
    scheduler.reset_scheduling()
    scheduler.forward(data=[data])
    res2 = np.array(model.get_node("relu0").get_operator().get_output(0))
    assert res1.any()
    assert (res1 == res2).all()


def test_names_and_shared_parameters_are_those_of_aidge() -> None:
    model = aidge_nb.sequential([aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")])
    model.forward_dims([[4, 3, 66, 66]])
    nodes = {
        node.name(): node
        for node in aidge_nb.get_conv_horizontal_tiling(model.get_node("conv0"), 2, 4)
    }
    assert {f"conv0_{first}" for first in (0, 16, 32, 48)} <= set(nodes)
    assert nodes[""].type() == "Concat"
    assert nodes[""].get_operator().attr.axis == 2
    readers = {reader.name() for reader in nodes["conv0_w"].get_children()}
    assert readers == {"conv0_0", "conv0_16", "conv0_32", "conv0_48"}
    for number, (start, stop) in enumerate([(0, 18), (16, 34), (32, 50), (48, 66)]):
        ends = [
            np.array(nodes[f"conv0_Slice_{number}_{index}"].get_operator().get_output(0))
            for index in range(1, 5)
        ]
        assert [each.dtype for each in ends] == [np.int64] * 4
        expected = [[0, 0, start, 0], [4, 3, stop, 66], [0, 1, 2, 3], [1, 1, 1, 1]]
        assert [each.tolist() for each in ends] == expected


@pytest.mark.parametrize(
    ("height", "stride", "dilation", "expected"),
    [
        (66, 1, 1, [(0, 18), (16, 34), (32, 50), (48, 66)]),
        (65, 2, 1, [(0, 17), (16, 33), (32, 49), (48, 65)]),
        (68, 1, 2, [(0, 20), (16, 36), (32, 52), (48, 68)]),
    ],
)
def test_slices_read_the_rows_that_aidge_reads(
    height: int, stride: int, dilation: int, expected: list[tuple[int, int]]
) -> None:
    conv = aidge_nb.Conv2D(1, 1, [3, 3], "conv", [stride, stride], [dilation, dilation])
    model = aidge_nb.sequential([conv])
    model.forward_dims([[1, 1, height, height]])
    nodes = {node.name(): node for node in aidge_nb.get_conv_horizontal_tiling(conv, 2, 4)}
    found = [
        tuple(
            int(np.array(nodes[f"conv_Slice_{number}_{index}"].get_operator().get_output(0))[2])
            for index in (1, 2)
        )
        for number in range(4)
    ]
    assert found == expected


def random_convolution(random: np.random.Generator) -> tuple[aidge_nb.Node, list[int]]:
    """Make a convolution of any kind, and dims of data for it."""

    def pick(low: int, high: int) -> int:
        return int(random.integers(low, high + 1))

    kernel = [pick(1, 4), pick(1, 4)]
    strides, dilations = [pick(1, 3), pick(1, 3)], [pick(1, 2), pick(1, 2)]
    pads = [pick(0, size - 1) for size in (*kernel, *kernel)]
    size = [dilation * (k - 1) + pick(1, 14) for k, dilation in zip(kernel, dilations, strict=True)]
    no_bias = bool(pick(0, 1))
    group = int(random.choice([1, 1, 2, 3]))
    channels = group * pick(1, 5)
    dims = [pick(1, 2), channels, *size]
    common: dict[str, Any] = {
        "stride_dims": strides,
        "dilation_dims": dilations,
        "no_bias": no_bias,
    }
    padded = {**common, "padding_dims": pads}
    outs = group * pick(1, 6)
    kind = pick(0, 3)
    if kind == 0:
        node = aidge_nb.Conv2D(channels, outs, kernel, "conv", group=group, **common)
    elif kind == 1:
        node = aidge_nb.PaddedConv2D(channels, outs, kernel, "conv", group=group, **padded)
    elif kind == 2:
        node = aidge_nb.ConvDepthWise2D(channels, kernel, "conv", **common)
    else:
        node = aidge_nb.PaddedConvDepthWise2D(channels, kernel, "conv", **padded)
    return filled(node, random), dims


@pytest.mark.parametrize("block", range(20))
def test_slices_of_random_convolutions_have_the_bits_of_the_whole(block: int) -> None:
    random = np.random.default_rng(block)
    for _ in range(20):
        conv, dims = random_convolution(random)
        model = aidge_nb.sequential([conv])
        model.compile("cpu", dims=[dims])
        data = random.standard_normal(dims).astype(np.float32)
        before = run(model, data)
        axis = int(random.choice([0, 2, 3]))
        nb_slices = int(random.integers(1, before.shape[axis] + 1))
        tiles = aidge_nb.get_conv_horizontal_tiling(conv, axis, nb_slices)
        assert aidge_nb.GraphView.replace(old_nodes(conv), tiles)
        assert model.compile("cpu")
        after = run(model, data)
        assert np.array_equal(before, after), (conv, dims, axis, nb_slices)


def model_of(node: aidge_nb.Node, dims: list[int]) -> aidge_nb.GraphView:
    model = aidge_nb.sequential([node])
    model.forward_dims([dims])
    return model


@pytest.mark.parametrize(
    ("axis", "nb_slices", "message"),
    [
        (2, 65, r"conv \(Conv2D\), axis 2: .*expected 1 to 64, found 65"),
        (2, 0, "expected 1 to 64, found 0"),
        (2, -1, "expected 1 to 64, found -1"),
        (2, 2.5, "a whole number"),
        (1, 4, r"one of the axes \[0, 2, 3\].*cuts output channels"),
        (4, 2, r"one of the axes \[0, 2, 3\]"),
        (-5, 2, r"one of the axes \[0, 2, 3\]"),
    ],
)
def test_what_cannot_be_cut_is_refused_and_the_graph_left_alone(
    axis: int, nb_slices: Any, message: str
) -> None:
    conv = aidge_nb.Conv2D(3, 8, [3, 3], "conv")
    model = model_of(conv, [1, 3, 66, 66])
    nodes, readers = (
        list(model),
        [parent and parent.get_children() for parent in conv.get_parents()],
    )
    with pytest.raises(ShapeError, match=message):
        aidge_nb.get_conv_horizontal_tiling(conv, axis, nb_slices)
    assert list(model) == nodes
    assert [parent and parent.get_children() for parent in conv.get_parents()] == readers


def test_only_convolutions_with_known_dims_and_producers_are_cut() -> None:
    with pytest.raises(GraphError, match=r"relu \(ReLU\): must be a convolution.*plan_tiling"):
        aidge_nb.get_conv_horizontal_tiling(aidge_nb.ReLU(name="relu"), 2, 2)
    with pytest.raises(ShapeError, match=r"has no dimensions yet.*forward_dims"):
        aidge_nb.get_conv_horizontal_tiling(aidge_nb.Conv2D(1, 1, [1, 1], "conv"), 2, 2)
    conv = aidge_nb.Conv2D(1, 1, [1, 1], "conv")
    view = model_of(conv, [1, 1, 4, 4])
    weight, abs_ = conv.get_parent(1), aidge_nb.Abs(name="abs")
    assert weight is not None
    conv.remove_parent(1)
    weight.add_child(abs_)
    abs_.add_child(conv, 0, 1)
    view.add(abs_)
    view.forward_dims()
    with pytest.raises(GraphError, match=r"input#1: .*expected a Producer, found abs"):
        aidge_nb.get_conv_horizontal_tiling(conv, 2, 2)


def test_slices_of_padding_alone_are_refused() -> None:
    conv = aidge_nb.PaddedConv2D(1, 1, [1, 1], "conv", padding_dims=[3, 0, 3, 0])
    view = model_of(conv, [1, 1, 2, 2])
    with pytest.raises(ShapeError, match=r"read only padding .expected 2 slices.*fewer slices"):
        aidge_nb.get_conv_horizontal_tiling(conv, 2, 8)
    assert len(aidge_nb.get_conv_horizontal_tiling(conv, 2, 2)) > 2
    with pytest.raises(ShapeError, match=r"some of the outputs 3:5 in each part"):
        aidge_nb.plan_tiling(view, [conv], {2: 8})


def test_a_number_of_slices_that_cuts_no_group_is_named() -> None:
    conv = aidge_nb.Conv2D(6, 12, [1, 1], "conv", group=6)
    view = model_of(conv, [1, 6, 4, 4])
    with pytest.raises(ShapeError, match=r"divides the number of groups: 1, 2, 3, 6\."):
        aidge_nb.plan_tiling(view, [conv], {1: 4})
    assert len(aidge_nb.plan_tiling(view, [conv], {1: 3}).tiles) == 3
