"""Greedy placements in several orders, and climbing on from the best of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aidge_nb.memory.place.placement import Problem, first_fit, lowest_first
from aidge_nb.memory.place.solver.clock import Clock

_Key = Callable[[int], tuple[float, ...]]

_TRIES_PER_EFFORT = 2_500_000
"""Visits to buffers and conflicts while climbing; about a second."""

_IF_LARGE = ("longest first", "most crowded first", "largest area first")
"""The orders that did best from the ground up, where trying all takes long."""


def _keys(problem: Problem) -> dict[str, _Key]:
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


def greedy_placements(problem: Problem, is_large: bool) -> Iterator[tuple[str, list[int]]]:
    """Place all buffers by one greedy rule after the other; few of them for large problems."""
    numbers = range(len(problem))
    if not numbers:
        return
    keys = _keys(problem)
    if problem.is_dense:
        for name in ("largest first", "longest first"):
            yield name, first_fit(problem, sorted(numbers, key=keys[name]))
        return
    yield "largest first", first_fit(problem, sorted(numbers, key=keys["largest first"]))
    if not is_large:
        yield _from_the_ground_up(problem, keys, "largest first")
        for name in list(keys)[1:]:
            yield name, first_fit(problem, sorted(numbers, key=keys[name]))
    crowd = [
        problem.sizes[i] + sum(problem.sizes[j] for j in problem.conflicts[i]) for i in numbers
    ]
    keys["most crowded first"] = lambda i: (-crowd[i], -problem.sizes[i], i)
    if not is_large:
        order = sorted(numbers, key=keys["most crowded first"])
        yield "most crowded first", first_fit(problem, order)
    for name in _IF_LARGE if is_large else list(keys)[1:]:
        yield _from_the_ground_up(problem, keys, name)


def _from_the_ground_up(
    problem: Problem, keys: dict[str, _Key], name: str
) -> tuple[str, list[int]]:
    ranks = _ranks(sorted(range(len(problem)), key=keys[name]))
    return f"from the ground up, {name}", lowest_first(problem, ranks)


def _ranks(order: list[int]) -> list[float]:
    ranks = [0.0] * len(order)
    for rank, number in enumerate(order):
        ranks[number] = rank / len(order)
    return ranks


def climb(problem: Problem, target: int, clock: Clock) -> list[int]:
    """Raise priorities of buffers that stick out above the target, keeping what does no harm.

    Progress is measured by the bytes above the target, summed over buffers: the peak alone says
    nothing about most changes.
    """
    from random import Random

    numbers = range(len(problem))
    sizes = problem.sizes

    def excess(offsets: list[int]) -> list[int]:
        return [max(0, offsets[i] + sizes[i] - target) for i in numbers]

    keys = _keys(problem)
    starts = [_ranks(sorted(numbers, key=keys[name])) for name in ("longest first", "latest first")]
    priority = min(starts, key=lambda ranks: sum(excess(lowest_first(problem, ranks))))
    best = offsets = lowest_first(problem, priority)
    above = excess(offsets)
    random = Random(0)
    tries = int(clock.effort * _TRIES_PER_EFFORT) // (problem.nb_pairs + 10 * len(problem))
    for _ in range(tries):
        if not any(above) or clock.is_late():
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
