"""The algorithm in slow motion: it comes to the firings of the scheduler, and says truly why."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given

from aidge_nb import ops
from aidge_nb.core.errors import SchedulingError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView, get_connected_graph_view, sequential
from aidge_nb.ops import LSTM
from aidge_nb.scheduling import (
    AvailableDataStatus,
    Scheduler,
    TraceEnd,
    prod_conso_of,
    static_schedule,
    trace_of,
)
from aidge_nb.scheduling.explain.rounds import find_status
from tests import oracle
from tests.graph.nodes import chain, unit
from tests.scheduling.rates import multi_rate_graphs

RUNS = [
    (name, run)
    for name, recorded in ((name, oracle.load(name)) for name in oracle.names())
    for run in recorded.get("runs", {})
    if run in ("token", "data") and "schedule" in recorded["runs"][run]
]


def _check(view: GraphView) -> None:
    """Hold a trace against the schedule, and its rounds against each other."""
    schedule = static_schedule(view)
    rounds = trace_of(view, max_rounds=100_000)
    assert tuple(name for each in rounds for name in each.firings) == schedule.order
    assert [each.number for each in rounds] == list(range(len(rounds)))
    for each, after in pairwise(rounds):
        assert each.end is None
        assert each.following == after.consumers
        assert set(each.asked_again) <= set(each.following)
    for each in rounds:
        assert {lack.consumer for lack in each.lacks} <= set(each.consumers)
        assert all(lack.needed > lack.available for lack in each.lacks)
        assert set(each.fired) <= set(each.consumers) | set(each.priors)
        assert set(each.still) >= set(each.asked_again)
    remaining = {schedule.actors[number].name for number in schedule.remaining}
    if rounds:
        assert set(rounds[-1].following) == remaining
        assert rounds[-1].end is (TraceEnd.Stuck if remaining else TraceEnd.Done)


@pytest.mark.parametrize(("name", "run"), RUNS)
def test_firings_are_those_of_the_scheduler(name: str, run: str) -> None:
    _check(oracle.build_graph(oracle.load(name), with_dims=run == "data")[0])


@given(multi_rate_graphs())
def test_firings_on_random_graphs(view: GraphView) -> None:
    try:
        static_schedule(view)
    except SchedulingError:
        return  # a deadlock: tensors that are too small
    _check(view)


def test_conditional_nodes() -> None:
    choose = ops.Select(2, name="choose")
    for index, name in enumerate(["condition", "yes", "no"]):
        ops.ReLU(name=name).add_child(choose, 0, index)
    view = get_connected_graph_view(choose)
    Scheduler(view).tag_conditional_nodes()
    _check(view)
    assert trace_of(view)[0].fired == ("condition",)


def test_what_a_round_tells() -> None:
    view = sequential([ops.FC(4, 2, name="fc"), ops.ReLU(name="act")])
    view.forward_dims([[1, 4]])
    first, second = trace_of(view)
    assert first.consumers == ("act",)
    (lack,) = first.lacks
    assert (lack.consumer, lack.input, lack.source) == ("act", 0, "fc")
    assert (lack.needed, lack.available, lack.unit) == (2, 0, "elements")
    assert lack.status is AvailableDataStatus.Connected
    assert (first.priors, first.producers, first.fired) == (("fc",), ("fc_w", "fc_b"), ("fc",))
    assert (second.consumers, second.lacks, second.fired) == (("act",), (), ("act",))
    assert second.end is TraceEnd.Done


def test_tokens() -> None:
    (lack,) = trace_of(chain("a", "b"))[0].lacks
    assert (lack.needed, lack.available, lack.unit) == (1, 0, "tokens")


def test_still_consumers_are_asked_again() -> None:
    view, _ = oracle.build_graph(oracle.load("pop_relu_stack_3"))
    rounds = trace_of(view)
    assert "pop" in rounds[0].still
    assert sum("pop" in each.fired for each in rounds) == 3


def test_direct_tensors_run_dry() -> None:
    view = chain("a", "b")
    view.get_node("a").get_operator().set_input(0, Tensor())
    first = trace_of(view)[0]
    assert [lack.source for lack in first.lacks] == ["a"]
    assert trace_of(GraphView()) == ()


def test_long_traces_are_cut_off() -> None:
    view = chain("a", "b", "c")
    rounds = trace_of(view, max_rounds=2)
    assert [each.end for each in rounds] == [None, TraceEnd.CutOff]
    assert trace_of(view, max_rounds=3)[-1].end is TraceEnd.Done
    with pytest.raises(SchedulingError, match=r"no rounds .*expected max_rounds ≥ 1"):
        trace_of(view, max_rounds=0)


def test_the_state_of_the_graph_stays() -> None:
    view = chain("a", "b")
    static_schedule(view)
    model = prod_conso_of(view.get_node("a").get_operator())
    before = repr(model.get_nb_produced_data(0))
    trace_of(view)
    assert repr(model.get_nb_produced_data(0)) == before


def test_mixed_models_are_explained() -> None:
    view = sequential([unit("a"), ops.Pop(name="pop")])
    with pytest.raises(SchedulingError, match=r"pop \(Pop\), input#0: .*known, non-empty"):
        trace_of(view)


def test_where_inputs_come_from() -> None:
    a, b, alone = unit("a"), unit("b"), unit("alone")
    a.add_child(b)
    a.get_operator().set_input(0, Tensor.of_dims([2]))
    found = [find_status(node, 0) for node in (b, a, alone)]
    assert found == [
        AvailableDataStatus.Connected,
        AvailableDataStatus.ValidTensor,
        AvailableDataStatus.NotConnected,
    ]


def test_inputs_of_micro_graphs() -> None:
    lstm, before = LSTM(3, 4, 2, name="lstm"), unit("before")
    micro = lstm.get_operator().micro_graph
    assert micro is not None
    node, index = micro.get_ordered_inputs()[0]
    assert find_status(node, index) is AvailableDataStatus.NotConnected
    assert find_status(node, index, lstm) is AvailableDataStatus.UpperNodeInputFound
    before.add_child(lstm)
    assert find_status(node, index, lstm) is AvailableDataStatus.UpperNodeInputConnected
    assert len(AvailableDataStatus) == 5


def test_a_round_reads_as_text() -> None:
    first = trace_of(chain("a", "b"))[0]
    assert str(first) == (
        "round 0: b asked\n  b, input#0: needs 1 tokens from a, has 0\n  priors: a\n  fired: a"
    )
    assert str(trace_of(chain("a", "b"))[-1]).endswith("\n  the end: no consumer is left")
