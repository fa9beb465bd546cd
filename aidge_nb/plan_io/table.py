"""Read plans from CSV: minimalloc's, omnimalloc's, and what :meth:`MemoryPlan.to_csv` writes."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator, Mapping

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.text import csv_plain
from aidge_nb.memory.place.problem import csv_lines, header_of, read_solution
from aidge_nb.memory.values.live_range import LiveRange
from aidge_nb.memory.values.part import Level
from aidge_nb.memory.values.plan import BUFFER_KINDS, Buffer, MemoryPlan
from aidge_nb.plan_io.rows import BufferRow, checked_plan, plan_of_rows

KINDS = {
    "WORKSPACE": "activation",
    "CONSTANT": "producer",
    "INPUT": "input",
    "OUTPUT": "activation",
}
"""Kinds of buffers, by the names that omnimalloc gives them."""

MOST_OWN_TICKS = 1_000_000
"""Longest plan of our own that is read."""

_LEVEL = re.compile(r"([0-9]{1,9})x([0-9]{1,18})")


def read_csv_plan(text: str, where: str) -> MemoryPlan:
    """Read a plan, or a problem, whose buffers are then placed.

    Raises
    ------
    MemoryPlanError
        Naming the line and what is wrong with it.
    """
    ranges, offsets = read_solution(text, where)
    if is_own_table(text):
        return _own_plan(text, where, ranges, offsets)
    rows, alignment = [], 1
    places: list[int | None] = [*offsets] if offsets is not None else [None] * len(ranges)
    cells = _rows(text, where)
    for (name, live), offset, (line, row) in zip(ranges.items(), places, cells, strict=True):
        if row.get("gaps", "").strip():
            problem, found = "a buffer with gaps in its life cannot be read", repr(row["gaps"][:40])
            raise MemoryPlanError.at(line, problem, expected="no gaps", found=found)
        kind = row.get("kind", "").strip() or "WORKSPACE"
        if kind not in KINDS:
            raise MemoryPlanError.at(
                line, "unknown kind", expected=" or ".join(KINDS), found=repr(kind[:40])
            )
        alignment = max(alignment, _number(row.get("alignment", ""), "alignment", line, 1))
        rows.append(BufferRow(name, *live, offset, KINDS[kind]))
    return plan_of_rows(rows, where, alignment=alignment)


def is_own_table(text: str) -> bool:
    """Return whether a CSV is the table of one of our plans."""
    return {"node", "in_place_of", "view_of"} <= set(header_of(csv.reader(csv_lines(text))))


def _rows(text: str, where: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the cells of each line by heading, and where it stands."""
    rows = csv.reader(csv_lines(text))
    header = header_of(rows)
    for cells in rows:
        if cells:
            yield f"{where}, line {rows.line_num}", dict(zip(header, cells, strict=True))


def _own_plan(
    text: str, where: str, ranges: Mapping[str, LiveRange], offsets: list[int] | None
) -> MemoryPlan:
    if offsets is None:
        raise MemoryPlanError.at(
            f"{where}, line 1", "wrong header", expected="a column offset", found="none"
        )
    ticks = max((each.upper for each in ranges.values()), default=0)
    if not 0 < ticks <= MOST_OWN_TICKS:
        expected = f"1 to {MOST_OWN_TICKS} ticks"
        raise MemoryPlanError.at(
            where, "is not the table of a plan", expected=expected, found=ticks
        )
    order = [f"tick {tick}" for tick in range(ticks)]
    buffers = []
    lines = zip(ranges.items(), offsets, _rows(text, where), strict=True)
    for (name, live), offset, (line, row) in lines:
        buffer = _own_buffer(row, line, name, live, offset, ranges)
        buffers.append(buffer)
        if buffer.kind == "activation" and buffer.lower >= 0:
            order[buffer.lower] = buffer.node
    plan = MemoryPlan(tuple(order), tuple(buffers), max(each.end for each in buffers), 0)
    most = max(plan.live_bytes(), default=0)
    plan = MemoryPlan(plan.order, plan.buffers, plan.peak, min(most, plan.peak))
    return checked_plan(plan, where)


def _own_buffer(
    row: Mapping[str, str],
    line: str,
    name: str,
    live: LiveRange,
    offset: int,
    known: Collection[str],
) -> Buffer:
    kind = row.get("kind", "activation")
    if kind not in BUFFER_KINDS:
        expected = " or ".join(BUFFER_KINDS)
        raise MemoryPlanError.at(line, "unknown kind", expected=expected, found=repr(kind[:40]))
    numbers = {
        column: _number(row.get(column, ""), column, line)
        for column in ("output", "execution", "wrapped_offset", "wrapped_size", "rows")
    }
    views = _names(row["view_of"], known, line)
    return Buffer(
        name,
        csv_plain(row["node"]),
        size=live.size,
        lower=live.lower,
        upper=live.upper,
        offset=offset,
        kind=kind,
        in_place_of=_names(row["in_place_of"], known, line),
        view_of=views[0] if views else None,
        made_of=_names(row.get("made_of", ""), known, line),
        levels=_levels(row.get("levels", ""), line),
        **numbers,
    )


def _number(text: str, column: str, line: str, least: int = 0) -> int:
    """Read a number; an empty cell and -1, which stands for none, are the least."""
    text = text.strip()
    if text in ("", "-1"):
        return least
    if not text.isdecimal() or len(text) > 18 or int(text) < least:
        expected = f"a whole number from {least} on"
        raise MemoryPlanError.at(line, f"wrong {column}", expected=expected, found=repr(text[:40]))
    return int(text)


def _names(cell: str, known: Collection[str], line: str) -> tuple[str, ...]:
    """Split names at blanks, which names may hold, too."""
    words, found = csv_plain(cell).split(" "), list[str]()
    while words and words != [""]:
        count = next((n for n in range(len(words), 0, -1) if " ".join(words[:n]) in known), 0)
        if not count:
            raise MemoryPlanError.at(line, "names a buffer that is not there", found=words[0][:80])
        found.append(" ".join(words[:count]))
        words = words[count:]
    return tuple(found)


def _levels(cell: str, line: str) -> tuple[Level, ...]:
    found = [_LEVEL.fullmatch(word) for word in cell.split()]
    if None in found:
        expected = "such as 4x128"
        raise MemoryPlanError.at(line, "wrong levels", expected=expected, found=repr(cell[:40]))
    return tuple((int(each[1]), int(each[2])) for each in found if each)
