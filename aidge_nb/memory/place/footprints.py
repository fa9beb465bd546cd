"""Place footprints: first fit in several orders, then in orders learnt from the peak.

Again and again the footprint that ends at the peak is moved to the front and what this reaches is
placed anew ("squeaky wheel" optimization: D. Joslin and D. Clements, 1999). It stops at the lower
bound. Work is counted, so that answers are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aidge_nb.memory.place.greedy import lowest_outside, overlapping
from aidge_nb.memory.values.live_range import Footprint, Stream

_Ints = NDArray[np.int64]
_Near = list[tuple[int, int, int]] | _Ints
"""Rows (other, low, high): a footprint must not begin between these offsets from the other one."""

_MANY = 64
"""From so many conflicts of a footprint on, arrays are faster than a list."""

_WORK = 10_000_000
"""Visits to conflicts while learning; about a second."""


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
        How often to learn from what reached the top, at most; less often where conflicts are many.

    Examples
    --------
    >>> from aidge_nb.memory.values.live_range import Rectangle
    >>> footprints = [Footprint((Rectangle(0, 2, 0, 8),)), Footprint((Rectangle(1, 3, 0, 8),))]
    >>> place_footprints(footprints, {}, 16)
    FootprintPlacement(offsets=[0, 8], peak=16)
    >>> place_footprints(footprints, {(1, 0): Stream(tick=1, lead=2)}, 10)
    FootprintPlacement(offsets=[2, 0], peak=10)
    """
    near = _conflicts(footprints, streams)
    sizes = [footprint.size for footprint in footprints]
    fits: list[_FirstFit] = []
    for order in _orders(footprints):
        fits.append(_FirstFit(sizes, near, order))
        if fits[-1].peak <= target:
            return fits[-1].placement
    learner = min(fits, key=lambda fit: fit.peak)
    best = learner.placement
    visits = len(footprints) + sum(
        len(each) if isinstance(each, list) else each.shape[1] for each in near
    )
    for _ in range(min(rounds, _WORK // max(1, visits))):
        learner.move_top_to_front()
        if learner.peak < best.peak:
            best = learner.placement
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
) -> list[_Near]:
    """For each footprint, the others, and which offsets from theirs it must not begin at.

    These lie strictly inside of an interval; overlapping intervals of a pair become one.
    """
    count = len(footprints)
    rectangles = [
        (number, each.lower, each.upper, each.start, each.start + each.size)
        for number, footprint in enumerate(footprints)
        for each in footprint.rectangles
    ]
    who, lower, upper, start, stop = np.array(rectangles, dtype=np.int64).reshape(-1, 5).T
    one, other = overlapping(lower, upper)
    apart = who[one] != who[other]
    one, other = one[apart], other[apart]
    turned = who[one] > who[other]
    one, other = np.where(turned, other, one), np.where(turned, one, other)
    pair, low, high = _merged(
        who[one] * count + who[other], start[other] - stop[one], stop[other] - start[one]
    )
    for (output, source), stream in streams.items():
        key = min(output, source) * count + max(output, source)
        mine = slice(*np.searchsorted(pair, [key, key + 1]))
        if output < source:
            low[mine] = np.maximum(low[mine], -stream.lead)
        else:
            high[mine] = np.minimum(high[mine], stream.lead)
    kept = low < high
    first, second = np.divmod(pair[kept], max(1, count))
    low, high = low[kept], high[kept]
    there = np.array([second, low, high])
    back = np.array([first, -high, -low])
    return _by_footprint(np.append(first, second), np.concatenate([there, back], axis=1), count)


def _merged(pair: _Ints, low: _Ints, high: _Ints) -> tuple[_Ints, _Ints, _Ints]:
    """Merge the open intervals of each pair that overlap; pairs and intervals are in order."""
    order = np.lexsort((low, pair))
    pair, low, high = pair[order], low[order], high[order]
    begins = np.append(True, pair[1:] != pair[:-1])[: len(pair)]
    # Each pair gets numbers of its own, so that one running maximum serves all of them.
    base = np.cumsum(begins) * (np.ptp(high) + 1 if len(high) else 1)
    reach = np.maximum.accumulate(high + base) - base
    begins[1:] |= low[1:] >= reach[:-1]
    first = np.flatnonzero(begins)
    return pair[first], low[first], reach[np.append(first[1:], len(pair))[: len(first)] - 1]


def _by_footprint(who: _Ints, rows: _Ints, count: int) -> list[_Near]:
    """Sort rows (other, low, high) by the footprint that they are about."""
    rows = rows[:, np.argsort(who, kind="stable")]
    ends = np.cumsum(np.bincount(who.astype(np.intp), minlength=count))[:-1]
    return [
        mine if mine.shape[1] >= _MANY else list(zip(*mine.tolist(), strict=True))
        for mine in np.split(rows, ends, axis=1)[:count]
    ]


class _FirstFit:
    """Footprints at the lowest offsets that are free, in an order that may change.

    Offsets depend on those before them alone: after a change, footprints are placed anew only where
    the order or an offset of what they conflict with is another.
    """

    def __init__(self, sizes: Sequence[int], near: Sequence[_Near], order: list[int]) -> None:
        self._sizes, self._near, self._order = np.array(sizes, dtype=np.int64), near, order
        self._offsets = np.zeros(len(sizes), dtype=np.int64)
        self._place(bytearray(b"\1" * len(sizes)))

    @property
    def placement(self) -> FootprintPlacement:
        """The offsets, as they are now."""
        return FootprintPlacement(self._offsets.tolist(), self.peak)

    @property
    def peak(self) -> int:
        """The end of the highest footprint."""
        return int((self._offsets + self._sizes).max(initial=0))

    def move_top_to_front(self) -> None:
        """Move the footprints that end at the peak to the front, and place them first."""
        at_top = self._offsets + self._sizes == self.peak
        tops = [number for number in self._order if at_top[number]]
        changed = bytearray(len(self._order))
        for number in tops:
            changed[number] = 1
            self._mark_near(number, changed)
        self._order = [*tops, *(number for number in self._order if not at_top[number])]
        self._place(changed)

    def _mark_near(self, number: int, changed: bytearray) -> None:
        near = self._near[number]
        if isinstance(near, list):
            for other, _, _ in near:
                changed[other] = 1
        else:
            np.frombuffer(changed, dtype=np.uint8)[near[0]] = 1

    def _place(self, changed: bytearray) -> None:
        """Place what changed, in order, and what this reaches."""
        ranks = np.empty(len(self._order), dtype=np.int64)
        ranks[self._order] = np.arange(len(self._order))
        offsets, rank_of = self._offsets.tolist(), ranks.tolist()
        for rank, number in enumerate(self._order):
            if not changed[number]:
                continue
            near = self._near[number]
            if isinstance(near, list):
                taken = [
                    (offsets[other] + low, offsets[other] + high)
                    for other, low, high in near
                    if rank_of[other] < rank
                ]
                offset = lowest_outside(taken)
            else:
                is_placed = ranks[near[0]] < rank
                others, low, high = (row[is_placed] for row in near)
                base = self._offsets[others]
                offset = _lowest_outside_many(base + low, base + high)
            if offset != offsets[number]:
                offsets[number] = self._offsets[number] = offset
                self._mark_near(number, changed)


def _lowest_outside_many(low: _Ints, high: _Ints) -> int:
    """Return the lowest offset that does not lie strictly inside of an interval."""
    order = np.argsort(low)
    tops = np.maximum.accumulate(np.append(0, high[order]))
    free = np.flatnonzero(low[order] >= tops[:-1])
    return int(tops[free[0]] if len(free) else tops[-1])
