"""Independent checks of memory layouts: slow, obvious, and naming the rule that is broken.

They share nothing with the planners but the values that they check.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory.values.part import Interval
from aidge_nb.memory.values.plan import Buffer, MemoryPlan


def check_plan(plan: MemoryPlan) -> None:
    """Check every rule that a memory plan must keep.

    Raises
    ------
    MemoryPlanError
        Naming the first rule that is broken, the buffers and the tick.

    Examples
    --------
    >>> check_plan(
    ...     MemoryPlan(
    ...         order=("a", "b"),
    ...         buffers=(Buffer("a", "a", 0, 64, 0, 2, 0), Buffer("b", "b", 0, 32, 1, 2, 60)),
    ...         peak=92,
    ...         lower_bound=92,
    ...     )
    ... )
    Traceback (most recent call last):
    aidge_nb.core.errors.MemoryPlanError: buffers a and b: overlap at tick 1 (b) in bytes 60 to 64
    """
    by_name: dict[str, Buffer] = {}
    for buffer in plan.buffers:
        if buffer.name in by_name:
            raise MemoryPlanError.at(f"buffer {buffer.name}", "there are two of this name")
        _check_buffer(buffer, plan)
        _check_sharing(buffer, by_name)
        by_name[buffer.name] = buffer
    _check_overlaps(plan, by_name)
    _check_memories(plan)
    _check_figures(plan)


def _check_buffer(buffer: Buffer, plan: MemoryPlan) -> None:
    where = f"buffer {buffer.name}"
    if not 0 <= buffer.lower < buffer.upper <= len(plan.order):
        raise MemoryPlanError.at(
            where,
            "live range is not inside the schedule",
            expected=f"0 <= lower < upper <= {len(plan.order)}",
            found=f"[{buffer.lower}, {buffer.upper})",
        )
    if not 0 <= buffer.wrapped_size <= buffer.size:
        raise MemoryPlanError.at(
            where, "wrong sizes", found=f"{buffer.size}, wrapped {buffer.wrapped_size}"
        )
    if buffer.levels:
        _check_levels(buffer)
    for start, stop in buffer.intervals:
        if start < 0:
            raise MemoryPlanError.at(where, "negative offset", found=start)
        if stop > plan.peak:
            raise MemoryPlanError.at(
                where, "reaches beyond the peak", expected=plan.peak, found=stop
            )
    if buffer.offset % plan.alignment and not buffer.wrapped_size:
        raise MemoryPlanError.at(
            where, "misaligned", expected=f"a multiple of {plan.alignment}", found=buffer.offset
        )


def _check_levels(buffer: Buffer) -> None:
    where, found = f"buffer {buffer.name}", f"{buffer.size} bytes in levels {list(buffer.levels)}"
    if any(count < 1 for count, _ in buffer.levels) or buffer.size % buffer.part.blocks:
        raise MemoryPlanError.at(where, "does not lie in blocks of one size", found=found)
    for (_, stop), (start, _) in pairwise(sorted(buffer.intervals)):
        if start < stop:
            raise MemoryPlanError.at(where, "lies on itself", found=found)


def _check_sharing(buffer: Buffer, by_name: dict[str, Buffer]) -> None:
    for name in buffer.shares_with:
        other = by_name.get(name)
        if other is None or not other.lower <= buffer.lower < other.upper:
            raise MemoryPlanError.at(
                f"buffer {buffer.name}",
                "shares the memory of a buffer that is not listed before it or not live then",
                found=name,
            )
    if buffer.view_of is not None:
        other = by_name[buffer.view_of]
        if not _lies_in(buffer, other):
            raise MemoryPlanError.at(
                f"buffer {buffer.name}",
                f"is a view of {other.name}, but not of its bytes",
                expected=f"{other.size} bytes at {other.offset}",
                found=f"{buffer.size} bytes at {buffer.offset}",
            )
    if buffer.made_of:
        _check_parts(buffer, [by_name[name] for name in buffer.made_of])


def _lies_in(inner: Buffer, outer: Buffer) -> bool:
    pieces = sorted(outer.intervals)
    for start, stop in inner.intervals:
        behind = bisect_right(pieces, (start, inf))
        if not behind or stop > pieces[behind - 1][1]:
            return False
    return True


def _check_parts(buffer: Buffer, parts: Sequence[Buffer]) -> None:
    """See that the parts of a Concat fill its result, and that none lies on another."""
    pieces = sorted(interval for part in parts for interval in part.intervals)
    apart = all(first[1] <= second[0] for first, second in pairwise(pieces))
    total = sum(part.size for part in parts)
    if apart and total == buffer.size and all(_lies_in(part, buffer) for part in parts):
        return
    raise MemoryPlanError.at(
        f"buffer {buffer.name}",
        "its parts do not fill it",
        expected=f"{buffer.size} bytes at {buffer.offset}",
        found=", ".join(f"{part.name}: {part.size} bytes at {part.offset}" for part in parts),
    )


def _check_overlaps(plan: MemoryPlan, by_name: dict[str, Buffer]) -> None:
    by_start = sorted(plan.buffers, key=lambda buffer: buffer.lower)
    pieces = [sorted(buffer.intervals) for buffer in by_start]
    parts: dict[str, list[Buffer]] = {}
    for buffer in by_start:
        if buffer.view_of is not None:
            parts.setdefault(buffer.view_of, []).append(buffer)
    for rank, first in enumerate(by_start):
        for other in range(rank + 1, len(by_start)):
            second = by_start[other]
            if second.lower >= first.upper:
                break
            common = _common(pieces[rank], pieces[other])
            if common is None or _may_share(first, second, by_name):
                continue
            takes_a_part = _takes_a_part(first, second, by_name, parts.get(first.name, ()))
            if not takes_a_part and not _are_of_same_parts(first, second, by_name):
                tick = second.lower
                raise MemoryPlanError(
                    f"buffers {first.name} and {second.name}: overlap at tick {tick} "
                    f"({plan.order[tick]}) in bytes {common[0]} to {common[1]}"
                )


def _common(one: Sequence[Interval], other: Sequence[Interval]) -> Interval | None:
    """Find the first bytes that lie in intervals of both, which are in order."""
    mine = others = 0
    while mine < len(one) and others < len(other):
        (a, b), (c, d) = one[mine], other[others]
        if max(a, c) < min(b, d):
            return max(a, c), min(b, d)
        if b <= d:
            mine += 1
        else:
            others += 1
    return None


def _may_share(first: Buffer, second: Buffer, by_name: dict[str, Buffer]) -> bool:
    """Whether one is (a part of) the other, or is overwritten at its last tick by the other."""
    one, other = _original(first, by_name), _original(second, by_name)
    if one.name in _contents(other, by_name) or other.name in _contents(one, by_name):
        return True
    for late, early in ((second, first), (first, second)):
        gone = {
            content
            for name in late.in_place_of
            for content in _contents(_original(by_name[name], by_name), by_name)
        }
        if early.upper <= late.lower + 1 and _original(early, by_name).name in gone:
            return True
    return False


def _are_of_same_parts(first: Buffer, second: Buffer, by_name: dict[str, Buffer]) -> bool:
    """Whether two are made of the same values, as two Concats can be, wherever both lie."""
    one, other = (_contents(_original(each, by_name), by_name) for each in (first, second))
    same = sorted(piece for name in one & other for piece in by_name[name].intervals)
    return bool(same) and _common(_without(first.intervals, same), sorted(second.intervals)) is None


def _without(pieces: Sequence[Interval], gone: Sequence[Interval]) -> list[Interval]:
    """Take bytes out of intervals; ``gone`` is in order."""
    rest, at = list[Interval](), 0
    for start, stop in sorted(pieces):
        while at and gone[at - 1][1] > start:
            at -= 1
        while at < len(gone) and gone[at][0] < stop:
            if gone[at][0] > start:
                rest.append((start, gone[at][0]))
            start, at = max(start, gone[at][1]), at + 1
        if start < stop:
            rest.append((start, stop))
    return rest


def _takes_a_part(
    early: Buffer, late: Buffer, by_name: dict[str, Buffer], parts: Sequence[Buffer]
) -> bool:
    """Whether one is written over a part of the other, of which only other parts are needed.

    ``parts`` of the early one, in order, are views: the last one must be the last to ask for it,
    and lie apart.
    """
    if early.name not in _wholes(late, by_name):
        return False
    last = [part for part in parts if part.lower + 1 == early.upper > late.lower + 1]
    mine = sorted(late.intervals)
    return any(_common(sorted(part.intervals), mine) is None for part in last)


def _wholes(buffer: Buffer, by_name: dict[str, Buffer]) -> set[str]:
    """Name the values over parts of which one is written, or what it is made of."""
    found: set[str] = set()
    waiting = [by_name[name] for name in buffer.in_place_of]
    for part in buffer.made_of:
        found |= _wholes(_original(by_name[part], by_name), by_name)
    for source in waiting:
        while source.view_of is not None:
            found.add(source.view_of)
            source = by_name[source.view_of]
        found |= _wholes(source, by_name)
    return found


def _contents(buffer: Buffer, by_name: dict[str, Buffer]) -> set[str]:
    """Name a value and all that it is made of."""
    found = {buffer.name}
    for name in buffer.made_of:
        found |= _contents(_original(by_name[name], by_name), by_name)
    return found


def _original(buffer: Buffer, by_name: dict[str, Buffer]) -> Buffer:
    while buffer.view_of is not None:
        buffer = by_name[buffer.view_of]
    return buffer


def _check_memories(plan: MemoryPlan) -> None:
    """See that memories lie apart and suffice, and that each buffer lies in one of them."""
    for memory in plan.memories:
        if not memory.lower_bound <= memory.peak <= memory.capacity:
            raise MemoryPlanError.at(
                f"memory {memory.name}",
                "needs more than it has, or less than its lower bound",
                expected=f"{memory.lower_bound} to {memory.capacity} bytes",
                found=f"{memory.peak} bytes",
            )
    for first, second in pairwise(sorted(plan.memories, key=lambda memory: memory.base)):
        if first.base + first.peak > second.base:
            raise MemoryPlanError.at(
                f"memories {first.name} and {second.name}", "lie on each other"
            )
    for buffer in plan.buffers if plan.memories else ():
        if buffer.size and not any(memory.holds(buffer) for memory in plan.memories):
            raise MemoryPlanError.at(
                f"buffer {buffer.name}",
                "does not lie in one of the memories",
                found=f"bytes {buffer.offset} to {buffer.end}",
            )


def _check_figures(plan: MemoryPlan) -> None:
    if plan.lower_bound > plan.peak:
        raise MemoryPlanError.at(
            "lower bound", "is above the peak", expected=plan.peak, found=plan.lower_bound
        )
    if any(buffer.rows for buffer in plan.buffers):
        return  # how far rows run over each other is a choice
    most = max(plan.live_bytes(), default=0)
    if plan.lower_bound < most:
        raise MemoryPlanError.at(
            "lower bound", "is less than what lives", expected=most, found=plan.lower_bound
        )


def check_offsets(
    buffers: Sequence[tuple[int, int, int]] | Mapping[str, tuple[int, int, int]],
    offsets: Sequence[int],
    *,
    capacity: int | None = None,
    alignment: int = 1,
) -> None:
    """Check ``offsets`` of ``buffers``: (lower, upper, size) triples in ticks and bytes.

    Every tick at which something begins is looked at.

    Raises
    ------
    MemoryPlanError
        Naming the first rule that is broken, the buffers (by the names that a mapping
        gives them, else by their number) and the tick.

    Examples
    --------
    >>> check_offsets([(0, 2, 10), (1, 3, 10)], [0, 10], capacity=20)
    """
    names: Sequence[object] = range(len(buffers))
    if isinstance(buffers, Mapping):
        names, buffers = list(buffers), list(buffers.values())
    ranges = buffers
    if len(ranges) != len(offsets):
        raise MemoryPlanError.at(
            "offsets", "not one per buffer", expected=len(ranges), found=len(offsets)
        )
    for number, ((_, _, size), offset) in enumerate(zip(ranges, offsets, strict=True)):
        where = f"buffer {names[number]}"
        if offset < 0:
            raise MemoryPlanError.at(where, "negative offset", found=offset)
        if offset % alignment:
            raise MemoryPlanError.at(
                where, "misaligned", expected=f"a multiple of {alignment}", found=offset
            )
        if capacity is not None and offset + size > capacity:
            raise MemoryPlanError.at(where, "does not fit", expected=capacity, found=offset + size)
    for tick in sorted({lower for lower, _, _ in ranges}):
        live = sorted(
            (offsets[number], number)
            for number, (lower, upper, size) in enumerate(ranges)
            if lower <= tick < upper and size
        )
        for (start, below), (stop, above) in pairwise(live):
            if start + ranges[below][2] > stop:
                raise MemoryPlanError(
                    f"buffers {names[below]} and {names[above]}: overlap at tick {tick} "
                    f"in bytes {stop} to {start + ranges[below][2]}"
                )
