"""Search for an order of the groups of a segment with a small peak: beam search and exact search.

Every search runs over *sets* of groups that ran, from the start or from the end (see
:mod:`aidge_nb.scheduling.order.walks`). Live bytes depend on the set alone, so each set needs to
be reached once, with the lowest peak.

- :func:`beam_search` keeps the most promising sets of each size: fast, no proof.
- :func:`decide` asks whether an order stays below a limit, depth first. It finds one, or visits
  all sets below the limit, which proves that none exists. A known limit prunes more than best-first
  search: all groups that fit below it and never hurt are taken at once.
- :func:`search_best_first` expands the set with the lowest peak so far, so that the first complete
  order is optimal. Stopped early, the lowest waiting peak is a lower bound.
- :func:`search_exact` calls :func:`decide` for changing limits, then :func:`search_best_first`.

The better direction is unknown beforehand (it often saves a factor of a hundred): both take turns.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import gcd
from time import monotonic
from typing import NamedTuple

from aidge_nb.scheduling.order.problem import bits
from aidge_nb.scheduling.order.segments import Segment
from aidge_nb.scheduling.order.walks import Backward, Direction, Forward, SearchState

FIRST_SLICE = 500
"""Maximum number of states of each question in the first round; later rounds: four times more."""


class Budget:
    """A limit on expanded states over all segments, and on seconds; ``spent`` counts states."""

    def __init__(self, states: int, seconds: float | None = None) -> None:
        self.states = states
        self.spent = 0
        self._deadline = None if seconds is None else monotonic() + seconds

    @property
    def is_over(self) -> bool:
        """True when no states or no time are left."""
        late = self._deadline is not None and monotonic() > self._deadline
        return late or self.spent >= self.states


class SearchResult(NamedTuple):
    """The best order of a segment, or None when the known one stays the best; with its bound."""

    order: list[int] | None
    peak: int
    bound: int


class Answer(NamedTuple):
    """An order below a limit, or None; ``none`` is True when it is proved that none exists."""

    order: list[int] | None
    none: bool = False


def beam_search(segment: Segment, live: int, width: int) -> tuple[list[int], int]:
    """Return a good order of a segment and its peak; keep ``width`` partial orders at each length.

    ``live`` are the live bytes at the start of the segment, here and below.
    """
    found = (_beam(way(segment, live), width) for way in (Backward, Forward))
    return min(found, key=lambda each: each[1])


def _beam(walk: Direction, width: int) -> tuple[list[int], int]:
    first = walk.start()
    waiting = {first.todo: {first.done: first}}
    for todo in range(first.todo, 0, -1):
        states = sorted(waiting.pop(todo, {}).values(), key=lambda s: (s.peak, s.live, s.done))
        for state in states[:width]:
            for group in bits(state.ready):
                follower = walk.step(state, group)
                level = waiting.setdefault(follower.todo, {})
                known = level.get(follower.done)
                if known is None or follower.peak < known.peak:
                    level[follower.done] = follower
    (best,) = waiting[0].values()
    return walk.order(list(best.trail)), best.peak


def search_exact(
    segment: Segment, live: int, peak: int, bound: int, goal: int, budget: Budget
) -> SearchResult:
    """Find an order with the smallest peak.

    Parameters
    ----------
    segment
        The segment.
    live
        Live bytes at its start.
    peak, bound
        Peak of a known order, and a known lower bound.
    goal
        A peak that is good enough.
    budget
        Limit on expanded states, half of them for questions. When it runs out, the bound is what
        was proven until then.

    Returns
    -------
    SearchResult
        Its order is None when no order is better than the known one.
    """
    best: list[int] | None = None
    grain = _grain(segment, live)
    states, stop = FIRST_SLICE, (budget.spent + budget.states) // 2
    while max(goal, bound) < peak and budget.spent < stop and not budget.is_over:
        doubtful = max(goal, bound)  # limits up to here are refuted, or took too long this round
        limit = peak
        while doubtful < peak and budget.spent < stop:
            most = min(states, (stop - budget.spent + 1) // 2)
            answer = decide(segment, live, limit, budget, most)
            if answer.order is not None:
                best, peak = answer.order, segment.run(answer.order, live)[0]
            else:
                doubtful = limit
                bound = limit if answer.none else bound
            limit = doubtful + max(grain, (peak - doubtful) // (2 * grain) * grain)
            limit = min(limit, peak)
        states *= 4
    if max(goal, bound) < peak:
        found = search_best_first(segment, live, peak, budget)
        best = best if found.order is None else found.order
        peak, bound = found.peak, max(bound, found.bound)
    return SearchResult(best, peak, min(bound, peak))


def _grain(segment: Segment, live: int) -> int:
    """Return a number of bytes that divides every peak."""
    sizes = [live]
    for group in segment.groups:
        sizes += [*group.head, *group.tail, group.made, group.over, group.freed]
        sizes += [size for _, size in (*group.maybe_over, *group.maybe_freed)]
    return max(1, gcd(*sizes))


def decide(segment: Segment, live: int, limit: int, budget: Budget, states: int) -> Answer:
    """Find an order whose peak is below a limit, expanding at most ``states`` per direction."""
    fronts = [_DepthFirst(way(segment, live, limit - 1), limit) for way in (Backward, Forward)]
    for _ in range(states):
        for front in fronts:
            if front.order is not None:
                return Answer(front.order)
            if not front.waiting:  # every set of groups below the limit was visited
                return Answer(None, none=True)
            if budget.is_over:
                return Answer(None)
            budget.spent += 1
            front.expand()
    return Answer(None)


class _DepthFirst:
    """Waiting states of one direction; the last one found is expanded next."""

    def __init__(self, walk: Direction, limit: int) -> None:
        self._walk, self._limit = walk, limit
        first = walk.start()
        self.waiting = [first] if first.peak < limit else []
        self._seen = {first.done}
        self.order: list[int] | None = None
        if self.waiting and not first.todo:
            self.order = walk.order(list(first.trail))

    def expand(self) -> None:
        """Expand the last state; the most promising follower comes last."""
        state = self.waiting.pop()
        followers: list[SearchState] = []
        for group in bits(state.ready):
            follower = self._walk.step(state, group)
            if follower.peak < self._limit and follower.done not in self._seen:
                self._seen.add(follower.done)
                followers.append(follower)
        for follower in followers:
            if not follower.todo:
                self.order = self._walk.order(list(follower.trail))
        followers.sort(key=lambda each: (-each.todo, -each.live))
        self.waiting += followers


def search_best_first(segment: Segment, live: int, limit: int, budget: Budget) -> SearchResult:
    """Find an order with the smallest peak below a limit.

    The order is None when no order is below the limit or the budget ran out; the bound holds in
    both cases.
    """
    fronts = [_BestFirst(way(segment, live), limit) for way in (Backward, Forward)]
    while True:
        for front in fronts:
            bound = front.bound
            if bound >= limit:
                return SearchResult(None, limit, limit)
            if front.is_complete:
                return SearchResult(front.order(), bound, bound)
            if budget.is_over:
                return SearchResult(None, limit, max(each.bound for each in fronts))
            budget.spent += 1
            front.expand()


class _BestFirst:
    """Waiting states of one direction, the one with the lowest peak first."""

    def __init__(self, walk: Direction, limit: int) -> None:
        self._walk, self._limit = walk, limit
        first = walk.start()
        self._heap = [first]
        self._reached = {first.done: first.peak}
        self._came_from: dict[int, tuple[int | None, tuple[int, ...]]] = {
            first.done: (None, first.trail)
        }

    @property
    def bound(self) -> int:
        """A lower bound of all orders; the limit when no order below it is left."""
        heap = self._heap
        while heap and heap[0].peak > self._reached[heap[0].done]:
            heappop(heap)
        return min(heap[0].peak, self._limit) if heap else self._limit

    @property
    def is_complete(self) -> bool:
        """True when the most promising state is a whole order, which then is optimal."""
        return not self._heap[0].todo

    def expand(self) -> None:
        """Expand the most promising state."""
        state = heappop(self._heap)._replace(trail=())
        for group in bits(state.ready):
            follower = self._walk.step(state, group)
            if follower.peak < self._reached.get(follower.done, self._limit):
                self._reached[follower.done] = follower.peak
                self._came_from[follower.done] = state.done, follower.trail
                heappush(self._heap, follower)

    def order(self) -> list[int]:
        """Return the order that leads to the most promising state."""
        parts: list[tuple[int, ...]] = []
        done: int | None = self._heap[0].done
        while done is not None:
            done, trail = self._came_from[done]
            parts.append(trail)
        return self._walk.order([group for trail in reversed(parts) for group in trail])
