"""The program of one tile, as plain values: recipes of nodes, and their inputs.

A program is sent to another thread, process or machine together with its data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.inference import propagate_dims
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.executor import NodeExecutor, Observer
from aidge_nb.tiling.ranges import Range, Region, index_of, whole
from aidge_nb.tiling.rules import step
from aidge_nb.tiling.tile_nodes import NodeRecipe, recipe_of
from aidge_nb.tiling.tiles import Tile

Array = NDArray[Any]


class DataKey(NamedTuple):
    """The key of a value: an output of a node, or an input that no node feeds.

    ``version`` is the number of the work that computed it.
    """

    node: Node
    number: int
    is_input: bool = False
    version: int = 0


DataOf = Callable[[Node, int], DataKey]


@dataclass(frozen=True, slots=True)
class TileSource:
    """The source of an input: an earlier call, or the data sent along."""

    call: int  # number of the call; -1 for data
    number: int  # number of the output of that call, or of the data
    region: Region | None = None  # the region that is read; None for all
    # number of the data kept from the tile before, which precede it along ``axis``; None if there
    # are none
    before: int | None = None
    axis: int = 0  # the axis of ``before``


@dataclass(frozen=True, slots=True)
class TileCall:
    """One operator of a program: its recipe and the sources of its inputs."""

    recipe: NodeRecipe
    inputs: tuple[TileSource | None, ...]


@dataclass(frozen=True, slots=True)
class TileProgram:
    """The computation of a tile."""

    calls: tuple[TileCall, ...]  # the operators, in order; the last gives the result
    # keys of the data, and the regions that are read
    data: tuple[tuple[DataKey, Region | None], ...]


def run_program(
    calls: Sequence[TileCall], data: Sequence[Array]
) -> tuple[list[tuple[Array, ...]], float, float]:
    """Compute a tile; return the outputs of its calls, and its start and end in seconds."""
    start = perf_counter()
    feeder = _Feeder(calls, data)
    NodeExecutor([call.recipe.make() for call in calls], [feeder]).run()
    return feeder.made, start, perf_counter()


class _Feeder(Observer):
    """Set the inputs of each call before it runs, and keep its outputs."""

    def __init__(self, calls: Sequence[TileCall], data: Sequence[Array]) -> None:
        self._calls, self._data = calls, data
        self.made: list[tuple[Array, ...]] = []

    def before(self, tick: int, node: Node) -> None:
        """Set the inputs of a call."""
        for index, source in enumerate(self._calls[tick].inputs):
            if source is not None:
                node.get_operator().set_input(index, Tensor(self._array(source)))
        view = GraphView()
        view.add(node)
        propagate_dims(view, allow_data_dependency=True)

    def _array(self, source: TileSource) -> Array:
        made = self._data if source.call < 0 else self.made[source.call]
        array = made[source.number]
        if source.region is not None:
            array = np.ascontiguousarray(array[index_of(source.region)])
        if source.before is not None:
            array = np.concatenate([self._data[source.before], array], source.axis)
        return array

    def after(self, tick: int, node: Node) -> None:
        """Keep the outputs of a call."""
        self.made.append(tuple(tensor.array for tensor in node.get_operator().get_outputs()))


def whole_program(nodes: Sequence[Node], data_of: DataOf) -> TileProgram:
    """Write the program that computes nodes as a whole.

    Raise GraphError for a node that is not a plain operator. ``data_of`` returns the key of the
    data that an input reads.
    """
    writer = _Writer(data_of)
    for node in nodes:
        padded = node.type().startswith("Padded")
        part = step(node, whole(node.get_operator().get_output(0).dims)) if padded else None
        writer.add(node, recipe_of(node, part), dict.fromkeys(range(node.get_nb_inputs())), None)
    return writer.program()


def tile_program(nodes: Mapping[str, Node], tile: Tile, data_of: DataOf) -> TileProgram:
    """Write the program of one tile; nodes by name, ``data_of`` as above.

    Rows kept from the tile before are read as data, from outputs of their nodes.
    """
    writer = _Writer(data_of)
    for part in tile.parts:
        node = nodes[part.node]
        computed = step(node, part.output)
        writer.add(node, recipe_of(node, computed), dict(computed.inputs), part.output)
    return writer.program()


class _Writer:
    """Collects calls and their data."""

    def __init__(self, data_of: DataOf) -> None:
        self._data_of = data_of
        self._calls: list[TileCall] = []
        self._made: dict[Node, tuple[int, Region | None]] = {}
        self._data: dict[tuple[DataKey, Region | None], int] = {}

    def add(
        self,
        node: Node,
        recipe: NodeRecipe,
        regions: Mapping[int, Region | None],
        output: Region | None,
    ) -> None:
        """Add a call that reads regions of its inputs."""
        count = node.get_nb_inputs() if recipe.nb_inputs is None else recipe.nb_inputs
        inputs = tuple(self._source(node, index, regions) for index in range(count))
        self._made[node] = (len(self._calls), output)
        self._calls.append(TileCall(recipe, inputs))

    def _source(
        self, node: Node, index: int, regions: Mapping[int, Region | None]
    ) -> TileSource | None:
        port, tensor = node.source(index), node.get_operator().get_input(index)
        if tensor is None or index not in regions:
            return None
        region, key = regions[index], self._data_of(node, index)
        if port is not None and port.node in self._made:
            call, have = self._made[port.node]
            return self._inside(call, key, region, have)
        if region == whole(tensor.dims):
            region = None
        return TileSource(-1, self._read(key, region))

    def _read(self, key: DataKey, region: Region | None) -> int:
        return self._data.setdefault((key, region), len(self._data))

    def _inside(
        self, call: int, key: DataKey, region: Region | None, have: Region | None
    ) -> TileSource:
        """Return the source of an output of this program, after kept rows."""
        if region is None or have is None or region == have:
            return TileSource(call, key.number)
        cut = [axis for axis, part in enumerate(region) if part.start < have[axis].start]
        if not cut:
            return TileSource(call, key.number, _within(region, have))
        axis = cut[0]
        edge = have[axis].start
        kept, fresh = (
            (*region[:axis], part, *region[axis + 1 :])
            for part in (
                Range(region[axis].start, min(edge, region[axis].stop)),
                Range(edge, region[axis].stop),
            )
        )
        before = self._read(key, kept)
        if fresh[axis].size < 1:
            return TileSource(-1, before)
        return TileSource(call, key.number, _within(fresh, have), before, axis)

    def program(self) -> TileProgram:
        """Return the program."""
        return TileProgram(tuple(self._calls), tuple(self._data))


def _within(region: Region, have: Region) -> Region | None:
    """Return a region relative to the computed one; None for all of it."""
    if region == have:
        return None
    return tuple(
        Range(part.start - base.start, part.stop - base.start)
        for part, base in zip(region, have, strict=True)
    )
