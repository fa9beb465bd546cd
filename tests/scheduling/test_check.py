"""The checker: takes what the scheduler makes, and names the rule that a spoilt one breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aidge_nb import ops
from aidge_nb.errors import SchedulingError
from aidge_nb.graph import GraphView, sequential
from aidge_nb.scheduling import StaticSchedule, check_schedule, schedule_nodes, static_schedule
from tests import oracle
from tests.graph.nodes import chain

Change = Callable[[StaticSchedule], StaticSchedule]


def _model() -> GraphView:
    view = sequential([ops.FC(4, 2, name="fc"), ops.ReLU(name="a"), ops.Tanh(name="b")])
    assert view.forward_dims([[1, 4]])
    return view


def _firing(position: int, **fields: int) -> Change:
    def change(schedule: StaticSchedule) -> StaticSchedule:
        firings = list(schedule.firings)
        firings[position] = replace(firings[position], **fields)
        return replace(schedule, firings=tuple(firings))

    return change


def _without(position: int) -> Change:
    def change(schedule: StaticSchedule) -> StaticSchedule:
        kept = [i for i in range(len(schedule.firings)) if i != position]
        return replace(
            schedule,
            firings=tuple(schedule.firings[i] for i in kept),
            waits_for=tuple(schedule.waits_for[i] for i in kept),
        )

    return change


def _renamed(schedule: StaticSchedule) -> StaticSchedule:
    actors = [replace(actor, name=actor.name + "!") for actor in schedule.actors]
    return replace(schedule, actors=tuple(actors))


def test_what_the_scheduler_makes_passes() -> None:
    view = _model()
    check_schedule(view, static_schedule(view))
    check_schedule(GraphView(), static_schedule(GraphView()))


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (
            _without(0),
            r"firing 1, execution 0 of fc, input#1: lacks data \(expected Elts_t\(data=8",
        ),
        (_without(2), r"execution 0 of a, input#0: lacks data .*found Elts_t\(none\)"),
        (_firing(3, execution=1), r"of a: executions are not counted \(expected 0, found 1\)"),
        (_firing(3, early=1), r"of a: early step is not after that of fc \(FC\)"),
        (
            _firing(3, early=3),
            r"of a: early step is not the first possible \(expected 2, found 3\)",
        ),
        (_firing(3, late=1), r"of a: late step is not after that of fc \(FC\) \(expected after"),
        (_firing(4, late=9), r"of b: late step is not between the early step and the end"),
        (_firing(0, late=1), r"of fc: late step is not after that of fc_w \(Producer\)"),
        (_renamed, r"firing 0, .*: no such node in this graph"),
        (lambda s: replace(s, waits_for=()), r"does not say of each firing what it waits for"),
    ],
    ids=[
        "no producer",
        "no parent",
        "execution",
        "too early",
        "later than need be",
        "too late to wait",
        "after the end",
        "parent late",
        "unknown",
        "no waits",
    ],
)
def test_each_rule(change: Change, rule: str) -> None:
    view = _model()
    schedule = static_schedule(view)
    with pytest.raises(SchedulingError, match=rule):
        check_schedule(view, change(schedule))


def test_direct_tensors_are_there_once() -> None:
    view = chain("a")
    view.forward_dims([[3]])
    a = view.get_node("a")
    check_schedule(view, schedule_nodes(view, [a]))
    with pytest.raises(SchedulingError, match=r"execution 1 of a, input#0: lacks data"):
        check_schedule(view, schedule_nodes(view, [a, a]))


@given(st.data())
def test_orders_that_break_a_dependency_are_refused(data: st.DataObject) -> None:
    view, nodes = oracle.build_graph(oracle.load("diamond_unequal"))
    order = data.draw(st.permutations(list(static_schedule(view).order)))
    position = {name: i for i, name in enumerate(order)}
    valid = all(
        position[parent.node.name()] < position[node.name()]
        for node in view
        for _, parent in node.edges_in()
    )
    schedule = schedule_nodes(view, [nodes[name] for name in order])
    if valid:
        check_schedule(view, schedule)
        return
    with pytest.raises(SchedulingError):
        check_schedule(view, schedule)
