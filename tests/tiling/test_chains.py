"""Chains of operators, tiled in every way that they can be: always the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import tiling
from aidge_nb.core.errors import GraphError, ShapeError
from tests.tiling.graphs import assert_same_bits, block_of, chain_of, ready, run

GRIDS: list[tuple[dict[int, int], str]] = [
    ({2: 1}, "recompute"),
    ({2: 4}, "recompute"),
    ({3: 3}, "recompute"),
    ({2: 3, 3: 2}, "recompute"),
    ({2: 11}, "recompute"),
    ({2: 4}, "cache"),
    ({2: 11}, "cache"),
    ({3: 5}, "cache"),
    ({0: 2}, "cache"),
]


@pytest.mark.parametrize(("grid", "halo"), GRIDS)
@pytest.mark.parametrize("skip", [True, False])
def test_chains_with_branches_keep_their_bits(grid: dict[int, int], halo: str, skip: bool) -> None:
    view = ready(block_of(skip=skip), [2, 3, 22, 22])
    found = assert_same_bits(view, chain_of(view), grid, halo)
    if halo == "cache":
        assert found.tiled_macs == found.macs
    elif 2 in grid and grid[2] > 1:
        assert found.tiled_macs > found.macs


def test_a_branch_and_the_way_around_it_share_their_range() -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    middle = aidge_nb.plan_tiling(view, chain_of(view), {2: 11}).tiles[5]
    first, join = middle.part("first"), middle.part("join")
    assert first is not None
    assert join is not None
    assert join.output[2] == (10, 12)
    assert first.output[2] == (9, 13)  # the filter's halo on the one way, none on the other


def test_the_middle_of_a_graph_is_tiled_and_the_rest_stays() -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    nodes = tiling.between(view, view.get_node("expand"), view.get_node("project"))
    assert_same_bits(view, nodes, {2: 3, 3: 2})
    assert view.in_view("join")
    assert view.in_view("first")
    assert not view.in_view("expand")


def test_tilings_are_values() -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    found = aidge_nb.plan_tiling(view, chain_of(view), {2: 4}, halo="cache")
    assert aidge_nb.Tiling.from_dict(found.to_dict()) == found
    assert repr(found) == "Tiling(first … pool, axis 2 in 4: 4 tiles, halo kept, 0.0 % more MACs)"
    assert [tile.place for tile in found] == [(0,), (1,), (2,), (3,)]


REFUSED: list[tuple[Any, str, str]] = [
    ({2: 2.5}, "recompute", r"axis 2: .*expected 1 to 11, found 2.5"),
    ({2: True}, "recompute", r"axis 2: .*expected 1 to 11, found True"),
    ({2: "4"}, "recompute", r"axis 2: .*expected 1 to 11, found '4'"),
    ({True: 2}, "recompute", r"no such axis to cut \(expected 0 to 3.*found True"),
    ({2: 2, -2: 3}, "recompute", "axis 2: is cut twice"),
    ([2, 2], "recompute", r"the grid is a mapping .*expected \{2: 4\}, say"),
    ({2: 12}, "recompute", r"pool \(MaxPooling2D\), axis 2: .*expected 1 to 11, found 12"),
    ({7: 2}, "recompute", r"no such axis to cut \(expected 0 to 3.*found 7"),
    ({2: 2, 3: 2}, "cache", r"kept along one axis only.*recompute"),
    ({2: 2}, "keep", r"unknown halo \(expected recompute or cache, found 'keep'"),
]


@pytest.mark.parametrize(("grid", "halo", "message"), REFUSED)
def test_grids_that_make_no_sense_are_refused(grid: Any, halo: str, message: str) -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    nodes = list(view)
    with pytest.raises((GraphError, ShapeError), match=message):
        aidge_nb.plan_tiling(view, chain_of(view), grid, halo=halo)
    assert list(view) == nodes


def test_nodes_that_cannot_be_tiled_together_are_refused() -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    with pytest.raises(GraphError, match=r"first \(PaddedConv2D\): is read outside.*join"):
        aidge_nb.plan_tiling(view, [view.get_node("first"), view.get_node("expand")], {2: 2})
    with pytest.raises(GraphError, match="no nodes to tile"):
        aidge_nb.plan_tiling(view, [], {2: 2})
    with pytest.raises(GraphError, match="is not in this graph"):
        aidge_nb.plan_tiling(view, [aidge_nb.ReLU(name="other")], {2: 2})
    turned = aidge_nb.sequential([aidge_nb.ReLU(name="r"), aidge_nb.Transpose([1, 0], name="t")])
    turned.forward_dims([[1, 4]])
    message = r"t \(Transpose\): cannot be tiled .expected a convolution.*End the chain before it"
    nodes = list(turned)
    with pytest.raises(GraphError, match=message):
        aidge_nb.plan_tiling(turned, chain_of(turned), {0: 2})
    assert list(turned) == nodes
    unknown = aidge_nb.sequential([aidge_nb.ReLU(name="r")])
    with pytest.raises(ShapeError, match="has no dimensions yet"):
        aidge_nb.plan_tiling(unknown, chain_of(unknown), {1: 2})


def test_a_tiling_is_applied_once_to_its_own_graph() -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    found = aidge_nb.plan_tiling(view, chain_of(view), {2: 2})
    other = ready(block_of(), [1, 3, 26, 26])
    with pytest.raises(GraphError, match="was tiled for other dimensions"):
        aidge_nb.apply_tiling(other, found)
    aidge_nb.apply_tiling(view, found)
    nodes = list(view)
    with pytest.raises(GraphError, match=r"belongs to another graph.*applied once"):
        aidge_nb.apply_tiling(view, found)
    wrong: Any = {2: 4}
    with pytest.raises(GraphError, match=r"must be a Tiling .found dict.*plan_tiling"):
        aidge_nb.apply_tiling(view, wrong)
    assert list(view) == nodes


def broken(values: dict[str, Any], how: str) -> dict[str, Any]:
    part = values["tiles"][1]["parts"][0]
    if how == "hole":
        values["tiles"].pop(1)
    elif how == "twice":
        values["tiles"].append(values["tiles"][0])
    elif how == "halo":
        part["inputs"][0][1][2][0] += 1
    elif how == "pads":
        part["pads"][0] += 1
    elif how == "outside":
        values["tiles"][-1]["parts"][0]["inputs"][0][1][2][1] += 1
    elif how == "absent":
        values["tiles"][1]["parts"][0]["output"][2][0] += 1
        values["tiles"][1]["parts"][0]["needed"][2][0] += 1
    return values


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("hole", "no tile gives element"),
        ("twice", "several tiles give element"),
        ("halo", r"tile \(1,\), first: lacks rows of axis 2"),
        ("pads", "wrong padding before axis 2"),
        ("outside", "lies outside of"),
        ("absent", "is not there in this tile"),
    ],
)
def test_the_checker_names_what_is_wrong(how: str, message: str) -> None:
    view = ready(block_of(), [1, 3, 22, 22])
    values = aidge_nb.plan_tiling(view, chain_of(view), {2: 4}).to_dict()
    with pytest.raises(GraphError, match=message):
        tiling.check_tiling(view, aidge_nb.Tiling.from_dict(broken(values, how)))


def test_tiles_run_side_by_side_with_the_same_bits() -> None:
    view = ready(block_of(), [1, 3, 30, 30])
    data = np.random.default_rng(0).standard_normal((1, 3, 30, 30)).astype(np.float32)
    before = run(view, data)
    aidge_nb.apply_tiling(view, aidge_nb.plan_tiling(view, chain_of(view), {2: 3, 3: 2}))
    scheduler = aidge_nb.ParallelScheduler(view)
    outputs = scheduler.forward(data=[aidge_nb.Tensor(data)])
    assert np.array_equal(np.array(outputs[0]), before)
