"""Costs of many tilings of a chain, and of all shorter chains with the same end, at once.

A profile holds the ranges of all tiles along one axis, for several numbers of parts; tiles in two
dimensions are products of two profiles. Bytes follow from the live ranges inside a tile; operators
overwrite their inputs where they may. A chain that begins later needs the same of its nodes, so its
costs are sums from the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.values import dataclass
from aidge_nb.tiling.chain_model import ChainModel, Reads, Storages
from aidge_nb.tiling.ranges import SpreadWindow

Ints = NDArray[np.int64]
_FAR = 1 << 40
_BY_TILE = ("needed", "fresh", "counted", "kept", "read", "distinct")


@dataclass(frozen=True, slots=True)
class AxisProfile:
    """Sizes along one axis: arrays ``[node, count, tile]``, with zeros after the last tile."""

    counts: Ints  # the numbers of parts
    needed: Ints  # rows that tiles need of each node
    fresh: Ints  # rows that they compute
    # rows that count multiply-accumulates: ``fresh``, or the data of spreading windows
    counted: Ints
    kept: Ints  # rows kept from the tile before
    read: Ints  # rows read of the inputs of the chain: ``[input, count, tile]``
    # rows that all tiles read at each edge: ``[edge, count]``, in the order of ``ChainModel.edges``
    edges: Ints
    possible: NDArray[np.bool_]  # whether a node can be computed like this: ``[node, count]``
    # ``needed`` without tiles equal to the one before, if nothing is kept; enough for working sets
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


def profiles(
    model: ChainModel, axis: int, counts: Sequence[int] | Ints, halo: str = "recompute"
) -> AxisProfile:
    """Return the profile of an axis (0 for rows, 1 for columns) for some numbers of parts.

    Raise ShapeError for more parts than rows.
    """
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


def suffix_costs(
    model: ChainModel, rows: AxisProfile, columns: AxisProfile, firsts: Sequence[int]
) -> Iterator[tuple[int, Ints, Ints, Ints]]:
    """Yield the costs of chains that begin at some nodes and end with the model.

    The two profiles have equal numbers of counts, or one count. Of the first nodes only the node
    before each may be read later, and is not overwritten. Yield the first node, and for each count:

    - the peak: bytes of activations while the chain runs, which are the working set, kept halos,
      the whole result, and inputs that are not graph inputs;
    - the multiply-accumulates;
    - the traffic: bytes moved between the memory of inputs, parameters and result and a local
      memory of tiles; parameters are read once for each tile.
    """
    macs, parameters, inputs = _sums(model, rows, columns)
    tiles = rows.counts * columns.counts
    result = model.bytes_of[-1]
    work = _WorkingSets(model, rows, columns)
    for first in firsts:
        held = sum(e.cell * prod(e.sizes) for e in model.outer if e.counts and e.reader >= first)
        held += model.bytes_of[first - 1] if first else 0
        read = sum((size for low, high, size in inputs if low < first <= high), np.int64(0))
        moved = result + tiles * parameters[first] + read
        yield first, work.most(first) + result + held, macs[first], moved


def _sums(
    model: ChainModel, rows: AxisProfile, columns: AxisProfile
) -> tuple[Ints, Ints, list[tuple[int, int, Ints]]]:
    """Sum multiply-accumulates and parameters from the end, and list reads.

    A read is (source node or -1 for an input, reader, bytes).
    """
    areas = np.array([prod(ends) for ends in model.counted])[:, None]
    counted = rows.counted.sum(axis=2) * columns.counted.sum(axis=2)
    macs = np.array(model.macs)[:, None] * counted // areas
    read = rows.read.sum(axis=2) * columns.read.sum(axis=2)
    inputs = [(-1, each.reader, each.cell * read[at]) for at, each in enumerate(model.outer)]
    edges = rows.edges * columns.edges
    for at, (node, source) in enumerate(model.edges):
        inputs.append((source, node, model.cell[source] * edges[at]))
    parameters = np.array(model.parameters, np.int64)
    return macs[::-1].cumsum(axis=0)[::-1], parameters[::-1].cumsum()[::-1], inputs


class _WorkingSets:
    """The most live bytes within a tile, without the result."""

    def __init__(self, model: ChainModel, rows: AxisProfile, columns: AxisProfile) -> None:
        self._model, self._storages = model, model.storages()
        cells = np.array(model.cell)[:, None, None, None]
        self._areas = cells * rows.distinct[:, :, :, None] * columns.distinct[:, :, None, :]
        self._before = self._following = None
        if rows.kept.any() or columns.kept.any():
            self._before, self._following = _line_buffers(cells, rows, columns)
            self._kept_before = self._following.cumsum(axis=0)
        self._live = self._live_from(0, self._storages)
        self._later = np.maximum.accumulate(self._live[::-1])[::-1]

    def most(self, first: int) -> Ints:
        """Return them for a chain that begins at a node, for each count."""
        if not first:
            return _over_tiles(self._later[0])
        of, death = self._storages.of, self._storages.death
        boundary = of[first - 1]
        if boundary in of[first:]:  # later nodes accumulate on it
            return _over_tiles(self._live_from(first, self._model.storages(first)).max(axis=0))
        reach = min(death[boundary], self._model.size - 1)
        area = self._area([node for node in range(first) if of[node] == boundary])
        live = self._live[first : reach + 1].max(axis=0, initial=0) - area
        if reach + 1 < self._model.size:
            live = np.maximum(live, self._later[max(reach + 1, first)])
        if self._following is not None:
            live = live - self._kept_before[first - 1]
        return _over_tiles(live)

    def _area(self, nodes: Sequence[int]) -> Ints:
        area: Ints = self._areas[nodes].max(axis=0)
        return area

    def _live_from(self, first: int, storages: Storages) -> Ints:
        """Return the live bytes at each node from ``first`` on."""
        size = self._model.size
        change = np.zeros((size + 1, *self._areas.shape[1:]), np.int64)
        members: dict[int, list[int]] = {}
        for node in range(first, size):
            members.setdefault(storages.of[node], []).append(node)
        self._set_apart(change, members.pop(storages.of[-1]))
        for which, nodes in members.items():
            area = self._area(nodes)
            change[storages.birth[which]] += area
            change[storages.death[which] + 1] -= area
        if self._before is not None and self._following is not None:
            for node in range(first, size - 1):
                change[first] += self._before[node]
                change[node + 1] -= self._before[node]  # then it is part of the new value
                change[node] += self._following[node]
        live: Ints = change[:-1].cumsum(axis=0)
        return live[first:]

    def _set_apart(self, change: Ints, members: Sequence[int]) -> None:
        """Count values larger than their tile of the result, which cannot share its bytes."""
        for node in members[:-1]:
            more = np.where(self._areas[node] > self._areas[-1], self._areas[node], 0)
            if not more.any():
                continue
            reader = max(at for at, source in self._model.edges if source == node)
            shares = self._areas[reader] > self._areas[-1]
            change[node] += more
            change[reader] -= np.where(shares, more, 0)
            change[reader + 1] -= np.where(shares, 0, more)


def _over_tiles(live: Ints) -> Ints:
    most: Ints = live.max(axis=(1, 2))
    return most


def _line_buffers(cells: Ints, rows: AxisProfile, columns: AxisProfile) -> tuple[Ints, Ints]:
    """Return the bytes of each node kept from the tile before, and for the next tile."""
    if rows.kept.any():
        before = cells * rows.kept[:, :, :, None] * columns.distinct[:, :, None, :]
        following = np.zeros_like(before)
        following[:, :, :-1] = before[:, :, 1:]
    else:
        before = cells * rows.distinct[:, :, :, None] * columns.kept[:, :, None, :]
        following = np.zeros_like(before)
        following[:, :, :, :-1] = before[:, :, :, 1:]
    return before, following
