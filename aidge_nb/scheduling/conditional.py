"""Conditional nodes: what need not run when a Select takes another input.

A node is conditional when everything it gives goes to one data input of a Select, straight or
through other such nodes. It waits for the condition, and is left out of a pass when the condition
says so.
"""

from __future__ import annotations

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView

__all__ = ["CONDITION", "condition_nodes", "find_conditional_nodes", "tag_conditional_nodes"]

CONDITION = "schedule.cond"
"""Annotation of a node: pairs of a Select and the number of its data input, from 0."""

Conditions = frozenset[tuple[Node, int]]


def tag_conditional_nodes(view: GraphView) -> None:
    """Note on every conditional node of a graph what it is run for."""
    for node in view.get_nodes():
        node.annotations.pop(CONDITION, None)
    for node, conditions in find_conditional_nodes(view).items():
        node.annotations[CONDITION] = set(conditions)


def find_conditional_nodes(view: GraphView) -> dict[Node, Conditions]:
    """Find the conditional nodes, each with the inputs of Select nodes that it is run for.

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
        wanted: set[tuple[Node, int]] = set()
        for reader, index in readers:
            if reader.type() == "Select" and index > 0:
                wanted.add((reader, index - 1))
            else:
                wanted |= found.get(reader, frozenset({(reader, -1)}))
        selects = {select for select, _ in wanted}
        if all(number >= 0 for _, number in wanted) and len(selects) == len(wanted):
            found[node] = frozenset(wanted)
    return {node: found[node] for node in order if node in found}


def condition_nodes(node: Node) -> list[Node]:
    """List the nodes that compute the conditions which decide whether a node runs."""
    noted = node.annotations.get(CONDITION)
    if not noted:
        return []
    selects = {select for select, _ in noted}
    parents = [select.get_parent(0) for select in sorted(selects, key=Node.id)]
    return [parent for parent in parents if parent is not None]
