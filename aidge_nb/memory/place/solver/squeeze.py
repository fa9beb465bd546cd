"""Searching again and again: other orders, more patience, and smaller and smaller capacities.

A search that goes wrong early seldom comes back, so it is better to begin anew than to insist:
five orders take turns, shuffled a little more each time, and each round is more patient than the
one before. Every other round begins with what the search before it learned about where it is hard:
knowing helps as often as it misleads. Whether the lower bound can be reached is tried in every
round; heights between it and the best that is known are tried now and then, halving the distance.
Where that takes long, beam search takes turns with it: it fails elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from aidge_nb.memory.place.solver.beam import Widening
from aidge_nb.memory.place.solver.clock import Clock
from aidge_nb.memory.place.solver.strip import Improvement, Strip
from aidge_nb.memory.place.solver.valleys import Filling, Valleys

_PATIENCE = 4
"""Moves per buffer in the first round."""

_GROWTH = 1.4
"""Patience of a round, by that of the round before it."""

_NOISE = 0.3
"""How far the sizes that order buffers are off at most, times the number of the round."""

_ROUNDS_PER_HALVING = 3

_STEPS_ALONE = 300_000
"""Beam search joins in after so many steps, which most problems do not take."""

_STEPS_OF_BEAM = 0.25
"""Steps of beam search, by those of the search valley by valley, at most."""

_MOST_HEIGHTS = 1 << 22
"""For arenas of more units, heights are not told apart."""

_Key = Callable[[int, int], int]

_KEYS: dict[str, _Key] = {
    "longest": lambda sections, height: -sections,
    "shortest": lambda sections, height: sections,
    "largest": lambda sections, height: -height,
    "smallest": lambda sections, height: height,
    "largest area": lambda sections, height: -sections * height,
}
"""Which buffers to try first, by the number of their sections and their height."""


def squeeze(strip: Strip, peak: int, lower_bound: int, target: int, clock: Clock) -> Improvement:
    """Look for an arena of at most ``target`` bytes, or else for one smaller than ``peak``.

    Parameters
    ----------
    strip
        What is to be laid.
    peak, lower_bound
        What is known, in bytes.
    target
        Where to stop: the lower bound, or the size of the memory.
    clock
        When to stop.
    """
    return _Squeeze(strip, peak, lower_bound, target, clock).run()


def widen(strip: Strip, peak: int, lower_bound: int, target: int, clock: Clock) -> Improvement:
    """Search as :func:`squeeze` does, by beam search alone, which proves nothing."""
    search = _Squeeze(strip, peak, lower_bound, target, clock)
    search.widen(alone=True)
    return search.found


class _Squeeze:
    """Works in units of the strip."""

    def __init__(
        self, strip: Strip, peak: int, lower_bound: int, target: int, clock: Clock
    ) -> None:
        self._strip = strip
        self._best = -(-peak // strip.unit)
        self._low = -(-lower_bound // strip.unit)
        self._goal = max(self._low, target // strip.unit)
        self._is_fixed = target > lower_bound
        self._clock = clock
        self._offsets: list[int] | None = None
        self._method = ""
        self._random = Random(0)
        self._at_goal = Valleys(strip, self._goal)
        self._widening = Widening(strip)
        self._spent = 0.0
        # Steps are longer when there are thousands of buffers.
        self._step = 1.0 + len(strip.load) / 700

    def run(self) -> Improvement:
        round_ = 0
        while self._best > self._goal and not self._clock.is_over():
            outcome = self._try(self._at_goal, self._goal, round_)
            if outcome.offsets is None and outcome.is_complete:
                self._low = self._next_height(self._goal)
                self._tell()
                if self._is_fixed:
                    break
                self._goal = self._low
                self._at_goal = Valleys(self._strip, self._goal)
            elif outcome.offsets is None:
                if round_ % _ROUNDS_PER_HALVING == 0:
                    self._halve(round_)
                self.widen()
                round_ += 1
        return self.found

    @property
    def found(self) -> Improvement:
        """The best offsets and the best bound so far."""
        return Improvement(self._offsets, self._low * self._strip.unit, self._method)

    def _next_height(self, height: int) -> int:
        """Return the next height that an arena can have: the height of some stack of buffers.

        Pressed to the ground, buffers rest on one another, down to the ground.
        """
        if self._best > _MOST_HEIGHTS:
            return height + 1
        stacks, within = 1, (1 << self._best + 1) - 1
        for each in self._strip.height:
            stacks |= stacks << each & within
        higher = stacks >> height + 1
        if not higher:
            return self._best
        return height + (higher & -higher).bit_length()

    def _halve(self, round_: int) -> None:
        """Try heights between what cannot be reached, for now, and the best."""
        below = self._goal
        step = 1 + (self._goal >> 8 + round_)
        while self._best - below > step and not self._clock.is_over():
            middle = (below + self._best) // 2
            if self._try(Valleys(self._strip, middle), middle, round_).offsets is None:
                below = middle

    def _try(self, valleys: Valleys, capacity: int, round_: int) -> Filling:
        """Search with every order once."""
        found = Filling(None, False)
        patience = int(_PATIENCE * len(self._strip) * _GROWTH**round_)
        for name, rank, from_the_right in self._orders(round_):
            if self._clock.is_over():
                break
            before = valleys.steps
            budget = min(patience, self._clock.steps_left / self._step)
            found = valleys.fill(
                rank,
                int(budget),
                from_the_right=from_the_right,
                knows_weights=round_ % 2 == 1,
                is_late=self._clock.is_late,
            )
            spent = (valleys.steps - before + 1) * self._step
            self._spent += spent
            self._clock.spend(spent)
            if found.offsets is not None:
                self._take(found.offsets, f"valley by valley, {name} first")
            if found.is_complete:
                break
        return found

    def widen(self, alone: bool = False) -> None:
        """Try to get below the best by beam search, as often as it is its turn."""
        widening = self._widening
        while (
            self._best > self._goal
            and not widening.is_done
            and (alone or self._is_turn_of_beam())
            and not self._clock.is_over()
        ):
            width = widening.width
            found = widening.turn(self._best - 1, self._goal, self._clock.is_late)
            self._clock.spend(widening.last_cost)
            if found is not None:
                self._take(found, f"beam search, width {width}")

    def _is_turn_of_beam(self) -> bool:
        # The next turn takes at most twice as long as the last one.
        cost = self._widening.steps + 2 * self._widening.last_cost
        return self._spent >= _STEPS_ALONE and cost <= _STEPS_OF_BEAM * self._spent

    def _take(self, offsets: list[int], method: str) -> None:
        """Keep offsets that are better than all before."""
        self._best = self._strip.top(offsets)
        self._offsets, self._method = self._strip.offsets(offsets), method
        self._tell()

    def _orders(self, round_: int) -> Iterator[tuple[str, list[int], bool]]:
        """Yield the orders of a round: a name, ranks, and the side to begin from."""
        strip, random = self._strip, self._random
        sections = [b - a for a, b in zip(strip.first, strip.behind, strict=True)]
        noise = _NOISE * round_
        for turn, (name, key) in enumerate(_KEYS.items()):
            keys = [
                (key(width, height) * (1 + noise * random.random()), -width * height)
                for width, height in zip(sections, strip.height, strict=True)
            ]
            yield name, strip.ranks(keys), (round_ + turn) % 2 == 1

    def _tell(self) -> None:
        unit = self._strip.unit
        self._clock.report(self._best * unit, self._low * unit, self._method)
