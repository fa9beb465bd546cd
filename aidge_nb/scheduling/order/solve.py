"""Solve an order problem: group tasks, cut into segments, beam search, then exact search."""

from __future__ import annotations

from functools import lru_cache

from aidge_nb.core.values import dataclass
from aidge_nb.scheduling.order.groups import group_tasks
from aidge_nb.scheduling.order.problem import OrderProblem
from aidge_nb.scheduling.order.search import Budget, beam_search, search_exact
from aidge_nb.scheduling.order.segments import Segment, cut

MAX_STATES = 50_000
"""Default limit on the states of the exact search: some seconds, for graphs that need them."""

WIDTHS = (1, 8)
"""Widths of the beam searches before the exact search."""

MAX_TASKS = 6_000
"""Larger problems keep their order: the precedence table grows with the square of the tasks."""


@dataclass(frozen=True, slots=True)
class Solution:
    """An order of tasks.

    Attributes
    ----------
    order
        The tasks by number.
    peak
        Maximum of live bytes.
    default_peak
        The same, in bytes, for tasks in the order of their numbers.
    lower_bound
        Bytes that every order needs.
    method
        How it was found or proved: ``default``, ``grouping``, ``exact search``, ``beam search``.
    states
        Number of states that the exact search expanded.
    """

    order: tuple[int, ...]
    peak: int
    default_peak: int
    lower_bound: int
    method: str
    states: int = 0

    @property
    def proven(self) -> bool:
        """True when no order has a smaller peak."""
        return self.peak == self.lower_bound

    @property
    def is_default(self) -> bool:
        """True when nothing better was found than the order of the numbers."""
        return self.method == "default"


def solve(
    problem: OrderProblem, max_states: int = MAX_STATES, time_limit: float | None = None
) -> Solution:
    """Find an order with the smallest peak; never worse than the order of the numbers.

    Parameters
    ----------
    problem
        Tasks and their memory.
    max_states
        Limit on the states that the exact search expands, over all segments. Where it gives up,
        the order is the best found and the bound the best proven.
    time_limit
        Seconds after which the exact search gives up; the result then depends on the machine.

    Examples
    --------
    >>> from aidge_nb.scheduling.order.problem import MemoryBlock
    >>> users = (0b110, 0b1000, 0b10000, 0b100000, 0b100000, 0)
    >>> sizes = (4, 4, 9, 1, 1, 1)
    >>> blocks = tuple(MemoryBlock(size, i, u) for i, (size, u) in enumerate(zip(sizes, users)))
    >>> problem = OrderProblem((0, 0b1, 0b1, 0b10, 0b100, 0b11000), blocks)
    >>> solve(problem).order, problem.peak(range(6)), solve(problem).peak
    ((0, 1, 3, 2, 4, 5), 17, 14)
    """
    if time_limit is None:
        return _solve_once(problem, max_states)
    return _solve(problem, Budget(max_states, time_limit))


@lru_cache(maxsize=32)
def _solve_once(problem: OrderProblem, max_states: int) -> Solution:
    """Cache the result: a policy asks again in every pass."""
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
    """Return a cheap lower bound: the bytes that each task alone needs, and those kept."""
    blocks, written = problem.blocks, problem.written_by()
    need = [sum(blocks[number].size for number in made) for made in written]
    for number, used in enumerate(problem.used_by()):
        over = [blocks[b].size for b in (problem.overwrites[number] if problem.overwrites else ())]
        need[number] += sum(blocks[block].size for block in {*used} - {*written[number]})
        need[number] -= max(over, default=0)
    kept = sum(block.size for block in blocks if block.kept)
    return max(*need, kept, problem.live_at_start) if need else problem.live_at_start


class _Planner:
    """Solve segments in order of decreasing bound; each need only be as good as the worst."""

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
            found = search_exact(segment, live, best, bound, goal, self.budget)
            best, bound = found.peak, found.bound
            if found.order is not None:
                self.orders[number], self.method = found.order, "exact search"
        self.peak, self.bound = max(self.peak, best), max(self.bound, min(bound, best))

    def order(self) -> tuple[int, ...]:
        return tuple(
            task
            for segment, order in zip(self.segments, self.orders, strict=True)
            for number in order
            for task in segment.groups[number].tasks
        )


_METHODS = ("grouping", "beam search", "exact search")
