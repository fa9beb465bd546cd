"""What is to be placed, when it is more than rectangles in time and space.

A *body* is a storage: boxes (a value each) at fixed places relative to each other, so the memory it
takes is a step function of time. Boxes of different bodies that live at the same tick must lie
apart, with one exception: where an operator consumes its input row by row, its output may run over
the rows that are done with. That is a *stream*: the input has to begin ``lead`` bytes behind the
output, or more (R. Blacker and others, Diagonal Memory Optimisation, 2020).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from aidge_nb.memory.values.live_range import LowerBound
from aidge_nb.memory.values.storages import Storage


class Box(NamedTuple):
    """A value: ``size`` bytes at ``start`` in its body, on the half-open ticks [lower, upper)."""

    lower: int
    upper: int
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Body:
    """Boxes at fixed places relative to each other, in order."""

    boxes: tuple[Box, ...]

    @property
    def size(self) -> int:
        """Bytes from its beginning to the end of the highest box."""
        return max((box.start + box.size for box in self.boxes), default=0)

    @property
    def lower(self) -> int:
        """The tick at which it begins."""
        return min((box.lower for box in self.boxes), default=0)

    @property
    def upper(self) -> int:
        """The tick at which it has ended."""
        return max((box.upper for box in self.boxes), default=0)


class Stream(NamedTuple):
    """At a tick one body may run over another, whose offset is then ``lead`` bytes higher."""

    tick: int
    lead: int


def bodies_of(storages: Iterable[Storage], alignment: int = 1) -> list[Body]:
    """Describe storages as bodies; sizes are rounded up to the alignment."""
    return [_body_of(storage, alignment) for storage in storages]


def _body_of(storage: Storage, alignment: int) -> Body:
    """Make the boxes of a storage: values that follow each other at the same place are one."""
    if storage.values[0].ring is not None:
        return storage.values[0].ring.body
    spans: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for value in storage.values:
        size = -(-value.extent // alignment) * alignment
        spans.setdefault((value.start, size), []).append((value.lower, value.upper))
    boxes = []
    for (start, size), lives in spans.items():
        joined: list[tuple[int, int]] = []
        for lower, upper in sorted(lives):
            if joined and lower <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(upper, joined[-1][1]))
            else:
                joined.append((lower, upper))
        boxes += [Box(lower, upper, start, size) for lower, upper in joined if size]
    return Body(tuple(sorted(boxes)))


def bound_of(bodies: Sequence[Body], streams: Mapping[tuple[int, int], Stream]) -> LowerBound:
    """Find the tick at which most bytes are live: no placement can do with less.

    ``streams`` maps pairs (output, input) of body numbers: at the tick of the stream the two take
    no more than the larger of output and lead plus input.
    """
    change: dict[int, int] = {}
    for body in bodies:
        for lower, upper, used in steps_of(body):
            change[lower] = change.get(lower, 0) + used
            change[upper] = change.get(upper, 0) - used
    spared = _spared(bodies, streams)
    most, when, live = 0, 0, 0
    for tick in sorted({*change, *(tick + 1 for tick in spared)}):
        live += change.get(tick, 0)
        here = live - spared.get(tick, 0)
        if here > most:
            most, when = here, tick
    return LowerBound(most, when)


def steps_of(body: Body) -> Iterator[tuple[int, int, int]]:
    """Give the bytes that a body takes as steps (lower, upper, bytes)."""
    boxes = body.boxes
    if len(boxes) == 1:
        yield boxes[0].lower, boxes[0].upper, boxes[0].size
        return
    edges = sorted({edge for box in boxes for edge in (box.lower, box.upper)})
    live: list[Box] = []
    started = 0
    for lower, upper in pairwise(edges):
        live = [box for box in live if box.upper > lower]
        while started < len(boxes) and boxes[started].lower == lower:
            live.append(boxes[started])
            started += 1
        yield lower, upper, _union(live)


def used_at(body: Body, tick: int) -> int:
    """Count the bytes that a body takes at a tick."""
    return _union(box for box in body.boxes if box.lower <= tick < box.upper)


def _union(boxes: Iterable[Box]) -> int:
    """Count the bytes that lie in at least one of the boxes."""
    total = covered = 0
    for start, stop in sorted((box.start, box.start + box.size) for box in boxes):
        total += max(0, stop - max(start, covered))
        covered = max(covered, stop)
    return total


def _spared(bodies: Sequence[Body], streams: Mapping[tuple[int, int], Stream]) -> dict[int, int]:
    """Count the bytes that streams save at each tick, at most."""
    spared: dict[int, int] = {}
    for (output, source), stream in streams.items():
        writes, reads = used_at(bodies[output], stream.tick), used_at(bodies[source], stream.tick)
        together = max(writes, reads, reads + stream.lead)
        spared[stream.tick] = spared.get(stream.tick, 0) + max(0, writes + reads - together)
    return spared
