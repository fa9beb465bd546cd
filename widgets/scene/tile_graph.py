"""The graph that a tiling makes: a branch for each tile, and the result that they make together.

Its boxes belong to the tiles, which are the nodes of the scene: picking a tile picks its branch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aidge_nb.widgets.scene.drawing import lay_out
from aidge_nb.widgets.scene.graph_drawing import Box, GraphDrawing, SceneEdge, Terminal
from aidge_nb.widgets.text import dims_text

if TYPE_CHECKING:
    from aidge_nb.tiling.ranges import Region
    from aidge_nb.tiling.tiles import Tile, Tiling

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


def draw_tile_graph(tiling: Tiling) -> GraphDrawing | None:
    """Lay out the tiled graph; None where :func:`why_not_drawn` says why.

    Parameters
    ----------
    tiling
        The tiling.

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
    if why_not_drawn(tiling):
        return None
    draft = _Draft()
    results = [_branch(draft, tiling, number) for number in range(len(tiling.tiles))]
    whole = draft.box("result", "Concat", -1)
    draft.edges += [SceneEdge(box, whole, label) for box, label in results]
    return _laid_out(draft, whole)


def why_not_drawn(tiling: Tiling) -> str:
    """Say why there is no picture of the tiled graph; empty where there is one."""
    boxes = sum(len(tile.parts) + 1 for tile in tiling.tiles) + 1
    if boxes > _MOST_BOXES:
        return (
            f"the tiled graph is not drawn: of its {boxes} boxes nothing could be read "
            f"({_MOST_BOXES} at most); fewer tiles, or fewer nodes tiled together, have a picture"
        )
    if len(tiling.nodes) > 1 and not tiling.links:
        return (
            "the tiled graph is not drawn: this tiling does not tell which of its nodes reads "
            "which; plan_tiling() makes one that does"
        )
    return ""


def _branch(draft: _Draft, tiling: Tiling, number: int) -> tuple[int, str]:
    """Add the branch of a tile; give the box of its result, and the dims of that."""
    tile = tiling.tiles[number]
    read: int | None = None
    for part in tile.parts:
        sources = [source for source, reader in tiling.links if reader == part.node]
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
    labels = [(box.name, box.type) for box in draft.boxes]
    layout = lay_out(labels, terminals, edges, [False] * len(edges))
    return GraphDrawing(len(draft.boxes), terminals, tuple(edges), layout, tuple(draft.boxes))


def _dims(region: Region) -> str:
    return dims_text(tuple(each.size for each in region))


def _words(region: Region, tiling: Tiling) -> str:
    """Say which part of its output a box computes: the ranges of the axes that are cut."""
    cut = [axis for axis, count in zip(tiling.axes, tiling.grid, strict=True) if count > 1]
    shown = [str(region[axis]) for axis in cut if axis < len(region)]
    return " × ".join(shown) or "whole"
