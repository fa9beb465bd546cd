"""The inside of a meta-operator as a value, for pictures of opened meta-operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aidge_nb.core.values import dataclass
from aidge_nb.graph.meta import MetaOperatorOp

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.operator import Operator


@dataclass(frozen=True, slots=True)
class PartView:
    """A node inside a meta-operator.

    Attributes
    ----------
    name, type
        Its name and its type.
    inside
        What is inside of it in turn; None for an operator that is no meta-operator.
    """

    name: str
    type: str
    inside: InsideView | None = None


@dataclass(frozen=True, slots=True)
class InnerEdge:
    """An edge between two parts.

    Attributes
    ----------
    source, target
        Numbers of the parts, from 0.
    output, input
        Numbers of their ports, from 0.
    dims
        Dimensions of the tensor; None while they are unknown.
    back
        Whether it closes a cycle.
    """

    source: int
    output: int
    target: int
    input: int
    dims: tuple[int, ...] | None
    back: bool


@dataclass(frozen=True, slots=True)
class InsideView:
    """The graph inside a meta-operator, without its weights.

    Attributes
    ----------
    parts
        Its nodes, in topological order.
    edges
        The edges between them.
    entries
        For each input of the meta-operator, part and input of all that it feeds.
    exits
        For each output of the meta-operator, part and output that it comes from; None for what
        comes from no part, such as a weight.
    """

    parts: tuple[PartView, ...]
    edges: tuple[InnerEdge, ...]
    entries: tuple[tuple[tuple[int, int], ...], ...]
    exits: tuple[tuple[int, int] | None, ...]


def inside_of(operator: Operator) -> InsideView | None:
    """Return the inside of an operator as a value; None if it is not a meta-operator.

    Examples
    --------
    >>> import aidge_nb
    >>> conv = aidge_nb.PaddedConv2D(1, 1, [3, 3], "conv").get_operator()
    >>> [part.type for part in inside_of(conv).parts], inside_of(aidge_nb.ReLU().get_operator())
    (['Pad', 'Conv2D'], None)
    """
    if not isinstance(operator, MetaOperatorOp):
        return None
    order = operator.micro_graph.topological_order()
    nodes = [node for node in order if node.type() != "Producer"]
    if not nodes:
        return None
    number = {node: place for place, node in enumerate(nodes)}
    outputs = operator.micro_graph.get_ordered_outputs()
    return InsideView(
        tuple(
            PartView(node.name() or node.type(), node.type(), inside_of(node.get_operator()))
            for node in nodes
        ),
        tuple(edge for node in nodes for edge in _edges_to(node, number)),
        tuple(
            tuple((number[port.node], port.index) for port in group if port.node in number)
            for group in operator.input_ports
        ),
        tuple((number[port.node], port.index) if port.node in number else None for port in outputs),
    )


def _edges_to(node: Node, number: dict[Node, int]) -> list[InnerEdge]:
    """List the edges that end at a part; those from itself or a later part are back edges."""
    target = number[node]
    found = []
    for index, port in node.edges_in():
        if port.node in number:
            source, tensor = number[port.node], port.node.get_operator().get_output(port.index)
            dims = None if tensor.undefined() else tuple(tensor.dims)
            back = source >= target
            found.append(InnerEdge(source, port.index, target, index, dims, back))
    return found
