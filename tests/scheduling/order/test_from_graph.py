"""Order problems of graphs, against the live ranges that the memory planner finds."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb import zoo
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import live_values, lower_bound
from aidge_nb.memory.live.facts import check_order
from aidge_nb.scheduling import (
    Scheduler,
    check_schedule,
    schedule_nodes,
    static_schedule,
)
from aidge_nb.scheduling.order.from_graph import FiringOrder, firing_order
from aidge_nb.scheduling.order.order_result import order_for_memory
from tests.memory.graphs import chain, graph, op, producer, reshape, unary
from tests.memory.test_random_graphs import graphs
from tests.oracle import build_graph, load, names

OPTIONS: list[dict[str, Any]] = [
    {},
    {"inc_inputs": True},
    {"in_place": False},
    {"inc_producers": True, "inc_inputs": True},
]


def _recorded_order(name: str) -> list[str]:
    order: list[str] = load(name)["runs"]["data"]["memory"]["order"]
    return order


RECORDED = [name for name in names("memory") if len(_recorded_order(name)) < 200]


def _random_order(stated: FiringOrder, draw: random.Random) -> list[int]:
    done = 0
    order: list[int] = []
    while len(order) < len(stated.problem):
        ready = [
            task
            for task, needs in enumerate(stated.problem.before)
            if not done >> task & 1 and not needs & ~done
        ]
        order.append(draw.choice(ready))
        done |= 1 << order[-1]
    return order


def _judge(view: GraphView, nodes: list[Node], **options: Any) -> int:
    live = live_values(view, nodes, **options)
    return lower_bound([storage.live_range for storage in live.storages]).size


def _compare(view: GraphView, order: list[Node], seed: int, options: dict[str, Any]) -> None:
    stated = firing_order(view, order, **options)
    tasks = list(range(len(stated.problem)))
    for each in (tasks, _random_order(stated, random.Random(seed))):
        nodes = [order[position] for position in stated.firings(each)]
        assert sorted(map(Node.id, nodes)) == sorted(map(Node.id, order))
        check_order(view, nodes)
        assert stated.problem.peak(each) == _judge(view, nodes, **options)


@given(graphs(), st.integers(0, 10**6), st.sampled_from(OPTIONS), st.booleans())
@settings(max_examples=300, deadline=None)
def test_live_bytes_of_any_order(
    view: GraphView, seed: int, options: dict[str, Any], by_name: bool
) -> None:
    order = list(view.topological_order())
    if by_name:
        order = list(view.get_nodes())
    _compare(view, order, seed, options)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", RECORDED)
def test_live_bytes_of_recorded_graphs(name: str, options: dict[str, Any]) -> None:
    """Among them pipelines of several rates, recurrent cells, Pop and Stack."""
    view, nodes = build_graph(load(name))
    order = [nodes[each] for each in _recorded_order(name)]
    for seed in range(3):
        _compare(view, order, seed, options)


def test_recorded_graphs_include_several_rates() -> None:
    repeating = [
        name for name in RECORDED if len(_recorded_order(name)) > len(set(_recorded_order(name)))
    ]
    assert len(repeating) >= 10


@pytest.mark.parametrize("name", ["inception_like", "densenet_like", "shufflenet_like", "lenet"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_live_bytes_of_models(name: str, options: dict[str, Any]) -> None:
    view = zoo.load(name)
    inputs = zoo.build(name).inputs
    dims = [[dim for dim in value.dims or () if isinstance(dim, int)] for value in inputs]
    assert view.forward_dims(dims, allow_data_dependency=True)
    scheduler = Scheduler(view)
    scheduler.generate_scheduling()
    order = scheduler.get_sequential_static_scheduling()
    for seed in range(3):
        _compare(view, order, seed, options)


def test_orders_of_several_rates_are_schedules() -> None:
    """What is chosen for a graph whose nodes fire several times replays on its C-P models."""
    for name in RECORDED:
        order = _recorded_order(name)
        if len(order) == len(set(order)):
            continue
        view, nodes = build_graph(load(name))
        found = order_for_memory(view, [nodes[each] for each in order])
        assert found.keeps_turns
        assert found.lower_bound <= found.peak_bytes <= found.default_bytes
        check_schedule(view, schedule_nodes(view, found.nodes(view)))


def test_views_and_overwriting_share_memory() -> None:
    view = chain(op("a", 1, 8), reshape("seen", 8), unary("over", 8), op("b", 1, 2))
    order = list(view.get_nodes())
    assert firing_order(view, order).problem.live_bytes(range(4)) == [32, 32, 32, 40]
    kept_apart = firing_order(view, order, in_place=False)
    assert kept_apart.problem.live_bytes(range(4)) == [32, 32, 64, 40]


def test_sizes_are_rounded_up_to_the_alignment() -> None:
    view = chain(op("a", 1, 3), op("b", 1, 5))
    assert order_for_memory(view).peak_bytes == 32
    assert order_for_memory(view, alignment=16).peak_bytes == 48


def test_producers_run_when_they_are_needed_first() -> None:
    fork, join = op("f", 1, 8), op("j", 2, 4)
    nodes = [producer("w", 50), fork, op("a", 1, 40), op("a2", 2, 9), op("b", 1, 40)]
    nodes += [op("b2", 1, 1), join]
    edges = [(1, 2), (2, 3, 0), (0, 3, 1), (1, 4), (4, 5), (3, 6, 0), (5, 6, 1)]
    view = graph(nodes, edges)
    found = order_for_memory(view)
    assert found.order == ("f", "b", "b2", "a", "w", "a2", "j")
    with_weights = order_for_memory(view, inc_producers=True)
    assert with_weights.peak_bytes == found.peak_bytes + 200
    assert with_weights.peak_bytes == _judge(view, with_weights.nodes(view), inc_producers=True)


class TestErrors:
    """What cannot be ordered."""

    def test_unknown_dimensions(self) -> None:
        view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.FC(4, 2, name="b")])
        with pytest.raises(
            aidge_nb.SchedulingError, match=r"a \(ReLU\), output#0: .*unknown.*forward_dims\(\)"
        ):
            order_for_memory(view)

    def test_node_of_another_graph(self) -> None:
        view, other = chain(op("a"), op("b")), op("c")
        with pytest.raises(aidge_nb.SchedulingError, match=r"c \(Op\): is in the order but not"):
            order_for_memory(view, [*view.get_nodes(), other])

    def test_result_of_another_graph(self) -> None:
        found = order_for_memory(chain(op("a"), op("b")))
        with pytest.raises(aidge_nb.SchedulingError, match="no node 'a'"):
            found.nodes(chain(op("x"), op("y")))


def test_results_hold_a_schedule_in_their_order() -> None:
    view = zoo.load("inception_like")
    inputs = zoo.build("inception_like").inputs
    dims = [[dim for dim in value.dims or () if isinstance(dim, int)] for value in inputs]
    assert view.forward_dims(dims, allow_data_dependency=True)
    given = static_schedule(view)
    found = order_for_memory(view, given)
    assert found == order_for_memory(view)
    assert found.order == found.schedule.order != given.order
    check_schedule(view, found.schedule)
    assert order_for_memory(view, found.schedule).schedule is found.schedule


def test_results_are_values() -> None:
    view = chain(op("a", 1, 3), op("b", 1, 5))
    first, second = order_for_memory(view), order_for_memory(view)
    assert first == second
    assert repr(first) == "OrderResult(2 firings, peak 32 bytes, optimal, by default)"
    assert first.to_dict()["order"] == ["a", "b"]
    assert first.gap == 0
    assert first.seconds > 0
