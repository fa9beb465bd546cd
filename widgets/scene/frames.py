"""Fold a schedule: find the frame of each loop, in which one of its turns is drawn.

A frame is the stretch of steps ``[start, start + period)``; turn ``k``, counted from 1, is the
frame moved by ``k - 1`` periods. What comes before is the prologue, what follows the epilogue, so
that prologue + turns × period + epilogue are all steps. Frames of inner loops lie in the first
turn of their parent. Loops that run at the same time share the frame of the one that saves most.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from aidge_nb.widgets.scene.parts import Frame, Ints, Nest

LONGEST_RUN = 8
"""Most turns of a loop of one row that are drawn one after the other, as a run."""

LEAST_SAVED = 4
"""Steps that a break must leave out; shorter loops are drawn as they are."""


def frames_of(nest: Nest, producer: Sequence[bool], steps: int) -> tuple[Frame, ...]:
    """Find the frames of a nest, parents before what they hold.

    Parameters
    ----------
    nest
        The loop nest.
    producer
        Whether each row is one of weights: these never decide where a frame begins.
    steps
        Number of steps of the schedule.
    """
    hidden = np.array([producer[row] for row in nest.row.tolist()], np.bool_)
    found: list[Frame] = []
    _add(nest, hidden, -1, -1, (0, steps), found)
    return tuple(found)


def _add(
    nest: Nest,
    hidden: NDArray[np.bool_],
    loop: int,
    parent: int,
    bounds: tuple[int, int],
    found: list[Frame],
) -> None:
    """Add the frames of the loops right inside a loop, and of those inside them."""
    inner = [number for number, each in enumerate(nest.loops) if each.parent == loop]
    candidates = [frame for number in inner for frame in _frame(nest, hidden, number, parent)]
    for frame in _apart(candidates, bounds):
        number = len(found)
        found.append(frame)
        own = (frame.start, frame.start + frame.period)
        _add(nest, hidden, frame.loop, number, own, found)


def _frame(nest: Nest, hidden: NDArray[np.bool_], number: int, parent: int) -> Iterable[Frame]:
    """Return the frame of a loop, or none if it is a run, or has no operators, or never moves."""
    loop = nest.loops[number]
    leaves = np.flatnonzero(~hidden[loop.start : loop.stop]) + loop.start
    rows = set(nest.row[leaves].tolist())
    period = max((late for row, _, _, late in loop.shifts if row in rows), default=0)
    if leaves.size == 1 and period == 1 and loop.count <= LONGEST_RUN:
        return ()
    if not leaves.size or period < 1:
        return ()
    return (
        Frame(number, _begin(nest.early[leaves], nest.late[leaves]), period, loop.count, parent),
    )


def _begin(early: Ints, late: Ints) -> int:
    """Return the first critical step, or else the early step that the fewest windows cross."""
    critical = early[early == late]
    if critical.size:
        return int(critical.min())
    steps = np.unique(early)
    begun = np.searchsorted(np.sort(early), steps)
    ended = np.searchsorted(np.sort(late), steps)
    return int(steps[np.argmin(begun - ended)])


def _apart(frames: Sequence[Frame], bounds: tuple[int, int]) -> list[Frame]:
    """Choose frames that do not overlap, those that save most first; cut turns that do not fit."""
    free = [bounds]
    chosen: list[Frame] = []
    for frame in sorted(frames, key=lambda each: -(each.count - 1) * each.period):
        cuts = [(_cut(frame, *each), each) for each in free]
        cut, room = max(cuts, key=lambda pair: pair[0].count, default=(frame, bounds))
        if (cut.count - 1) * cut.period < LEAST_SAVED:
            continue
        chosen.append(cut)
        free.remove(room)
        free += [(room[0], cut.start), (cut.stop, room[1])]
    return sorted(chosen, key=lambda frame: frame.start)


def _cut(frame: Frame, begin: int, end: int) -> Frame:
    """Cut a frame to the turns that lie in a stretch of steps."""
    skipped = max(0, -((frame.start - begin) // frame.period))
    start = frame.start + skipped * frame.period
    count = min(frame.count - skipped, (end - start) // frame.period)
    return replace(frame, start=start, count=max(0, count), skipped=skipped)
