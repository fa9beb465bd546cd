"""Values that live in memory, the storages that some of them share, and boxes of tensors.

Live ranges of storages are the usual input of static memory planning (Moffitt, MiniMalloc, ASPLOS
2023). What Slice cuts out of a tensor, and what is written over such a part, are boxes of one
tensor, the *frame*; so is what Concat puts together of boxes that lie side by side. Boxes of one
frame are compared axis by axis.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from aidge_nb.core.values import dataclass
from aidge_nb.memory.values.live_range import Footprint, LiveRange, Rectangle
from aidge_nb.memory.values.part import Level, Part
from aidge_nb.memory.values.plan import Buffer

if TYPE_CHECKING:
    from aidge_nb.memory.values.ring import Ring


@dataclass(slots=True, eq=False)
class Value:
    """A value that lives somewhere in memory.

    Attributes
    ----------
    name, node, output, execution, kind, size, lower, upper, in_place_of, view_of, made_of, levels
        As for :class:`Buffer`: sizes in bytes, half-open ticks.
    last_write
        The last tick at which something is written into it.
    is_kept
        Whether it is an output of the graph, which must be there when all is done.
    start
        Where it begins in its storage, in bytes.
    dims
        The dimensions of its tensor.
    rows
        The number of its rows, if it could lie by rows.
    ring
        What it lies in where it is written and read piece by piece, alone in its storage.
    frame, first
        The tensor of which it is a box, and where the box begins, by axis; None for all of itself.
    """

    name: str
    node: str
    output: int
    execution: int
    kind: str
    size: int
    lower: int
    upper: int
    in_place_of: tuple[str, ...] = ()
    view_of: str | None = None
    last_write: int = -1
    is_kept: bool = False
    start: int = 0
    levels: tuple[Level, ...] = ()
    made_of: tuple[str, ...] = ()
    dims: tuple[int, ...] = ()
    rows: int = 0
    ring: Ring | None = None
    frame: Value | None = None
    first: tuple[int, ...] = ()

    @property
    def part(self) -> Part:
        """The bytes of its storage that it takes."""
        return Part(self.start, self.size, self.levels)

    @property
    def extent(self) -> int:
        """Bytes from its first to its last one."""
        return self.part.extent if self.levels else self.size

    def is_array_in(self, part: Part) -> bool:
        """Return whether its tensor is an array where these bytes lie."""
        return part.strides(self.dims, self.size // (prod(self.dims) or 1)) is not None

    def at(self, offset: int) -> Buffer:
        """Return its buffer when its storage lies at an offset."""
        return Buffer(
            name=self.name,
            node=self.node,
            output=self.output,
            size=self.size,
            lower=self.lower,
            upper=self.upper,
            offset=offset + self.start,
            kind=self.kind,
            execution=self.execution,
            in_place_of=self.in_place_of,
            view_of=self.view_of,
            made_of=self.made_of,
            levels=self.levels,
        )


@dataclass(slots=True, eq=False)
class Storage:
    """Memory that values share: one after the other, or as views of each other.

    Attributes
    ----------
    values
        What shares it.
    largest
        Bytes of the largest value that :meth:`needed_after` has seen.
    """

    values: list[Value] = field(default_factory=list)
    largest: int = 0
    _open: list[Value] = field(default_factory=list)
    _nb_seen: int = 0

    def needed_after(self, tick: int) -> list[Value]:
        """Return the values that must stay after a tick; ask for one tick after the other."""
        new = self.values[self._nb_seen :]
        self._nb_seen += len(new)
        self.largest = max([self.largest, *(value.size for value in new)])
        self._open = [
            value
            for value in (*self._open, *new)
            if value.kind == "producer" or value.is_kept or value.upper > tick + 1
        ]
        return self._open

    @property
    def live_range(self) -> LiveRange:
        """When it is in use, and the bytes from its beginning to the end of any value in it."""
        return LiveRange(
            min(value.lower for value in self.values),
            max(value.upper for value in self.values),
            max(value.start + value.extent for value in self.values),
        )


@dataclass(frozen=True, slots=True)
class Liveness:
    """The live ranges of a graph.

    Attributes
    ----------
    order
        Name of the node that is executed at each tick.
    storages
        What is to be placed.
    """

    order: tuple[str, ...]
    storages: tuple[Storage, ...]


def footprints_of(storages: Iterable[Storage], alignment: int = 1) -> list[Footprint]:
    """Describe storages as footprints; sizes are rounded up to the alignment."""
    return [_footprint_of(storage, alignment) for storage in storages]


def _footprint_of(storage: Storage, alignment: int) -> Footprint:
    """Make the rectangles of a storage: values that follow each other at the same place are one."""
    if storage.values[0].ring is not None:
        return storage.values[0].ring.footprint
    spans: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for value in storage.values:
        size = -(-value.extent // alignment) * alignment
        spans.setdefault((value.start, size), []).append((value.lower, value.upper))
    rectangles = []
    for (start, size), lives in spans.items():
        joined: list[tuple[int, int]] = []
        for lower, upper in sorted(lives):
            if joined and lower <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(upper, joined[-1][1]))
            else:
                joined.append((lower, upper))
        rectangles += [Rectangle(lower, upper, start, size) for lower, upper in joined if size]
    return Footprint(tuple(sorted(rectangles)))


class TensorBox(NamedTuple):
    """A part of a tensor: where it begins along each axis, and how far it goes."""

    frame: Value
    first: tuple[int, ...]
    sizes: tuple[int, ...]

    def cut(self, first: Sequence[int], sizes: Sequence[int]) -> TensorBox:
        """Return a box of this box."""
        return TensorBox(self.frame, _added(self.first, first), tuple(sizes))

    @property
    def part(self) -> Part | None:
        """Its bytes in the storage of the frame; None where no levels say them."""
        itemsize = self.frame.size // (prod(self.frame.dims) or 1)
        part = Part.box(self.frame.dims, self.first, self.sizes, itemsize)
        return part.inside(self.frame.part)

    def meets(self, other: TensorBox) -> bool:
        """Return whether two boxes may have an element in common: they have if it is one frame."""
        if self.frame is not other.frame:
            return True
        mine = zip(self.first, self.sizes, strict=True)
        others = zip(other.first, other.sizes, strict=True)
        return all(
            a < b + more and b < a + size for (a, size), (b, more) in zip(mine, others, strict=True)
        )


def box_of(value: Value) -> TensorBox:
    """Return the box of a value: all of itself, unless it lies in the frame of another."""
    if value.frame is None:
        return TensorBox(value, (0,) * len(value.dims), value.dims)
    return TensorBox(value.frame, value.first, value.dims)


def meet(one: Value, other: Value) -> bool:
    """Return whether two values of a storage may have bytes in common."""
    is_apart = one.start + one.extent <= other.start or other.start + other.extent <= one.start
    return not is_apart and box_of(one).meets(box_of(other))


def joined(
    dims: Sequence[int], firsts: Sequence[Sequence[int]], parts: Sequence[TensorBox]
) -> TensorBox | None:
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
    TensorBox or None
        None where they do not lie in their frame as in the result.
    """
    frame = parts[0].frame
    origin = tuple(at - first for at, first in zip(parts[0].first, firsts[0], strict=True))
    for part, first in zip(parts, firsts, strict=True):
        if part.frame is not frame or part.first != _added(origin, first):
            return None
    return TensorBox(frame, origin, tuple(dims))


def move(values: Sequence[Value], whole: Value, to: Value, first: Sequence[int]) -> None:
    """Move boxes of the frame of ``whole`` to the frame ``to``, of which ``whole`` is a part."""
    old = box_of(whole)
    if old.sizes != old.frame.dims:
        return
    for value in values:
        box = box_of(value)
        if box.frame is old.frame:
            value.frame, value.first = to, _added(first, box.first)


def _added(one: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))
