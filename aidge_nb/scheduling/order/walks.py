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

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

from aidge_nb.scheduling.order.problem import bits
from aidge_nb.scheduling.order.segments import Segment

Run = Callable[[int, int], tuple[int, int]]
"""From groups that ran and live bytes to the most bytes of a step and the live bytes after it."""


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


class Direction(ABC):
    """A direction of search, as tables of what it means to take a group as the next step.

    Attributes
    ----------
    runs
        For each group: from the mask of groups that ran and the live bytes, the most bytes while it
        runs and the live bytes on its far side.
    near
        For each group the groups that taking it may make ready.
    waits
        For each group the mask of groups that must be taken before it.
    """

    runs: Sequence[Run]
    near: Sequence[Sequence[int]]
    waits: Sequence[int]
    complement: int
    """Mask that, by exclusive or, turns the groups of a state into those not yet taken."""

    def __init__(self, segment: Segment, live: int, floor: int = 0) -> None:
        self._segment, self._live = segment, live
        self._floor = max(live, floor, segment.bound(live))

    @abstractmethod
    def start(self) -> SearchState:
        """Return the first state."""

    @abstractmethod
    def order(self, trail: list[int]) -> list[int]:
        """Return the order that belongs to a trail."""

    def _begin(self, peak: int, live: int, done: int) -> SearchState:
        """Return the state before the first step, with what can be taken for nothing taken."""
        ready = sum(1 << number for number, waits in enumerate(self.waits) if not waits)
        return self.step(SearchState(peak, len(self._segment), live, done, ready), None)

    def step(self, state: SearchState, taken: int | None) -> SearchState:
        """Take a ready group, if one is given, then all groups that never hurt."""
        peak, todo, live, done, ready, trail = state
        runs, waits = self.runs, self.waits
        while True:
            if taken is not None:
                most, live = runs[taken](done, live)
                peak = max(peak, most)
                done ^= 1 << taken
                ready ^= 1 << taken
                todo -= 1
                trail = (*trail, taken)
                left = done ^ self.complement
                for other in self.near[taken]:
                    if not waits[other] & left:
                        ready |= 1 << other
            taken, cheapest = None, -1
            for other in bits(ready):
                most, after = runs[other](done, live)
                if after <= live and most <= peak:
                    taken = other
                    break
                if cheapest < 0 or most < cheapest:
                    cheapest = most
            if taken is None:
                taken = self._first_of_chain(peak, live, live, done, ready, 2)
            if taken is None:  # one of the ready groups must be next
                return SearchState(max(peak, cheapest), todo, live, done, ready, trail)

    def _first_of_chain(
        self, peak: int, goal: int, live: int, done: int, ready: int, steps: int
    ) -> int | None:
        """Return the first group of a chain of up to ``steps`` groups that never hurts, or None.

        The chain ends at ``goal`` live bytes or fewer, and stays above them before its end.
        """
        for group in bits(ready):
            most, after = self.runs[group](done, live)
            if most > peak:
                continue
            if after <= goal:
                return group
            if steps > 1:
                then = done ^ 1 << group
                left, fresh = then ^ self.complement, 0
                for other in self.near[group]:
                    if not self.waits[other] & left:
                        fresh |= 1 << other
                if self._first_of_chain(peak, goal, after, then, fresh, steps - 1) is not None:
                    return group
        return None


class Forward(Direction):
    """From the start: a state is the set that ran; a step runs one more group."""

    complement = -1

    def __init__(self, segment: Segment, live: int, floor: int = 0) -> None:
        super().__init__(segment, live, floor)
        self.runs = [group.run for group in segment.groups]
        self.near = segment.followers
        self.waits = [group.need for group in segment.groups]

    def start(self) -> SearchState:
        """Return the state before the first group."""
        return self._begin(self._floor, self._live, 0)

    def order(self, trail: list[int]) -> list[int]:
        """Return the order: that of the steps."""
        return trail


class Backward(Direction):
    """From the end: a state is the set without the groups put last; a step puts one more last."""

    complement = 0

    def __init__(self, segment: Segment, live: int, floor: int = 0) -> None:
        super().__init__(segment, live, floor)
        self.runs = [_taken_back(group.run, 1 << n) for n, group in enumerate(segment.groups)]
        self.near = [list(bits(group.need)) for group in segment.groups]
        self.waits = [sum(1 << each for each in those) for those in segment.followers]

    def start(self) -> SearchState:
        """Return the state after the last group."""
        count = len(self._segment)
        live = self._segment.run(range(count), self._live)[1]
        return self._begin(max(self._floor, live), live, (1 << count) - 1)

    def order(self, trail: list[int]) -> list[int]:
        """Return the order: that of the steps, reversed."""
        return trail[::-1]


def _taken_back(run: Run, bit: int) -> Run:
    """Return how live bytes change when a group is put last: those before it, and the most."""

    def back(done: int, live: int) -> tuple[int, int]:
        hump, change = run(done ^ bit, 0)
        return live - change + hump, live - change

    return back
