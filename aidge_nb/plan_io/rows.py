"""Turn rows of another tool, each a buffer with times and an address, into a memory plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from aidge_nb.core.errors import MemoryPlanError, listed
from aidge_nb.memory.check.plan import check_plan
from aidge_nb.memory.place.planners import checked_buffers
from aidge_nb.memory.place.planners import plan as place
from aidge_nb.memory.values.live_range import LiveRange, lower_bound, round_up
from aidge_nb.memory.values.plan import Buffer, MemoryPlan

MOST_TICKS = 10_000
"""Ticks up to which a plan keeps those of its file; later ones are numbered anew."""

_LONG_NAME = 60
"""Characters of a name that a message shows."""


@dataclass(frozen=True, slots=True)
class BufferRow:
    """A buffer as a file lists it.

    Attributes
    ----------
    name
        Its name; may come twice.
    lower, upper
        It lives on [lower, upper), in ticks of the file.
    size
        Bytes.
    offset
        Where it lies; None where the file does not say.
    kind
        As :attr:`~aidge_nb.memory.Buffer.kind`.
    """

    name: str
    lower: int
    upper: int
    size: int
    offset: int | None = None
    kind: str = "activation"

    @property
    def live_range(self) -> LiveRange:
        """When it lives, and its size."""
        return LiveRange(self.lower, self.upper, self.size)


def plan_of_rows(
    rows: Sequence[BufferRow],
    where: str,
    *,
    alignment: int = 1,
    steps: Mapping[int, str] | None = None,
) -> MemoryPlan:
    """Make a plan of rows, and check it.

    Rows with equal times and bytes are one buffer with several names: the later ones become views
    of the first. Sizes are rounded up to the alignment if all offsets keep it; else the plan has
    none. Rows without offsets are placed.

    Parameters
    ----------
    rows
        All buffers of the file.
    where
        Its name, for messages.
    alignment
        What the tool aligns to.
    steps
        What runs at a tick, by the file's ticks; by default it is called ``tick 5``.

    Raises
    ------
    MemoryPlanError
        When there are no rows, or two buffers overlap while both live.

    Examples
    --------
    >>> plan_of_rows([BufferRow("a", 0, 2, 8, 0), BufferRow("b", 1, 3, 8, 8)], "file")
    MemoryPlan(2 buffers, 3 ticks, peak 16 bytes, optimal)
    """
    if not rows:
        raise MemoryPlanError.at(where, "lists no buffers", expected="1 or more")
    if any((each.offset or 0) % alignment for each in rows):
        alignment = 1
    rows = [replace(each, size=round_up(each.size, alignment)) for each in rows]
    own, views = _without_views(rows)
    ranges, _ = checked_buffers([each.live_range for each in own], alignment)
    if any(each.offset is None for each in own):
        found = place(ranges, alignment=alignment).offsets
        own = [replace(each, offset=at) for each, at in zip(own, found, strict=True)]
    order, tick = _ticks(rows, steps or {})
    names = _NameGiver()
    buffers = []
    for number, each in enumerate(own):
        first = _buffer(each, names.unique(each.name), tick)
        others = [_buffer(view, names.unique(view.name), tick) for view in views[number]]
        buffers += [
            first,
            *(replace(other, offset=first.offset, view_of=first.name) for other in others),
        ]
    plan = MemoryPlan(
        order=order,
        buffers=tuple(buffers),
        peak=max(each.end for each in buffers),
        lower_bound=lower_bound(ranges).size,
        alignment=alignment,
    )
    return checked_plan(plan, where)


def chosen_arena(arenas: Sequence[str], arena: str | None, where: str) -> str | None:
    """Return the arena that was asked for, or None if none was.

    Raises
    ------
    MemoryPlanError
        Naming all arenas of the file, when it has none of that name.

    Examples
    --------
    >>> chosen_arena(["CPU", "CUDA 0"], "CUDA 0", "file")
    'CUDA 0'
    """
    if arena is not None and arena not in arenas:
        raise MemoryPlanError.at(
            where,
            "holds no such arena",
            expected=listed([repr(each[:_LONG_NAME]) for each in arenas], most=20),
            found=repr(arena[:_LONG_NAME]),
        )
    return arena


def not_understood(where: str, line: str, expected: str | None = None) -> MemoryPlanError:
    """Return the error for a line of another form, which it quotes."""
    found = repr(line[:200])
    return MemoryPlanError.at(where, "is not understood", expected=expected, found=found)


def short_name(name: str) -> str:
    """Return a name, or the first of the names of operators that were fused, if it is long."""
    return name if len(name) <= _LONG_NAME else name.partition(";")[0]


def checked_plan(plan: MemoryPlan, where: str) -> MemoryPlan:
    """Return a plan if it keeps all rules; raise MemoryPlanError, naming the file, if not."""
    try:
        check_plan(plan)
    except MemoryPlanError as error:
        raise MemoryPlanError(f"{where}: {error}") from None
    return plan


def _without_views(rows: Sequence[BufferRow]) -> tuple[list[BufferRow], list[list[BufferRow]]]:
    """Return the rows that have bytes of their own, and for each the others of the same bytes."""
    own: list[BufferRow] = []
    views: list[list[BufferRow]] = []
    number_of: dict[tuple[int, int, int, int], int] = {}
    for each in rows:
        if each.offset is not None:
            key = (*each.live_range, each.offset)
            number = number_of.setdefault(key, len(own))
            if number < len(own):
                views[number].append(each)
                continue
        own.append(each)
        views.append([])
    return own, views


def _ticks(
    rows: Sequence[BufferRow], steps: Mapping[int, str]
) -> tuple[tuple[str, ...], Mapping[int, int]]:
    """Return what runs at each tick of the plan, and its ticks by those of the file."""
    times = sorted({time for each in rows for time in (each.lower, each.upper)})
    if times[0] >= 0 and times[-1] <= MOST_TICKS:
        times = list(range(times[-1] + 1))
    order = tuple(steps.get(time, f"tick {time}") for time in times[:-1])
    return order, {time: number for number, time in enumerate(times)}


def _buffer(row: BufferRow, name: str, tick: Mapping[int, int]) -> Buffer:
    lower, upper = tick[row.lower], tick[row.upper]
    return Buffer(name, name, 0, row.size, lower, upper, row.offset or 0, row.kind)


class _NameGiver:
    """The names given so far, so that each buffer has one of its own."""

    def __init__(self) -> None:
        self._count: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """Return the name, with a number if it was given before."""
        while (count := self._count.get(name, 0)) > 0:
            self._count[name] = count + 1
            name = f"{name} ({count + 1})"
        self._count[name] = 1
        return name
