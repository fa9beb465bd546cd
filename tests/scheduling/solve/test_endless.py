"""Schedules without end are noticed even where no loop is found in them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph import GraphView
from aidge_nb.scheduling import Elts_t, ProdConso, Scheduler
from aidge_nb.scheduling.solve.dataflow import Dataflow, reset_models
from aidge_nb.scheduling.solve.drift import Watch
from aidge_nb.scheduling.solve.loops import _PATIENCE, LoopFinder
from aidge_nb.scheduling.solve.static import schedule_batches
from tests.graph.nodes import chain, source
from tests.scheduling.model.test_phases import Attribute, slices
from tests.scheduling.random_flows import flows, set_rates
from tests.scheduling.solve.test_loops import plainly
from tests.scheduling.solve.test_refusals import Leftover, fed, give_model, mended, refusal


@settings(max_examples=60, deadline=None)
@given(flows(most=3, largest=60))
def test_only_what_has_no_end_is_refused(view: GraphView) -> None:
    """With no search for loops at all, the watch alone tells."""
    expected = plainly(view)
    reset_models(view)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LoopFinder, "_fold", lambda *_: None)
        patch.setattr(LoopFinder, "append", _append_watching)
        try:
            found = schedule_batches(Dataflow(view), 4000)
        except SchedulingError:
            assert isinstance(expected, str), expected
            return
    if expected == "endless":  # or longer than was waited for
        return
    assert list(found.batches) == expected[0]


def _append_watching(finder: LoopFinder, batches: object, moves: object) -> None:
    finder._credit = -1
    finder.n_firings += len(moves)  # type: ignore[arg-type]  # as in append()
    if finder._watch is None:
        finder._watch = Watch(finder._flow)
    finder._watch.append(moves)  # type: ignore[arg-type]
    finder._fresh.append((batches, moves))  # type: ignore[arg-type]


def _behind_a_producer(size: int, rates: dict[str, tuple[list[int], list[int]]]) -> GraphView:
    view = chain(*rates)
    producer = source([size], "p")
    producer.add_child(view.get_node(next(iter(rates))))
    view.add(producer)
    view.forward_dims()
    for name, (takes, gives) in rates.items():
        set_rates(view.get_node(name), [takes], gives)
    return view


class _Begins(ProdConso):
    """Takes another amount the first time; its state comes back after twelve executions."""

    first, takes, gives = 1, (1,), 1
    turn = 0

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        return Elts_t.data_elts(
            self.takes[self.turn % len(self.takes)] if self.turn else self.first
        )

    def get_required_memory(self, output_idx: int, inputs_size: Any = ()) -> Elts_t:
        return Elts_t.data_elts(self.gives)

    def update_consummer_producer(self) -> None:
        super().update_consummer_producer()
        self.turn = self.turn + 1 if self.turn < 12 else 1

    def reset_consummer_producer(self) -> None:
        super().reset_consummer_producer()
        self.turn = 0


def test_a_period_of_thousands_of_firings() -> None:
    """The state comes back after twelve turns of the Producer, 2,000 firings, and small loops."""
    rates = {"a": (1, 2), "b": (4, 2), "c": (2, 4), "d": (1, 3), "e": (3, 3)}
    view = _behind_a_producer(
        98, {name: ([takes], [gives]) for name, (takes, gives) in rates.items()}
    )
    give_model(view, "a", type("A", (_Begins,), {"first": 9, "gives": 2}))
    give_model(view, "d", type("D", (_Begins,), {"first": 2, "takes": (3, 5), "gives": 3}))
    message = str(refusal(view))
    assert message.startswith("schedule: never ends: [p (Producer), a (Unit), b (Unit), c (Unit), ")
    assert mended(view)


def test_aidge_never_returns_on_this_chain() -> None:
    """147 elements into 1→1, 1→2, 3→2, 7→8: every rate comes out even, so that it ends."""
    rates = {"a": (1, 1), "b": (1, 2), "c": (3, 2), "d": (7, 8)}
    view = _behind_a_producer(147, {n: ([takes], [gives]) for n, (takes, gives) in rates.items()})
    scheduler = Scheduler(view)
    scheduler.generate_scheduling()
    counts = {name: scheduler.schedule().count(name) for name in "pabcd"}
    assert counts == {"p": 1, "a": 147, "b": 147, "c": 98, "d": 28}


class _Counting(Leftover):
    """Remembers how often it ran: it is never in a state that it was in before."""

    ran = 0

    def update_consummer_producer(self) -> None:
        super().update_consummer_producer()
        self.ran += 1


def test_models_that_count_are_judged_by_what_they_do() -> None:
    view = fed("a", "b")
    give_model(view, "a", _Counting)
    message = str(refusal(view))
    assert message.startswith("schedule: never ends: [p (Producer), a (Unit), b (Unit)] run again")
    assert mended(view)


def test_long_schedules_of_models_that_count_have_an_end() -> None:
    scheduler = Scheduler(slices(_PATIENCE // 2 + 500, Attribute))
    scheduler.generate_scheduling()
    assert scheduler.schedule().n_firings == _PATIENCE + 1000
    assert scheduler.schedule().unrolled == ("a",)
