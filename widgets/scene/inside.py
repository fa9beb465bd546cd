"""The graph with its meta-operators opened: what is inside them, drawn in their place.

Its boxes belong to the nodes that they are a part of: picking one picks the whole node in every
other panel.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aidge_nb.widgets.scene.drawing import lay_out
from aidge_nb.widgets.scene.graph_drawing import Box, GraphDrawing, SceneEdge
from aidge_nb.widgets.text import dims_text

if TYPE_CHECKING:
    from aidge_nb.graph.inside import InsideView
    from aidge_nb.graph.snapshot import GraphSnapshot

_MOST_BOXES = 4000
"""Larger graphs are not drawn opened."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What was drawn of a node: the boxes behind each input, the box of each output.

    The first box stands for inputs and outputs that lead nowhere.
    """

    first: int
    entries: tuple[tuple[int, ...], ...] = ()
    exits: tuple[int, ...] = ()

    def entry(self, index: int) -> tuple[int, ...]:
        return (self.entries[index] if index < len(self.entries) else ()) or (self.first,)

    def exit(self, index: int) -> int:
        return self.exits[index] if index < len(self.exits) else self.first


@dataclass(slots=True)
class _Draft:
    boxes: list[Box] = field(default_factory=list)
    edges: list[SceneEdge] = field(default_factory=list)
    marked: list[bool] = field(default_factory=list)

    def add(self, name: str, kind: str, inside: InsideView | None, owner: int) -> _Part:
        """Add a node of the graph, or what is inside it."""
        first = len(self.boxes)
        if inside is None:
            self.boxes.append(Box(name, kind, owner))
            return _Part(first)
        parts = [self.add(each.name, each.type, each.inside, owner) for each in inside.parts]
        for edge in inside.edges:
            targets = parts[edge.target].entry(edge.input)
            label = "" if edge.dims is None else dims_text(edge.dims)
            self.link(parts[edge.source].exit(edge.output), targets, label, edge.back)
        entries = tuple(
            tuple(box for part, index in fed for box in parts[part].entry(index))
            for fed in inside.entries
        )
        exits = tuple(first if end is None else parts[end[0]].exit(end[1]) for end in inside.exits)
        return _Part(first, entries, exits)

    def link(self, source: int, targets: Iterable[int], label: str, is_back: bool = False) -> None:
        for target in targets:
            self.edges.append(SceneEdge(source, target, label))
            self.marked.append(is_back)


def draw_inside(graph: GraphSnapshot, drawing: GraphDrawing) -> GraphDrawing | None:
    """Lay the graph out once more with its meta-operators opened; None without any.

    Parameters
    ----------
    graph, drawing
        The graph, and how it is drawn as it is.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.widgets.scene.drawing import draw_graph
    >>> view = aidge_nb.sequential([aidge_nb.PaddedConv2D(1, 1, [3, 3], "conv")])
    >>> snapshot = view.snapshot()
    >>> [box.type for box in draw_inside(snapshot, draw_graph(snapshot)).boxes]
    ['Pad', 'Conv2D']
    """
    if all(node.inside is None for node in graph.nodes):
        return None
    draft = _Draft()
    parts = []
    for owner, node in enumerate(graph.nodes):
        parts.append(draft.add(node.name, node.type, node.inside, owner))
        if len(draft.boxes) > _MOST_BOXES:
            return None
    for edge in graph.edges:
        targets = parts[edge.target].entry(edge.input)
        source = parts[edge.source].exit(edge.output)
        draft.link(source, targets, dims_text(edge.dims), edge.back)
    for number, port in enumerate((*graph.inputs, *graph.outputs)):
        end, part, label = len(draft.boxes) + number, parts[port.node], dims_text(port.dims)
        if number < len(graph.inputs):
            draft.link(end, part.entry(port.port), label)
        else:
            draft.link(part.exit(port.port), (end,), label)
    return _laid_out(draft, drawing)


def _laid_out(draft: _Draft, drawing: GraphDrawing) -> GraphDrawing:
    labels = [(box.name, box.type) for box in draft.boxes]
    layout = lay_out(labels, drawing.terminals, draft.edges, draft.marked)
    boxes, edges = tuple(draft.boxes), tuple(draft.edges)
    return GraphDrawing(len(boxes), drawing.terminals, edges, layout, boxes)
