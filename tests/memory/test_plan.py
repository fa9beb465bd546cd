"""Memory planning takes what the step before it returned."""

from __future__ import annotations

from typing import Any

import pytest

import aidge_nb
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory import MemoryPlan, PlanOptions, live_values, plan_memory
from tests.memory.graphs import chain, opaque, unary


def branches() -> aidge_nb.GraphView:
    """Two branches that grow and shrink: the best order is not the default one."""
    fork, join = aidge_nb.Tanh(name="fork"), aidge_nb.Add(name="join")
    for index in range(2):
        grow, shrink = aidge_nb.FC(4, 64, name=f"g{index}"), aidge_nb.FC(64, 4, name=f"s{index}")
        fork.add_child(grow)
        grow.add_child(shrink)
        shrink.add_child(join, 0, index)
    view = aidge_nb.get_connected_graph_view(fork)
    view.forward_dims([[1, 4]])
    return view


def test_all_forms_of_an_order_make_the_same_plan() -> None:
    view = branches()
    schedule = aidge_nb.static_schedule(view)
    scheduler = aidge_nb.SequentialScheduler(view)
    scheduler.generate_scheduling()
    expected = plan_memory(view, scheduler.get_sequential_static_scheduling())
    forms: list[Any] = [None, schedule, schedule.order, expected, expected.order]
    assert [plan_memory(view, form) for form in forms] == [expected] * len(forms)
    assert scheduler.plan_memory() == expected
    assert live_values(view, schedule).order == expected.order


def test_an_order_for_memory_is_planned_as_it_is() -> None:
    view = branches()
    found = aidge_nb.order_for_memory(view)
    plan = plan_memory(view, found)
    assert plan.peak == found.peak_bytes < plan_memory(view).peak
    assert plan == plan_memory(view, found.order) == plan_memory(view, found.nodes(view))
    assert plan == plan_memory(view, aidge_nb.plan_jointly(view))


def test_a_scheduler_passes_on_all_options() -> None:
    view = branches()
    scheduler = aidge_nb.SequentialScheduler(view)
    scheduler.generate_scheduling()
    options = PlanOptions(looped=True, contiguous=True, parts=True, inc_inputs=True, effort=0)
    plan = scheduler.plan_memory(options)
    assert plan.options == options
    assert scheduler.plan_memory(options, effort=1).options == PlanOptions.of(options, effort=1)


def test_joint_plans_and_advice_take_schedules_and_options() -> None:
    view = branches()
    schedule = aidge_nb.static_schedule(view)
    options = PlanOptions(in_place=False)
    joint = aidge_nb.plan_jointly(view, schedule, options)
    assert joint.plan.options == options
    assert joint.default_peak == plan_memory(view, schedule, options).peak
    report = aidge_nb.memory_report(view, schedule, options)
    assert report.plan == plan_memory(view, schedule, options)
    assert {advice.change for advice in report.advice} == {"order"}
    assert aidge_nb.fit(view, 100_000, schedule).default_peak == report.plan.peak
    compared = aidge_nb.compare_orders(view, ["Default"], options)
    assert compared.row("Default").planned_bytes == report.plan.peak


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (["a", "x"], r"execution 1 of the order: the graph has no node 'x' .*2 nodes"),
        (3, r"schedule: is not an order of executions \(expected a StaticSchedule, .*found int"),
        ("ab", "schedule: is not an order of executions .*found str"),
        (["a"], "is an output of the graph, and the order never computes it"),
    ],
)
def test_other_orders_are_refused(order: Any, message: str) -> None:
    with pytest.raises(MemoryPlanError, match=message):
        plan_memory(chain(opaque("a"), unary("b")), order)


def test_an_empty_order_is_an_order() -> None:
    assert plan_memory(aidge_nb.GraphView("empty"), []) == MemoryPlan((), (), 0, 0)
