"""Values that live in memory, and the storages that some of them share.

Live ranges of storages are the usual input of static memory planning (Moffitt, MiniMalloc, ASPLOS
2023).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aidge_nb.memory.lower_bound import LiveRange
from aidge_nb.memory.plan import Buffer

if TYPE_CHECKING:
    from aidge_nb.memory.ring import Ring

__all__ = ["Liveness", "Storage", "Value"]


@dataclass(slots=True, eq=False)
class Value:
    """A value that lives somewhere in memory.

    Attributes
    ----------
    name, node, output, execution, kind, size, lower, upper, in_place_of, view_of, made_of
        As for :class:`Buffer`: sizes in bytes, half-open ticks.
    blocks, stride
        As for :class:`Buffer`: the number of blocks, and the bytes from one to the next.
    last_write
        The last tick at which something is written into it.
    is_kept
        Whether it is an output of the graph, which must be there when all is done.
    start
        Where it begins in its storage, in bytes.
    rows
        The number of its rows, if it could lie by rows.
    ring
        What it lies in where it is written and read piece by piece, alone in its storage.
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
    blocks: int = 1
    stride: int = 0
    made_of: tuple[str, ...] = ()
    rows: int = 0
    ring: Ring | None = None

    @property
    def extent(self) -> int:
        """Bytes from its first to its last one."""
        return (self.blocks - 1) * self.stride + self.size // self.blocks

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
            blocks=self.blocks,
            stride=self.stride,
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
