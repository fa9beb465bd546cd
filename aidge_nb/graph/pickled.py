"""Pickle graphs, however deep: as a list of operators, with the edges between them as numbers.

Declared operators are pickled by the name of their type, and implementations of backends are made
anew. Tensors that several ports share stay shared; their arrays are pickled out of band where the
caller takes buffers (protocol 5).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from aidge_nb.graph.node import Node

if TYPE_CHECKING:
    from aidge_nb.graph.operator import Operator


class _Place(NamedTuple):
    """The number of a node, instead of it."""

    number: int


class _PickledNode(NamedTuple):
    """A node: its rank by creation, and the readers of each output as places and inputs."""

    rank: int
    name: str
    operator: Operator
    annotations: dict[str, Any]
    readers: list[list[tuple[int, int]]]


class Pickled:
    """Pickle and unpickle a graph; nodes around it, and edges to them, are left out."""

    _nodes: dict[Node, None]

    def __getstate__(self) -> dict[str, Any]:
        number = {node: _Place(place) for place, node in enumerate(self._nodes)}
        rank = {node: rank for rank, node in enumerate(sorted(self._nodes, key=Node.id))}
        nodes = [
            _PickledNode(
                rank[node],
                node.name(),
                node.get_operator(),
                _replaced(node.annotations, number.get),
                [
                    [(number[n].number, i) for n, i in ports if n in number]
                    for ports in node.outputs()
                ],
            )
            for node in self._nodes
        ]
        others = vars(self) | {"_facts": {}, "_nodes": None}  # facts are found again when needed
        return {**_replaced(others, number.get), "_nodes": nodes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        pickled: list[_PickledNode] = state["_nodes"]
        places = sorted(range(len(pickled)), key=lambda place: pickled[place].rank)
        made = {place: Node(pickled[place].operator, pickled[place].name) for place in places}
        nodes = [made[place] for place in range(len(pickled))]
        for node, each in zip(nodes, pickled, strict=True):
            for output, readers in enumerate(each.readers):
                for place, index in readers:
                    node.add_child(nodes[place], output, index)

        def node_of(place: object) -> Node | None:
            return nodes[place.number] if isinstance(place, _Place) else None

        for node, each in zip(nodes, pickled, strict=True):
            node.annotations = _replaced(each.annotations, node_of)
        vars(self).update(_replaced({**state, "_nodes": None}, node_of))
        self._nodes = dict.fromkeys(nodes)
        view: Any = self  # a GraphView
        for node in nodes:
            node._views.add(view)


def _replaced(value: Any, new: Callable[[Any], Any]) -> Any:
    """Replace nodes by places, or places by nodes, inside of lists, sets and mappings."""
    if isinstance(value, (Node, _Place)):
        return new(value)
    if isinstance(value, dict):
        pairs = {_replaced(key, new): _replaced(each, new) for key, each in value.items()}
        return type(value)(pairs)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_replaced(each, new) for each in value))
    if isinstance(value, (list, tuple, set, frozenset)):
        return type(value)(_replaced(each, new) for each in value)
    return value
