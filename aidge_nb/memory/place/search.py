"""The portfolio: greedy placements, hill climbing for the many, and the searches of the solver.

Everything stops as soon as the target is reached, which real networks allow within the first few
tries. Deterministic: work is counted, not timed, and whatever draws lots has a fixed seed; a time
limit merely cuts it off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from aidge_nb.memory.place.greedy import climb, greedy_placements
from aidge_nb.memory.place.placement import Problem
from aidge_nb.memory.place.solver.clock import Clock
from aidge_nb.memory.place.solver.cp_sat import cp_sat, is_installed
from aidge_nb.memory.place.solver.squeeze import squeeze
from aidge_nb.memory.place.solver.squeezed import Squeezed
from aidge_nb.memory.place.solver.strip import Strip
from aidge_nb.memory.place.solver.widening import widen

Solver = Literal["auto", "numpy", "beam", "cp-sat"]

_MANY = 2_000
"""With more buffers than this, the search valley by valley takes a time limit to be tried."""

_OURS = 0.6
"""Of a time limit, the part after which CP-SAT takes over where it is installed."""


@dataclass(frozen=True, slots=True)
class Found:
    """The best offsets that were found.

    Attributes
    ----------
    offsets, peak
        One offset per buffer, and the arena that they need.
    lower_bound
        Bytes below which there is proven to be nothing.
    method
        Who found them.
    """

    offsets: list[int]
    peak: int
    lower_bound: int
    method: str

    def improved(self, problem: Problem, squeezed: Squeezed) -> Found:
        """Give the better of both, and the better of both bounds."""
        bound = max(self.lower_bound, squeezed.lower_bound)
        if squeezed.offsets is None or problem.peak(squeezed.offsets) >= self.peak:
            return Found(self.offsets, self.peak, bound, self.method)
        return Found(squeezed.offsets, problem.peak(squeezed.offsets), bound, squeezed.method)


def search(
    problem: Problem, lower_bound: int, target: int, clock: Clock, solver: Solver = "auto"
) -> Found:
    """Look for offsets with a peak of at most ``target``.

    Parameters
    ----------
    problem
        What is to be placed.
    lower_bound
        What lives at one tick at most, in bytes.
    target
        Peak at which to stop: the lower bound or more.
    clock
        When to stop at the latest, and who is told how it goes.
    solver
        Who takes over where greedy placements do not reach the target.
    """
    best = Found([], 0, lower_bound, "nothing to place")
    for method, offsets in _quick(problem, target, clock):
        peak = problem.peak(offsets)
        if not best.offsets or peak < best.peak:
            best = Found(offsets, peak, lower_bound, method)
            clock.report(peak, lower_bound, method)
        if best.peak <= target or clock.is_late():
            break
    if best.peak <= target or clock.is_over():
        return best
    if len(problem) > _MANY and clock.time_limit is None and solver != "cp-sat":
        return best
    return _search_long(problem, best, target, clock, solver)


def _quick(problem: Problem, target: int, clock: Clock) -> Iterator[tuple[str, list[int]]]:
    yield from greedy_placements(problem, is_large=len(problem) > _MANY)
    if len(problem) > _MANY and not problem.is_dense:
        yield "hill climbing", climb(problem, target, clock)


def _search_long(problem: Problem, best: Found, target: int, clock: Clock, solver: Solver) -> Found:
    strip = Strip(problem.ranges)
    if solver == "beam":
        found = widen(strip, best.peak, best.lower_bound, target, clock)
        return best.improved(problem, found)
    # CP-SAT joins in unasked only where someone said how long all may take.
    in_turn = solver == "auto" and clock.time_limit is not None and is_installed()
    if solver != "cp-sat":
        ours = clock.part(_OURS) if in_turn else clock
        found = squeeze(strip, best.peak, best.lower_bound, target, ours)
        best = best.improved(problem, found)
    if solver == "cp-sat" or (in_turn and best.peak > max(target, best.lower_bound)):
        if best.lower_bound <= target or best.lower_bound < best.peak:
            found = cp_sat(strip, best.peak, best.lower_bound, target, clock)
            best = best.improved(problem, found)
    return best
