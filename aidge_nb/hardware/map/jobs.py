"""The jobs of tiles: bytes moved, working memory, computation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.hardware.steps import Function
from aidge_nb.memory import best_placement
from aidge_nb.ops.coded import as_numbers, kind_of
from aidge_nb.tiling import Tile, Tiling
from aidge_nb.tiling.ranges import Region
from aidge_nb.tiling.ranges import elements as count


@dataclass(frozen=True, slots=True)
class TileJob:
    """The computation of a tile, or of a whole task."""

    number: int  # number of the tile
    # load, store: bytes read from and written to the memory of whole tensors
    load: int
    store: int
    parameters: int  # bytes of its parameters
    key: object  # tiles with equal keys read the same parameters
    work: int  # working memory beside inputs and outputs, in bytes
    keep: int  # bytes kept from one tile to the next (line buffers)
    touched: int  # bytes of activations passed between element and memory
    calls: tuple[Function, ...]  # the computations
    place: tuple[int, ...] = ()  # place in the grid

    @property
    def amount(self) -> int:
        """Multiply-accumulates; elements of operators without any."""
        return sum(call.macs or call.elements for call in self.calls)


def outputs_of(node: Node) -> list[Tensor]:
    """List the outputs of a node, without unread optional ones."""
    operator = node.get_operator()
    return [
        operator.get_output(index)
        for index in range(node.get_nb_outputs())
        if node.output(index) or not operator.may_leave_out(index)
    ]


def whole_job(nodes: Sequence[Node], functions: tuple[Function, ...], parameters: int) -> TileJob:
    """Make the job of nodes computed as a whole."""
    inside = set(nodes)
    sources: dict[int, int] = {}
    touched = 0
    for node in nodes:
        operator = node.get_operator()
        for index in range(node.get_nb_inputs()):
            tensor, port = operator.get_input(index), node.source(index)
            if tensor is None or (port is not None and port.node.type() == "Producer"):
                continue
            touched += tensor.nbytes
            if port is None or port.node not in inside:
                sources[id(tensor)] = tensor.nbytes
        touched += sum(output.nbytes for output in outputs_of(node))
    store = sum(output.nbytes for output in outputs_of(nodes[-1]))
    return TileJob(0, sum(sources.values()), store, parameters, 0, 0, 0, touched, functions)


def tile_jobs(nodes: Sequence[Node], tiling: Tiling) -> list[TileJob]:
    """Make the job of each tile of a tiling."""
    names = dict(zip(tiling.nodes, nodes, strict=True))
    kept: dict[str, int] = {}
    for tile in tiling.tiles:
        for part in tile.parts:
            size = part.kept * _itemsize(names[part.node])
            kept[part.node] = max(kept.get(part.node, 0), size)
    keep = sum(kept.values())
    return [_job(tile, number, names, keep) for number, tile in enumerate(tiling.tiles)]


def _job(tile: Tile, number: int, names: dict[str, Node], keep: int) -> TileJob:
    inside = set(names.values())
    loads: dict[object, int] = {}
    parameters: dict[object, int] = {}
    touched = 0
    for part in tile.parts:
        node = names[part.node]
        touched += count(part.output) * _itemsize(node)
        for index, region in part.inputs:
            port, tensor = node.source(index), node.get_operator().get_input(index)
            size = count(region) * (tensor.dtype.itemsize if tensor is not None else 0)
            if port is not None and port.node.type() == "Producer":
                parameters[port.node, region] = size
                continue
            touched += size
            if port is None or port.node not in inside:
                loads[id(tensor), region] = size
    calls = [
        Function(part.node, kind_of(node), part.macs, count(part.output), data_type(node))
        for part, node in ((part, names[part.node]) for part in tile.parts)
    ]
    store = count(tile.output) * _itemsize(names[tile.parts[-1].node])
    return TileJob(
        number,
        sum(loads.values()),
        store,
        sum(parameters.values()),
        tuple(parameters),
        _work(tile, names),
        keep,
        touched,
        tuple(calls),
        tile.place,
    )


def data_type(node: Node) -> str:
    """Return the element type of the data of a node, or of its result where it reads none."""
    operator = node.get_operator()
    data = as_numbers(node).get_operator().get_inputs()[:1] if operator.nb_inputs else ()
    tensor = next((each for each in data if each is not None), operator.get_output(0))
    return tensor.dtype.name


def _itemsize(node: Node) -> int:
    return node.get_operator().get_output(0).dtype.itemsize


def _work(tile: Tile, names: dict[str, Node]) -> int:
    """Return the bytes of values between the first and the last node of a tile."""
    if len(tile.parts) == 1:
        return 0
    needed: dict[str, Region] = {part.node: part.needed for part in tile.parts}
    at = {part.node: number for number, part in enumerate(tile.parts)}
    of_node = {node: name for name, node in names.items()}
    storage = {name: name for name in at}
    last = dict(at)
    for number, part in enumerate(tile.parts):
        for index, _ in part.inputs:
            port = names[part.node].source(index)
            source = of_node.get(port.node) if port is not None else None
            if source in at:
                last[source] = number
    for number, part in enumerate(tile.parts):
        node = names[part.node]
        for index in node.get_operator().spec.overwrites:
            port = node.source(index) if index < node.get_nb_inputs() else None
            source = of_node.get(port.node) if port is not None else None
            if source in at and last[source] == number and needed[source] == part.needed:
                storage[part.node] = storage[source]
                break
    sizes: dict[str, list[int]] = {}
    for name, first in at.items():
        size = count(needed[name]) * _itemsize(names[name])
        entry = sizes.setdefault(storage[name], [first, last[name] + 1, size])
        entry[1], entry[2] = max(entry[1], last[name] + 1), max(entry[2], size)
    sizes.pop(storage[tile.parts[-1].node])
    return _peak(tuple((low, high, size) for low, high, size in sizes.values() if size))


@lru_cache(4096)
def _peak(ranges: tuple[tuple[int, int, int], ...]) -> int:
    return best_placement(ranges, effort=0.01).peak if ranges else 0
