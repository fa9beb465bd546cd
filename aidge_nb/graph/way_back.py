"""Whether nodes can become one node: not if a way leads out of them and back.

A set of nodes without such a way is called convex. Nor can they if something outside reads what
only the inside should know, unless the new node gives that away as well.
"""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.errors import explain
from aidge_nb.graph.node import Node, Port


def way_back(nodes: Sequence[Node]) -> list[Node] | None:
    """Find a way that leaves the nodes and comes back; None when there is none.

    Producers do not count: those that others read stay outside, with a twin inside.

    Examples
    --------
    >>> import aidge_nb
    >>> around = aidge_nb.residual([aidge_nb.ReLU(), aidge_nb.Tanh(), aidge_nb.Add()])
    >>> first, between, last = around
    >>> way_back([first, last]) == [first, between, last], way_back([between, last])
    (True, None)
    """
    inside = set(nodes)
    pending = {
        port.node: node
        for node in nodes
        if node.type() != "Producer"
        for ports in node.outputs()
        for port in ports
        if port.node not in inside and not port.node.parent_is_back_edge(port.index)
    }
    if len(set(pending.values())) <= 1 and _lead_to(list(pending.values()), inside):
        return None
    came_from: dict[Node, Node] = {}
    while pending:
        node, parent = pending.popitem()
        came_from[node] = parent
        for port in (port for ports in node.outputs() for port in ports):
            if port.node in inside:
                return _walk(came_from, node, port.node)
            if port.node not in came_from and not port.node.parent_is_back_edge(port.index):
                pending[port.node] = node
    return None


def inner_output(nodes: Sequence[Node]) -> tuple[Port, Port | None] | None:
    """Find an output that is read inside and outside, with its reader there; None without one.

    The reader is None where it is an output of a graph. Producers do not count, as above.

    Examples
    --------
    >>> import aidge_nb
    >>> around = aidge_nb.residual([aidge_nb.ReLU(), aidge_nb.Tanh(), aidge_nb.Add()])
    >>> first, between, last = around
    >>> inner_output([first, between]) == ((first, 0), (last, 1)), inner_output(list(around))
    (True, None)
    """
    inside = set(nodes)
    ports = (
        Port(node, index)
        for node in nodes
        if node.type() != "Producer"
        for index in range(node.get_nb_outputs())
    )
    for port in ports:
        readers = port.node.output(port.index)
        if not any(reader.node in inside for reader in readers):
            continue
        for reader in readers:
            if reader.node not in inside:
                return port, reader
        if any(port in view._output_order for view in list(port.node._views)):
            return port, None
    return None


def why_not_one(nodes: Sequence[Node], type_name: str, inner_outputs: bool) -> str:
    """Say why nodes cannot become one of some type; nothing when they can.

    Examples
    --------
    >>> import aidge_nb
    >>> around = aidge_nb.residual([aidge_nb.ReLU(), aidge_nb.Tanh(), aidge_nb.Add()])
    >>> why_not_one(list(around), "Block", inner_outputs=False)
    ''
    """
    where = f"fusing [{', '.join(node.label for node in nodes)}] into {type_name!r}"
    cycle = way_back(nodes)
    if cycle is not None:
        return explain(
            where,
            "the new node would feed itself",
            found=" -> ".join(node.label for node in cycle),
            cure="Take the nodes on the way into the match, or those at its end out of it.",
        )
    inner = None if inner_outputs else inner_output(nodes)
    if inner is None:
        return ""
    port, reader = inner
    outside = "the outputs of the graph" if reader is None else reader.node.label
    return explain(
        where,
        f"{port.node.label}, output#{port.index} is read inside and outside",
        expected="readers inside alone",
        found=outside,
        cure="Let the match end there, take its readers into the match, or say inner_outputs=True.",
    )


def _lead_to(ends: Sequence[Node], inside: set[Node]) -> bool:
    """Whether every node leads to the end, so that a way back to it would have been a cycle."""
    found = set(ends)
    pending = list(found)
    while pending:
        for _, parent in pending.pop().edges_in():
            if parent.node in inside and parent.node not in found:
                found.add(parent.node)
                pending.append(parent.node)
    loops = any(node.get_operator().spec.back_edges for node in inside)
    return not loops and (not ends or found == inside)


def _walk(came_from: dict[Node, Node], last: Node, entry: Node) -> list[Node]:
    way = [last]
    while way[-1] in came_from:
        way.append(came_from[way[-1]])
    return [*reversed(way), entry]
