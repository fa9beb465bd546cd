"""Beam search: many half-filled strips side by side, of which the best go on.

Buffers are laid in the order of their offsets, each as low as it can lie on those before it, so all
half-filled strips with the same number of buffers can be compared. From each the search goes on
with every buffer that could be next: none lies below it that would have fitted there. Of all these
strips it keeps as many as the beam is wide, and of equal ones one. What is laid is never moved and
what is dropped never comes back: it proves nothing, but it takes time in proportion to its width,
and it gets far where depth first cannot undo a choice that went wrong early. (Beam search: Lowerre,
The Harpy Speech Recognition System, 1976.)

A strip is judged by what it will need at least: in each section the lowest place that is left for
anybody there, plus all that is still to come. So what can only be wasted counts before it happens.
Even ground is worth something too. How much each counts is a *taste*; no taste is best for all.

Sections that no buffer connects are filled on their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aidge_nb.memory.place.solver.strip import Strip

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_NOWHERE = np.int64(1 << 62)
"""Higher than any strip."""

_ELEMENTS_PER_STEP = 10_000
"""Numbers that are computed in the time of a move of the search valley by valley."""


class Taste(NamedTuple):
    """Weights that judge a half-filled strip, besides waste.

    Attributes
    ----------
    steps
        Places where the ground is not level, by the number of sections.
    slope
        How high these are, by the height of the strip.
    top
        How far the worst section is above the goal, by the height of the strip.
    shortlist
        How many strips are judged exactly, by the width of the beam.
    """

    steps: float
    slope: float
    top: float
    shortlist: int


TASTES = (
    Taste(20.0, 10.0, 400.0, 3),
    Taste(20.0, 20.0, 30.0, 4),
    Taste(5.0, 10.0, 400.0, 2),
    Taste(10.0, 10.0, 800.0, 3),
    Taste(40.0, 20.0, 100.0, 3),
)
"""Those that complemented each other best on random problems made up for this."""

_WASTE = 100.0
"""Weight of waste, relative to the placed buffers."""


class _Strips(NamedTuple):
    """Half-filled strips, one a row: what is known about each section, and about each buffer."""

    floor: Ints  # by section: the top of what lies there
    to_come: Ints  # by section: heights of what is not laid
    lowest: Ints  # by buffer: the lowest offset that is left for it
    waits: Bools  # by buffer: whether it is not laid
    level: Ints  # the offset of what was laid last: nothing will be laid below


class _Next(NamedTuple):
    """Ways to go on: from which strip, with which buffer, at which offset; and what comes out."""

    strip: Ints
    buffer: Ints
    offset: Ints
    floor: Ints
    to_come: Ints

    def only(self, chosen: NDArray[np.intp] | Bools) -> _Next:
        """Keep some of them."""
        return _Next(*(column[chosen] for column in self))


class Beam:
    """A strip to be filled by beam search, in parts that no buffer connects.

    Examples
    --------
    >>> from aidge_nb.memory.values.live_range import LiveRange
    >>> beam = Beam(Strip([LiveRange(0, 2, 10), LiveRange(1, 3, 20)]))
    >>> beam.fill(width=2, capacity=9, goal=3)
    [0, 1]

    Attributes
    ----------
    steps
        Work that was done, counted as for the search valley by valley.
    was_cut
        Whether the last search dropped anything: a wider beam may find more.
    """

    def __init__(self, strip: Strip) -> None:
        self._size = len(strip)
        self._parts = [_BeamSections(strip, first, behind) for first, behind in _parts(strip)]
        self.steps = 0.0
        self.was_cut = False

    def fill(
        self,
        width: int,
        capacity: int,
        goal: int,
        taste: Taste = TASTES[0],
        is_late: Callable[[], bool] = lambda: False,
    ) -> list[int] | None:
        """Look for offsets; None when the beam runs dry or it is late.

        Parameters
        ----------
        width
            How many half-filled strips go on.
        capacity
            No strip may grow higher, in units.
        goal
            The height that is hoped for: what exceeds it is held against a strip.
        taste
            What else is.
        is_late
            Asked for each buffer; the search ends when it says so.
        """
        offsets = [0] * self._size
        self.was_cut = False
        for part in self._parts:
            part.elements, part.was_cut = 0, False
            found = part.fill(width, capacity, goal, taste, is_late)
            self.steps += 1 + part.elements / _ELEMENTS_PER_STEP
            self.was_cut |= part.was_cut
            if found is None:
                return None
            for number, offset in zip(part.numbers, found, strict=True):
                offsets[number] = offset
        return offsets


def _parts(strip: Strip) -> Iterator[tuple[int, int]]:
    """Cut sections where no buffer lives on both sides."""
    first = 0
    for section in range(1, len(strip.load) + 1):
        if section == len(strip.load) or not strip.at[section - 1] & strip.at[section]:
            yield first, section
            first = section


class _BeamSections:
    """The sections [first, behind) of a strip."""

    def __init__(self, strip: Strip, first: int, behind: int) -> None:
        inside = range(len(strip))
        self.numbers = [i for i in inside if first <= strip.first[i] < behind]
        begins = np.array([strip.first[i] - first for i in self.numbers])
        ends = np.array([strip.behind[i] - first for i in self.numbers])
        sections = np.arange(behind - first)
        self._height = np.array([strip.height[i] for i in self.numbers], dtype=np.int64)
        self._load = np.array(strip.load[first:behind], dtype=np.int64)
        self._spans = (begins[:, None] <= sections) & (sections < ends[:, None])
        self._meets = (begins[:, None] < ends) & (begins < ends[:, None])
        # Who lives in the first section, who in the second, and so on; and where each begins.
        section_of, self._who = np.nonzero(self._spans.T)
        self._begin = np.searchsorted(section_of, sections)
        self.elements = 0
        self.was_cut = False

    def fill(
        self, width: int, capacity: int, goal: int, taste: Taste, is_late: Callable[[], bool]
    ) -> list[int] | None:
        """Fill these sections as :meth:`Beam.fill` does."""
        strips = _Strips(
            np.zeros((1, len(self._load)), np.int64),
            self._load[None],
            np.zeros((1, len(self.numbers)), np.int64),
            np.ones((1, len(self.numbers)), np.bool_),
            np.zeros(1, np.int64),
        )
        trail: list[_Next] = []
        for _ in self.numbers:
            ways = self._ways(strips, capacity)
            if not ways.strip.size:
                return None
            if is_late():
                self.was_cut = True
                return None
            needs = np.maximum(ways.floor, 0) + ways.to_come
            ways = ways.only(self._best(ways, needs, goal, taste, taste.shortlist * width))
            lowest, waits = self._after(strips, ways)
            needs = self._needs(ways, lowest, waits)
            fits = needs.max(axis=1) <= capacity
            ways, needs, lowest, waits = ways.only(fits), needs[fits], lowest[fits], waits[fits]
            chosen = self._best(ways, needs, goal, taste, width)
            ways = ways.only(chosen)
            trail.append(ways)
            strips = _Strips(ways.floor, ways.to_come, lowest[chosen], waits[chosen], ways.offset)
        return self._retrace(trail)

    def _ways(self, strips: _Strips, capacity: int) -> _Next:
        """List the ways to go on that fit."""
        height = self._height
        offset = np.where(strips.waits, np.maximum(strips.lowest, strips.level[:, None]), _NOWHERE)
        # What lies higher than somebody's top would leave room under it that nobody takes.
        tops = np.where(strips.waits, offset + height, _NOWHERE)
        may = (offset < tops.min(axis=1, initial=_NOWHERE)[:, None]) & (tops <= capacity)
        self.elements += 4 * offset.size
        strip, buffer = np.nonzero(may)
        at = offset[strip, buffer]
        spans, to_come = self._spans[buffer], strips.to_come[strip]
        floor = strips.floor[strip]
        floor = np.where(to_come > 0, np.maximum(floor, at[:, None]), floor)
        floor = np.where(spans, (at + height[buffer])[:, None], floor)
        to_come = to_come - spans * height[buffer][:, None]
        self.elements += 8 * floor.size
        ways = _Next(strip, buffer, at, floor, to_come)
        return ways.only((floor + to_come).max(axis=1, initial=0) <= capacity)

    def _after(self, strips: _Strips, ways: _Next) -> tuple[Ints, Bools]:
        """Return the lowest free places, and the buffers not placed, after these moves."""
        top = ways.offset + self._height[ways.buffer]
        under = np.where(self._meets[ways.buffer], top[:, None], 0)
        waits = strips.waits[ways.strip]
        waits[np.arange(len(waits)), ways.buffer] = False
        self.elements += 3 * under.size
        return np.maximum(strips.lowest[ways.strip], under), waits

    def _needs(self, ways: _Next, lowest: Ints, waits: Bools) -> Ints:
        """Return the least height of each section after these moves."""
        places = np.where(waits, np.maximum(lowest, ways.offset[:, None]), _NOWHERE)[:, self._who]
        least = np.minimum.reduceat(places, self._begin, axis=1)
        self.elements += 3 * places.size
        floor = np.where(ways.to_come > 0, np.maximum(least, ways.floor), ways.floor)
        return floor + ways.to_come

    def _best(
        self, ways: _Next, needs: Ints, goal: int, taste: Taste, count: int
    ) -> NDArray[np.intp]:
        """Choose the best ways, only one of those that lead to equal strips."""
        load, nb_sections = self._load, len(self._load)
        laid = (load - ways.to_come).sum(axis=1, dtype=np.float64)
        wasted = (needs - load).sum(axis=1, dtype=np.float64)
        climbs = np.abs(np.diff(needs - ways.to_come, axis=1)).astype(np.float64)
        cost = _WASTE * wasted / laid
        cost += taste.steps * np.count_nonzero(climbs, axis=1) / nb_sections
        cost += taste.slope * climbs.sum(axis=1) / (nb_sections * goal)
        cost += taste.top * np.maximum(0, needs.max(axis=1, initial=0) - goal) / goal
        self.elements += 6 * needs.size
        chosen: list[np.intp] = []
        seen: set[int] = set()
        for way in np.argsort(cost, kind="stable"):
            key = hash((ways.floor[way].tobytes(), ways.to_come[way].tobytes()))
            if key not in seen:
                seen.add(key)
                if len(chosen) == count:
                    self.was_cut = True
                    break
                chosen.append(way)
        return np.array(chosen, dtype=np.intp)

    def _retrace(self, trail: list[_Next]) -> list[int]:
        """Return the offsets of the lowest strip."""
        way = int(np.argmin(trail[-1].floor.max(axis=1)))
        offsets = [0] * len(self.numbers)
        for ways in reversed(trail):
            offsets[ways.buffer[way]] = int(ways.offset[way])
            way = int(ways.strip[way])
        return offsets


_FIRST_WIDTH = 8

_MOST_BUFFERS = 2_000
"""Half-filled strips of more take too much memory."""


class Widening:
    """A beam search that can be taken up where it was left.

    Attributes
    ----------
    width
        Of the beam that comes next.
    is_done
        Whether no wider beam finds more, or there are too many buffers.
    last_cost
        Steps that the last turn took.

    Examples
    --------
    >>> from aidge_nb.memory.values.live_range import LiveRange
    >>> widening = Widening(Strip([LiveRange(0, 2, 10), LiveRange(1, 3, 20)]))
    >>> widening.turn(capacity=3, goal=3), widening.width
    ([0, 1], 8)
    """

    def __init__(self, strip: Strip) -> None:
        self.is_done = not 0 < len(strip) <= _MOST_BUFFERS
        self.width = _FIRST_WIDTH
        self._strip = strip
        self._beam: Beam | None = None
        self._taste = 0
        self.last_cost = 0.0

    @property
    def steps(self) -> float:
        """Work that was done so far."""
        return 0.0 if self._beam is None else self._beam.steps

    def turn(
        self, capacity: int, goal: int, is_late: Callable[[], bool] = lambda: False
    ) -> list[int] | None:
        """Search once, as :meth:`Beam.fill`, with the next taste or width."""
        if self._beam is None:
            self._beam = Beam(self._strip)
        before = self._beam.steps
        found = self._beam.fill(self.width, capacity, goal, TASTES[self._taste], is_late)
        self.last_cost = self._beam.steps - before
        self.is_done = found is None and not self._beam.was_cut
        self._taste = (self._taste + 1) % len(TASTES)
        if not self._taste:
            self.width *= 2
        return found
