"""The graph that a tiling makes: a branch for each tile, and the result that they make together.

Its boxes belong to the tiles, which are the nodes of the scene: picking a tile picks its branch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aidge_nb.widgets.drawing import box_width
from aidge_nb.widgets.graph_drawing import Box, GraphDrawing, SceneEdge, Terminal
from aidge_nb.widgets.layout import layered_layout
from aidge_nb.widgets.text import dims_text

if TYPE_CHECKING:
    from aidge_nb.tiling.ranges import Region
    from aidge_nb.tiling.tiles import Part, Tile, Tiling

__all__ = ["Link", "draw_tile_graph"]

Link = tuple[str, str]
"""Two tiled nodes: the second one reads the first one."""

_MOST_BOXES = 1200
"""Graphs of more boxes are not drawn: nothing of them could be read."""


@dataclass(slots=True)
class _Draft:
    """Boxes and edges as they are found; of each node, its box in the last tile that has one."""

    boxes: list[Box] = field(default_factory=list)
    edges: list[SceneEdge] = field(default_factory=list)
    last: dict[str, tuple[int, str]] = field(default_factory=dict)

    def box(self, name: str, kind: str, tile: int) -> int:
        self.boxes.append(Box(name, kind, tile))
        return len(self.boxes) - 1


def draw_tile_graph(tiling: Tiling, links: Sequence[Link] | None = None) -> GraphDrawing | None:
    """Lay out the tiled graph; None where it is too large, or not known who reads whom.

    Parameters
    ----------
    tiling
        The tiling.
    links
        Who reads whom among the tiled nodes; by default each the one before it, which is known
        only where no node reads several.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")])
    >>> view.forward_dims([[1, 3, 66, 66]])
    True
    >>> drawing = draw_tile_graph(aidge_nb.plan_tiling(view, [view.get_node("conv0")], {2: 2}))
    >>> [box.type for box in drawing.boxes]
    ['0:32', 'Slice', '32:64', 'Slice', 'Concat']
    """
    if sum(len(tile.parts) + 1 for tile in tiling.tiles) > _MOST_BOXES:
        return None
    if links is None:
        if any(_joins(part) for part in tiling.tiles[0].parts):
            return None
        links = list(zip(tiling.nodes, tiling.nodes[1:], strict=False))
    draft = _Draft()
    results = [_branch(draft, tiling, number, links) for number in range(len(tiling.tiles))]
    whole = draft.box("result", "Concat", -1)
    draft.edges += [SceneEdge(box, whole, label) for box, label in results]
    return _laid_out(draft, whole)


def _joins(part: Part) -> bool:
    """Whether a node may read several others: an input beside the first is as large as its result.

    Weights are not, but by accident.
    """
    sizes = [each.size for each in part.output]
    return any([each.size for each in region] == sizes for _, region in part.inputs[1:])


def _branch(draft: _Draft, tiling: Tiling, number: int, links: Sequence[Link]) -> tuple[int, str]:
    """Add the branch of a tile; give the box of its result, and the dims of that."""
    tile = tiling.tiles[number]
    read: int | None = None
    for part in tile.parts:
        sources = [source for source, reader in links if reader == part.node]
        box = draft.box(part.node, _words(part.output, tiling), number)
        if not sources:
            dims = _dims(part.inputs[0][1]) if part.inputs else ""
            read = draft.box(f"input {number}", "Slice", number) if read is None else read
            draft.edges.append(SceneEdge(read, box, dims))
        for source in sources:
            given, dims = draft.last[source]
            draft.edges.append(SceneEdge(given, box, dims))
            draft.edges += _kept(draft, tile, number, source, box)
        draft.last[part.node] = (box, _dims(part.output))
    return draft.last[tiling.nodes[-1]]


def _kept(draft: _Draft, tile: Tile, number: int, source: str, reader: int) -> Iterator[SceneEdge]:
    """Give the edge along which a halo comes that the tile before computed."""
    part = tile.part(source)
    if part is None or part.needed == part.output:
        return
    before = [
        place
        for place, box in enumerate(draft.boxes)
        if box.name == source and box.node == number - 1
    ]
    yield from (SceneEdge(place, reader, "kept") for place in before[-1:])


def _laid_out(draft: _Draft, whole: int) -> GraphDrawing:
    terminals = (Terminal("input", "", True), Terminal("output", "", False))
    first = len(draft.boxes)
    reads = [place for place, box in enumerate(draft.boxes) if box.type == "Slice"]
    edges = [
        *draft.edges,
        *(SceneEdge(first, place, "") for place in reads),
        SceneEdge(whole, first + 1, ""),
    ]
    carried = {edge.source: edge.label for edge in edges}
    widths = [
        box_width(box.name, box.type, carried.get(place, ""))
        for place, box in enumerate(draft.boxes)
    ]
    widths += [box_width(end.label, end.dims) for end in terminals]
    layout = layered_layout(
        widths, [(edge.source, edge.target) for edge in edges], [False] * len(edges)
    )
    return GraphDrawing(len(draft.boxes), terminals, tuple(edges), layout, tuple(draft.boxes))


def _dims(region: Region) -> str:
    return dims_text(tuple(each.size for each in region))


def _words(region: Region, tiling: Tiling) -> str:
    """Say which part of its output a box computes: the ranges of the axes that are cut."""
    cut = [axis for axis, count in zip(tiling.axes, tiling.grid, strict=True) if count > 1]
    shown = [str(region[axis]) for axis in cut if axis < len(region)]
    return " × ".join(shown) or "whole"
