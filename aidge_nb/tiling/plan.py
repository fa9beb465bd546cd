"""Plan a tiling: from the parts of the result back to the inputs.

Backwards from a part of the result, each node computes what its readers need: the smallest region
that holds all of it where branches join. With ``halo="recompute"`` each tile computes all it needs.
With ``halo="cache"`` it computes what earlier tiles did not, and keeps the rest in a line buffer;
this works along one axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from aidge_nb.core.errors import GraphError, ShapeError
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.tiling.chain import Chain, as_chain
from aidge_nb.tiling.ranges import Range, Region, balanced, hull, whole
from aidge_nb.tiling.rules import steps_of
from aidge_nb.tiling.tile_nodes import PartStep
from aidge_nb.tiling.tiles import Tile, TilePart, Tiling

HALOS = ("recompute", "cache")
"""Treatment of halos: computed again by each tile, or kept for the next tile."""


def plan_tiling(
    view: GraphView,
    nodes: Node | Iterable[Node],
    grid: Mapping[int, int],
    *,
    halo: str = "recompute",
) -> Tiling:
    """Cut a node, or a chain of nodes, into tiles.

    Parameters
    ----------
    view
        The graph, with known dimensions.
    nodes
        The node, or the nodes to tile together; see :func:`aidge_nb.tiling.between`.
    grid
        Number of parts of each cut axis of the result: ``{2: 4}`` for horizontal stripes,
        ``{2: 2, 3: 5}`` for tiles. Parts differ by at most one row.
    halo
        ``"recompute"``, or ``"cache"`` for one axis.

    Raises
    ------
    GraphError
        When the nodes cannot be tiled together.
    ShapeError
        When they cannot be cut like this.

    Notes
    -----
    A matrix library sums in another order for other sizes. For equal bits, NumPy computes a tile of
    FC, Gemm or MatMul as a region of the whole product, at the cost of the whole. Counted
    multiply-accumulates and bytes are those of the part. Tiles of convolutions are computed alone.

    Tiles of one layer take no more memory than the layer, except for a Concat alone, whose tiles
    copy their slices.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.PaddedConv2D(1, 1, [3, 3], "c", None, [1, 1, 1, 1])])
    >>> view.forward_dims([[1, 1, 64, 64]])
    True
    >>> tiling = plan_tiling(view, [view.get_node("c")], {2: 4})
    >>> [str(tile.parts[0].inputs[0][1][2]) for tile in tiling]
    ['0:17', '15:33', '31:49', '47:64']
    """
    return replace(plan_chain(as_chain(view, nodes), grid, halo), view=view)


def plan_chain(chain: Chain, grid: Mapping[int, int], halo: str = "recompute") -> Tiling:
    """Cut a chain into tiles, as :func:`plan_tiling`."""
    if halo not in HALOS:
        raise GraphError.at("tiling", "unknown halo", expected=" or ".join(HALOS), found=repr(halo))
    cuts = _cuts(chain, grid)
    if halo == "cache" and sum(len(ranges) > 1 for ranges in cuts.values()) > 1:
        raise ShapeError.at(
            "tiling",
            "a halo is kept along one axis only",
            expected="a grid with one axis",
            found=dict(grid),
            cure='Use halo="recompute" for tiles along two axes.',
        )
    axes = tuple(sorted(cuts))
    kept_along = next((axis for axis in axes if halo == "cache" and len(cuts[axis]) > 1), None)
    tiles, done = [], dict.fromkeys(chain.nodes, 0)
    steps = {node: steps_of(node) for node in chain.nodes}
    for place in product(*(range(len(cuts[axis])) for axis in axes)):
        output = list(whole(chain.dims))
        for axis, number in zip(axes, place, strict=True):
            output[axis] = cuts[axis][number]
        tiles.append(_tile(chain, place, tuple(output), steps, kept_along, done))
    macs = sum(node.get_operator().macs() or 0 for node in chain.nodes)
    names = tuple(chain.names[node] for node in chain.nodes)
    counts = tuple(len(cuts[axis]) for axis in axes)
    links = _links_of(chain)
    return Tiling(names, axes, counts, halo, tuple(tiles), macs, chain.itemsize, links)


def _links_of(chain: Chain) -> tuple[tuple[str, str], ...]:
    """List the pairs (node, reader) of a chain, each once."""
    found = (
        (chain.names[parent.node], chain.names[node])
        for node in chain.nodes
        for _, parent in node.edges_in()
        if parent.node in chain.names
    )
    return tuple(dict.fromkeys(found))


def _cuts(chain: Chain, grid: Mapping[int, int]) -> dict[int, tuple[Range, ...]]:
    rank = len(chain.dims)
    cuts: dict[int, tuple[Range, ...]] = {}
    given: Any = grid
    if not isinstance(given, Mapping):
        problem, expected = "the grid is a mapping of axes to numbers of parts", "{2: 4}, say"
        raise ShapeError.at("tiling", problem, expected=expected, found=repr(given))
    for axis, parts in given.items():
        if isinstance(axis, bool) or not isinstance(axis, int) or not -rank <= axis < rank:
            raise ShapeError.at(
                chain.last.label,
                "no such axis to cut",
                expected=f"0 to {rank - 1} (2 cuts rows, 3 columns, 1 channels, 0 the batch)",
                found=repr(axis),
            )
        where = f"{chain.last.label}, axis {axis % rank}"
        if axis % rank in cuts:
            raise ShapeError.at(where, "is cut twice", found=dict(given))
        cuts[axis % rank] = balanced(chain.dims[axis], parts, where)
    return cuts


def _tile(
    chain: Chain,
    place: tuple[int, ...],
    output: Region,
    steps: Mapping[Node, Callable[[Region], PartStep]],
    kept_along: int | None,
    done: dict[Node, int],
) -> Tile:
    """Plan one tile; ``done`` holds how far earlier tiles computed."""
    needed: dict[Node, list[Region]] = {node: [] for node in chain.nodes}
    needed[chain.last].append(output)
    parts, reused = [], []
    for node in reversed(chain.nodes):
        if not needed[node]:
            continue
        wanted = hull(needed[node])
        fresh = wanted
        if kept_along is not None:
            if done[node] > wanted[kept_along].stop:
                _refuse_to_keep(node, kept_along)
            fresh = _fresh(wanted, kept_along, done[node])
            if fresh[kept_along].size < 1:
                reused.append((chain.names[node], wanted))
                continue
            done[node] = wanted[kept_along].stop
        computed = steps[node](fresh)
        for index, region in computed.inputs.items():
            port = node.source(index)
            if port is not None and port.node in needed:
                needed[port.node].append(region)
        inputs = tuple(sorted(computed.inputs.items()))
        name, pads, macs = chain.names[node], computed.pads, computed.macs
        parts.append(TilePart(name, computed.output, wanted, inputs, pads, macs))
    return Tile(place, tuple(reversed(parts)), tuple(reversed(reused)))


def _refuse_to_keep(node: Node, axis: int) -> None:
    """Refuse a chain in which a node is read beyond later tiles."""
    problem = f"all of axis {axis} is read at once: no halo can be kept"
    cure = 'Use halo="recompute", or end the chain before the node that reads all of it.'
    raise ShapeError.at(node.label, problem, expected="recompute", found="cache", cure=cure)


def _fresh(wanted: Region, axis: int, done: int) -> Region:
    start = max(wanted[axis].start, done)
    return (*wanted[:axis], Range(start, wanted[axis].stop), *wanted[axis + 1 :])
