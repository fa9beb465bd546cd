"""Read the loop nest of a schedule, and find the firings of a stretch of steps in it.

A stretch is answered from the arithmetic of the loops: a billion turns cost as much as ten.
``frontend/src/model/nest.ts`` answers the same in the browser; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aidge_nb.core.values import dataclass
from aidge_nb.scheduling.schedule.nest import Firing, Loop
from aidge_nb.widgets.scene.parts import Nest, NestLoop, table_rows

if TYPE_CHECKING:
    from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule

MOST_TAILS = 32
"""Most firings of a leaf that began before a stretch: the first to end and the last are listed."""


class Seen(NamedTuple):
    """A firing that is seen in a stretch of steps: ``leaf`` of the nest, and its true steps."""

    leaf: int
    row: int
    execution: int
    early: int
    late: int


def nest_of(schedule: StaticSchedule, place: Mapping[int, int]) -> Nest:
    """Read the nest of a schedule; of a flat one, the sections that repeat.

    Parameters
    ----------
    schedule
        The schedule.
    place
        The row of each actor.
    """
    items = _sections(schedule) if schedule.is_flat else schedule.loops
    leaves: list[tuple[int, int, int, int]] = []
    loops: list[NestLoop] = []
    _collect(items, place, -1, leaves, loops)
    table = np.array(leaves, np.int64).reshape(-1, 4)
    return Nest(table[:, 0], table[:, 1], table[:, 2], table[:, 3], tuple(loops))


def _sections(schedule: StaticSchedule) -> Sequence[Firing | Loop]:
    """List the sections of a flat schedule that repeat as loops, with true steps."""
    items: list[Firing | Loop] = []
    removed = 0
    before: dict[int, int] = {}
    for section in schedule.sections():
        body, each = [], dict[int, int]()
        for firing in section.firings:
            number = each[firing.actor] = each.get(firing.actor, 0) + 1
            execution = before.get(firing.actor, 0) + number - 1
            steps = firing.early + removed, firing.late + removed
            body.append(Firing(firing.actor, execution, *steps))
        for actor, number in each.items():
            before[actor] = before.get(actor, 0) + number * section.repeat
        shift = section.shift
        shifts = tuple((actor, each[actor], shift, shift) for actor in sorted(each))
        items += body if section.repeat == 1 else [Loop(section.repeat, tuple(body), shifts)]
        removed += shift * (section.repeat - 1)
    return items


def _collect(
    items: Sequence[Firing | Loop],
    place: Mapping[int, int],
    parent: int,
    leaves: list[tuple[int, int, int, int]],
    loops: list[NestLoop],
) -> None:
    """Go through a nest in preorder; a loop of one copy is its body."""
    for item in items:
        if isinstance(item, Firing):
            leaves.append((place[item.actor], item.execution, item.early, item.late))
            continue
        if item.count < 2:
            _collect(item.body, place, parent, leaves, loops)
            continue
        number, start = len(loops), len(leaves)
        shifts = tuple(
            (place[a], execution, early, late) for a, execution, early, late in item.shifts
        )
        loops.append(NestLoop(item.count, start, start, parent, shifts))
        _collect(item.body, place, number, leaves, loops)
        loops[number] = NestLoop(item.count, start, len(leaves), parent, shifts)


@dataclass(frozen=True, slots=True)
class _Level:
    """A loop around a leaf, and how far it and the loops inside it can move the leaf."""

    count: int
    execution: int
    early: int
    late: int
    inside_early: int
    inside_late: int


class NestWalk:
    """Find the firings that are seen in stretches of steps."""

    def __init__(self, nest: Nest) -> None:
        self._nest = nest
        around: list[list[NestLoop]] = [[] for _ in range(nest.row.size)]
        for loop in nest.loops:  # in preorder: from the outside in
            for leaf in range(loop.start, loop.stop):
                around[leaf].append(loop)
        growth = {id(loop): {row: by for row, *by in loop.shifts} for loop in nest.loops}
        self._levels = [
            _levels([(loop.count, growth[id(loop)][int(row)]) for loop in loops])
            for row, loops in zip(nest.row, around, strict=True)
        ]
        self._alone = {loop.start for loop in nest.loops if loop.stop == loop.start + 1}

    def run_of(self, leaf: int) -> int:
        """Return the copies of a loop that repeats this leaf alone at every step; 0 for others."""
        inner = self._levels[leaf][-1:]
        is_run = leaf in self._alone and inner[0].early == 1
        return inner[0].count if is_run else 0

    def seen(self, begin: int, end: int) -> Iterator[Seen]:
        """Iterate over the firings whose window reaches into the steps ``begin`` to ``end``.

        The firings of a leaf come in the order of their steps. Of those that began before the
        stretch, only the first and the last are listed if they are many.
        """
        nest = self._nest
        leaves = table_rows(nest.row, nest.execution, nest.early, nest.late)
        for leaf, (row, execution, early, late) in enumerate(leaves):
            for moved in _copies(self._levels[leaf], 0, (execution, early, late), begin, end):
                yield Seen(leaf, row, *moved)


Place = tuple[int, int, int]
"""Execution, early step and late step."""


def _levels(loops: Sequence[tuple[int, Sequence[int]]]) -> tuple[_Level, ...]:
    found: list[_Level] = []
    inside_early = inside_late = 0
    for count, (execution, early, late) in reversed(loops):
        found.append(_Level(count, execution, early, late, inside_early, inside_late))
        inside_early += (count - 1) * early
        inside_late += (count - 1) * late
    return tuple(reversed(found))


def _copies(
    levels: tuple[_Level, ...], depth: int, at: Place, begin: int, end: int
) -> Iterator[Place]:
    """Iterate over the copies of a leaf whose window reaches into a stretch."""
    execution, early, late = at
    if depth == len(levels):
        if early < end and late >= begin:
            yield at
        return
    level = levels[depth]
    low, high = 0, level.count - 1
    if level.early > 0:
        high = min(high, (end - 1 - early) // level.early)
    if level.late > 0:
        low = max(low, -((late + level.inside_late - begin) // level.late))
    for copy in _few(low, high, level, begin - early - level.inside_early):
        moved = (
            execution + copy * level.execution,
            early + copy * level.early,
            late + copy * level.late,
        )
        yield from _copies(levels, depth + 1, moved, begin, end)


def _few(low: int, high: int, level: _Level, until: int) -> Iterator[int]:
    """Iterate over copies; only over the first and last of those that began before a stretch."""
    first = high if level.early <= 0 else max(low, min(high, -(-until // level.early)))
    if first - low > 2 * MOST_TAILS:
        yield from range(low, low + MOST_TAILS)
        low = first - MOST_TAILS
    yield from range(low, high + 1)
