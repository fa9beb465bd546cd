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
