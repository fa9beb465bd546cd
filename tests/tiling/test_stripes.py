"""Stripes beside the whole and beside other counts: the figures are those of the library."""

from __future__ import annotations

import json
import pickle

import pytest

import aidge_nb
from aidge_nb.core.errors import AidgeError, GraphError, ShapeError
from aidge_nb.memory import plan_memory
from aidge_nb.tiling import Tiling, apply_tiling, plan_tiling
from aidge_nb.tiling.stripes import EFFORT, compare_stripes, cut_axes
from tests.tiling.graphs import block_of, chain_of, ready


def chain(count: int = 3, size: int = 32) -> tuple[aidge_nb.GraphView, list[aidge_nb.Node]]:
    nodes = [
        aidge_nb.PaddedConv2D(4, 4, [3, 3], f"conv{n}", None, [1, 1, 1, 1]) for n in range(count)
    ]
    view = aidge_nb.sequential(nodes)
    view.forward_dims([[1, 4, size, size]])
    return view, nodes


@pytest.mark.parametrize("halo", ["recompute", "cache"])
def test_peaks_and_macs_are_those_of_the_library(halo: str) -> None:
    view, nodes = chain()
    study = compare_stripes(plan_tiling(view, nodes, {2: 4}, halo=halo))
    whole = plan_memory(view, view.topological_order(), parts=True, effort=EFFORT)
    assert study.whole.plan == whole
    assert {(way.count, way.halo) for way in study.ways} >= {
        (count, each) for count in (2, 3, 4, 6, 8, 12, 16) for each in ("recompute", "cache")
    }
    assert study.missing == ()
    assert study.way(4, halo) is study.asked
    for way in study.ways:
        tiling = plan_tiling(view, nodes, {2: way.count}, halo=way.halo)
        assert way.tiling == tiling
        copy = view.clone()
        apply_tiling(copy, tiling)
        plan = plan_memory(copy, copy.topological_order(), parts=True, effort=EFFORT)
        assert way.plan == plan
        assert way.plan.peak <= whole.peak


def test_each_tick_belongs_to_its_stripe() -> None:
    view, nodes = chain()
    way = compare_stripes(plan_tiling(view, nodes, {2: 4}, halo="cache")).asked
    assert way.ticks == (0, len(way.plan.order))
    stripes = [way.nodes[name].stripe for name in way.plan.order]
    assert stripes == [*sorted(stripes[:-1]), -1]
    assert set(stripes) == {0, 1, 2, 3, -1}
    kinds = {(way.nodes[name].moves) for name in way.plan.order}
    assert kinds == {"", "Slice", "Concat"}


def test_names_that_look_like_tiles_are_told_apart() -> None:
    nodes = [
        aidge_nb.PaddedConv2D(2, 2, [3, 3], name, None, [1] * 4) for name in ("a", "a_1", "a_1_0")
    ]
    view = aidge_nb.sequential(nodes)
    view.forward_dims([[1, 2, 16, 16]])
    way = compare_stripes(plan_tiling(view, nodes, {2: 2})).asked
    computed = [
        (way.nodes[name].of, way.nodes[name].stripe)
        for name in way.plan.order
        if not way.nodes[name].moves
    ]
    assert computed == [(node.name(), stripe) for stripe in (0, 1) for node in nodes]


def test_grids_are_compared_with_grids_of_their_proportions() -> None:
    view, nodes = chain()
    study = compare_stripes(plan_tiling(view, nodes, {2: 4, 3: 2}))
    assert (study.axes, study.asked.count, study.missing) == ((2, 3), 8, ())
    grids = [way.tiling.grid for way in study.ways]
    assert grids == [(2, 1), (3, 2), (4, 2), (6, 3), (8, 4)]
    assert [way.count for way in study.ways] == sorted({rows * columns for rows, columns in grids})
    for way in study.ways:
        copy = view.clone()
        apply_tiling(
            copy, plan_tiling(view, nodes, dict(zip((2, 3), way.tiling.grid, strict=True)))
        )
        plan = plan_memory(copy, copy.topological_order(), parts=True, effort=EFFORT)
        assert (way.plan, way.halo) == (plan, "recompute")
        tiles = {way.nodes[name].stripe for name in plan.order}
        assert tiles == {*range(way.count), -1}
    least = compare_stripes(study.asked.tiling, most_ticks=0)
    assert [way.tiling.grid for way in least.ways] == [(4, 2)]


def test_a_grid_may_have_one_tile_more_than_a_side_has_values() -> None:
    view, nodes = chain(size=6)
    grids = [
        way.tiling.grid for way in compare_stripes(plan_tiling(view, nodes, {2: 6, 3: 5})).ways
    ]
    assert grids == [(2, 2), (3, 3), (4, 3), (6, 5)]


def test_what_is_too_much_is_left_out_and_named() -> None:
    view, nodes = chain()
    tiling = plan_tiling(view, nodes, {2: 4})
    least = compare_stripes(tiling, most_ticks=0)
    assert [(way.count, way.halo) for way in least.ways] == [(4, "recompute")]
    assert least.whole.plan.peak > least.asked.plan.peak
    assert (4, "cache", "too many to plan ahead") in least.missing
    some = compare_stripes(tiling, most_ticks=120)
    assert some.way(4, "cache") is not None, "the other halo comes first"
    assert some.missing


def test_a_chain_inside_of_a_graph_keeps_the_peak_of_the_graph() -> None:
    view, nodes = chain(5)
    study = compare_stripes(plan_tiling(view, nodes[:2], {2: 4}))
    order = view.topological_order()
    assert study.whole.plan.peak == plan_memory(view, order, parts=True, effort=EFFORT).peak
    begin, end = study.whole.ticks
    assert list(study.whole.plan.order[begin:end]) == ["conv0", "conv1"]


def test_stripes_with_a_stride_and_of_blocks_are_planned() -> None:
    view = ready(block_of(2, skip=False), [1, 3, 37, 31])
    study = compare_stripes(plan_tiling(view, chain_of(view), {2: 3}))
    assert study.asked.plan.peak > 0
    assert all(way.plan.peak > 0 for way in study.ways)


def test_what_cannot_be_compared_says_why() -> None:
    view, nodes = chain()
    many = aidge_nb.sequential([aidge_nb.Conv2D(2, 2, [3, 3], name="c")])
    many.forward_dims([[2, 2, 10, 10]])
    with pytest.raises(GraphError, match="more than two axes are cut"):
        compare_stripes(plan_tiling(many, many.get_node("c"), {0: 2, 2: 2, 3: 2}))
    tiling = plan_tiling(view, nodes, {2: 4})
    with pytest.raises(GraphError, match="names no graph"):
        compare_stripes(Tiling.from_dict(tiling.to_dict()))
    apply_tiling(view, tiling)
    with pytest.raises(AidgeError, match="the graph changed since"):
        compare_stripes(tiling)


def test_more_stripes_than_rows_are_refused_as_ever() -> None:
    view, nodes = chain()
    with pytest.raises(ShapeError):
        plan_tiling(view, nodes, {2: 33})
    assert cut_axes(plan_tiling(view, nodes, {2: 1})) == (2,)
    assert compare_stripes(plan_tiling(view, nodes, {2: 1})).asked.count == 1


def test_the_graph_is_no_part_of_the_value() -> None:
    view, nodes = chain()
    tiling = plan_tiling(view, nodes, {2: 4})
    assert tiling.view is view
    kept = Tiling.from_dict(json.loads(json.dumps(tiling.to_dict())))
    assert kept == tiling
    assert kept.view is None
    assert pickle.loads(pickle.dumps(tiling)) == tiling
