"""The loop nest that the timeline opens."""

from aidge_nb.scheduling.schedule.nest import Actor, Firing, Loop
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
from aidge_nb.widgets import build_scene
from aidge_nb.widgets.scene.timeline import closed_bars, nest_of
from aidge_nb.widgets.wire.columns import unpack
from tests.widgets.models import repeated

PLACE = {0: 0, 1: 1, 2: 2}


def nested(count: int) -> StaticSchedule:
    """Make `count` × (a, 3 × b), then c."""
    actors = tuple(Actor(name, "ReLU", False, name, 0) for name in "abc")
    inner = Loop(3, (Firing(1, 0, 1, 1),), ((1, 1, 1, 1),))
    outer = Loop(count, (Firing(0, 0, 0, 0), inner), ((0, 1, 4, 4), (1, 3, 4, 4)))
    return StaticSchedule(actors, (outer, Firing(2, 0, 4 * count, 4 * count)))


def test_loops_are_listed_from_the_outside_in() -> None:
    nest = nest_of(nested(10), PLACE)
    loops = [(loop.count, loop.start, loop.stop, loop.parent) for loop in nest.loops]
    assert loops == [(10, 0, 2, -1), (3, 1, 2, 0)]
    assert [loop.period for loop in nest.loops] == [4, 1]


def test_what_follows_a_closed_loop_moves_up() -> None:
    row, early, late = closed_bars(nest_of(nested(10), PLACE))
    assert (row.tolist(), early.tolist()) == ([0, 1, 2], [0, 1, 2])
    assert late.tolist() == early.tolist()


def test_a_loop_of_one_copy_is_none() -> None:
    nest = nest_of(nested(1), PLACE)
    assert [loop.count for loop in nest.loops] == [3]


def test_repetitions_of_a_flat_schedule_are_found() -> None:
    nest = nest_of(repeated(20), PLACE)
    assert max(loop.count for loop in nest.loops) >= 19


def test_the_nest_is_as_small_as_the_loops_are_few() -> None:
    small, large = (build_scene(schedule=nested(count)).payload() for count in (10**6, 10**12))
    assert abs(len(small[1]) - len(large[1])) < 64
    columns = unpack(large[0]["columns"], large[1])
    assert columns["loop.count"].tolist() == [10**12, 3]
    assert "bar.row" not in columns
    assert large[0]["timeline"]["abridged"] is True
