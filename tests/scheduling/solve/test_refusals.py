"""What cannot be scheduled: the refusal says why, and the scheduler can be used again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph import GraphView
from aidge_nb.scheduling import Elts_t, OperatorImpl, ProdConso, Scheduler
from tests.graph.nodes import chain, source, unit
from tests.scheduling.random_flows import set_rates


def give_model(view: GraphView, name: str, make: Callable[[Any], ProdConso]) -> None:
    """Give a node a model of one's own."""

    class Impl(OperatorImpl):
        def get_prod_conso(self) -> ProdConso:
            return make(self.get_operator())

    operator = view.get_node(name).get_operator()
    operator.set_impl(Impl(operator))


def fed(*names: str, size: int = 4) -> GraphView:
    """Make a chain behind a Producer."""
    view = chain(*names)
    producer = source([size], "p")
    producer.add_child(view.get_node(names[0]))
    view.add(producer)
    view.forward_dims()
    return view


def refusal(view: GraphView) -> SchedulingError:
    """Try to schedule; give what was refused. Mended, the same scheduler must do."""
    scheduler = Scheduler(view)
    with pytest.raises(SchedulingError) as caught:
        scheduler.generate_scheduling()
    for node in view.get_nodes():
        node.get_operator().set_impl(None)
    scheduler.reset_scheduling()
    return caught.value


def mended(view: GraphView) -> bool:
    """Whether a graph whose models were taken away can be scheduled."""
    scheduler = Scheduler(view)
    scheduler.generate_scheduling()
    return scheduler.schedule().n_firings == len(view)


class TestDeadlocks:
    def test_a_tensor_that_is_too_small(self) -> None:
        view = chain("a", "b")
        view.forward_dims([[3]])
        set_rates(view.get_node("a"), [[5]], [3])
        error = refusal(view)
        assert str(error).startswith(
            "schedule: nothing can run: a deadlock (found a (Unit), input#0: waits for a tensor "
            "(expected Elts_t(data=5, token=1), found Elts_t(data=3, token=1))). Check"
        )
        assert mended(view)

    def test_nodes_that_wait_for_each_other(self) -> None:
        a, b = unit("a", 2), unit("b")
        operator = a.get_operator()
        operator.spec = replace(operator.spec, back_edges=(1,))
        a.add_child(b, 0, 0)
        b.add_child(a, 0, 1)
        source([4], "p").add_child(a, 0, 0)
        view = GraphView()
        view.add([a, b, *[port.node for _, port in a.edges_in()]])
        view.set_ordered_outputs([(b, 0)])
        message = str(refusal(view))
        assert message.startswith("schedule: nodes wait for each other in a circle (expected ")
        assert "a (Unit), input#1: waits for b (Unit)" in message
        assert "found b (Unit) -> a (Unit) -> b (Unit)" in message or (
            "found a (Unit) -> b (Unit) -> a (Unit)" in message
        )
        assert message.endswith("close it through output#1 of a Memorize node.")

    def test_a_second_schedule_may_be_empty(self) -> None:
        view = chain("a")
        view.forward_dims([[3]])
        scheduler = Scheduler(view)
        scheduler.generate_scheduling()
        scheduler.generate_scheduling()
        assert scheduler.schedule(1).n_firings == 0


class Leftover(ProdConso):
    """Takes 3 elements, then always 2: of 4 at a time one is left for ever."""

    begun = False

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        return Elts_t.data_elts(2 if self.begun else 3)

    def update_consummer_producer(self) -> None:
        super().update_consummer_producer()
        self.begun = True

    def reset_consummer_producer(self) -> None:
        super().reset_consummer_producer()
        self.begun = False


class TestNoEnd:
    def test_the_same_again_and_again(self) -> None:
        view = fed("a", "b")
        give_model(view, "a", Leftover)
        message = str(refusal(view))
        assert message.startswith("schedule: never ends: [p (Producer), a (Unit), b (Unit)] run ")
        assert "without any effect" in message
        assert mended(view)

    def test_a_backlog_that_grows(self) -> None:
        producer, fast, slow = source([4], "p"), unit("fast"), unit("slow")
        producer.add_child(fast)
        producer.add_child(slow)
        view = GraphView()
        view.add([producer, fast, slow])
        view.forward_dims()
        give_model(view, "fast", Leftover)
        set_rates(slow, [[1]], [4])
        message = str(refusal(view))
        assert message.startswith("schedule: never ends: a backlog grows without bound while [")
        assert "p (Producer) -> slow (Unit), input#0: " in message
        assert mended(view)


def changed(**fields: Any) -> Elts_t:
    """Give an amount of 4 elements whose fields somebody wrote to."""
    amount = Elts_t.data_elts(4)
    for name, value in fields.items():
        setattr(amount, name, value)
    return amount


class _FailsToStart(ProdConso):
    def reset_consummer_producer(self) -> None:
        raise KeyError("x")


class TestModels:
    @pytest.mark.parametrize(
        ("amount", "found"),
        [
            (lambda: Elts_t.data_elts(-1), "C-P model: not an amount (expected a whole number, 0"),
            (lambda: Elts_t.data_elts(2.5), "not an amount"),  # type: ignore[arg-type]  # on purpose
            (
                lambda: 4,
                "returned no amount in get_nb_required_data(0) (expected an Elts_t of",
            ),
            (lambda: None, "returned no amount in get_nb_required_data(0)"),
            (lambda: changed(data=-1), "found Elts_t(data=-1, token=1))"),
            (lambda: changed(data=2.5), "found Elts_t(data=2.5, token=1))"),
            (lambda: changed(type="data"), "found Elts_t('data', data=4, token=1))"),
        ],
        ids=["negative", "fraction", "number", "nothing", "field < 0", "field 2.5", "no type"],
    )
    def test_what_is_no_amount(self, amount: Callable[[], Any], found: str) -> None:
        view = fed("a", "b")

        class Model(ProdConso):
            def get_nb_required_data(self, input_idx: int) -> Elts_t:
                given: Elts_t = amount()
                return given

        give_model(view, "b", Model)
        message = str(refusal(view))
        assert message.startswith("b (Unit): its consumer-producer model ")
        assert found in message
        assert mended(view)

    @pytest.mark.parametrize(
        "amount",
        [
            lambda: changed(data=-1),
            lambda: changed(data=2.5),
            lambda: changed(type="data"),
            lambda: changed(data=float("nan")),
            lambda: 4,
        ],
        ids=["negative", "fraction", "no type", "nan", "number"],
    )
    def test_what_is_given_is_no_amount(self, amount: Callable[[], Any]) -> None:
        view = fed("a", "b")

        def give(*_: object) -> Any:
            return amount()

        give_model(view, "a", type("Model", (ProdConso,), {"get_required_memory": give}))
        message = str(refusal(view))
        assert message.startswith(
            "a (Unit): its consumer-producer model failed in update_consummer_producer(): "
            "get_required_memory(0): returned no amount (expected an Elts_t of whole numbers, 0 or "
        )
        assert mended(view)

    def test_numbers_of_numpy_are_amounts(self) -> None:
        view = fed("a", "b")

        def four(*_: object) -> Elts_t:
            return changed(data=np.int8(4))

        own = {"get_nb_required_data": four, "get_required_memory": four}
        give_model(view, "a", type("Model", (ProdConso,), own))
        scheduler = Scheduler(view)
        scheduler.generate_scheduling()
        assert scheduler.schedule().n_firings == 3

    @pytest.mark.parametrize(
        ("make", "found"),
        [
            (lambda _: 1 / 0, "failed in get_prod_conso(): ZeroDivisionError: division by zero."),
            (lambda _: None, "its implementation gives no consumer-producer model"),
            (lambda _: ProdConso, "expected an object of a subclass of ProdConso"),
            (lambda op: _FailsToStart(op), "failed in reset_consummer_producer(): KeyError: 'x'."),
        ],
        ids=["raises", "nothing", "class", "reset"],
    )
    def test_a_model_that_cannot_be_made(self, make: Callable[[Any], Any], found: str) -> None:
        view = fed("a", "b")
        give_model(view, "b", make)
        message = str(refusal(view))
        assert message.startswith("b (Unit): ")
        assert found in message
        view.get_node("b").get_operator().set_impl(None)
        assert mended(view)

    @pytest.mark.parametrize(
        "method",
        ["get_nb_required_data", "get_required_memory", "update_consummer_producer"],
    )
    def test_a_model_that_fails(self, method: str) -> None:
        view = fed("a", "b")

        def fail(*_: object) -> Elts_t:
            raise KeyError("rate")

        give_model(view, "b", type("Model", (ProdConso,), {method: fail}))
        error = refusal(view)
        assert str(error).startswith("b (Unit): its consumer-producer model failed in ")
        assert "KeyError: 'rate'" in str(error)
        assert isinstance(error.__cause__, KeyError)
        assert mended(view)

    def test_counters_that_go_back(self) -> None:
        view = fed("a")

        class Model(ProdConso):
            def get_nb_required_data(self, input_idx: int) -> Elts_t:
                return Elts_t.data_elts(1)

            def get_nb_consumed_data(self, input_idx: int) -> Elts_t:
                return Elts_t.data_elts(super().get_nb_consumed_data(input_idx).data % 2)

        give_model(view, "a", Model)
        assert "decreased a counter" in str(refusal(view))


class TestChangedGraphs:
    def test_is_noticed(self) -> None:
        view = fed("a", "b")
        scheduler = Scheduler(view)
        scheduler.generate_scheduling()
        view.add_child(unit("c"), view.get_node("b"))
        for read in (
            scheduler.schedule,
            scheduler.get_static_scheduling,
            scheduler.get_sequential_static_scheduling,
        ):
            with pytest.raises(SchedulingError) as caught:
                read()
            assert str(caught.value) == (
                "scheduler: the graph changed since it was scheduled. "
                "Call reset_scheduling() and generate_scheduling() again."
            )
        scheduler.reset_scheduling()
        scheduler.generate_scheduling()
        assert len(scheduler.schedule().firings) == 4


class TestDimsThatAreNotKnown:
    def test_elements_behind_tokens(self) -> None:
        view = chain("a", "b")
        set_rates(view.get_node("b"), [[2]], [1])
        message = str(refusal(view))
        assert message.startswith("b (Unit), input#0: C-P model: elements are needed where only")
        assert "Call forward_dims()" in message

    def test_tokens_behind_elements(self) -> None:
        view = chain("a", "b")
        view.get_node("a").get_operator().set_input(0, aidge_nb.Tensor.of_dims([4]))
        set_rates(view.get_node("a"), [[4]], [4])
        scheduler = Scheduler(view)
        scheduler.generate_scheduling()
        assert scheduler.schedule().order == ("a", "b")
