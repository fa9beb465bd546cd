"""Exact search for the order of least peak: best first, over sets of groups, from both ends.

States are sets; of all ways to one, that with the lowest peak so far counts. States are expanded
in the order of that peak, so the first complete one is optimal, and when the search is cut short
the lowest peak that still waits is a bound. Which direction needs fewer states is not known
beforehand (often by a factor of a hundred), so both take turns.
"""

from __future__ import annotations

from heapq import heappop, heappush
from time import monotonic
from typing import NamedTuple

from aidge_nb.scheduling.orders.problem import bits
from aidge_nb.scheduling.orders.segments import Segment
from aidge_nb.scheduling.orders.walks import Backward, Forward, Walk

__all__ = ["Budget", "Found", "search", "search_one_way"]


class Budget:
    """How many states may be expanded, over all segments, and until when; ``spent`` counts them."""

    def __init__(self, states: int, seconds: float | None = None) -> None:
        self.states = states
        self.spent = 0
        self._deadline = None if seconds is None else monotonic() + seconds

    def take(self) -> bool:
        """Spend one; False when there is none left, or no time."""
        if self.spent >= self.states:
            return False
        if self._deadline is not None and monotonic() > self._deadline:
            return False
        self.spent += 1
        return True


class Found(NamedTuple):
    """An order of the groups of a segment (None when none was below the limit) and a bound."""

    order: list[int] | None
    peak: int
    bound: int


def search(segment: Segment, live: int, limit: int, budget: Budget) -> Found:
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
    return _take_turns([Backward(segment, live), Forward(segment, live)], limit, budget)


def search_one_way(walk: Walk, limit: int, budget: Budget) -> Found:
    """Find an order with the least peak, walking in one direction alone."""
    return _take_turns([walk], limit, budget)


def _take_turns(walks: list[Walk], limit: int, budget: Budget) -> Found:
    fronts = [_Front(walk, limit) for walk in walks]
    while True:
        for front in fronts:
            bound = front.bound
            if bound >= limit:
                return Found(None, limit, limit)
            if front.is_complete:
                return Found(front.order(), bound, bound)
            if not budget.take():
                return Found(None, limit, max(each.bound for each in fronts))
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
