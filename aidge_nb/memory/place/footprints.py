"""Place footprints: first fit in several orders, then in orders learnt from the peak.

Again and again the footprint that ends at the peak is moved to the front and all are placed anew
("squeaky wheel" optimization: D. Joslin and D. Clements, 1999). It stops at the lower bound.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aidge_nb.memory.values.live_range import Footprint, Stream

Interval = tuple[int, int]
Conflicts = list[list[tuple[int, list[Interval]]]]


class FootprintPlacement(NamedTuple):
    """Offsets of footprints, in bytes, and the end of the highest."""

    offsets: list[int]
    peak: int


def place_footprints(
    footprints: Sequence[Footprint],
    streams: Mapping[tuple[int, int], Stream],
    target: int,
    rounds: int = 100,
) -> FootprintPlacement:
    """Place footprints apart; two may overlap at one tick where a stream permits it.

    Parameters
    ----------
    footprints
        What is to be placed.
    streams
        By pairs (output, input) of numbers of footprints; leads are multiples of the alignment.
    target
        The peak at which to stop, in bytes.
    rounds
        How often to learn from what reached the top.

    Examples
    --------
    >>> from aidge_nb.memory.values.live_range import Rectangle
    >>> footprints = [Footprint((Rectangle(0, 2, 0, 8),)), Footprint((Rectangle(1, 3, 0, 8),))]
    >>> place_footprints(footprints, {}, 16)
    FootprintPlacement(offsets=[0, 8], peak=16)
    >>> place_footprints(footprints, {(1, 0): Stream(tick=1, lead=2)}, 10)
    FootprintPlacement(offsets=[2, 0], peak=10)
    """
    conflicts = _conflicts(footprints, streams)
    sizes = [footprint.size for footprint in footprints]
    orders = _orders(footprints)
    best, last = _first_fit(sizes, conflicts, orders[0]), orders[0]
    for order in orders[1:]:
        if best.peak <= target:
            return best
        found = _first_fit(sizes, conflicts, order)
        if found.peak < best.peak:
            best, last = found, order
    found = best
    for _ in range(rounds):
        ends = [offset + size for offset, size in zip(found.offsets, sizes, strict=True)]
        tops = [number for number in last if ends[number] == found.peak]
        last = [*tops, *(number for number in last if number not in tops)]
        found = _first_fit(sizes, conflicts, last)
        if found.peak < best.peak:
            best = found
        if best.peak <= target:
            break
    return best


def _orders(footprints: Sequence[Footprint]) -> list[list[int]]:
    numbers = range(len(footprints))
    size, lower, upper = (
        [footprint.size for footprint in footprints],
        [footprint.lower for footprint in footprints],
        [footprint.upper for footprint in footprints],
    )
    lifetime = [end - start for start, end in zip(lower, upper, strict=True)]
    return [
        sorted(numbers, key=lambda i: (-size[i], lower[i])),
        sorted(numbers, key=lambda i: (-size[i] * lifetime[i], lower[i])),
        sorted(numbers, key=lambda i: (-upper[i], -size[i])),
        sorted(numbers, key=lambda i: (-lifetime[i], -size[i])),
        sorted(numbers, key=lambda i: (lower[i], -size[i])),
    ]


def _conflicts(
    footprints: Sequence[Footprint], streams: Mapping[tuple[int, int], Stream]
) -> Conflicts:
    """For each footprint, the others and which offsets relative to theirs are not permitted.

    Not permitted is what lies strictly inside of one of the intervals.
    """
    found: Conflicts = [[] for _ in footprints]
    lanes = [_lanes(footprint) for footprint in footprints]
    lower, upper = (
        [footprint.lower for footprint in footprints],
        [footprint.upper for footprint in footprints],
    )
    alive: list[int] = []
    for number in sorted(range(len(footprints)), key=lower.__getitem__):
        alive = [other for other in alive if upper[other] > lower[number]]
        for other in alive:
            stream = streams.get((number, other))
            intervals = _forbidden(lanes[number], lanes[other], stream)
            if intervals:
                found[number].append((other, intervals))
                found[other].append((number, [(-high, -low) for low, high in intervals]))
        alive.append(number)
    return found


class _Lane(NamedTuple):
    """Rectangles of a footprint at one place: ``size`` bytes at ``start``, on several ranges."""

    start: int
    size: int
    lowers: list[int]
    uppers: list[int]

    def meets(self, other: _Lane) -> bool:
        """Return whether both are in use at some tick."""
        few, many = (self, other) if len(self.lowers) < len(other.lowers) else (other, self)
        for lower, upper in zip(few.lowers, few.uppers, strict=True):
            next_ = bisect_right(many.uppers, lower)
            if next_ < len(many.lowers) and many.lowers[next_] < upper:
                return True
        return False


def _lanes(footprint: Footprint) -> list[_Lane]:
    found: dict[tuple[int, int], _Lane] = {}
    for each in footprint.rectangles:
        key = (each.start, each.size)
        lane = found.setdefault(key, _Lane(*key, [], []))
        if (
            lane.uppers and each.lower <= lane.uppers[-1]
        ):  # rectangles are in order of their lower ends
            lane.uppers[-1] = max(lane.uppers[-1], each.upper)
        else:
            lane.lowers.append(each.lower)
            lane.uppers.append(each.upper)
    return list(found.values())


def _forbidden(
    later: Sequence[_Lane], earlier: Sequence[_Lane], stream: Stream | None
) -> list[Interval]:
    intervals = []
    for mine in later:
        for other in earlier:
            if mine.meets(other):
                low = other.start - mine.start - mine.size
                high = other.start + other.size - mine.start
                if stream is not None:
                    low = max(low, -stream.lead)
                if low < high:
                    intervals.append((low, high))
    return intervals


def _first_fit(
    sizes: Sequence[int], conflicts: Conflicts, order: Sequence[int]
) -> FootprintPlacement:
    offsets = [-1] * len(sizes)
    peak = 0
    for number in order:
        taken = [
            (offsets[other] + low, offsets[other] + high)
            for other, intervals in conflicts[number]
            if offsets[other] >= 0
            for low, high in intervals
        ]
        taken.sort()
        place = 0
        for low, high in taken:
            if low < place < high:
                place = high
        offsets[number] = place
        peak = max(peak, place + sizes[number])
    return FootprintPlacement(offsets, peak)
