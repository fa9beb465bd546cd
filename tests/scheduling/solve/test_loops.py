"""Loops found while scheduling: the same schedule as without, in less time."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph import GraphView
from aidge_nb.scheduling import Scheduler, prod_conso_of, static_schedule
from aidge_nb.scheduling.schedule.nest import walk
from aidge_nb.scheduling.schedule.timing import compute_timing
from aidge_nb.scheduling.solve.dataflow import Dataflow, reset_models
from aidge_nb.scheduling.solve.outline import actors_of, make_schedule
from aidge_nb.scheduling.solve.static import schedule_batches
from tests.scheduling.random_flows import flows
from tests.scheduling.schedule.test_nest import check_against_flat, depth, lstm
from tests.scheduling.solve.reference import EndlessError, SlowFlow, schedule_slowly

LONGEST = 1000


def state_of(view: GraphView) -> list[Any]:
    """Give all that the models of a graph remember."""
    found = []
    for node in view.topological_order():
        remembered = dict(vars(prod_conso_of(node.get_operator())))
        for name in ("_operator", "_counts_were_read"):
            remembered.pop(name, None)
        found.append({name: repr(value) for name, value in remembered.items()})
    return found


def plainly(view: GraphView, longest: int = LONGEST) -> tuple[Any, Any] | str:
    """Schedule plainly: batches and who remains, or what came of it."""
    reset_models(view)
    flow = SlowFlow(view)
    try:
        found = schedule_slowly(flow, longest)
    except EndlessError:
        return "endless"
    except SchedulingError:
        return "refused"
    rank = {node: number for number, node in enumerate(flow.order)}
    batches = [tuple(rank[node] for node in batch) for batch in found.batches]
    return batches, [rank[node] for node in found.remaining]


def compare(view: GraphView) -> None:
    """Hold what is found with loops against what is found without."""
    expected = plainly(view)
    state = state_of(view)
    for find_loops in (False, True):
        reset_models(view)
        flow = Dataflow(view)
        try:
            found = schedule_batches(flow, LONGEST, find_loops=find_loops)
        except SchedulingError:
            assert isinstance(expected, str), expected
            continue
        assert expected != "refused"
        if expected == "endless":  # or longer than was waited for
            continue
        assert list(found.batches) == expected[0]
        assert list(found.remaining) == expected[1]
        flow.write_back()
        assert state_of(view) == state
        schedule = make_schedule(flow.order, actors_of(found.nest))
        numbers = list(walk(actors_of(found.nest)))
        timing = compute_timing(numbers, schedule.parents, schedule.children)
        firings = list(islice(schedule.iter_firings(), len(numbers) + 1))
        assert [firing.actor for firing in firings] == numbers
        assert [firing.early for firing in firings] == timing.early
        assert [firing.late for firing in firings] == timing.late


@settings(max_examples=150, deadline=None)
@given(flows())
def test_random_flows(view: GraphView) -> None:
    compare(view)


def rows_of_columns(rows: int, columns: int) -> GraphView:
    """Make a graph that takes a matrix apart, row by row and each by columns, and stacks it."""
    view = aidge_nb.sequential(
        [
            aidge_nb.Pop(name="rows"),
            aidge_nb.Pop(name="columns"),
            aidge_nb.ReLU(name="relu"),
            aidge_nb.Stack(columns, name="stack"),
            aidge_nb.ReLU(name="out"),
        ]
    )
    assert view.forward_dims([[rows, columns, 2]])
    return view


class TestLoopsInLoops:
    @pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 4), (9, 7), (20, 13)])
    def test_as_without(self, rows: int, columns: int) -> None:
        view = rows_of_columns(rows, columns)
        compare(view)
        check_against_flat(static_schedule(view))

    def test_a_million_by_a_million(self) -> None:
        schedule = static_schedule(rows_of_columns(10**6, 10**6))
        assert depth(schedule) == 2
        assert schedule.n_firings == 10**6 * (3 * 10**6 + 2)
        firing = schedule.firing("relu", 10**12 - 1)
        assert [schedule.name_of(each) for each in schedule.sources(firing)] == ["columns", "stack"]
        assert schedule.firing("out", 10**6 - 1).late == schedule.n_steps - 1


def choices(count: int) -> GraphView:
    """Make a Select whose inputs come slice by slice, each branch through a node of its own."""
    select = aidge_nb.Select(2, name="select")
    view = GraphView()
    for index, name in enumerate(["condition", "yes", "no"]):
        pop, node = aidge_nb.Pop(name=f"pop_{name}"), aidge_nb.ReLU(name=name)
        pop.get_operator().set_input(0, aidge_nb.Tensor.of_dims([count]))
        pop.add_child(node)
        node.add_child(select, 0, index)
        view.add([pop, node])
    view.add(select)
    assert view.forward_dims()
    Scheduler(view).tag_conditional_nodes()
    return view


def test_conditional_nodes_in_loops() -> None:
    for count in (1, 2, 11, 40):
        compare(choices(count))
        check_against_flat(static_schedule(choices(count)))
    schedule = static_schedule(choices(10**9))
    assert schedule.n_firings == 7 * 10**9
    yes = schedule.firing("yes", 10**8)
    assert "condition" in [schedule.name_of(each) for each in schedule.sources(yes)]


class TestLastCopies:
    """What the last copy of a counted loop has in common with the others is not gone through."""

    @pytest.mark.parametrize("length", [2, 3, 4, 9])
    def test_the_same_as_without_loops(self, length: int) -> None:
        compare(lstm(length))

    def test_few_firings_are_gone_through(self, monkeypatch: pytest.MonkeyPatch) -> None:
        fired: list[int] = []
        fire = Dataflow.fire

        def count(flow: Dataflow, number: int) -> Any:
            fired.append(number)
            return fire(flow, number)

        monkeypatch.setattr(Dataflow, "fire", count)
        schedule = static_schedule(lstm(1000))
        once = len(schedule.actors)
        assert schedule.n_firings == 1000 * once + 2
        # The first copy, one that shows how it goes on, and a few firings around the last Memorize.
        assert len(fired) < 2.25 * once

    @settings(max_examples=25, deadline=None)
    @given(st.lists(st.integers(1, 8), min_size=2, max_size=3))
    def test_loops_of_several_lengths(self, lengths: list[int]) -> None:
        view = GraphView()
        for number, length in enumerate(lengths):
            cell = aidge_nb.LSTM(4, 8, length, name=f"cell{number}")
            each = aidge_nb.get_connected_graph_view(cell)
            aidge_nb.expand_metaops(each)
            view.add(each)
        compare(view)
