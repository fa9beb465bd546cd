"""Rings: the pieces of an output follow each other and wrap around."""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.values import dataclass
from aidge_nb.memory.values.live_range import Footprint, Rectangle
from aidge_nb.memory.values.plan import Buffer


@dataclass(slots=True)
class Piece:
    """Bytes [first, last) of all that an output ever writes, and the ticks at which they live."""

    first: int
    last: int
    lower: int
    upper: int


@dataclass(frozen=True, slots=True)
class Ring:
    """The pieces of an output, in the order in which they are written.

    Examples
    --------
    >>> ring = Ring((Piece(0, 8, 0, 2), Piece(8, 16, 1, 3), Piece(16, 24, 2, 4)))
    >>> ring.size
    16
    >>> [(buffer.name, buffer.offset) for buffer in ring.buffers("a", 0, offset=100)]
    [('a[0]', 100), ('a[1]', 108), ('a[2]', 100)]
    """

    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        """The most bytes from the beginning of what is live to its end, at any time."""
        largest, oldest = 0, 0
        for number, piece in enumerate(self.pieces):
            while self.pieces[oldest].upper <= piece.lower:
                oldest += 1
            largest = max(largest, self.pieces[number].last - self.pieces[oldest].first)
        return largest

    @property
    def footprint(self) -> Footprint:
        """The bytes that it takes, as a step function of time."""
        size = self.size
        return Footprint(
            tuple(sorted(box for piece in self.pieces for box in _rectangles(piece, size)))
        )

    def is_aligned(self, alignment: int) -> bool:
        """Return whether all pieces begin at a multiple of it, wherever they are in the ring."""
        return all(
            edge % alignment == 0 for piece in self.pieces for edge in (piece.first, piece.last)
        )

    def buffers(self, node: str, output: int, offset: int) -> list[Buffer]:
        """Return a buffer for each piece of the ring at an offset."""
        size = self.size
        names = [node + (f":{output}" if output else "")] * len(self.pieces)
        if len(names) > 1:
            names = [f"{name}[{number}]" for number, name in enumerate(names)]
        found = []
        for number, (name, piece) in enumerate(zip(names, self.pieces, strict=True)):
            start, length, behind = _split(piece, size)
            found.append(
                Buffer(
                    *(name, node, output, length, piece.lower, piece.upper, offset + start),
                    execution=number,
                    wrapped_offset=offset if behind else 0,
                    wrapped_size=behind,
                )
            )
        return found


def _split(piece: Piece, ring: int) -> tuple[int, int, int]:
    """Return where a piece starts in its ring, its bytes, and how many of them wrap around."""
    start, size = piece.first % ring, piece.last - piece.first
    return start, size, max(0, start + size - ring)


def _rectangles(piece: Piece, ring: int) -> Sequence[Rectangle]:
    start, size, behind = _split(piece, ring)
    rectangles = [Rectangle(piece.lower, piece.upper, start, size - behind)]
    return [*rectangles, Rectangle(piece.lower, piece.upper, 0, behind)] if behind else rectangles
