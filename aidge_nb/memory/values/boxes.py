"""Boxes: which part of a tensor a value is, whoever wrote it there.

What Slice cuts out of a tensor, and what is written over such a part, are boxes of one tensor, the
*frame*; so is what Concat puts together of boxes that lie side by side. Boxes of one frame are
compared axis by axis, whatever their bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from aidge_nb.memory.values.part import Part

if TYPE_CHECKING:
    from aidge_nb.memory.values.storages import Value


class Box(NamedTuple):
    """A part of a tensor: where it begins along each axis, and how far it goes."""

    frame: Value
    first: tuple[int, ...]
    sizes: tuple[int, ...]

    def cut(self, first: Sequence[int], sizes: Sequence[int]) -> Box:
        """Give a box of this box."""
        return Box(self.frame, _added(self.first, first), tuple(sizes))

    @property
    def part(self) -> Part | None:
        """Its bytes in the storage of the frame; None where no levels say them."""
        itemsize = self.frame.size // (prod(self.frame.dims) or 1)
        part = Part.box(self.frame.dims, self.first, self.sizes, itemsize)
        return part.inside(self.frame.part)

    def meets(self, other: Box) -> bool:
        """Whether two boxes may have an element in common: they have if it is one frame."""
        if self.frame is not other.frame:
            return True
        mine = zip(self.first, self.sizes, strict=True)
        others = zip(other.first, other.sizes, strict=True)
        return all(
            a < b + more and b < a + size for (a, size), (b, more) in zip(mine, others, strict=True)
        )


def box_of(value: Value) -> Box:
    """Give the box that a value is: all of itself, unless it lies in another one's frame."""
    if value.frame is None:
        return Box(value, (0,) * len(value.dims), value.dims)
    return Box(value.frame, value.first, value.dims)


def meet(one: Value, other: Value) -> bool:
    """Whether two values of a storage may have bytes in common; False only where they have not."""
    is_apart = one.start + one.extent <= other.start or other.start + other.extent <= one.start
    return not is_apart and box_of(one).meets(box_of(other))


def joined(
    dims: Sequence[int], firsts: Sequence[Sequence[int]], parts: Sequence[Box]
) -> Box | None:
    """Put boxes of one frame together.

    Parameters
    ----------
    dims
        The dimensions of the result.
    firsts
        Where each part begins in it, by axis.
    parts
        The boxes.

    Returns
    -------
    Box or None
        None where they do not lie in their frame as they shall in the result.
    """
    frame = parts[0].frame
    origin = tuple(at - first for at, first in zip(parts[0].first, firsts[0], strict=True))
    for part, first in zip(parts, firsts, strict=True):
        if part.frame is not frame or part.first != _added(origin, first):
            return None
    return Box(frame, origin, tuple(dims))


def move(values: Sequence[Value], whole: Value, to: Value, first: Sequence[int]) -> None:
    """Let boxes of the frame of ``whole`` be boxes of another one, a part of which ``whole`` is."""
    old = box_of(whole)
    if old.sizes != old.frame.dims:
        return
    for value in values:
        box = box_of(value)
        if box.frame is old.frame:
            value.frame, value.first = to, _added(first, box.first)


def _added(one: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))
