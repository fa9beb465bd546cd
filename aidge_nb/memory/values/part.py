"""Parts of a tensor as bytes, which may lie in several blocks.

What Slice cuts out of a tensor and what Concat puts into one are boxes of it. The bytes of a box
lie in blocks of one size. Blocks repeat at equal distances, groups of blocks do so again, and so
on: a tile of rows and columns is lines in channels in samples. A part of a part is a part, unless
it ends in the middle of a line and goes on in the next one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod

from aidge_nb.core.values import dataclass

Interval = tuple[int, int]
"""Bytes, half-open."""

Level = tuple[int, int]
"""How often something repeats, and how many bytes further each time."""

_Triple = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes in a memory, in their order.

    Attributes
    ----------
    start
        Where the first one lies.
    size
        How many they are.
    levels
        How blocks repeat, from the outermost level; none where all is one block.

    Examples
    --------
    >>> part = Part(4, 8, ((2, 16), (2, 6)))
    >>> part.intervals
    ((4, 6), (10, 12), (20, 22), (26, 28))
    >>> part.blocks, part.block, part.extent  # bytes
    (4, 2, 24)
    >>> part.strides((2, 4), 1), part.strides((2, 2, 1), 2)
    (None, (16, 6, 2))
    """

    start: int
    size: int
    levels: tuple[Level, ...] = ()

    @classmethod
    def box(
        cls, dims: Sequence[int], first: Sequence[int], sizes: Sequence[int], itemsize: int
    ) -> Part:
        """Return the bytes of a box of a tensor.

        Parameters
        ----------
        dims
            The dimensions of the tensor.
        first, sizes
            Where the box begins along each axis, and how far it goes.
        itemsize
            Bytes of an element.

        Examples
        --------
        >>> Part.box((2, 4, 4), (0, 1, 2), (2, 3, 2), 4)
        Part(start=24, size=48, levels=((2, 64), (3, 16)))
        >>> Part.box((2, 4, 4), (1, 1, 0), (1, 3, 4), 4)
        Part(start=80, size=48, levels=())
        """
        steps = [prod(dims[axis + 1 :]) * itemsize for axis in range(len(dims))]
        start = sum(begin * step for begin, step in zip(first, steps, strict=True))
        return _part(start, [*zip(sizes, steps, strict=True), (itemsize, 1)])

    @property
    def blocks(self) -> int:
        """How many blocks of equal size it lies in."""
        return prod(count for count, _ in self.levels)

    @property
    def block(self) -> int:
        """Bytes of a block."""
        return self.size // self.blocks if self.levels else self.size

    @property
    def extent(self) -> int:
        """Bytes from its first to its last one."""
        return sum((count - 1) * step for count, step in self.levels) + self.block

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """Its blocks."""
        return tuple(_blocks(self.start, self.levels, self.block))

    def outline(self, most: int) -> tuple[Interval, ...]:
        """Return at most ``most`` intervals that hold it; nearby blocks are merged.

        Parameters
        ----------
        most
            How many intervals, 1 or more.

        Examples
        --------
        >>> Part(4, 8, ((2, 16), (2, 6))).outline(3)
        ((4, 12), (20, 28))
        """
        levels, block = self.levels, self.block
        while levels and prod(count for count, _ in levels) > most:
            count, step = levels[-1]
            levels, block = levels[:-1], (count - 1) * step + block
        return tuple(_blocks(self.start, levels, block))

    def strides(self, dims: Sequence[int], itemsize: int) -> tuple[int, ...] | None:
        """Return the strides in bytes of an array with these dimensions; None if impossible.

        Parameters
        ----------
        dims, itemsize
            The dimensions of the array, and the bytes of an element.
        """
        levels = [*self.levels, (self.block // itemsize, itemsize)]
        count, step = levels.pop()
        found = []
        for size in reversed(dims):
            while count == 1 and size > 1 and levels:
                count, step = levels.pop()
            if size > 1 and count % size:
                return None
            found.append(step)
            if size > 1:
                count, step = count // size, step * size
        return tuple(reversed(found))

    def inside(self, whole: Part) -> Part | None:
        """Return the place of this part in the memory of a whole that may lie in blocks.

        Parameters
        ----------
        whole
            What this is a part of: ``start`` counts its bytes in their order. That of the result is
            in the memory of ``whole``.

        Returns
        -------
        Part or None
            None where no levels say it, or some of it is not in ``whole``.

        Examples
        --------
        >>> lines = Part.box((4, 8), (0, 2), (4, 3), 1)
        >>> Part.box((4, 3), (1, 1), (2, 2), 1).inside(lines)
        Part(start=11, size=4, levels=((2, 8),))
        >>> Part(2, 3).inside(lines)
        """
        if not whole.levels:
            if self.start + self.extent > whole.size:
                return None
            return Part(whole.start + self.start, self.size, self.levels)
        scale = list(_scale(whole))
        digits = [self.start // weight % count for weight, count, _ in scale]
        start = whole.start + sum(digit * scale[at][2] for at, digit in enumerate(digits))
        levels: list[Level] = []
        for level in (*self.levels, (self.block, 1)):
            moves = _moves(level, scale)
            if moves is None:
                return None
            for count, at, by in moves:
                digits[at] += (count - 1) * by
                levels.append((count, by * scale[at][2]))
        if any(digit >= scale[at][1] for at, digit in enumerate(digits)):
            return None  # it runs over the end of a line
        return _part(start, levels)


def _part(start: int, levels: Iterable[Level]) -> Part:
    """Make a part of levels down to the single byte; those that need not be apart become one."""
    joined: list[Level] = []
    size = 1
    for count, step in levels:
        size *= count
        if joined and joined[-1][1] == count * step:
            joined[-1] = (joined[-1][0] * count, step)
        elif count > 1:
            joined.append((count, step))
    if joined and joined[-1][1] == 1:
        joined.pop()
    return Part(start, size, tuple(joined) if size else ())


def _blocks(start: int, levels: Sequence[Level], block: int) -> Iterator[Interval]:
    starts = [start]
    for count, step in levels:
        starts = [begin + step * number for begin in starts for number in range(count)]
    return ((begin, begin + block) for begin in starts)


def _scale(part: Part) -> Iterator[_Triple]:
    """Go over the levels down to the byte: bytes of the part in one turn, turns, distance."""
    weight = part.size
    for count, step in part.levels:
        weight //= count
        yield weight, count, step
    yield 1, part.block, 1


def _moves(level: Level, scale: Sequence[_Triple]) -> list[_Triple] | None:
    """Express a level in turns of a scale: how often, at which level, by how many turns."""
    count, step = level
    at = next(at for at, (weight, _, _) in enumerate(scale) if step % weight == 0)
    weight, turns, _ = scale[at]
    by = step // weight
    if at == 0 or (count - 1) * by < turns:
        return [(count, at, by)] if at == 0 or by < turns else None
    often = turns // by if by else 0
    if by > turns or turns % by or count % often:
        return None
    outer = _moves((count // often, weight * turns), scale)
    return None if outer is None else [*outer, (often, at, by)]
