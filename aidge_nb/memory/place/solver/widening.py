"""Beam search again and again: with every taste once, then with a beam twice as wide."""

from __future__ import annotations

from collections.abc import Callable

from aidge_nb.memory.place.solver.beam import TASTES, Beam
from aidge_nb.memory.place.solver.clock import Clock
from aidge_nb.memory.place.solver.squeezed import Squeezed
from aidge_nb.memory.place.solver.strip import Strip

_FIRST_WIDTH = 8

_MOST_BUFFERS = 2_000
"""Half-filled strips of more take too much memory."""


class Widening:
    """A beam search that can be taken up where it was left.

    Attributes
    ----------
    width
        Of the beam that comes next.
    is_done
        Whether no wider beam finds more, or there are too many buffers.
    last_cost
        Steps that the last turn took.

    Examples
    --------
    >>> from aidge_nb.memory.values.live_range import LiveRange
    >>> widening = Widening(Strip([LiveRange(0, 2, 10), LiveRange(1, 3, 20)]))
    >>> widening.turn(capacity=3, goal=3), widening.width
    ([0, 1], 8)
    """

    def __init__(self, strip: Strip) -> None:
        self.is_done = not 0 < len(strip) <= _MOST_BUFFERS
        self.width = _FIRST_WIDTH
        self._strip = strip
        self._beam: Beam | None = None
        self._taste = 0
        self.last_cost = 0.0

    @property
    def steps(self) -> float:
        """Work that was done so far."""
        return 0.0 if self._beam is None else self._beam.steps

    @property
    def next_cost(self) -> float:
        """What the next turn will cost, more or less: at most twice as much as the last one."""
        return 2 * self.last_cost

    def turn(
        self, capacity: int, goal: int, is_late: Callable[[], bool] = lambda: False
    ) -> list[int] | None:
        """Search once, as :meth:`Beam.fill`, with the next taste or width."""
        if self._beam is None:
            self._beam = Beam(self._strip)
        before = self._beam.steps
        found = self._beam.fill(self.width, capacity, goal, TASTES[self._taste], is_late)
        self.last_cost = self._beam.steps - before
        self.is_done = found is None and not self._beam.was_cut
        self._taste = (self._taste + 1) % len(TASTES)
        if not self._taste:
            self.width *= 2
        return found


def widen(strip: Strip, peak: int, lower_bound: int, target: int, clock: Clock) -> Squeezed:
    """Do what :func:`~aidge_nb.memory.place.solver.squeeze` does, by beam search alone.

    It proves nothing: the lower bound stays as it is.
    """
    widening = Widening(strip)
    low, best = -(-lower_bound // strip.unit), -(-peak // strip.unit)
    goal = max(low, target // strip.unit)
    offsets, method = None, ""
    while best > goal and not widening.is_done and not clock.is_over():
        width = widening.width
        found = widening.turn(best - 1, goal, clock.is_late)
        clock.spend(widening.last_cost)
        if found is not None:
            best = strip.top(found)
            offsets, method = strip.offsets(found), f"beam search, width {width}"
            clock.report(best * strip.unit, lower_bound, method)
    return Squeezed(offsets, lower_bound, method)
