"""The check of loop nests: as the one that goes through all firings, and for any length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings

import aidge_nb
from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph import GraphView
from aidge_nb.scheduling import (
    Firing,
    Loop,
    StaticSchedule,
    check_schedule,
    static_schedule,
)
from aidge_nb.scheduling.check.data import balance_of
from aidge_nb.scheduling.check.nest import check_nest
from tests.graph.nodes import chain, unit
from tests.scheduling.random_flows import flows, set_rates

Nest = tuple[Firing | Loop, ...]


def _lstm(length: int) -> GraphView:
    cell, pop = aidge_nb.LSTM(4, 8, length), aidge_nb.Pop()
    pop.add_child(cell, 0, 0)
    view = aidge_nb.get_connected_graph_view(cell)
    aidge_nb.expand_metaops(view)
    view.forward_dims([[length, 2, 4], [2, 8], [2, 8]])
    return view


def _accumulate(length: int) -> GraphView:
    """Make a loop with few actors: the sum of slices."""
    pop, add = aidge_nb.Pop(name="pop"), aidge_nb.Add(name="add")
    memory = aidge_nb.Memorize(length, name="memory")
    pop.get_operator().set_input(0, aidge_nb.Tensor.of_dims([length, 3]))
    memory.get_operator().set_input(1, aidge_nb.Tensor.of_dims([3]))
    for source, output, target, index in (
        (memory, 1, add, 0),
        (pop, 0, add, 1),
        (add, 0, memory, 0),
    ):
        source.add_child(target, output, index)
    view = GraphView()
    view.add([pop, add, memory])
    view.forward_dims()
    return view


@settings(max_examples=40, deadline=None)
@given(flows(most=3, largest=60))
def test_the_same_verdict_as_one_by_one(view: GraphView) -> None:
    try:
        schedule = static_schedule(view)
    except SchedulingError:
        return
    assert balance_of(view, check_nest(view, schedule)) == check_schedule(view, schedule)


@pytest.mark.parametrize("length", [10**6, 10**9])
def test_what_nobody_could_unroll(length: int) -> None:
    view = _lstm(length)
    balance = check_schedule(view, static_schedule(view))
    executions = {count for _, count in balance.executions}
    assert executions == {length, length + 1}
    assert balance.repetitions is None or balance.leftovers == ()


def _spoilt(nest: Nest) -> Iterator[tuple[str, Nest]]:
    """Change one number of a nest at a time."""
    for place, item in enumerate(nest):

        def put(other: Firing | Loop, place: int = place) -> Nest:
            return (*nest[:place], other, *nest[place + 1 :])

        for change in (-1, 1):
            if isinstance(item, Firing):
                for name in ("execution", "early", "late"):
                    yield (
                        f"{name} {change}",
                        put(item._replace(**{name: getattr(item, name) + change})),
                    )
                continue
            yield f"count {change}", put(replace(item, count=item.count + change))
            for kind, body in _spoilt(item.body):
                yield f"inside, {kind}", put(replace(item, body=body))
            for number, shift in enumerate(item.shifts):
                for which in (1, 2, 3):
                    actor, *moved = shift
                    moved[which - 1] += change
                    execution, early, late = moved
                    other = (actor, execution, early, late)
                    shifts = (*item.shifts[:number], other, *item.shifts[number + 1 :])
                    yield f"shift {which} {change}", put(replace(item, shifts=shifts))


def test_any_number_that_is_changed_is_noticed() -> None:
    view = _accumulate(1000)
    schedule = static_schedule(view)
    check_nest(view, schedule)
    tried = set()
    for kind, loops in _spoilt(schedule.loops):
        tried.add(kind)
        with pytest.raises(SchedulingError):
            check_nest(view, replace(schedule, loops=loops))
    assert len(tried) >= 20


def test_the_first_firing_is_named() -> None:
    """One copy too many: the loop lacks data in its last copy alone."""
    view = _accumulate(17_000)
    schedule = static_schedule(view)
    loops = tuple(
        replace(item, count=item.count + 1) if isinstance(item, Loop) else item
        for item in schedule.loops
    )
    with pytest.raises(SchedulingError, match=r"execution (1699\d|17000) of \w+"):
        check_schedule(view, replace(schedule, loops=loops))


def test_nests_without_loops() -> None:
    view = chain("a", "b")
    view.get_node("a").get_operator().set_input(0, aidge_nb.Tensor.of_dims([40]))
    for name in "ab":
        set_rates(view.get_node(name), [[1]], [1])
    schedule = static_schedule(view)
    check_nest(view, schedule)
    unrolled = StaticSchedule(
        schedule.actors,
        schedule.firings,
        schedule.remaining,
        schedule.parents,
        schedule.children,
    )
    check_nest(view, unrolled)
    middle = len(unrolled.loops) // 2
    item = unrolled.loops[middle]
    assert isinstance(item, Firing)
    loops = (
        *unrolled.loops[:middle],
        item._replace(early=item.early - 1),
        *unrolled.loops[middle + 1 :],
    )
    with pytest.raises(SchedulingError, match=rf"firing {middle}, .*early step"):
        check_nest(view, replace(unrolled, loops=loops))


def test_other_graphs_are_refused() -> None:
    schedule = static_schedule(_accumulate(100))
    with pytest.raises(SchedulingError, match="no such node in this graph"):
        check_nest(chain("other"), schedule)


def test_models_that_never_repeat_are_gone_through() -> None:
    view = GraphView()
    node = unit("a")
    node.get_operator().set_input(0, aidge_nb.Tensor.of_dims([300]))
    view.add([node])
    set_rates(node, [[1]], [1], counts=True)
    schedule = static_schedule(view)
    assert schedule.unrolled == ("a",)
    assert dict(balance_of(view, check_nest(view, schedule)).executions) == {"a": 300}
