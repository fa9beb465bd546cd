"""Loops are drawn once: what a stretch of steps holds, and the frames of loops."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aidge_nb.scheduling.schedule.nest import Actor, Firing, Loop, Repeat
from aidge_nb.scheduling.schedule.nest_timing import time_nest
from aidge_nb.scheduling.schedule.nest_walk import walk_firings
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
from aidge_nb.widgets import build_scene
from aidge_nb.widgets.scene.frames import frames_of
from aidge_nb.widgets.scene.nest import NestWalk, nest_of
from aidge_nb.widgets.scene.parts import Frame, Nest, Timeline
from aidge_nb.widgets.still.svg.folding import equation, every_text, fold
from aidge_nb.widgets.wire.columns import unpack
from tests.scheduling.schedule.test_nest import Adjacency, adjacencies, nests
from tests.widgets.loops import chain_of_rates, lstm, nested
from tests.widgets.models import repeated

PLACE = {number: number for number in range(4)}


def timeline_of(schedule: StaticSchedule) -> Timeline:
    timeline = build_scene(schedule=schedule).timeline
    assert timeline is not None
    return timeline


def seen(nest: Nest, begin: int, end: int) -> list[tuple[int, int, int, int]]:
    found = NestWalk(nest).seen(begin, end)
    return sorted((each.row, each.execution, each.early, each.late) for each in found)


def test_loops_are_listed_from_the_outside_in() -> None:
    nest = nest_of(nested(10), PLACE)
    loops = [(loop.count, loop.start, loop.stop, loop.parent) for loop in nest.loops]
    assert loops == [(10, 0, 2, -1), (3, 1, 2, 0)]


def test_a_loop_of_one_copy_is_none() -> None:
    nest = nest_of(nested(1), PLACE)
    assert [loop.count for loop in nest.loops] == [3]


def test_repetitions_of_a_flat_schedule_are_found_at_their_true_steps() -> None:
    schedule = repeated(20)
    nest = nest_of(schedule, PLACE)
    assert max(loop.count for loop in nest.loops) >= 19
    assert seen(nest, 0, schedule.n_steps) == sorted(map(tuple, schedule.firings))


@settings(max_examples=150, deadline=None)
@given(nests(), adjacencies(), st.data())
def test_a_stretch_of_any_nest_holds_the_firings_of_the_unrolled_one(
    nest: tuple[int | Repeat[int], ...], adjacency: Adjacency, data: st.DataObject
) -> None:
    loops = tuple(time_nest(nest, *adjacency))
    actors = tuple(Actor(name, "ReLU", False, name, 0) for name in "abcd")
    schedule = StaticSchedule(actors, loops)
    begin = data.draw(st.integers(0, schedule.n_steps - 1))
    end = data.draw(st.integers(begin + 1, schedule.n_steps))
    drawn = nest_of(schedule, PLACE)
    expected = [each for each in walk_firings(loops) if each.early < end and each.late >= begin]
    boxes = [tuple(each) for each in expected if each.early >= begin]
    found = seen(drawn, begin, end)
    assert set(found) <= set(map(tuple, expected))
    assert sorted(boxes) == [each for each in found if each[2] >= begin]
    if len(expected) < 32:
        assert found == sorted(map(tuple, expected))
    frames = frames_of(drawn, [False] * 4, schedule.n_steps)
    check_frames(frames, schedule.n_steps)


def check_frames(frames: tuple[Frame, ...], steps: int) -> None:
    """Check that frames lie apart, inside their parent, and that parts add up to all steps."""
    for parent in range(-1, len(frames)):
        low, high = 0, steps
        if parent >= 0:
            low, high = frames[parent].start, frames[parent].start + frames[parent].period
        for frame in (frame for frame in frames if frame.parent == parent):
            assert frame.count >= 2
            assert low <= frame.start
            low = frame.stop
        assert low <= high
    left, whole = equation(frames, -1, steps).replace(",", "").split(" = ")
    parts = [re.split("×", part) for part in left.split(" + ")]
    assert sum(int(part[0]) * int(part[-1] if len(part) > 1 else 1) for part in parts) == steps
    assert int(whole) == steps


def test_the_lstm_has_one_frame_which_adds_up() -> None:
    timeline = timeline_of(lstm(50))
    (frame,) = timeline.frames
    assert (frame.start, frame.period, frame.count) == (17, 8, 47)
    assert every_text(frame) == "×47, every 8 steps"
    assert equation(timeline.frames, -1, timeline.steps) == "17 + 47×8 + 8 = 401"


def test_a_million_turns_have_the_frame_of_fifty() -> None:
    few, many = timeline_of(lstm(50)), timeline_of(lstm(10**6))
    assert [many.frames[0].start, many.frames[0].period] == [17, 8]
    assert equation(many.frames, -1, many.steps) == "17 + 999,997×8 + 8 = 8,000,001"
    for begin, end in ((0, 17), (17, 25)):
        assert seen(few.nest, begin, end) == seen(many.nest, begin, end)
    moved = many.steps - few.steps
    later = [
        (row, execution - 50, early, late)
        for row, execution, early, late in seen(few.nest, 393, 401)
    ]
    assert later == [
        (row, execution - 10**6, early - moved, late - moved)
        for row, execution, early, late in seen(many.nest, 393 + moved, 401 + moved)
    ]


def test_a_line_pipeline_turns_every_other_step() -> None:
    timeline = timeline_of(chain_of_rates([(1, 1)] * 5, 1000))
    (frame,) = timeline.frames
    assert every_text(frame) == "×998, every 2 steps"


def test_loops_in_loops_are_frames_in_frames() -> None:
    timeline = timeline_of(chain_of_rates([(1, 1), (1, 4), (1, 1), (120, 1)], 2400))
    outer = next(frame for frame in timeline.frames if frame.count == 78)
    number = timeline.frames.index(outer)
    (inner,) = (frame for frame in timeline.frames if frame.parent == number)
    assert (outer.period, inner.count, inner.period) == (150, 28, 5)
    assert equation(timeline.frames, number, timeline.steps) == "150 = 5 + 28×5 + 5"


def test_loops_one_after_the_other_are_frames_side_by_side() -> None:
    chain = chain_of_rates([(100, 1), (3, 2), (2, 100), (1, 1)], 90_000)
    timeline = timeline_of(chain)
    assert [every_text(frame) for frame in timeline.frames] == [
        "×296, every 4 steps",
        "×29,400, every step",
    ]


def test_windows_that_last_to_the_end_do_not_cost_a_listing_of_all_turns() -> None:
    actors = (Actor("a", "ReLU", False, "a", 0),)
    last = 2 * 10**9
    loop = Loop(10**9, (Firing(0, 0, 0, last),), ((0, 1, 2, 0),))
    nest = nest_of(StaticSchedule(actors, (loop,)), PLACE)
    found = seen(nest, last - 10, last)
    assert len(found) < 200
    assert [each[2] for each in found[-5:]] == [last - 10, last - 8, last - 6, last - 4, last - 2]


def test_the_nest_is_as_small_as_the_loops_are_few() -> None:
    small, large = (build_scene(schedule=nested(count)).payload() for count in (10**6, 10**12))
    assert abs(len(small[1]) - len(large[1])) < 64
    columns = unpack(large[0]["columns"], large[1])
    assert columns["loop.count"].tolist() == [10**12, 3]
    assert "bar.row" not in columns
    assert large[0]["timeline"]["folded"] is True


@pytest.mark.parametrize("width", [250, 700, 1250])
@pytest.mark.parametrize(
    "schedule",
    [lstm(50), chain_of_rates([(1, 1), (1, 4), (1, 1), (120, 1)], 2400), repeated(40)],
    ids=["lstm", "nested", "flat"],
)
def test_pieces_follow_each_other_without_a_gap_in_time(
    schedule: StaticSchedule, width: int
) -> None:
    timeline = timeline_of(schedule)
    folding = fold(timeline.frames, timeline.steps, 118, 118 + width)
    ends = [0, *(piece.t1 for piece in folding.pieces)]
    assert [piece.t0 for piece in folding.pieces] == ends[:-1]
    assert ends[-1] == timeline.steps
    edges = [edge for place in folding.places for edge in place]
    assert edges == sorted(edges)
    assert edges[-1] == pytest.approx(118 + width)
