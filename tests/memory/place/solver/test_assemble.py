"""Assembling: packings of known height are found again, and nothing is claimed that is not so."""

from __future__ import annotations

from pathlib import Path

import pytest

from aidge_nb.memory import LiveRange, best_placement, check_offsets, lower_bound, read_problem
from aidge_nb.memory.place.solver.assemble import assemble
from aidge_nb.memory.place.solver.clock import Clock, Progress
from aidge_nb.memory.place.solver.strip import Strip
from aidge_nb.memory.place.solver.valleys import Valleys
from tests.memory.place.solver.packings import grown, guillotine
from tests.memory.place.solver.test_valleys import ABOVE_THE_BOUND, tight

DATA = Path(__file__).parent.parent / "data"


def assert_packed(ranges: list[LiveRange], effort: float = 1.0) -> None:
    """What is found reaches the bound, by the check that shares no code with the search."""
    bound = lower_bound(ranges).size
    found = assemble(Strip(ranges), bound, Clock(effort))
    assert found.offsets is not None
    assert found.lower_bound == bound
    check_offsets(ranges, found.offsets, capacity=bound)


@pytest.mark.parametrize(("seed", "pieces"), [(101, 450), (102, 500), (103, 600), (104, 700)])
@pytest.mark.parametrize("pinwheels", [0.0, 0.25, 0.8])
def test_large_packings_are_found(seed: int, pieces: int, pinwheels: float) -> None:
    """Of pieces in sizes of real arenas: a unit of 1 KiB, and so no common divisor helps."""
    cut = guillotine(seed, pieces, ticks=400, height=1024, pinwheels=pinwheels)
    assert_packed([LiveRange(lower, upper, 1024 * size) for lower, upper, size in cut])


def test_the_planner_tells_how_it_found_one() -> None:
    ranges = guillotine(105, 550, ticks=400, height=1024)
    found = best_placement(ranges, effort=1.0)
    assert (found.peak, found.lower_bound, found.method) == (1024, 1024, "assembling blocks")
    check_offsets(ranges, found.offsets, capacity=1024)
    assert found == best_placement(ranges, effort=1.0)


@pytest.mark.parametrize(("seed", "cells"), [(1, 12), (2, 15), (3, 18), (4, 21)])
def test_packings_that_no_cuts_lead_to_are_found(seed: int, cells: int) -> None:
    """Of 57 to 209 pieces: what the blocks cannot do, the search valley by valley does."""
    assert_packed(grown(seed, cells), effort=8.0)


@pytest.mark.parametrize("seed", range(5))
def test_a_few_holes_are_no_obstacle(seed: int) -> None:
    ranges = guillotine(seed, 300, ticks=400, height=1024)
    del ranges[::100]
    assert lower_bound(ranges).size == 1024
    assert_packed(ranges)


def test_problems_that_are_almost_dense_are_solved() -> None:
    text = (DATA / "minimalloc" / "K.1048576.csv").read_text(encoding="utf-8")
    assert_packed(list(read_problem(text).values()))


@pytest.mark.parametrize("seed", range(60))
def test_it_finds_nothing_where_there_is_nothing(seed: int) -> None:
    """Dense strips of a few buffers, of which some cannot be packed; that is proven elsewhere."""
    ranges = tight(seed)
    strip, bound = Strip(ranges), lower_bound(ranges).size
    found = assemble(strip, bound, Clock(0.1))
    assert found.lower_bound == bound
    if found.offsets is not None:
        check_offsets(ranges, found.offsets, capacity=bound)
    exact = Valleys(strip, bound // strip.unit).fill(range(len(strip)), 10**6)
    assert exact.is_complete
    assert exact.offsets is not None or found.offsets is None


def test_the_bound_above_what_lives_is_still_proven() -> None:
    """Free boxes fill this up to 4, so that assembling is tried; it needs 5."""
    ranges = [LiveRange(*triple) for triple in ABOVE_THE_BOUND]
    found = best_placement(ranges)
    assert (found.peak, found.lower_bound) == (5, 5)


def test_what_has_many_holes_is_left_to_others() -> None:
    ranges = [LiveRange(tick, tick + 2, 1 + tick % 7) for tick in range(40)]
    clock = Clock(1.0)
    before = clock.steps_left
    found = assemble(Strip(ranges), lower_bound(ranges).size, clock)
    assert (found.offsets, clock.steps_left) == (None, before)


@pytest.mark.parametrize("clock", [Clock(effort=0), Clock(time_limit=0)])
def test_a_clock_that_is_over_stops_it(clock: Clock) -> None:
    ranges = grown(5, 24)
    assert assemble(Strip(ranges), 1024, clock).offsets is None


def test_it_takes_a_quarter_of_the_work_at_most_and_tells_what_it_found() -> None:
    told: list[Progress] = []
    clock = Clock(effort=0.01, report=told.append)
    before = clock.steps_left
    assert assemble(Strip(grown(5, 24)), 1024, clock).offsets is None
    assert not told
    assert before / 2 < clock.steps_left < before
    ranges = guillotine(3, 60)
    assert assemble(Strip(ranges), 64, Clock(report=told.append)).offsets is not None
    assert [(each.peak, each.method) for each in told] == [(64, "assembling blocks")]
