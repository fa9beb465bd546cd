"""Check a memory plan: slow, obvious rules, each of which names itself when it is broken.

This module shares nothing with the planner but the values that it checks. What may share bytes is
checked in :mod:`aidge_nb.memory.check.shared`; whether the live ranges are those of a graph, by
:func:`~aidge_nb.memory.check_replay`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory.check.shared import Sharing, check_levels, check_sharing, first_common
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
        _check_buffer(buffer, plan)
        _require(buffer.name not in by_name, f"buffer {buffer.name}", "two have this name")
        check_sharing(buffer, by_name)
        by_name[buffer.name] = buffer
    _check_apart(plan, Sharing(plan))
    _check_memories(plan)
    _check_figures(plan)


def _require(
    rule: bool, where: str, problem: str, expected: object = None, found: object = None
) -> None:
    if not rule:
        raise MemoryPlanError.at(where, problem, expected=expected, found=found)


def _check_buffer(buffer: Buffer, plan: MemoryPlan) -> None:
    """Check that a buffer lives inside the schedule, lies inside the arena, and is aligned."""
    where, ticks = f"buffer {buffer.name}", len(plan.order)
    is_inside = 0 <= buffer.lower < buffer.upper <= ticks
    lives, wanted = f"[{buffer.lower}, {buffer.upper})", f"0 <= lower < upper <= {ticks}"
    _require(is_inside, where, "live range is not inside the schedule", wanted, lives)
    sizes = f"{buffer.size}, wrapped {buffer.wrapped_size}"
    _require(0 <= buffer.wrapped_size <= buffer.size, where, "wrong sizes", None, sizes)
    check_levels(buffer)
    for start, stop in buffer.intervals:
        _require(start >= 0, where, "negative offset", None, start)
        _require(stop <= plan.peak, where, "reaches beyond the peak", plan.peak, stop)
    is_aligned = not buffer.offset % plan.alignment or buffer.wrapped_size > 0
    _require(is_aligned, where, "misaligned", f"a multiple of {plan.alignment}", buffer.offset)


def _check_apart(plan: MemoryPlan, sharing: Sharing) -> None:
    """Check that buffers which live at the same tick lie apart, unless they share bytes."""
    buffers = sorted(plan.buffers, key=lambda buffer: buffer.lower)
    pieces = [sorted(buffer.intervals) for buffer in buffers]
    kind = np.int64 if plan.peak < 1 << 63 else object
    starts = np.array([each[0][0] if each else 0 for each in pieces], kind)
    ends = np.array([each[-1][1] if each else 0 for each in pieces], kind)
    lowers = [buffer.lower for buffer in buffers]
    for rank, first in enumerate(buffers):
        alive = slice(rank + 1, bisect_left(lowers, first.upper))
        meets = (starts[alive] < ends[rank]) & (ends[alive] > starts[rank])
        for other in (np.flatnonzero(meets) + rank + 1).tolist():
            second = buffers[other]
            common = first_common(pieces[rank], pieces[other])
            if common is not None and not sharing.permits(first, second):
                tick = second.lower
                raise MemoryPlanError(
                    f"buffers {first.name} and {second.name}: overlap at tick {tick} "
                    f"({plan.order[tick]}) in bytes {common[0]} to {common[1]}"
                )


def _check_memories(plan: MemoryPlan) -> None:
    """Check that memories lie apart and suffice, and that each buffer lies in one of them."""
    for each in plan.memories:
        suffices = each.lower_bound <= each.peak <= each.capacity
        problem = "needs more than it has, or less than its lower bound"
        expected = f"{each.lower_bound} to {each.capacity} bytes"
        _require(suffices, f"memory {each.name}", problem, expected, f"{each.peak} bytes")
    for first, second in pairwise(sorted(plan.memories, key=lambda memory: memory.base)):
        are_apart = first.base + first.peak <= second.base
        _require(are_apart, f"memories {first.name} and {second.name}", "lie on each other")
    for buffer in plan.buffers if plan.memories else ():
        lies_in_one = not buffer.size or any(memory.holds(buffer) for memory in plan.memories)
        where, found = f"buffer {buffer.name}", f"bytes {buffer.offset} to {buffer.end}"
        _require(lies_in_one, where, "does not lie in one of the memories", None, found)


def _check_figures(plan: MemoryPlan) -> None:
    """Check that the lower bound lies between the live bytes and the peak."""
    bound = plan.lower_bound
    _require(bound <= plan.peak, "lower bound", "is above the peak", plan.peak, bound)
    if not any(buffer.rows for buffer in plan.buffers):  # rows may run over each other or not
        most = max(plan.live_bytes(), default=0)
        _require(bound >= most, "lower bound", "is below the live bytes", most, bound)


def check_offsets(
    buffers: Sequence[tuple[int, int, int]] | Mapping[str, tuple[int, int, int]],
    offsets: Sequence[int],
    *,
    capacity: int | None = None,
    alignment: int = 1,
) -> None:
    """Check ``offsets`` of ``buffers``: (lower, upper, size) triples in ticks and bytes.

    Raises
    ------
    MemoryPlanError
        Naming the first rule that is broken, the buffers (by the names in a mapping, else by their
        number) and the tick.

    Examples
    --------
    >>> check_offsets([(0, 2, 10), (1, 3, 10)], [0, 10], capacity=20)
    """
    names: Sequence[object] = range(len(buffers))
    if isinstance(buffers, Mapping):
        names, buffers = list(buffers), list(buffers.values())
    ranges = buffers
    are_complete = len(ranges) == len(offsets)
    _require(are_complete, "offsets", "not one per buffer", len(ranges), len(offsets))
    for name, (_, _, size), offset in zip(names, ranges, offsets, strict=True):
        where, end = f"buffer {name}", offset + size
        _require(offset >= 0, where, "negative offset", None, offset)
        _require(offset % alignment == 0, where, "misaligned", f"a multiple of {alignment}", offset)
        _require(capacity is None or end <= capacity, where, "does not fit", capacity, end)
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
