"""Structure of graphs: orders, components, borders, and sets that can become one node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from aidge_nb.core.errors import GraphError, explain, listed
from aidge_nb.graph.node import Node, Port

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node


def topological_order(nodes: Iterable[Node]) -> list[Node]:
    """Return nodes in topological order (Kahn 1962); ties keep the given order.

    Back edges, such as the recurrent input of Memorize, do not count.

    Raises
    ------
    GraphError
        For any other cycle; names the nodes on it.
    """
    listed = list(nodes)
    rank = {node: i for i, node in enumerate(listed)}
    readers = [_readers(node, rank) for node in listed]
    order, stuck = smallest_first(readers)
    if stuck:
        raise CycleError.of([listed[number] for number in stuck])
    return [listed[number] for number in order]


def smallest_first(readers: Sequence[Iterable[int]]) -> tuple[list[int], list[int]]:
    """Sort numbers so that each comes before its readers, the smallest first of those that can.

    Those on cycles, and behind them, are the second result.

    Examples
    --------
    >>> smallest_first([[1], [], [0], [4], [3]])
    ([2, 0, 1], [3, 4])
    """
    lacking = [0] * len(readers)
    for each in readers:
        for number in each:
            lacking[number] += 1
    ready = [number for number, count in enumerate(lacking) if not count]  # sorted: a heap
    order = []
    while ready:
        first = heappop(ready)
        order.append(first)
        for number in readers[first]:
            lacking[number] -= 1
            if not lacking[number]:
                heappush(ready, number)
    is_done = len(order) == len(readers)
    return order, [] if is_done else [n for n, count in enumerate(lacking) if count]


def _readers(node: Node, rank: Mapping[Node, int]) -> list[int]:
    """Return the ranks of a node's readers, once per edge that is not a back edge."""
    found = []
    for ports in node._children:
        for child, index in ports:
            number = rank.get(child)
            if number is not None and index not in child._operator.spec.back_edges:
                found.append(number)
    return found


class CycleError(GraphError):
    """A graph has a cycle without initial data; ``cycle`` holds its nodes, each before a reader."""

    cycle: list[Node]

    @classmethod
    def of(cls, stuck: list[Node]) -> CycleError:
        """Return the error for nodes that wait for each other, or for those that do."""
        among = set(stuck)
        node = stuck[0]
        walk: dict[Node, None] = {}
        while node not in walk:
            walk[node] = None
            node = next(
                parent.node
                for index, parent in node.edges_in()
                if parent.node in among and not node.parent_is_back_edge(index)
            )
        path = list(walk)
        cycle = path[path.index(node) :][::-1]
        error = cls(describe_cycle(cycle))
        error.cycle = cycle
        return error


def describe_cycle(cycle: Sequence[Node], lacks: str | None = None) -> str:
    """Describe a cycle without initial data, and what its nodes lack."""
    return explain(
        "graph",
        "has a cycle without initial data",
        expected=lacks,
        found=listed([each.label for each in [*cycle, cycle[0]]], " -> "),
        cure="Close the cycle through a Memorize node, whose second input gives the first value.",
    )


def connected_nodes(node: Node) -> list[Node]:
    """Find all nodes connected to one, parents before the node that reads them."""
    found: dict[Node, None] = {}
    pending = [node]
    while pending:
        current = pending.pop()
        if current in found:
            continue
        found[current] = None
        near = [parent.node for _, parent in current.edges_in()] + current.get_children()
        pending.extend(each for each in reversed(near) if each not in found)
    return sorted(found, key=lambda each: each.id())


def with_ancestors(nodes: Iterable[Node]) -> dict[Node, None]:
    """Find nodes and all that they depend on, each before what it reads."""
    found: dict[Node, None] = {}
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if node not in found:
            found[node] = None
            pending += [port.node for _, port in node.edges_in()]
    return found


def unique_names(given: Sequence[str], kinds: Sequence[str]) -> list[str]:
    """Return nodes in topological order names of their own: ``(FC#1)`` without or beside the given.

    ``kinds`` are the types of the nodes.
    """
    counts = Counter(given)
    taken = {name for name, count in counts.items() if name and count == 1}
    ranks: dict[str, int] = {}
    names = []
    for name, kind in zip(given, kinds, strict=True):
        rank = ranks[kind] = ranks.get(kind, -1) + 1
        own = name
        if own not in taken:
            own = f"{name} ({kind}#{rank})".strip()
            while own in taken:  # a node already has this name
                own += "'"
        names.append(own)
    return names


def names_of(order: Sequence[Node]) -> dict[Node, str]:
    """Return a unique name for each node of a topological order."""
    names = unique_names([node.name() for node in order], [node.type() for node in order])
    return dict(zip(order, names, strict=True))


def free_inputs(nodes: Mapping[Node, None]) -> list[Port]:
    """List the inputs that no node feeds: mandatory ones first."""
    mandatory: list[Port] = []
    optional: list[Port] = []
    for node in nodes:
        for index, port in enumerate(node._parents):
            if port is None or port.node not in nodes:
                is_optional = node.is_optional_input(index)
                (optional if is_optional else mandatory).append(Port(node, index))
    return mandatory + optional


def free_outputs(nodes: Mapping[Node, None]) -> Iterator[Port]:
    """Return the outputs that no node reads, or that something else does.

    A secondary output that is not read counts only when no output of the node is.
    """
    for node in nodes:
        readers = node.outputs()
        optional = node.get_operator().spec.optional_outputs
        for index, ports in enumerate(readers):
            outside = any(port.node not in nodes for port in ports)
            main = index == 0 or (index not in optional and not any(readers))
            if outside or (main and not ports):
                yield Port(node, index)


def way_back(nodes: Sequence[Node]) -> list[Node] | None:
    """Find a path that leaves the nodes and returns to them; None if there is none.

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
    """Return why nodes cannot become one of some type; nothing when they can.

    Examples
    --------
    >>> import aidge_nb
    >>> around = aidge_nb.residual([aidge_nb.ReLU(), aidge_nb.Tanh(), aidge_nb.Add()])
    >>> why_not_one(list(around), "Block", inner_outputs=False)
    ''
    """
    where = f"fusing [{listed([node.label for node in nodes])}] into {type_name!r}"
    cycle = way_back(nodes)
    if cycle is not None:
        return explain(
            where,
            "the new node would feed itself",
            found=listed([node.label for node in cycle], " -> "),
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
    """Return whether every inner node leads to an end, which makes a path back a cycle."""
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
