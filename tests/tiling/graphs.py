"""Graphs and runs that the tests of tiling share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import aidge_nb

Array = NDArray[Any]


def run(view: aidge_nb.GraphView, data: Array) -> Array:
    """Run a graph once; copy its first output."""
    scheduler = aidge_nb.SequentialScheduler(view)
    return np.array(scheduler.forward(data=[aidge_nb.Tensor(data)])[0])


def fill(view: aidge_nb.GraphView, seed: int = 0) -> aidge_nb.GraphView:
    """Give all Producers random values; positive ones, so that variances are some."""
    random = np.random.default_rng(seed)
    for node in view:
        if node.type() == "Producer":
            dims = node.get_operator().get_output(0).dims
            values = random.random(dims, np.float32) + np.float32(0.1)
            node.get_operator().set_output(0, aidge_nb.Tensor(values))
    return view


def ready(view: aidge_nb.GraphView, dims: Sequence[int], seed: int = 0) -> aidge_nb.GraphView:
    """Fill a graph and make it ready to run."""
    fill(view, seed)
    assert view.compile("cpu", dims=[dims])
    return view


def chain_of(view: aidge_nb.GraphView) -> list[aidge_nb.Node]:
    """List the nodes that compute."""
    return [node for node in view.topological_order() if node.type() != "Producer"]


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


def assert_same_bits(
    view: aidge_nb.GraphView,
    nodes: Sequence[aidge_nb.Node],
    grid: dict[int, int],
    halo: str = "recompute",
) -> aidge_nb.Tiling:
    """Plan, check, apply and run a tiling; the outputs keep their bits."""
    first = view.get_input_groups()[0][0]
    tensor = first.node.get_operator().get_input(first.index)
    assert tensor is not None
    data = np.random.default_rng(1).standard_normal(tensor.dims).astype(np.float32)
    before = run(view, data)
    tiling = aidge_nb.plan_tiling(view, nodes, grid, halo=halo)
    aidge_nb.tiling.check_tiling(view, tiling)
    aidge_nb.apply_tiling(view, tiling)
    after = run(view, data)
    assert before.any()
    assert np.array_equal(before, after), (tiling, grid, halo)
    return tiling


def mobilenet_v2() -> tuple[aidge_nb.GraphView, list[aidge_nb.Node]]:
    """Build MobileNetV2 as it was published, and list the ends of its blocks.

    The model of the zoo expands in the first block too, which the paper's does not.
    """
    view = aidge_nb.GraphView()

    def append(end: aidge_nb.Node | None, *nodes: aidge_nb.Node) -> aidge_nb.Node:
        for node in nodes:
            if end is not None:
                end.add_child(node, 0, 0)
            view.add([node, *(parent for parent in node.get_parents()[1:] if parent is not None)])
            end = node
        assert end is not None
        return end

    def norm(channels: int, name: str) -> aidge_nb.Node:
        return aidge_nb.BatchNorm2D(channels, name=f"{name}_norm")

    def pointwise(ins: int, outs: int, name: str) -> list[aidge_nb.Node]:
        return [aidge_nb.Conv2D(ins, outs, [1, 1], name, no_bias=True), norm(outs, name)]

    first = aidge_nb.PaddedConv2D(3, 32, [3, 3], "conv0", [2, 2], [1] * 4, no_bias=True)
    end = append(None, first, norm(32, "conv0"), aidge_nb.ReLU("conv0_act"))
    ins = 32
    ends: list[aidge_nb.Node] = []
    stages = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2))
    for factor, outs, repeats, stride in (*stages, (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for turn in range(repeats):
            name, wide, before = f"block{len(ends)}", ins * factor, end
            if factor > 1:
                expand = pointwise(ins, wide, f"{name}_expand")
                end = append(end, *expand, aidge_nb.ReLU(f"{name}_act1"))
            steps = [1 if turn else stride] * 2
            filter_ = aidge_nb.PaddedConvDepthWise2D(
                wide, [3, 3], f"{name}_filter", steps, [1] * 4, no_bias=True
            )
            acts = norm(wide, f"{name}_filter"), aidge_nb.ReLU(f"{name}_act2")
            end = append(end, filter_, *acts, *pointwise(wide, outs, f"{name}_project"))
            if turn:
                join = aidge_nb.Add(f"{name}_join")
                before.add_child(join, 0, 1)
                end = append(end, join)
            ends.append(end)
            ins = outs
    head = pointwise(320, 1280, "head")
    pool = aidge_nb.GlobalAveragePooling("pool")
    append(end, *head, aidge_nb.ReLU("head_act"), pool, aidge_nb.FC(1280, 1000, name="fc"))
    assert view.forward_dims([[1, 3, 224, 224]])
    return view, ends
