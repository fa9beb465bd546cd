"""Profiles: ranges of all tiles of a chain along one axis, for several numbers of parts.

Tiles in two dimensions are products of two profiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import ShapeError
from aidge_nb.tiling.chain_model import Reads
from aidge_nb.tiling.ranges import SpreadWindow

if TYPE_CHECKING:
    from aidge_nb.tiling.chain_model import ChainModel

Ints = NDArray[np.int64]
_FAR = 1 << 40
_BY_TILE = ("needed", "fresh", "counted", "kept", "read", "distinct")


@dataclass(frozen=True, slots=True)
class AxisProfile:
    """Sizes along one axis: arrays ``[node, count, tile]``, with zeros after the last tile.

    Attributes
    ----------
    counts
        The numbers of parts.
    needed
        Rows that tiles need of each node.
    fresh
        Rows that they compute.
    counted
        Rows that count multiply-accumulates: ``fresh``, or the data of spreading windows.
    kept
        Rows kept from the tile before.
    read
        Rows read of the inputs of the chain: ``[input, count, tile]``.
    edges
        Rows that all tiles read at each edge: ``[edge, count]``, in the order of
        ``ChainModel.edges``.
    possible
        Whether a node can be computed like this: ``[node, count]``.
    distinct
        ``needed`` without tiles equal to the one before, if nothing is kept; enough for working
        sets.
    """

    counts: Ints
    needed: Ints
    fresh: Ints
    counted: Ints
    kept: Ints
    read: Ints
    edges: Ints
    possible: NDArray[np.bool_]
    distinct: Ints

    def take(self, at: Ints) -> AxisProfile:
        """Return the profile of some numbers of parts, by position."""
        counts = self.counts[at]
        tiles = int(counts.max(initial=0))
        return AxisProfile(
            counts,
            edges=self.edges[:, at],
            possible=self.possible[:, at],
            **{name: getattr(self, name)[:, at, :tiles] for name in _BY_TILE},
        )


def profile(model: ChainModel, axis: int, parts: int, halo: str = "recompute") -> AxisProfile:
    """Return the profile of an axis (0 for rows, 1 for columns) and one number of parts.

    Raises
    ------
    ShapeError
        For more parts than rows.
    """
    return profiles(model, axis, [parts], halo)


def profiles(
    model: ChainModel, axis: int, counts: Sequence[int] | Ints, halo: str = "recompute"
) -> AxisProfile:
    """Return the profile of an axis for several numbers of parts, as :func:`profile`."""
    size = model.lengths[-1][axis]
    numbers = np.asarray(counts, np.int64)
    if numbers.min() < 1 or numbers.max() > size:
        problem, found = "cannot be cut into that many parts", int(numbers.max())
        raise ShapeError.at("tiling", problem, expected=f"1 to {size}", found=found)
    walk = _BackwardWalk(model, axis, *_balanced(size, numbers))
    for node in range(model.size - 1, -1, -1):
        walk.back(node, keeps=halo == "cache")
    needed = np.maximum(np.array(walk.stops) - np.array(walk.starts), 0)
    edges = np.array(walk.edges[::-1], np.int64).reshape(-1, len(numbers))
    read = np.array(walk.read).reshape(len(model.outer), *needed.shape[1:])
    fresh, counted, kept = (np.array(each) for each in (walk.fresh, walk.counted, walk.kept))
    possible = np.array(walk.possible)
    distinct = needed if kept.any() else _distinct(needed)
    return AxisProfile(numbers, needed, fresh, counted, kept, read, edges, possible, distinct)


def _distinct(needed: Ints) -> Ints:
    """Leave out tiles equal to the one before, and close the gaps."""
    stays = np.ones(needed.shape[1:], np.bool_)
    stays[:, 1:] = (needed[:, :, 1:] != needed[:, :, :-1]).any(axis=0)
    order = np.argsort(~stays, axis=1, kind="stable")[:, : stays.sum(axis=1).max()]
    moved = np.take_along_axis(needed, order[None], axis=2)
    return np.where(np.take_along_axis(stays, order, axis=1), moved, 0)


def _balanced(size: int, counts: Ints) -> tuple[Ints, Ints]:
    """Cut an axis for each count; places after the last part are far away."""
    number = np.arange(counts.max())
    least, larger = (each[:, None] for each in np.divmod(size, counts))
    ends = least * number + np.minimum(number, larger)
    there = number < counts[:, None]
    starts = np.where(there, ends, _FAR)
    stops = np.where(there, ends + least + (number < larger), -_FAR)
    return starts, stops


class _BackwardWalk:
    """Follows ranges back from the result to the inputs."""

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
        """Note the ranges that a node computes and reads."""
        start, stop = self.starts[node], self.stops[node]
        begin, lost = start, np.zeros_like(stop, np.bool_)
        if keeps:
            done = np.zeros_like(stop)
            done[:, 1:] = np.maximum(np.maximum.accumulate(stop, axis=1)[:, :-1], 0)
            begin = np.maximum(start, done)
            before = np.minimum(done, stop) - start
            self.kept[node] = np.where((stop > start) & (done > start), before, 0)
            lost = (stop > start) & (done > stop)  # computed by an earlier tile, and not kept
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
        if isinstance(window, SpreadWindow):
            self.counted[node] = read


def _reach(window: Reads, start: Ints, stop: Ints, size: int) -> tuple[Ints, Ints]:
    if window is None:
        return (np.minimum(start, 0), np.minimum(stop, 1)) if size == 1 else (start, stop)
    span = window.dilation * (window.kernel - 1)
    if isinstance(window, SpreadWindow):
        first, last = start + window.before, stop - 1 + window.before
        low = np.maximum(-(-(first - span) // window.stride), 0)
        low = np.minimum(np.minimum(low, first // window.stride), size - 1)
        return low, np.maximum(np.minimum(last // window.stride, size - 1), low) + 1
    low = start * window.stride - window.before
    high = (stop - 1) * window.stride - window.before + span + 1
    return np.maximum(low, 0), np.minimum(high, size)
