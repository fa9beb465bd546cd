"""Placements: valid always, as small as can be on real networks, and errors that say why."""

from __future__ import annotations

import sys
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aidge_nb.core.errors import MemoryPlanError, MissingExtraError
from aidge_nb.memory import check_offsets, check_plan, lower_bound, plan, plan_memory, read_problem
from aidge_nb.memory.place.greedy import Problem, first_fit, lowest_first
from aidge_nb.memory.place.planners import best_placement
from aidge_nb.memory.place.solver import clock
from aidge_nb.memory.place.solver.clock import Progress
from aidge_nb.memory.values.live_range import LiveRange
from tests.calls import calls_of
from tests.memory.graphs import chain, graph, opaque, producer, unary

DATA = Path(__file__).parent / "data"

RANGES = st.lists(
    st.tuples(st.integers(0, 12), st.integers(1, 8), st.integers(1, 9)).map(
        lambda each: LiveRange(each[0], each[0] + each[1], each[2])
    ),
    max_size=14,
)


def load(path: Path) -> tuple[dict[str, LiveRange], int]:
    return read_problem(path.read_text(encoding="utf-8"), path.name), int(path.stem.split(".")[1])


@pytest.mark.parametrize("path", sorted((DATA / "nn").glob("*.csv")), ids=lambda path: path.stem)
def test_real_networks_take_no_more_than_the_lower_bound(path: Path) -> None:
    problem, bound = load(path)
    placement = plan(problem)
    check_offsets(list(problem.values()), placement.offsets, capacity=bound)
    assert placement.is_optimal
    assert placement.peak == bound


@pytest.mark.parametrize(
    "name", ["minimalloc/A", "minimalloc/E", "minimalloc/K", "planted/P1_100", "planted/P2_150"]
)
def test_hard_problems_are_solved(name: str) -> None:
    problem, capacity = load(DATA / f"{name}.1048576.csv")
    placement = plan(problem)
    check_offsets(list(problem.values()), placement.offsets, capacity=capacity)
    assert (placement.peak, placement.is_optimal) == (capacity, True)
    assert placement == plan(list(problem.values()), capacity)


@pytest.mark.slow
def test_the_hardest_problem_is_solved() -> None:
    problem, capacity = load(DATA / "minimalloc" / "I.1048576.csv")
    placement = plan(problem)
    check_offsets(list(problem.values()), placement.offsets, capacity=capacity)
    assert placement.is_optimal


def test_the_example_of_minimalloc_fits() -> None:
    problem, capacity = load(DATA / "minimalloc" / "example.12.csv")
    placement = plan(problem, capacity)
    check_offsets(list(problem.values()), placement.offsets, capacity=capacity)


@given(RANGES, st.sampled_from([1, 4]))
@settings(max_examples=60)
def test_placements_keep_every_rule(ranges: list[LiveRange], alignment: int) -> None:
    placement = plan(ranges, alignment=alignment, effort=0.01)
    check_offsets(ranges, placement.offsets, capacity=placement.peak, alignment=alignment)
    assert placement.peak >= placement.lower_bound
    assert placement == plan(ranges, alignment=alignment, effort=0.01)


@given(RANGES, st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_greedy_placements_keep_every_rule(ranges: list[LiveRange], random: Random) -> None:
    problem = Problem(ranges)
    order = list(range(len(ranges)))
    random.shuffle(order)
    check_offsets(ranges, first_fit(problem, order))
    check_offsets(ranges, lowest_first(problem, [float(each) for each in order]))


@given(RANGES, st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_first_fit_on_arrays_equals_first_fit_on_lists(
    ranges: list[LiveRange], random: Random
) -> None:
    class Dense(Problem):
        is_dense = True

    order = list(range(len(ranges)))
    random.shuffle(order)
    assert first_fit(Dense(ranges), order) == first_fit(Problem(ranges), order)
    assert Problem(ranges).nb_pairs == sum(map(len, Problem(ranges).conflicts))


def test_buffers_that_all_live_at_a_tick_lie_on_each_other_without_a_search() -> None:
    def calls(count: int) -> int:
        problem = Problem([LiveRange(0, 2 + number % 3, 8) for number in range(count)])
        assert problem.is_dense
        offsets: list[int] = []
        made = calls_of(lambda: offsets.extend(first_fit(problem, range(count)[::-1])))
        assert offsets == [8 * number for number in range(count)][::-1]
        return made

    assert calls(4000) < 2.2 * calls(2000)


@given(RANGES.filter(lambda ranges: 0 < len(ranges) <= 6))
@settings(max_examples=60)
def test_what_is_proven_is_the_least(ranges: list[LiveRange]) -> None:
    problem = Problem(ranges)
    # Some order makes first fit optimal: that of the offsets of an optimal placement.
    least = min(
        problem.peak(first_fit(problem, order)) for order in permutations(range(len(ranges)))
    )
    placement = plan(ranges)
    check_offsets(ranges, placement.offsets, capacity=least)
    assert (placement.peak, placement.is_optimal) == (least, True)


def test_a_proof_that_nothing_is_smaller_raises_the_lower_bound() -> None:
    triples = [
        (3, 5, 1),
        (1, 4, 1),
        (4, 8, 2),
        (5, 8, 2),
        (2, 3, 2),
        (1, 5, 1),
        (0, 2, 2),
        (0, 1, 2),
    ]
    ranges = [LiveRange(*triple) for triple in triples]
    problem = Problem(ranges)
    peaks = {problem.peak(first_fit(problem, order)) for order in permutations(range(8))}
    assert (lower_bound(ranges).size, min(peaks)) == (4, 5)
    placement = plan(ranges)
    assert (placement.peak, placement.lower_bound, placement.is_optimal) == (5, 5, True)
    with pytest.raises(MemoryPlanError, match="memory plan: no placement fits"):
        plan([(lower, upper, 2 * size) for lower, upper, size in triples], capacity=9)


def test_nothing_to_place_needs_nothing() -> None:
    assert plan([]).peak == 0
    assert plan([], 0).offsets == ()


def test_thousands_of_buffers_in_conflict_are_no_problem() -> None:
    ranges = [(start, start + 1 + start * 7 % 2000, 1 + start * 13 % 97) for start in range(3000)]
    placement = plan(ranges)
    check_offsets(ranges, placement.offsets, capacity=placement.peak)
    assert placement.peak < 1.3 * placement.lower_bound


@pytest.mark.parametrize(
    ("buffers", "capacity", "message"),
    [
        ({"x": (0, 2, 0)}, None, "buffer x: has no size .*found 0"),
        ([(0, 1, 4), (0, 2, -3)], None, "buffer #1: has no size .*found -3"),
        ({"x": (3, 2, 4)}, None, r"buffer x: .* ends before it starts .*found \[3, 2\)"),
        ([(2, 2, 4)], None, "buffer #0: .* ends before it starts"),
        ({"x": (0, 2, 10), "y": (5, 6, 4)}, 8, "buffer x: is larger than the memory by 2 bytes"),
        ([(0, 2, 6), (1, 3, 6)], 10, "tick 1: what lives then exceeds the memory by 2 bytes"),
    ],
)
def test_what_makes_no_sense_is_refused(
    buffers: list[tuple[int, int, int]], capacity: int | None, message: str
) -> None:
    with pytest.raises(MemoryPlanError, match=message):
        plan(buffers, capacity)


@pytest.mark.parametrize(
    ("buffers", "options", "message"),
    [
        ([(0, 1.5, 2)], {}, "buffer #0: not a whole number .*found 1.5"),
        ([(0, 1)], {}, r"buffer #0: no live range .*expected \(lower, upper, size\)"),
        ([None], {}, "buffer #0: no live range .*found None"),
        ({"x": (0, 1, 2**70)}, {}, r"buffer x: numbers too large .*less than 2\*\*62"),
        ([(0, 1, 2**61), (5, 6, 2**61)], {}, "buffer #1: sizes are too large to be summed up"),
        ([(0, 2, 6), (1, 3, 7)], {"capacity": 10}, r"13 bytes: #1 \(7\), #0 \(6\)"),
        ([(0, 2, 6)] * 7, {"capacity": 10}, r"#4 \(6\) and 2 more"),
        ([], {"capacity": -1}, "capacity: too small .*expected 0 or more"),
        ([], {"capacity": "4K"}, "capacity: not a whole number .*found '4K'"),
        ([], {"alignment": 0}, "alignment: too small"),
        ([], {"time_limit": -1.0}, "time_limit: is not an amount"),
        ([], {"effort": float("nan")}, "effort: is not an amount .*found nan"),
        (
            [],
            {"solver": "magic"},
            "solver: unknown .*expected auto, numpy, beam, cp-sat, found magic",
        ),
    ],
)
def test_what_cannot_be_planned_is_refused(
    buffers: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(MemoryPlanError, match=message):
        plan(buffers, **options)


def test_what_was_not_fitted_is_refused() -> None:
    problem, capacity = load(DATA / "planted" / "P2_150.1048576.csv")
    with pytest.raises(MemoryPlanError, match=r"no placement was found that fits .*time_limit="):
        plan(problem, capacity, effort=0)
    best = best_placement(problem, capacity, effort=0)
    check_offsets(list(problem.values()), best.offsets, capacity=best.peak)
    assert best.gap == best.peak - capacity > 0


def test_no_time_is_enough_for_an_answer() -> None:
    problem, capacity = load(DATA / "planted" / "P2_150.1048576.csv")
    placement = plan(problem, time_limit=0)
    check_offsets(list(problem.values()), placement.offsets, capacity=placement.peak)
    assert placement.lower_bound == capacity < placement.peak


def test_a_limit_that_is_not_hit_changes_nothing() -> None:
    problem, _ = load(DATA / "minimalloc" / "A.1048576.csv")
    assert plan(problem, time_limit=600, solver="numpy") == plan(problem)


def test_progress_is_told() -> None:
    problem, capacity = load(DATA / "minimalloc" / "A.1048576.csv")
    seen: list[Progress] = []
    placement = plan(problem, progress=seen.append)
    peaks = [each.peak for each in seen]
    assert peaks == sorted(peaks, reverse=True)
    assert len(set(peaks)) > 1
    assert (seen[-1].peak, seen[-1].method) == (placement.peak, placement.method)
    assert all(each.lower_bound == capacity for each in seen)


def test_progress_is_told_from_time_to_time_though_nothing_better_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clock, "_TOLD_EVERY", 0.0)
    problem, _ = load(DATA / "minimalloc" / "A.1048576.csv")
    seen: list[Progress] = []
    placement = plan(problem, progress=seen.append)
    assert len(seen) > len({each.peak for each in seen})
    assert [each.seconds for each in seen] == sorted(each.seconds for each in seen)
    assert placement == plan(problem)


def test_progress_is_shown_as_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    problem, _ = load(DATA / "minimalloc" / "A.1048576.csv")
    placement = plan(problem, progress=True, time_limit=60, solver="numpy")
    shown = capsys.readouterr().err
    assert f"peak {placement.peak} bytes, 0.00% above the bound, by {placement.method}" in shown
    assert "/60" in shown


def test_a_bar_needs_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(MissingExtraError, match=r"tqdm.*onnx"):
        plan([(0, 1, 8)], progress=True)
    assert plan([(0, 1, 8)]).peak == 8


# --- plans of graphs ------------------------------------------------------------------------------


def test_a_chain_takes_two_buffers() -> None:
    view = chain(opaque("a"), unary("b"), opaque("c"), opaque("d"))
    found = plan_memory(view, list(view.get_nodes()))
    assert (found.peak, found.is_optimal) == (32, True)
    assert [buffer.offset for buffer in found.buffers[:2]] == [found.buffers[0].offset] * 2
    check_plan(found)


def test_without_sharing_a_plan_takes_more() -> None:
    view = chain(opaque("a"), unary("b"))
    order = list(view.get_nodes())
    assert plan_memory(view, order).peak == 16
    assert plan_memory(view, order, in_place=False).peak == 32


def test_offsets_are_aligned() -> None:
    view = chain(opaque("a", 3), opaque("b", 5), opaque("c", 3))
    found = plan_memory(view, list(view.get_nodes()), alignment=16)
    check_plan(found)
    assert (found.peak, found.lower_bound, found.alignment) == (48, 48, 16)


def test_parameters_and_inputs_are_counted_when_asked() -> None:
    view = graph([producer("w"), opaque("f", nb_inputs=2)], [(0, 1, 1)])
    order = list(view.get_nodes())
    assert plan_memory(view, order).peak == 16
    assert plan_memory(view, order, inc_producers=True).peak == 32
    found = plan_memory(view, order, inc_producers=True, inc_inputs=True)
    assert sorted(buffer.kind for buffer in found.buffers) == ["activation", "input", "producer"]


def test_empty_tensors_take_no_memory() -> None:
    view = chain(opaque("a", 0), opaque("b"))
    found = plan_memory(view, list(view.get_nodes()))
    check_plan(found)
    assert found.peak == 16
