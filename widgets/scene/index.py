"""Find the node of a scene that a name belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aidge_nb.widgets.palette import in_turn
from aidge_nb.widgets.scene.parts import SceneNode
from aidge_nb.widgets.text import count_text, dims_text, elide, size_text

if TYPE_CHECKING:
    from aidge_nb.graph.snapshot import GraphSnapshot, NodeView

_LISTED = 6
"""Weights of a node that are named."""


class NodeIndex:
    """Nodes by name; names that the graph does not know are appended."""

    def __init__(self, graph: GraphSnapshot | None) -> None:
        self._graph = graph
        self.nodes: list[SceneNode] = []
        self._of: dict[str, int] = {}
        if graph is not None:
            for view in graph.nodes:
                self._add(_scene_node(view))
            self._of.update(graph.folded)

    @property
    def names(self) -> list[str]:
        """Names of the nodes, in order."""
        return [node.name for node in self.nodes]

    def _add(self, node: SceneNode) -> int:
        self._of[node.name] = len(self.nodes)
        self.nodes.append(node)
        return len(self.nodes) - 1

    def find(self, name: str, kind: str = "?") -> int:
        """Find the node of this name, or make one; without a graph colours tell nodes apart."""
        known = self._of.get(name)
        if known is not None:
            return known
        is_bare = kind == "?" and self._graph is None
        family = in_turn(len(self.nodes)) if is_bare else None
        return self._add(SceneNode(name, kind, family=family))

    def find_user(self, producer: str, kind: str = "Producer") -> int:
        """Find the node that owns a weight, by the name that factories give it: ``conv1_w``."""
        if producer in self._of:
            return self._of[producer]
        for position in range(len(producer) - 1, 0, -1):
            if producer[position] in "_./" and producer[:position] in self._of:
                return self._of[producer[:position]]
        return self.find(producer, kind)


def _weights_text(view: NodeView) -> str:
    """Write dimensions and bytes of what a node has of its own: "32×3×3×3 · 32, 3.5 KiB"."""
    shown = [dims_text(dims) for dims in view.weights[:_LISTED]]
    if len(view.weights) > _LISTED:
        shown.append(f"{len(view.weights) - _LISTED} more")
    size = size_text(view.weight_bytes)
    together = "together " if len(view.weights) > 1 else ""
    return f"{' · '.join(shown)}, {together}{size}" if shown else f"inside, {size}"


def _scene_node(view: NodeView) -> SceneNode:
    details = [(name, elide(value, 400)) for name, value in view.attrs]
    if view.backend:
        details.append(("backend", view.backend))
    if view.weight_bytes:
        details.insert(0, ("weights", _weights_text(view)))
    if view.constants:
        details.insert(0, ("constants", count_text(view.constants)))
    if not view.native:
        details.append(("support", "generic: it can be looked at, and not be run"))
    return SceneNode(
        view.name,
        view.type,
        view.parameters,
        view.macs,
        tuple(details),
        device=view.backend,
        weight_bytes=view.weight_bytes,
    )
