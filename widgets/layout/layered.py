"""Layered layout of a graph: deterministic, without overlap, edges go down.

The layout is computed here and only drawn in the browser. Long edges are led around the nodes by
thin points, one per layer, shared by all edges that leave the same node; edges that go back are
left out of the layering and led around the right-hand side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.layout.layering import (
    Edge,
    assign_layers,
    find_back_edges,
    lower_branches,
    neighbours,
    spread_wide,
)
from aidge_nb.widgets.layout.ordering import gather, order_layers, place_across

HEIGHT = 40.0
"""Height of a node in pixels."""
PITCH = 84.0
"""Distance between the tops of two layers in pixels."""
GAP = 22.0
"""Least space between two nodes of a layer in pixels."""

_MOST = 8  # nodes of a layer of a narrow drawing; of those of wider ones lie so many abreast:
_ABREAST = 5
_THIN = 2.0
_POINTS_PER_NODE = 8


@dataclass(frozen=True, slots=True)
class Route:
    """How an edge runs.

    Attributes
    ----------
    back
        Whether the edge goes back: it closes a cycle or stands for the next time step.
    across
        Where the edge is at the bottom of its source, at each layer in between and at the top of
        its target, in pixels; for an edge that goes back: source, side, target.
    """

    back: bool
    across: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """Where nodes and edges lie, in pixels, with the origin at the top left.

    Attributes
    ----------
    layers
        Layer of each node; its top is at ``layer * PITCH``.
    centres
        Horizontal centre of each node.
    widths
        Width of each node.
    routes
        One per edge.
    width, height
        Size of the whole drawing.
    """

    layers: tuple[int, ...]
    centres: tuple[float, ...]
    widths: tuple[float, ...]
    routes: tuple[Route, ...]
    width: float
    height: float

    def box(self, node: int) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom of a node, in pixels."""
        half, top = self.widths[node] / 2, self.layers[node] * PITCH
        return self.centres[node] - half, top, self.centres[node] + half, top + HEIGHT


def layered_layout(
    widths: Sequence[float],
    edges: Sequence[Edge],
    marked: Sequence[bool] | None = None,
    *,
    narrow: bool = False,
) -> GraphLayout:
    """Lay a graph out in layers.

    Parameters
    ----------
    widths
        Width of each node in pixels.
    edges
        Source and target node of each edge.
    marked
        Edges that are known to go back; cycles that remain are opened by a search in index order.
    narrow
        Whether the drawing is kept narrow: branches lie where they are joined, and layers below
        each other even if edges lean for that.

    Examples
    --------
    >>> plan = layered_layout([60.0, 60.0, 60.0], [(0, 1), (0, 2)])
    >>> plan.layers, plan.centres
    ((0, 1, 1), (71.0, 30.0, 112.0))
    """
    count = len(widths)
    back = find_back_edges(count, edges, marked or [False] * len(edges))
    forward = [edge for edge, skipped in zip(edges, back, strict=True) if not skipped]
    layers = assign_layers(count, forward)
    if narrow:
        layers = spread_wide(lower_branches(count, forward, layers), _MOST, _ABREAST)
    chains, thin_layers = _lead_long_edges(count, forward, layers, may_join=narrow)
    every = layers + thin_layers
    above, below = neighbours(len(every), _links(forward, layers, chains))
    rows = order_layers(_rows(every, below), above, below)
    sizes = list(widths) + [_THIN] * len(thin_layers)
    # Edges of any length pull their ends, and not the points they are led through: a branch then
    # closes where it opened, and a chain of blocks stays in one column.
    above[:count], below[:count] = neighbours(count, forward)
    centres = place_across(rows, above, below, sizes, count, GAP)
    if narrow:
        centres = gather(rows, centres, sizes)
    left = min(
        (centre - size / 2 for centre, size in zip(centres, sizes, strict=True)), default=0.0
    )
    centres = [round(centre - left, 2) for centre in centres]
    right = max((centre + size / 2 for centre, size in zip(centres, sizes, strict=True)), default=0)
    routes, width = _routes(edges, back, layers, chains, centres, list(widths), right)
    return GraphLayout(
        layers=tuple(layers),
        centres=tuple(centres[:count]),
        widths=tuple(widths),
        routes=routes,
        width=round(width, 2),
        height=max(layers, default=0) * PITCH + HEIGHT if count else 0.0,
    )


class _Chains:
    """The thin points that long edges are led through.

    ``leaving`` holds those of a node that edges leave, downwards from it; ``joining`` those of a
    node that more edges join, downwards to it.
    """

    def __init__(self) -> None:
        self.leaving: dict[int, list[int]] = {}
        self.joining: dict[int, list[int]] = {}

    def between(self, source: int, target: int, span: int) -> list[int]:
        """Return the points of an edge over some layers; none where it is drawn straight."""
        if span < 2:
            return []
        if target in self.joining:
            return self.joining[target][1 - span :]
        return self.leaving.get(source, [])[: span - 1]


def _lead_long_edges(
    count: int, edges: Sequence[Edge], layers: Sequence[int], *, may_join: bool
) -> tuple[_Chains, list[int]]:
    """Make a chain of thin points for each node whose edges skip layers, one per layer.

    The number of points is bounded: what would not fit is drawn straight. With ``may_join`` the
    edges that join at a node share their points where they are many.
    """
    long = [(s, t, layers[t] - layers[s] - 1) for s, t in edges if layers[t] - layers[s] > 1]
    joined = Counter(target for _, target, _ in long) if may_join else Counter()
    reach: dict[tuple[int, bool], int] = {}
    for source, target, length in long:
        key = (target, True) if joined[target] > _MOST else (source, False)
        reach[key] = max(reach.get(key, 0), length)
    budget = _POINTS_PER_NODE * count + 256
    chains = _Chains()
    thin_layers: list[int] = []
    for (node, joins), length in sorted(reach.items(), key=lambda each: (each[1], each[0])):
        if length > budget:
            break
        budget -= length
        first = count + len(thin_layers)
        (chains.joining if joins else chains.leaving)[node] = list(range(first, first + length))
        top = layers[node] - length if joins else layers[node] + 1
        thin_layers += range(top, top + length)
    return chains, thin_layers


def _links(edges: Sequence[Edge], layers: Sequence[int], chains: _Chains) -> list[Edge]:
    """List the pairs of neighbours in consecutive layers, thin points included, once each."""
    links: dict[Edge, None] = {}
    for source, target in edges:
        span = layers[target] - layers[source]
        middle = chains.between(source, target, span)
        if span > 1 and not middle:
            continue
        for link in pairwise([source, *middle, target]):
            links[link] = None
    return list(links)


def _rows(layers: Sequence[int], below: Sequence[Sequence[int]]) -> list[list[int]]:
    """Start from the order of a depth-first walk, which keeps branches together."""
    rows: list[list[int]] = [[] for _ in range(max(layers, default=-1) + 1)]
    seen = bytearray(len(layers))
    for root in sorted(range(len(layers)), key=layers.__getitem__):
        stack = [root]
        while stack:
            node = stack.pop()
            if not seen[node]:
                seen[node] = 1
                rows[layers[node]].append(node)
                stack.extend(reversed(below[node]))
    return rows


def _free_side(
    source: int,
    target: int,
    layers: Sequence[int],
    centres: Sequence[float],
    widths: Sequence[float],
) -> float:
    """Return the nearest place right of both nodes where a way back crosses no node."""
    top, bottom = sorted((layers[source], layers[target]))
    side = max(centres[node] + widths[node] / 2 for node in (source, target)) + GAP
    passed = (node for node, layer in enumerate(layers[: len(widths)]) if top <= layer <= bottom)
    for node in sorted(passed, key=lambda node: centres[node] - widths[node] / 2):
        if abs(centres[node] - side) < widths[node] / 2 + GAP / 2:
            side = centres[node] + widths[node] / 2 + GAP
    return side


def _routes(
    edges: Sequence[Edge],
    back: Sequence[bool],
    layers: Sequence[int],
    chains: _Chains,
    centres: Sequence[float],
    widths: Sequence[float],
    right: float,
) -> tuple[tuple[Route, ...], float]:
    """Turn edges into the positions they run through; also return the width they need."""
    paths: list[list[float]] = []
    arriving: dict[int, list[int]] = {}
    for index, (source, target) in enumerate(edges):
        if back[index]:
            side = _free_side(source, target, layers, centres, widths)
            right = max(right, side + 2)
            paths.append([centres[source], round(side, 2), centres[target]])
            continue
        middle = chains.between(source, target, layers[target] - layers[source])
        paths.append([centres[source], *(centres[point] for point in middle), centres[target]])
        arriving.setdefault(target, []).append(index)
    for target, indices in arriving.items():
        if len(indices) == 1:
            continue
        indices.sort(key=lambda index: (paths[index][-2], index))
        step = min(14.0, 0.7 * widths[target] / len(indices))
        for rank, index in enumerate(indices):
            shift = (rank - (len(indices) - 1) / 2) * step
            paths[index][-1] = round(centres[target] + shift, 2)
    routes = (Route(skipped, tuple(path)) for skipped, path in zip(back, paths, strict=True))
    return tuple(routes), right
