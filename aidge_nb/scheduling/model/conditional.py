"""Conditional nodes: nodes that are skipped when a Select takes another input.

A node is conditional when all its outputs go to data inputs of Select nodes: directly, or through
nodes that all run for the same inputs. It waits for the condition, and a pass skips it when the
condition selects another input. As in Aidge, a node that several branches need through different
nodes always runs; so does a node that a Select reads both directly and through another input's
branch (aidge_core 0.10.1 skips it in passes that need it directly).
"""

from __future__ import annotations

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView

CONDITION = "schedule.cond"
"""Annotation of a node: pairs of a Select and the number of its data input, from 0."""

Conditions = frozenset[tuple[Node, int]]


def tag_conditional_nodes(view: GraphView) -> None:
    """Annotate each conditional node of a graph with the Select inputs for which it runs."""
    for node in view.get_nodes():
        node.annotations.pop(CONDITION, None)
    for node, conditions in find_conditional_nodes(view).items():
        node.annotations[CONDITION] = set(conditions)


def find_conditional_nodes(view: GraphView) -> dict[Node, Conditions]:
    """Return the conditional nodes, each with the Select inputs for which it runs.

    Examples
    --------
    >>> import aidge_nb
    >>> choose = aidge_nb.Select(2, name="choose")
    >>> for index, name in enumerate(["condition", "yes", "no"]):
    ...     aidge_nb.ReLU(name=name).add_child(choose, 0, index)
    >>> found = find_conditional_nodes(aidge_nb.get_connected_graph_view(choose))
    >>> [(node.name(), [number for _, number in for_what]) for node, for_what in found.items()]
    [('yes', [0]), ('no', [1])]
    """
    results = {port.node for port in view.get_ordered_outputs()}
    found: dict[Node, Conditions] = {}
    order = view.topological_order()
    for node in reversed(order):
        readers = [port for ports in node.outputs() for port in ports]
        if node in results or not readers or any(port.node not in view for port in readers):
            continue
        straight = {port for port in readers if port.node.type() == "Select" and port.index > 0}
        wanted = {found.get(port.node) for port in readers if port not in straight}
        if straight:
            wanted.add(frozenset((port.node, port.index - 1) for port in straight))
        if len(wanted) == 1 and (conditions := wanted.pop()):
            found[node] = conditions
    return {node: found[node] for node in order if node in found}


def condition_nodes(node: Node) -> list[Node]:
    """Return the nodes that compute the conditions of a node."""
    noted = node.annotations.get(CONDITION)
    if not noted:
        return []
    selects = {select for select, _ in noted}
    parents = [select.get_parent(0) for select in sorted(selects, key=Node.id)]
    return [parent for parent in parents if parent is not None]
