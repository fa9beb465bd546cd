"""Values that live in memory, and the storages that some of them share.

Live ranges of storages are the usual input of static memory planning (Moffitt, MiniMalloc, ASPLOS
2023).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING

from aidge_nb.memory.values.live_range import LiveRange
from aidge_nb.memory.values.part import Level, Part
from aidge_nb.memory.values.plan import Buffer

if TYPE_CHECKING:
    from aidge_nb.memory.place.ring import Ring


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
        """Whether its tensor is an array where these bytes lie."""
        return part.strides(self.dims, self.size // (prod(self.dims) or 1)) is not None

    def at(self, offset: int) -> Buffer:
        """Give the buffer that it is once it has a place."""
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
    """

    values: list[Value] = field(default_factory=list)

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
