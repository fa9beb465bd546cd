"""Count what waits on the edges of a graph while its executions are replayed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.snapshot import EdgeView
    from aidge_nb.scheduling.model.replay import Replay
    from aidge_nb.widgets.scene.index import NodeIndex


class Waiting:
    """Counter of what waits on each edge: given by its source, and not taken by its target yet.

    Parameters
    ----------
    replay
        The executions so far.
    nodes
        The nodes of the graph by name.
    index
        Where nodes are in the scene.
    edges
        The edges that are drawn.
    """

    def __init__(
        self,
        replay: Replay,
        nodes: Mapping[str, Node],
        index: NodeIndex,
        edges: Sequence[EdgeView],
    ) -> None:
        self._replay = replay
        known = dict(enumerate(node.name for node in index.nodes))
        self._ends = [(nodes.get(known.get(edge.target, "")), edge.input) for edge in edges]
        self._near: dict[Node, list[int]] = {}
        for number, edge in enumerate(edges):
            for end in (edge.source, edge.target):
                node = nodes.get(known.get(end, ""))
                if node is not None:
                    self._near.setdefault(node, []).append(number)
        self._counts = [0] * len(edges)
        self._touched = set(range(len(edges)))

    def fired(self, node: Node) -> None:
        """Note that a node was executed."""
        self._touched.update(self._near.get(node, ()))

    def news(self) -> tuple[tuple[int, int], ...]:
        """Return the edges on which another amount waits now, with the amount."""
        found = []
        for number in sorted(self._touched):
            target, port = self._ends[number]
            count = 0 if target is None else max(0, self._replay.left_over(target, port))
            if count != self._counts[number]:
                self._counts[number] = count
                found.append((number, count))
        self._touched.clear()
        return tuple(found)
