"""Check a tiling, without the arithmetic of the planner.

Each output row of each part is traced to the input rows that it reads, tap by tap; the tile must
have them. The result must be covered once. Equal bits of a rewritten graph are tested by running
it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from aidge_nb.core.errors import GraphError
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.coded import as_numbers
from aidge_nb.tiling.tiles import Tile, TilePart, Tiling

if TYPE_CHECKING:
    from aidge_nb.tiling.ranges import Region


def check_tiling(view: GraphView, tiling: Tiling) -> None:
    """Check that tiles cover the result once, and that each has its inputs.

    Parameters
    ----------
    view
        The graph *before* the tiling is applied.
    tiling
        The tiling.

    Raises
    ------
    GraphError
        Names the tile, the node and the broken rule.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="relu")])
    >>> view.forward_dims([[1, 8]])
    True
    >>> check_tiling(view, aidge_nb.plan_tiling(view, list(view), {1: 3}))
    """
    nodes = {name: node for node, name in view.unique_names().items()}
    computed = {name: _marks(nodes[name]) for name in tiling.nodes}
    result = _marks(nodes[tiling.nodes[-1]])
    for tile in tiling.tiles:
        has = dict(tile.reused)
        for part in tile.parts:
            _check_inputs(nodes, tiling, tile, part, has)
            computed[part.node][_slices(part.output)] += 1
            if not computed[part.node][_slices(part.needed)].all():
                _fail(tile, part.node, "needs what no tile has computed yet", part.needed)
            has[part.node] = part.needed
        for name, region in tile.reused:
            if not computed[name][_slices(region)].all():
                _fail(tile, name, "reuses what no tile has computed", region)
        result[_slices(tile.output)] += 1
    if result.min() < 1 or result.max() > 1:
        problem = "no tile gives" if result.min() < 1 else "several tiles give"
        place = tuple(int(i[0]) for i in np.where(result == result.min()))
        if result.min() >= 1:
            place = tuple(int(i[0]) for i in np.where(result > 1))
        raise GraphError.at(f"tiling of {tiling.nodes[-1]}", f"{problem} element {place}")


def _marks(node: Node) -> np.ndarray[Any, Any]:
    return np.zeros(node.get_operator().get_output(0).dims, np.int32)


def _slices(region: Region) -> tuple[slice, ...]:
    return tuple(slice(*each) for each in region)


def _fail(tile: Tile, node: str, problem: str, found: object) -> None:
    shown = [str(each) for each in found] if isinstance(found, tuple) else found
    raise GraphError.at(f"tile {tile.place}, {node}", problem, found=shown)


def _check_inputs(
    nodes: dict[str, Node], tiling: Tiling, tile: Tile, part: TilePart, has: dict[str, Region]
) -> None:
    node, inputs = nodes[part.node], dict(part.inputs)
    names = {other: name for name, other in nodes.items()}
    for index, region in inputs.items():
        tensor, port = node.get_operator().get_input(index), node.source(index)
        dims = () if tensor is None else tensor.dims
        if len(dims) != len(region) or any(
            not 0 <= each.start < each.stop <= size and (size or each != (0, 0))
            for each, size in zip(region, dims, strict=True)
        ):
            _fail(tile, part.node, f"input#{index} lies outside of {list(dims)}", region)
        if port is not None and names[port.node] in tiling.nodes:
            there = has.get(names[port.node])
            if there is None or any(
                each.start < have.start or each.stop > have.stop
                for each, have in zip(region, there, strict=True)
            ):
                _fail(tile, part.node, f"input#{index} is not there in this tile", region)
    for axis, taps in enumerate(_taps(node), 2):
        size = node.get_operator().get_input(0)
        length = 0 if size is None else size.dims[axis]
        rows = {row for out in range(*part.output[axis]) for row in taps(out)}
        inside = {row for row in rows if 0 <= row < length}
        if not inside <= set(range(*inputs[0][axis])):
            _fail(tile, part.node, f"lacks rows of axis {axis}", sorted(inside))
        if part.pads:
            before = part.pads[axis - 2]
            if before != max(0, -min(rows)):
                _fail(tile, part.node, f"wrong padding before axis {axis}", before)


Taps = Callable[[int], Sequence[int]]


def _taps(node: Node) -> list[Taps]:
    """Return a function from an output row to the rows it reads, for each spatial axis."""
    node = as_numbers(node)
    attr, kind = node.get_operator().attr, node.type().removeprefix("Padded")
    if not kind.startswith(("Conv", "MaxPooling", "AvgPooling")):
        return []
    rank = len(attr.kernel_dims)
    dilations = attr.dilation_dims if "dilation_dims" in attr else attr.dilations
    pads = attr.get("padding_dims", None) or attr.get("pads", None) or (0,) * (2 * rank)
    found = []
    for axis in range(rank):
        ends = (attr.kernel_dims[axis], attr.stride_dims[axis], dilations[axis], pads[axis])
        found.append(_spread(*ends) if "Transpose" in kind else _slide(*ends))
    return found


def _slide(kernel: int, stride: int, dilation: int, before: int) -> Taps:
    return lambda out: [out * stride - before + tap * dilation for tap in range(kernel)]


def _spread(kernel: int, stride: int, dilation: int, before: int) -> Taps:
    def rows(out: int) -> list[int]:
        away = (out + before - tap * dilation for tap in range(kernel))
        return [each // stride for each in away if each % stride == 0]

    return rows
