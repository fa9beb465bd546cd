"""Choose tiles of one layer for a local memory: the grid that moves the fewest bytes.

Input, parameters and output of a tile lie in the local memory together. Rows, columns, output
channels and the batch may be cut. Either parameters stay, and the input is read once for each group
of channels; or the input stays, and the parameters are read once for each tile. All grids are
compared.

Reference: Y. Ma and others, Optimizing Loop Operation and Dataflow in FPGA Acceleration of Deep
Convolutional Neural Networks, 2017, https://doi.org/10.1145/3020078.3021736
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.amounts import is_whole
from aidge_nb.core.errors import GraphError, MemoryPlanError
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.coded import as_numbers, kind_of
from aidge_nb.tiling.chain import Chain, as_chain
from aidge_nb.tiling.chain_model import ChainModel, can_weigh, chain_model
from aidge_nb.tiling.costs import profiles

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

STAYS = ("parameters", "input")
"""Values that may stay in the local memory."""


@dataclass(frozen=True, slots=True)
class LayerChoice:
    """A grid of tiles for one layer.

    Attributes
    ----------
    grid
        Number of parts of each cut axis, for :func:`aidge_nb.plan_tiling`.
    stays
        ``parameters`` or ``input``: the value that stays.
    tile_bytes
        Bytes of a tile in the local memory.
    traffic
        Bytes read from and written to the outer memory.
    """

    grid: dict[int, int]
    stays: str
    tile_bytes: int
    traffic: int


def tile_layer(
    view: GraphView,
    node: Node | Sequence[Node],
    memory: int,
    *,
    buffers: int = 1,
    axes: Sequence[int] = (0, 1, 2, 3),
    multiples: Mapping[int, int] | None = None,
    stays: Sequence[str] = STAYS,
) -> LayerChoice:
    """Choose tiles of a layer for a local memory.

    Parameters
    ----------
    view, node
        The layer in its graph; or the layer and in-place operators after it, in order.
    memory
        Bytes of the local memory.
    buffers
        2 to load the next tile and store the last one during a computation.
    axes
        Axes that may be cut.
    multiples
        For an axis, a divisor of its number of parts: the number of elements that share the
        layer.
    stays
        Values that may stay in the local memory: ``parameters``, ``input``.

    Raises
    ------
    MemoryPlanError
        When the smallest tile does not fit (names its bytes), or an axis has no such number of
        parts.
    GraphError, ShapeError
        When the nodes cannot be tiled, or dimensions are unknown.

    Examples
    --------
    >>> import aidge_nb
    >>> conv = aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")
    >>> view = aidge_nb.sequential([conv])
    >>> view.forward_dims([[1, 3, 66, 66]])
    True
    >>> tile_layer(view, conv, 65536, axes=[2, 3]).grid
    {2: 2, 3: 5}
    """
    chain = as_chain(view, node)
    _check(chain, memory, buffers, axes, stays)
    for each in chain.nodes:
        if not can_weigh(each):
            cure = "Tile it with aidge_nb.plan_tiling()."
            raise GraphError.at(each.label, "costs of its tiles are unknown", cure=cure)
    shape = _Shape(chain, axes, multiples or {})
    if not all(len(counts) for counts in shape.counts):
        problem = "cannot be cut into so many parts"
        raise MemoryPlanError.at(chain.last.label, problem, expected=dict(multiples or {}))
    size, by_parameters, by_input = shape.bytes(buffers), *shape.traffic()
    traffic = np.minimum(
        *(
            each if name in stays else np.full_like(each, np.inf)
            for name, each in zip(STAYS, (by_parameters, by_input), strict=True)
        )
    )
    fits = size <= memory
    if not fits.any():
        raise MemoryPlanError.at(
            chain.last.label,
            "no tile fits into this memory",
            expected=f"at least {int(size.min())} bytes",
            found=memory,
        )
    cost = np.where(fits, traffic, np.inf)
    tied = np.argwhere(cost == cost.min())
    at = tuple(min(tied.tolist(), key=lambda each: (shape.tiles[tuple(each)], each)))
    grid = {
        axis: int(counts[place])
        for (axis, counts), place in zip(enumerate(shape.counts), at, strict=True)
    }
    return LayerChoice(
        {axis: count for axis, count in grid.items() if count > 1},
        STAYS[0] if by_parameters[at] <= by_input[at] else STAYS[1],
        int(size[at]),
        int(traffic[at]),
    )


def _check(
    chain: Chain, memory: object, buffers: object, axes: Sequence[int], stays: Sequence[str]
) -> None:
    """Check options."""
    wrong: list[tuple[str, object, object]] = []
    for name, value, legal in (("memory", memory, "65536, say"), ("buffers", buffers, "1 or 2")):
        if not is_whole(value) or (name == "buffers" and value < 1):
            wrong.append((f"{name} is a number", legal, value))
    rank = len(chain.dims)
    if not set(axes) <= set(range(4)):
        wrong.append(("no such axis to cut", f"some of {list(range(min(rank, 4)))}", axes))
    if isinstance(stays, str) or not stays or not set(stays) <= set(STAYS):
        wrong.append(("what stays is not known", f"some of {list(STAYS)}", stays))
    for problem, expected, found in wrong:
        raise MemoryPlanError.at(chain.last.label, problem, expected=expected, found=repr(found))


class _Shape:
    """All grids of a layer: arrays with axes for batch, channels, rows and columns."""

    def __init__(self, chain: Chain, axes: Sequence[int], multiples: Mapping[int, int]) -> None:
        self._model = model = chain_model(chain)
        batch, channels, *_ = (*chain.dims, 1)
        first = chain.nodes[0]
        window = kind_of(first).removeprefix("Padded")
        self._depthwise = "DepthWise" in window or not window.startswith(("Conv", "FC", "Gemm"))
        lengths = (batch, channels, *model.lengths[-1])
        attr = as_numbers(first).get_operator().attr
        is_grouped = "group" in attr and int(attr.group) != 1
        free = set(axes) - ({1} if is_grouped else set())
        for axis, multiple in multiples.items():
            most = dict(enumerate(lengths)).get(axis, 1) if axis in free else 1
            if not is_whole(multiple) or not 1 <= multiple <= most:
                where, problem = f"{chain.last.label}, axis {axis}", "has no such number of parts"
                expected, found = f"multiples of 1 to {most}", f"multiples of {multiple!r}"
                raise MemoryPlanError.at(where, problem, expected=expected, found=found)
        self.counts = [
            _counts(length if axis in free else 1, multiples.get(axis, 1))
            for axis, length in enumerate(lengths)
        ]
        if not all(len(counts) for counts in self.counts):
            return
        self._batch = -(-batch // self.counts[0]) / batch
        self._channels = -(-channels // self.counts[1]) / channels
        tall, wide = (_sizes(model, axis, self.counts[axis + 2]) for axis in (0, 1))
        self.counts[2:] = tall["counts"], wide["counts"]
        self._held, self._out, self._read = (
            np.multiply.outer(tall[name], wide[name]) for name in ("in", "out", "read")
        )
        self._inputs = sum(each.cell for each in model.outer)
        self._weights = sum(model.parameters)
        self._result = model.cell[-1] * prod(model.lengths[-1])
        self.tiles: Ints = np.multiply.reduce(np.broadcast_arrays(*np.ix_(*self.counts)))

    def bytes(self, buffers: int) -> Floats:
        """Return the bytes in the local memory."""
        deep = self._channels[:, None, None]
        read = self._held * self._inputs * (deep if self._depthwise else 1.0)
        held = read + self._out * self._model.cell[-1] * deep
        size = buffers * held * self._batch[:, None, None, None] + self._weights * deep
        return np.round(size)

    def traffic(self) -> tuple[Floats, Floats]:
        """Return the bytes moved if parameters stay, and if the input stays."""
        shape = self.tiles.shape
        groups = self.counts[1][:, None, None]
        moved = np.broadcast_to((self._read * self._inputs)[None, None], shape)
        again = 1 if self._depthwise else groups
        pixels = self.tiles / groups
        by_parameters = moved * again + self._weights + self._result
        by_input = moved + self._weights * np.where(groups > 1, pixels, 1) + self._result
        return by_parameters, by_input


def _counts(size: int, multiple: int = 1) -> Ints:
    """List the numbers of parts with different largest parts."""
    counts = np.arange(multiple, size + 1, multiple)
    largest = -(-size // counts)
    differs: Ints = counts[np.concatenate([[True], largest[1:] < largest[:-1]])[: len(counts)]]
    return differs


def _sizes(model: ChainModel, axis: int, counts: Ints) -> dict[str, Ints]:
    """Return largest parts and total reads for each possible number of parts."""
    found = profiles(model, axis, counts)
    sizes = {
        "counts": found.counts,
        "in": found.read.max(axis=(0, 2)),
        "out": found.fresh[-1].max(axis=1),
        "read": found.read[0].sum(axis=1),
    }
    possible = found.possible.all(axis=0)
    return {name: values[possible] for name, values in sizes.items()}
