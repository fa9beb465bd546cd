"""Draw tilings: the feature maps of a chain, what each tile needs of them, and the tiled graph.

The nodes of the scene are the tiles: picking one shows the part of the result that it computes and,
map by map, what it computes and reads for that, halos included.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from aidge_nb.widgets.palette import in_turn
from aidge_nb.widgets.scene.drawing import lay_out
from aidge_nb.widgets.scene.graph_drawing import Box, GraphDrawing, SceneEdge, Terminal
from aidge_nb.widgets.scene.parts import FeatureMap, SceneNode, TileDrawing
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.text import count_text, dims_text, range_text, size_text

if TYPE_CHECKING:
    from aidge_nb.tiling.ranges import Region
    from aidge_nb.tiling.tiles import Tile, Tiling

Edges = tuple[int, int, int, int]


def tiling_scene(tiling: Tiling, title: str = "") -> Scene:
    """Draw a tiling: the input, then the output of each node of the chain.

    Parameters
    ----------
    tiling
        The tiling.
    title
        Title; by default the tiled nodes.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")])
    >>> view.forward_dims([[1, 3, 66, 66]])
    True
    >>> tiling_scene(aidge_nb.plan_tiling(view, [view.get_node("conv0")], {2: 4}))
    Scene('conv0 in 4 tiles': 4 nodes)
    """
    ends = dict.fromkeys([tiling.nodes[0], tiling.nodes[-1]])
    name = f"{' … '.join(ends)} in {len(tiling.tiles)} tiles"
    missing = why_not_drawn(tiling)
    return Scene(
        title=title or name,
        nodes=tuple(_node(number, tile, tiling) for number, tile in enumerate(tiling.tiles)),
        graph=draw_tile_graph(tiling),
        tiles=_drawing(tiling),
        figures=_figures(tiling),
        notes=(missing,) if missing else (),
    )


def _node(number: int, tile: Tile, tiling: Tiling) -> SceneNode:
    first = tile.parts[0]
    reads = ", ".join(_text(region) for _, region in first.inputs[:1])
    kept = sum(part.kept for part in tile.parts)
    details = [
        ("gives", _text(tile.output)),
        (f"reads of {first.node}'s input", reads),
        *((f"computes of {part.node}", _text(part.output)) for part in tile.parts[:12]),
    ]
    if kept:
        details.append(("kept from the tile before", size_text(kept * tiling.itemsize)))
    return SceneNode(f"tile {number}", "Tile", 0, tile.macs, tuple(details), family=in_turn(number))


def _text(region: Region) -> str:
    return " × ".join(range_text(each.start, each.stop) for each in region)


def _figures(tiling: Tiling) -> tuple[tuple[str, str], ...]:
    kept = tiling.halo == "cache"
    return (
        ("tiles", " × ".join(str(count) for count in tiling.grid)),
        ("MACs", count_text(tiling.tiled_macs)),
        ("recomputed", f"{100 * tiling.overhead:.1f} %"),
        ("halos are", "kept" if kept else "recomputed"),
        ("read", size_text(tiling.read(tiling.nodes[0]))),
    )


def _drawing(tiling: Tiling) -> TileDrawing:
    rank = len(tiling.tiles[0].output)
    down, across = _axes(tiling, rank)
    boxes: list[tuple[int, int, int, *Edges]] = []
    names = [f"input of {tiling.nodes[0]}", *tiling.nodes]
    for number, tile in enumerate(tiling.tiles):
        for place, needed, computed in map_regions(tile, tiling):
            regions = _regions(place, needed, computed)
            boxes += [(number, place, halo, *_box(each, down, across)) for each, halo in regions]
    table = np.array(boxes, np.int64).reshape(-1, 7)
    maps = []
    for place, name in enumerate(names):
        own = table[table[:, 1] == place]
        height, width = (int(own[:, column].max(initial=1)) for column in (4, 6))
        maps.append(FeatureMap(name, height, width))
    return TileDrawing(tuple(maps), table, axis_name(down, rank), axis_name(across, rank))


def _axes(tiling: Tiling, rank: int) -> tuple[int, int]:
    """Choose the axes to draw down and across: those that are cut, else the last two."""
    across = rank - 1
    down = max(0, rank - 2)
    cut = [axis for axis, count in zip(tiling.axes, tiling.grid, strict=True) if count > 1]
    if len(cut) > 1:
        return cut[0], cut[1]
    if cut == [across] or not cut:
        return down, across
    return cut[0], across


def axis_name(axis: int, rank: int) -> str:
    """Return what is counted along an axis.

    Examples
    --------
    >>> axis_name(2, 4), axis_name(1, 3)
    ('rows', 'axis 1')
    """
    names = {4: ("batch", "channels", "rows", "columns"), 2: ("batch", "features")}
    return names.get(rank, ())[axis] if rank in names else f"axis {axis}"


def map_regions(tile: Tile, tiling: Tiling) -> Iterator[tuple[int, Region, Region | None]]:
    """Yield what a tile needs of each map, and what it computes of that; None where it only reads.

    The input is map 0; the output of each node of the chain follows.
    """
    first = tile.part(tiling.nodes[0])
    if first is not None and first.inputs:
        yield 0, first.inputs[0][1], None
    reused = dict(tile.reused)
    for place, node in enumerate(tiling.nodes, 1):
        part = tile.part(node)
        if part is not None:
            yield place, part.needed, part.output
        elif node in reused:
            yield place, reused[node], None


def _regions(place: int, needed: Region, computed: Region | None) -> Iterator[tuple[Region, int]]:
    """Yield what a tile computes or reads first of a map (0), and all it needs of it (1)."""
    if computed is not None or place == 0:
        yield computed or needed, 0
    if needed != computed and place:
        yield needed, 1


def _box(region: Region, down: int, across: int) -> Edges:
    if len(region) < 2:
        (only,) = region
        return only.start, only.stop, 0, 1
    if max(down, across) >= len(region):
        down, across = len(region) - 2, len(region) - 1
    return region[down].start, region[down].stop, region[across].start, region[across].stop


_MOST_BOXES = 1200
"""Largest tiled graph that is drawn, in boxes: more could not be read."""


@dataclass(slots=True)
class _TileGraph:
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
    ['0–31', 'Slice', '32–63', 'Slice', 'Concat']
    """
    if why_not_drawn(tiling):
        return None
    graph = _TileGraph()
    results = [_branch(graph, tiling, number) for number in range(len(tiling.tiles))]
    whole = graph.box("result", "Concat", -1)
    graph.edges += [SceneEdge(box, whole, label) for box, label in results]
    return _tile_layout(graph, whole)


def why_not_drawn(tiling: Tiling) -> str:
    """Return why the tiled graph is not drawn; empty when it is."""
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


def _branch(graph: _TileGraph, tiling: Tiling, number: int) -> tuple[int, str]:
    """Add the branch of a tile; return the box and the dims of its result."""
    tile = tiling.tiles[number]
    read: int | None = None
    for part in tile.parts:
        sources = [source for source, reader in tiling.links if reader == part.node]
        box = graph.box(part.node, _words(part.output, tiling), number)
        if not sources:
            dims = _dims(part.inputs[0][1]) if part.inputs else ""
            read = graph.box(f"input {number}", "Slice", number) if read is None else read
            graph.edges.append(SceneEdge(read, box, dims))
        for source in sources:
            given, dims = graph.last[source]
            graph.edges.append(SceneEdge(given, box, dims))
            graph.edges += _kept(graph, tile, number, source, box)
        graph.last[part.node] = (box, _dims(part.output))
    return graph.last[tiling.nodes[-1]]


def _kept(
    graph: _TileGraph, tile: Tile, number: int, source: str, reader: int
) -> Iterator[SceneEdge]:
    """Yield the edge that carries a halo computed by the tile before."""
    part = tile.part(source)
    if part is None or part.needed == part.output:
        return
    before = [
        place
        for place, box in enumerate(graph.boxes)
        if box.name == source and box.node == number - 1
    ]
    yield from (SceneEdge(place, reader, "kept") for place in before[-1:])


def _tile_layout(graph: _TileGraph, whole: int) -> GraphDrawing:
    terminals = (Terminal("input", "", True), Terminal("output", "", False))
    first = len(graph.boxes)
    reads = [place for place, box in enumerate(graph.boxes) if box.type == "Slice"]
    edges = [
        *graph.edges,
        *(SceneEdge(first, place, "") for place in reads),
        SceneEdge(whole, first + 1, ""),
    ]
    labels = [(box.name, box.type) for box in graph.boxes]
    layout = lay_out(labels, terminals, edges, [False] * len(edges))
    return GraphDrawing(len(graph.boxes), terminals, tuple(edges), layout, tuple(graph.boxes))


def _dims(region: Region) -> str:
    return dims_text(tuple(each.size for each in region))


def _words(region: Region, tiling: Tiling) -> str:
    """Say which part of its output a box computes: the ranges of the axes that are cut."""
    cut = [axis for axis, count in zip(tiling.axes, tiling.grid, strict=True) if count > 1]
    shown = [range_text(*region[axis]) for axis in cut if axis < len(region)]
    return " × ".join(shown) or "whole"
