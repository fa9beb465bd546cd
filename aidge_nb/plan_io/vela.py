"""Read what Vela, the compiler for Ethos-U, prints with ``--verbose-allocation``.

The first table is the arena; those of read-only tensors, which lie in flash, follow it. Last ticks
are inclusive. Names may hold anything, so that rows are split from the left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory.values.plan import MemoryPlan
from aidge_nb.plan_io.rows import BufferRow, not_understood, plan_of_rows, short_name

_START = re.compile(r"Allocation, memory \w+, |Tensor Allocation for mem_area \w+, ")
_HEADING = re.compile(
    r"Start Time - +End Time *: Start Addr - +End Addr: Tensor Size: Memory Usage: "
    r"(Purpose +: )?Format +: Name"
)
_ROW = re.compile(
    r" *([0-9]{1,9}) - +([0-9]{1,9}): +0x([0-9a-f]{1,15}) - +0x([0-9a-f]{1,15}): +"
    r"([0-9]{1,18}): +[0-9]{1,18}: (.*)"
)
_PEAK = re.compile(
    r"Allocation Peak Tensor Size: +([0-9]{1,18})( bytes == | \( *0x[0-9a-f]+\) Bytes ).*KiB"
)
_ALIGNMENT = 16

Numbered = Iterator[tuple[int, str]]


def read_allocation(text: str, where: str) -> MemoryPlan:
    """Read the first table: what lies in the arena.

    Rows with equal times and addresses are one buffer: results in place, and other shapes.

    Raises
    ------
    MemoryPlanError
        Quoting the line that is not understood.
    """
    lines = iter(enumerate(text.splitlines(), 1))
    for _, line in lines:
        if _START.match(line):
            return _read_table(lines, where)
    expected = "a line that begins with Allocation, memory"
    raise MemoryPlanError.at(where, "holds no table of an arena", expected=expected)


def _read_table(lines: Numbered, where: str) -> MemoryPlan:
    number, line = next(lines, (0, ""))
    heading = _HEADING.fullmatch(line.rstrip())
    if heading is None:
        expected = "Start Time - End Time : Start Addr ..."
        raise not_understood(f"{where}, line {number}", line, expected)
    rows: list[BufferRow] = []
    for number, line in lines:
        end = _PEAK.fullmatch(line.rstrip())
        if end is None:
            rows.append(_row(line, f"{where}, line {number}", has_purpose=bool(heading[1])))
            continue
        plan = plan_of_rows(rows, where, alignment=_ALIGNMENT)
        if plan.peak != int(end[1]):
            raise MemoryPlanError.at(
                f"{where}, line {number}",
                "the rows above have another peak",
                expected=f"{plan.peak} bytes",
                found=repr(line[:200]),
            )
        return plan
    raise MemoryPlanError.at(where, "ends within a table", expected="Allocation Peak Tensor Size")


def _row(line: str, where: str, *, has_purpose: bool) -> BufferRow:
    found = _ROW.fullmatch(line)
    rest = [] if found is None else found[6].split(": ", 2 if has_purpose else 1)
    if found is None or len(rest) != (3 if has_purpose else 2):
        expected = "START - END: 0xADDRESS - 0xADDRESS: SIZE: USAGE: FORMAT: NAME"
        raise not_understood(where, line, expected)
    lower, last, size = int(found[1]), int(found[2]), int(found[5])
    start, stop = int(found[3], 16), int(found[4], 16)
    if last < lower or not 0 < size == stop - start:
        problem = "its times or addresses contradict each other"
        raise MemoryPlanError.at(where, problem, found=repr(line[:200]))
    name = short_name(rest[-1].strip())
    is_weight = rest[0].strip() == "Weights" or name.startswith("WB_")
    return BufferRow(name, lower, last + 1, size, start, "producer" if is_weight else "activation")
