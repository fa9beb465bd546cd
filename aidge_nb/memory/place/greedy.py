"""Greedy placement of live ranges, in several orders.

*First fit* takes buffers in a given order and puts each into the lowest hole that is large enough.
*Lowest first* lets the arena grow from the ground up: it repeatedly takes, of the buffers that can
lie lowest on top of what is there, the one of highest priority. Hill climbing goes on from the best
priorities. All look at conflicts alone: pairs of buffers that live at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from heapq import heapify, heappop, heapreplace
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aidge_nb.memory.values.live_range import LiveRange, columns

if TYPE_CHECKING:
    from aidge_nb.memory.place.solver.clock import Clock

_Key = Callable[[int], tuple[float, ...]]

_TRIES_PER_EFFORT = 2_500_000
"""Visits to buffers and conflicts while climbing; about a second."""

_IF_LARGE = ("longest first", "most crowded first", "largest area first")
"""The orders that did best from the ground up, where trying all takes long."""

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
        """Return whether there are too many conflicts to list them."""
        return self.nb_pairs > _MANY_PAIRS

    @cached_property
    def conflicts(self) -> list[list[int]]:
        """For each buffer, the others that live at some tick of its life."""
        found: list[list[int]] = [[] for _ in self.ranges]
        lower, upper, _ = columns(self.ranges)
        for one, other in zip(*(each.tolist() for each in overlapping(lower, upper)), strict=True):
            found[one].append(other)
            found[other].append(one)
        return found

    def peak(self, offsets: Sequence[int]) -> int:
        """Return the size of the arena that offsets need."""
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
        size = sizes[number]
        offsets[number] = lowest_outside(
            [
                (offsets[i] - size, offsets[i] + sizes[i])
                for i in conflicts[number]
                if offsets[i] >= 0
            ]
        )
    return offsets


def lowest_outside(taken: list[tuple[int, int]]) -> int:
    """Return the lowest offset that does not lie strictly inside of an interval; sort them.

    Examples
    --------
    >>> lowest_outside([(4, 12), (-8, 8), (12, 20)])
    12
    """
    taken.sort()
    place = 0
    for low, high in taken:
        if low >= place:
            break
        if high > place:
            place = high
    return place


def overlapping(
    lower: NDArray[np.int64], upper: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of half-open intervals that overlap, as two arrays of their numbers.

    Examples
    --------
    >>> one, other = overlapping(np.array([0, 2, 1]), np.array([2, 4, 3]))
    >>> list(zip(one.tolist(), other.tolist()))
    [(0, 2), (2, 1)]
    """
    order = np.argsort(lower, kind="stable")
    begun = np.searchsorted(lower[order], upper[order], side="left")  # when each has ended
    after = np.arange(1, len(order) + 1)
    counts = np.maximum(begun - after, 0)
    others = np.arange(counts.sum()) + np.repeat(after - np.cumsum(counts) + counts, counts)
    return np.repeat(order, counts), order[others]


def _first_fit_dense(problem: Problem, order: Sequence[int]) -> list[int]:
    """Place as :func:`first_fit` does, with arrays of the placed buffers sorted by offset.

    Buffers that all live at one tick lie on each other, without a search for holes.
    """
    began = max((each.lower for each in problem.ranges), default=0)
    if all(each.upper > began for each in problem.ranges):
        tops = dict(zip(order, accumulate(problem.sizes[number] for number in order), strict=True))
        return [tops[number] - problem.sizes[number] for number in range(len(problem))]
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


def _keys(problem: Problem) -> dict[str, _Key]:
    """Return sort keys that put the buffers first which are hard to place, by name."""
    ranges = problem.ranges

    def lifetime(number: int) -> int:
        return ranges[number].upper - ranges[number].lower

    return {
        "largest first": lambda i: (-ranges[i].size, -lifetime(i), i),
        "largest area first": lambda i: (-ranges[i].size * lifetime(i), i),
        "longest first": lambda i: (-lifetime(i), -ranges[i].size, i),
        "longest and smallest first": lambda i: (-lifetime(i), ranges[i].size, i),
        "earliest first": lambda i: (ranges[i].lower, -ranges[i].size, i),
        "latest first": lambda i: (-ranges[i].upper, -ranges[i].size, i),
    }


def largest_first(problem: Problem) -> list[int]:
    """Return the numbers of the buffers, the largest first."""
    return sorted(range(len(problem)), key=_keys(problem)["largest first"])


def greedy_placements(problem: Problem, is_large: bool) -> Iterator[tuple[str, list[int]]]:
    """Yield placements by one greedy rule after the other; fewer for large problems."""
    numbers = range(len(problem))
    if not numbers:
        return
    keys = _keys(problem)
    if problem.is_dense:
        for name in ("largest first", "longest first"):
            yield name, first_fit(problem, sorted(numbers, key=keys[name]))
        return
    yield "largest first", first_fit(problem, sorted(numbers, key=keys["largest first"]))
    if not is_large:
        yield _from_the_ground_up(problem, keys, "largest first")
        for name in list(keys)[1:]:
            yield name, first_fit(problem, sorted(numbers, key=keys[name]))
    crowd = [
        problem.sizes[i] + sum(problem.sizes[j] for j in problem.conflicts[i]) for i in numbers
    ]
    keys["most crowded first"] = lambda i: (-crowd[i], -problem.sizes[i], i)
    if not is_large:
        order = sorted(numbers, key=keys["most crowded first"])
        yield "most crowded first", first_fit(problem, order)
    for name in _IF_LARGE if is_large else list(keys)[1:]:
        yield _from_the_ground_up(problem, keys, name)


def _from_the_ground_up(
    problem: Problem, keys: dict[str, _Key], name: str
) -> tuple[str, list[int]]:
    ranks = _ranks(sorted(range(len(problem)), key=keys[name]))
    return f"from the ground up, {name}", lowest_first(problem, ranks)


def _ranks(order: list[int]) -> list[float]:
    ranks = [0.0] * len(order)
    for rank, number in enumerate(order):
        ranks[number] = rank / len(order)
    return ranks


def climb(problem: Problem, target: int, clock: Clock) -> list[int]:
    """Raise priorities of buffers that stick out above the target, keeping what does no harm.

    Progress is measured by the bytes above the target, summed over buffers: the peak alone says
    nothing about most changes.
    """
    from random import Random

    numbers = range(len(problem))
    sizes = problem.sizes

    def excess(offsets: list[int]) -> list[int]:
        return [max(0, offsets[i] + sizes[i] - target) for i in numbers]

    keys = _keys(problem)
    starts = [_ranks(sorted(numbers, key=keys[name])) for name in ("longest first", "latest first")]
    priority = min(starts, key=lambda ranks: sum(excess(lowest_first(problem, ranks))))
    best = offsets = lowest_first(problem, priority)
    above = excess(offsets)
    random = Random(0)
    tries = int(clock.effort * _TRIES_PER_EFFORT) // (problem.nb_pairs + 10 * len(problem))
    for _ in range(tries):
        if not any(above) or clock.is_late():
            break
        number = random.choice([i for i in numbers if above[i]])
        before = priority[number]
        priority[number] = random.uniform(min(priority) - 1e-6, before)
        offsets = lowest_first(problem, priority)
        now = excess(offsets)
        if sum(now) > sum(above):
            priority[number] = before
            continue
        above = now
        if problem.peak(offsets) < problem.peak(best):
            best = offsets
    return best
