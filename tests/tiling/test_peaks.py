"""Modelled peaks beside planned ones; chains with pads that files say."""

from __future__ import annotations

import numpy as np
import pytest

import aidge_nb
from aidge_nb import tiling
from tests.tiling.graphs import ready, run


def gated(*, shortcut_first: bool, pointwise: int = 1) -> aidge_nb.GraphView:
    """Two layers and a shortcut around a filter whose channels are weighed by their means.

    All of the filtered tensor is needed for the means, so a tile of the sum cannot lie where all of
    what it is added to does.
    """
    first = aidge_nb.PaddedConv2D(3, 8, [3, 3], "first", padding_dims=[1] * 4)
    across = aidge_nb.PaddedConvDepthWise2D(8, [3, 3], "across", padding_dims=[1] * 4)
    mean, gate, join = (
        aidge_nb.GlobalAveragePooling("mean"),
        aidge_nb.Mul("gate"),
        aidge_nb.Add("join"),
    )
    project = aidge_nb.Conv2D(8, 8, [pointwise, pointwise], "project")
    view = aidge_nb.sequential([first, across])
    for node, child, index in (
        (across, mean, 0),
        (across, gate, 0),
        (mean, gate, 1),
        (gate, project, 0),
        (first, join, 0 if shortcut_first else 1),
        (project, join, 1 if shortcut_first else 0),
    ):
        node.add_child(child, 0, index)
    last = aidge_nb.MaxPooling2D([2, 2], "last", [2, 2])
    join.add_child(last, 0, 0)
    view.add([mean, gate, project, join, last])
    view.add([each for each in project.get_parents() if each is not None])
    return ready(view, [1, 3, 16, 16])


@pytest.mark.parametrize("shortcut_first", [False, True])
def test_no_plan_needs_more_than_the_front_says(shortcut_first: bool) -> None:
    view = gated(shortcut_first=shortcut_first)
    data = np.random.default_rng(0).standard_normal((1, 3, 16, 16), np.float32)
    whole, size = run(view, data), data.nbytes
    front = tiling.tile_for(view, halos=["recompute"]).front
    assert len(front) > 3
    for choice in front:
        copy = gated(shortcut_first=shortcut_first)
        if choice.chains:
            tiling.apply_tilings(copy, choice.plan(copy))
        order = copy.topological_order()
        plan = aidge_nb.plan_memory(copy, order, parts=True, inc_inputs=True)
        assert plan.peak <= choice.peak + size
        assert np.array_equal(run(copy, data), whole)


def test_operands_of_a_sum_cost_the_same_in_any_order() -> None:
    one, other = (tiling.tile_for(gated(shortcut_first=first)).front for first in (False, True))
    costs = [[(c.peak, c.macs, c.traffic) for c in front] for front in (one, other)]
    assert costs[0] == costs[1]


# --- pads that files say ------------------------------------------------------------------------


def padded(pads: object, mode: str = "constant", value: float | None = None) -> aidge_nb.GraphView:
    """A Pad that reads what it adds, as in a file, between two convolutions."""
    before = aidge_nb.Conv2D(3, 4, [3, 3], "before")
    pad = aidge_nb.Pad(name="pad", mode=mode)
    behind = aidge_nb.Conv2D(4, 4, [3, 3], "behind")
    view = aidge_nb.sequential([before, pad, behind])
    given = {
        1: np.array(pads, np.int64),
        2: None if value is None else np.array([value], np.float32),
    }
    for index, values in given.items():
        if values is not None:
            producer = aidge_nb.Producer(aidge_nb.Tensor(values), f"given{index}")
            producer.add_child(pad, 0, index)
            view.add(producer)
    parameters = [p for p in view if p.type() == "Producer" and not p.name().startswith("given")]
    random = np.random.default_rng(0)
    view.set_backend("cpu")
    assert view.forward_dims([[1, 3, 20, 20]], allow_data_dependency=True)
    for each in parameters:
        dims = each.get_operator().get_output(0).dims
        each.get_operator().set_output(0, aidge_nb.Tensor(random.random(dims, np.float32)))
    return view


@pytest.mark.parametrize("value", [None, 1.5])
def test_pads_may_be_constants_that_are_read(value: float | None) -> None:
    data = np.random.default_rng(1).standard_normal((1, 3, 20, 20), np.float32)
    view = padded([0, 0, 1, 2, 0, 0, 3, 0], value=value)
    whole = run(view, data)
    found = tiling.tile_for(view, halos=["recompute"])
    through = [c for c in found.front if any("pad" in each.nodes for each in c.chains)]
    assert through
    for choice in (through[0], through[-1]):
        copy = padded([0, 0, 1, 2, 0, 0, 3, 0], value=value)
        tilings = choice.plan(copy)
        for each in tilings:
            tiling.check_tiling(copy, each)
        tiling.apply_tilings(copy, tilings)
        assert np.array_equal(run(copy, data), whole)


def test_other_pads_end_a_chain() -> None:
    view = padded([0, 0, 1, 1, 0, 0, 1, 1], mode="reflect")
    for choice in tiling.tile_for(view).front:
        assert all("pad" not in each.nodes for each in choice.chains)
        if choice.chains:
            choice.plan(view)
    pad = view.get_node("pad")
    with pytest.raises(aidge_nb.GraphError, match=r"only constant pads .* found reflect.* end the"):
        tiling.plan_tiling(view, [pad], {2: 2})


# --- halos that are kept ------------------------------------------------------------------------


def kept(kind: str) -> aidge_nb.GraphView:
    """Layers whose halos are worth keeping: of groups, of strides, spread ones, poolings."""
    layers = {
        "groups": [
            aidge_nb.PaddedConv2D(3, 16, [3, 3], "a", padding_dims=[1] * 4),
            aidge_nb.ReLU("b"),
            aidge_nb.PaddedConvDepthWise2D(16, [3, 3], "c", [2, 2], [1] * 4),
            aidge_nb.ReLU("d"),
            aidge_nb.PaddedConv2D(16, 8, [3, 3], "e", padding_dims=[1] * 4),
        ],
        "spread": [
            aidge_nb.PaddedConv2D(3, 8, [3, 3], "a", padding_dims=[1] * 4),
            aidge_nb.ConvTranspose2D(8, 6, [3, 3], [2, 2], name="b"),
            aidge_nb.Tanh("c"),
            aidge_nb.ConvTranspose2D(6, 4, [3, 3], name="d"),
        ],
        "pooled": [
            aidge_nb.PaddedConv2D(3, 8, [5, 5], "a", padding_dims=[2] * 4),
            aidge_nb.PaddedConv2D(8, 8, [3, 3], "b", padding_dims=[1] * 4),
            aidge_nb.AvgPooling2D([3, 3], "c", [2, 2]),
            aidge_nb.MaxPooling2D([3, 3], "d", [1, 1]),
        ],
    }
    return ready(aidge_nb.sequential(layers[kind]), [1, 3, 24, 24])


@pytest.mark.parametrize("kind", ["groups", "spread", "pooled"])
def test_a_kept_halo_costs_its_rows_and_not_what_it_is_cut_from(kind: str) -> None:
    data = np.random.default_rng(0).standard_normal((1, 3, 24, 24), np.float32)
    whole = run(kept(kind), data)
    front = [c for c in tiling.tile_for(kept(kind), halos=["cache"]).front if c.chains]
    assert front
    for choice in front:
        copy = kept(kind)
        tiling.apply_tilings(copy, choice.plan(copy))
        plan = aidge_nb.plan_memory(copy, copy.topological_order(), parts=True)
        assert plan.peak <= choice.peak
        [output] = aidge_nb.run_in_arena(copy, plan, [data]).outputs
        assert np.array_equal(output, whole)
