"""Ranges of all tiles of a chain at once, along one axis and for several numbers of parts.

Tiles in two dimensions are products of two such profiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aidge_nb.errors import ShapeError, explain
from aidge_nb.tiling.ranges import Spread
from aidge_nb.tiling.reads import Reads

if TYPE_CHECKING:
    from aidge_nb.tiling.chain_model import ChainModel

__all__ = ["AxisProfile", "Ints", "profile", "profiles"]

Ints = NDArray[np.int64]
_FAR = 1 << 40


@dataclass(frozen=True, slots=True)
class AxisProfile:
    """Sizes along one axis: arrays ``[node, count, tile]``, with zeros behind the last tile.

    Attributes
    ----------
    counts
        The numbers of parts.
    needed
        What tiles need of each node.
    fresh
        What they compute.
    counted
        What their multiply-accumulates are counted by: ``fresh``, or the data where windows spread.
    kept
        What they keep from the tile before.
    read
        What they read of the inputs of the chain: ``[input, count, tile]``.
    edges
        What all tiles read at each edge between nodes: ``[edge, count]``, in the order of
        ``ChainModel.edges``.
    possible
        Whether a node can be computed so: ``[node, count]``.
    """

    counts: Ints
    needed: Ints
    fresh: Ints
    counted: Ints
    kept: Ints
    read: Ints
    edges: Ints
    possible: NDArray[np.bool_]


def profile(model: ChainModel, axis: int, parts: int, halo: str = "recompute") -> AxisProfile:
    """Follow the parts of an axis (0 for rows, 1 for columns) back to the inputs of a chain.

    Raises
    ------
    ShapeError
        When there are more parts than rows.
    """
    return profiles(model, axis, [parts], halo)


def profiles(
    model: ChainModel, axis: int, counts: Sequence[int] | Ints, halo: str = "recompute"
) -> AxisProfile:
    """Do as :func:`profile` for several numbers of parts at once."""
    size = model.lengths[-1][axis]
    numbers = np.asarray(counts, np.int64)
    if numbers.min() < 1 or numbers.max() > size:
        problem, found = "cannot be cut into that many parts", int(numbers.max())
        raise ShapeError(explain("tiling", problem, expected=f"1 to {size}", found=found))
    walk = _Walk(model, axis, *_balanced(size, numbers))
    for node in range(model.size - 1, -1, -1):
        walk.back(node, keeps=halo == "cache")
    needed = np.maximum(np.array(walk.stops) - np.array(walk.starts), 0)
    edges = np.array(walk.edges[::-1], np.int64).reshape(-1, len(numbers))
    read = np.array(walk.read).reshape(len(model.outer), *needed.shape[1:])
    fresh, counted, kept = (np.array(each) for each in (walk.fresh, walk.counted, walk.kept))
    possible = np.array(walk.possible)
    return AxisProfile(numbers, needed, fresh, counted, kept, read, edges, possible)


def _balanced(size: int, counts: Ints) -> tuple[Ints, Ints]:
    """Cut an axis for each count; what lies behind its last part is far away."""
    number = np.arange(counts.max())
    least, larger = (each[:, None] for each in np.divmod(size, counts))
    ends = least * number + np.minimum(number, larger)
    there = number < counts[:, None]
    starts = np.where(there, ends, _FAR)
    stops = np.where(there, ends + least + (number < larger), -_FAR)
    return starts, stops


class _Walk:
    """The way back from the result."""

    def __init__(self, model: ChainModel, axis: int, starts: Ints, stops: Ints) -> None:
        self.model, self.axis = model, axis
        nothing = np.zeros_like(starts)
        far = np.full_like(starts, _FAR)
        self.starts: list[Ints] = [far] * (model.size - 1) + [starts]
        self.stops: list[Ints] = [-far] * (model.size - 1) + [stops]
        self.fresh, self.kept = [nothing] * model.size, [nothing] * model.size
        self.counted = [nothing] * model.size
        self.possible: list[NDArray[np.bool_]] = [np.ones(len(starts), np.bool_)] * model.size
        self.read = [nothing] * len(model.outer)
        self.edges: list[Ints] = []

    def back(self, node: int, *, keeps: bool) -> None:
        """Note what a node computes, and what it reads for it."""
        start, stop = self.starts[node], self.stops[node]
        begin, lost = start, np.zeros_like(stop, np.bool_)
        if keeps:
            done = np.zeros_like(stop)
            done[:, 1:] = np.maximum(np.maximum.accumulate(stop, axis=1)[:, :-1], 0)
            begin = np.maximum(start, done)
            before = np.minimum(done, stop) - start
            self.kept[node] = np.where((stop > start) & (done > start), before, 0)
            lost = (stop > start) & (done > stop)  # what a tile before computed, and did not keep
        empty = stop <= begin
        self.fresh[node] = self.counted[node] = np.where(empty, 0, stop - begin)
        length = self.model.lengths[node][self.axis]
        if self.model.uncut[node][self.axis]:
            lost |= ~empty & (self.fresh[node] != length)
        window, lengths = self.model.windows[node][self.axis], self.model.lengths
        for source in reversed(self.model.reads[node]):
            low, high = _reach(window, begin, stop, lengths[source][self.axis])
            low, high = np.where(empty, _FAR, low), np.where(empty, -_FAR, high)
            lost |= ~empty & (high <= low)  # computed from padding alone
            self.edges.append(np.maximum(high - low, 0).sum(axis=1))
            self.starts[source] = np.minimum(self.starts[source], low)
            self.stops[source] = np.maximum(self.stops[source], high)
            self._count(node, window, np.maximum(high - low, 0))
        for number, (reader, _, sizes, _) in enumerate(self.model.outer):
            if reader == node:
                low, high = _reach(window, begin, stop, sizes[self.axis])
                self.read[number] = np.where(empty, 0, high - low)
                lost |= ~empty & (high <= low)
                self._count(node, window, self.read[number])
        self.possible[node] = ~np.any(lost, axis=1)

    def _count(self, node: int, window: Reads, read: Ints) -> None:
        if isinstance(window, Spread):
            self.counted[node] = read


def _reach(window: Reads, start: Ints, stop: Ints, size: int) -> tuple[Ints, Ints]:
    if window is None:
        return (np.minimum(start, 0), np.minimum(stop, 1)) if size == 1 else (start, stop)
    span = window.dilation * (window.kernel - 1)
    if isinstance(window, Spread):
        first, last = start + window.before, stop - 1 + window.before
        low = np.maximum(-(-(first - span) // window.stride), 0)
        low = np.minimum(np.minimum(low, first // window.stride), size - 1)
        return low, np.maximum(np.minimum(last // window.stride, size - 1), low) + 1
    low = start * window.stride - window.before
    high = (stop - 1) * window.stride - window.before + span + 1
    return np.maximum(low, 0), np.minimum(high, size)
