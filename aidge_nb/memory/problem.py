"""Static memory planning problems as CSV, in the format of minimalloc.

One line per buffer, header ``id,lower,upper,size`` and perhaps ``offset``: the buffer is live on
the half-open ticks [lower, upper) and takes ``size`` bytes. Solutions have the column ``offset``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping

from aidge_nb.errors import MemoryPlanError, explain
from aidge_nb.memory.lower_bound import LiveRange

__all__ = ["read_problem", "write_solution"]

_COLUMNS = ("id", "lower", "upper", "size")


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
        Naming the line and what is wrong with it: header, id that comes twice, no whole number.

    Examples
    --------
    >>> read_problem("id,lower,upper,size\na,0,2,10\n")
    {'a': LiveRange(lower=0, upper=2, size=10)}
    """
    rows = csv.DictReader(io.StringIO(text))
    header = [name.strip() for name in rows.fieldnames or ()]
    if not set(_COLUMNS) <= set(header):
        raise MemoryPlanError(
            explain(
                f"{where}, line 1",
                "wrong header",
                expected=",".join(_COLUMNS),
                found=",".join(header) or "nothing",
            )
        )
    rows.fieldnames = header
    found: dict[str, LiveRange] = {}
    for row in rows:
        line = f"{where}, line {rows.line_num}"
        if row["id"] in found:
            raise MemoryPlanError(explain(line, "this id comes twice", found=row["id"]))
        try:
            found[row["id"]] = LiveRange(*(int(row[name]) for name in _COLUMNS[1:]))
        except (TypeError, ValueError) as error:
            raise MemoryPlanError(
                explain(
                    f"{line}, buffer {row['id']}",
                    "not a whole number",
                    expected="lower, upper and size",
                    found=", ".join(str(row[name]) for name in _COLUMNS[1:]),
                )
            ) from error
    return found


def write_solution(problem: Mapping[str, LiveRange], offsets: Iterable[int]) -> str:
    """Write a problem and the offsets of its buffers.

    Examples
    --------
    >>> print(write_solution({"a": LiveRange(0, 2, 10)}, [0]), end="")
    id,lower,upper,size,offset
    a,0,2,10,0
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow((*_COLUMNS, "offset"))
    for (name, live_range), offset in zip(problem.items(), offsets, strict=True):
        writer.writerow((name, *live_range, offset))
    return stream.getvalue()
