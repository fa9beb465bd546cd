"""The portfolio: greedy placements in several orders, branch and bound, then hill climbing.

Everything stops as soon as the target is reached, which real networks allow within the first few
tries. Deterministic: effort is counted, not timed, and the climb draws from a generator with a
fixed seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from aidge_nb.memory.depth_first import depth_first
from aidge_nb.memory.placement import Problem, first_fit, lowest_first

__all__ = ["Found", "search"]

Key = Callable[[int], tuple[float, ...]]

_STEPS_PER_EFFORT = 10_000_000
"""Visits to buffers and conflicts; about two seconds of a slow machine."""

_NODES_PER_EFFORT = 20_000
"""Partial placements of branch and bound; about half a second."""

_FEW = 1_000
"""Branch and bound is for problems of at most so many buffers."""


@dataclass(frozen=True, slots=True)
class Found:
    """The best offsets that were found.

    Attributes
    ----------
    offsets, peak
        One offset per buffer, and the arena that they need.
    method
        Who found them.
    is_least
        Whether it was proven, by looking at all others, that no placement needs less.
    """

    offsets: list[int]
    peak: int
    method: str
    is_least: bool = False


def search(problem: Problem, target: int, effort: float = 1.0) -> Found:
    """Look for offsets with a peak of at most ``target``.

    Parameters
    ----------
    problem
        What is to be placed.
    target
        Peak at which to stop, in bytes.
    effort
        How long to go on; 1 is a few seconds for hard problems, twice as much takes twice as long.

    Returns
    -------
    Found
        The best offsets.
    """
    best = Found([], 0, "nothing to place")
    for method, offsets in _portfolio(problem):
        peak = problem.peak(offsets)
        if not best.offsets or peak < best.peak:
            best = Found(offsets, peak, method)
        if best.peak <= target:
            return best
    if problem.is_dense or not best.offsets:
        return best
    if len(problem) <= _FEW:
        best = _branch_and_bound(problem, target, best, int(effort * _NODES_PER_EFFORT))
    if best.peak > target and not best.is_least:
        tries = int(effort * _STEPS_PER_EFFORT) // (problem.nb_pairs + 10 * len(problem))
        offsets = _climb(problem, target, tries)
        if problem.peak(offsets) < best.peak:
            best = Found(offsets, problem.peak(offsets), "hill climbing")
    return best


def _branch_and_bound(problem: Problem, target: int, best: Found, nodes: int) -> Found:
    """Try half of the effort with each of two priorities."""
    keys = _keys(problem)
    for name in ("longest first", "largest area first"):
        priority = _ranks(sorted(range(len(problem)), key=keys[name]))
        result = depth_first(problem, best.peak, target, priority, nodes // 2)
        if result.offsets is not None:
            best = Found(result.offsets, problem.peak(result.offsets), "branch and bound")
        if best.peak <= target:
            return best
        if result.is_complete:
            return Found(best.offsets, best.peak, best.method, is_least=True)
    return best


def _keys(problem: Problem) -> dict[str, Key]:
    """What to sort by: the most awkward buffers first, in several senses of the word."""
    ranges = problem.ranges

    def lifetime(number: int) -> int:
        return ranges[number].upper - ranges[number].lower

    return {
        "largest first": lambda i: (-ranges[i].size, -lifetime(i), i),
        "largest area first": lambda i: (-ranges[i].size * lifetime(i), i),
        "longest first": lambda i: (-lifetime(i), -ranges[i].size, i),
        "longest and smallest first": lambda i: (-lifetime(i), ranges[i].size, i),
        "earliest first": lambda i: (ranges[i].lower, -ranges[i].size, i),
        "latest first": lambda i: (-ranges[i].upper, -ranges[i].size, i),
    }


def _portfolio(problem: Problem) -> Iterator[tuple[str, list[int]]]:
    numbers = range(len(problem))
    if not numbers:
        return
    keys = _keys(problem)
    if problem.is_dense:
        for name in ("largest first", "longest first"):
            yield name, first_fit(problem, sorted(numbers, key=keys[name]))
        return
    for name, key in keys.items():
        yield name, first_fit(problem, sorted(numbers, key=key))
    pressure = [
        problem.sizes[i] + sum(problem.sizes[j] for j in problem.conflicts[i]) for i in numbers
    ]
    keys["most crowded first"] = lambda i: (-pressure[i], -problem.sizes[i], i)
    yield "most crowded first", first_fit(problem, sorted(numbers, key=keys["most crowded first"]))
    for name, key in keys.items():
        yield f"from the ground up, {name}", lowest_first(problem, _ranks(sorted(numbers, key=key)))


def _ranks(order: list[int]) -> list[float]:
    ranks = [0.0] * len(order)
    for rank, number in enumerate(order):
        ranks[number] = rank / len(order)
    return ranks


def _climb(problem: Problem, target: int, tries: int) -> list[int]:
    """Raise priorities of buffers that stick out above the target, keeping what does no harm.

    Progress is measured by the bytes above the target, summed over buffers: the peak alone says
    nothing about most changes.
    """
    from random import Random

    numbers = range(len(problem))
    sizes = problem.sizes

    def excess(offsets: list[int]) -> list[int]:
        return [max(0, offsets[i] + sizes[i] - target) for i in numbers]

    starts = [_ranks(sorted(numbers, key=key)) for key in _keys(problem).values()]
    priority = min(starts, key=lambda ranks: sum(excess(lowest_first(problem, ranks))))
    best = offsets = lowest_first(problem, priority)
    above = excess(offsets)
    random = Random(0)
    for _ in range(tries):
        if not any(above):
            break
        number = random.choice([i for i in numbers if above[i]])
        before = priority[number]
        priority[number] = random.uniform(min(priority) - 1e-6, before)
        offsets = lowest_first(problem, priority)
        now = excess(offsets)
        if sum(now) > sum(above):
            priority[number] = before
            continue
        above = now
        if problem.peak(offsets) < problem.peak(best):
            best = offsets
    return best
