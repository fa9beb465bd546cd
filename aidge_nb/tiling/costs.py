"""Costs of many tilings of a chain, and of every shorter chain with the same end, at once.

Bytes follow from the live ranges inside a tile, with everything that may overwrite its input doing
so. A chain that begins later needs the same of its nodes, so that what it costs is what the longer
one costs, without the nodes before: sums from the end.
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
    """What a tiled chain costs.

    Attributes
    ----------
    peak
        Bytes of activations while it runs: what it works on, halos that are kept, its whole
        result, and its input where that is no input of the graph.
    macs
        Multiply-accumulates.
    traffic
        Bytes read from and written to the memory that holds input, parameters and result, if a
        tile works in a memory of its own: parameters are read once for each tile.
    """

    peak: int
    macs: int
    traffic: int


def chain_costs(model: ChainModel, rows: AxisProfile, columns: AxisProfile) -> Costs:
    """Find the costs of one grid of tiles, from the profiles of both axes."""
    [(_, peaks, macs, traffic)] = suffix_costs(model, rows, columns, [0])
    return Costs(int(peaks[0]), int(macs[0]), int(traffic[0]))


def suffix_costs(
    model: ChainModel, rows: AxisProfile, columns: AxisProfile, firsts: Sequence[int]
) -> Iterator[tuple[int, Ints, Ints, Ints]]:
    """Find the costs of the chains that begin at some nodes and end where the model ends.

    Parameters
    ----------
    model
        The longest chain.
    rows, columns
        Its profiles: for the same numbers of counts, or with one count for all.
    firsts
        The first nodes; only the one before each may be read behind it, and they overwrite none.

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
    """Sum up from the end: multiply-accumulates, parameters; and list what may be read outside.

    What is read outside has the node that gives it (-1 for an input) and the node that reads it.
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
    """The most bytes that are live at once within a tile, but for the result."""

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
        """Give it for a chain that begins at a node, for each count."""
        if not first:
            return _over_tiles(self._later[0])
        of, death = self._storages.of, self._storages.death
        boundary = of[first - 1]
        if boundary in of[first:]:  # what is behind accumulates on it
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
        """Add up what is live at each node from one on."""
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
                change[node + 1] -= self._before[node]  # then it is beside what is new
                change[node] += self._following[node]
        live: Ints = change[:-1].cumsum(axis=0)
        return live[first:]

    def _set_apart(self, change: Ints, members: Sequence[int]) -> None:
        """Count what the result cannot be written over: that of which a tile needs more.

        The result itself, with what is as large, is counted as a whole.
        """
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
    """Give the bytes kept of each node from the tile before, and for the next one."""
    if rows.kept.any():
        before = cells * rows.kept[:, :, :, None] * columns.distinct[:, :, None, :]
        following = np.zeros_like(before)
        following[:, :, :-1] = before[:, :, 1:]
    else:
        before = cells * rows.distinct[:, :, :, None] * columns.kept[:, :, None, :]
        following = np.zeros_like(before)
        following[:, :, :, :-1] = before[:, :, :, 1:]
    return before, following
