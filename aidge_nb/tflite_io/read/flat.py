"""Read flatbuffers: tables whose fields lie at offsets, each checked against the file.

A table begins with the distance back to its vtable, which says where each field lies; a field that
it leaves out has its default. Tables, vectors and strings are behind offsets that point forward.
Many offsets may lead to one place, so all that is read together is limited, too.

Reference: https://flatbuffers.dev/internals/
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import TfliteError

_TIMES_READ = 8
"""How many times the size of the file may be read in all: one byte may serve several fields."""

_AT_LEAST = 1 << 16


class FlatFile:
    """The bytes of a file, and what may still be read of them."""

    def __init__(self, content: memoryview, source: str) -> None:
        self.content = content
        self.source = source
        self._left = _TIMES_READ * len(content) + _AT_LEAST

    def error(self, problem: str, expected: object = None, found: object = None) -> TfliteError:
        """Make the error for a file that breaks a rule of the format."""
        cure = "The file is damaged; download or convert it again."
        return TfliteError.at(self.source, problem, expected=expected, found=found, cure=cure)

    def bytes(self, at: int, size: int, what: str) -> memoryview:
        """Return bytes that must lie in the file; raise TfliteError when they do not."""
        if at < 0 or size < 0 or at + size > len(self.content):
            raise self.error(
                f"{what} lies outside the file",
                f"bytes 0 to {len(self.content)}",
                f"{at} to {at + size}",
            )
        self._left -= size
        if self._left < 0:
            raise self.error(
                f"{what} is read again and again: many offsets lead to one place",
                f"at most {_TIMES_READ} times the size of the file in all",
            )
        return self.content[at : at + size]

    def number(self, at: int, code: str, what: str) -> Any:
        """Return a little-endian number; ``code`` is that of :mod:`struct`."""
        return struct.unpack(f"<{code}", self.bytes(at, struct.calcsize(code), what))[0]

    def root(self) -> FlatTable:
        """Return the root table."""
        return FlatTable(self, self.number(0, "I", "the root offset"), "model")


class FlatTable:
    """A table; ``what`` names it in messages."""

    __slots__ = ("_fields", "_size", "at", "file", "what")

    def __init__(self, file: FlatFile, at: int, what: str) -> None:
        self.file, self.at, self.what = file, at, what
        vtable = at - file.number(at, "i", what)
        length = file.number(vtable, "H", f"the vtable of {what}")
        self._size = file.number(vtable + 2, "H", f"the vtable of {what}")
        if length < 4 or length % 2:
            raise file.error(f"the vtable of {what} has no such length", "4 or more, even", length)
        raw = file.bytes(vtable + 4, length - 4, f"the vtable of {what}")
        self._fields = np.frombuffer(raw, "<u2")

    def place(self, slot: int) -> int | None:
        """Return where a field lies; None when the file leaves it out."""
        offset = int(self._fields[slot]) if slot < len(self._fields) else 0
        if not offset:
            return None
        if offset < 4 or offset >= self._size:
            what = f"field {slot} of {self.what}"
            raise self.file.error(f"{what} lies outside its table", f"4 to {self._size}", offset)
        return self.at + offset

    def number(self, slot: int, code: str, default: Any = 0) -> Any:
        """Return a number."""
        at = self.place(slot)
        return default if at is None else self.file.number(at, code, self._label(slot))

    def _label(self, slot: int) -> str:
        return f"field {slot} of {self.what}"

    def _target(self, slot: int) -> int | None:
        at = self.place(slot)
        if at is None:
            return None
        return at + int(self.file.number(at, "I", self._label(slot)))

    def table(self, slot: int, what: str) -> FlatTable | None:
        """Return a table; None when the file leaves it out."""
        at = self._target(slot)
        return None if at is None else FlatTable(self.file, at, what)

    def vector(self, slot: int, dtype: str) -> NDArray[Any] | None:
        """Return a vector of numbers; None when the file leaves it out."""
        at = self._target(slot)
        if at is None:
            return None
        label, kind = self._label(slot), np.dtype(dtype).newbyteorder("<")
        count = int(self.file.number(at, "I", label))
        raw = self.file.bytes(at + 4, count * kind.itemsize, f"{label} ({count} elements)")
        return np.frombuffer(raw, kind).astype(np.dtype(dtype), copy=False)

    def tables(self, slot: int, what: str) -> list[FlatTable]:
        """Return a vector of tables; empty when the file leaves it out."""
        at = self._target(slot)
        offsets = self.vector(slot, "u4")
        if at is None or offsets is None:
            return []
        return [
            FlatTable(self.file, at + 4 + 4 * index + int(offset), f"{what} {index}")
            for index, offset in enumerate(offsets)
        ]

    def text(self, slot: int) -> str:
        """Return a string; empty when the file leaves it out."""
        found = self.vector(slot, "u1")
        return "" if found is None else found.tobytes().decode("utf-8", "replace")
