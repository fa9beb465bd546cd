"""The checker: takes what the scheduler makes, and names the rule that a spoilt one breaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aidge_nb import ops
from aidge_nb.core.errors import SchedulingError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView, Node, get_connected_graph_view, sequential
from aidge_nb.scheduling import (
    Actor,
    Firing,
    Scheduler,
    StaticSchedule,
    check_schedule,
    prod_conso_of,
    schedule_nodes,
    static_schedule,
)
from aidge_nb.scheduling.model.replay import Replay
from tests import oracle
from tests.graph.nodes import chain, unit
from tests.scheduling.rates import fork_join, multi_rate_graphs, set_rates


def _model() -> GraphView:
    view = sequential([ops.FC(4, 2, name="fc"), ops.ReLU(name="a"), ops.Tanh(name="b")])
    assert view.forward_dims([[1, 4]])
    return view


@dataclass(frozen=True)
class _Spoilt:
    """What the checker reads of a schedule, to be changed at will."""

    actors: tuple[Actor, ...]
    firings: tuple[Firing, ...]
    waits_for: tuple[tuple[int, ...], ...]

    @property
    def n_firings(self) -> int:
        return len(self.firings)

    def name_of(self, firing: Firing) -> str:
        return self.actors[firing.actor].name


Change = Callable[[_Spoilt], _Spoilt]


def _spoil(schedule: StaticSchedule, change: Change) -> StaticSchedule:
    whole = _Spoilt(schedule.actors, tuple(schedule.firings), tuple(schedule.waits_for))
    return cast(StaticSchedule, change(whole))


def _firing(position: int, **fields: int) -> Change:
    def change(schedule: _Spoilt) -> _Spoilt:
        firings = list(schedule.firings)
        firings[position] = firings[position]._replace(**fields)
        return replace(schedule, firings=tuple(firings))

    return change


def _without(position: int) -> Change:
    def change(schedule: _Spoilt) -> _Spoilt:
        kept = [i for i in range(len(schedule.firings)) if i != position]
        return replace(
            schedule,
            firings=tuple(schedule.firings[i] for i in kept),
            waits_for=tuple(schedule.waits_for[i] for i in kept),
        )

    return change


def _renamed(schedule: _Spoilt) -> _Spoilt:
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
        (_without(4), r"end of the schedule, input#0 of b \(Tanh\): .*once more .*found 2 left"),
        (_firing(3, execution=1), r"of a: executions are not counted \(expected 0, found 1\)"),
        (
            _firing(3, early=1),
            r"of a: early step is not after that of fc, which it waits for \(expected 2, found 1\)",
        ),
        (
            _firing(3, early=3),
            r"firing 3, .* of a: early step is not the first possible \(expected 2, found 3\)",
        ),
        (
            _firing(3, late=1),
            r"firing 3, .* of a: late step is not the last possible \(expected 2, found 1\)",
        ),
        (_firing(4, late=9), r"of b: late step would delay the end \(expected 3, found 9\)"),
        (
            _firing(0, late=1),
            r"firing 0, .* of fc_w: late step would delay the end: fc waits for it \(expected 0",
        ),
        (_renamed, r"firing 0, .*: no such node in this graph"),
        (lambda s: replace(s, waits_for=()), r"does not state the dependencies of each firing"),
        (
            lambda s: replace(s, waits_for=(*s.waits_for[:-1], (2,))),
            r"of b: waits for other firings than the schedule states .*\[3\], found \[2\]\)",
        ),
    ],
    ids=[
        "no producer",
        "no parent",
        "ends too soon",
        "execution",
        "too early",
        "later than need be",
        "late too soon",
        "after the end",
        "delays a child",
        "unknown",
        "no waits",
        "wrong waits",
    ],
)
def test_each_rule(change: Change, rule: str) -> None:
    view = _model()
    schedule = static_schedule(view)
    with pytest.raises(SchedulingError, match=rule):
        check_schedule(view, _spoil(schedule, change))


@pytest.mark.parametrize(
    "name", ["lstm_2_pop", "pipeline_with_branch", "counter_3", "diamond_nested"]
)
def test_any_step_that_is_changed_is_noticed(name: str) -> None:
    """Steps that follow from others are wrong then too: the first cause is named."""
    view, _ = oracle.build_graph(oracle.load(name))
    schedule = static_schedule(view)
    for position, firing in enumerate(schedule.firings):
        for kind in ("early", "late"):
            for change in (-1, 1):
                spoilt = _spoil(
                    schedule, _firing(position, **{kind: getattr(firing, kind) + change})
                )
                with pytest.raises(SchedulingError, match=rf"firing {position}, .*: {kind} step"):
                    check_schedule(view, spoilt)


def test_conditions_come_first() -> None:
    choose = ops.Select(2, name="choose")
    for index, name in enumerate(["condition", "yes", "no"]):
        ops.ReLU(name=name).add_child(choose, 0, index)
    view = get_connected_graph_view(choose)
    view.forward_dims([[1], [4], [4]])
    scheduler = Scheduler(view)
    scheduler.tag_conditional_nodes()
    scheduler.generate_scheduling()
    schedule = scheduler.schedule()
    check_schedule(view, schedule)
    assert schedule.order[0] == "condition"
    nodes = [view.get_node(name) for name in ("yes", "condition", "no", "choose")]
    with pytest.raises(SchedulingError, match=r"of yes: runs before condition \(ReLU\), which dec"):
        check_schedule(view, schedule_nodes(view, nodes))


def test_models_that_refuse_are_named() -> None:
    view, nodes = oracle.build_graph(oracle.load("counter_3"))
    order = [nodes[name] for name in static_schedule(view).order]
    memory = next(node for node in order if node.type() == "Memorize")
    body = next(node for node in order if memory in node.get_children())
    with pytest.raises(SchedulingError, match=r"firing \d+, execution \d+ of "):
        check_schedule(view, schedule_nodes(view, [*order, body, memory, body, memory]))


def test_the_state_of_the_graph_stays() -> None:
    view = _model()
    schedule = static_schedule(view)
    models = [prod_conso_of(node.get_operator()) for node in view]
    before = [repr(model.get_nb_produced_data(0)) for model in models]
    check_schedule(view, schedule)
    assert [repr(model.get_nb_produced_data(0)) for model in models] == before
    assert "none" not in before[0]


def test_what_the_executions_add_up_to() -> None:
    first, second = unit("first"), unit("second")
    first.add_child(second)
    view = GraphView()
    view.add([first, second])
    set_rates(first, 1, 3)
    set_rates(second, 2, 1)
    first.get_operator().set_input(0, Tensor.of_dims([3]))
    balance = check_schedule(view, static_schedule(view))
    assert balance.executions == (("first", 3), ("second", 4))
    assert balance.repetitions == (("first", 2), ("second", 3))
    assert [str(each) for each in balance.leftovers] == [
        "1 left between first, output#0 and second, input#0"
    ]
    first.get_operator().set_input(0, Tensor.of_dims([4]))
    assert check_schedule(view, static_schedule(view)).leftovers == ()


def test_graphs_without_balance_are_told_not_refused() -> None:
    view = fork_join(1, 2)
    balance = check_schedule(view, static_schedule(view))
    assert balance.repetitions is None
    assert "the graph is inconsistent" in balance.conflict
    assert balance.leftovers


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


@given(multi_rate_graphs())
def test_what_is_made_of_random_graphs_passes(view: GraphView) -> None:
    try:
        schedule = static_schedule(view)
    except SchedulingError:
        return  # a deadlock: tensors that are too small
    balance = check_schedule(view, schedule)
    assert dict(balance.executions) == {
        actor.name: schedule.order.count(actor.name) for actor in schedule.actors
    }
    if balance.repetitions is None or balance.leftovers:
        return
    executions, repetitions = dict(balance.executions), dict(balance.repetitions)
    for node in view:
        for _, port in node.edges_in():
            one, other = port.node.name(), node.name()
            if one in repetitions and other in repetitions:
                ratio = Fraction(repetitions[one], repetitions[other])
                assert executions[one] == ratio * executions[other]


def test_the_work_grows_with_the_length_of_a_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    lacks = Replay.lacks

    def counted(self: Replay, node: Node, index: int) -> bool:
        nonlocal asked
        asked += 1
        return lacks(self, node, index)

    monkeypatch.setattr(Replay, "lacks", counted)
    found = []
    for length in (50, 100):
        asked = 0
        view = sequential([ops.ReLU(name=f"node {number}") for number in range(length)])
        check_schedule(view, static_schedule(view))
        found.append(asked)
    assert found[1] <= 2 * found[0] + 2
