"""The search valley by valley, against trying everything."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aidge_nb.memory import LiveRange, check_offsets, lower_bound, plan
from aidge_nb.memory.place.greedy import Problem, first_fit
from aidge_nb.memory.place.solver.strip import Strip
from aidge_nb.memory.place.solver.valleys import Valleys
from tests.memory.place.solver.packings import guillotine

RANGES = st.lists(
    st.tuples(st.integers(0, 7), st.integers(1, 5), st.integers(1, 4)).map(
        lambda each: LiveRange(each[0], each[0] + each[1], each[2])
    ),
    min_size=1,
    max_size=6,
)

ABOVE_THE_BOUND = [
    (3, 5, 1),
    (1, 4, 1),
    (4, 8, 2),
    (5, 8, 2),
    (2, 3, 2),
    (1, 5, 1),
    (0, 2, 2),
    (0, 1, 2),
]
"""Needs 5 although no more than 4 live at a time."""


def tight(seed: int) -> list[LiveRange]:
    """Fill a few ticks with buffers at random until nothing is free: no byte may be wasted."""
    random = Random(seed)
    free = [random.randint(3, 5)] * random.randint(4, 7)
    ranges: list[LiveRange] = []
    while any(free) and len(ranges) < 7:
        first = random.choice([tick for tick, left in enumerate(free) if left])
        size = random.randint(1, min(3, free[first]))
        last = first
        while last + 1 < len(free) and free[last + 1] >= size and random.random() < 0.75:
            last += 1
        for tick in range(first, last + 1):
            free[tick] -= size
        ranges.append(LiveRange(first, last + 1, size))
    return ranges


def assert_exact(ranges: list[LiveRange], random: Random) -> None:
    """Whatever the order, what fits is found, and what does not fit is proven not to."""
    problem, strip = Problem(ranges), Strip(ranges)
    # Some order makes first fit optimal: that of the offsets of an optimal placement.
    least = min(
        problem.peak(first_fit(problem, order)) for order in permutations(range(len(ranges)))
    )
    bound = max(strip.load)
    assert bound * strip.unit == lower_bound(ranges).size
    rank = random.sample(range(len(ranges)), len(ranges))
    for capacity in range(bound - 1, least // strip.unit + 2):
        valleys = Valleys(strip, capacity)
        for from_the_right in (False, True):
            found = valleys.fill(rank, 100_000, from_the_right=from_the_right)
            assert found.is_complete
            assert (found.offsets is not None) == (capacity * strip.unit >= least)
            if found.offsets is not None:
                check_offsets(ranges, strip.offsets(found.offsets), capacity=capacity * strip.unit)


@given(RANGES, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_small_problems_are_decided(ranges: list[LiveRange], random: Random) -> None:
    assert_exact(ranges, random)


@pytest.mark.parametrize("seed", range(30))
def test_tight_problems_are_decided(seed: int) -> None:
    assert_exact(tight(seed), Random(seed))


def test_what_does_not_reach_the_bound_is_proven() -> None:
    assert_exact([LiveRange(*triple) for triple in ABOVE_THE_BOUND], Random(0))


@pytest.mark.parametrize("seed", range(8))
def test_perfect_packings_are_found(seed: int) -> None:
    ranges = guillotine(seed, pieces=60)
    placement = plan(ranges)
    check_offsets(ranges, placement.offsets, capacity=64)
    assert placement.is_optimal


def test_a_search_ends_when_its_budget_is_spent() -> None:
    ranges = guillotine(3, pieces=60)
    strip = Strip(ranges)
    valleys = Valleys(strip, max(strip.load))
    assert valleys.fill(range(len(ranges)), 10) == (None, False)
    assert valleys.steps == 10


def test_a_search_ends_when_it_is_late() -> None:
    ranges = guillotine(3, pieces=60)
    strip = Strip(ranges)
    found = Valleys(strip, max(strip.load)).fill(range(60), 10**6, is_late=lambda: True)
    assert found == (None, False)


def test_heights_are_counted_in_the_largest_unit() -> None:
    strip = Strip([LiveRange(0, 2, 12), LiveRange(1, 3, 20)])
    assert (strip.unit, strip.height) == (4, [3, 5])
    assert strip.offsets([5, 0]) == [20, 0]


def test_moments_at_which_nothing_matters_are_left_out() -> None:
    strip = Strip([LiveRange(0, 9, 1), LiveRange(3, 9, 1), LiveRange(5, 7, 1), LiveRange(8, 9, 1)])
    assert len(strip.load) == 2  # at 5 and at 8
    assert strip.load == [3, 3]


def test_equal_buffers_are_twins() -> None:
    strip = Strip([LiveRange(0, 2, 1), LiveRange(0, 2, 2), LiveRange(0, 2, 1)])
    assert strip.twins == 0b010
