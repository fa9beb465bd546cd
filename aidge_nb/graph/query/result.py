"""The result of a query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aidge_nb.graph.view import GraphView

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node


@dataclass(frozen=True, eq=False)
class MatchingResult:
    """One match of a query in a graph.

    Attributes
    ----------
    nodes
        The nodes, in the order in which the query names them.
    root_node
        The first of them; None for a match without nodes.
    start_node
        The node that was matched last.
    anchors
        Nodes by type and anchor, as the query writes them: ``anchors["Add"]["#1"]``; those of any
        type, ``.#1``, under ``""``.
    """

    nodes: tuple[Node, ...]
    root_node: Node | None
    start_node: Node | None
    anchors: dict[str, dict[str, Node]]

    @property
    def startNode(self) -> Node | None:  # noqa: N802  # Aidge's name
        """The node that was matched last."""
        return self.start_node

    @property
    def graph(self) -> GraphView:
        """A view of the nodes; a new one each time."""
        view = GraphView()
        view.add(self.nodes, include_learnable_params=False)
        return view

    def __len__(self) -> int:
        return len(self.nodes)

    def __bool__(self) -> bool:
        return bool(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        bundle = self.graph._repr_mimebundle_() if self.nodes else {}
        return {**bundle, "text/plain": repr(self)}

    def __repr__(self) -> str:
        labels = ", ".join(node.label for node in self.nodes)
        return f"MatchingResult({labels})" if labels else "MatchingResult(nothing)"
