"""Models that remember something: where they keep it decides whether loops can be found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import pytest

import aidge_nb
from aidge_nb.core.log import NOTICE
from aidge_nb.graph import GraphView
from aidge_nb.scheduling import (
    Elts_t,
    OperatorImpl,
    ProdConso,
    Scheduler,
    StaticSchedule,
    prod_conso_of,
)
from tests.graph.nodes import chain
from tests.scheduling.random_flows import set_rates


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
            "The consumer-producer models of [a] never return to an earlier state: their "
            "repetitions are listed one by one"
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
