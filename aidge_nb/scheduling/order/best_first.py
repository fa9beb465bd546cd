"""Exact search, best first: over sets of groups, from both ends.

Of all ways to a set of groups that ran, that with the lowest peak so far counts. Sets are expanded
in the order of that peak, so the first complete one is optimal, and when the search is cut short
the lowest peak that still waits is a bound.
"""

from __future__ import annotations

from heapq import heappop, heappush

from aidge_nb.scheduling.order.budget import Budget, Found
from aidge_nb.scheduling.order.problem import bits
from aidge_nb.scheduling.order.segments import Segment
from aidge_nb.scheduling.order.walks import Backward, Forward, Walk


def search_best_first(segment: Segment, live: int, limit: int, budget: Budget) -> Found:
    """Find an order with the least peak.

    Parameters
    ----------
    segment
        The segment.
    live
        Bytes that are live where it begins.
    limit
        Only orders with a smaller peak are of interest.
    budget
        How many states may be expanded.

    Returns
    -------
    Found
        The order is None when no order is below the limit, or the budget ran out; the bound
        holds in any case.
    """
    fronts = [_Front(way(segment, live), limit) for way in (Backward, Forward)]
    while True:
        for front in fronts:
            bound = front.bound
            if bound >= limit:
                return Found(None, limit, limit)
            if front.is_complete:
                return Found(front.order(), bound, bound)
            if budget.is_over:
                return Found(None, limit, max(each.bound for each in fronts))
            budget.spent += 1
            front.expand()


class _Front:
    """The states that wait in one direction."""

    def __init__(self, walk: Walk, limit: int) -> None:
        self._walk, self._limit = walk, limit
        first = walk.start()
        self._heap = [first]
        self._reached = {first.done: first.peak}
        self._came_from: dict[int, tuple[int | None, tuple[int, ...]]] = {
            first.done: (None, first.trail)
        }

    @property
    def bound(self) -> int:
        """What no order is below; the limit when no order below it is left."""
        heap = self._heap
        while heap and heap[0].peak > self._reached[heap[0].done]:
            heappop(heap)
        return min(heap[0].peak, self._limit) if heap else self._limit

    @property
    def is_complete(self) -> bool:
        """Whether the most promising state is a whole order, which then is optimal."""
        return not self._heap[0].todo

    def expand(self) -> None:
        """Take the most promising state one step further, in all ways."""
        state = heappop(self._heap)._replace(trail=())
        for group in bits(state.ready):
            follower = self._walk.step(state, group)
            if follower.peak < self._reached.get(follower.done, self._limit):
                self._reached[follower.done] = follower.peak
                self._came_from[follower.done] = state.done, follower.trail
                heappush(self._heap, follower)

    def order(self) -> list[int]:
        """Give the order of the most promising state."""
        parts: list[tuple[int, ...]] = []
        done: int | None = self._heap[0].done
        while done is not None:
            done, trail = self._came_from[done]
            parts.append(trail)
        return self._walk.order([group for trail in reversed(parts) for group in trail])
