"""Branch and bound: the best placement, or proof that there is none below a limit.

Buffers are placed by ascending offset, each on top of what is there. Every arena can be pressed
into this form without growing, so nothing is missed. Branches are cut where

- what is still to be placed does not fit above the present offset at some tick;
- a buffer would leave room below it for another one that is still to be placed.

The rules are those of minimalloc (Moffitt, ASPLOS 2023), on NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aidge_nb.memory.lower_bound import columns
from aidge_nb.memory.placement import Problem

__all__ = ["Search", "depth_first"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Search:
    """What came of a search: offsets (None: nothing below the limit), and was it complete."""

    offsets: list[int] | None
    is_complete: bool


class _Node(NamedTuple):
    """A partial placement: what is to be placed, how low each buffer can lie, and the skyline."""

    waiting: Ints
    floor: Ints
    skyline: Ints
    to_come: Ints
    offset: int


def depth_first(
    problem: Problem, limit: int, target: int, priority: list[float], nodes: int
) -> Search:
    """Look for placements with a peak below ``limit``, as small as there is.

    Parameters
    ----------
    problem
        What is to be placed; up to some hundreds of buffers.
    limit
        Only smaller peaks are of interest, in bytes.
    target
        Peak at which to stop.
    priority
        Among buffers that may come next, small ones are tried first.
    nodes
        How many partial placements may be looked at.

    Examples
    --------
    >>> from aidge_nb.memory.lower_bound import LiveRange
    >>> problem = Problem([LiveRange(0, 2, 10), LiveRange(1, 3, 20)])
    >>> depth_first(problem, 31, 30, [0.0, 0.0], 100)
    Search(offsets=[0, 10], is_complete=True)
    """
    arena = _Arena(problem, priority)
    best: list[int] | None = None
    offsets = np.zeros(len(problem), dtype=np.int64)
    stack: list[tuple[_Node, Iterator[int]]] = []
    node = arena.root()
    stack.append((node, iter(arena.candidates(node, limit))))
    while stack and nodes > 0:
        node, choices = stack[-1]
        number = next(choices, None)
        if number is None:
            stack.pop()
            continue
        nodes -= 1
        offsets[number] = node.floor[number]
        child = arena.place(node, number)
        if child.waiting.size:
            stack.append((child, iter(arena.candidates(child, limit))))
            continue
        peak = problem.peak(offsets.tolist())
        if peak < limit:
            best, limit = offsets.tolist(), peak
            if peak <= target:
                return Search(best, True)
    return Search(best, not stack)


class _Arena:
    def __init__(self, problem: Problem, priority: list[float]) -> None:
        self._lower, self._upper, self._size = columns(problem.ranges)
        ticks = np.unique(self._lower)  # between two of them nothing new begins
        self._first = np.searchsorted(ticks, self._lower)
        self._last = np.searchsorted(ticks, self._upper)
        self._priority = np.array(priority)
        self._total = np.zeros(len(ticks), dtype=np.int64)
        for number, size in enumerate(self._size):
            self._total[self._first[number] : self._last[number]] += size
        starts_before = self._lower[:, None] < self._upper[None, :]
        self._conflict = starts_before & starts_before.T

    def root(self) -> _Node:
        count = len(self._size)
        return _Node(
            np.arange(count),
            np.zeros(count, dtype=np.int64),
            np.zeros_like(self._total),
            self._total,
            0,
        )

    def candidates(self, node: _Node, limit: int) -> list[int]:
        """List the buffers that may come next; none when the branch leads nowhere."""
        if (np.maximum(node.skyline, node.offset) + node.to_come >= limit).any():
            # `to_come` is 0 where all is placed; the skyline alone never reaches the limit.
            return []
        floor, size = node.floor[node.waiting], self._size[node.waiting]
        tops = np.maximum(floor, node.offset) + size
        if tops.max() >= limit:
            return []
        may = node.waiting[(floor >= node.offset) & (floor < (floor + size).min())]
        rank = np.lexsort((self._priority[may], node.floor[may]))
        chosen: list[int] = may[rank].tolist()
        return chosen

    def place(self, node: _Node, number: int) -> _Node:
        offset = int(node.floor[number])
        top = offset + int(self._size[number])
        ticks = slice(self._first[number], self._last[number])
        skyline, to_come = node.skyline.copy(), node.to_come.copy()
        skyline[ticks] = top
        to_come[ticks] -= self._size[number]
        floor = np.where(self._conflict[number], np.maximum(node.floor, top), node.floor)
        return _Node(node.waiting[node.waiting != number], floor, skyline, to_come, offset)
