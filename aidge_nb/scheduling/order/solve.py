"""The order of least peak memory: grouping, cutting, beam search, then exact search."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from aidge_nb.scheduling.order.beam import beam_search
from aidge_nb.scheduling.order.budget import Budget
from aidge_nb.scheduling.order.exact import search
from aidge_nb.scheduling.order.joining import group_tasks
from aidge_nb.scheduling.order.problem import OrderProblem
from aidge_nb.scheduling.order.segments import Segment, cut

MAX_STATES = 50_000
"""How many states the exact search expands by default: some seconds, for graphs that need it."""

WIDTHS = (1, 8)
"""Widths of the beam searches that come before the exact search."""

MAX_TASKS = 6_000
"""Beyond, the relations of all tasks (a square table of bits) cost more than they bring."""


@dataclass(frozen=True, slots=True)
class Solution:
    """An order of tasks.

    Attributes
    ----------
    order
        The tasks by number.
    peak
        The most bytes that are live at once.
    default_peak
        The same for the numbers in turn.
    lower_bound
        Bytes that no order can do without.
    method
        What found or proved it: ``default``, ``grouping``, ``exact search`` or ``beam search``.
    states
        How many states the exact search expanded.
    """

    order: tuple[int, ...]
    peak: int
    default_peak: int
    lower_bound: int
    method: str
    states: int = 0

    @property
    def proven(self) -> bool:
        """Whether no order has a smaller peak."""
        return self.peak == self.lower_bound

    @property
    def is_default(self) -> bool:
        """Whether nothing better was found than the numbers in turn."""
        return self.method == "default"


def solve(
    problem: OrderProblem, max_states: int = MAX_STATES, time_limit: float | None = None
) -> Solution:
    """Find an order with the least peak; never worse than that of the numbers in turn.

    Parameters
    ----------
    problem
        Tasks and their memory.
    max_states
        How many states the exact search may expand, over all segments. Where it gives up, the
        order is the best that was found and the bound what was proven until then.
    time_limit
        Seconds after which the exact search gives up too, if wanted. What comes of that is not
        the same on every machine.

    Examples
    --------
    >>> from aidge_nb.scheduling.order.problem import Block
    >>> users = (0b110, 0b1000, 0b10000, 0b100000, 0b100000, 0)
    >>> sizes = (4, 4, 9, 1, 1, 1)
    >>> blocks = tuple(Block(size, i, mask) for i, (size, mask) in enumerate(zip(sizes, users)))
    >>> problem = OrderProblem((0, 0b1, 0b1, 0b10, 0b100, 0b11000), blocks)
    >>> solve(problem).order, problem.peak(range(6)), solve(problem).peak
    ((0, 1, 3, 2, 4, 5), 17, 14)
    """
    if time_limit is None:
        return _solve_once(problem, max_states)
    return _solve(problem, Budget(max_states, time_limit))


@lru_cache(maxsize=32)
def _solve_once(problem: OrderProblem, max_states: int) -> Solution:
    """Remember: a policy asks again for every pass."""
    return _solve(problem, Budget(max_states))


def _solve(problem: OrderProblem, budget: Budget) -> Solution:
    default = tuple(range(len(problem)))
    peak = problem.peak(default)
    bound = _simple_bound(problem)
    if peak == bound or len(problem) > MAX_TASKS:
        return Solution(default, peak, peak, bound, "default")
    segments = cut(group_tasks(problem))
    planner = _Planner(segments, problem.live_at_start, budget)
    planner.run()
    bound = max(bound, planner.bound)
    if planner.peak >= peak:
        return Solution(default, peak, peak, bound, "default", budget.spent)
    proved = planner.peak == bound and budget.spent
    method = "exact search" if proved else planner.method
    return Solution(planner.order(), planner.peak, peak, bound, method, budget.spent)


def _simple_bound(problem: OrderProblem) -> int:
    """Give a bound that costs next to nothing: what each task alone needs, and what stays."""
    blocks, written = problem.blocks, problem.written_by()
    need = [sum(blocks[number].size for number in made) for made in written]
    for number, used in enumerate(problem.used_by()):
        over = [blocks[b].size for b in (problem.overwrites[number] if problem.overwrites else ())]
        need[number] += sum(blocks[block].size for block in {*used} - {*written[number]})
        need[number] -= max(over, default=0)
    kept = sum(block.size for block in blocks if block.kept)
    return max(*need, kept, problem.live_at_start) if need else problem.live_at_start


class _Planner:
    """Solves the segments, the worst first: the others need not be better than that."""

    def __init__(self, segments: list[Segment], live: int, budget: Budget) -> None:
        self.segments = segments
        self.budget = budget
        self.peak = self.bound = live
        self.method = "grouping"
        self.orders = [list(range(len(segment))) for segment in segments]
        self._lives = []
        for segment, order in zip(segments, self.orders, strict=True):
            self._lives.append(live)
            live = segment.run(order, live)[1]

    def run(self) -> None:
        bounds = [s.bound(live) for s, live in zip(self.segments, self._lives, strict=True)]
        self.bound = max([self.bound, *bounds])
        for number in sorted(range(len(bounds)), key=lambda n: -bounds[n]):
            self._solve(number, bounds[number])

    def _solve(self, number: int, bound: int) -> None:
        segment, live = self.segments[number], self._lives[number]
        goal = max(self.bound, self.peak)
        best = segment.run(self.orders[number], live)[0]
        if best > goal:
            for width in WIDTHS:
                order, peak = beam_search(segment, live, width)
                if peak < best:
                    self.orders[number], best = order, peak
                    self.method = max(self.method, "beam search", key=_METHODS.index)
                if best <= goal:
                    break
        if best > goal:
            best, bound = self._search(number, best, bound, goal)
        self.peak, self.bound = max(self.peak, best), max(self.bound, min(bound, best))

    def _search(self, number: int, best: int, bound: int, goal: int) -> tuple[int, int]:
        segment, live = self.segments[number], self._lives[number]
        found = search(segment, live, best, bound, goal, self.budget)
        if found.order is not None:
            self.orders[number] = found.order
            self.method = "exact search"
        return found.peak, found.bound

    def order(self) -> tuple[int, ...]:
        return tuple(
            task
            for segment, order in zip(self.segments, self.orders, strict=True)
            for number in order
            for task in segment.choices[number].tasks
        )


_METHODS = ("grouping", "beam search", "exact search")
