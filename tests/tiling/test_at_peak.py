"""Stripes of one chain around the peak: what the estimate promises, plans keep."""

from __future__ import annotations

import pytest

import aidge_nb
from aidge_nb import zoo
from aidge_nb.core.errors import GraphError, MemoryPlanError
from aidge_nb.tiling import tile_at_peak, tile_for


def network(name: str, size: int) -> aidge_nb.GraphView:
    view = zoo.load(name, size=size)
    view.forward_dims([[1, 3, size, size]], allow_data_dependency=True)
    return view


@pytest.mark.parametrize("name", ["mobilenet_v2", "resnet18", "squeezenet"])
def test_a_plan_needs_no_more_than_was_estimated(name: str) -> None:
    view = network(name, 64)
    untiled = aidge_nb.plan_memory(view)
    found = tile_at_peak(view, untiled.peak // 2)
    [chain] = found.best.chains
    assert untiled.order[untiled.peak_tick] in chain.nodes
    assert (chain.grid[1], chain.halo, found.extra_macs) == (1, "cache", 0.0)
    found.apply(view)
    plan = aidge_nb.plan_memory(view, view.topological_order(), parts=True)
    assert plan.peak <= found.best.peak < untiled.peak


def test_the_fewest_stripes_that_fit_are_taken_and_else_the_least_peak() -> None:
    view = network("mobilenet_v2", 64)
    least = tile_at_peak(view, 1).best
    assert least.peak == min(choice.peak for choice in tile_at_peak(view, 1))
    counts = []
    for memory in (least.peak, (least.peak + tile_at_peak(view, 1).untiled.peak) // 2):
        best = tile_at_peak(view, memory).best
        assert best.peak <= memory
        counts.append(best.chains[0].grid[0])
    assert counts[0] > counts[1]


def test_it_compares_a_part_of_what_the_whole_search_does() -> None:
    view = network("squeezenet", 64)
    few, all_of_them = tile_at_peak(view, 1), tile_for(view)
    assert few.tried < all_of_them.tried
    assert few.best.peak >= all_of_them.best.peak
    assert few.untiled == all_of_them.untiled


def test_what_cannot_be_tiled_stays_untiled() -> None:
    view = aidge_nb.sequential([aidge_nb.FC(4, 2, name="fc"), aidge_nb.ReLU(name="relu")])
    view.forward_dims([[3, 4]])
    assert tile_at_peak(view, 8).best.chains == ()


def test_arguments_are_checked() -> None:
    view = network("squeezenet", 32)
    with pytest.raises(MemoryPlanError, match="memory must be a number of bytes"):
        tile_at_peak(view, 1.5)  # type: ignore[arg-type]
    with pytest.raises(GraphError, match="max_slices must be 1 or more"):
        tile_at_peak(view, 100, max_slices=0)
