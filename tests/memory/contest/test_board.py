"""Solvers side by side: what they return is checked, ranked and told as it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory import (
    ContestResult,
    Leaderboard,
    LiveRange,
    OptimizeStrategy,
    check_offsets,
    compare_solvers,
)
from aidge_nb.memory.contest import board as board_module
from aidge_nb.memory.contest.board import given_result, ranked
from aidge_nb.memory.contest.outcome import Outcome
from aidge_nb.memory.contest.solvers import (
    SOLVERS,
    PlanSolver,
    by_strategy,
    largest_into_first_gap,
)
from aidge_nb.memory.place.greedy import Problem, first_fit
from aidge_nb.widgets.still.leaderboard import leaderboard_svg
from tests.memory.place.solver.packings import guillotine

RANGES = st.lists(
    st.tuples(st.integers(0, 12), st.integers(1, 8), st.integers(1, 9)).map(
        lambda each: LiveRange(each[0], each[0] + each[1], each[2])
    ),
    min_size=1,
    max_size=20,
)

THREE = [LiveRange(0, 2, 8), LiveRange(1, 3, 16), LiveRange(2, 4, 8)]
RULES = ["aidge_nb", "TFLM", "Aidge"]


@given(RANGES)
@settings(max_examples=80, deadline=None)
def test_rules_of_runtimes_keep_all_rules(ranges: list[LiveRange]) -> None:
    greedy = largest_into_first_gap(ranges)
    check_offsets(ranges, greedy)
    order = sorted(range(len(ranges)), key=lambda i: -ranges[i].size)
    assert greedy == first_fit(Problem(ranges), order)
    for strategy in OptimizeStrategy:
        check_offsets(ranges, by_strategy(strategy, ranges))


def test_aidge_places_as_time_passes() -> None:
    """The second reuses what the first left; the strategy takes the longest-lived first."""
    ranges = [LiveRange(0, 1, 8), LiveRange(1, 2, 4), LiveRange(1, 4, 4), LiveRange(2, 4, 8)]
    assert by_strategy(OptimizeStrategy.None_, ranges) == [0, 0, 4, 8]
    longest = by_strategy(OptimizeStrategy.OptimizeMaxLifetimeMinSizeFirst, ranges)
    assert longest[2] == 0


def test_the_least_peak_comes_first_with_the_best_bound() -> None:
    packing = guillotine(3, 60)
    board = compare_solvers({"three": THREE, "packing": packing}, time_limit=20, only=RULES)
    assert board.problems == ("three", "packing")
    assert board.solvers[0] == "aidge_nb"
    of_packing = [each for each in board.results if each.problem == "packing"]
    assert len(of_packing) == 6
    assert (of_packing[0].solver, of_packing[0].peak) == ("aidge_nb", 64)
    assert [each.peak for each in of_packing] == sorted(each.peak or 0 for each in of_packing)
    assert {each.bound for each in of_packing} == {64}
    assert of_packing[0].is_optimal
    assert of_packing[-1].verdict == "above the bound"
    assert not board.missing


def test_results_are_plain_data() -> None:
    board = compare_solvers({"three": THREE}, only=RULES)
    assert Leaderboard.from_dict(json.loads(json.dumps(board.to_dict()))) == board
    assert len(board.rows()) == len(board.results) == 6


def test_what_breaks_a_rule_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    liar = PlanSolver("liar", lambda ranges, seconds: Outcome([0] * len(ranges), 1))
    late = PlanSolver("late", lambda ranges, seconds: Outcome(None, 30, "not in time"))
    absent = PlanSolver("absent", late.place, lambda: False, "buy it")
    other = PlanSolver("other", late.place, lambda: False, "buy it")
    monkeypatch.setattr(board_module, "SOLVERS", (*SOLVERS[:1], liar, late, absent, other))
    board = compare_solvers({"three": THREE})
    found = {each.solver: each for each in board.results}
    assert found["liar"].peak is None
    assert "breaks a rule" in found["liar"].verdict
    assert found["late"].verdict == "none: not in time"
    assert found["aidge_nb"].bound == 30  # the best proof counts for all
    assert not found["aidge_nb"].is_optimal
    assert board.results[0].solver == "aidge_nb"
    assert board.how_to_get() == ["not installed: absent, other: buy it"]
    assert board.rows()[-1][1] == "-"


def test_alignment_holds_for_all() -> None:
    board = compare_solvers({"three": THREE}, alignment=64, only=RULES)
    assert {each.peak for each in board.results} == {128}


def test_cp_sat_takes_part_where_it_is_installed() -> None:
    pytest.importorskip("ortools")
    board = compare_solvers({"three": THREE}, time_limit=20, only=["OR-Tools"])
    assert [(each.peak, each.bound) for each in board.results] == [(24, 24)]


def test_given_offsets_take_part() -> None:
    buffers = {"a": LiveRange(0, 2, 8), "b": LiveRange(1, 3, 8)}
    assert given_result("two", "by hand", buffers, [32, 0]).peak == 40
    assert given_result("two", "by hand", buffers, [0, 4]).peak is None
    results = [ContestResult("p", "a", 1, 10, 5, 0.0), ContestResult("p", "b", 1, 8, 7, 0.0)]
    assert [(each.solver, each.bound) for each in ranked(results)] == [("b", 7), ("a", 7)]


def test_an_unknown_solver_is_refused() -> None:
    with pytest.raises(MemoryPlanError, match=r"unknown \(expected aidge_nb, .*found Gurobi\)"):
        compare_solvers({"three": THREE}, only=["Gurobi"])


def test_names_are_data_in_the_picture() -> None:
    board = compare_solvers({"<b>&": THREE}, only=RULES)
    shown = leaderboard_svg(board)
    assert "&lt;b&gt;&amp;" in shown
    assert "<b>" not in shown
    assert shown.count("optimal</text>") == sum(each.is_optimal for each in board.results)
    assert "Aidge holes first" in shown
