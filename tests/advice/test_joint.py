"""Changes that lower the peak: each can be made again, and none is worse and more disruptive."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import pytest

import aidge_nb
from aidge_nb.advice import ChangeSearch, find_changes
from aidge_nb.advice.joint import cost
from aidge_nb.graph import GraphView
from aidge_nb.memory import MemoryPlan, check_plan


def network(name: str, size: int) -> GraphView:
    graph = aidge_nb.zoo.load(name, size=size)
    graph.forward_dims([[1, 3, size, size]], allow_data_dependency=True)
    return graph


@cache
def searched(name: str, size: int) -> tuple[MemoryPlan, ChangeSearch]:
    graph = network(name, size)
    plan = aidge_nb.plan_memory(graph)
    return plan, find_changes(graph, plan)


MODELS = [("mobilenet_v2", 32), ("inception_like", 16)]


@pytest.mark.parametrize("model", MODELS)
def test_the_python_of_a_change_makes_its_plan(model: tuple[str, int]) -> None:
    plan, found = searched(*model)
    assert found.complete
    assert found.changes
    for change in found.changes:
        check_plan(change.plan)
        assert (change.before, change.peak < plan.peak) == (plan.peak, True)
        assert bool(change.python) != ("fuse" in change.measures)
        graph = network(*model)
        names: dict[str, Any] = {
            "aidge_nb": aidge_nb,
            "graph": graph,
            "schedule": aidge_nb.static_schedule(graph),
        }
        exec(change.python, names)
        if change.python:
            assert names["plan"].peak == change.peak, change.python


@pytest.mark.parametrize("model", MODELS)
def test_no_change_is_both_worse_and_more_disruptive(model: tuple[str, int]) -> None:
    for one, other in combinations(searched(*model)[1].changes, 2):
        by_cost = sorted((one, other), key=lambda each: cost(each.measures))
        assert by_cost[0].peak > by_cost[1].peak


@pytest.mark.parametrize("model", MODELS)
def test_tiles_have_a_moderate_price_where_no_budget_asks_for_them(
    model: tuple[str, int],
) -> None:
    tiled = [change for change in searched(*model)[1].changes if change.chains]
    assert all(change.extra_macs <= 0.1 for change in tiled)


def test_where_a_change_acts_is_named_as_in_the_graph() -> None:
    names = set(network("mobilenet_v2", 32).unique_names().values())
    for change in searched("mobilenet_v2", 32)[1].changes:
        assert change.nodes
        assert set(change.nodes) <= names


def test_with_a_budget_the_least_disruptive_change_that_fits_comes_first() -> None:
    graph = network("inception_like", 16)
    plan, found = searched("inception_like", 16)
    budget = max(change.peak for change in found.changes)
    first = find_changes(graph, plan, budget=budget).changes[0]
    fitting = [change for change in found.changes if change.peak <= budget]
    assert cost(first.measures) == min(cost(change.measures) for change in fitting)


@pytest.mark.parametrize(("model", "chains"), [(MODELS[0], [1, 0]), (MODELS[1], [0])])
def test_in_no_time_what_costs_little_is_tried_alone(
    model: tuple[str, int], chains: list[int]
) -> None:
    graph = network(*model)
    found = find_changes(graph, aidge_nb.plan_memory(graph), limit=0.0)
    assert (found.complete, found.limit) == (False, 0.0)
    assert [len(change.chains) for change in found.changes] == chains
    for change in found.changes:
        assert (change.limit, len(change.measures)) == (0.0, 1)
        check_plan(change.plan)
        names: dict[str, Any] = {"aidge_nb": aidge_nb, "graph": network(*model)}
        names["schedule"] = aidge_nb.static_schedule(names["graph"])
        exec(change.python, names)
        assert names["plan"].peak == change.peak
    best = searched(*model)[1].changes[0]
    assert best.peak <= found.changes[0].peak
