"""Spaces and planes: the two things that Aidge's memory manager hands out.

A *space* is a block of the arena with a lifetime; a *plane* is what one output of a node takes
inside a space. Several planes may follow each other in one space: that is how an operator writes
over its input. A plane that does not fit behind its predecessor wraps around to the beginning of
its space. Everything a plane tells is computed when it is asked, because spaces grow and move.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aidge_nb.graph import Node


@dataclass(slots=True, eq=False)
class MemorySpace:
    """A block of the arena (bytes) that lives from tick ``allocated`` to tick ``released``.

    Attributes
    ----------
    allocated
        Tick at which the space was reserved.
    offset, size
        Its place in the arena, in bytes; both change when a space grows.
    dependencies
        Nodes that still have to read what lies in it.
    released
        Tick of its release, at the end of which the bytes are free; -1 while it lives.
    component
        Number of the memory that it lies in, where there are several.
    """

    allocated: int
    offset: int
    size: int
    dependencies: set[Node] = field(default_factory=set)
    released: int = -1
    component: int = 0

    def end(self, horizon: int) -> int:
        """Return the last tick of its life, or ``horizon`` if it is never released."""
        return horizon if self.released < 0 else self.released

    @property
    def is_over(self) -> bool:
        """Return whether it was released and nobody has to read from it any more."""
        return self.released >= 0 and not self.dependencies


@dataclass(slots=True, eq=False)
class MemoryPlane:
    """The place of one output inside a space: ``count`` rows of ``length`` elements.

    Attributes
    ----------
    mem_space
        The space.
    allocated
        Tick at which the plane was made.
    offset
        Where it starts, in bytes from the beginning of the space.
    size, stride
        Bytes of an element, and bytes from one to the next.
    length, count
        Elements in a row, and rows; one row of one element for anything without such structure.

    Examples
    --------
    >>> plane = MemoryPlane(MemorySpace(0, offset=100, size=40), 0, offset=30, size=20, stride=20)
    >>> plane.get_contiguous_offset(), plane.get_contiguous_size()
    (130, 10)
    >>> plane.get_wrapped_offset(), plane.get_wrapped_size(), plane.get_final_offset()
    (100, 10, 110)
    """

    mem_space: MemorySpace
    allocated: int
    offset: int
    size: int
    stride: int
    length: int = 1
    count: int = 1

    @property
    def mem_component_id(self) -> int:
        """Number of the memory that the plane lies in."""
        return self.mem_space.component

    def get_size(self) -> int:
        """Return the bytes from its first to its last element, including gaps."""
        return self.stride * self.length * self.count

    def get_useful_size(self) -> int:
        """Return the bytes of its elements alone."""
        return self.size * self.length * self.count

    def get_limit(self) -> int:
        """Return the bytes from its start to the end of the space, in whole elements and rows."""
        room = self.mem_space.size - self.offset
        return room - room % self._unit() if self._unit() else room

    def _unit(self) -> int:
        if self.count > 1:
            return self.stride * self.length
        return self.stride if self.length > 1 else 1

    def _starts_over(self) -> bool:
        return self.get_limit() <= 0

    def get_contiguous_offset(self) -> int:
        """Return its offset in the arena, in bytes."""
        return self.mem_space.offset + (0 if self._starts_over() else self.offset)

    def get_contiguous_size(self) -> int:
        """Return the bytes before it wraps around."""
        return self.get_size() if self._starts_over() else min(self.get_size(), self.get_limit())

    def get_wrapped_offset(self) -> int:
        """Return the offset after wrapping around, in bytes: the beginning of the space."""
        return self.mem_space.offset

    def get_wrapped_size(self) -> int:
        """Return the bytes that wrap around; 0 for most planes."""
        return self.get_size() - self.get_contiguous_size()

    def get_final_offset(self) -> int:
        """Return the offset in the arena right after its last byte."""
        wrapped = self.get_wrapped_size()
        if wrapped:
            return self.get_wrapped_offset() + wrapped
        return self.get_contiguous_offset() + self.get_contiguous_size()

    def intervals(self) -> tuple[tuple[int, int], ...]:
        """Return the bytes it takes in the arena: one half-open interval, or two if it wraps."""
        start, wrapped = self.get_contiguous_offset(), self.get_wrapped_size()
        first = (start, start + self.get_contiguous_size())
        if not wrapped:
            return (first,)
        return (first, (self.get_wrapped_offset(), self.get_wrapped_offset() + wrapped))
