"""Orders and components of graphs."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from aidge_nb.errors import GraphError, explain

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node

__all__ = ["connected_nodes", "topological_order"]


def topological_order(nodes: Iterable[Node]) -> list[Node]:
    """Order nodes so that producers come before consumers (Kahn 1962), ties as given.

    Back edges, such as the recurrent input of Memorize, do not count.

    Raises
    ------
    GraphError
        For any other cycle; names the nodes on it.
    """
    listed = list(nodes)
    rank = {node: i for i, node in enumerate(listed)}
    lacking = {
        node: sum(
            parent.node in rank and not node.parent_is_back_edge(index)
            for index, parent in node.edges_in()
        )
        for node in listed
    }
    ready = [rank[node] for node in listed if lacking[node] == 0]
    heapify(ready)
    order = []
    while ready:
        node = listed[heappop(ready)]
        order.append(node)
        for ports in node.outputs():
            for child, index in ports:
                if child in rank and not child.parent_is_back_edge(index):
                    lacking[child] -= 1
                    if lacking[child] == 0:
                        heappush(ready, rank[child])
    if len(order) < len(listed):
        raise GraphError(_describe_cycle([node for node in listed if lacking[node] > 0]))
    return order


def _describe_cycle(stuck: list[Node]) -> str:
    among = set(stuck)
    node = stuck[0]
    walk: dict[Node, None] = {}
    while node not in walk:
        walk[node] = None
        node = next(
            parent.node
            for index, parent in node.edges_in()
            if parent.node in among and not node.parent_is_back_edge(index)
        )
    path = list(walk)
    cycle = path[path.index(node) :][::-1]
    return explain(
        "graph",
        "has a cycle without initial data",
        found=" -> ".join(each.label for each in [*cycle, cycle[0]]),
        cure="Close the cycle through a Memorize node, whose second input gives the first value.",
    )


def connected_nodes(node: Node) -> list[Node]:
    """Find all nodes connected to one, parents before the node that reads them."""
    found: dict[Node, None] = {}
    pending = [node]
    while pending:
        current = pending.pop()
        if current in found:
            continue
        found[current] = None
        near = [parent.node for _, parent in current.edges_in()] + current.get_children()
        pending.extend(each for each in reversed(near) if each not in found)
    return sorted(found, key=lambda each: each.id())
