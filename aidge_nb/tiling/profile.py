"""Costs of many tilings of one chain, without making them: ranges of all tiles at once.

Along one axis the ranges that every tile needs of every node are arrays over the tiles; tiles in
two dimensions are products of two such profiles. Bytes follow from the live ranges inside a tile,
with everything that may overwrite its input doing so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.graph.node import Node
from aidge_nb.tiling.chain import Chain
from aidge_nb.tiling.layers import windows_of
from aidge_nb.tiling.ranges import Window, balanced

__all__ = ["AxisProfile", "ChainModel", "Costs", "chain_model", "profile"]

Ints = NDArray[np.int64]
_FAR = 1 << 40


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


@dataclass(frozen=True, slots=True)
class AxisProfile:
    """Ranges along one axis: a row for each node and a column for each tile.

    Attributes
    ----------
    needed
        Sizes of what tiles need of each node.
    fresh
        Sizes of what they compute.
    kept
        Sizes of what they keep from the tile before.
    read
        Sizes of what they read of the inputs of the chain, a row for each.
    """

    needed: Ints
    fresh: Ints
    kept: Ints
    read: Ints


@dataclass(frozen=True)
class ChainModel:
    """A chain, as far as costs are concerned.

    Attributes
    ----------
    size
        Number of nodes; the last gives the result.
    reads
        For each node, the nodes of the chain that it reads.
    outer
        For each input of the chain, the node that reads it, the bytes of one row of one column,
        the sizes of both axes, and whether it takes memory.
    windows
        For each node and axis, its window; None where outputs lie where inputs do.
    lengths
        For each node, the sizes of both axes of its output.
    cell
        For each node, the bytes of one row of one column.
    macs, parameters
        For each node, multiply-accumulates of all of it, and the bytes of its parameters.
    overwrites
        For each node, the node in whose place it may be written, or -1.
    accumulates
        For each node, the node on whose output it adds its own, or -1.
    in_place
        For each node, whether it overwrites what it reads, be it of the chain or not.
    """

    size: int
    reads: tuple[tuple[int, ...], ...]
    outer: tuple[tuple[int, int, tuple[int, int], bool], ...]
    windows: tuple[tuple[Window | None, Window | None], ...]
    lengths: tuple[tuple[int, int], ...]
    cell: tuple[int, ...]
    macs: tuple[int, ...]
    parameters: tuple[int, ...]
    overwrites: tuple[int, ...]
    accumulates: tuple[int, ...]
    in_place: tuple[bool, ...]

    def costs(self, rows: AxisProfile, columns: AxisProfile) -> Costs:
        """Find the costs of a grid of tiles from the profiles of both axes."""
        cell = np.array(self.cell)
        macs = sum(
            each
            * int(rows.fresh[node].sum())
            * int(columns.fresh[node].sum())
            // prod(self.lengths[node])
            for node, each in enumerate(self.macs)
            if each
        )
        result = self.cell[-1] * prod(self.lengths[-1])
        tiles = rows.needed.shape[1] * columns.needed.shape[1]
        traffic = result + tiles * sum(self.parameters)
        held = 0
        for number, (_, bytes_, sizes, counts) in enumerate(self.outer):
            read = int(rows.read[number].sum()) * int(columns.read[number].sum())
            traffic += bytes_ * read
            held += bytes_ * prod(sizes) * counts
        work = self._working_set(rows, columns, cell)
        return Costs(work + result + held, macs, traffic)

    def moved(self) -> int:
        """Count the bytes that are read and written when each node is computed as a whole.

        What overwrites its input is taken to be computed where that is.
        """
        total = 0
        for node in range(self.size):
            if self.in_place[node]:
                continue
            total += self.cell[node] * prod(self.lengths[node]) + self.parameters[node]
            total += sum(
                self.cell[source] * prod(self.lengths[source]) for source in self.reads[node]
            )
            total += sum(
                bytes_ * prod(sizes) for reader, bytes_, sizes, _ in self.outer if reader == node
            )
        return total

    def live_bytes(self) -> list[int]:
        """Give the bytes that are live while each node is computed as a whole."""
        sizes = [cell * prod(ends) for cell, ends in zip(self.cell, self.lengths, strict=True)]
        storage, birth, death = self._storages
        largest = [0] * len(birth)
        for node, which in enumerate(storage):
            largest[which] = max(largest[which], sizes[node])
        return [
            sum(
                size
                for size, first, last in zip(largest, birth, death, strict=True)
                if first <= node <= last
            )
            for node in range(self.size)
        ]

    def _working_set(self, rows: AxisProfile, columns: AxisProfile, cell: Ints) -> int:
        """Give the most bytes that are live at once within a tile, but for the result."""
        storage, birth, death = self._storages
        sizes = (cell * rows.needed.max(axis=1) * columns.needed.max(axis=1)).tolist()
        largest: dict[int, int] = {}
        for node, which in enumerate(storage):
            if sizes[node] > sizes[largest.setdefault(which, node)]:
                largest[which] = node
        nodes = [largest[which] for which in range(len(birth))]
        areas = _areas(cell[nodes], rows.needed[nodes], columns.needed[nodes])
        areas[storage[-1]] = 0  # the result, counted as a whole
        ticks = np.arange(self.size)[:, None]
        live = (birth <= ticks) & (ticks <= death)
        total = live.astype(float) @ areas  # whole numbers below 2**53: exact
        keeps = (rows.kept.sum(axis=1) + columns.kept.sum(axis=1)).tolist()
        for node in range(self.size - 1):
            if not keeps[node]:
                continue
            before, following = _line_buffers(rows, columns, node, int(cell[node]))
            total += np.where(ticks < birth[storage[node]], before.reshape(1, -1), 0)
            total += np.where(ticks >= node, following.reshape(1, -1), 0)
        return int(total.max())

    @cached_property
    def _storages(self) -> tuple[list[int], Ints, Ints]:
        """Group nodes that share memory; tell from and up to which node each group lives."""
        last = list(range(self.size))
        for node, sources in enumerate(self.reads):
            for source in sources:
                last[source] = max(last[source], node)
        storage: list[int] = []
        birth: list[int] = []
        death: list[int] = []
        for node in range(self.size):
            onto, source = self.accumulates[node], self.overwrites[node]
            if onto >= 0:
                storage.append(storage[onto])
                death[storage[node]] = max(death[storage[node]], last[node])
                continue
            if source >= 0 and last[source] == node and death[storage[source]] == node:
                storage.append(storage[source])
                death[storage[node]] = last[node]
                continue
            storage.append(len(birth))
            birth.append(node)
            death.append(last[node])
        return storage, np.array(birth), np.array(death)


def _areas(cell: Ints, tall: Ints, wide: Ints) -> NDArray[np.float64]:
    """Give the bytes of each storage in each tile: a row for each storage."""
    areas = cell[:, None, None] * tall[:, :, None] * wide[:, None, :]
    return areas.reshape(len(cell), -1).astype(float)


def _line_buffers(
    rows: AxisProfile, columns: AxisProfile, node: int, cell: int
) -> tuple[Ints, Ints]:
    """Give, for each tile, the bytes kept of a node from the tile before, and for the next one."""
    along_rows = bool(rows.kept[node].any())
    tall = rows.kept[node] if along_rows else rows.needed[node]
    wide = columns.needed[node] if along_rows else columns.kept[node]
    before = cell * np.outer(tall, wide)
    following = np.zeros_like(before)
    if along_rows:
        following[:-1] = before[1:]
    else:
        following[:, :-1] = before[:, 1:]
    return before, following


def chain_model(
    chain: Chain,
    *,
    bytes_per_element: int = 0,
    depthwise_in_place: bool = False,
    residual_in_place: bool = False,
) -> ChainModel:
    """Note what matters for costs of a chain; axes 2 and 3 are those that may be cut.

    Parameters
    ----------
    chain
        The chain.
    bytes_per_element
        1 for a network of bytes, say; that of each tensor when 0.
    depthwise_in_place
        Whether depthwise convolutions overwrite their input, channel by channel.
    residual_in_place
        Whether what is added to a shortcut that nothing else reads is accumulated there.
    """
    number = {node: index for index, node in enumerate(chain.nodes)}
    reads, outer, windows, lengths, overwrites = [], [], [], [], []
    cell, macs, parameters = [], [], []
    for node in chain.nodes:
        operator = node.get_operator()
        result = operator.get_output(0)
        inside, weights = [], 0
        for index in range(node.get_nb_inputs()):
            tensor, port = operator.get_input(index), node.input(index)
            if tensor is None:
                continue
            if port is not None and port.node in number:
                inside.append(number[port.node])
            elif port is not None and port.node.type() == "Producer":
                weights += tensor.size * (bytes_per_element or tensor.dtype.itemsize)
            else:
                size = _cell(tensor.dims) * (bytes_per_element or tensor.dtype.itemsize)
                ends = (*tensor.dims[2:], 1, 1)[:2]
                outer.append((number[node], size, (ends[0], ends[1]), port is not None))
        reads.append(tuple(inside))
        both = [*windows_of(node), None, None]
        windows.append((both[0], both[1]))
        ends = (*result.dims[2:], 1, 1)[:2]
        lengths.append((ends[0], ends[1]))
        cell.append(_cell(result.dims) * (bytes_per_element or result.dtype.itemsize))
        macs.append(operator.macs() or 0)
        parameters.append(weights)
        overwrites.append(_overwritten(node, number, depthwise_in_place))
    return ChainModel(
        len(chain.nodes),
        tuple(reads),
        tuple(outer),
        tuple(windows),
        tuple(lengths),
        tuple(cell),
        tuple(macs),
        tuple(parameters),
        tuple(overwrites),
        _accumulated(chain, number, overwrites, residual_in_place),
        tuple(_places(node, depthwise_in_place=False) != () for node in chain.nodes),
    )


def _cell(dims: Sequence[int]) -> int:
    return prod(dims[:2]) * prod(dims[4:])


def _overwritten(node: Node, number: dict[Node, int], depthwise_in_place: bool) -> int:
    operator = node.get_operator()
    size = operator.get_output(0).size
    for index in _places(node, depthwise_in_place):
        port, tensor = node.input(index), operator.get_input(index)
        if port is None or tensor is None or port.node not in number:
            continue
        if tensor.size == size or (depthwise_in_place and "DepthWise" in node.type()):
            return number[port.node]
    return -1


def _accumulated(
    chain: Chain, number: dict[Node, int], overwrites: Sequence[int], wanted: bool
) -> tuple[int, ...]:
    """Find what is added to a shortcut: the node that begins it adds to the shortcut at once."""
    found = [-1] * len(chain.nodes)
    for node in chain.nodes if wanted else ():
        sources = [number[port.node] for port in node.inputs() if port and port.node in number]
        if node.type() != "Add" or len(sources) != 2:
            continue
        late, early = max(sources), min(sources)
        if chain.readers(chain.nodes[early])[-1].node is not node:
            continue
        while overwrites[late] >= 0:
            late = overwrites[late]
        if late > early and len(chain.readers(chain.nodes[late])) == 1:
            found[late] = early
    return tuple(found)


def _places(node: Node, depthwise_in_place: bool) -> tuple[int, ...]:
    spec = node.get_operator().spec
    if spec.is_view or (depthwise_in_place and "DepthWise" in node.type()):
        return (0,)
    return spec.overwrites


def profile(model: ChainModel, axis: int, parts: int, halo: str = "recompute") -> AxisProfile:
    """Follow the parts of an axis (0 for rows, 1 for columns) back to the inputs of a chain.

    Raises
    ------
    ShapeError
        When there are more parts than rows.
    """
    ranges = balanced(model.lengths[-1][axis], parts)
    starts = np.full((model.size, parts), _FAR)
    stops = np.full((model.size, parts), -_FAR)
    starts[-1], stops[-1] = [each.start for each in ranges], [each.stop for each in ranges]
    fresh, kept = np.zeros_like(starts), np.zeros_like(starts)
    read = np.zeros((len(model.outer), parts), np.int64)
    for node in range(model.size - 1, -1, -1):
        start, stop = starts[node], stops[node]
        begin = start
        if halo == "cache":
            done = np.concatenate([[0], np.maximum.accumulate(stop)[:-1]])
            begin = np.maximum(start, done)
            before = np.minimum(done, stop) - start
            kept[node] = np.where((stop > start) & (done > start), before, 0)
        empty = stop <= begin
        fresh[node] = np.where(empty, 0, stop - begin)
        window = model.windows[node][axis]
        for source in model.reads[node]:
            low, high = _reach(window, begin, stop, model.lengths[source][axis])
            starts[source] = np.minimum(starts[source], np.where(empty, _FAR, low))
            stops[source] = np.maximum(stops[source], np.where(empty, -_FAR, high))
        for number, (reader, _, sizes, _) in enumerate(model.outer):
            if reader == node:
                low, high = _reach(window, begin, stop, sizes[axis])
                read[number] = np.where(empty, 0, high - low)
    return AxisProfile(np.maximum(stops - starts, 0), fresh, kept, read)


def _reach(window: Window | None, start: Ints, stop: Ints, size: int) -> tuple[Any, Any]:
    if window is None:
        return np.minimum(start, size - 1) if size == 1 else start, np.minimum(stop, size)
    low = start * window.stride - window.before
    span = window.dilation * (window.kernel - 1) + 1
    high = (stop - 1) * window.stride - window.before + span
    return np.maximum(low, 0), np.minimum(high, size)
