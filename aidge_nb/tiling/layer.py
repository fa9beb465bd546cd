"""Tiles of one layer for a local memory: the grid that moves the fewest bytes.

A tile's input, parameters and output lie in the local memory together. Rows, columns and output
channels may be cut. Either the parameters of some channels stay while all their tiles pass, and
the input is read once for each group of channels; or a tile of the input stays while all channels
pass, and the parameters are read once for each tile. All grids are weighed.

Reference: Y. Ma and others, Optimizing Loop Operation and Dataflow in FPGA Acceleration of Deep
Convolutional Neural Networks, 2017, https://doi.org/10.1145/3020078.3021736
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from aidge_nb.errors import MemoryPlanError, explain
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.tiling.chain import as_chain
from aidge_nb.tiling.profile import ChainModel, chain_model, profile

__all__ = ["LayerChoice", "tile_layer"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LayerChoice:
    """A grid of tiles for one layer.

    Attributes
    ----------
    grid
        Number of parts of each axis that is cut, as :func:`aidge_nb.plan_tiling` takes it.
    stays
        ``parameters`` or ``input``: what is kept while the other is read again.
    tile_bytes
        What lies in the local memory at once.
    traffic
        Bytes that are read from and written to the memory outside.
    """

    grid: dict[int, int]
    stays: str
    tile_bytes: int
    traffic: int


def tile_layer(
    view: GraphView,
    node: Node,
    memory: int,
    *,
    buffers: int = 1,
    axes: Sequence[int] = (1, 2, 3),
) -> LayerChoice:
    """Choose tiles of a layer for a local memory.

    Parameters
    ----------
    view, node
        The layer, of batch 1, in its graph.
    memory
        Bytes of the local memory.
    buffers
        2 when the next tile is loaded, and the last one stored, while one is computed.
    axes
        Axes that may be cut.

    Raises
    ------
    MemoryPlanError
        When even the smallest tile does not fit; says what the least is.

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
    model = chain_model(as_chain(view, [node]))
    channels = node.get_operator().get_output(0).dims[1]
    depthwise = "DepthWise" in node.type() or not node.type().removeprefix("Padded").startswith(
        "Conv"
    )
    tall, wide = (_sizes(model, axis, axis + 2 in axes) for axis in (0, 1))
    deep = _counts(channels if 1 in axes and _can_cut(node) else 1)
    largest = -(-channels // deep)  # channels of the largest part
    inputs = sum(cell for _, cell, _, _ in model.outer)
    read, weights = inputs / channels if depthwise else inputs, model.parameters[0] / channels
    pixel = model.cell[0] / channels
    tiles_in = np.multiply.outer(tall["in"], wide["in"])[..., None]
    tiles_out = np.multiply.outer(tall["out"], wide["out"])[..., None]
    held = tiles_in * read * (largest if depthwise else 1) + tiles_out * pixel * largest
    size = buffers * held + weights * largest
    moved = np.multiply.outer(tall["read"], wide["read"])[..., None] * inputs
    number = np.multiply.outer(tall["count"], wide["count"])[..., None]
    output = model.cell[0] * prod(model.lengths[0])
    again = np.ones_like(deep) if depthwise else deep
    by_parameters = moved * again + model.parameters[0] + output
    by_input = moved + model.parameters[0] * np.where(deep > 1, number, 1) + output
    traffic = np.minimum(by_parameters, by_input)
    fits = size <= memory
    if not fits.any():
        raise MemoryPlanError(
            explain(
                node.label,
                "no tile fits into this memory",
                expected=f"at least {int(size.min())} bytes",
                found=memory,
            )
        )
    cost = np.where(fits, traffic, np.inf)
    tied = np.argwhere(cost == cost.min())
    best = min(tied.tolist(), key=lambda at: (number[at[0], at[1], 0] * deep[at[2]], at))
    at = tuple(best)
    counts = {1: int(deep[at[2]]), 2: int(tall["count"][at[0]]), 3: int(wide["count"][at[1]])}
    return LayerChoice(
        {axis: count for axis, count in counts.items() if count > 1},
        "parameters" if by_parameters[at] <= by_input[at] else "input",
        int(size[at]),
        int(traffic[at]),
    )


def _can_cut(node: Node) -> bool:
    """Whether channels of the output can be cut anywhere."""
    return "group" not in node.get_operator().attr or int(node.get_operator().attr.group) == 1


def _counts(size: int) -> Ints:
    """List the numbers of parts that differ in the size of the largest one."""
    counts = np.arange(1, size + 1)
    largest = -(-size // counts)
    differs: Ints = counts[np.concatenate([[True], largest[1:] < largest[:-1]])]
    return differs


def _sizes(model: ChainModel, axis: int, may_cut: bool) -> dict[str, Ints]:
    """Give, for each number of parts, the largest input and output, and all that is read."""
    counts = _counts(model.lengths[0][axis] if may_cut else 1)
    profiles = [profile(model, axis, int(count)) for count in counts]
    return {
        "count": counts,
        "in": np.array([each.read.max() for each in profiles]),
        "out": np.array([each.fresh.max() for each in profiles]),
        "read": np.array([each.read[0].sum() for each in profiles]),
    }
