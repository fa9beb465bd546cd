"""Planning: from live ranges to offsets.

Finding the least arena is NP-hard (Dynamic Storage Allocation, Garey and Johnson SR2), so a
portfolio runs, cheap methods first, until one reaches the lower bound, which proves it optimal;
the best answer is taken otherwise, and its distance from the bound is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory.place.inputs import Buffers, check_capacity, checked_buffers, checked_count
from aidge_nb.memory.place.placement import Problem
from aidge_nb.memory.place.progress_bar import Watcher, watched
from aidge_nb.memory.place.search import Solver, search
from aidge_nb.memory.place.solver.clock import Clock
from aidge_nb.memory.values.live_range import lower_bound


@dataclass(frozen=True, slots=True)
class Placement:
    """Offsets of given buffers.

    Attributes
    ----------
    offsets
        Where each buffer starts, in bytes, in the order in which they were given.
    peak
        Bytes of the arena that they need.
    lower_bound
        Bytes that no placement can do without: what lives at one tick, or more where that was
        proven.
    method
        Which method of the portfolio found it.
    """

    offsets: tuple[int, ...]
    peak: int
    lower_bound: int
    method: str

    @property
    def gap(self) -> int:
        """Bytes between the peak and the lower bound."""
        return self.peak - self.lower_bound

    @property
    def is_optimal(self) -> bool:
        """Whether the peak is proven to be the least."""
        return self.gap == 0


def plan(
    buffers: Buffers,
    capacity: int | None = None,
    *,
    alignment: int = 1,
    time_limit: float | None = None,
    effort: float = 4.0,
    solver: Solver = "auto",
    progress: bool | Watcher = False,
) -> Placement:
    """Place buffers in an arena.

    Parameters
    ----------
    buffers
        (lower, upper, size) of each: it lives on the half-open ticks [lower, upper) and takes
        ``size`` bytes. A mapping gives them names, for messages.
    capacity
        Size of the memory, if there is a limit; the search stops as soon as they fit.
    alignment
        Offsets are multiples of it; sizes count as rounded up to it.
    time_limit
        Seconds after which the best so far is the answer. Without one, an amount of work ends the
        search, so that the answer is the same on every machine.
    effort
        That amount: 1 is some six seconds for hard problems, and none for easy ones.
    solver
        ``numpy`` searches with what is in this package: depth first, and beam search by turns where
        that takes long; ``beam`` is beam search alone, which proves nothing; ``cp-sat`` hands hard
        problems to OR-Tools (extra ``solver``); ``auto`` is ``numpy``, and with a time limit leaves
        the last part of it to OR-Tools where that is installed.
    progress
        True for a bar (extra ``onnx``, which brings tqdm), or what to call whenever a smaller arena
        or a better bound was found, and every half second.

    Returns
    -------
    Placement
        The best that was found.

    Raises
    ------
    MemoryPlanError
        For a buffer that makes no sense, or when they do not fit the capacity.
    MissingExtraError
        When OR-Tools is asked for and not installed.

    Examples
    --------
    >>> plan([(0, 2, 10), (1, 3, 20), (2, 4, 10)])
    Placement(offsets=(20, 0, 20), peak=30, lower_bound=30, method='largest first')
    """
    found = best_placement(
        buffers,
        capacity,
        alignment=alignment,
        time_limit=time_limit,
        effort=effort,
        solver=solver,
        progress=progress,
    )
    if capacity is not None and found.peak > capacity:
        is_proven = found.lower_bound > capacity
        raise MemoryPlanError.at(
            "memory plan",
            "no placement fits" if is_proven else "no placement was found that fits",
            expected=f"at most {capacity} bytes",
            found=f"{found.peak} bytes (lower bound {found.lower_bound})",
            cure="Give it more memory."
            if is_proven
            else "Try longer with time_limit= or effort=, or give it more memory.",
        )
    return found


def best_placement(
    buffers: Buffers,
    capacity: int | None = None,
    *,
    alignment: int = 1,
    time_limit: float | None = None,
    effort: float = 4.0,
    solver: Solver = "auto",
    progress: bool | Watcher = False,
) -> Placement:
    """Do as :func:`plan`, but give the best placement even where it exceeds the capacity.

    Parameters are those of :func:`plan`.

    Raises
    ------
    MemoryPlanError
        For a buffer that makes no sense, or when what lives at one tick exceeds the capacity.
    MissingExtraError
        When OR-Tools is asked for and not installed.

    Examples
    --------
    >>> best_placement([(0, 2, 10), (1, 3, 20)], capacity=40).peak
    30
    """
    alignment = checked_count("alignment", alignment, 1)
    _check_limits(time_limit, effort, solver)
    ranges, names = checked_buffers(buffers, alignment)
    bound = lower_bound(ranges).size
    target = bound
    if capacity is not None:
        capacity = checked_count("capacity", capacity, 0)
        check_capacity(ranges, names, capacity)
        target = max(bound, capacity - capacity % alignment)
    with watched(progress, time_limit) as watcher:
        clock = Clock(effort, time_limit, watcher)
        found = search(Problem(ranges), bound, target, clock, solver)
    return Placement(tuple(found.offsets), found.peak, found.lower_bound, found.method)


def _check_limits(time_limit: float | None, effort: float, solver: str) -> None:
    for where, value in (("time_limit", time_limit), ("effort", effort)):
        if value is not None and not value >= 0:  # refuses NaN, too
            raise MemoryPlanError.at(
                where, "not an amount", expected="0 or more", found=repr(value)
            )
    if solver not in get_args(Solver):
        known = ", ".join(get_args(Solver))
        raise MemoryPlanError.at("solver", "unknown", expected=known, found=solver)
