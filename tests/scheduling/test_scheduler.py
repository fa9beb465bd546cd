"""Schedulers: several schedules, resets, orders, inputs, diagrams, and what cannot be scheduled."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

import aidge_nb
from aidge_nb.core.errors import SchedulingError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView
from aidge_nb.scheduling import (
    OperatorImpl,
    ProdConso,
    Scheduler,
    SchedulingPolicy,
    schedule_nodes,
    static_schedule,
)
from aidge_nb.scheduling.model.elts import Elts_t
from aidge_nb.scheduling.solve.dataflow import Dataflow
from aidge_nb.scheduling.solve.priors import prior_of
from aidge_nb.scheduling.solve.static import schedule_batches
from tests.graph.nodes import chain, source, unit


def _fed(*names: str) -> GraphView:
    view = chain(*names)
    producer = source([4], "p")
    producer.add_child(view.get_node(names[0]))
    view.add(producer)
    view.forward_dims()
    return view


class _Amounts(OperatorImpl):
    """Takes and gives fixed amounts; ``first`` is taken the first time."""

    def __init__(self, op: Any, takes: int, gives: int, first: int | None = None) -> None:
        super().__init__(op)
        self.amounts = takes, gives, takes if first is None else first

    def get_prod_conso(self) -> ProdConso:
        takes, gives, first = self.amounts

        class Model(ProdConso):
            def get_nb_required_data(self, input_idx: int) -> Elts_t:
                begun = self.get_nb_consumed_data(input_idx).data > 0
                return Elts_t.data_elts(takes if begun else first)

            def get_required_memory(self, output_idx: int, inputs_size: Any = ()) -> Elts_t:
                return Elts_t.data_elts(gives)

        return Model(self.get_operator())


class TestSteps:
    def test_each_call_adds_one(self) -> None:
        scheduler = Scheduler(_fed("a", "b"))
        scheduler.generate_scheduling()
        scheduler.generate_scheduling()
        first, second = scheduler.get_static_scheduling(0), scheduler.get_static_scheduling(1)
        assert [e.node for e in first] == [e.node for e in second]
        assert [e.node.name() for e in first] == ["p", "a", "b"]

    def test_direct_tensors_are_there_once(self, caplog: pytest.LogCaptureFixture) -> None:
        view = chain("a", "b")
        view.forward_dims([[2]])
        scheduler = Scheduler(view)
        scheduler.generate_scheduling()
        assert not caplog.records
        with caplog.at_level(logging.WARNING, "aidge_nb"):
            scheduler.generate_scheduling()
        assert [len(scheduler.schedule(i).firings) for i in (0, 1)] == [2, 0]
        assert "Remaining consumers: [a (Unit), input#0: waits for a tensor" in caplog.text

    def test_reset_starts_over(self) -> None:
        view = chain("a")
        view.forward_dims([[2]])
        scheduler = Scheduler(view)
        scheduler.generate_scheduling()
        scheduler.reset_scheduling()
        with pytest.raises(
            SchedulingError, match=r"scheduler: there is no static scheduling yet\."
        ):
            scheduler.schedule()
        scheduler.generate_scheduling()
        assert len(scheduler.schedule().firings) == 1

    def test_clear_keeps_the_schedules(self) -> None:
        scheduler = Scheduler(_fed("a"))
        scheduler.generate_scheduling()
        scheduler.clear_scheduling()
        assert len(scheduler.get_static_scheduling()) == 2

    @pytest.mark.parametrize(("reset", "firings"), [(True, 1), (False, 0)])
    def test_old_state_is_kept_when_asked(self, reset: bool, firings: int) -> None:
        view = chain("a")
        view.forward_dims([[2]])
        Scheduler(view).generate_scheduling()
        again = Scheduler(view, reset_cp_model=reset)
        again.generate_scheduling()
        assert len(again.schedule().firings) == firings

    def test_a_step_that_is_not_there(self) -> None:
        scheduler = Scheduler(_fed("a"))
        for read in (
            scheduler.schedule,
            scheduler.get_static_scheduling,
            scheduler.get_sequential_static_scheduling,
        ):
            with pytest.raises(SchedulingError) as refusal:
                read()
            assert str(refusal.value) == (
                "scheduler: there is no static scheduling yet. Call generate_scheduling() first."
            )
        scheduler.generate_scheduling()
        for step in (-1, 1):
            with pytest.raises(SchedulingError) as refusal:
                scheduler.schedule(step)
            message = f"no static scheduling of this step (expected 0 to 0, found {step})"
            assert str(refusal.value) == f"scheduler: {message}"


class TestElements:
    def test_links(self) -> None:
        scheduler = Scheduler(_fed("a", "b"))
        scheduler.generate_scheduling()
        p, a, b = scheduler.get_static_scheduling()
        assert (p.earlier_than, a.earlier_than, b.earlier_than) == ([a], [b], [])
        assert (p.later_than, a.later_than, b.later_than) == ([], [p], [a])
        assert [(e.early, e.late) for e in (p, a, b)] == [(0, 0), (1, 1), (2, 2)]
        assert scheduler.graph_view().get_node("a") is a.node

    def test_orders(self) -> None:
        view = GraphView()
        short, long, join = unit("short"), chain("x", "y", "z"), unit("join", 2)
        short.add_child(join)
        long.get_node("z").add_child(join)
        view.add([*long, short, join])
        scheduler = Scheduler(view)
        scheduler.generate_scheduling()

        def order(policy: SchedulingPolicy) -> str:
            nodes = scheduler.get_sequential_static_scheduling(0, policy)
            return " ".join(node.name() for node in nodes)

        assert order(SchedulingPolicy.Default) == "x short y z join"
        assert order(SchedulingPolicy.AsSoonAsPossible) == "x short y z join"
        assert order(SchedulingPolicy.AsLateAsPossible) == "x y z short join"
        # Nobody tagged the branches.
        assert order(SchedulingPolicy.ShortestBranchFirst) == "x short y z join"
        assert order(SchedulingPolicy.LonguestBranchFirst) == "x short y z join"


class TestBounds:
    def test_a_schedule_without_end_is_refused(self) -> None:
        view = chain("a")
        producer = source([4], "p")
        producer.add_child(view.get_node("a"))
        view.add(producer)
        view.forward_dims()
        operator = view.get_node("a").get_operator()
        operator.set_impl(_Amounts(operator, takes=2, gives=1, first=3))
        with pytest.raises(SchedulingError) as refusal:
            schedule_batches(Dataflow(view), max_firings=1000)
        message = str(refusal.value)
        assert message.startswith("schedule: does not end within 1000 firings (found still running")
        assert "a (Unit)" in message

    def test_elements_where_only_tokens_are_known(self) -> None:
        view = chain("a", "b")
        operator = view.get_node("b").get_operator()
        operator.set_impl(_Amounts(operator, takes=2, gives=1))
        with pytest.raises(SchedulingError) as refusal:
            static_schedule(view)
        message = str(refusal.value)
        assert message.startswith("b (Unit), input#0: C-P model: elements are needed where only")
        assert "Call forward_dims()" in message

    def test_a_refusal_resets_the_state(self) -> None:
        view = aidge_nb.sequential([unit("a"), aidge_nb.Pop(name="pop")])
        scheduler = Scheduler(view)
        with pytest.raises(SchedulingError, match="Pop needs known"):
            scheduler.generate_scheduling()
        view.forward_dims([[3, 2]])
        scheduler.generate_scheduling()
        assert scheduler.schedule().order == ("a", "pop", "pop", "pop")

    def test_what_other_tools_never_finish(self) -> None:
        """A collector behind a Producer: Aidge asks the Producer again and again."""
        view = chain("cut", "collect")
        producer = source([48], "p")
        producer.add_child(view.get_node("cut"))
        view.add(producer)
        view.forward_dims()
        for name, takes, gives in (("cut", 16, 16), ("collect", 48, 1)):
            operator = view.get_node(name).get_operator()
            operator.set_impl(_Amounts(operator, takes, gives))
        assert static_schedule(view).order == ("p", "cut", "cut", "cut", "collect")

    def test_pop_and_stack_behind_a_producer(self) -> None:
        view = aidge_nb.sequential(
            [
                aidge_nb.Producer([3, 2], name="p"),
                aidge_nb.Pop(name="pop"),
                aidge_nb.ReLU(name="r"),
                aidge_nb.Stack(3, name="stack"),
                aidge_nb.ReLU(name="o"),
            ]
        )
        assert view.forward_dims()
        order = static_schedule(view).order
        assert order == ("p", *["pop", "r", "stack"] * 3, "o")

    def test_a_cycle_without_memorize_is_named(self) -> None:
        a, b = unit("a", 2), unit("b")
        a.add_child(b)
        b.add_child(a)
        view = GraphView()
        view.add([a, b])
        scheduler = Scheduler(view)
        with pytest.raises(SchedulingError) as refusal:
            scheduler.generate_scheduling()
        assert str(refusal.value) == (
            "graph: has a cycle without initial data (expected a (Unit), input#0 needs "
            "Elts_t(token=1) of b (Unit); b (Unit), input#0 needs Elts_t(token=1) of a (Unit), "
            "found a (Unit) -> b (Unit) -> a (Unit)). "
            "Close the cycle through a Memorize node, whose second input gives the first value."
        )

    def test_a_loop_closed_over_the_wrong_output(self) -> None:
        memory, body = aidge_nb.Memorize(2, name="m"), unit("body")
        memory.add_child(body, 0, 0)
        body.add_child(memory, 0, 0)
        after = unit("after")
        body.add_child(after)
        view = GraphView()
        view.add([memory, body, after])
        memory.get_operator().set_input(1, Tensor.of_dims([3]))
        assert view.forward_dims()
        with pytest.raises(SchedulingError) as refusal:
            static_schedule(view)
        assert "m (Memorize)" in str(refusal.value)
        assert "output#1" in str(refusal.value)


class TestPartsOfGraphs:
    def test_producers_outside_are_not_asked(self) -> None:
        whole = _fed("a", "b")
        part = GraphView()
        part.add([whole.get_node("a"), whole.get_node("b")], include_learnable_params=False)
        schedule = static_schedule(part)
        assert schedule.order == ()
        assert schedule.remaining == (0,)

    def test_priors(self) -> None:
        view = _fed("a", "b")
        prior = prior_of(Dataflow(view), view.get_node("b"))
        assert prior.is_prior
        assert prior.required_producers == {view.get_node("p")}
        assert prior.prior_consumers == {view.get_node("a")}

    def test_a_long_chain_needs_no_recursion(self) -> None:
        names = [str(i) for i in range(2000)]
        assert static_schedule(chain(*names)).order == tuple(names)


class TestInputs:
    def test_in_order(self) -> None:
        view = aidge_nb.parallel([unit("a"), unit("b")])
        first, second = Tensor([1.0]), Tensor([2.0])
        Scheduler(view).connect_inputs([first, second])
        assert view.get_node("a").get_operator().get_input(0) is first
        assert view.get_node("b").get_operator().get_input(0) is second

    def test_shared_inputs_stay_shared(self) -> None:
        view = aidge_nb.parallel([unit("a"), unit("b")])
        shared = Tensor()
        for node in view:
            node.get_operator().associate_input(0, shared)
        given = Tensor([1.0])
        Scheduler(view).connect_inputs([given])
        assert [node.get_operator().get_input(0) for node in view] == [given, given]

    def test_too_many(self) -> None:
        expected = r"inputs: too many of them \(expected 1: a \(Unit\), input#0, found 2\)"
        with pytest.raises(SchedulingError, match=expected):
            Scheduler(chain("a")).connect_inputs([Tensor(), Tensor()])

    def test_what_is_no_tensor(self) -> None:
        with pytest.raises(SchedulingError, match=r"data\[0\]: not a tensor \(found \[1\.0\]\)"):
            Scheduler(chain("a")).connect_inputs([[1.0]])  # type: ignore[list-item]  # on purpose

    @pytest.mark.parametrize("data", [None, 3, Tensor([1.0])])
    def test_what_is_no_list(self, data: Any) -> None:
        with pytest.raises(
            SchedulingError, match=r"data must be a list.*Write connect_inputs\(\[x\]"
        ):
            Scheduler(chain("a")).connect_inputs(data)


class TestDiagrams:
    def test_files(self, tmp_path: Path) -> None:
        scheduler = Scheduler(_fed("a", ""))
        scheduler.generate_scheduling()
        scheduler.save_static_scheduling_diagram(tmp_path / "s")
        scheduler.save_static_scheduling_diagram(str(tmp_path / "n"), ignore_producers=True)
        scheduler.save_factorized_static_scheduling_diagram(tmp_path / "f", min_repeat=2)
        header = "gantt\ndateFormat x\naxisFormat %Q\n\n"
        lines = ["a (Unit#0) :milestone, 1, 1", " (Unit#1) :milestone, 2, 2"]
        producer = "p (Producer#0) :milestone, 0, 0"
        assert (tmp_path / "s.mmd").read_text() == header + "\n".join([producer, *lines, "", ""])
        assert (tmp_path / "n.mmd").read_text() == header + "\n".join([*lines, "", ""])
        assert (tmp_path / "f.mmd").read_text().count("section seq#") == 3

    def test_nothing_measured_nothing_written(self, tmp_path: Path) -> None:
        Scheduler(_fed("a")).save_scheduling_diagram(tmp_path / "d")
        assert list(tmp_path.iterdir()) == []

    def test_before_scheduling(self, tmp_path: Path) -> None:
        with pytest.raises(SchedulingError, match="there is no static scheduling yet"):
            Scheduler(_fed("a")).save_static_scheduling_diagram(tmp_path / "s")


def test_any_sequence_can_be_timed() -> None:
    view = chain("a", "b")
    a, b = view.get_node("a"), view.get_node("b")
    schedule = schedule_nodes(view, [a, b, a, b], remaining=[a])
    assert [(f.execution, f.early, f.late) for f in schedule.firings] == [
        (0, 0, 0),
        (0, 1, 1),
        (1, 2, 2),
        (1, 3, 3),
    ]
    assert schedule.remaining == (0,)
