"""Why a firing runs when it does: every statement is held against the schedule and the graph."""

from __future__ import annotations

from typing import Any

import pytest

from aidge_nb import ops
from aidge_nb.core.errors import SchedulingError
from aidge_nb.core.tensor import Tensor
from aidge_nb.course import graphs
from aidge_nb.graph import GraphView, get_connected_graph_view, sequential
from aidge_nb.scheduling import Firing, Reason, Scheduler, StaticSchedule, static_schedule
from aidge_nb.scheduling.schedule.why import explain_firing as why
from tests import oracle
from tests.graph.nodes import chain, unit
from tests.scheduling.rates import set_rates

GRAPHS = [
    "lstm_5_token",
    pytest.param("lstm_15_pop", marks=pytest.mark.slow),
    "pop_relu_stack_3",
    "counter_3",
    "pipeline_with_branch",
]


def _model() -> GraphView:
    view = sequential([ops.FC(4, 2, name="fc"), ops.ReLU(name="act"), ops.Tanh(name="out")])
    view.forward_dims([[1, 4]])
    return view


@pytest.mark.parametrize("name", [*GRAPHS, "diamond_unequal", "select_two", "random_dag_00"])
@pytest.mark.parametrize("by_node", [False, True])
def test_all_firings(name: str, by_node: bool) -> None:
    view, nodes = oracle.build_graph(oracle.load(name))
    schedule = static_schedule(view)
    when = {(schedule.name_of(f), f.execution): f for f in schedule.firings}
    for position, firing in enumerate(schedule.firings):
        called = schedule.name_of(firing)
        found = why(schedule, nodes[called] if by_node else called, firing.execution)
        assert (found.name, found.execution) == (called, firing.execution)
        assert (found.early, found.late) == (firing.early, firing.late)
        assert found.slack == firing.slack
        waits = {(wait.name, wait.execution) for wait in found.waits_for}
        others = [schedule.firings[other] for other in schedule.waits_for[position]]
        assert waits == {(schedule.name_of(f), f.execution) for f in others}
        for wait in found.waits_for:
            assert wait.step == when[wait.name, wait.execution].early < firing.early
        assert bool(found.last_causes) == bool(found.waits_for) == (firing.early > 0)
        if found.bound_by is None:
            assert firing.late == schedule.n_steps - 1
        else:
            assert found.bound_by.step == firing.late + 1
        assert found.path[-1] == called
        assert found.path_start + len(found.path) - 1 == firing.early
        assert len(str(found).splitlines()) >= 4


@pytest.mark.parametrize("name", GRAPHS)
def test_reasons_are_those_of_the_graph(name: str) -> None:
    view, nodes = oracle.build_graph(oracle.load(name))
    schedule = static_schedule(view)
    for firing in schedule.firings:
        node = nodes[schedule.name_of(firing)]
        found = why(schedule, node, firing.execution)
        for wait in found.waits_for:
            other = nodes[wait.name]
            assert [node.get_parent(index) for index in wait.inputs] == [other] * len(wait.inputs)
            assert (wait.reason is Reason.Input) == bool(wait.inputs)
            assert wait.reason is not Reason.Reader or other in node.get_children()
            assert (wait.reason is Reason.Itself) == (other is node)
        if found.bound_by is not None and found.bound_by.reason is Reason.Output:
            assert nodes[found.bound_by.name] in node.get_children()
        if found.bound_by is not None and found.bound_by.reason is Reason.Refill:
            assert nodes[found.bound_by.name] in node.get_parents()


@pytest.mark.parametrize("name", GRAPHS)
def test_guesses_are_true(name: str) -> None:
    view, nodes = oracle.build_graph(oracle.load(name))
    schedule = static_schedule(view)
    for firing in schedule.firings:
        node = nodes[schedule.name_of(firing)]
        found = why(schedule, node.name(), firing.execution)
        parents, children = node.get_parents(), node.get_children()
        for wait in found.waits_for:
            other = nodes[wait.name]
            assert wait.reason is not Reason.Input or other in parents
            assert wait.reason is not Reason.Reader or other in children
            assert (wait.reason is Reason.Itself) == (other is node)
        if found.bound_by is not None:
            other = nodes[found.bound_by.name]
            assert found.bound_by.reason is not Reason.Output or other in children
            assert found.bound_by.reason is not Reason.Refill or other in parents


@pytest.mark.parametrize("name", GRAPHS)
def test_the_path_of_a_critical_firing_is_critical(name: str) -> None:
    schedule = static_schedule(oracle.build_graph(oracle.load(name))[0])
    critical = {(schedule.name_of(f), f.early) for f in schedule.critical_path()}
    for firing in schedule.critical_path():
        found = why(schedule, schedule.name_of(firing), firing.execution)
        assert found.is_critical
        steps = range(found.path_start, firing.early + 1)
        assert set(zip(found.path, steps, strict=True)) <= critical


def test_text() -> None:
    view = _model()
    schedule = static_schedule(view)
    assert str(why(schedule, view.get_node("act"))) == (
        "act, execution 0: can run from step 2 to step 2.\n"
        "It waits for fc (execution 0, step 1), which gives input#0.\n"
        "It can wait until step 2: out (execution 0, late step 3) takes what it gives.\n"
        "It is on the critical path, where any delay delays the end: fc_w → fc → act."
    )
    assert str(why(schedule, "fc_b")) == (
        "fc_b, execution 0: can run from step 0 to step 0.\n"
        "It is a Producer: it gives its data on demand.\n"
        "It waits for nothing.\n"
        "It can wait until step 0: fc (execution 0, late step 1) takes what it gives.\n"
        "It is on the critical path, where any delay delays the end: fc_b."
    )


def test_repeated_firings_wait_for_readers() -> None:
    first, second = unit("first"), unit("second")
    first.add_child(second)
    view = GraphView()
    view.add([first, second])
    set_rates(first, 1, 2)
    set_rates(second, 2, 1)
    first.get_operator().set_input(0, Tensor.of_dims([3]))
    found = why(static_schedule(view), "first", 1)
    assert str(found).splitlines()[:2] == [
        "first, execution 1 of 3: can run from step 2 to step 2.",
        "It waits for second (execution 0, step 1), which takes what the execution before gave.",
    ]


def test_a_firing_waits_for_the_last_of_its_input_even_if_others_gave_enough() -> None:
    schedule = static_schedule(graphs.rates(6, (2, 3), (1, 1)))
    assert schedule.to_text() == "source a b a 2×(b) a 6×(b)"
    wait = why(schedule, "b", 2).waits_for[0]
    assert (wait.name, wait.execution, wait.executions) == ("a", 1, 3)  # the first a gave 3
    assert str(why(schedule, "b", 1)).splitlines()[1:3] == [
        "It waits for a (execution 1, step 3), the last before it that gives an input.",
        "b (execution 0, step 2), which is the execution before, ran before that.",
    ]
    once = str(why(schedule, "a", 0)).splitlines()[1]
    assert once == "It waits for source (execution 0, step 0), which gives an input."


def test_slack() -> None:
    view, _ = oracle.build_graph(oracle.load("diamond_unequal"))
    schedule = static_schedule(view)
    firing = next(firing for firing in schedule.firings if firing.slack)
    text = str(why(schedule, schedule.name_of(firing)))
    assert "It is not on the critical path: it has " in text


def test_conditions() -> None:
    choose = ops.Select(2, name="choose")
    for index, name in enumerate(["condition", "yes", "no"]):
        ops.ReLU(name=name).add_child(choose, 0, index)
    view = get_connected_graph_view(choose)
    scheduler = Scheduler(view)
    scheduler.tag_conditional_nodes()
    scheduler.generate_scheduling()
    found = why(scheduler.schedule(), view.get_node("yes"))
    assert [wait.reason for wait in found.waits_for] == [Reason.Condition]
    assert "It waits for condition (execution 0, step 0), which decides whether it runs." in str(
        found
    )


def test_long_paths_are_cut() -> None:
    view = chain(*(f"n{number}" for number in range(250)))
    found = why(static_schedule(view), "n249")
    assert len(found.path) == 100
    assert found.path_start == 150
    assert found.path[0] == "n150"
    assert str(found).endswith("the end: … → n245 → n246 → n247 → n248 → n249.")


class TestBadQuestions:
    def test_names_that_are_nearly_right(self) -> None:
        with pytest.raises(
            SchedulingError, match=r"no such node .*found 'actt'\)\. Did you mean act"
        ):
            why(static_schedule(_model()), "actt")

    def test_names_like_nothing(self) -> None:
        with pytest.raises(SchedulingError, match=r"expected one of .*, found '§'\)"):
            why(static_schedule(_model()), "§")

    def test_nodes_of_another_graph(self) -> None:
        with pytest.raises(SchedulingError, match="no such node"):
            why(static_schedule(_model()), unit("act"))

    def test_names_that_several_have(self) -> None:
        schedule = static_schedule(chain("a", "a"))
        with pytest.raises(SchedulingError, match=r"several .*one of a \(Unit#0\), a \(Unit#1\)"):
            why(schedule, "a")
        assert why(schedule, "a (Unit#1)").early == 1

    @pytest.mark.parametrize("execution", [-1, 1])
    def test_executions_out_of_range(self, execution: int) -> None:
        with pytest.raises(
            SchedulingError, match=rf"act: no such execution \(expected 0 to 0, found {execution}"
        ):
            why(static_schedule(_model()), "act", execution)

    def test_nodes_that_never_run(self) -> None:
        schedule = static_schedule(_model())
        idle = StaticSchedule(schedule.actors, (), (), ())
        with pytest.raises(SchedulingError, match=r"fc: never runs .*\. Nothing that the outputs"):
            why(idle, "fc")
        number = [actor.name for actor in schedule.actors].index("fc")
        waiting = StaticSchedule(schedule.actors, (), (number,), ())
        with pytest.raises(SchedulingError, match=r"fc: never runs .*\. It still waited for data"):
            why(waiting, "fc")


@pytest.mark.parametrize("name", GRAPHS)
def test_a_firing_stands_for_its_node_and_execution(name: str) -> None:
    view, _ = oracle.build_graph(oracle.load(name))
    schedule = static_schedule(view)
    for firing in schedule.firings:
        called = schedule.name_of(firing)
        assert schedule.why(firing) == schedule.why(called, firing.execution)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("act", "out"), r"why, execution: not the number.*found 'out'.*one node at a time"),
        (("act", 0.5), r"why, execution: not the number of an execution.*found 0\.5"),
        ((3,), r"why: expected a node .*schedule\.firings, found 3"),
        (
            (Firing(99, 0, 0, 0),),
            r"why: expected a node .*schedule\.firings, found Firing",
        ),
    ],
)
def test_what_is_no_node_or_no_number_is_refused(asked: Any, message: str) -> None:
    with pytest.raises(SchedulingError, match=message):
        static_schedule(_model()).why(*asked)
