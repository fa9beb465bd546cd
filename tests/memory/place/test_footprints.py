"""Footprints are placed as first fit says, and only what overlaps in time is compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from aidge_nb.memory.place.footprints import place_footprints
from aidge_nb.memory.place.greedy import overlapping
from aidge_nb.memory.values.live_range import Footprint, Rectangle
from tests.calls import calls_of


def tiles(count: int, parts: int) -> list[Footprint]:
    """Make tiles after each other, and a result in parts of which each is written by one tile."""
    one_by_one = [Footprint((Rectangle(i, i + 2, 0, 16),)) for i in range(count)]
    result = [
        Rectangle(number * count // parts, count + 1, 8 * number, 8) for number in range(parts)
    ]
    return [*one_by_one, Footprint(tuple(result))]


rectangles = st.builds(
    lambda lower, life, start, size: Rectangle(lower, lower + life, 4 * start, 4 * size),
    *(st.integers(0, 12), st.integers(1, 6), st.integers(0, 4), st.integers(1, 5)),
)
footprints_drawn = st.lists(
    st.lists(rectangles, min_size=1, max_size=4).map(lambda found: Footprint(tuple(sorted(found)))),
    min_size=1,
    max_size=12,
)


def collide(one: Footprint, at: int, other: Footprint, there: int) -> bool:
    return any(
        a.lower < b.upper
        and b.lower < a.upper
        and at + a.start < there + b.start + b.size
        and there + b.start < at + a.start + a.size
        for a in one.rectangles
        for b in other.rectangles
    )


def first_fit_slowly(footprints: Sequence[Footprint], order: Sequence[int]) -> int:
    """Try one multiple of 4 after the other; return the peak."""
    offsets: dict[int, int] = {}
    for number in order:
        at = 0
        while any(
            collide(footprints[number], at, footprints[i], offset) for i, offset in offsets.items()
        ):
            at += 4
        offsets[number] = at
    return max(offset + footprints[number].size for number, offset in offsets.items())


@settings(max_examples=30, deadline=None)
@given(drawn=footprints_drawn)
def test_nothing_collides_and_first_fit_is_the_least_that_is_asked(drawn: list[Footprint]) -> None:
    placed = place_footprints(drawn, {}, 0, rounds=20)
    for number, one in enumerate(drawn):
        for i, other in enumerate(drawn[:number]):
            assert not collide(one, placed.offsets[number], other, placed.offsets[i])
    by_size = sorted(range(len(drawn)), key=lambda i: (-drawn[i].size, drawn[i].lower))
    assert placed.peak <= first_fit_slowly(drawn, by_size)
    assert placed.peak == max(
        offset + each.size for offset, each in zip(placed.offsets, drawn, strict=True)
    )


def test_footprints_with_many_conflicts_are_placed_as_those_with_few() -> None:
    drawn = tiles(20, 10)
    crowd = [Footprint((Rectangle(i % 5, 30, 0, 4 + 4 * (i % 3)),)) for i in range(70)]
    placed = place_footprints([*drawn, *crowd], {}, 0, rounds=0)
    together = [*drawn, *crowd]
    by_size = sorted(range(len(together)), key=lambda i: (-together[i].size, together[i].lower))
    assert placed.peak <= first_fit_slowly(together, by_size)


@given(
    drawn=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5)), max_size=15),
)
def test_the_sweep_names_each_pair_that_overlaps_once(drawn: list[tuple[int, int]]) -> None:
    lower = np.array([low for low, _ in drawn], dtype=np.int64)
    upper = lower + np.array([life for _, life in drawn], dtype=np.int64)
    found = [sorted(map(int, pair)) for pair in zip(*overlapping(lower, upper), strict=True)]
    assert sorted(found) == [
        [i, j]
        for i in range(len(drawn))
        for j in range(i + 1, len(drawn))
        if lower[i] < upper[j] and lower[j] < upper[i]
    ]


def test_calls_grow_in_proportion_to_the_tiles() -> None:
    few, many = tiles(500, 50), tiles(1000, 100)
    once = calls_of(lambda: place_footprints(few, {}, 0, rounds=5))
    twice = calls_of(lambda: place_footprints(many, {}, 0, rounds=5))
    assert twice < 2.2 * once
