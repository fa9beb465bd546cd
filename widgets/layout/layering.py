"""Assign layers, the first half of the graph layout: find back edges, then the layer of each node.

Layers follow the longest path from the inputs; nodes without predecessors are then pulled down
next to what uses them. Ties are broken by index, so that equal graphs give equal pictures.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from math import ceil

Edge = tuple[int, int]


def find_back_edges(count: int, edges: Sequence[Edge], marked: Sequence[bool]) -> list[bool]:
    """Mark the edges that must be left out for the rest to have no cycle.

    Parameters
    ----------
    count
        Number of nodes.
    edges
        Source and target node of each edge.
    marked
        Edges that are known to go back; they stay marked.

    Examples
    --------
    >>> find_back_edges(3, [(0, 1), (1, 2), (2, 0)], [False, False, False])
    [False, False, True]
    """
    back = [
        known or source == target for known, (source, target) in zip(marked, edges, strict=True)
    ]
    leaving: list[list[int]] = [[] for _ in range(count)]
    for index, (source, _) in enumerate(edges):
        if not back[index]:
            leaving[source].append(index)
    state = bytearray(count)  # 0 not seen, 1 on the path, 2 done
    for root in range(count):
        if state[root]:
            continue
        state[root] = 1
        path = [(root, iter(leaving[root]))]
        while path:
            node, rest = path[-1]
            for index in rest:
                target = edges[index][1]
                if state[target] == 1:
                    back[index] = True
                elif state[target] == 0:
                    state[target] = 1
                    path.append((target, iter(leaving[target])))
                    break
            else:
                state[node] = 2
                path.pop()
    return back


def neighbours(count: int, edges: Sequence[Edge]) -> tuple[list[list[int]], list[list[int]]]:
    """List the nodes above and below each node.

    Examples
    --------
    >>> neighbours(3, [(0, 1), (0, 2)])
    ([[], [0], [0]], [[1, 2], [], []])
    """
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        above[target].append(source)
        below[source].append(target)
    return above, below


def lower_branches(count: int, edges: Sequence[Edge], layers: Sequence[int]) -> list[int]:
    """Lower chains that begin at a source and join others, to where they join.

    Each then lies beside what it is joined with, and not in one row with all the others.

    Examples
    --------
    >>> edges = [(0, 1), (1, 2), (2, 3), (4, 5), (5, 3)]
    >>> layers = assign_layers(6, edges)
    >>> layers, lower_branches(6, edges, layers)
    ([0, 1, 2, 3, 0, 1], [0, 1, 2, 3, 1, 2])
    """
    above, below = neighbours(count, edges)
    is_free = [False] * count
    lowered = list(layers)
    order = sorted(range(count), key=layers.__getitem__)
    for node in order:
        before = above[node]
        is_free[node] = not before or (
            len(before) == 1 and is_free[before[0]] and len(below[before[0]]) == 1
        )
    for node in reversed(order):
        if is_free[node] and below[node]:
            lowered[node] = min(lowered[target] for target in below[node]) - 1
    return lowered


def spread_wide(layers: Sequence[int], most: int, abreast: int) -> list[int]:
    """Spread layers of more than ``most`` nodes over layers of at most ``abreast``, in order.

    Examples
    --------
    >>> spread_wide([0, 1, 1, 1, 1, 1, 2], most=4, abreast=3)
    [0, 1, 1, 1, 2, 2, 3]
    >>> spread_wide([0, 1, 1, 1, 1, 1, 2], most=5, abreast=3)
    [0, 1, 1, 1, 1, 1, 2]
    """
    held: list[list[int]] = [[] for _ in range(max(layers, default=-1) + 1)]
    for node, layer in enumerate(layers):
        held[layer].append(node)
    spread, first = list(layers), 0
    for nodes in held:
        rows = ceil(len(nodes) / abreast) if len(nodes) > most else 1
        each = max(1, ceil(len(nodes) / rows))
        for place, node in enumerate(nodes):
            spread[node] = first + place // each
        first += rows
    return spread


def assign_layers(count: int, edges: Sequence[Edge]) -> list[int]:
    """Assign every node of an acyclic graph a layer below its predecessors.

    Examples
    --------
    >>> assign_layers(4, [(0, 1), (1, 2), (3, 2)])
    [0, 1, 2, 1]
    """
    above, below = neighbours(count, edges)
    waiting = [len(nodes) for nodes in above]
    sources = [node for node in range(count) if waiting[node] == 0]
    layers = [0] * count
    ready = deque(sources)
    while ready:
        node = ready.popleft()
        for target in below[node]:
            layers[target] = max(layers[target], layers[node] + 1)
            waiting[target] -= 1
            if waiting[target] == 0:
                ready.append(target)
    for node in sources:
        if below[node]:
            layers[node] = min(layers[target] for target in below[node]) - 1
    return layers
