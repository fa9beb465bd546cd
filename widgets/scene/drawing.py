"""Lay out the graph of a scene: as it is, with blocks collapsed, or with meta-operators opened.

Boxes inside a meta-operator belong to its node: picking one picks the node in every other panel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.layout.layered import GraphLayout, layered_layout
from aidge_nb.widgets.scene.graph_drawing import Blocks, Box, GraphDrawing, SceneEdge, Terminal
from aidge_nb.widgets.scene.labels.blocks import Block, NodeLabels
from aidge_nb.widgets.scene.labels.names import Names
from aidge_nb.widgets.text import dims_text, elide, width_of

if TYPE_CHECKING:
    from aidge_nb.graph.inside import InsideView
    from aidge_nb.graph.snapshot import GraphSnapshot

_LABEL = 26
"""Characters of a name that fit into a box."""


def draw_graph(graph: GraphSnapshot, labels: NodeLabels, *, narrow: bool = False) -> GraphDrawing:
    """Lay out the nodes, with inputs and outputs as small boxes of their own."""
    names = Names([node.name for node in graph.nodes], labels)
    edges = [
        SceneEdge(edge.source, edge.target, dims_text(edge.dims), edge.nbytes)
        for edge in graph.edges
    ]
    marked = [edge.back for edge in graph.edges]
    terminals: list[Terminal] = []
    for ends, is_input in ((graph.inputs, True), (graph.outputs, False)):
        for end in ends:
            box = len(graph.nodes) + len(terminals)
            terminals.append(Terminal(elide(end.label, _LABEL), dims_text(end.dims), is_input))
            source, target = (box, end.node) if is_input else (end.node, box)
            edges.append(SceneEdge(source, target, dims_text(end.dims), end.nbytes))
            marked.append(False)
    boxes = [(names.path(node.name), node.type) for node in graph.nodes]
    layout = lay_out(boxes, terminals, edges, marked, narrow=narrow)
    return GraphDrawing(len(graph.nodes), tuple(terminals), tuple(edges), layout)


def draw_blocks(graph: GraphSnapshot, drawing: GraphDrawing, labels: NodeLabels) -> Blocks | None:
    """Lay the graph out once more with its blocks as one box each; None without blocks."""
    count = drawing.nodes
    if not labels.blocks:
        return None
    block_of = {node: block for block in labels.blocks for node in block.members}
    first = [block_of[node].members[0] if node in block_of else node for node in range(count)]
    order = sorted(set(first))
    place = {node: box for box, node in enumerate(order)}
    member = [place[each] for each in first]
    known = Names([node.name for node in graph.nodes], labels)
    names, types = [], []
    for node in order:
        block = block_of.get(node)
        view = graph.nodes[node]
        names.append(known.leaf(view.name) if block is None else _title(block))
        types.append(view.type if block is None else f"{len(block.members)} operators")
    box_of = [*member, *(len(order) + end for end in range(len(drawing.terminals)))]
    marked = {(edge.source, edge.target) for edge in graph.edges if edge.back}
    edges: dict[tuple[int, int], tuple[SceneEdge, bool]] = {}
    for edge in drawing.edges:
        source, target = box_of[edge.source], box_of[edge.target]
        is_back = (edge.source, edge.target) in marked
        if source != target or (is_back and edge.source not in block_of):
            made = SceneEdge(source, target, edge.label, edge.nbytes)
            edges.setdefault((source, target), (made, is_back))
    kept = [edge for edge, _ in edges.values()]
    backwards = [is_back for _, is_back in edges.values()]
    written = list(zip(names, types, strict=True))
    layout = lay_out(written, drawing.terminals, kept, backwards)
    contracted = GraphDrawing(len(order), drawing.terminals, tuple(kept), layout)
    contents = _contents(graph, drawing, known, [block_of[n] for n in order if n in block_of])
    return Blocks(contracted, tuple(names), tuple(types), tuple(member), contents)


def _contents(
    graph: GraphSnapshot, drawing: GraphDrawing, names: Names, blocks: Sequence[Block]
) -> tuple[GraphDrawing, ...]:
    """Lay out the nodes of each block, with the edges between them."""
    owner = {node: number for number, block in enumerate(blocks) for node in block.members}
    marked = {(edge.source, edge.target) for edge in graph.edges if edge.back}
    inside: list[list[SceneEdge]] = [[] for _ in blocks]
    for edge in drawing.edges:
        number = owner.get(edge.source)
        if number is not None and owner.get(edge.target) == number:
            inside[number].append(edge)
    made = []
    for block, edges in zip(blocks, inside, strict=True):
        place = {node: box for box, node in enumerate(block.members)}
        boxes = tuple(Box(graph.nodes[n].name, graph.nodes[n].type, n) for n in block.members)
        kept = tuple(
            SceneEdge(place[edge.source], place[edge.target], edge.label, edge.nbytes)
            for edge in edges
        )
        backwards = [(edge.source, edge.target) in marked for edge in edges]
        layout = lay_out([(names.leaf(b.name), b.type) for b in boxes], (), kept, backwards)
        made.append(GraphDrawing(len(boxes), (), kept, layout, boxes))
    return tuple(made)


def _title(block: Block) -> str:
    """Write label and kind of a block, as far as they fit into a box."""
    whole = block.label if block.kind in block.label else f"{block.kind} {block.label}"
    return whole if len(whole) <= _LABEL else block.label


def lay_out(
    labels: Sequence[tuple[str, str]],
    terminals: Sequence[Terminal],
    edges: Sequence[SceneEdge],
    marked: Sequence[bool],
    *,
    narrow: bool = False,
) -> GraphLayout:
    """Lay out boxes with two lines of text each, then the terminals.

    Parameters
    ----------
    labels
        Name and type in each box.
    terminals
        Inputs and outputs, which follow the boxes.
    edges, marked
        Edges between all these, and whether each leads back.
    narrow
        Whether the drawing is kept narrow, as :func:`layered_layout` does.
    """
    carried = {edge.source: edge.label for edge in edges}
    widths = [
        _box_width(name, kind, carried.get(box, "")) for box, (name, kind) in enumerate(labels)
    ]
    widths += [_box_width(end.label, end.dims) for end in terminals]
    links = [(edge.source, edge.target) for edge in edges]
    return layered_layout(widths, links, marked, narrow=narrow)


@lru_cache(maxsize=4096)
def _box_width(name: str, kind: str, carried: str = "") -> float:
    """Choose the width of a box for two lines of text, and for the dims beside its edge."""
    inside = max(width_of(elide(name, _LABEL), 14.5), width_of(elide(kind, _LABEL), 12.5))
    beside = 2 * (width_of(elide(carried, _LABEL), 12) - 14)
    return float(min(max(round(max(inside + 26, beside)), 72), 236))


_MOST_BOXES = 4000
"""Largest graph that is drawn opened, in boxes."""


@dataclass(frozen=True, slots=True)
class _OpenedNode:
    """Boxes drawn for a node: those that read each input, and the one that writes each output.

    The first box stands for inputs and outputs without a connection inside.
    """

    first: int
    entries: tuple[tuple[int, ...], ...] = ()
    exits: tuple[int, ...] = ()

    def entry(self, index: int) -> tuple[int, ...]:
        return (self.entries[index] if index < len(self.entries) else ()) or (self.first,)

    def exit(self, index: int) -> int:
        return self.exits[index] if index < len(self.exits) else self.first


@dataclass(slots=True)
class _OpenedGraph:
    boxes: list[Box] = field(default_factory=list)
    edges: list[SceneEdge] = field(default_factory=list)
    marked: list[bool] = field(default_factory=list)

    def add(self, name: str, kind: str, inside: InsideView | None, owner: int) -> _OpenedNode:
        """Add a node of the graph, or its contents."""
        first = len(self.boxes)
        if inside is None:
            self.boxes.append(Box(name, kind, owner))
            return _OpenedNode(first)
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
        return _OpenedNode(first, entries, exits)

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
    >>> from aidge_nb.widgets.scene.labels.blocks import NodeLabels
    >>> from aidge_nb.widgets.scene.drawing import draw_graph
    >>> view = aidge_nb.sequential([aidge_nb.PaddedConv2D(1, 1, [3, 3], "conv")])
    >>> snapshot = view.snapshot()
    >>> [box.type for box in draw_inside(snapshot, draw_graph(snapshot, NodeLabels())).boxes]
    ['Pad', 'Conv2D']
    """
    if all(node.inside is None for node in graph.nodes):
        return None
    draft = _OpenedGraph()
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
    return _opened_layout(draft, drawing)


def _opened_layout(draft: _OpenedGraph, drawing: GraphDrawing) -> GraphDrawing:
    labels = [(box.name, box.type) for box in draft.boxes]
    layout = lay_out(labels, drawing.terminals, draft.edges, draft.marked)
    boxes, edges = tuple(draft.boxes), tuple(draft.edges)
    return GraphDrawing(len(boxes), drawing.terminals, edges, layout, boxes)
