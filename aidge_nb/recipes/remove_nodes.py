"""Remove nodes by type or by query."""

from __future__ import annotations

from aidge_nb.graph.query import SinglePassGraphMatching, keep_disjoint
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import editing


def remove_node(view: GraphView, type: str, incProducers: bool = False) -> int:
    """Remove the nodes of a type: the source of their first input feeds their readers.

    Parameters
    ----------
    view
        The graph; it computes something else afterwards, unless the nodes did nothing.
    type
        Type of the nodes.
    incProducers
        Accepted for compatibility: Producers without other readers are removed with the nodes.

    Returns
    -------
    int
        Number of nodes taken out: not those between an input and an output of the graph.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.Tanh(), aidge_nb.ReLU(), aidge_nb.Tanh()])
    >>> remove_node(model, "ReLU"), len(model)
    (1, 2)
    """
    del incProducers
    with editing(view) as edit:
        return sum(edit.bypass(node) for node in edit.nodes(type))


def remove_nodes(view: GraphView, query: str) -> int:
    """Remove the nodes that a query finds; matches that share nodes count once.

    Returns
    -------
    int
        Number of nodes taken out.

    Raises
    ------
    GraphError
        When the query is malformed.

    Examples
    --------
    >>> import aidge_nb
    >>> layers = [aidge_nb.Tanh(), aidge_nb.Floor(), aidge_nb.ReLU(), aidge_nb.Exp()]
    >>> model = aidge_nb.sequential(layers)
    >>> remove_nodes(model, "Floor->ReLU"), [node.type() for node in model]
    (2, ['Tanh', 'Exp'])
    """
    found = keep_disjoint(SinglePassGraphMatching(view).match(query))
    with editing(view) as edit:
        return sum(edit.bypass(node) for match in found for node in match)
