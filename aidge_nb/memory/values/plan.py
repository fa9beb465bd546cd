"""Memory plans as values: which bytes of the arena hold what, and when.

Plans are frozen, hold no graph, and are what pictures, reports, exports and the runtime read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, field, fields
from typing import Any

import numpy as np

from aidge_nb.core.errors import MemoryPlanError, reading
from aidge_nb.core.forms import read_form
from aidge_nb.core.pictures import Shown
from aidge_nb.core.text import csv_text
from aidge_nb.core.values import dataclass
from aidge_nb.memory.values.options import PlanOptions
from aidge_nb.memory.values.part import Level, Part

BUFFER_KINDS = ("activation", "producer", "input", "scratch")


@dataclass(frozen=True, slots=True)
class Buffer:
    """One value in memory.

    Attributes
    ----------
    name
        Unique in the plan: the node, ``:1`` for its second output, ``[2]`` for a third execution.
    node, output
        Which output of which node it is; for an input of the graph, the node that reads it first.
    size
        Bytes.
    lower, upper
        It lives on the half-open ticks [lower, upper): from the one that writes it to the tick
        after the last one that reads it.
    offset
        Where it starts in the arena, in bytes.
    kind
        ``activation``, ``producer`` (parameters), ``input`` (of the graph), or ``scratch``
        (working memory of an exported program).
    execution
        Which execution of the node writes it.
    in_place_of
        The buffers whose bytes it takes over at the tick that writes it, which is their last. One
        of them may be a part of a whole that lives on: of that, only other parts are read later.
    view_of
        The buffer that it *is*, under other dimensions, or a part of which it is (Slice, Split).
    made_of
        The buffers that it is made of where they are: inputs of a Concat that were computed at
        their place in the result.
    levels
        How blocks of equal size repeat in which it lies: from the outermost level, how often, and
        how many bytes further each time. Most lie in one block.
    rows
        Not 0 where it lies row by row, each with all of its channels: the rows of a sample. Then
        what ``in_place_of`` names may be overwritten row by row as it is consumed.
    wrapped_offset, wrapped_size
        Bytes at its end that lie elsewhere: at ``wrapped_offset``, where its space begins.
    """

    name: str
    node: str
    output: int
    size: int
    lower: int
    upper: int
    offset: int
    kind: str = "activation"
    execution: int = 0
    in_place_of: tuple[str, ...] = ()
    view_of: str | None = None
    wrapped_offset: int = 0
    wrapped_size: int = 0
    made_of: tuple[str, ...] = ()
    levels: tuple[Level, ...] = ()
    rows: int = 0

    @property
    def part(self) -> Part:
        """Where its bytes lie, in their order, unless it wraps around."""
        return Part(self.offset, self.size, self.levels)

    @property
    def shares_with(self) -> tuple[str, ...]:
        """The buffers whose bytes it takes over or shares."""
        views = () if self.view_of is None else (self.view_of,)
        return (*views, *self.in_place_of, *self.made_of)

    @property
    def intervals(self) -> tuple[tuple[int, int], ...]:
        """The bytes it takes: one half-open interval, two when it wraps around, or its blocks."""
        if self.levels:
            return self.part.intervals
        first = (self.offset, self.offset + self.size - self.wrapped_size)
        if not self.wrapped_size:
            return (first,)
        return (first, (self.wrapped_offset, self.wrapped_offset + self.wrapped_size))

    @property
    def end(self) -> int:
        """The highest byte it takes, plus one."""
        if self.levels:
            return self.offset + self.part.extent
        return max(stop for _, stop in self.intervals)

    def is_live(self, tick: int) -> bool:
        """Return whether it lives at a tick."""
        return self.lower <= tick < self.upper


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """How much of one of several memories a plan uses.

    Attributes
    ----------
    name, capacity, priority
        The memory; its size in bytes.
    base
        Where it begins in the addresses of the plan.
    peak
        How much of it is needed, in bytes.
    lower_bound
        Bytes that the buffers that lie in it need in any case.
    """

    name: str
    capacity: int
    priority: int
    base: int
    peak: int
    lower_bound: int

    def holds(self, buffer: Buffer) -> bool:
        """Return whether a buffer lies in it."""
        return self.base <= buffer.offset and buffer.end <= self.base + self.peak


@dataclass(frozen=True, slots=True, repr=False)
class MemoryPlan(Shown):
    """A memory layout over the executions of a graph.

    Attributes
    ----------
    order
        Name of the node that is executed at each tick.
    buffers
        What lies in the arena.
    peak
        Size of the arena in bytes.
    lower_bound
        Bytes that no placement of these buffers can do without. Parts that lie in several blocks
        count from the first block to the last: bytes between them stay free, so that it can be
        more than the largest of :meth:`live_bytes`.
    alignment
        Offsets are multiples of it, in bytes.
    memories
        Where there are several, in the order of their addresses in the plan; none where all
        is in one.
    options
        What :func:`~aidge_nb.memory.plan_memory` was asked for; None for other plans. Plans with
        the same layout are equal even if their options differ.

    Examples
    --------
    >>> plan = MemoryPlan(
    ...     order=("a", "b"),
    ...     buffers=(Buffer("a", "a", 0, 64, 0, 2, 0), Buffer("b", "b", 0, 32, 1, 2, 64)),
    ...     peak=96,
    ...     lower_bound=96,
    ... )
    >>> plan
    MemoryPlan(2 buffers, 2 ticks, peak 96 bytes, optimal)
    >>> [buffer.name for buffer in plan.live_set()]
    ['a', 'b']
    """

    order: tuple[str, ...]
    buffers: tuple[Buffer, ...]
    peak: int
    lower_bound: int
    alignment: int = 1
    memories: tuple[MemoryUse, ...] = ()
    options: PlanOptions | None = field(default=None, compare=False)

    # --- figures ----------------------------------------------------------------------------

    @property
    def gap(self) -> int:
        """Bytes between the peak and the lower bound."""
        return self.peak - self.lower_bound

    @property
    def is_optimal(self) -> bool:
        """Return whether the peak is proven to be the least for these buffers."""
        return self.gap == 0

    @property
    def efficiency(self) -> float:
        """Lower bound over peak: 1 is optimal."""
        return self.lower_bound / self.peak if self.peak else 1.0

    @property
    def fragmentation(self) -> float:
        """Part of the arena that is lost to holes when most is live."""
        return 1.0 - self.efficiency

    def live_bytes(self) -> tuple[int, ...]:
        """Return the bytes in use at each tick; shared bytes count once.

        Bytes between the blocks of a part are not in use.
        """
        ticks = len(self.order)
        known = [each for each in self.buffers if each.lower < min(each.upper, ticks)]
        pieces = [each.intervals for each in known]
        ends = [place for piece in pieces for interval in piece for place in interval]
        kind = np.int64 if max(ends, default=0) < 1 << 63 else object
        places = np.array(sorted({0, *ends}), kind)
        numbers = np.searchsorted(places, np.array(ends, kind))
        changes: list[list[tuple[Any, Any, int]]] = [[] for _ in range(ticks + 1)]
        begin = 0
        for buffer, piece in zip(known, pieces, strict=True):
            stop = begin + 2 * len(piece)
            at = numbers[begin:stop:2], numbers[begin + 1 : stop : 2]
            changes[max(0, buffer.lower)].append((*at, 1))
            changes[min(buffer.upper, ticks)].append((*at, -1))
            begin = stop
        sizes = np.diff(places)
        steps = np.zeros(len(places), np.int64)  # users that begin at a place, less those that end
        found = []
        for tick in range(ticks):
            for firsts, lasts, change in changes[tick]:
                steps[firsts] += change  # no interval of a buffer begins where another one does
                steps[lasts] -= change
            found.append(int(sizes[steps[:-1].cumsum() > 0].sum()))
        return tuple(found)

    @property
    def peak_tick(self) -> int:
        """The first tick at which most bytes are in use."""
        live = self.live_bytes()
        return live.index(max(live)) if live else 0

    def live_set(self, tick: int | None = None) -> tuple[Buffer, ...]:
        """Return the buffers alive at a tick (by default the peak), the largest first."""
        when = self.peak_tick if tick is None else tick
        live = (buffer for buffer in self.buffers if buffer.is_live(when))
        return tuple(sorted(live, key=lambda buffer: (-buffer.size, buffer.lower, buffer.name)))

    def memory_of(self, buffer: Buffer) -> str | None:
        """Name the memory that a buffer lies in; None where there is only one."""
        return next((use.name for use in self.memories if use.holds(buffer)), None)

    # --- other forms ------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, for JSON; :meth:`from_dict` reads them."""
        return asdict(self)

    @classmethod
    @reading("memory plan", MemoryPlanError)
    def from_dict(cls, values: Mapping[str, Any]) -> MemoryPlan:
        """Read what :meth:`to_dict` gave.

        Raises
        ------
        MemoryPlanError
            When a field is missing or unknown.
        """
        plan: MemoryPlan = read_form(values, cls, "memory plan", MemoryPlanError)
        for number, each in enumerate(plan.buffers):
            if each.kind not in BUFFER_KINDS:
                place, known = f"memory plan: buffers[{number}].kind", " or ".join(BUFFER_KINDS)
                found = repr(each.kind)
                raise MemoryPlanError.at(place, "unknown value", expected=known, found=found)
        return plan

    def to_csv(self) -> str:
        """Return one line per buffer: ``id,lower,upper,size,offset`` as minimalloc, then the rest.

        Where there are several memories, the last column names the one that a buffer lies in;
        offsets are addresses of the plan, in which memories follow each other.
        """
        first = ("name", "lower", "upper", "size", "offset")
        rest = [each.name for each in fields(Buffer) if each.name not in first]
        last = ("memory",) if self.memories else ()
        rows: list[Iterable[object]] = [("id", *first[1:], *rest, *last)]
        for buffer in self.buffers:
            row = [getattr(buffer, name) for name in (*first, *rest)]
            row += [self.memory_of(buffer)] if self.memories else []
            rows.append(map(_cell, row))
        return csv_text(rows)

    def __repr__(self) -> str:
        verdict = "optimal" if self.is_optimal else f"lower bound {self.lower_bound} bytes"
        return (
            f"MemoryPlan({len(self.buffers)} buffers, {len(self.order)} ticks, "
            f"peak {self.peak} bytes, {verdict})"
        )


def _cell(value: object) -> object:
    if isinstance(value, tuple):
        return " ".join(each if isinstance(each, str) else _level(each) for each in value)
    return "" if value is None else value


def _level(level: Level) -> str:
    return "x".join(map(str, level))
