"""Two greedy ways to place live ranges.

*First fit* takes buffers in a given order and puts each into the lowest hole that is large enough.
*Lowest first* lets the arena grow from the ground up: again and again it takes, of the buffers
that can lie lowest on top of what is there, the one of highest priority.

Both look at conflicts alone: pairs of buffers that live at the same time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from heapq import heapify, heappop, heapreplace

import numpy as np

from aidge_nb.memory.values.live_range import LiveRange, columns

_MANY_PAIRS = 3_000_000
"""With more conflicts than this, lists of them cost more than they save."""


class Problem:
    """Buffers to be placed, and who is in conflict with whom."""

    def __init__(self, ranges: Sequence[LiveRange]) -> None:
        self.ranges = list(ranges)
        self.sizes = [each.size for each in self.ranges]

    def __len__(self) -> int:
        return len(self.ranges)

    @cached_property
    def nb_pairs(self) -> int:
        """Number of conflicts, counted from both sides; cheap even when there are many."""
        lower, upper, _ = columns(self.ranges)
        began = np.searchsorted(np.sort(lower), upper, side="left")
        ended = np.searchsorted(np.sort(upper), lower, side="right")
        return int((began - ended - 1).sum())

    @property
    def is_dense(self) -> bool:
        """Whether there are too many conflicts to list them."""
        return self.nb_pairs > _MANY_PAIRS

    @cached_property
    def conflicts(self) -> list[list[int]]:
        """For each buffer, the others that live at some tick of its life."""
        found: list[list[int]] = [[] for _ in self.ranges]
        live: list[int] = []
        for number in sorted(range(len(self)), key=lambda i: self.ranges[i].lower):
            lower = self.ranges[number].lower
            live = [other for other in live if self.ranges[other].upper > lower]
            for other in live:
                found[number].append(other)
                found[other].append(number)
            live.append(number)
        return found

    def peak(self, offsets: Sequence[int]) -> int:
        """Give the size of the arena that offsets need."""
        ends = (offset + size for offset, size in zip(offsets, self.sizes, strict=True))
        return max(ends, default=0)


def first_fit(problem: Problem, order: Sequence[int]) -> list[int]:
    """Place buffers in the given order, each at the lowest offset that is free.

    Examples
    --------
    >>> first_fit(Problem([LiveRange(0, 2, 10), LiveRange(1, 3, 20)]), [1, 0])
    [20, 0]
    """
    if problem.is_dense:
        return _first_fit_dense(problem, order)
    sizes, conflicts = problem.sizes, problem.conflicts
    offsets = [-1] * len(problem)
    for number in order:
        taken = [(offsets[i], offsets[i] + sizes[i]) for i in conflicts[number] if offsets[i] >= 0]
        taken.sort()
        size, free = sizes[number], 0
        for start, stop in taken:
            if start - free >= size:
                break
            free = max(free, stop)
        offsets[number] = free
    return offsets


def _first_fit_dense(problem: Problem, order: Sequence[int]) -> list[int]:
    """Do the same with arrays of what is placed, sorted by offset."""
    placed = np.empty((4, len(problem)), dtype=np.int64)  # offset, end, lower, upper
    offsets = [0] * len(problem)
    for count, number in enumerate(order):
        lower, upper, size = problem.ranges[number]
        starts, stops, begins, ends = placed[:, :count]
        live = (begins < upper) & (ends > lower)
        covered = np.maximum.accumulate(np.concatenate(([0], stops[live])))
        holes = np.flatnonzero(starts[live] - covered[:-1] >= size)
        offset = int(covered[holes[0]] if holes.size else covered[-1])
        at = int(np.searchsorted(starts, offset))
        placed[:, at + 1 : count + 1] = placed[:, at:count].copy()
        placed[:, at] = (offset, offset + size, lower, upper)
        offsets[number] = offset
    return offsets


def lowest_first(problem: Problem, priority: Sequence[float]) -> list[int]:
    """Place buffers from the ground up; of those that can lie lowest, small priorities first.

    Examples
    --------
    >>> lowest_first(Problem([LiveRange(0, 2, 10), LiveRange(1, 3, 20)]), [1.0, 0.0])
    [20, 0]
    """
    sizes, conflicts = problem.sizes, problem.conflicts
    floor = [0] * len(problem)
    offsets = [-1] * len(problem)
    waiting = [(0, priority[number], number) for number in range(len(problem))]
    heapify(waiting)
    while waiting:
        offset, first, number = waiting[0]
        if floor[number] > offset:  # something was put under it since
            heapreplace(waiting, (floor[number], first, number))
            continue
        heappop(waiting)
        offsets[number] = offset
        top = offset + sizes[number]
        for other in conflicts[number]:
            if floor[other] < top and offsets[other] < 0:
                floor[other] = top
    return offsets
