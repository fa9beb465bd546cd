"""Live ranges and footprints, and the least memory that any placement of them needs.

What lives at one tick cannot share memory, so the largest sum of live sizes is a lower bound. It is
not always reachable (the problem is NP-hard), but on real networks it nearly always is, and a
placement that reaches it is proven optimal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.values import dataclass


class LiveRange(NamedTuple):
    """A buffer to be placed: ``size`` bytes on the half-open ticks [lower, upper)."""

    lower: int
    upper: int
    size: int

    def checked(self, where: str) -> LiveRange:
        """Return it; raise MemoryPlanError where it has no size or ends before it starts."""
        lower, upper, size = self
        if size <= 0:
            raise MemoryPlanError.at(where, "has no size", expected="1 byte or more", found=size)
        if upper <= lower:
            problem, found = "its live range ends before it starts", f"[{lower}, {upper})"
            expected = "lower < upper (the range is half-open)"
            raise MemoryPlanError.at(where, problem, expected=expected, found=found)
        return self


class LowerBound(NamedTuple):
    """The bound in bytes, and the first tick at which so much is live."""

    size: int
    tick: int


class Rectangle(NamedTuple):
    """``size`` bytes at ``start`` of a footprint, on the half-open ticks [lower, upper)."""

    lower: int
    upper: int
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Footprint:
    """Boxes at fixed places relative to each other, in order."""

    rectangles: tuple[Rectangle, ...]

    @property
    def size(self) -> int:
        """Bytes from its beginning to the end of the highest each."""
        return max((each.start + each.size for each in self.rectangles), default=0)

    @property
    def lower(self) -> int:
        """The tick at which it begins."""
        return min((each.lower for each in self.rectangles), default=0)

    @property
    def upper(self) -> int:
        """The tick at which it has ended."""
        return max((each.upper for each in self.rectangles), default=0)


class Stream(NamedTuple):
    """At ``tick``, an output may run over the rows of its input that are already consumed.

    For this the input must begin ``lead`` bytes after the output, or more (R. Blacker and others,
    Diagonal Memory Optimisation, 2020).
    """

    tick: int
    lead: int


def round_up(size: int, alignment: int) -> int:
    """Round bytes up to a multiple of the alignment.

    Raise MemoryPlanError when the alignment is not positive.

    Examples
    --------
    >>> round_up(10, 8), round_up(16, 8)
    (16, 16)
    """
    if alignment < 1:
        expected = "1 byte or more"
        raise MemoryPlanError.at("alignment", "invalid value", expected=expected, found=alignment)
    return -(-size // alignment) * alignment


def lower_bound(ranges: Sequence[tuple[int, int, int]]) -> LowerBound:
    """Find the tick at which most bytes are live.

    Examples
    --------
    >>> lower_bound([(0, 2, 10), (1, 3, 20), (2, 4, 5)])
    LowerBound(size=30, tick=1)
    """
    if not ranges:
        return LowerBound(0, 0)
    starts = np.sort(columns(ranges)[0])  # the sum can only rise where something begins
    live = live_bytes(ranges, starts)
    first = int(np.argmax(live))
    return LowerBound(int(live[first]), int(starts[first]))


def live_bytes(ranges: Sequence[tuple[int, int, int]], ticks: Any) -> NDArray[np.int64]:
    """Sum the sizes of what lives at each of the given ticks: an array of as many, in bytes.

    Examples
    --------
    >>> live_bytes([(0, 2, 10), (1, 3, 20)], range(4)).tolist()
    [10, 30, 20, 0]
    """
    lower, upper, size = columns(ranges)
    when = np.asarray(ticks, dtype=np.int64)
    return _total_until(lower, size, when) - _total_until(upper, size, when)


def columns(ranges: Sequence[tuple[int, int, int]]) -> tuple[NDArray[np.int64], ...]:
    """Turn (lower, upper, size) triples into three arrays."""
    table = np.array(ranges, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def _total_until(
    times: NDArray[np.int64], size: NDArray[np.int64], when: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Sum the sizes of the events that happened up to each moment, that moment included."""
    order = np.argsort(times, kind="stable")
    totals = np.concatenate(([0], np.cumsum(size[order])))
    found: NDArray[np.int64] = totals[np.searchsorted(times[order], when, side="right")]
    return found


def bound_of(
    footprints: Sequence[Footprint], streams: Mapping[tuple[int, int], Stream]
) -> LowerBound:
    """Find the tick at which most bytes are live: no placement can do with less.

    ``streams`` maps pairs (output, input) of numbers: at the tick of the stream the two footprints
    take no more than the larger of output and lead plus input.
    """
    change: dict[int, int] = {}
    for footprint in footprints:
        for lower, upper, used in steps_of(footprint):
            change[lower] = change.get(lower, 0) + used
            change[upper] = change.get(upper, 0) - used
    spared = _spared(footprints, streams)
    most, when, live = 0, 0, 0
    for tick in sorted({*change, *(tick + 1 for tick in spared)}):
        live += change.get(tick, 0)
        here = live - spared.get(tick, 0)
        if here > most:
            most, when = here, tick
    return LowerBound(most, when)


def steps_of(footprint: Footprint) -> Iterator[tuple[int, int, int]]:
    """Yield the bytes that a footprint takes as steps (lower, upper, bytes)."""
    rectangles = footprint.rectangles
    if len(rectangles) == 1:
        yield rectangles[0].lower, rectangles[0].upper, rectangles[0].size
        return
    edges = sorted({edge for each in rectangles for edge in (each.lower, each.upper)})
    live: list[Rectangle] = []
    started = 0
    for lower, upper in pairwise(edges):
        live = [each for each in live if each.upper > lower]
        while started < len(rectangles) and rectangles[started].lower == lower:
            live.append(rectangles[started])
            started += 1
        yield lower, upper, _union(live)


def used_at(footprint: Footprint, tick: int) -> int:
    """Count the bytes that a footprint takes at a tick."""
    return _union(each for each in footprint.rectangles if each.lower <= tick < each.upper)


def _union(rectangles: Iterable[Rectangle]) -> int:
    """Count the bytes that lie in at least one of the rectangles."""
    total = covered = 0
    for start, stop in sorted((each.start, each.start + each.size) for each in rectangles):
        total += max(0, stop - max(start, covered))
        covered = max(covered, stop)
    return total


def _spared(
    footprints: Sequence[Footprint], streams: Mapping[tuple[int, int], Stream]
) -> dict[int, int]:
    """Count the bytes that streams save at each tick, at most."""
    spared: dict[int, int] = {}
    for (output, source), stream in streams.items():
        writes, reads = (
            used_at(footprints[output], stream.tick),
            used_at(footprints[source], stream.tick),
        )
        together = max(writes, reads, reads + stream.lead)
        spared[stream.tick] = spared.get(stream.tick, 0) + max(0, writes + reads - together)
    return spared
