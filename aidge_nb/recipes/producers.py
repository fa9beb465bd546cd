"""List the Producers of a graph, and mark them as constant."""

from __future__ import annotations

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView


def producers(graphview: GraphView, constant: bool = False) -> list[Node]:
    """List the Producers of a graph; constants are among them only when asked for.

    Examples
    --------
    >>> import aidge_nb
    >>> [node.name() for node in producers(aidge_nb.sequential([aidge_nb.FC(2, 3, name="fc")]))]
    ['fc_w', 'fc_b']
    """
    found = [node for node in graphview if node.type() == "Producer"]
    return [node for node in found if constant or not node.get_operator().attr.constant]


def set_producers_constant(graph: GraphView, constant: bool = True) -> int:
    """Mark all Producers as constant, or as not constant; return their number.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.FC(2, 3)])
    >>> set_producers_constant(model), producers(model)
    (2, [])
    """
    found = [node for node in graph if node.type() == "Producer"]
    for node in found:
        node.get_operator().attr.constant = constant
    return len(found)
