"""Planning: from live ranges to offsets.

Finding the least arena is NP-hard (Dynamic Storage Allocation, Garey and Johnson SR2), so a
portfolio of cheap methods runs until one reaches the lower bound, which proves it optimal; the
best answer is taken otherwise, and its distance from the bound is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aidge_nb.errors import MemoryPlanError, explain
from aidge_nb.memory.lower_bound import LiveRange, lower_bound
from aidge_nb.memory.placement import Problem
from aidge_nb.memory.search import search
from aidge_nb.memory.values import round_up

__all__ = ["Placement", "plan"]


@dataclass(frozen=True, slots=True)
class Placement:
    """Offsets of given buffers.

    Attributes
    ----------
    offsets
        Where each buffer starts, in bytes, in the order in which they were given.
    peak
        The arena that they need.
    lower_bound
        What no placement can do without: what lives at one tick, or more where that was proven.
    method
        Which method of the portfolio found it.
    """

    offsets: tuple[int, ...]
    peak: int
    lower_bound: int
    method: str

    @property
    def is_optimal(self) -> bool:
        """Whether the peak is proven to be the least."""
        return self.peak == self.lower_bound


def plan(
    buffers: Sequence[tuple[int, int, int]] | Mapping[str, tuple[int, int, int]],
    capacity: int | None = None,
    *,
    alignment: int = 1,
    effort: float = 1.0,
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
    effort
        How long to search: 1 is a few seconds for hard problems, and none for easy ones.

    Returns
    -------
    Placement
        The best that was found.

    Raises
    ------
    MemoryPlanError
        For a buffer that makes no sense, or when they do not fit the capacity.

    Examples
    --------
    >>> plan([(0, 2, 10), (1, 3, 20), (2, 4, 10)])
    Placement(offsets=(20, 0, 20), peak=30, lower_bound=30, method='largest first')
    """
    ranges, names = _checked(buffers, alignment)
    bound = lower_bound(ranges)
    _check_capacity(ranges, names, capacity)
    target = bound.size if capacity is None else capacity - capacity % alignment
    found = search(Problem(ranges), target, effort)
    if capacity is not None and found.peak > capacity:
        raise MemoryPlanError(
            explain(
                "memory plan",
                "no placement fits" if found.is_least else "no placement was found that fits",
                expected=f"at most {capacity} bytes",
                found=f"{found.peak} bytes (lower bound {bound.size})",
                cure="Give it more memory."
                if found.is_least
                else "Try more with effort=, or give it more memory.",
            )
        )
    least = found.peak if found.is_least else bound.size
    return Placement(tuple(found.offsets), found.peak, least, found.method)


def _checked(
    buffers: Sequence[tuple[int, int, int]] | Mapping[str, tuple[int, int, int]], alignment: int
) -> tuple[list[LiveRange], list[str]]:
    """Refuse what is no live range; round sizes up to the alignment."""
    if isinstance(buffers, Mapping):
        names, triples = list(buffers), list(buffers.values())
    else:
        names, triples = [f"#{number}" for number in range(len(buffers))], list(buffers)
    ranges = []
    for name, (lower, upper, size) in zip(names, triples, strict=True):
        if size <= 0:
            raise MemoryPlanError(
                explain(f"buffer {name}", "has no size", expected="1 byte or more", found=size)
            )
        if upper <= lower:
            raise MemoryPlanError(
                explain(
                    f"buffer {name}",
                    "its live range ends before it starts",
                    expected="lower < upper (the range is half-open)",
                    found=f"[{lower}, {upper})",
                )
            )
        ranges.append(LiveRange(int(lower), int(upper), round_up(int(size), alignment)))
    return ranges, names


def _check_capacity(ranges: list[LiveRange], names: list[str], capacity: int | None) -> None:
    if capacity is None or not ranges:
        return
    largest = max(range(len(ranges)), key=lambda number: ranges[number].size)
    if ranges[largest].size > capacity:
        raise MemoryPlanError(
            explain(
                f"buffer {names[largest]}",
                f"is larger than the memory by {ranges[largest].size - capacity} bytes",
                expected=f"at most {capacity} bytes",
                found=f"{ranges[largest].size} bytes",
            )
        )
    bound = lower_bound(ranges)
    if bound.size > capacity:
        raise MemoryPlanError(
            explain(
                f"tick {bound.tick}",
                f"what lives then exceeds the memory by {bound.size - capacity} bytes",
                expected=f"at most {capacity} bytes",
                found=f"{bound.size} bytes",
                cure="Another order, in-place operators, fusing or tiling may lower it.",
            )
        )
