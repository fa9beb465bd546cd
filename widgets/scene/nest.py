"""The loop nest of a schedule, as the timeline draws it: each loop once, with its count.

A loop that is closed shows its first copy; what comes behind it moves up by the steps of the
copies that are not shown. The browser opens loops from the same columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aidge_nb.scheduling.schedule.nest import Firing, Loop

if TYPE_CHECKING:
    from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
    from aidge_nb.widgets.scene.scene import Ints

Shift = tuple[int, int]
Offsets = Mapping[int, Shift]


@dataclass(frozen=True, slots=True)
class NestLoop:
    """A loop: its leaves are ``start`` to ``stop`` of the nest, of the first copy alone.

    Attributes
    ----------
    count
        Number of copies.
    start, stop
        Its leaves.
    parent
        Number of the loop around it, -1 for none.
    shifts
        Row, and the growth of early and late step from one copy to the next.
    """

    count: int
    start: int
    stop: int
    parent: int
    shifts: tuple[tuple[int, int, int], ...]

    @property
    def period(self) -> int:
        """Steps from one copy to the next."""
        return max((early for _, early, _ in self.shifts), default=0)


@dataclass(frozen=True, slots=True, eq=False)
class Nest:
    """A loop nest: its leaves as columns, in the order of the schedule, and its loops in preorder.

    ``row``, ``early`` and ``late`` are those of the first copy of each loop.
    """

    row: Ints
    early: Ints
    late: Ints
    loops: tuple[NestLoop, ...]


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
    leaves: list[tuple[int, int, int]] = []
    loops: list[NestLoop] = []
    _collect(items, place, -1, leaves, loops)
    table = np.array(leaves, np.int64).reshape(-1, 3)
    return Nest(table[:, 0], table[:, 1], table[:, 2], tuple(loops))


def _sections(schedule: StaticSchedule) -> Sequence[Firing | Loop]:
    items: list[Firing | Loop] = []
    removed = 0
    for section in schedule.sections():
        body = tuple(
            Firing(f.actor, f.execution, f.early + removed, f.late + removed)
            for f in section.firings
        )
        if section.repeat == 1:
            items += body
            continue
        shifts = tuple(
            (actor, 0, section.shift, section.shift) for actor in {f.actor for f in body}
        )
        items.append(Loop(section.repeat, body, tuple(sorted(shifts))))
        removed += section.shift * (section.repeat - 1)
    return items


def _collect(
    items: Sequence[Firing | Loop],
    place: Mapping[int, int],
    parent: int,
    leaves: list[tuple[int, int, int]],
    loops: list[NestLoop],
) -> None:
    """Go through a nest in preorder; a loop of one copy is its body."""
    for item in items:
        if isinstance(item, Firing):
            leaves.append((place[item.actor], item.early, item.late))
            continue
        if item.count < 2:
            _collect(item.body, place, parent, leaves, loops)
            continue
        number, start = len(loops), len(leaves)
        shifts = tuple((place[actor], early, late) for actor, _, early, late in item.shifts)
        loops.append(NestLoop(item.count, start, start, parent, shifts))
        _collect(item.body, place, number, leaves, loops)
        loops[number] = NestLoop(item.count, start, len(leaves), parent, shifts)


def closed_bars(nest: Nest) -> tuple[Ints, Ints, Ints]:
    """Give row, early and late step of every leaf with all loops closed.

    Steps of what runs beside a loop, and begins before it ends, would be negative: they are 0.
    """
    removed = np.zeros(nest.row.size, np.int64)
    for loop in nest.loops:
        removed[loop.stop :] += (loop.count - 1) * loop.period
    return nest.row, np.maximum(0, nest.early - removed), np.maximum(0, nest.late - removed)
