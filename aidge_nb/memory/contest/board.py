"""Compare solvers on problems: peak, bound, proof or gap, and time, in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from operator import add
from time import perf_counter
from typing import Any

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.forms import read_form
from aidge_nb.memory.check.plan import check_offsets
from aidge_nb.memory.contest.outcome import Outcome
from aidge_nb.memory.contest.solvers import SOLVERS, PlanSolver
from aidge_nb.memory.place.planners import checked_buffers
from aidge_nb.memory.values.live_range import LiveRange, lower_bound

TITLES = ("buffers", "peak", "bound", "above", "seconds", "problem", "solver", "verdict")


@dataclass(frozen=True, slots=True)
class ContestResult:
    """The placement of one problem by one solver, in figures.

    Attributes
    ----------
    problem, solver
        Their names.
    buffers
        Number of buffers (or of nodes, where an order is looked for).
    peak
        Bytes that its placement takes; None when it found none, or one that breaks a rule.
    bound
        Bytes that no placement can do without, by the best proof of all solvers.
    seconds
        That it took.
    note
        Why there is no placement.

    Examples
    --------
    >>> ContestResult("two", "by hand", 2, 30, 24, 0.0).above
    0.25
    """

    problem: str
    solver: str
    buffers: int
    peak: int | None
    bound: int
    seconds: float
    note: str = ""

    @property
    def is_optimal(self) -> bool:
        """Return whether its peak is proven to be the least."""
        return self.peak == self.bound

    @property
    def above(self) -> float | None:
        """Part of the bound by which the peak is above it; None without a peak."""
        return None if self.peak is None else self.peak / max(1, self.bound) - 1

    @property
    def verdict(self) -> str:
        """Say whether it is optimal, above the bound, or why there is no placement."""
        if self.peak is None:
            return f"none: {self.note}"
        return "optimal" if self.is_optimal else "above the bound"


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Results of all solvers on all problems.

    Attributes
    ----------
    results
        Problem by problem, the least peak first, the fastest of equals first.
    missing
        How to get each solver that is not installed, by its name.
    time_limit
        Seconds that each solver had for each problem.

    Examples
    --------
    >>> board = compare_solvers({"two": [(0, 2, 8), (1, 3, 16)]}, only=["TFLM"])
    >>> board.problems, board.solvers
    (('two',), ('TFLM greedy',))
    """

    results: tuple[ContestResult, ...]
    missing: Mapping[str, str]
    time_limit: float

    @property
    def problems(self) -> tuple[str, ...]:
        """Names of the problems, in the given order."""
        return tuple(dict.fromkeys(each.problem for each in self.results))

    @property
    def solvers(self) -> tuple[str, ...]:
        """Names of the solvers: those that solved most problems first."""
        solved = {each.solver: 0 for each in self.results}
        for each in self.results:
            solved[each.solver] += each.is_optimal
        return tuple(sorted(solved, key=lambda name: -solved[name]))

    def rows(self) -> list[tuple[str, ...]]:
        """Return the cells of the table whose titles are ``TITLES``, as text."""
        return [
            (
                str(each.buffers),
                "-" if each.peak is None else f"{each.peak:,}",
                f"{each.bound:,}",
                "-" if each.above is None else f"{each.above:.2%}",
                f"{each.seconds:.2f}",
                each.problem,
                each.solver,
                each.verdict,
            )
            for each in self.results
        ]

    def how_to_get(self) -> list[str]:
        """Return a line for each way to get solvers that are missing."""
        names: dict[str, list[str]] = {}
        for name, cure in self.missing.items():
            names.setdefault(cure, []).append(name)
        return [f"not installed: {', '.join(each)}: {cure}" for cure, each in names.items()]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Leaderboard:
        """Return the value that :meth:`to_dict` described.

        Examples
        --------
        >>> board = compare_solvers({"two": [(0, 2, 8), (1, 3, 8)]}, only=["aidge_nb"])
        >>> Leaderboard.from_dict(board.to_dict()) == board
        True
        """
        board: Leaderboard = read_form(data, cls, "board")
        return board


def compare_solvers(
    problems: Mapping[str, Mapping[str, LiveRange] | Sequence[tuple[int, int, int]]],
    *,
    time_limit: float = 10.0,
    alignment: int = 1,
    only: Iterable[str] | None = None,
    watch: Callable[[ContestResult], None] = lambda result: None,
) -> Leaderboard:
    """Place the buffers of each problem by each solver that is installed, and compare.

    Every placement is checked by :func:`~aidge_nb.memory.check_offsets`, which shares no code with
    any solver: one that breaks a rule does not count.

    Parameters
    ----------
    problems
        (lower, upper, size) of the buffers of each problem, by its name, as for
        :func:`~aidge_nb.memory.plan`.
    time_limit
        Seconds for each solver and problem. Greedy rules do not look at it.
    alignment
        Sizes are rounded up to it, and so all offsets are multiples of it.
    only
        Names of solvers; all if left out. Names that begin with one of these count.
    watch
        Called with each result as it comes; its bound may still rise.

    Raises
    ------
    MemoryPlanError
        For an invalid buffer, or when ``only`` names no solver.

    Examples
    --------
    >>> board = compare_solvers({"two": [(0, 2, 8), (1, 3, 16)]}, only=["aidge_nb", "TFLM"])
    >>> sorted((each.solver, each.peak, each.verdict) for each in board.results)
    [('TFLM greedy', 24, 'optimal'), ('aidge_nb', 24, 'optimal')]
    """
    chosen = _chosen(only)
    results: list[ContestResult] = []
    for problem, buffers in problems.items():
        ranges, _ = checked_buffers(buffers, alignment)
        found = []
        for solver in chosen:
            if solver.is_installed():
                found.append(_tried(problem, solver, ranges, alignment, time_limit))
                watch(found[-1])
        results += ranked(found)
    missing = {each.name: each.cure for each in chosen if not each.is_installed()}
    return Leaderboard(tuple(results), missing, time_limit)


def _chosen(only: Iterable[str] | None) -> list[PlanSolver]:
    if only is None:
        return list(SOLVERS)
    wanted = tuple(only)
    for name in wanted:
        if not any(each.name.startswith(name) for each in SOLVERS):
            known = ", ".join(each.name for each in SOLVERS)
            raise MemoryPlanError.at("solver", "unknown", expected=known, found=name)
    return [each for each in SOLVERS if each.name.startswith(wanted)]


def _tried(
    problem: str, solver: PlanSolver, ranges: list[LiveRange], alignment: int, seconds: float
) -> ContestResult:
    """Let a solver try, look at the clock, and check what it found."""
    begin = perf_counter()
    outcome = solver.place(ranges, seconds)
    took = perf_counter() - begin if outcome.seconds is None else outcome.seconds
    return _result(problem, solver.name, ranges, outcome, alignment, took)


def given_result(
    problem: str,
    name: str,
    buffers: Mapping[str, LiveRange],
    offsets: Sequence[int],
    alignment: int = 1,
) -> ContestResult:
    """Return what given offsets are worth, as if a solver of this name had found them.

    Examples
    --------
    >>> given_result("one", "by hand", {"a": LiveRange(0, 2, 8)}, [8]).peak
    16
    """
    ranges, _ = checked_buffers(buffers, alignment)
    return _result(problem, name, ranges, Outcome(offsets), alignment, 0.0)


def _result(
    problem: str,
    name: str,
    ranges: list[LiveRange],
    outcome: Outcome,
    alignment: int,
    seconds: float,
) -> ContestResult:
    peak: int | None = None
    note = outcome.note
    if outcome.offsets is not None:
        try:
            check_offsets(ranges, outcome.offsets, alignment=alignment)
        except MemoryPlanError as error:
            note = f"breaks a rule: {error}"
        else:
            ends = map(add, outcome.offsets, (each.size for each in ranges))
            peak, note = max(ends, default=0), ""
    bound = max(lower_bound(ranges).size, outcome.bound)
    return ContestResult(problem, name, len(ranges), peak, bound, seconds, note)


def ranked(results: Sequence[ContestResult]) -> list[ContestResult]:
    """Sort the results of one problem, and give all the best bound that one of them has proven."""
    bound = max((each.bound for each in results), default=0)
    found = [replace(result, bound=bound) for result in results]
    return sorted(found, key=lambda r: (r.peak is None, r.peak or 0, r.seconds))
