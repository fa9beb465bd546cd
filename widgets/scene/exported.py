"""What the view of an export shows: the schedule beside the code, memory, and the files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

NO_NODE = -1


@dataclass(frozen=True, slots=True)
class CodeRow:
    """A step of the program, or the head of a loop (which has no number and no node).

    Attributes
    ----------
    number, depth
        Its number in the program, empty for a loop; how many loops are around it.
    node
        Index of the node in the scene, -1 for none.
    name, type, code
        Of the node; and the lines of C.
    """

    number: str
    depth: int
    node: int
    name: str
    type: str
    code: str


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file or folder: how deep it lies, its name, its bytes, and the node that it is about."""

    depth: int
    name: str
    size: int
    node: int = NO_NODE


@dataclass(frozen=True, slots=True)
class Exported:
    """What the view of an export shows.

    Attributes
    ----------
    function
        Name of the forward function.
    rows
        The schedule beside the code.
    memory
        What it is, its symbol, its bytes, and RAM or ROM.
    files
        The tree of files, from the top; nothing where none were written.
    """

    function: str
    rows: tuple[CodeRow, ...]
    memory: tuple[tuple[str, str, int, str], ...]
    files: tuple[FileRow, ...] = ()

    def to_meta(self) -> dict[str, Any]:
        """Give plain values for the browser."""
        return {
            "function": self.function,
            "rows": [[r.number, r.depth, r.node, r.name, r.type, r.code] for r in self.rows],
            "memory": [list(row) for row in self.memory],
            "files": [[f.depth, f.name, f.size, f.node] for f in self.files],
        }
