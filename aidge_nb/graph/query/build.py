"""Write a query that describes a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aidge_nb.core.errors import GraphError

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView


def build_query(graph: GraphView) -> str:
    """Write a query for nodes of the same types with the same edges between them.

    Raise GraphError when the graph is empty, or in several pieces: no edge leads from one to the
    other.

    Examples
    --------
    >>> import aidge_nb
    >>> build_query(aidge_nb.sequential([aidge_nb.FC(2, 3), aidge_nb.ReLU()]))
    'FC#0<1~Producer#1;FC#0<2~Producer#2;FC#0~>ReLU#3'
    """
    names: dict[Node, str] = {}
    for node in list(graph)[:1]:
        _name(node, names)
    left = [
        (parent.node, parent.index, node, index)
        for node in graph
        for index, parent in node.edges_in()
        if parent.node in graph
    ]
    parts = [] if left else list(names.values())
    while near := [edge for edge in left if edge[0] in names or edge[2] in names]:
        parts += [_part(*edge, names) for edge in near]
        left = [edge for edge in left if edge not in near]
    if len(names) < len(graph) or not names:
        lost = [node.label for node in graph if node not in names]
        problem = "the graph must be one connected piece"
        raise GraphError.at("query", problem, found=f"apart: {lost}" if lost else "no nodes")
    return ";".join(parts)


def _part(parent: Node, output: int, node: Node, index: int, names: dict[Node, str]) -> str:
    """Write an edge, from a node that has a name to the other one."""
    if parent in names:
        ports = f"{output}-{index}" if output else f"{index or ''}"
        return f"{_name(parent, names)}~{ports}>{_name(node, names)}"
    ports = f"{index}-{output}" if output else f"{index or ''}"
    return f"{_name(node, names)}<{ports}~{_name(parent, names)}"


def _name(node: Node, names: dict[Node, str]) -> str:
    return names.setdefault(node, f"{node.type()}#{len(names)}")
