"""Two directions of search through the sets of groups of a segment: from its start, from its end.

Both take groups at once that never hurt. This is safe because live bytes are a submodular function
of the set that ran (a block counts from its writer until *all* its users ran):

- Forward: a group that fits under the peak so far and does not increase the live bytes runs at
  once. No group that could run before it would leave less memory in use.
- Backward: a group that fits and does not decrease the live bytes is put last. No group that runs
  before it needs it.

The backward rule is strong where one tensor has many readers; Backward then needs fewer states.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from aidge_nb.scheduling.order.problem import bits
from aidge_nb.scheduling.order.segments import Segment


class SearchState(NamedTuple):
    """A set of groups that ran; the more promising of two states compares as smaller.

    Attributes
    ----------
    peak
        Lower bound of the peak of all orders through this state.
    todo
        Number of groups without a place in the order.
    live
        Live bytes after the set ran.
    done
        Mask of the groups that ran.
    ready
        Mask of the groups that can be the next step.
    trail
        The groups in the order of the steps.
    """

    peak: int
    todo: int
    live: int
    done: int
    ready: int
    trail: tuple[int, ...] = ()


class Direction(Protocol):
    """A direction of search."""

    def start(self) -> SearchState:
        """Return the first state."""

    def step(self, state: SearchState, group: int) -> SearchState:
        """Take a ready group, then all groups that never hurt."""

    def order(self, trail: list[int]) -> list[int]:
        """Return the order that belongs to a trail."""


class Forward:
    """From the start: a state is the set that ran; a step runs one more group."""

    def __init__(self, segment: Segment, live: int, floor: int = 0) -> None:
        self._segment, self._live, self._floor = segment, live, floor

    def start(self) -> SearchState:
        """Return the state before the first group."""
        segment = self._segment
        ready = sum(1 << number for number, c in enumerate(segment.groups) if not c.need)
        floor = max(self._live, self._floor, segment.bound(self._live))
        return self._settle(SearchState(floor, len(segment), self._live, 0, ready), None)

    def step(self, state: SearchState, group: int) -> SearchState:
        """Run a group."""
        return self._settle(state, group)

    def order(self, trail: list[int]) -> list[int]:
        """Return the order: that of the steps."""
        return trail

    def _settle(self, state: SearchState, run: int | None) -> SearchState:
        peak, todo, live, done, ready, trail = state
        groups, followers = self._segment.groups, self._segment.followers
        while True:
            if run is not None:
                most, live = groups[run].run(done, live)
                peak = max(peak, most)
                done |= 1 << run
                ready ^= 1 << run
                todo -= 1
                trail = (*trail, run)
                for other in followers[run]:
                    if not groups[other].need & ~done:
                        ready |= 1 << other
            run, cheapest = None, -1
            for other in bits(ready):
                most, after = groups[other].run(done, live)
                if after <= live and most <= peak:
                    run = other
                    break
                if cheapest < 0 or most < cheapest:
                    cheapest = most
            if run is None:
                run = self._first_of_chain(peak, live, live, done, ready, 2)
            if run is None:  # one of the ready groups must be next
                return SearchState(max(peak, cheapest), todo, live, done, ready, trail)

    def _first_of_chain(
        self, peak: int, goal: int, live: int, done: int, ready: int, steps: int
    ) -> int | None:
        """Return the first group of a chain of up to ``steps`` groups that never hurts, or None.

        The chain ends at ``goal`` live bytes or fewer, and stays above them before its end.
        """
        groups, followers = self._segment.groups, self._segment.followers
        for group in bits(ready):
            most, after = groups[group].run(done, live)
            if most > peak:
                continue
            if after <= goal:
                return group
            if steps > 1:
                then = done | 1 << group
                fresh = 0
                for other in followers[group]:
                    if not groups[other].need & ~then:
                        fresh |= 1 << other
                if self._first_of_chain(peak, goal, after, then, fresh, steps - 1) is not None:
                    return group
        return None


class Backward:
    """From the end: a state is the set without the groups put last; a step puts one more last."""

    def __init__(self, segment: Segment, live: int, floor: int = 0) -> None:
        self._segment, self._live, self._floor = segment, live, floor
        self._after = [sum(1 << each for each in those) for those in segment.followers]

    def start(self) -> SearchState:
        """Return the state after the last group."""
        count, ready = len(self._segment), 0
        for number, after in enumerate(self._after):
            ready |= 0 if after else 1 << number
        live = self._segment.run(range(count), self._live)[1]
        floor = max(self._live, live, self._floor, self._segment.bound(self._live))
        return self._settle(SearchState(floor, count, live, (1 << count) - 1, ready), None)

    def step(self, state: SearchState, group: int) -> SearchState:
        """Put a group last."""
        return self._settle(state, group)

    def order(self, trail: list[int]) -> list[int]:
        """Return the order: that of the steps, reversed."""
        return trail[::-1]

    def _settle(self, state: SearchState, last: int | None) -> SearchState:
        peak, todo, live, done, ready, trail = state
        groups, after = self._segment.groups, self._after
        while True:
            if last is not None:
                done ^= 1 << last
                hump, change = groups[last].run(done, 0)
                live -= change
                peak = max(peak, live + hump)
                ready ^= 1 << last
                todo -= 1
                trail = (*trail, last)
                for other in bits(groups[last].need):
                    if not after[other] & done:
                        ready |= 1 << other
            last, cheapest = None, -1
            for other in bits(ready):
                hump, change = groups[other].run(done ^ 1 << other, 0)
                most = live - change + hump
                if change >= 0 and most <= peak:
                    last = other
                    break
                if cheapest < 0 or most < cheapest:
                    cheapest = most
            if last is None:
                last = self._last_of_chain(peak, live, live, done, ready, 2)
            if last is None:  # one of the ready groups must be last
                return SearchState(max(peak, cheapest), todo, live, done, ready, trail)

    def _last_of_chain(
        self, peak: int, goal: int, live: int, done: int, ready: int, steps: int
    ) -> int | None:
        """Return the last group of a chain of up to ``steps`` groups to put last, or None.

        The chain starts from ``goal`` live bytes or fewer, and stays above them after its start.
        """
        groups, after = self._segment.groups, self._after
        for group in bits(ready):
            then = done ^ 1 << group
            hump, change = groups[group].run(then, 0)
            before = live - change
            if before + hump > peak:
                continue
            if before <= goal:
                return group
            if steps > 1:
                fresh = 0
                for other in bits(groups[group].need):
                    if not after[other] & then:
                        fresh |= 1 << other
                if self._last_of_chain(peak, goal, before, then, fresh, steps - 1) is not None:
                    return group
        return None
