"""Loops found while scheduling: the same schedule as without, in less time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.errors import SchedulingError
from aidge_nb.graph import GraphView
from aidge_nb.log import NOTICE
from aidge_nb.scheduling import (
    Elts_t,
    OperatorImpl,
    ProdConso,
    Scheduler,
    StaticSchedule,
    prod_conso_of,
    static_schedule,
)
from aidge_nb.scheduling.assemble import actors_of, make_schedule
from aidge_nb.scheduling.dataflow import Dataflow, reset_models
from aidge_nb.scheduling.nest import Repeat, walk
from aidge_nb.scheduling.nest_timing import time_nest
from aidge_nb.scheduling.nest_walk import walk_firings
from aidge_nb.scheduling.sections import fold_nest
from aidge_nb.scheduling.static import schedule_batches
from aidge_nb.scheduling.timing import compute_timing
from tests.graph.nodes import chain
from tests.scheduling.random_flows import flows, set_rates
from tests.scheduling.reference import EndlessError, SlowFlow, schedule_slowly
from tests.scheduling.test_nest import (
    adjacencies,
    check_against_flat,
    depth,
    lstm,
    nests,
    popped_lstm,
)

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


def slices(count: int, model: Callable[[Any], ProdConso]) -> GraphView:
    """Make a node that takes a tensor of ``count`` elements one by one, and one behind it."""
    view = chain("a", "b")
    view.get_node("a").get_operator().set_input(0, aidge_nb.Tensor.of_dims([count]))

    class Impl(OperatorImpl):
        def get_prod_conso(self) -> ProdConso:
            return model(self.get_operator())

    operator = view.get_node("a").get_operator()
    operator.set_impl(Impl(operator))
    set_rates(view.get_node("b"), [[1]], [1])
    return view


class Slices(ProdConso):
    """Takes and gives one element."""

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        return Elts_t.data_elts(1)

    def get_required_memory(self, output_idx: int, inputs_size: Any = ()) -> Elts_t:
        return Elts_t.data_elts(1)


class Attribute(Slices):
    """Counts in an attribute of its own."""

    ran = 0

    def update_consummer_producer(self) -> None:
        super().update_consummer_producer()
        self.ran += 1


class OwnCounters(Slices):
    """Looks at what it consumed."""

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        return Elts_t.data_elts(1 if self.get_nb_consumed_data(input_idx).data < 10**9 else 2)


class Iterator(Slices):
    """Reads its rates from something that nobody can look into."""

    def __init__(self, op: Any) -> None:
        super().__init__(op)
        self.rates = iter(range(10**9))

    def update_consummer_producer(self) -> None:
        super().update_consummer_producer()
        next(self.rates)


class Deep(Slices):
    """Counts deep inside."""

    def __init__(self, op: Any) -> None:
        super().__init__(op)
        self.held = {"list": [(self, [0])]}

    def update_consummer_producer(self) -> None:
        super().update_consummer_producer()
        self.held["list"][0][1][0] += 1


class OnItsClass(Slices):
    """Counts in an attribute of the class."""

    ran: ClassVar[list[int]] = [0]

    def update_consummer_producer(self) -> None:
        super().update_consummer_producer()
        self.ran[0] += 1


_ran = 0


class Globally(Slices):
    """Counts in a global variable."""

    def update_consummer_producer(self) -> None:
        global _ran  # what is tested
        super().update_consummer_producer()
        _ran += 1


_counts = {"ran": [0]}


def _count() -> None:
    _counts["ran"][0] += 1


class InAGlobalObject(Slices):
    """Counts in an object that a function around it changes, and no one assigns to."""

    def update_consummer_producer(self) -> None:
        super().update_consummer_producer()
        _count()


class Slots(Slices):
    """Counts in a slot."""

    __slots__ = ("ran",)

    def __init__(self, op: Any) -> None:
        super().__init__(op)
        self.ran = 0

    def update_consummer_producer(self) -> None:
        super().update_consummer_producer()
        self.ran += 1


def closed_over() -> type[ProdConso]:
    """Make a class that counts in a variable around it."""
    ran = 0

    class Closure(Slices):
        def update_consummer_producer(self) -> None:
            nonlocal ran
            super().update_consummer_producer()
            ran += 1

    return Closure


HIDDEN = [
    *(Attribute, OwnCounters, Iterator, Deep, OnItsClass, Globally, InAGlobalObject, Slots),
    closed_over(),
]


class TestHiddenState:
    @pytest.mark.parametrize("model", HIDDEN, ids=lambda model: model.__name__)
    def test_it_is_unrolled_and_says_so(
        self, model: type[ProdConso], caplog: pytest.LogCaptureFixture
    ) -> None:
        scheduler = Scheduler(slices(30, model))
        with caplog.at_level(NOTICE, "aidge_nb"):
            scheduler.generate_scheduling()
        schedule = scheduler.schedule()
        assert schedule.unrolled == ("a",)
        assert schedule.is_flat
        assert schedule.n_firings == 60
        assert caplog.messages[0] == (
            "The consumer-producer models of [a] never come back to a state: what they repeat "
            "is listed one by one"
        )
        assert StaticSchedule.from_dict(schedule.to_dict()).unrolled == ("a",)

    def test_a_constant_is_folded(self, caplog: pytest.LogCaptureFixture) -> None:
        scheduler = Scheduler(slices(10**12, Slices))
        with caplog.at_level(NOTICE, "aidge_nb"):
            scheduler.generate_scheduling()
        assert scheduler.schedule().unrolled == ()
        assert scheduler.schedule().n_firings == 2 * 10**12
        assert not caplog.messages

    def test_it_goes_on_where_it_was(self) -> None:
        view = slices(10**12, Slices)
        Scheduler(view).generate_scheduling()
        model = prod_conso_of(view.get_node("a").get_operator())
        assert model.get_nb_consumed_data(0).data == 10**12
        again = Scheduler(view, reset_cp_model=False)
        again.generate_scheduling()
        assert again.schedule().n_firings == 0


@pytest.mark.parametrize("length", [7, 100])
def test_sections_are_those_of_the_unrolled_schedule(length: int) -> None:
    for view in (lstm(length), popped_lstm(length)):
        schedule = static_schedule(view)
        for least in (1, 2, 3):
            assert schedule.sections(least) == schedule.flat.sections(least)


@settings(max_examples=80, deadline=None)
@given(nests(4, 1), adjacencies(), st.integers(2, 3), st.integers(1, 12))
def test_sections_of_any_nest(
    nest: tuple[Any, ...], adjacency: Any, least: int, factor: int
) -> None:
    longer = [
        Repeat(each.count * factor, each.body) if isinstance(each, Repeat) else each
        for each in nest
    ]
    loops = time_nest(longer, *adjacency)
    folded = [(r, list(firings), shift) for r, firings, shift in fold_nest(loops, least)]
    flat = list(walk_firings(loops))
    assert folded == [(r, list(firings), shift) for r, firings, shift in fold_nest(flat, least)]


def test_sections_of_what_nobody_could_unroll() -> None:
    small, large = static_schedule(lstm(100)), static_schedule(lstm(10**9))
    assert len(large.sections()) == len(small.sections())
    differing = [
        (one.repeat, other.repeat)
        for one, other in zip(small.sections(), large.sections(), strict=True)
        if one.repeat != other.repeat
    ]
    assert differing == [(98, 10**9 - 2)]
    with pytest.raises(SchedulingError, match=r"too long to be cut into sections"):
        large.sections(1)


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
