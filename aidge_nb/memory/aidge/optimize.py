"""Aidge's strategies for moving the spaces of a memory manager once all lifetimes are known.

Spaces are taken one after the other and put at the lowest offset at which they miss every byte
that spaces placed before use while they live. Of a space, the bytes in use at a tick are those of
the planes made last, so that holes in it can be filled. The result may be worse than first fit:
:mod:`aidge_nb.memory.place.planners` does better and knows how far from the best it is. Where no
strategy is named, all of them and that planner are tried.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from enum import Enum
from itertools import groupby
from typing import Self

from aidge_nb.memory.aidge.spaces import MemoryPlane, MemorySpace
from aidge_nb.memory.place.greedy import lowest_outside
from aidge_nb.memory.place.planners import best_placement

_EFFORT = 0.25
"""How long the planner searches when it does not reach its bound at once."""

Interval = tuple[int, int]


class OptimizeStrategy(Enum):
    """In which order :meth:`MemoryManager.optimize` places the spaces; the names are Aidge's."""

    None_ = 0, "Aidge: in order of use"
    """As they were reserved: nothing moves."""
    OptimizeMaxLifetimeMinSizeFirst = 1, "Aidge: longest-lived, then smallest first"
    """The longest-lived space first; among equals, the smallest."""
    OptimizeMaxLifetimeMaxSizeFirst = 2, "Aidge: longest-lived, then largest first"
    """The longest-lived space first; among equals, the largest."""
    OptimizeMaxHoleMaxLifetimeFirst = 3, "Aidge: largest hole first"
    """The space whose last planes leave most bytes unused first; then the longest-lived."""

    words: str

    def __new__(cls, value: int, words: str = "") -> Self:
        """Make a member of its value and its ``words``, which controls show."""
        member = object.__new__(cls)
        member._value_, member.words = value, words
        return member


def place_spaces(
    spaces: Sequence[MemorySpace],
    planes: Mapping[MemorySpace, Sequence[MemoryPlane]],
    strategy: OptimizeStrategy,
    horizon: int,
) -> list[int]:
    """Find new offsets for the spaces.

    Parameters
    ----------
    spaces
        The spaces, in the order in which they were reserved.
    planes
        The planes in each of them, in the order in which they were made.
    strategy
        Who comes first.
    horizon
        The last tick; spaces that are never released live until then.

    Returns
    -------
    list of int
        One offset per space, in bytes.
    """
    if strategy is OptimizeStrategy.None_:
        return [space.offset for space in spaces]
    used = {space: _usage(space, planes.get(space, ()), horizon) for space in spaces}
    placed: list[MemorySpace] = []
    offsets: dict[MemorySpace, int] = {}
    for space in _ordered(spaces, planes, strategy, horizon):
        taken = [
            (offsets[other] + start - space.size, offsets[other] + stop)
            for other in placed
            for start, stop in _used_during(used[other], space, horizon)
        ]
        offsets[space] = lowest_outside(taken)
        placed.append(space)
    return [offsets[space] for space in spaces]


def place_spaces_best(
    spaces: Sequence[MemorySpace],
    planes: Mapping[MemorySpace, Sequence[MemoryPlane]],
    horizon: int,
) -> list[int]:
    """Find the lowest of what the strategies give, and the planner of this library.

    Parameters and result are those of :func:`place_spaces`.
    """

    def peak(offsets: Sequence[int]) -> int:
        ends = (offset + space.size for space, offset in zip(spaces, offsets, strict=True))
        return max(ends, default=0)

    found = [place_spaces(spaces, planes, strategy, horizon) for strategy in OptimizeStrategy]
    # The planner of this library knows of no holes in spaces.
    filled = [space for space in spaces if space.size]
    ranges = [(space.allocated, space.end(horizon) + 1, space.size) for space in filled]
    placed = best_placement(ranges, effort=_EFFORT).offsets
    offsets = dict(zip(filled, placed, strict=True))
    return min([*found, [offsets.get(space, 0) for space in spaces]], key=peak)


def _ordered(
    spaces: Sequence[MemorySpace],
    planes: Mapping[MemorySpace, Sequence[MemoryPlane]],
    strategy: OptimizeStrategy,
    horizon: int,
) -> list[MemorySpace]:
    def lifetime(space: MemorySpace) -> int:
        return space.end(horizon) - space.allocated

    def hole(space: MemorySpace) -> int:
        made = planes.get(space, ())
        last = max((plane.allocated for plane in made), default=0)
        return space.size - sum(plane.get_size() for plane in made if plane.allocated == last)

    if strategy is OptimizeStrategy.OptimizeMaxLifetimeMinSizeFirst:
        return sorted(spaces, key=lambda space: (-lifetime(space), space.size))
    if strategy is OptimizeStrategy.OptimizeMaxLifetimeMaxSizeFirst:
        return sorted(spaces, key=lambda space: (-lifetime(space), -space.size))
    return sorted(spaces, key=lambda space: (-hole(space), -lifetime(space)))


class _Usage:
    """Bytes in use in a space over time, relative to its start: one entry per change."""

    __slots__ = ("bytes", "last", "ticks")

    def __init__(self, ticks: list[int], in_use: list[list[Interval]], last: int) -> None:
        self.ticks, self.bytes, self.last = ticks, in_use, last


def _usage(space: MemorySpace, planes: Sequence[MemoryPlane], horizon: int) -> _Usage:
    ticks, in_use = [], []
    for tick, group in groupby(planes, key=lambda plane: plane.allocated):
        ticks.append(tick)
        in_use.append(
            [
                (start - space.offset, stop - space.offset)
                for plane in group
                for start, stop in plane.intervals()
            ]
        )
    return _Usage(ticks, in_use, space.end(horizon))


def _used_during(usage: _Usage, space: MemorySpace, horizon: int) -> list[Interval]:
    """Return the bytes that a placed space uses during the life of another, ends included."""
    first, last = space.allocated, space.end(horizon)
    if last < (usage.ticks[0] if usage.ticks else horizon + 1) or first > usage.last:
        return []
    begin = max(0, bisect_right(usage.ticks, first) - 1)
    end = bisect_right(usage.ticks, last)
    return [interval for in_use in usage.bytes[begin:end] for interval in in_use]
