"""Orders and components of graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from aidge_nb.core.errors import GraphError, explain

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node


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
    readers = [_readers(node, rank) for node in listed]
    lacking = [0] * len(listed)
    for each in readers:
        for number in each:
            lacking[number] += 1
    ready = [i for i, count in enumerate(lacking) if not count]  # sorted, and so a heap
    order = []
    while ready:
        first = heappop(ready)
        order.append(listed[first])
        for number in readers[first]:
            lacking[number] -= 1
            if not lacking[number]:
                heappush(ready, number)
    if len(order) < len(listed):
        raise GraphError(_describe_cycle([listed[i] for i, n in enumerate(lacking) if n > 0]))
    return order


def _readers(node: Node, rank: Mapping[Node, int]) -> list[int]:
    """Number the nodes that read a node, once per edge that is no back edge."""
    found = []
    for ports in node._children:
        for child, index in ports:
            number = rank.get(child)
            if number is not None and index not in child._operator.spec.back_edges:
                found.append(number)
    return found


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


def unique_names(given: Sequence[str], kinds: Sequence[str]) -> list[str]:
    """Give nodes in topological order names of their own: ``(FC#1)`` without or beside the given.

    ``kinds`` are the types of the nodes.
    """
    counts = Counter(given)
    taken = {name for name, count in counts.items() if name and count == 1}
    ranks: dict[str, int] = {}
    names = []
    for name, kind in zip(given, kinds, strict=True):
        rank = ranks[kind] = ranks.get(kind, -1) + 1
        own = name
        if own not in taken:
            own = f"{name} ({kind}#{rank})".strip()
            while own in taken:  # somebody called a node just so
                own += "'"
        names.append(own)
    return names


def names_of(order: Sequence[Node]) -> dict[Node, str]:
    """Give each node of a topological order a name of its own."""
    names = unique_names([node.name() for node in order], [node.type() for node in order])
    return dict(zip(order, names, strict=True))
