"""Ranges and regions of tensors, and windows that carry them from outputs to inputs.

Output rows [a, b) of a layer with kernel k, stride s, dilation d and p rows of padding before need
the input rows [a·s - p, (b-1)·s - p + d·(k-1) + 1). Rows outside of the data are the padding of the
tile.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import prod
from typing import NamedTuple

from aidge_nb.core.amounts import is_whole
from aidge_nb.core.errors import ShapeError
from aidge_nb.core.values import dataclass


class Range(NamedTuple):
    """The half-open range [start, stop)."""

    start: int
    stop: int

    @property
    def size(self) -> int:
        """Number of indices."""
        return self.stop - self.start

    def __str__(self) -> str:
        return f"{self.start}:{self.stop}"


Region = tuple[Range, ...]
"""One range for each axis of a tensor."""


def whole(dims: Sequence[int]) -> Region:
    """Return the region of a whole tensor."""
    return tuple([Range(0, size) for size in dims])


def index_of(region: Region) -> tuple[slice, ...]:
    """Return the index with which an array is cut to a region."""
    return tuple(slice(*each) for each in region)


def elements(region: Region) -> int:
    """Return the number of elements of a region."""
    return prod([stop - start for start, stop in region])


def hull(regions: Iterable[Region]) -> Region:
    """Return the smallest region that holds all regions.

    Examples
    --------
    >>> hull([(Range(0, 4),), (Range(3, 6),)])
    (Range(start=0, stop=6),)
    """
    listed = list(regions)
    if len(listed) == 1:
        return listed[0]
    return tuple(
        Range(min(each.start for each in ranges), max(each.stop for each in ranges))
        for ranges in zip(*listed, strict=True)
    )


def balanced(size: int, parts: int, where: str = "tiling") -> tuple[Range, ...]:
    """Cut ``size`` into parts that differ by at most one, larger parts first.

    Raises
    ------
    ShapeError
        For more parts than elements, or none.

    Examples
    --------
    >>> [part.size for part in balanced(64, 5)]
    [13, 13, 13, 13, 12]
    """
    if not is_whole(parts) or not 1 <= parts <= size:
        raise ShapeError.at(
            where,
            "cannot be cut into that many parts",
            expected=f"1 to {size}",
            found=repr(parts),
            cure="Every part needs at least one element of the output.",
        )
    least, larger = divmod(size, int(parts))
    bounds = [least * part + min(part, larger) for part in range(parts + 1)]
    return tuple(Range(*ends) for ends in pairwise(bounds))


@dataclass(frozen=True, slots=True)
class Reach:
    """The inputs that a range of outputs reads along one axis."""

    data: Range  # the range of the input
    # before, after: rows of padding that the tile adds before and after it
    before: int = 0
    after: int = 0
    beyond: int = 0  # rows of the last window beyond data and padding (``ceil_mode``)


@dataclass(frozen=True, slots=True)
class SlidingWindow:
    """A sliding window along one axis, with padding before and after.

    Examples
    --------
    >>> SlidingWindow(3, before=1, after=1).reach(Range(0, 16), 64)
    Reach(data=Range(start=0, stop=17), before=1, after=0, beyond=0)
    """

    kernel: int = 1
    stride: int = 1
    dilation: int = 1
    before: int = 0
    after: int = 0

    def reach(self, out: Range, size: int, where: str = "tiling") -> Reach:
        """Return the inputs that outputs ``out`` read, of ``size`` ones.

        Raise ShapeError when they read only padding.
        """
        first = out.start * self.stride - self.before
        end = (out.stop - 1) * self.stride - self.before + self.dilation * (self.kernel - 1) + 1
        data = Range(max(first, 0), min(end, size))
        if data.size < 1:
            span = self.dilation * (self.kernel - 1)
            low, high = (
                -(-(self.before - span) // self.stride),
                (size - 1 + self.before) // self.stride,
            )
            raise ShapeError.at(
                where,
                f"outputs {out} would be computed from padding alone",
                expected=f"some of the outputs {max(low, 0)}:{high + 1} in each part",
                cure="Use fewer slices, so that each of them reads some of the data.",
            )
        behind = max(end - size, 0)
        return Reach(data, max(-first, 0), min(behind, self.after), max(0, behind - self.after))


@dataclass(frozen=True, slots=True)
class SpreadWindow:
    """A window of a transposed convolution, which spreads each input over several outputs."""

    kernel: int
    stride: int = 1
    dilation: int = 1
    before: int = 0

    def reach(self, out: Range, size: int) -> Range:
        """Return the inputs that contribute to outputs ``out``, at least one.

        Examples
        --------
        >>> SpreadWindow(3, stride=2).reach(Range(4, 8), 10)
        Range(start=1, stop=4)
        """
        first, last = out.start + self.before, out.stop - 1 + self.before
        low = -(-(first - self.dilation * (self.kernel - 1)) // self.stride)
        low = min(max(low, 0), first // self.stride, size - 1)
        high = min(last // self.stride, size - 1)
        return Range(low, max(high, low) + 1)

    def cut(self, out: Range, data: Range) -> tuple[int, int, int]:
        """Return the rows to cut before and after the result of ``data``, and to add after."""
        start = data.start * self.stride
        end = (data.stop - 1) * self.stride + self.dilation * (self.kernel - 1) + 1
        surplus = end - (out.stop + self.before)
        return out.start + self.before - start, max(surplus, 0), max(-surplus, 0)
