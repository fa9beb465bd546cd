"""Balance equations: the smallest rounds, and graphs that have none."""

from __future__ import annotations

from itertools import pairwise
from math import gcd

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aidge_nb import ops
from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph import GraphView, sequential
from aidge_nb.scheduling import repetition_vector
from aidge_nb.scheduling.model.balance import Rate, solve_balance
from tests.graph.nodes import chain, loop, source, unit
from tests.scheduling.rates import fork_join, set_rates


def test_whole_tensors_run_once_each() -> None:
    view = sequential([ops.FC(4, 2, name="fc"), ops.ReLU(name="a")])
    assert set(repetition_vector(view).values()) == {1}
    view.forward_dims([[1, 4]])
    assert repetition_vector(view) == dict.fromkeys(view.unique_names().values(), 1)
    assert repetition_vector(GraphView()) == {}


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=5))
def test_chains(rates: list[tuple[int, int]]) -> None:
    view = chain(*map(str, range(len(rates))))
    for number, (takes, gives) in enumerate(rates):
        set_rates(view.get_node(str(number)), takes, gives)
    found = [repetition_vector(view)[str(number)] for number in range(len(rates))]
    for ((_, gives), (takes, _)), (one, other) in zip(
        pairwise(rates), pairwise(found), strict=True
    ):
        assert gives * one == takes * other
    assert gcd(*found) == 1
    assert min(found) > 0


def test_parts_that_do_not_touch_have_rounds_of_their_own() -> None:
    view = chain("a", "b")
    view.add(chain("c", "d").get_nodes())
    set_rates(view.get_node("a"), 1, 3)
    set_rates(view.get_node("b"), 2, 1)
    assert repetition_vector(view) == {"a": 2, "b": 3, "c": 1, "d": 1}


def test_ways_that_agree() -> None:
    assert repetition_vector(fork_join(1, 1)) == {"start": 1, "b": 1, "c": 1, "join": 1}


def test_ways_that_do_not() -> None:
    with pytest.raises(
        SchedulingError,
        match=r"input#0: the graph is inconsistent: .* gives 1 each time, .* takes 1, which does "
        r"not fit .*\(expected 1 × executions of .*, found \d executions of",
    ):
        repetition_vector(fork_join(1, 2))


def test_nothing_given_or_nothing_taken() -> None:
    assert solve_balance("ab", [Rate("a", 0, 0, "b", 0, 0)]) == {"a": 1, "b": 1}
    for gives, takes in ((0, 2), (2, 0)):
        with pytest.raises(SchedulingError, match=rf"inconsistent: a, output#0 gives {gives} each"):
            solve_balance("ab", [Rate("a", 0, gives, "b", 0, takes)])


def test_a_node_that_feeds_itself() -> None:
    assert solve_balance("a", [Rate("a", 0, 2, "a", 0, 2)]) == {"a": 1}
    with pytest.raises(SchedulingError, match="inconsistent: a, output#0 gives 2 each time"):
        solve_balance("a", [Rate("a", 0, 2, "a", 0, 3)])


def test_amounts_that_change_have_no_balance() -> None:
    view = chain("a", "b")
    set_rates(view.get_node("a"), 1, [1, 2])
    with pytest.raises(SchedulingError, match=r"a \(Unit\): takes or gives other amounts from .*1"):
        repetition_vector(view)


def test_loops_have_none() -> None:
    memory, body, start = loop("m"), unit("body"), source([2], "start")
    start.add_child(memory, 0, 1)
    memory.add_child(body, 1, 0)
    body.add_child(memory, 0, 0)
    view = GraphView()
    view.add([start, memory, body])
    with pytest.raises(SchedulingError, match=r"m \(Memorize\): takes or gives other amounts"):
        repetition_vector(view)
