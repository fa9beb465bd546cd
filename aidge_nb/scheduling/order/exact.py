"""Exact search for the order of least peak: one question after the other, each from both ends.

The question is whether an order stays below a given limit. States are sets of groups that ran;
what lies behind a state does not depend on the way to it, so each is visited once, and when none
is left there is no such order. Asked about the best order so far, the answer is a better one or the
proof that there is none; asked about less, it raises the lower bound. Knowing the limit is worth
more than searching best first: all that fits under it and never hurts is taken along at once.

Which direction needs fewer states is not known beforehand (often by a factor of a hundred), so both
take turns.
"""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

from aidge_nb.scheduling.order.best_first import search_best_first
from aidge_nb.scheduling.order.budget import Budget, Found
from aidge_nb.scheduling.order.problem import bits
from aidge_nb.scheduling.order.segments import Segment
from aidge_nb.scheduling.order.walks import Backward, Forward, Walk

FIRST_SLICE = 500
"""How many states the first round of questions may take; each round takes four times as many."""


class Answer(NamedTuple):
    """Whether an order stays below a limit: such an order, or whether it is sure there is none."""

    order: list[int] | None
    none: bool = False


def search(segment: Segment, live: int, peak: int, bound: int, goal: int, budget: Budget) -> Found:
    """Find an order with the least peak, by questions and in the end best first.

    Parameters
    ----------
    segment
        The segment.
    live
        Bytes that are live where it begins.
    peak, bound
        The peak of a known order, and what no order is below.
    goal
        A peak that is good enough.
    budget
        How many states may be expanded, half of them for questions. When they do not suffice, the
        bound is what was proven.

    Returns
    -------
    Found
        The order is None when none is better than the known one.
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
    return Found(best, peak, min(bound, peak))


def _grain(segment: Segment, live: int) -> int:
    """Give a number of bytes of which every peak is a multiple."""
    sizes = [live]
    for choice in segment.choices:
        sizes += [*choice.head, *choice.tail, choice.made, choice.over, choice.freed]
        sizes += [size for _, size in (*choice.maybe_over, *choice.maybe_freed)]
    return max(1, gcd(*sizes))


def decide(segment: Segment, live: int, limit: int, budget: Budget, states: int) -> Answer:
    """Find an order whose peak is below a limit, in at most so many states each way.

    The first question about a limit costs little when the answer is easy: ways that need few
    states end both.
    """
    fronts = [_Front(way(segment, live, limit - 1), limit) for way in (Backward, Forward)]
    for _ in range(states):
        for front in fronts:
            if front.order is not None:
                return Answer(front.order)
            if front.is_exhausted:
                return Answer(None, none=True)
            if budget.is_over:
                return Answer(None)
            budget.spent += 1
            front.expand()
    return Answer(None)


class _Front:
    """The states that wait in one direction; the last that was found is the next (depth first)."""

    def __init__(self, walk: Walk, limit: int) -> None:
        self._walk, self._limit = walk, limit
        first = walk.start()
        self._waiting = [first] if first.peak < limit else []
        self._seen = {first.done}
        self.order: list[int] | None = None
        if self._waiting and not first.todo:
            self.order = walk.order(list(first.trail))

    @property
    def is_exhausted(self) -> bool:
        """Whether every set of groups that can be reached below the limit was visited."""
        return not self._waiting

    def expand(self) -> None:
        """Take the last state one step further, in all ways, the most promising on top."""
        state = self._waiting.pop()
        followers = []
        for group in bits(state.ready):
            follower = self._walk.step(state, group)
            if follower.peak < self._limit and follower.done not in self._seen:
                self._seen.add(follower.done)
                followers.append(follower)
        for follower in followers:
            if not follower.todo:
                self.order = self._walk.order(list(follower.trail))
        followers.sort(key=lambda each: (-each.todo, -each.live))
        self._waiting += followers
