"""Two ways through the sets of groups of a segment: from its start, and back from its end.

Both take along at once what never hurts, which follows from what is live being a submodular
function of the set that ran (a block counts from its writer until *all* its users ran):

- forward, a group that fits under the peak so far and leaves no more behind than it found runs at
  once: whatever runs before it would find no less memory taken;
- backward, a group that fits and leaves at least as much behind as it found is put last: whatever
  runs before it does not miss it.

The second rule bites where one tensor has many readers, and is why the way back is often the short
one.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from aidge_nb.scheduling.order.problem import bits
from aidge_nb.scheduling.order.segments import Segment


class State(NamedTuple):
    """A set of groups that was reached; states compare by what is promising.

    Attributes
    ----------
    peak
        A peak that no order through this state is below.
    todo
        How many groups have no place yet.
    live
        Bytes that are live when the set ran.
    done
        Mask of the set of groups that ran by then.
    ready
        Mask of the groups that may be the next step.
    trail
        The groups of all steps.
    """

    peak: int
    todo: int
    live: int
    done: int
    ready: int
    trail: tuple[int, ...] = ()


class Walk(Protocol):
    """A direction to walk in."""

    def start(self) -> State:
        """Give the state that it begins at."""

    def step(self, state: State, group: int) -> State:
        """Take a group that is ready, and what never hurts then."""

    def order(self, trail: list[int]) -> list[int]:
        """Give the order that all steps of a walk mean."""


class Forward:
    """From the start: a state is what ran, a step runs one more group."""

    def __init__(self, segment: Segment, live: int, floor: int = 0) -> None:
        self._segment, self._live, self._floor = segment, live, floor

    def start(self) -> State:
        """Give the state before anything ran."""
        segment = self._segment
        ready = sum(1 << number for number, c in enumerate(segment.choices) if not c.need)
        floor = max(self._live, self._floor, segment.bound(self._live))
        return self._settle(State(floor, len(segment), self._live, 0, ready), None)

    def step(self, state: State, group: int) -> State:
        """Run a group."""
        return self._settle(state, group)

    def order(self, trail: list[int]) -> list[int]:
        """Give the order: that of the steps."""
        return trail

    def _settle(self, state: State, run: int | None) -> State:
        peak, todo, live, done, ready, trail = state
        choices, followers = self._segment.choices, self._segment.followers
        while True:
            if run is not None:
                most, live = choices[run].run(done, live)
                peak = max(peak, most)
                done |= 1 << run
                ready ^= 1 << run
                todo -= 1
                trail = (*trail, run)
                for other in followers[run]:
                    if not choices[other].need & ~done:
                        ready |= 1 << other
            run, cheapest = None, -1
            for other in bits(ready):
                most, after = choices[other].run(done, live)
                if after <= live and most <= peak:
                    run = other
                    break
                if cheapest < 0 or most < cheapest:
                    cheapest = most
            if run is None:
                run = self._first_of_chain(peak, live, live, done, ready, 2)
            if run is None:  # one of those that are ready must be next
                return State(max(peak, cheapest), todo, live, done, ready, trail)

    def _first_of_chain(
        self, peak: int, goal: int, live: int, done: int, ready: int, steps: int
    ) -> int | None:
        """Find a group that begins a chain, each waiting for the one before, that is a gift.

        The chain leads to no more than ``goal`` live bytes, and to more before its end.
        """
        choices, followers = self._segment.choices, self._segment.followers
        for group in bits(ready):
            most, after = choices[group].run(done, live)
            if most > peak:
                continue
            if after <= goal:
                return group
            if steps > 1:
                then = done | 1 << group
                fresh = 0
                for other in followers[group]:
                    if not choices[other].need & ~then:
                        fresh |= 1 << other
                if self._first_of_chain(peak, goal, after, then, fresh, steps - 1) is not None:
                    return group
        return None


class Backward:
    """From the end: a state is what has not been put last, a step puts one more group last."""

    def __init__(self, segment: Segment, live: int, floor: int = 0) -> None:
        self._segment, self._live, self._floor = segment, live, floor
        self._after = [sum(1 << each for each in those) for those in segment.followers]

    def start(self) -> State:
        """Give the state in which everything ran."""
        count, ready = len(self._segment), 0
        for number, after in enumerate(self._after):
            ready |= 0 if after else 1 << number
        live = self._segment.run(range(count), self._live)[1]
        floor = max(self._live, live, self._floor, self._segment.bound(self._live))
        return self._settle(State(floor, count, live, (1 << count) - 1, ready), None)

    def step(self, state: State, group: int) -> State:
        """Put a group last."""
        return self._settle(state, group)

    def order(self, trail: list[int]) -> list[int]:
        """Give the order: that of the steps, turned round."""
        return trail[::-1]

    def _settle(self, state: State, last: int | None) -> State:
        peak, todo, live, done, ready, trail = state
        choices, after = self._segment.choices, self._after
        while True:
            if last is not None:
                done ^= 1 << last
                hump, change = choices[last].run(done, 0)
                live -= change
                peak = max(peak, live + hump)
                ready ^= 1 << last
                todo -= 1
                trail = (*trail, last)
                for other in bits(choices[last].need):
                    if not after[other] & done:
                        ready |= 1 << other
            last, cheapest = None, -1
            for other in bits(ready):
                hump, change = choices[other].run(done ^ 1 << other, 0)
                most = live - change + hump
                if change >= 0 and most <= peak:
                    last = other
                    break
                if cheapest < 0 or most < cheapest:
                    cheapest = most
            if last is None:
                last = self._last_of_chain(peak, live, live, done, ready, 2)
            if last is None:  # one of those that are ready must be the last
                return State(max(peak, cheapest), todo, live, done, ready, trail)

    def _last_of_chain(
        self, peak: int, goal: int, live: int, done: int, ready: int, steps: int
    ) -> int | None:
        """Find a group that ends a chain, each waiting for the one before, that is a burden.

        The chain begins with no more than ``goal`` live bytes, and with more behind its begin.
        """
        choices, after = self._segment.choices, self._after
        for group in bits(ready):
            then = done ^ 1 << group
            hump, change = choices[group].run(then, 0)
            before = live - change
            if before + hump > peak:
                continue
            if before <= goal:
                return group
            if steps > 1:
                fresh = 0
                for other in bits(choices[group].need):
                    if not after[other] & then:
                        fresh |= 1 << other
                if self._last_of_chain(peak, goal, before, then, fresh, steps - 1) is not None:
                    return group
        return None
