"""Exact search for the order of least peak: best first, over sets of groups that ran.

States are sets; of all ways to one, that with the lowest peak so far counts. States are expanded
in the order of that peak, so the first complete one is optimal, and when the search is cut short
the lowest peak that still waits is a bound. A group that fits under the peak so far and leaves no
more behind than it found runs at once: by submodularity of what is live, to wait never helps.
"""

from __future__ import annotations

from heapq import heappop, heappush
from time import monotonic
from typing import NamedTuple

from aidge_nb.scheduling.orders.problem import bits
from aidge_nb.scheduling.orders.segments import Segment

__all__ = ["Budget", "Found", "State", "search", "settle", "start"]


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


class State(NamedTuple):
    """Groups that ran and that are ready, as masks; states compare by what is promising."""

    peak: int
    todo: int
    live: int
    done: int
    ready: int
    trail: tuple[int, ...]


def settle(segment: Segment, state: State, run: int | None = None) -> State:
    """Run a group, then whatever never hurts.

    The peak of the result covers the cheapest of the next groups, since one of them must run.
    """
    peak, todo, live, done, ready, trail = state
    choices = segment.choices
    while True:
        if run is not None:
            most, live = choices[run].run(done, live)
            peak = max(peak, most)
            done |= 1 << run
            ready ^= 1 << run
            todo -= 1
            trail = (*trail, run)
            for other in segment.followers[run]:
                if not choices[other].need & ~done:
                    ready |= 1 << other
        if not ready:
            return State(peak, todo, live, done, ready, trail)
        run, cheapest = None, -1
        for other in bits(ready):
            most, after = choices[other].run(done, live)
            if after <= live and most <= peak:
                run = other
                break
            if cheapest < 0 or most < cheapest:
                cheapest = most
        if run is None:
            return State(max(peak, cheapest), todo, live, done, ready, trail)


def start(segment: Segment, live: int) -> State:
    """Give the state before anything ran."""
    ready = sum(1 << number for number, c in enumerate(segment.choices) if not c.need)
    floor = max(live, segment.bound(live))
    return settle(segment, State(floor, len(segment), live, 0, ready, ()))


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
    first = start(segment, live)
    if first.peak >= limit:
        return Found(None, limit, limit)
    heap = [first]
    reached = {first.done: first.peak}
    came_from: dict[int, tuple[int, tuple[int, ...]]] = {first.done: (-1, first.trail)}
    while heap:
        state = heappop(heap)
        if state.peak > reached[state.done]:
            continue
        if not state.todo:
            return Found(_trace(came_from, state.done), state.peak, state.peak)
        if not budget.take():
            return Found(None, limit, state.peak)
        state = state._replace(trail=())
        for number in bits(state.ready):
            follower = settle(segment, state, number)
            peak = follower.peak
            if peak < limit and peak < reached.get(follower.done, limit):
                reached[follower.done] = peak
                came_from[follower.done] = state.done, follower.trail
                heappush(heap, follower)
    return Found(None, limit, limit)


def _trace(came_from: dict[int, tuple[int, tuple[int, ...]]], done: int) -> list[int]:
    parts = []
    while done >= 0:
        done, trail = came_from[done]
        parts.append(trail)
    return [number for trail in reversed(parts) for number in trail]
