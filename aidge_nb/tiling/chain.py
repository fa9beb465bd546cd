"""Chains: nodes tiled together, with branches that join and one result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aidge_nb.core.errors import GraphError, ShapeError, listed
from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.tiling.rules import TILED, can_tile


@dataclass(frozen=True, slots=True)
class Chain:
    """Nodes to tile together, in order, with their names in the graph."""

    nodes: tuple[Node, ...]
    names: dict[Node, str]

    @property
    def last(self) -> Node:
        """The node of the result."""
        return self.nodes[-1]

    @property
    def dims(self) -> tuple[int, ...]:
        """The dimensions of the result."""
        return self.last.get_operator().get_output(0).shape

    @property
    def itemsize(self) -> int:
        """Bytes per element of the result."""
        return self.last.get_operator().get_output(0).dtype.itemsize

    def readers(self, node: Node) -> list[Port]:
        """List the inputs in the chain that read a node."""
        return [port for port in node.output(0) if port.node in self.names]


def as_chain(view: GraphView, nodes: Node | Iterable[Node]) -> Chain:
    """Check that nodes can be tiled together, and sort them.

    Raise GraphError when a node is not in the graph or cannot be tiled, or a node before the last
    is read outside. Raise ShapeError when dimensions are unknown.
    """
    check_view(view, "tiling")
    wanted = dict.fromkeys([nodes] if isinstance(nodes, Node) else nodes)
    if not wanted:
        raise GraphError.at("tiling", "no nodes to tile", expected="at least one")
    for node in wanted:
        _check_node(view, node)
    order = [node for node in view.topological_order() if node in wanted]
    names = view.unique_names()
    _check_result(view, order)
    return Chain(tuple(order), {node: names[node] for node in order})


def _check_node(view: GraphView, node: object) -> None:
    if not isinstance(node, Node) or node not in view:
        label = node.label if isinstance(node, Node) else repr(node)
        raise GraphError.at(
            label, "is not in this graph", cure='Pass nodes: graph.get_node("conv0").'
        )
    if not can_tile(node):
        raise GraphError.at(
            node.label,
            "cannot be tiled",
            expected=TILED,
            found=node.type(),
            cure="End the chain before it, or begin after it.",
        )
    if node.get_operator().get_output(0).undefined():
        raise ShapeError.at(
            node.label,
            "has no dimensions yet",
            cure="Call forward_dims(), or compile(dims=...), before tiling.",
        )


def _check_result(view: GraphView, order: Sequence[Node]) -> None:
    results, inside = set(view.get_ordered_outputs()), set(order)
    for node in order[:-1]:
        readers = node.output(0)
        outside = [port.node.label for port in readers if port.node not in inside]
        if outside or not readers or Port(node, 0) in results:
            raise GraphError.at(
                node.label,
                "is read outside of the chain; only the last node may be",
                expected=f"{order[-1].label} as the only result",
                found=listed(outside) or "an output of the graph",
                cure="Tile up to this node, or include what reads it.",
            )


def between(view: GraphView, first: Node, last: Node) -> list[Node]:
    """List the nodes on paths from one node to another, both included, in order.

    Raises
    ------
    GraphError
        When there is no path.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name=name) for name in "abc"])
    >>> [node.name() for node in between(view, view.get_node("a"), view.get_node("b"))]
    ['a', 'b']
    """
    order = view.topological_order()
    after, before = {first}, {last}
    for node in order:
        if any(parent.node in after for _, parent in node.edges_in()):
            after.add(node)
    for node in reversed(order):
        if any(child in before for child in node.get_children()):
            before.add(node)
    if last not in after:
        raise GraphError.at("tiling", f"no path from {first.label} to {last.label}")
    return [node for node in order if node in after and node in before]
