"""Beam search: what it gives is valid, wider is not blind, and it takes turns with the others."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aidge_nb.memory import LiveRange, best_placement, check_offsets, lower_bound, read_problem
from aidge_nb.memory.place.solver.beam import TASTES, Beam, Taste, Widening
from aidge_nb.memory.place.solver.clock import Clock, Progress
from aidge_nb.memory.place.solver.squeeze import squeeze, widen
from aidge_nb.memory.place.solver.strip import Strip
from aidge_nb.memory.place.solver.valleys import Filling, Valleys
from tests.memory.place.solver.packings import guillotine
from tests.memory.place.solver.test_valleys import ABOVE_THE_BOUND, tight

DATA = Path(__file__).parent.parent / "data"

RANGES = st.lists(
    st.tuples(st.integers(0, 12), st.integers(1, 8), st.integers(1, 9)).map(
        lambda each: LiveRange(each[0], each[0] + each[1], each[2])
    ),
    min_size=1,
    max_size=20,
)


def load(name: str) -> list[LiveRange]:
    text = (DATA / name).read_text(encoding="utf-8")
    return list(read_problem(text).values())


def peak(ranges: list[LiveRange], offsets: list[int]) -> int:
    return max(offset + each.size for offset, each in zip(offsets, ranges, strict=True))


@given(RANGES, st.integers(1, 12), st.sampled_from(TASTES))
@settings(max_examples=60, deadline=None)
def test_what_it_gives_is_valid_and_within_the_capacity(
    ranges: list[LiveRange], width: int, taste: Taste
) -> None:
    strip = Strip(ranges)
    total = sum(strip.height)
    beam = Beam(strip)
    placed = beam.fill(width, total, max(strip.load), taste)
    assert placed is not None  # one on top of the other fits
    check_offsets(ranges, strip.offsets(placed), capacity=total * strip.unit)
    least = max(strip.load)
    lowest = beam.fill(width, least, least)
    assert beam.steps > 0
    if lowest is not None:
        check_offsets(ranges, strip.offsets(lowest), capacity=least * strip.unit)


@pytest.mark.parametrize("seed", range(20))
def test_a_beam_that_drops_nothing_finds_what_there_is(seed: int) -> None:
    """Where the search valley by valley proves what fits, so it does."""
    ranges = tight(seed)
    strip = Strip(ranges)
    least = lower_bound(ranges).size // strip.unit
    while Valleys(strip, least).fill(range(len(strip)), 10**6).offsets is None:
        least += 1
    beam = Beam(strip)
    found = beam.fill(10**6, least, least)
    assert not beam.was_cut
    assert found is not None
    check_offsets(ranges, strip.offsets(found), capacity=least * strip.unit)
    assert beam.fill(10**6, least - 1, least - 1) is None


def test_a_narrow_beam_says_that_it_dropped_something() -> None:
    strip = Strip(guillotine(1, pieces=40))
    beam = Beam(strip)
    assert beam.fill(2, 64, 64) is None
    assert beam.was_cut


def test_it_stops_when_it_is_late() -> None:
    beam = Beam(Strip(guillotine(1, pieces=40)))
    asked: list[int] = []

    def is_late() -> bool:
        asked.append(1)
        return len(asked) > 3

    assert beam.fill(4, 10**4, 64, is_late=is_late) is None
    assert (len(asked), beam.was_cut) == (4, True)


def test_a_wider_beam_comes_after_every_taste() -> None:
    widening = Widening(Strip(guillotine(3, pieces=60)))
    widths = []
    for _ in range(2 * len(TASTES)):
        widths.append(widening.width)
        widening.turn(64, 64)
    assert widths == [8] * len(TASTES) + [16] * len(TASTES)
    assert widening.steps > widening.last_cost > 0


def test_alone_it_gets_below_what_was_there_and_tells() -> None:
    ranges = guillotine(5, pieces=60, ticks=60)
    told: list[Progress] = []
    found = widen(Strip(ranges), 100, 64, 64, Clock(0.05, report=told.append))
    assert found.offsets is not None
    assert peak(ranges, found.offsets) == told[-1].peak < 100
    assert [each.peak for each in told] == sorted((each.peak for each in told), reverse=True)
    assert found.method.startswith("beam search, width ")
    assert found.lower_bound == 64  # it proves nothing
    check_offsets(ranges, found.offsets, capacity=told[-1].peak)


def test_alone_it_ends_where_nothing_is_left_to_find() -> None:
    """This needs 5; no beam finds 4, and no time is wasted on it."""
    ranges = [LiveRange(*triple) for triple in ABOVE_THE_BOUND]
    clock = Clock()
    found = widen(Strip(ranges), 9, 4, 4, clock)
    assert found.offsets is not None
    assert peak(ranges, found.offsets) == 5
    assert clock.steps_left > 0


@pytest.mark.parametrize("clock", [Clock(effort=0), Clock(time_limit=0)])
def test_a_clock_that_is_over_stops_it(clock: Clock) -> None:
    found = widen(Strip(guillotine(1, pieces=40)), 10**6, 64, 64, clock)
    assert (found.offsets, found.lower_bound) == (None, 64)


def test_it_can_be_asked_for_by_name() -> None:
    ranges = load("minimalloc/A.1048576.csv")
    found = best_placement(ranges, 1 << 20, solver="beam")
    assert found.method.startswith("beam search")
    check_offsets(ranges, found.offsets, capacity=1 << 20)
    assert found == best_placement(ranges, 1 << 20, solver="beam")


def test_it_takes_turns_with_the_search_valley_by_valley(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where that finds nothing at all, beam search does, and gets its share of the time alone."""
    ranges = load("minimalloc/A.1048576.csv")

    def find_nothing(self: Valleys, rank: object, budget: int, **_: object) -> Filling:
        self.steps += budget
        return Filling(None, False)

    monkeypatch.setattr(Valleys, "fill", find_nothing)
    clock = Clock(effort=2)
    found = squeeze(Strip(ranges), 1 << 22, 1 << 20, 1 << 20, clock)
    assert found.method.startswith("beam search, width ")
    assert found.offsets is not None
    assert peak(ranges, found.offsets) < 1 << 22
    early = squeeze(Strip(ranges), 1 << 22, 1 << 20, 1 << 20, Clock(effort=0.25))
    assert early.offsets is None  # it waits until the other had its time


def test_too_many_buffers_are_left_alone() -> None:
    ranges = [LiveRange(tick, tick + 2, 1 + tick % 7) for tick in range(2001)]
    found = widen(Strip(ranges), 10**6, 1, 1, Clock())
    assert found.offsets is None
