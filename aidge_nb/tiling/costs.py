"""Costs of many tilings of a chain, and of all shorter chains with the same end, at once.

Bytes follow from the live ranges inside a tile; operators overwrite their inputs where they may. A
chain that begins later needs the same of its nodes, so its costs are sums from the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from aidge_nb.tiling.chain_model import ChainModel, Storages
from aidge_nb.tiling.profile import AxisProfile, Ints


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of a tiled chain.

    Attributes
    ----------
    peak
        Bytes of activations while it runs: working set, kept halos, whole result, and inputs that
        are not graph inputs.
    macs
        Multiply-accumulates.
    traffic
        Bytes moved between the memory of inputs, parameters and result and a local memory of
        tiles; parameters are read once for each tile.
    """

    peak: int
    macs: int
    traffic: int


def chain_costs(model: ChainModel, rows: AxisProfile, columns: AxisProfile) -> Costs:
    """Return the costs of one grid of tiles, from the profiles of both axes."""
    [(_, peaks, macs, traffic)] = suffix_costs(model, rows, columns, [0])
    return Costs(int(peaks[0]), int(macs[0]), int(traffic[0]))


def suffix_costs(
    model: ChainModel, rows: AxisProfile, columns: AxisProfile, firsts: Sequence[int]
) -> Iterator[tuple[int, Ints, Ints, Ints]]:
    """Yield the costs of chains that begin at some nodes and end with the model.

    Parameters
    ----------
    model
        The longest chain.
    rows, columns
        Its profiles, with equal numbers of counts, or one count.
    firsts
        The first nodes; only the node before each may be read later, and is not overwritten.

    Yields
    ------
    tuple
        The first node; peaks, multiply-accumulates and traffic for each count.
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
