"""Loops found while scheduling: the same schedule as without, in less time."""

from __future__ import annotations

from itertools import islice
from typing import Any

from hypothesis import given, settings

from aidge_nb.errors import SchedulingError
from aidge_nb.graph import GraphView
from aidge_nb.scheduling import prod_conso_of
from aidge_nb.scheduling.assemble import actors_of, make_schedule
from aidge_nb.scheduling.dataflow import Dataflow, reset_models
from aidge_nb.scheduling.nest import walk
from aidge_nb.scheduling.static import schedule_batches
from aidge_nb.scheduling.timing import compute_timing
from tests.scheduling.random_flows import flows
from tests.scheduling.reference import EndlessError, SlowFlow, schedule_slowly

LONGEST = 3000


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
            found = schedule_batches(flow, 20 * LONGEST, find_loops=find_loops)
        except SchedulingError:
            assert isinstance(expected, str)
            continue
        assert expected != "refused"
        if expected == "endless":  # or longer than was waited for
            continue
        assert list(found.batches) == expected[0]
        assert list(found.remaining) == expected[1]
        flow.write_back()
        assert state_of(view) == state
        schedule = make_schedule(view, flow.order, actors_of(found.nest))
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
