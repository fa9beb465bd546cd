"""Sections of a loop nest: those of the schedule unrolled, found without unrolling it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aidge_nb.core.errors import SchedulingError
from aidge_nb.scheduling import static_schedule
from aidge_nb.scheduling.schedule.nest import Repeat
from aidge_nb.scheduling.schedule.nest_timing import time_nest
from aidge_nb.scheduling.schedule.nest_walk import walk_firings
from aidge_nb.scheduling.schedule.sections import fold_nest
from tests.scheduling.schedule.test_nest import adjacencies, lstm, nests, popped_lstm


@pytest.mark.parametrize("length", [7, 100])
def test_sections_are_those_of_the_unrolled_schedule(length: int) -> None:
    for view in (lstm(length), popped_lstm(length)):
        schedule = static_schedule(view)
        for least in (1, 2, 3):
            assert schedule.sections(least) == schedule.flat.sections(least)


@settings(max_examples=80, deadline=None)
@given(nests(4, 1), adjacencies(), st.integers(2, 3), st.integers(1, 12))
def test_sections_of_any_nest(
    nest: tuple[Any, ...], adjacency: Any, least: int, factor: int
) -> None:
    longer = [
        Repeat(each.count * factor, each.body) if isinstance(each, Repeat) else each
        for each in nest
    ]
    loops = time_nest(longer, *adjacency)
    folded = [(r, list(firings), shift) for r, firings, shift in fold_nest(loops, least)]
    flat = list(walk_firings(loops))
    assert folded == [(r, list(firings), shift) for r, firings, shift in fold_nest(flat, least)]


def test_sections_of_what_nobody_could_unroll() -> None:
    small, large = static_schedule(lstm(100)), static_schedule(lstm(10**9))
    assert len(large.sections()) == len(small.sections())
    differing = [
        (one.repeat, other.repeat)
        for one, other in zip(small.sections(), large.sections(), strict=True)
        if one.repeat != other.repeat
    ]
    assert differing == [(98, 10**9 - 2)]
    with pytest.raises(SchedulingError, match=r"too long to be cut into sections"):
        large.sections(1)
