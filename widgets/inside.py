"""The graph with its meta-operators opened: what is inside them, drawn in their place.

Its boxes belong to the nodes that they are a part of: picking one picks the whole node in every
other panel.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aidge_nb.graph.meta import MetaOperatorOp
from aidge_nb.widgets.drawing import box_width
from aidge_nb.widgets.graph_drawing import Box, GraphDrawing, SceneEdge
from aidge_nb.widgets.layout import layered_layout
from aidge_nb.widgets.text import dims_text

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.snapshot import GraphSnapshot
    from aidge_nb.graph.view import GraphView

__all__ = ["draw_inside"]

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

    def add(self, node: Node, owner: int, name: str) -> _Part:
        """Add a node of the graph, or what is inside it."""
        operator = node.get_operator()
        inner = _inner(operator.micro_graph)
        if not isinstance(operator, MetaOperatorOp) or not inner:
            self.boxes.append(Box(name, node.type(), owner))
            return _Part(len(self.boxes) - 1)
        first = len(self.boxes)
        parts = {each: self.add(each, owner, each.name() or each.type()) for each in inner}
        for each, part in parts.items():
            for index, port in each.edges_in():
                if port.node in parts:
                    label = _dims(port.node, port.index)
                    is_back = inner.index(port.node) >= inner.index(each)
                    self.link(parts[port.node].exit(port.index), part.entry(index), label, is_back)
        entries = tuple(
            tuple(
                box
                for port in group
                if port.node in parts
                for box in parts[port.node].entry(port.index)
            )
            for group in operator.input_ports
        )
        exits = tuple(
            parts[port.node].exit(port.index) if port.node in parts else first
            for port in operator.micro_graph.get_ordered_outputs()
        )
        return _Part(first, entries, exits)

    def link(self, source: int, targets: Iterable[int], label: str, is_back: bool = False) -> None:
        for target in targets:
            self.edges.append(SceneEdge(source, target, label))
            self.marked.append(is_back)


def draw_inside(
    view: GraphView, graph: GraphSnapshot, drawing: GraphDrawing
) -> GraphDrawing | None:
    """Lay the graph out once more with its meta-operators opened; None without any.

    Parameters
    ----------
    view
        The graph.
    graph, drawing
        Its snapshot, and how that is drawn.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.widgets.drawing import draw_graph
    >>> view = aidge_nb.sequential([aidge_nb.PaddedConv2D(1, 1, [3, 3], "conv")])
    >>> snapshot = view.snapshot()
    >>> drawing = draw_inside(view, snapshot, draw_graph(snapshot))
    >>> [box.type for box in drawing.boxes]
    ['Pad', 'Conv2D']
    """
    by_name = {name: node for node, name in view.unique_names().items()}
    nodes = [by_name[each.name] for each in graph.nodes]
    draft = _Draft()
    parts = []
    for owner, node in enumerate(nodes):
        parts.append(draft.add(node, owner, graph.nodes[owner].name))
        if len(draft.boxes) > _MOST_BOXES:
            return None
    if len(draft.boxes) == len(nodes):
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
    carried = {edge.source: edge.label for edge in draft.edges}
    widths = [
        box_width(box.name, box.type, carried.get(place, ""))
        for place, box in enumerate(draft.boxes)
    ]
    widths += [box_width(end.label, end.dims) for end in drawing.terminals]
    ends = [(edge.source, edge.target) for edge in draft.edges]
    layout = layered_layout(widths, ends, draft.marked)
    boxes, edges = tuple(draft.boxes), tuple(draft.edges)
    return GraphDrawing(len(boxes), drawing.terminals, edges, layout, boxes)


def _inner(micro: GraphView | None) -> list[Node]:
    """List what is inside a meta-operator, without its weights."""
    if micro is None:
        return []
    return [node for node in micro.topological_order() if node.type() != "Producer"]


def _dims(node: Node, output: int) -> str:
    tensor = node.get_operator().get_output(output)
    return "" if tensor.undefined else dims_text(tuple(tensor.dims))
