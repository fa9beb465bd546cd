"""Whether nodes can become one node: not if a way leads out of them and back.

A set of nodes of which that is true is called convex.
"""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.graph.node import Node

__all__ = ["way_back"]


def way_back(nodes: Sequence[Node]) -> list[Node] | None:
    """Find a way that leaves the nodes and comes back; None when there is none.

    Producers do not count: those that others read stay outside, with a twin inside.

    Examples
    --------
    >>> import aidge_nb
    >>> around = aidge_nb.residual([aidge_nb.ReLU(), aidge_nb.Tanh(), aidge_nb.Add()])
    >>> first, between, last = around
    >>> way_back([first, last]) == [first, between, last], way_back([between, last])
    (True, None)
    """
    inside = set(nodes)
    pending = {
        port.node: node
        for node in nodes
        if node.type() != "Producer"
        for ports in node.outputs()
        for port in ports
        if port.node not in inside and not port.node.parent_is_back_edge(port.index)
    }
    if len(set(pending.values())) <= 1 and _lead_to(list(pending.values()), inside):
        return None
    came_from: dict[Node, Node] = {}
    while pending:
        node, parent = pending.popitem()
        came_from[node] = parent
        for port in (port for ports in node.outputs() for port in ports):
            if port.node in inside:
                return _walk(came_from, node, port.node)
            if port.node not in came_from and not port.node.parent_is_back_edge(port.index):
                pending[port.node] = node
    return None


def _lead_to(ends: Sequence[Node], inside: set[Node]) -> bool:
    """Whether every node leads to the end, so that a way back to it would have been a cycle."""
    found = set(ends)
    pending = list(found)
    while pending:
        for _, parent in pending.pop().edges_in():
            if parent.node in inside and parent.node not in found:
                found.add(parent.node)
                pending.append(parent.node)
    loops = any(node.get_operator().spec.back_edges for node in inside)
    return not loops and (not ends or found == inside)


def _walk(came_from: dict[Node, Node], last: Node, entry: Node) -> list[Node]:
    way = [last]
    while way[-1] in came_from:
        way.append(came_from[way[-1]])
    return [*reversed(way), entry]
