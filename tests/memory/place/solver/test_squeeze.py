"""Searching again and again, at one capacity or at smaller and smaller ones."""

from __future__ import annotations

import pytest

from aidge_nb.memory import LiveRange, check_offsets
from aidge_nb.memory.place.solver.clock import Clock, Progress
from aidge_nb.memory.place.solver.squeeze import squeeze
from aidge_nb.memory.place.solver.strip import Strip
from tests.memory.place.solver.packings import guillotine
from tests.memory.place.solver.test_valleys import ABOVE_THE_BOUND

RANGES = [LiveRange(*triple) for triple in ABOVE_THE_BOUND]


def peak(ranges: list[LiveRange], offsets: list[int]) -> int:
    return max(offset + each.size for offset, each in zip(offsets, ranges, strict=True))


def test_a_bound_that_cannot_be_reached_is_raised() -> None:
    told: list[Progress] = []
    found = squeeze(Strip(RANGES), 9, 4, 4, Clock(report=told.append))
    assert found.offsets is not None
    check_offsets(RANGES, found.offsets, capacity=5)
    assert (peak(RANGES, found.offsets), found.lower_bound) == (5, 5)
    assert told[-1].lower_bound == 5


def test_what_cannot_fit_is_proven() -> None:
    doubled = [LiveRange(lower, upper, 2 * size) for lower, upper, size in RANGES]
    found = squeeze(Strip(doubled), 18, 8, 9, Clock())
    assert (found.offsets, found.lower_bound) == (None, 10)


def test_a_bound_is_raised_to_the_height_of_a_stack() -> None:
    """No stack of these is 4001 to 4999 high."""
    ranges = [LiveRange(lower, upper, 1000 * size) for lower, upper, size in RANGES]
    ranges.append(LiveRange(20, 21, 1))  # of another unit
    found = squeeze(Strip(ranges), 9000, 4000, 4000, Clock())
    assert found.offsets is not None
    assert (peak(ranges, found.offsets), found.lower_bound) == (5000, 5000)
    assert squeeze(Strip(ranges), 9000, 4000, 4500, Clock()).lower_bound == 5000


def test_what_fits_is_enough() -> None:
    ranges = guillotine(1, pieces=40)
    found = squeeze(Strip(ranges), 10**6, 64, 80, Clock())
    assert found.offsets is not None
    check_offsets(ranges, found.offsets, capacity=80)
    assert found.lower_bound == 64


def test_a_clock_that_is_over_stops_it() -> None:
    ranges = guillotine(1, pieces=40)
    for clock in (Clock(effort=0), Clock(time_limit=0)):
        found = squeeze(Strip(ranges), 10**6, 64, 64, clock)
        assert (found.offsets, found.lower_bound) == (None, 64)


def test_answers_are_the_same_every_time() -> None:
    strip = Strip(guillotine(2, pieces=80))
    assert squeeze(strip, 10**6, 64, 64, Clock()) == squeeze(strip, 10**6, 64, 64, Clock())


def test_little_effort_still_lowers_the_peak() -> None:
    """Heights above the bound are tried, too."""
    ranges = guillotine(5, pieces=150, ticks=120)
    found = squeeze(Strip(ranges), 200, 64, 64, Clock(effort=0.02))
    assert found.offsets is not None
    check_offsets(ranges, found.offsets, capacity=199)


def test_part_of_a_clock_is_over_earlier() -> None:
    clock = Clock(time_limit=100)
    part = clock.part(0.5)
    assert part.time_limit == pytest.approx(50, abs=5)
    assert clock.part(0).is_late()
    assert not clock.is_late()
    assert Clock(effort=2).part(0.5).time_limit is None
