"""Tiling as a measure for budgets."""

from __future__ import annotations

import pytest

import aidge_nb
from aidge_nb.advice import fit
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph import GraphView
from aidge_nb.memory import check_plan, plan_memory
from aidge_nb.tiling import tiled_plan


def convs() -> GraphView:
    nodes = [aidge_nb.Conv2D(8, 8, [3, 3], f"conv{number}") for number in range(3)]
    view = aidge_nb.sequential([*nodes, aidge_nb.MaxPooling2D([4, 4], "pool", [4, 4])])
    assert view.forward_dims([[1, 8, 38, 38]])
    return view


def test_the_plan_is_one_of_the_tiled_graph() -> None:
    view = convs()
    plan = tiled_plan(view, 20_000)
    check_plan(plan)
    assert plan.peak <= 20_000 < plan_memory(view, view.topological_order()).peak
    assert len(plan.order) > 4
    assert sorted(node.name() for node in view if node.type() != "Producer") == [
        "conv0",
        "conv1",
        "conv2",
        "pool",
    ]


def test_what_does_not_fit_is_as_small_as_tiles_make_it() -> None:
    view = convs()
    least = tiled_plan(view, 1)
    assert 1 < least.peak <= tiled_plan(view, 20_000).peak
    found = fit(view, 1, others={"tiling": lambda: tiled_plan(view, 1)})
    assert (found.fits, found.plan) == (False, least)


def test_tiling_brings_a_model_into_its_budget() -> None:
    view = convs()
    found = fit(view, 20_000, others={"tiling": lambda: tiled_plan(view, 20_000)})
    assert found.taken == ("tiling",)
    assert all(each.peak is None or each.peak > 20_000 for each in found.tried[:-1])


def test_unknown_dimensions_are_refused() -> None:
    view = aidge_nb.sequential([aidge_nb.FC(4, 2, name="fc")])
    with pytest.raises(MemoryPlanError, match="forward_dims"):
        tiled_plan(view, 100)
