"""Blocks of buffers: rectangles joined to larger ones, the way back from cutting a packing.

Where no byte is ever free, buffers are the pieces of a rectangle, and a piece that ends is replaced
by pieces of the same height. Two blocks that live at the same time may be stacked, one that begins
when another of its height ends may follow it, and five may make a *pinwheel*: four that lie around
a fifth, each against the end of the next. (Building patterns from below: Wang, Operations Research
31, 1983; pinwheels are the smallest patterns that no cut from edge to edge divides.)

Whether pieces that can be joined were neighbours is a guess. Its *surprise* says how unlikely it is
that they match by accident.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from math import log
from random import Random
from typing import NamedTuple

_PINWHEEL = 8.0
"""Surprise of five blocks that match in four times and two heights."""

_CONFIRMED = 5.0
"""Surprise of a stack that is as high as a block before it or after it."""

_ALONE = 20.0
"""Surprise of two blocks at a moment at which nothing else ends or begins: they are neighbours."""


class JoinedBlock(NamedTuple):
    """A rectangle: its sections [first, behind), its height, and the blocks that it is made of.

    ``parts`` are numbers of blocks, ``rises`` how far each lies above the floor of this one; both
    are empty for a buffer.
    """

    first: int
    behind: int
    height: int
    parts: tuple[int, ...] = ()
    rises: tuple[int, ...] = ()


class Join(NamedTuple):
    """Blocks that match, and how far each lies above the floor of what they make up."""

    parts: tuple[int, ...]
    rises: tuple[int, ...]


_Index = dict[Hashable, dict[int, JoinedBlock]]
"""Roots by something that they share, and then by their numbers."""


class Assembly:
    """Blocks that make up a strip; the first ones are its buffers, in the given order.

    Parameters
    ----------
    boxes
        First section, section behind the last one, and height of each buffer.

    Attributes
    ----------
    roots
        The blocks that are part of no other, by their numbers.
    work
        Blocks that were looked at so far.

    Examples
    --------
    >>> assembly = Assembly([(0, 2, 3), (0, 2, 1), (2, 3, 4)])
    >>> assembly.grow(Random(0), noise=0.0)
    >>> [(block.first, block.behind, block.height) for block in assembly.roots.values()]
    [(0, 3, 4)]
    >>> sorted(assembly.offsets({number: 10 for number in assembly.roots}).items())
    [(0, 10), (1, 13), (2, 10)]
    """

    def __init__(self, boxes: Iterable[tuple[int, int, int]]) -> None:
        self.roots: dict[int, JoinedBlock] = {}
        self.work = 0
        self._under: dict[int, JoinedBlock] = {}
        self._log: list[tuple[bool, int]] = []
        # Roots by the section in which they begin or behind which they end, also with their height.
        self._begin: _Index = {}
        self._end: _Index = {}
        self._begin_high: _Index = {}
        self._end_high: _Index = {}
        self._span: _Index = {}
        for number, box in enumerate(boxes):
            self._add(number, JoinedBlock(*box))
        self._next = len(self.roots)

    def _tables(self, block: JoinedBlock) -> Iterator[tuple[_Index, Hashable]]:
        first, behind, height = block[:3]
        yield self._begin, first
        yield self._end, behind
        yield self._begin_high, (first, height)
        yield self._end_high, (behind, height)
        yield self._span, (first, behind)

    def _add(self, number: int, block: JoinedBlock) -> None:
        self.roots[number] = block
        for table, key in self._tables(block):
            table.setdefault(key, {})[number] = block

    def _remove(self, number: int) -> JoinedBlock:
        block = self.roots.pop(number)
        for table, key in self._tables(block):
            del table[key][number]
        return block

    def neighbours(self, number: int) -> list[int]:
        """Return the roots that begin or end when this one does, and itself.

        Those that begin when it begins or end when it ends, too.
        """
        first, behind = self.roots[number][:2]
        found = dict.fromkeys((number, *self._begin[first], *self._end[behind]))
        return list(found | self._end.get(first, {}) | self._begin.get(behind, {}))

    # --- changes that can be taken back -----------------------------------------------------

    def join(self, parts: tuple[int, ...], rises: tuple[int, ...]) -> int:
        """Join blocks; return the number of the new one."""
        blocks = [self._remove(part) for part in parts]
        self._under.update(zip(parts, blocks, strict=True))
        height = max(rise + block.height for rise, block in zip(rises, blocks, strict=True))
        first = min(block.first for block in blocks)
        behind = max(block.behind for block in blocks)
        number, self._next = self._next, self._next + 1
        self._add(number, JoinedBlock(first, behind, height, parts, rises))
        self._log.append((True, number))
        return number

    def split(self, number: int) -> tuple[int, ...]:
        """Take a block apart; return the numbers of its parts."""
        self._under[number] = block = self._remove(number)
        for part in block.parts:
            self._add(part, self._under.pop(part))
        self._log.append((False, number))
        return block.parts

    def commit(self) -> None:
        """Keep all changes since the last time."""
        for was_joined, number in self._log:
            if not was_joined:
                del self._under[number]
        self._log.clear()

    def undo(self) -> None:
        """Take back all changes since the last commit."""
        for was_joined, number in reversed(self._log):
            if was_joined:
                for part in self._remove(number).parts:
                    self._add(part, self._under.pop(part))
            else:
                block = self._under.pop(number)
                self._under.update((part, self._remove(part)) for part in block.parts)
                self._add(number, block)
        self._log.clear()

    # --- joins that are possible ------------------------------------------------------------

    def grow(
        self,
        random: Random,
        noise: float,
        numbers: Iterable[int] | None = None,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        """Join blocks until no two and no five match, the most surprising ones first.

        Parameters
        ----------
        random
            Source of the noise.
        noise
            How far surprises are off: with much of it, blocks that match less well come first.
        numbers
            The roots that may match others; all if left out.
        is_over
            Asked again and again; no more blocks are joined when it says so.
        """
        queue: list[tuple[float, Join]] = []
        fresh = list(self.roots if numbers is None else numbers)
        while fresh or queue:
            for number in fresh:
                if is_over():
                    return
                for surprise, join in self._joins(number):
                    gumbel = -log(-log(random.random() or 0.5))
                    heappush(queue, (-surprise - noise * gumbel, join))
            fresh = []
            if queue:
                _, (parts, rises) = heappop(queue)
                if all(part in self.roots for part in parts):
                    fresh.append(self.join(parts, rises))

    def _joins(self, number: int) -> Iterator[tuple[float, Join]]:
        """Yield the joins in which a root takes part, and how surprising they are."""
        block = self.roots[number]
        first, behind, height = block[:3]
        for other in self._span[first, behind]:
            if other != number:
                yield self._stack(block, self.roots[other]), Join((number, other), (0, height))
        for other in self._begin_high.get((behind, height), ()):
            yield self._row(block, self.roots[other]), Join((number, other), (0, 0))
        for other in self._end_high.get((first, height), ()):
            yield self._row(self.roots[other], block), Join((other, number), (0, 0))
        for join in self._pinwheels(number):
            yield _PINWHEEL, join

    def _stack(self, one: JoinedBlock, other: JoinedBlock) -> float:
        first, behind, height = one.first, one.behind, one.height + other.height
        alike = len(self._span[first, behind])
        self.work += 1
        surprise = 1.5 - log(alike * (alike - 1) / 2)
        surprise += _CONFIRMED * bool(self._begin_high.get((behind, height)))
        return surprise + _CONFIRMED * bool(self._end_high.get((first, height)))

    def _row(self, left: JoinedBlock, right: JoinedBlock) -> float:
        moment, height = left.behind, left.height
        pairs = len(self._end[moment]) * len(self._begin[moment])
        alike = len(self._end_high[moment, height]) * len(self._begin_high[moment, height])
        self.work += 1
        surprise = 3.0 + log(height + 1) / 2 - log(pairs) - 2 * log(alike)
        if pairs == 1:
            surprise += _ALONE
        return surprise + 2.0 * bool(self._span.get((left.first, right.behind)))

    def _pinwheels(self, number: int) -> Iterator[Join]:
        """Yield the pinwheels in which a root takes part.

        Where the centre begins, a block ends whose other neighbour lies beyond one edge of the
        centre; where it ends, one begins whose other neighbour lies beyond the other edge.
        """
        for centre, before, over in self._left_halves(number):
            (left, right, height, *_), block = self.roots[centre], self.roots[before]
            end = self.roots[over].behind
            for under, below in self._span.get((block.first, right), {}).items():
                for after, last in self._begin_high.get((right, below.height + height), {}).items():
                    self.work += 1
                    if last.behind == end:
                        yield _pinwheel(under, after, over, before, centre, below.height, height)
        for centre, under, after in self._right_halves(number):
            (left, right, height, *_), below = self.roots[centre], self.roots[under]
            end = self.roots[after].behind
            for before, block in self._span.get((below.first, left), {}).items():
                for over, first in self._begin_high.get((left, block.height - height), {}).items():
                    self.work += 1
                    if first.behind == end:
                        yield _pinwheel(under, after, over, before, centre, below.height, height)

    def _left_halves(self, number: int) -> Iterator[tuple[int, int, int]]:
        """Yield centre, block before it, and block over it, of which one is the given one."""
        first, behind, height = self.roots[number][:3]
        for before, block in self._end.get(first, {}).items():
            for over in self._begin_high.get((first, block.height - height), ()):
                yield number, before, over
        for centre, block in self._begin.get(behind, {}).items():
            for over in self._begin_high.get((behind, height - block.height), ()):
                yield centre, number, over
        for centre, block in self._begin[first].items():
            for before in self._end_high.get((first, height + block.height), ()):
                yield centre, before, number

    def _right_halves(self, number: int) -> Iterator[tuple[int, int, int]]:
        """Yield centre, block under it, and block after it, of which one is one of the last two."""
        first, behind, height = self.roots[number][:3]
        for centre, block in self._end[behind].items():
            for after in self._begin_high.get((behind, height + block.height), ()):
                yield centre, number, after
        for centre, block in self._end.get(first, {}).items():
            for under in self._end_high.get((first, height - block.height), ()):
                yield centre, under, number

    # --- the result -------------------------------------------------------------------------

    def offsets(self, floors: Mapping[int, int]) -> dict[int, int]:
        """Return the offsets of all buffers, given those of the roots, in units."""
        found = {}
        todo = list(floors.items())
        while todo:
            number, floor = todo.pop()
            block = self.roots.get(number) or self._under[number]
            if not block.parts:
                found[number] = floor
            todo += zip(block.parts, (floor + rise for rise in block.rises), strict=True)
        return found


def _pinwheel(
    under: int, after: int, over: int, before: int, centre: int, rise: int, height: int
) -> Join:
    """Return the join of five blocks, given the heights of the one under the centre and of it."""
    top = rise + height
    return Join((under, after, over, before, centre), (0, 0, top, rise, rise))
