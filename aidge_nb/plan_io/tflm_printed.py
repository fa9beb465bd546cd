"""Read what ``PrintMemoryPlan`` of TensorFlow Lite Micro prints.

Source: greedy_memory_planner.cc in tensorflow/tflite-micro. A line for each buffer comes first,
then a picture of the arena, a line for each tick.
"""

from __future__ import annotations

import re

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory.values.plan import MemoryPlan
from aidge_nb.plan_io.rows import BufferRow, plan_of_rows

_MARK = re.compile(r"\(id=[0-9]")
_BUFFER = re.compile(
    r"\(id=([0-9]{1,9})\): size=([0-9]{1,18}), offset=([0-9]{1,18}), "
    r"first_used=([0-9]{1,9}) last_used=([0-9]{1,9})\s*"
)
_ALIGNMENT = 16


def read_printed(text: str, where: str) -> MemoryPlan:
    """Read the lines of buffers; the last tick in which one is used is its last.

    Other lines are passed over: the picture says nothing more, and has 80 columns.

    Raises
    ------
    MemoryPlanError
        Quoting the line that is not understood.
    """
    rows: dict[int, BufferRow] = {}
    for number, line in enumerate(text.splitlines(), 1):
        mark = _MARK.search(line)
        if mark is None:
            continue
        found = _BUFFER.fullmatch(line, mark.start())
        buffer, size, offset, first, last = map(int, found.groups()) if found else (-1,) * 5
        if found is None or buffer in rows or last < first:
            problem = "says the same a second time" if buffer in rows else "is not understood"
            raise MemoryPlanError.at(f"{where}, line {number}", problem, found=repr(line[:200]))
        rows[buffer] = BufferRow(f"buffer {buffer}", first, last + 1, size, offset)
    sized = [each for each in rows.values() if each.size]
    return plan_of_rows(sized, where, alignment=_ALIGNMENT)
