"""Read the operations that Vela prints with ``--verbose-high-level-command-stream``.

Each operation of the NPU names its tensors with dims, format and address; the stream below them
names what is moved into the arena. Ticks are operations; those on the CPU are not printed. Element
types are not printed either: elements are taken as bytes, as those of 8-bit networks are. Weights
count while their operation runs, though some are moved while the one before runs, so that the bound
may be too low. Where the text has the tables of ``--verbose-allocation`` too, these are read
instead, which say all.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from math import prod

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory.values.live_range import round_up
from aidge_nb.memory.values.plan import MemoryPlan
from aidge_nb.plan_io.rows import BufferRow, not_understood, plan_of_rows, short_name

MARK = "High level NPU operations:"

_STREAM = "High level command stream:"
_OPERATION = re.compile(r"([0-9]{1,9}) (\S+) , subOps:.*")
_TENSOR = re.compile(
    r"  (IFM[2-9]?|OFM): (.*), \[([0-9]{1,9}(?:, [0-9]{1,9}){0,5})\], format: ([0-9]+), "
    r"(\w+):\S+, address: 0x([0-9a-f]{1,12})"
)
_WEIGHTS = re.compile(
    r"  Weights: (.*), ([0-9]{1,6}) ranges, buffering: \w+, (\w+):\S+, "
    r"address: 0x([0-9a-f]{1,12}), 0x(-1|[0-9a-f]{1,12}), format: .*"
)
_MOVE = re.compile(
    r"[0-9]+ DMA src: .*, dest: (\w+):\S+, address: 0x([0-9a-f]{1,12}), .*length: ([0-9]{1,12})"
)
_IN_BRICKS = "2"
"""The format NHCWB16: channels in bricks of 16."""

_ARENA, _ALIGNMENT = "Sram", 16


def read_stream(text: str, where: str) -> MemoryPlan:
    """Read the operations: what they read and write in the arena, and the weights moved there.

    A result at the address of an operand is in place, and an operand that nothing wrote is another
    shape of what was written there last: each is one buffer.

    Raises
    ------
    MemoryPlanError
        Quoting the line that is not understood.
    """
    lines = list(enumerate(text.splitlines(), 1))
    start = next((at for at, (_, line) in enumerate(lines) if line.strip() == MARK), None)
    if start is None:
        raise MemoryPlanError.at(where, "holds no operations", expected=MARK)
    found = _Operations(_moved(line for _, line in lines[start:]))
    for number, line in lines[start + 1 :]:
        if line.strip() == _STREAM:
            break
        found.add(line.rstrip(), f"{where}, line {number}")
    else:
        raise MemoryPlanError.at(where, "ends within the operations", expected=_STREAM)
    return plan_of_rows(found.rows(), where, alignment=_ALIGNMENT, steps=dict(enumerate(found.ops)))


def _moved(lines: Iterable[str]) -> dict[int, deque[tuple[int, int]]]:
    """Return the number and bytes of the moves to each address of the arena, in their order."""
    found: dict[int, deque[tuple[int, int]]] = {}
    for number, move in enumerate(filter(None, map(_MOVE.fullmatch, lines))):
        if move[1] == _ARENA:
            found.setdefault(int(move[2], 16), deque()).append((number, int(move[3])))
    return found


class _Operations:
    """Operations so far, and the rows of their tensors: each is first to last tick, and size."""

    def __init__(self, moved: dict[int, deque[tuple[int, int]]]) -> None:
        self.ops: list[str] = []
        self._moved = moved
        self._weights: list[BufferRow] = []
        self._written: dict[int, list[_Tensor]] = {}  # by address, the last one last
        self._read: set[int] = set()

    def add(self, line: str, where: str) -> None:
        """Add a line: the head of an operation, or one of its tensors."""
        head, tensor, weights = (form.fullmatch(line) for form in (_OPERATION, _TENSOR, _WEIGHTS))
        if head:
            self._read = set()
            self.ops.append(head[2])
        elif tensor and self.ops:
            if tensor[5] == _ARENA:
                self._tensor(tensor)
        elif weights and self.ops:
            if weights[3] == _ARENA:
                self._staged(weights, where)
        else:
            expected = "N OPERATION , subOps: ..., or IFM, OFM or Weights: NAME, ..."
            raise not_understood(where, line, expected)

    def _tensor(self, found: re.Match[str]) -> None:
        tick, at = len(self.ops) - 1, int(found[6], 16)
        dims = [int(each) for each in found[3].split(", ")]
        if found[4] == _IN_BRICKS:
            dims[-1] = round_up(dims[-1], 16)
        size, name = max(1, prod(dims)), found[2].strip()
        here = self._written.setdefault(at, [])
        is_result = found[1] == "OFM"
        same = next((each for each in reversed(here) if name in each.names), None)
        if same is None and here and (not is_result or at in self._read):
            same = here[-1]
        if same is None:
            is_input = found[1] in ("IFM", "IFM2")  # others that nothing wrote are scratch
            same = _Tensor(0 if is_input else tick, is_input)
            here.append(same)
        same.names.setdefault(name)
        same.size = max(same.size, size)
        same.last = tick
        same.is_read = not is_result
        if not is_result:
            self._read.add(at)

    def _staged(self, found: re.Match[str], where: str) -> None:
        tick, name = len(self.ops) - 1, short_name(found[1])
        places = [int(text, 16) for text in (found[4], found[5]) if text != "-1"]
        sizes = dict.fromkeys(places, 0)
        for _ in range(int(found[2])):  # the next moves to one of these addresses
            waiting = [at for at in sizes if self._moved.get(at)]
            if not waiting:
                problem, expected = "its weights are not moved", f"DMA to 0x{places[0]:x}"
                raise MemoryPlanError.at(where, problem, expected=expected)
            at = min(waiting, key=lambda each: self._moved[each][0])
            sizes[at] = max(sizes[at], self._moved[at].popleft()[1])
        self._weights += (
            BufferRow(name, tick, tick + 1, size, at, "producer")
            for at, size in sizes.items()
            if size
        )

    def rows(self) -> list[BufferRow]:
        """Return all rows; what is written and never read lives to the end."""
        rows = list(self._weights)
        for at, tensors in self._written.items():
            for each in tensors:
                upper = each.last + 1 if each.is_read else len(self.ops)
                kind = "input" if each.is_input else "activation"
                rows += (
                    BufferRow(short_name(name), each.first, upper, each.size, at, kind)
                    for name in each.names
                )
        return sorted(rows, key=lambda row: (row.lower, row.offset or 0))


class _Tensor:
    """Bytes at an address: all names that they have, their size, and when they live."""

    def __init__(self, first: int, is_input: bool) -> None:
        self.names: dict[str, None] = {}
        self.first = self.last = first
        self.size = 0
        self.is_input = is_input
        self.is_read = False
