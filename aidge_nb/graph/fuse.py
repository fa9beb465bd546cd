"""Fuse nodes into a meta-operator, which replaces them.

Nodes are moved, not copied; expanding the meta-operator gives the graph back. A Producer that
other nodes read as well stays outside for them, and has a twin inside that shares its tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from aidge_nb.core.errors import GraphError, explain, listed
from aidge_nb.core.log import logger
from aidge_nb.graph.meta import MetaOperator
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.query import MatchingResult, SinglePassGraphMatching, keep_disjoint
from aidge_nb.graph.replace import feed, follow_ports
from aidge_nb.graph.topology import why_not_one
from aidge_nb.graph.view import GraphView

if TYPE_CHECKING:
    from aidge_nb.core.tensor import Tensor

GraphFunction = Callable[[GraphView], object]


def fuse_to_metaops(
    graph: GraphView | SinglePassGraphMatching,
    query: str,
    type: str = "",  # Aidge's name
    graph_func: GraphFunction | None = None,
    *,
    inner_outputs: bool = False,
) -> int:
    """Fuse each match of a query into a meta-operator, in place.

    Matches that share nodes are not all fused: long ones are, then those that start earlier in the
    graph (matches may share Producers). Inputs and outputs of the graph keep their order.

    Parameters
    ----------
    graph
        The graph, or a matching on it whose predicates the query may ask.
    query
        What to fuse; see :class:`SinglePassGraphMatching`.
    type
        Type of the new nodes, which have no name.
    graph_func
        What to do to each micro-graph before it is closed; its inputs and outputs must stay.
    inner_outputs
        Whether what nodes inside read may be read outside as well, from a further output of the
        new node.

    Returns
    -------
    int
        Number of new nodes. Matches that are not fused are logged with the reason: they share nodes
        with another match, would put the new node on a cycle, or have an inner output read outside
        (unless ``inner_outputs``).

    Raises
    ------
    GraphError
        When the query is malformed.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([make() for make in (aidge_nb.Tanh, aidge_nb.ReLU) * 2])
    >>> fuse_to_metaops(model, "Tanh->ReLU", "TanhReLU")
    2
    >>> [node.type() for node in model.topological_order()]
    ['TanhReLU', 'TanhReLU']
    """
    matching = (
        graph if isinstance(graph, SinglePassGraphMatching) else SinglePassGraphMatching(graph)
    )
    fused = 0
    found = matching.match(query)
    kept = dict.fromkeys(keep_disjoint(found, share_producers=True))
    left = [match for match in found if match not in kept]
    if left:
        logger.warning("fuse_to_metaops: %s", _overlaps(left, type))
    for match in kept:
        refusal = why_not_one(match.nodes, type, inner_outputs)
        if refusal:
            logger.warning("fuse_to_metaops: %s", refusal)
        else:
            _fuse(match.nodes, type, "", graph_func)
            fused += 1
    return fused


def fuse_nodes(
    nodes: Iterable[Node] | GraphView | MatchingResult,
    type_name: str,
    name: str = "",
    graph_func: GraphFunction | None = None,
    *,
    inner_outputs: bool = False,
) -> Node:
    """Fuse nodes into one meta-operator, which replaces them in all views.

    Parameters
    ----------
    nodes
        What to fuse. The inputs of the new node are theirs, in this order and by index; its outputs
        those that nothing inside reads.
    type_name, name
        Type and name of the new node.
    graph_func
        What to do to the micro-graph before it is closed; its inputs and outputs must stay.
    inner_outputs
        Whether what nodes inside read may be read outside as well: such outputs come last.

    Raises
    ------
    GraphError
        When the new node would be on a cycle, when something outside reads an inner output
        (unless ``inner_outputs``), or there is nothing to fuse; nothing is changed.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.Tanh(), aidge_nb.ReLU(), aidge_nb.Exp()])
    >>> fuse_nodes(list(model)[1:], "ReLUExp", name="end")
    Node(end, ReLUExp)
    """
    listed = tuple(nodes)
    if not listed:
        raise GraphError.at(f"fusing into {type_name!r}", "no nodes are given")
    refusal = why_not_one(listed, type_name, inner_outputs)
    if refusal:
        raise GraphError(refusal)
    return _fuse(listed, type_name, name, graph_func)


def fuse_to_metaop(graph: GraphView, type: str = "") -> bool:
    """Fuse nodes of a graph with :func:`fuse_nodes`, under aidge_core's name.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.Tanh(), aidge_nb.ReLU(), aidge_nb.Exp()])
    >>> fuse_to_metaop(aidge_nb.SinglePassGraphMatching(model).match("Tanh->ReLU")[0].graph, "Act")
    True
    >>> [node.type() for node in model]
    ['Act', 'Exp']
    """
    fuse_nodes(graph, type)
    return True


def _overlaps(left: Sequence[MatchingResult], type_name: str) -> str:
    """Return which matches are left out because others have their nodes."""
    labels = listed([node.label for node in left[0]])
    return explain(
        f"fusing [{labels}] into {type_name!r}" + f", and {len(left) - 1} more" * (len(left) > 1),
        "nodes are in another match that is fused",
        cure="Make the query longer, or fuse again.",
    )


# --- doing it -----------------------------------------------------------------------------------

Ordered = tuple[list[Port], list[Port]]


def _fuse(
    nodes: Sequence[Node], type_name: str, name: str, graph_func: GraphFunction | None
) -> Node:
    if graph_func is not None:
        matched = GraphView(type_name)
        matched.add(nodes, include_learnable_params=False)
        graph_func(matched)
        nodes = list(matched)
        del matched
    views = {
        view: _ordered_ports(view, nodes)
        for view in dict.fromkeys(view for node in nodes for view in list(node._views))
    }
    inner = [_own(node, nodes, views) for node in nodes]
    micro = GraphView(type_name)
    micro.add(inner, include_learnable_params=False)
    entries = _entries(micro)
    exits = _exits(micro, views)
    meta = _close(micro, entries, list(exits), type_name, name)
    _connect(meta, list(entries.values()), list(exits.values()))
    for view, ordered in views.items():
        _take_place(view, inner, meta, ordered, list(entries), list(exits))
    return meta


def _ordered_ports(view: GraphView, nodes: Sequence[Node]) -> Ordered:
    """Record the inputs and outputs of a view if the nodes own any of them."""
    open_inputs = any(
        parent is None or parent.node not in view
        for node in nodes
        if node in view
        for parent in node.sources()
    )
    open_outputs = bool(view._output_order) or any(
        not ports or any(port.node not in view for port in ports)
        for node in nodes
        for ports in node.outputs()
    )
    return (
        view.get_ordered_inputs() if open_inputs else [],
        view.get_ordered_outputs() if open_outputs else [],
    )


def _own(node: Node, nodes: Sequence[Node], views: dict[GraphView, Ordered]) -> Node:
    """Return a node; for a Producer with other readers, a twin that shares its tensor."""
    readers = [port for ports in node.outputs() for port in ports]
    is_output = any(node is port.node for _, outputs in views.values() for port in outputs)
    if node.type() != "Producer" or not (
        is_output or any(port.node not in nodes for port in readers)
    ):
        return node
    twin = node.clone()
    twin.get_operator().share_outputs(node.get_operator())
    for port in readers:
        if port.node in nodes:
            port.node.remove_parent(port.index)
            twin.add_child(port.node, 0, port.index)
    return twin


def _entries(micro: GraphView) -> dict[Port, tuple[Port | None, Tensor | None]]:
    """Disconnect the inputs fed from outside, and return each with its source."""
    entries = {}
    for node in micro:
        for index, parent in enumerate(node.sources()):
            if parent is None or parent.node not in micro:
                entries[Port(node, index)] = (parent, node.get_operator().get_input(index))
                node.remove_parent(index)
    return entries


def _exits(micro: GraphView, views: dict[GraphView, Ordered]) -> dict[Port, list[Port]]:
    """List the outputs that something outside reads, or nothing; cut their readers off."""
    results = {port for _, outputs in views.values() for port in outputs}
    found = dict.fromkeys(micro.get_ordered_outputs())
    for node in micro:
        ports = (Port(node, index) for index in range(node.get_nb_outputs()))
        found.update((port, None) for port in ports if port in results)
    last = [p for p in found if any(each.node in micro for each in p.node.output(p.index))]
    exits = {}
    for port in [*(port for port in found if port not in last), *last]:
        exits[port] = [p for p in port.node.output(port.index) if p.node not in micro]
        for reader in exits[port]:
            reader.node.remove_parent(reader.index)
    return exits


def _close(
    micro: GraphView, entries: Iterable[Port], exits: Sequence[Port], type_name: str, name: str
) -> Node:
    """Make the meta-operator; it has the backend of the nodes inside when they have one."""
    micro.set_ordered_inputs(list(entries))
    micro.set_ordered_outputs(exits)
    backends = {node.get_operator().backend() for node in micro}
    meta = MetaOperator(type_name, micro, name)
    if len(backends) == 1 and "" not in backends:
        Operator.set_backend(meta.get_operator(), *backends)
    return meta


def _connect(
    meta: Node,
    sources: Sequence[tuple[Port | None, Tensor | None]],
    readers: Sequence[Sequence[Port]],
) -> None:
    for index, fed in enumerate(sources):
        feed(Port(meta, index), *fed)
    for index, ports in enumerate(readers):
        for port in ports:
            meta.add_child(port.node, index, port.index)


def _take_place(
    view: GraphView,
    inner: Sequence[Node],
    meta: Node,
    ordered: Ordered,
    entries: Sequence[Port],
    exits: Sequence[Port],
) -> None:
    """Insert the new node after the last old one; the view's ports keep their order."""
    old = set(inner)
    last = next(node for node in reversed(view._nodes) if node in old)
    for node in inner:
        node._views.discard(view)
    view.forget_facts()
    view._nodes = {
        meta if node is last else node: None
        for node in view._nodes
        if node is last or node not in old
    }
    meta._views.add(view)
    new_inputs = {port: [Port(meta, index)] for index, port in enumerate(entries)}
    new_outputs = {port: Port(meta, index) for index, port in enumerate(exits)}
    follow_ports(view, *ordered, new_inputs, new_outputs)
