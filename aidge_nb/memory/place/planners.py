"""Planning: from live ranges to offsets.

Finding the least arena is NP-hard (Dynamic Storage Allocation, Garey and Johnson SR2), so a
portfolio runs, cheap methods first, until one reaches the lower bound, which proves it optimal:
greedy placements, hill climbing for many buffers, then the searches of the solver: where hardly a
byte is free at any time, joining buffers to blocks; depth first; beam search. Otherwise the best
answer is taken, and its distance from the bound is known. Work is counted, not timed, so that
answers are the same on every machine; a time limit merely cuts it off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import index
from typing import TYPE_CHECKING, Literal, get_args

from aidge_nb.core.errors import MemoryPlanError, listed
from aidge_nb.core.values import dataclass
from aidge_nb.memory.place.greedy import Problem, climb, first_fit, greedy_placements, largest_first
from aidge_nb.memory.values.live_range import LiveRange, lower_bound, round_up

if TYPE_CHECKING:
    from aidge_nb.memory.place.solver.clock import Clock, Watcher
    from aidge_nb.memory.place.solver.strip import Improvement

Solver = Literal["auto", "numpy", "beam", "cp-sat"]

Buffers = Sequence[tuple[int, int, int]] | Mapping[str, tuple[int, int, int]]

LARGEST = 1 << 62
"""Sizes and their sum are below it, in bytes: offsets are computed in 64 bits."""

_SHOWN = 5
"""Number of buffers that a message names."""

_MANY = 2_000
"""With more buffers than this, the search valley by valley takes a time limit to be tried."""

_OURS = 0.6
"""Of a time limit, the part after which CP-SAT takes over where it is installed."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Offsets of given buffers.

    Attributes
    ----------
    offsets
        Offset of each buffer, in bytes, in the order in which the buffers were given.
    peak
        Size of the arena that they need, in bytes.
    lower_bound
        Bytes that no placement can do without: what lives at one tick, or more where that was
        proven.
    method
        Name of the method of the portfolio that found it.
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
        """Return whether the peak is proven to be the least."""
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

    Raise MemoryPlanError for an invalid buffer, or when they do not fit the capacity. Raise
    MissingExtraError when OR-Tools is asked for and not installed.

    Parameters
    ----------
    buffers
        (lower, upper, size) of each: it lives on the half-open ticks [lower, upper) and takes
        ``size`` bytes. A mapping gives them names, for messages.
    capacity
        Size of the memory, if it is limited; the search stops as soon as the buffers fit.
    alignment
        Offsets are multiples of it; sizes are rounded up to it.
    time_limit
        Seconds after which the best placement so far is returned. Without one, an amount of work
        ends the search, so that the answer is the same on every machine.
    effort
        That amount: 1 is about six seconds for hard problems, and none for easy ones.
    solver
        ``numpy`` searches with this package alone: it joins buffers to blocks where hardly a byte
        is free, then searches depth first, and by turns with beam search where that takes long;
        ``beam`` is beam search alone, which proves nothing; ``cp-sat`` hands hard problems to
        OR-Tools (extra ``solver``); ``auto`` is ``numpy``, and with a time limit leaves the last
        part of it to OR-Tools if that is installed.
    progress
        True for a bar (extra ``onnx``, which brings tqdm), or a function that is called whenever a
        smaller arena or a better bound was found, and every half second.

    Returns
    -------
    Placement
        The best that was found.

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
        longer = "Try longer with time_limit= or effort=, or give it more memory."
        raise MemoryPlanError.at(
            "memory plan",
            "no placement fits" if is_proven else "no placement was found that fits",
            expected=f"at most {capacity} bytes",
            found=f"{found.peak} bytes (lower bound {found.lower_bound})",
            cure="Give it more memory." if is_proven else longer,
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
    """Place buffers as :func:`plan` does, but return the best even if it exceeds the capacity.

    Parameters are those of :func:`plan`.

    Raises
    ------
    MemoryPlanError
        For an invalid buffer, or when what lives at one tick exceeds the capacity.
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
    bound = target = lower_bound(ranges).size
    if capacity is not None:
        capacity = checked_count("capacity", capacity, 0)
        check_capacity(ranges, names, capacity)
        target = max(bound, capacity - capacity % alignment)
    problem = Problem(ranges)
    if not progress and not problem.is_dense:  # most networks need no search
        offsets = first_fit(problem, largest_first(problem))
        if problem.peak(offsets) <= target:
            method = "largest first" if ranges else "nothing to place"
            return Placement(tuple(offsets), problem.peak(offsets), bound, method)
    from aidge_nb.memory.place.solver.clock import Clock, watched  # slow to import

    with watched(progress, time_limit) as watcher:
        return _search(problem, bound, target, Clock(effort, time_limit, watcher), solver)


def _check_limits(time_limit: float | None, effort: float, solver: str) -> None:
    for where, value in (("time_limit", time_limit), ("effort", effort)):
        if value is not None and not value >= 0:  # also refuses NaN
            problem = "is not an amount"
            raise MemoryPlanError.at(where, problem, expected="0 or more", found=repr(value))
    if solver not in get_args(Solver):
        known = ", ".join(get_args(Solver))
        raise MemoryPlanError.at("solver", "unknown", expected=known, found=solver)


def _search(
    problem: Problem, lower_bound: int, target: int, clock: Clock, solver: Solver
) -> Placement:
    """Search for a peak of at most ``target`` bytes, which is the lower bound or more."""
    best = Placement((), 0, lower_bound, "nothing to place")
    for method, offsets in _greedily(problem, target, clock):
        peak = problem.peak(offsets)
        if not best.offsets or peak < best.peak:
            best = Placement(tuple(offsets), peak, lower_bound, method)
            clock.report(peak, lower_bound, method)
        if best.peak <= target or clock.is_late():
            break
    if best.peak <= target or clock.is_over():
        return best
    if len(problem) > _MANY and clock.time_limit is None and solver != "cp-sat":
        return best
    from aidge_nb.memory.place.solver.assemble import assemble
    from aidge_nb.memory.place.solver.cp_sat import cp_sat, is_installed
    from aidge_nb.memory.place.solver.squeeze import squeeze, widen
    from aidge_nb.memory.place.solver.strip import Strip

    strip = Strip(problem.ranges)
    if solver == "beam":
        found = widen(strip, best.peak, best.lower_bound, target, clock)
        return _better(best, problem, found)
    # Without being asked for, CP-SAT runs only under a time limit.
    in_turn = solver == "auto" and clock.time_limit is not None and is_installed()
    if solver != "cp-sat":
        best = _better(best, problem, assemble(strip, best.lower_bound, clock))
        if best.is_optimal:
            return best
        ours = clock.part(_OURS) if in_turn else clock
        found = squeeze(strip, best.peak, best.lower_bound, target, ours)
        best = _better(best, problem, found)
    if solver == "cp-sat" or (in_turn and best.peak > max(target, best.lower_bound)):
        if best.lower_bound <= target or best.lower_bound < best.peak:
            found = cp_sat(strip, best.peak, best.lower_bound, target, clock)
            best = _better(best, problem, found)
    return best


def _greedily(problem: Problem, target: int, clock: Clock) -> Iterator[tuple[str, list[int]]]:
    yield from greedy_placements(problem, is_large=len(problem) > _MANY)
    if len(problem) > _MANY and not problem.is_dense:
        yield "hill climbing", climb(problem, target, clock)


def _better(best: Placement, problem: Problem, found: Improvement) -> Placement:
    """Return the better of both placements, with the better of both bounds."""
    bound = max(best.lower_bound, found.lower_bound)
    if found.offsets is None or problem.peak(found.offsets) >= best.peak:
        return replace(best, lower_bound=bound)
    return Placement(tuple(found.offsets), problem.peak(found.offsets), bound, found.method)


def checked_count(where: str, value: object, least: int) -> int:
    """Return ``value`` as an int; check that it is at least ``least``.

    Examples
    --------
    >>> checked_count("alignment", 0, 1)
    Traceback (most recent call last):
    aidge_nb.core.errors.MemoryPlanError: alignment: too small (expected 1 or more, found 0)
    """
    number = _whole(where, value)
    if number < least:
        raise MemoryPlanError.at(where, "too small", expected=f"{least} or more", found=value)
    return number


def checked_buffers(buffers: Buffers, alignment: int) -> tuple[list[LiveRange], list[str]]:
    """Check live ranges; return them with sizes rounded up, and their names."""
    if isinstance(buffers, Mapping):
        names, triples = [str(name) for name in buffers], list(buffers.values())
    else:
        names, triples = [f"#{number}" for number in range(len(buffers))], list(buffers)
    ranges = []
    total = 0
    for name, triple in zip(names, triples, strict=True):
        ranges.append(_checked_range(f"buffer {name}", triple, alignment))
        total += ranges[-1].size
        if total >= LARGEST:
            raise MemoryPlanError.at(
                f"buffer {name}",
                "sizes are too large to be summed up",
                expected=f"less than 2**62 bytes in all, each rounded up to {alignment}",
                found=f"{total} bytes up to this one",
            )
    return ranges, names


def _checked_range(where: str, triple: tuple[int, int, int], alignment: int) -> LiveRange:
    try:
        lower, upper, size = triple
    except (TypeError, ValueError):
        raise MemoryPlanError.at(
            where, "no live range", expected="(lower, upper, size)", found=repr(triple)
        ) from None
    numbers = (_whole(where, number) for number in (lower, upper, size))
    lower, upper, size = LiveRange(*numbers).checked(where)
    if max(abs(lower), abs(upper), size) >= LARGEST:
        raise MemoryPlanError.at(
            where,
            "numbers too large",
            expected="less than 2**62",
            found=f"{lower}, {upper}, {size}",
        )
    return LiveRange(lower, upper, round_up(size, alignment))


def _whole(where: str, value: object) -> int:
    try:
        return index(value)  # type: ignore[arg-type]  # raises for other types
    except TypeError:
        raise MemoryPlanError.at(
            where, "not a whole number", expected="an int", found=repr(value)
        ) from None


def check_capacity(ranges: list[LiveRange], names: list[str], capacity: int) -> None:
    """Check that a capacity holds the largest buffer and the lower bound."""
    if not ranges:
        return
    largest = max(range(len(ranges)), key=lambda number: ranges[number].size)
    if ranges[largest].size > capacity:
        raise MemoryPlanError.at(
            f"buffer {names[largest]}",
            f"is larger than the memory by {ranges[largest].size - capacity} bytes",
            expected=f"at most {capacity} bytes",
            found=f"{ranges[largest].size} bytes",
        )
    bound = lower_bound(ranges)
    if bound.size > capacity:
        raise MemoryPlanError.at(
            f"tick {bound.tick}",
            f"what lives then exceeds the memory by {bound.size - capacity} bytes",
            expected=f"at most {capacity} bytes",
            found=f"{bound.size} bytes: {_who_lives(ranges, names, bound.tick)}",
            cure="Another order, in-place operators, fusing or tiling may lower it.",
        )


def _who_lives(ranges: list[LiveRange], names: list[str], tick: int) -> str:
    """Name what lives at a tick, the largest first."""
    live = [number for number, each in enumerate(ranges) if each.lower <= tick < each.upper]
    live.sort(key=lambda number: (-ranges[number].size, number))
    return listed([f"{names[number]} ({ranges[number].size})" for number in live], most=_SHOWN)
