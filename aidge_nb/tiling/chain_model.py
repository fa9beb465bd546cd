"""A chain as numbers: the facts from which costs of tilings follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import cached_property
from math import prod
from typing import NamedTuple

from aidge_nb.core.errors import GraphError
from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node
from aidge_nb.ops.coded import as_numbers, kind_of
from aidge_nb.tiling.chain import Chain
from aidge_nb.tiling.ranges import SlidingWindow, SpreadWindow
from aidge_nb.tiling.rules import can_tile, spreads_of, whole_axes, windows_of
from aidge_nb.tiling.windows import padding_around

Reads = SlidingWindow | SpreadWindow | None
"""A window along an axis; None for element-wise operators."""

WHOLE = SlidingWindow(1 << 30, stride=0)
"""The window of operators that read the whole axis for each output."""


def reads_of(node: Node) -> tuple[Reads, Reads]:
    """Return the windows of a node along rows and columns.

    Examples
    --------
    >>> import aidge_nb
    >>> reads_of(aidge_nb.MaxPooling2D([3, 2], "pool", [2, 2]))[1]
    SlidingWindow(kernel=2, stride=2, dilation=1, before=0, after=0)
    """
    found: list[Reads] = [*windows_of(node), *spreads_of(node)]
    if kind_of(node) in ("FC", "GlobalAveragePooling", "GlobalMaxPooling"):
        found = [WHOLE, WHOLE]
    elif node.type() == "Pad" and can_weigh(node):
        around = padding_around(node).around
        found = [SlidingWindow(before=before, after=after) for before, after in around[2:]]
    both = [*found, None, None]
    return both[0], both[1]


def can_weigh(node: Node) -> bool:
    """Return whether costs of tiles of a node are known."""
    operator, kind = node.get_operator(), kind_of(node)
    if not can_tile(node) or kind == "MatMul":
        return False
    if kind == "Pad":
        return _is_constant_pad(node)
    if kind in ("FC", "Gemm"):
        bias = as_numbers(node).get_operator().get_input(2)
        return bias is None or bias.ndim == 1
    data = []
    for index in range(node.get_nb_inputs()):
        port, tensor = node.source(index), operator.get_input(index)
        if tensor is not None and (port is None or port.node.type() != "Producer"):
            data.append(tensor)
    rank = operator.get_output(0).ndim
    return all(tensor.undefined() or tensor.ndim == rank or tensor.size == 1 for tensor in data)


def _is_constant_pad(node: Node) -> bool:
    try:
        padding_around(node)
    except GraphError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Assumptions on machines other than NumPy; see :func:`aidge_nb.tile_for`."""

    bytes_per_element: int = 0
    depthwise_in_place: bool = False
    residual_in_place: bool = False

    def __bool__(self) -> bool:
        return self != Assumptions()


_NOTHING = Assumptions()


class Outer(NamedTuple):
    """An input of a chain.

    Attributes
    ----------
    reader
        Its reader.
    cell
        Bytes of one row of one column.
    sizes
        Sizes of both axes.
    counts
        Whether its memory counts: it is neither a graph input nor read by an earlier node.
    """

    reader: int
    cell: int
    sizes: tuple[int, int]
    counts: bool


@dataclass(frozen=True, slots=True)
class Storages:
    """The storage of each node, and the first and last node of each storage."""

    of: tuple[int, ...]
    birth: tuple[int, ...]
    death: tuple[int, ...]


@dataclass(frozen=True)
class ChainModel:
    """The facts of a chain that determine costs."""

    size: int  # number of nodes; the last gives the result
    reads: tuple[tuple[int, ...], ...]  # for each node, the nodes of the chain that it reads
    outer: tuple[Outer, ...]  # the inputs of the chain
    # for each node and axis, its window; None for element-wise operators
    windows: tuple[tuple[Reads, Reads], ...]
    uncut: tuple[tuple[bool, bool], ...]  # for each node and axis, whether it cannot be cut
    lengths: tuple[tuple[int, int], ...]  # for each node, the sizes of both axes of its output
    # for each node, the sizes of both axes that count multiply-accumulates: of its output, or of
    # the data of spreading windows
    counted: tuple[tuple[int, int], ...]
    cell: tuple[int, ...]  # for each node, the bytes of one row of one column
    # macs, parameters: for each node, its multiply-accumulates, and the bytes of its parameters
    macs: tuple[int, ...]
    parameters: tuple[int, ...]
    overwrites: tuple[int, ...]  # for each node, the node that it may overwrite, or -1
    accumulates: tuple[int, ...]  # for each node, the node onto whose output it accumulates, or -1
    # for each node, whether it overwrites an input, in the chain or outside
    in_place: tuple[bool, ...]

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Pairs (node, source)."""
        return tuple((node, source) for node in range(self.size) for source in self.reads[node])

    @cached_property
    def bytes_of(self) -> tuple[int, ...]:
        """For each node, the bytes of its whole output."""
        return tuple(cell * prod(ends) for cell, ends in zip(self.cell, self.lengths, strict=True))

    @cached_property
    def is_symmetric(self) -> bool:
        """True if both axes are alike."""
        pairs = (*self.windows, *self.uncut, *self.lengths, *self.counted)
        return all(a == b for a, b in (*pairs, *(each.sizes for each in self.outer)))

    def prefix(self, size: int) -> ChainModel:
        """Return the model of the first nodes."""
        of_nodes = [each.name for each in fields(self) if each.name not in ("size", "outer")]
        first = {name: getattr(self, name)[:size] for name in of_nodes}
        outer = tuple(each for each in self.outer if each.reader < size)
        return ChainModel(size=size, outer=outer, **first)

    def moved(self, node: int) -> int:
        """Return the bytes read and written by a whole node; 0 for in-place operators."""
        if self.in_place[node]:
            return 0
        inside = sum(self.bytes_of[source] for source in self.reads[node])
        outside = sum(each.cell * prod(each.sizes) for each in self.outer if each.reader == node)
        return self.bytes_of[node] + self.parameters[node] + inside + outside

    def live_bytes(self) -> list[int]:
        """Return the live bytes during each whole node."""
        found = self.storages()
        largest = [0] * len(found.birth)
        for node, which in enumerate(found.of):
            largest[which] = max(largest[which], self.bytes_of[node])
        return [
            sum(
                size
                for size, first, last in zip(largest, found.birth, found.death, strict=True)
                if first <= node <= last
            )
            for node in range(self.size)
        ]

    def storages(self, first: int = 0) -> Storages:
        """Group the nodes from ``first`` on by shared memory."""
        last = list(range(self.size))
        for node, source in self.edges:
            last[source] = max(last[source], node)
        of, birth, death = [-1] * self.size, list[int](), list[int]()
        for node in range(first, self.size):
            onto, source = self.accumulates[node], self.overwrites[node]
            if onto < first:
                onto = -1
            dies_here = source >= first and last[source] == node and death[of[source]] == node
            if onto < 0 and dies_here:
                onto = source
            if onto < 0:
                of[node] = len(birth)
                birth.append(node)
                death.append(last[node])
            else:
                of[node] = of[onto]
                death[of[node]] = max(death[of[node]], last[node])
        return Storages(tuple(of), tuple(birth), tuple(death))


def chain_model(chain: Chain, assumed: Assumptions = _NOTHING) -> ChainModel:
    """Make the model of a chain; axes 2 and 3 may be cut.

    Elements have their own size unless ``bytes_per_element`` is assumed. Depthwise convolutions may
    overwrite their input, channel by channel, and Add may accumulate on a shortcut that nothing
    else reads.
    """
    bytes_per_element = assumed.bytes_per_element
    number = {node: index for index, node in enumerate(chain.nodes)}
    reads, outer, windows, lengths, overwrites = [], [], [], [], []
    cell, macs, parameters, counted = [], [], [], []
    seen: set[int] = set()
    for node in chain.nodes:
        operator = node.get_operator()
        result = operator.get_output(0)
        inside, weights = [], 0
        for index in range(node.get_nb_inputs()):
            tensor, port = operator.get_input(index), node.source(index)
            if tensor is None:
                continue
            if port is not None and port.node in number:
                inside.append(number[port.node])
            elif port is not None and port.node.type() == "Producer":
                weights += tensor.size * (bytes_per_element or tensor.dtype.itemsize)
            else:
                size = _cell(tensor.dims) * (bytes_per_element or tensor.dtype.itemsize)
                counts = port is not None and id(tensor) not in seen
                seen.add(id(tensor))
                outer.append(Outer(number[node], size, _axes(tensor.dims), counts))
        reads.append(tuple(inside))
        windows.append(reads_of(node))
        lengths.append(_axes(result.dims))
        data = operator.get_input(0)
        spreads = data is not None and isinstance(windows[-1][0], SpreadWindow)
        counted.append(_axes(data.dims) if data is not None and spreads else lengths[-1])
        cell.append(_cell(result.dims) * (bytes_per_element or result.dtype.itemsize))
        macs.append(operator.macs() or 0)
        parameters.append(weights)
        overwrites.append(_overwritten(node, number, assumed.depthwise_in_place))
    return ChainModel(
        len(chain.nodes),
        tuple(reads),
        tuple(outer),
        tuple(windows),
        tuple((2 in whole, 3 in whole) for whole in map(whole_axes, chain.nodes)),
        tuple(lengths),
        tuple(counted),
        tuple(cell),
        tuple(macs),
        tuple(parameters),
        tuple(overwrites),
        _accumulated(chain, number, overwrites, assumed.residual_in_place),
        tuple(_places(node, depthwise_in_place=False) != () for node in chain.nodes),
    )


def _axes(dims: Sequence[int]) -> tuple[int, int]:
    """Return the sizes of rows and columns, by default 1."""
    rows, columns = (*dims[2:], 1, 1)[:2]
    return rows, columns


def _cell(dims: Sequence[int]) -> int:
    return prod(dims[:2]) * prod(dims[4:])


def _overwritten(node: Node, number: dict[Node, int], depthwise_in_place: bool) -> int:
    """Find the node that a node may overwrite, preferably one without other readers."""
    operator = node.get_operator()
    size, found = operator.get_output(0).size, list[Node]()
    for index in _places(node, depthwise_in_place):
        port, tensor = node.source(index), operator.get_input(index)
        if port is None or tensor is None or port.node not in number:
            continue
        if tensor.size == size or (depthwise_in_place and "DepthWise" in kind_of(node)):
            found.append(port.node)
    found.sort(key=lambda each: len(each.output(0)) > 1)
    return number[found[0]] if found else -1


def _accumulated(
    chain: Chain, number: dict[Node, int], overwrites: Sequence[int], wanted: bool
) -> tuple[int, ...]:
    """Find the nodes that accumulate on a shortcut."""
    found = [-1] * len(chain.nodes)
    for node in chain.nodes if wanted else ():
        sources = [number[port.node] for port in node.sources() if port and port.node in number]
        if kind_of(node) != "Add" or len(sources) != 2:
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
    if spec.is_view or (depthwise_in_place and "DepthWise" in kind_of(node)):
        return (0,)
    return spec.overwrites
