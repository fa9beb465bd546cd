"""Buffers as sets of bits: the strip that is to be filled, section by section.

Time is cut into *sections*: moments between which nothing matters, because whoever lives at a
moment that is left out also lives together at one that is kept. A buffer spans consecutive
sections. Sets of buffers and sets of sections are Python integers, one bit each: intersecting and
counting hundreds of them is a single instruction of the interpreter.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import gcd
from typing import Any

from aidge_nb.core.values import dataclass
from aidge_nb.memory.values.live_range import LiveRange


class Strip:
    """The static part of a problem; buffers are numbered by where they start.

    Attributes
    ----------
    unit
        The greatest common divisor of all sizes: offsets are multiples of it, heights count in it.
    order
        The given number of each buffer of the strip.
    first, behind, height
        Of each buffer: its first section, the section behind its last one, its size in units.
    span
        The sections of each buffer, as bits.
    at
        The buffers that live in each section, as bits.
    from_, until
        The buffers that start in this section or later; that end before it or earlier.
    twins
        Buffers that equal the one numbered just before them.
    planes
        The buffers whose height has a certain bit, and the value of that bit.
    load
        The sum of heights in each section.

    Examples
    --------
    >>> strip = Strip([LiveRange(0, 2, 10), LiveRange(1, 3, 20), LiveRange(2, 4, 10)])
    >>> strip.unit, strip.load, [bin(buffers) for buffers in strip.at]
    (10, [3, 3], ['0b11', '0b110'])
    """

    def __init__(self, ranges: Sequence[LiveRange]) -> None:
        ticks = _sections(ranges)
        ends = [(bisect_left(ticks, r.lower), bisect_left(ticks, r.upper)) for r in ranges]
        self.order = sorted(range(len(ranges)), key=lambda i: (*ends[i], ranges[i].size, i))
        self.unit = gcd(*(each.size for each in ranges)) or 1
        self.first = [ends[i][0] for i in self.order]
        self.behind = [ends[i][1] for i in self.order]
        self.height = [ranges[i].size // self.unit for i in self.order]
        self.span = [
            (1 << behind) - (1 << first)
            for first, behind in zip(self.first, self.behind, strict=True)
        ]
        self._fill_sections(len(ticks))
        bits = max(self.height, default=0).bit_length()
        self.planes = [
            (sum(1 << i for i, height in enumerate(self.height) if height >> bit & 1), 1 << bit)
            for bit in range(bits)
        ]
        alike = list(zip(self.first, self.behind, self.height, strict=True))
        self.twins = sum(1 << i for i in range(1, len(alike)) if alike[i] == alike[i - 1])

    def __len__(self) -> int:
        return len(self.order)

    def _fill_sections(self, nb_sections: int) -> None:
        self.at = [0] * nb_sections
        self.load = [0] * nb_sections
        self.from_ = [0] * (nb_sections + 1)
        self.until = [0] * (nb_sections + 1)
        for number, first in enumerate(self.first):
            bit = 1 << number
            for section in range(first, self.behind[number]):
                self.at[section] |= bit
                self.load[section] += self.height[number]
            self.from_[first] |= bit
            self.until[self.behind[number]] |= bit
        for section in range(nb_sections):
            self.until[section + 1] |= self.until[section]
            self.from_[nb_sections - section - 1] |= self.from_[nb_sections - section]

    def ranks(self, keys: Sequence[Any]) -> list[int]:
        """Return the place of each buffer in the order of their keys."""
        ranks = [0] * len(self)
        for rank, number in enumerate(sorted(range(len(self)), key=keys.__getitem__)):
            ranks[number] = rank
        return ranks

    def top(self, placed: Sequence[int]) -> int:
        """Return the height that offsets of the strip need, in units."""
        return max((o + h for o, h in zip(placed, self.height, strict=True)), default=0)

    def offsets(self, placed: Sequence[int]) -> list[int]:
        """Turn offsets of the strip into bytes, in the order in which buffers were given."""
        found = [0] * len(self)
        for number, offset in zip(self.order, placed, strict=True):
            found[number] = offset * self.unit
        return found


def _sections(ranges: Sequence[LiveRange]) -> list[int]:
    """List the ticks at which a largest set of buffers lives: the last start before some end."""
    starts = sorted({each.lower for each in ranges})
    ends = sorted({each.upper for each in ranges})
    return sorted({starts[bisect_right(starts, end - 1) - 1] for end in ends})


@dataclass(frozen=True, slots=True)
class Improvement:
    """The result of a search for a smaller arena.

    Attributes
    ----------
    offsets
        Offsets of the buffers in the order in which they were given, in bytes; None when nothing
        smaller was found.
    lower_bound
        The largest proven lower bound, in bytes.
    method
        Name of the method that found the offsets.
    """

    offsets: list[int] | None
    lower_bound: int
    method: str = ""
