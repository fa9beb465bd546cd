"""Schedules as loop nests: what is asked of them is what the unrolled schedule says."""

from __future__ import annotations

import json
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph import GraphView
from aidge_nb.scheduling import Loop, StaticSchedule, static_schedule
from aidge_nb.scheduling.schedule.nest import Firing, Repeat, walk
from aidge_nb.scheduling.schedule.nest_timing import time_nest
from aidge_nb.scheduling.schedule.nest_walk import walk_firings
from aidge_nb.scheduling.schedule.timing import compute_timing
from aidge_nb.scheduling.solve.dataflow import Dataflow
from aidge_nb.scheduling.solve.outline import actors_of, make_schedule
from aidge_nb.scheduling.solve.static import schedule_batches
from tests.graph.nodes import chain
from tests.scheduling.random_flows import flows


def lstm(length: int) -> GraphView:
    """Make an LSTM that reads a sequence of the given length."""
    view = aidge_nb.get_connected_graph_view(aidge_nb.LSTM(4, 8, length, name="lstm"))
    aidge_nb.expand_metaops(view)
    return view


def popped_lstm(length: int) -> GraphView:
    """Make an LSTM that takes its sequence from one tensor, slice by slice."""
    pop, cell = aidge_nb.Pop(name="pop"), aidge_nb.LSTM(4, 8, length, name="lstm")
    pop.add_child(cell)
    view = aidge_nb.get_connected_graph_view(cell)
    aidge_nb.expand_metaops(view)
    assert view.forward_dims([[length, 2, 4], [2, 8], [2, 8]])
    return view


def depth(schedule: StaticSchedule) -> int:
    """Count how deep the loops of a schedule lie in each other."""

    def of(items: tuple[Firing | Loop, ...]) -> int:
        return max((1 + of(each.body) for each in items if isinstance(each, Loop)), default=0)

    return of(schedule.loops)


@st.composite
def nests(draw: st.DrawFn, actors: int = 4, levels: int = 2) -> tuple[int | Repeat[int], ...]:
    """Draw a loop nest of actors."""
    found: list[int | Repeat[int]] = []
    for _ in range(draw(st.integers(1, 4))):
        if levels and draw(st.booleans()):
            body = draw(nests(actors, levels - 1))
            found.append(Repeat(draw(st.integers(2, 9)), body))
        else:
            found.append(draw(st.integers(0, actors - 1)))
    return tuple(found)


Adjacency = tuple[list[list[int | None]], list[list[int]]]


@st.composite
def adjacencies(draw: st.DrawFn, actors: int = 4) -> Adjacency:
    """Draw who feeds whom, itself and several times included."""
    one = st.none() | st.integers(0, actors - 1)
    parents = [draw(st.lists(one, max_size=3)) for _ in range(actors)]
    children = [[c for c in range(actors) if actor in parents[c]] for actor in range(actors)]
    return parents, children


@settings(max_examples=300, deadline=None)
@given(nests(), adjacencies())
def test_steps_of_any_nest(nest: tuple[int | Repeat[int], ...], adjacency: Adjacency) -> None:
    parents, children = adjacency
    numbers = list(walk(nest))
    timing = compute_timing(numbers, parents, children)
    firings = list(walk_firings(time_nest(nest, parents, children)))
    assert [firing.actor for firing in firings] == numbers
    assert [firing.early for firing in firings] == timing.early
    assert [firing.late for firing in firings] == timing.late
    seen: dict[int, int] = {}
    for firing in firings:
        assert firing.execution == seen.get(firing.actor, 0)
        seen[firing.actor] = firing.execution + 1


def check_against_flat(schedule: StaticSchedule) -> None:
    """Ask a schedule and its unrolled self the same questions."""
    flat = schedule.flat
    assert flat.is_flat
    assert flat == schedule
    assert hash(flat) == hash(schedule)
    assert (flat.n_firings, flat.n_steps) == (schedule.n_firings, schedule.n_steps)
    assert list(schedule.steps()) == list(flat.steps())
    assert schedule.critical_path() == flat.critical_path()
    assert schedule.order == flat.order
    assert schedule.waits_for == flat.waits_for
    for step in range(0, flat.n_steps, 1 + flat.n_steps // 20):
        assert schedule.at(step) == flat.at(step)
    pace = 1 + flat.n_firings // 40
    for position in range(0, flat.n_firings, pace):
        firing = flat.firings[position]
        assert schedule.firing(firing.actor, firing.execution) == firing
        expected = [flat.firings[other] for other in flat.waits_for[position]]
        assert list(schedule.sources(firing)) == expected
        following = [
            flat.firings[other] for other, before in enumerate(flat.waits_for) if position in before
        ]
        targets = list(schedule.targets(firing))
        assert sorted(targets, key=flat.firings.index) == following
        assert schedule.count(firing.actor) == sum(f.actor == firing.actor for f in flat.firings)
    again = StaticSchedule.from_dict(json.loads(json.dumps(schedule.to_dict())))
    assert again == schedule
    assert again.loops == schedule.loops


@settings(max_examples=60, deadline=None)
@given(flows())
def test_random_flows(view: GraphView) -> None:
    flow = Dataflow(view)
    try:
        base = schedule_batches(flow, max_firings=1000)
    except SchedulingError:
        return
    schedule = make_schedule(flow.order, actors_of(base.nest))
    if schedule.n_firings < 1000:
        check_against_flat(schedule)


@pytest.mark.parametrize("length", [1, 2, 3, 10, 40])
def test_lstm(length: int) -> None:
    for view in (lstm(length), popped_lstm(length)):
        check_against_flat(static_schedule(view))


LENGTH = 10**9


@pytest.fixture(scope="module")
def schedule() -> StaticSchedule:
    """Schedule an LSTM over a sequence that nobody could unroll."""
    return static_schedule(lstm(LENGTH))


class TestLarge:
    """Nothing here could be done by unrolling."""

    def test_size(self, schedule: StaticSchedule) -> None:
        assert schedule.n_firings == 40 * LENGTH + 2
        assert schedule.n_steps == 8 * LENGTH + 1
        assert len(schedule.to_dict()["firings"]) < 500
        assert repr(schedule) == (
            "StaticSchedule(40 actors, 40000000002 firings, 8000000001 steps)"
        )

    def test_single_firings(self, schedule: StaticSchedule) -> None:
        small = static_schedule(lstm(100))
        half = LENGTH // 2
        for name in [actor.name for actor in schedule.actors]:
            early = small.firing(name, 50).early - small.firing(name, 49).early
            one, next_one = schedule.firing(name, half), schedule.firing(name, half + 1)
            assert next_one.early - one.early == early

    def test_a_step_in_the_middle(self, schedule: StaticSchedule) -> None:
        small = static_schedule(lstm(100))
        middle = 8 * (LENGTH // 2)
        moved = [(f.actor, f.early - middle, f.late - middle) for f in schedule.at(middle)]
        expected = [(f.actor, f.early - 400, f.late - 400) for f in small.at(400)]
        assert moved == expected

    def test_what_a_firing_waits_for(self, schedule: StaticSchedule) -> None:
        small = static_schedule(lstm(100))
        ahead = LENGTH // 2 - 50
        for firing in small.at(400):
            if schedule.actors[firing.actor].producer:
                continue
            there = schedule.firing(firing.actor, firing.execution + ahead)
            expected = {(f.actor, f.execution + ahead) for f in small.sources(firing)}
            found = {(f.actor, f.execution) for f in schedule.sources(there)}
            assert {pair for pair in found if pair[1] > 9} == {
                pair for pair in expected if pair[1] > ahead + 9
            }

    def test_lazily(self, schedule: StaticSchedule) -> None:
        small = static_schedule(lstm(100))
        assert [f.actor for f in islice(schedule.iter_firings(), 200)] == [
            f.actor for f in islice(small.iter_firings(), 200)
        ]
        steps = [[f.actor for f in step] for step in islice(schedule.steps(), 100)]
        assert steps == [[f.actor for f in step] for step in islice(small.steps(), 100)]

    def test_it_is_not_unrolled(self, schedule: StaticSchedule) -> None:
        for unroll in (lambda: schedule.firings, lambda: schedule.order, schedule.critical_path):
            with pytest.raises(SchedulingError) as refusal:
                unroll()
            assert str(refusal.value) == (
                "schedule: too long to list its firings one by one (expected at most 5000000 "
                "firings, found 40000000002). Read the loop nest in `loops`, walk with "
                "iter_firings() or steps(), or ask for single ones with firing() and at()."
            )


class TestAsking:
    def test_what_is_not_there(self) -> None:
        schedule = static_schedule(chain("a", "b"))
        with pytest.raises(
            SchedulingError, match=r"schedule: no such node \(expected one of a, b, f"
        ):
            schedule.firing("c")
        with pytest.raises(SchedulingError, match=r"a: no such execution \(expected 0 to 0, foun"):
            schedule.firing("a", 1)
        with pytest.raises(SchedulingError, match=r"a: no such execution"):
            schedule.firing("a", -1)
        with pytest.raises(SchedulingError, match=r"b: no such execution"):
            schedule.sources(Firing(1, 5, 0, 0))

    def test_a_schedule_without_parents_has_no_sources(self) -> None:
        schedule = StaticSchedule(static_schedule(chain("a")).actors, (Firing(0, 0, 0, 0),))
        assert schedule.waits_for == ()
        with pytest.raises(SchedulingError, match=r"does not know which actor feeds which"):
            schedule.sources(schedule.firings[0])

    def test_old_files_are_read(self) -> None:
        values = {
            "actors": [["a", "ReLU", False, "a", 0]],
            "firings": [[0, 0, 0, 0], [0, 1, 1, 1]],
            "remaining": [],
            "waits_for": [[], [0]],
        }
        assert [f.execution for f in StaticSchedule.from_dict(values).firings] == [0, 1]

    def test_loops_in_loops(self) -> None:
        inner = Repeat(10**6, (0, 1))
        nest = (Repeat(10**6, (inner, 2)),)
        loops = time_nest(nest, [[], [0], [1]], [[1], [2], []])
        schedule = StaticSchedule(static_schedule(chain("a", "b", "c")).actors, loops)
        assert schedule.n_firings == 10**6 * (2 * 10**6 + 1)
        assert depth(schedule) == 2
        last = schedule.firing("c", 10**6 - 1)
        assert last.late == schedule.n_steps - 1
        assert last in schedule.at(last.early)
