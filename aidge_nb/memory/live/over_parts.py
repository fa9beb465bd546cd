"""Outputs written over a part of a value the rest of which is still needed.

An element-wise layer that is cut into tiles is Slice, operator, Slice, operator, …, Concat. Each
slice is a part of one value, and no later one meets it, so each operator may write over its slice;
in the end the Concat finds its result where the value was, and the layer took no memory, as it
takes none in one piece. That holds for all tiles or for none: if the Concat must copy, what lies in
the memory of the value cannot lie in that of the result. Hence a walk *hopes*, and tells what it
*regrets*; then another one is made that does without.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from aidge_nb.memory.values.storages import Value

if TYPE_CHECKING:
    from aidge_nb.graph import Node

Write = tuple["Node", int]
"""A node, and the input over which it writes its output."""


class Regret(NamedTuple):
    """What shall not be written over a part: at all, or while something else lies in the whole."""

    write: Write
    even_alone: bool


class Hopes:
    """What a walk wrote over parts, and what became of it."""

    def __init__(self) -> None:
        self._sources: dict[Value, tuple[Value, ...]] = {}
        self._writes: dict[Value, Write] = {}
        self._outliving: dict[Value, Write] = {}
        self._regrets: set[Regret] = set()

    def add(self, value: Value, write: Write, *, outlives: bool) -> None:
        """Note that a value lies over a part of a whole.

        What is scattered over more memory than it needs, and ``outlives`` the whole there, must be
        worth it: it has to become part of a result.
        """
        self._writes[value] = write
        if outlives:
            self._outliving[value] = write

    def comes_from(self, value: Value, *sources: Value) -> None:
        """Note whose memory a value shares."""
        self._sources[value] = sources

    def fulfil(self, values: Iterable[Value]) -> None:
        """Note that a Concat found its inputs in their place."""
        for value in self._ancestors(values):
            self._outliving.pop(value, None)

    def disappoint(self, values: Iterable[Value]) -> None:
        """Note that a Concat must copy its inputs."""
        self._regrets |= {
            Regret(self._writes[value], even_alone=True)
            for value in self._ancestors(values)
            if value in self._writes
        }

    def regrets(self) -> set[Regret]:
        """Tell which writes over parts were not worth it."""
        scattered = (Regret(write, even_alone=False) for write in self._outliving.values())
        return self._regrets.union(scattered)

    def _ancestors(self, values: Iterable[Value]) -> set[Value]:
        found: set[Value] = set()
        waiting = list(values)
        while waiting:
            value = waiting.pop()
            if value not in found:
                found.add(value)
                waiting += self._sources.get(value, ())
        return found
