"""Another layout of the same buffers: valid, lower, and made from the plan alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

import aidge_nb
from aidge_nb.advice import find_changes, lay_out_again
from aidge_nb.advice.relayout import layout_change
from aidge_nb.memory import (
    MemoryPlan,
    OptimizeStrategy,
    check_plan,
    generate_memory,
    plan_memory,
    plan_of_manager,
)


def managed(name: str) -> tuple[aidge_nb.GraphView, MemoryPlan]:
    """Plan with Aidge's manager, which leaves holes."""
    graph = aidge_nb.zoo.load(name, size=32)
    graph.forward_dims([[1, 3, 32, 32]], allow_data_dependency=True)
    order = graph.topological_order()
    manager = generate_memory(graph, order)
    manager.optimize(OptimizeStrategy.OptimizeMaxLifetimeMinSizeFirst)
    return graph, plan_of_manager(manager, graph, order)


@pytest.mark.parametrize("name", ["mobilenet_v2", "inception_like", "resnet18"])
def test_buffers_that_share_bytes_move_together(name: str) -> None:
    _, plan = managed(name)
    found = lay_out_again(plan)
    assert plan.lower_bound <= found.peak < plan.peak
    check_plan(found)
    for old, new in zip(plan.buffers, found.buffers, strict=True):
        assert replace(new, offset=old.offset, wrapped_offset=old.wrapped_offset) == old
        for other in old.shares_with:
            by_name = [{each.name: each for each in p.buffers}[other] for p in (plan, found)]
            assert old.offset - by_name[0].offset == new.offset - by_name[1].offset


def test_it_is_one_of_the_changes_that_are_searched() -> None:
    graph, plan = managed("inception_like")
    [change] = find_changes(graph, plan, limit=0.0, measures=["layout"]).changes
    assert layout_change(plan) == (replace(change, limit=0.0),)
    names = {"aidge_nb": aidge_nb, "plan": plan}
    exec(change.python, names)
    assert names["plan"] == change.plan


def test_what_cannot_be_better_stays_as_it_is() -> None:
    graph, plan = managed("inception_like")
    best = plan_memory(graph)
    assert best.is_optimal
    again = lay_out_again(plan)
    for kept in (best, again, MemoryPlan((), (), 0, 0)):
        assert lay_out_again(kept) is kept
        assert layout_change(kept) == ()
    broken = replace(plan, buffers=(replace(plan.buffers[0], lower=9, upper=3),))
    assert lay_out_again(broken) is broken
    assert lay_out_again(replace(plan, buffers=())).peak in (0, plan.peak)
