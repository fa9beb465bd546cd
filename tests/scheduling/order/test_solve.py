"""Orders of least peak on plain integers, against all orders."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings

from aidge_nb.scheduling.order.groups import group_tasks
from aidge_nb.scheduling.order.problem import MemoryBlock, OrderProblem
from aidge_nb.scheduling.order.search import (
    Budget,
    beam_search,
    decide,
    search_best_first,
    search_exact,
)
from aidge_nb.scheduling.order.segments import Segment, cut
from aidge_nb.scheduling.order.solve import solve
from tests.scheduling.order.brute import is_valid, least_peak, simulate
from tests.scheduling.order.problems import problems, random_cell, series_parallel, trees


@given(problems())
@settings(max_examples=400, deadline=None)
def test_the_least_of_all_orders(problem: OrderProblem) -> None:
    found = solve(problem)
    assert is_valid(problem, found.order)
    assert simulate(problem, found.order) == found.peak == least_peak(problem)
    assert found.proven
    assert found.default_peak == simulate(problem, range(len(problem)))


@given(problems())
@settings(max_examples=200, deadline=None)
def test_bounds_hold_when_the_search_is_cut_short(problem: OrderProblem) -> None:
    found = solve(problem, max_states=1)
    least = least_peak(problem)
    assert found.lower_bound <= least <= found.peak <= found.default_peak
    assert simulate(problem, found.order) == found.peak


@given(problems())
@settings(max_examples=300, deadline=None)
def test_each_search_alone_finds_the_least(problem: OrderProblem) -> None:
    """Best first, and by questions from a bad order on, without beam search before them."""
    live = peak = problem.live_at_start
    for segment in cut(group_tasks(problem)):
        first = search_best_first(segment, live, 10**9, Budget(10**6))
        asked = search_exact(segment, live, 10**9, 0, 0, Budget(10**6))
        for found in (first, asked):
            assert found.order is not None
            assert found.bound == found.peak == segment.run(found.order, live)[0]
        assert first.peak == asked.peak
        peak = max(peak, first.peak)
        live = segment.run(range(len(segment)), live)[1]
    assert peak == least_peak(problem)


@given(problems())
@settings(max_examples=200, deadline=None)
def test_answers_about_limits(problem: OrderProblem) -> None:
    (*_, segment) = cut(group_tasks(problem))
    live = segment.live
    least = search_best_first(segment, live, 10**9, Budget(10**6)).peak
    assert decide(segment, live, least, Budget(10**6), 10**6).none
    order = decide(segment, live, least + 1, Budget(10**6), 10**6).order
    assert order is not None
    assert segment.run(order, live)[0] == least
    asked = decide(segment, live, least + 1, Budget(10**6), 0)
    assert (asked.order, asked.none) == (None, False)


@given(series_parallel())
@settings(max_examples=200, deadline=None)
def test_series_parallel_graphs_need_no_search(problem: OrderProblem) -> None:
    _solved_without_search(problem)


@given(trees())
@settings(max_examples=200, deadline=None)
def test_trees_need_no_search(problem: OrderProblem) -> None:
    _solved_without_search(problem)


def _solved_without_search(problem: OrderProblem) -> None:
    """Grouping leaves one order, and it is the best."""
    segments = cut(group_tasks(problem))
    assert all(len(segment) == 1 for segment in segments)
    order = [task for segment in segments for task in segment.groups[0].tasks]
    assert is_valid(problem, order)
    assert simulate(problem, order) == least_peak(problem)


def test_large_trees_are_solved_in_polynomial_time() -> None:
    draw = random.Random(1)
    count = 600
    readers = [draw.randint(task + 1, min(count - 1, task + 40)) for task in range(count - 1)]
    before = [0] * count
    for task, reader in enumerate(readers):
        before[reader] |= 1 << task
    blocks = tuple(MemoryBlock(draw.randint(1, 99), t, 1 << r) for t, r in enumerate(readers))
    found = solve(OrderProblem(tuple(before), blocks), max_states=0)
    assert found.proven
    assert found.peak < found.default_peak


@pytest.mark.parametrize("seed", range(8))
def test_randomly_wired_cells_are_solved(seed: int) -> None:
    problem = random_cell(32, seed)
    found = solve(problem)
    assert found.proven
    assert is_valid(problem, found.order)
    assert simulate(problem, found.order) == found.peak < found.default_peak


def test_a_small_budget_gives_a_valid_answer() -> None:
    problem = random_cell(60, 3)
    found = solve(problem, max_states=50)
    assert 0 < found.states <= 50
    assert not found.proven
    assert is_valid(problem, found.order)
    assert found.lower_bound <= found.peak < found.default_peak
    assert simulate(problem, found.order) == found.peak


def test_no_time_is_no_proof_but_an_answer() -> None:
    problem = random_cell(40, 5)
    found = solve(problem, time_limit=0.0)
    assert found.states == 0
    assert found.lower_bound < found.peak <= found.default_peak


def test_it_is_the_same_each_time() -> None:
    first, second = solve(random_cell(24, 9)), solve(random_cell(24, 9), time_limit=1e9)
    assert first == second


def _segment(problem: OrderProblem) -> Segment:
    (worst,) = [segment for segment in cut(group_tasks(problem)) if len(segment) > 1]
    return worst


def test_wider_beams_are_better_in_the_end() -> None:
    segment = _segment(random_cell(32, 4))
    peaks = [beam_search(segment, segment.live, width)[1] for width in (1, 64)]
    least = search_best_first(segment, segment.live, 10**9, Budget(10**6)).peak
    assert peaks[0] >= peaks[1] >= least


def test_invalid_orders_are_told() -> None:
    problem = OrderProblem((0, 0b1, 0b10), ())
    assert is_valid(problem, [0, 1, 2])
    for wrong in ([1, 0, 2], [0, 1], [0, 1, 1], [0, 1, 3], [0, 1, 2, 2]):
        assert not is_valid(problem, wrong)


def test_nothing_to_order() -> None:
    found = solve(OrderProblem((), ()))
    assert (found.order, found.peak, found.proven) == ((), 0, True)
