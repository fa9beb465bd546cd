"""Static memory planning problems as CSV, in the format of minimalloc.

One line per buffer, header ``id,lower,upper,size`` and perhaps ``offset``: the buffer is live on
the half-open ticks [lower, upper) and takes ``size`` bytes. Solutions have the column ``offset``.
Other headings of minimalloc are read, too: ``buffer`` and ``buffer_id`` for ``id``, ``start`` and
``begin`` for ``lower``, and ``end``, the last tick, for ``upper``. Lines before the header that
begin with ``#``, as omnimalloc writes them, are left out.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.text import csv_plain, csv_text
from aidge_nb.memory.values.live_range import LiveRange

_COLUMNS = ("id", "lower", "upper", "size")

_OTHER_NAMES = {
    "buffer": "id",
    "buffer_id": "id",
    "start": "lower",
    "begin": "lower",
    "end": "upper",
}

_WHOLE = re.compile(r"[+-]?[0-9]{1,20}")

_LARGEST = 1 << 62
"""Sums are taken in 64 bits."""


def read_problem(text: str, where: str = "problem") -> dict[str, LiveRange]:
    r"""Read a problem.

    Parameters
    ----------
    text
        The content of the file.
    where
        Its name, for messages.

    Returns
    -------
    dict
        The live range of each buffer by its id, in the order of the file.

    Raises
    ------
    MemoryPlanError
        Naming the line and what is wrong with it: header, an id that comes twice, what is no whole
        number, no live range or no size.

    Examples
    --------
    >>> read_problem("id,lower,upper,size\na,0,2,10\n")
    {'a': LiveRange(lower=0, upper=2, size=10)}
    """
    return read_solution(text, where)[0]


def read_solution(
    text: str, where: str = "problem"
) -> tuple[dict[str, LiveRange], list[int] | None]:
    r"""Read a problem and, if there is a column ``offset``, where its buffers lie.

    Parameters and errors are those of :func:`read_problem`.

    Examples
    --------
    >>> read_solution("id,lower,upper,size,offset\na,0,2,10,64\n")
    ({'a': LiveRange(lower=0, upper=2, size=10)}, [64])
    """
    rows = csv.reader(csv_lines(text))
    try:
        written = header_of(rows)
        header = [_OTHER_NAMES.get(name, name) for name in written]
        _check_header(header, f"{where}, line {rows.line_num or 1}", written)
        more = int("end" in written)
        ranges: dict[str, LiveRange] = {}
        offsets: list[int] = []
        for cells in rows:
            if cells:
                line = f"{where}, line {rows.line_num}"
                _read_row(header, cells, line, ranges, offsets, more)
    except csv.Error as error:
        raise MemoryPlanError.at(f"{where}, line {rows.line_num}", str(error)) from error
    return ranges, offsets if "offset" in header else None


def csv_lines(text: str) -> Iterator[str]:
    """Yield the lines of a CSV file; those that begin with ``#`` before the header are empty."""
    is_before = True
    for line in io.StringIO(text, newline=""):
        is_before = is_before and line.startswith("#")
        yield "\n" if is_before else line


def header_of(rows: Iterator[list[str]]) -> list[str]:
    """Return the headings of the columns, as they are written."""
    return [name.strip() for name in next((cells for cells in rows if cells), [])]


def _check_header(header: list[str], where: str, written: list[str]) -> None:
    if not set(_COLUMNS) <= set(header):
        expected, found = ",".join(_COLUMNS), ",".join(written)[:200] or "nothing"
        raise MemoryPlanError.at(where, "wrong header", expected=expected, found=found)
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise MemoryPlanError.at(where, "a column comes twice", found=", ".join(twice))


def _read_row(
    header: list[str],
    cells: list[str],
    line: str,
    ranges: dict[str, LiveRange],
    offsets: list[int],
    more: int,
) -> None:
    if len(cells) != len(header):
        problem = "wrong number of cells"
        raise MemoryPlanError.at(line, problem, expected=len(header), found=len(cells))
    row = dict(zip(header, cells, strict=True))
    name = csv_plain(row["id"])
    if name in ranges:
        raise MemoryPlanError.at(line, "this id comes twice", found=name)
    where = f"{line}, buffer {name}"
    lower, upper, size = (_whole(row[column], column, where) for column in _COLUMNS[1:])
    ranges[name] = LiveRange(lower, upper + more, size).checked(where)
    if "offset" in row:
        offsets.append(_whole(row["offset"], "offset", where))


def _whole(text: str, column: str, where: str) -> int:
    if not _WHOLE.fullmatch(text.strip()):
        raise MemoryPlanError.at(where, f"{column} is not a whole number", found=repr(text[:40]))
    number = int(text.strip())  # which takes more for blank than int() does
    if abs(number) >= _LARGEST:
        problem, expected = f"{column} is too large", "less than 2**62"
        raise MemoryPlanError.at(where, problem, expected=expected, found=number)
    return number


def write_solution(problem: Mapping[str, LiveRange], offsets: Iterable[int]) -> str:
    """Write a problem and the offsets of its buffers.

    Examples
    --------
    >>> print(write_solution({"a": LiveRange(0, 2, 10)}, [0]), end="")
    id,lower,upper,size,offset
    a,0,2,10,0
    """
    rows = (
        (name, *live, offset) for (name, live), offset in zip(problem.items(), offsets, strict=True)
    )
    return csv_text([(*_COLUMNS, "offset"), *rows])
