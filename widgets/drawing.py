"""The graph of a scene: boxes for nodes, inputs and outputs, laid out in layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aidge_nb.widgets.layout import layered_layout
from aidge_nb.widgets.scene import GraphDrawing, SceneEdge, Terminal
from aidge_nb.widgets.text import dims_text, elide, width_of

if TYPE_CHECKING:
    from aidge_nb.graph.snapshot import GraphSnapshot

__all__ = ["draw_graph"]

_LABEL = 26
"""Characters of a name that fit into a box."""


def draw_graph(graph: GraphSnapshot) -> GraphDrawing:
    """Lay out the nodes, with inputs and outputs as small boxes of their own."""
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
            edges.append(SceneEdge(source, target, dims_text(end.dims)))
            marked.append(False)
    carried = {edge.source: edge.label for edge in edges}
    widths = [
        _box_width(view.name, view.type, carried.get(node, ""))
        for node, view in enumerate(graph.nodes)
    ]
    widths += [_box_width(end.label, end.dims) for end in terminals]
    layout = layered_layout(widths, [(edge.source, edge.target) for edge in edges], marked)
    return GraphDrawing(len(graph.nodes), tuple(terminals), tuple(edges), layout)


def _box_width(name: str, kind: str, carried: str = "") -> float:
    """Choose the width of a box for two lines of text, and for the dims beside its edge."""
    inside = max(width_of(elide(name, _LABEL), 14.5), width_of(elide(kind, _LABEL), 12.5))
    beside = 2 * (width_of(elide(carried, _LABEL), 12) - 14)
    return float(min(max(round(max(inside + 26, beside)), 72), 236))
