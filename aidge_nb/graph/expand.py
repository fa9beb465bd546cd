"""Expand meta-operators: replace them by their micro-graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aidge_nb.graph.meta import MetaOperatorOp
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.replace import feed, follow_ports
from aidge_nb.graph.view import GraphView

if TYPE_CHECKING:
    from aidge_nb.core.tensor import Tensor


def expand_metaops(
    view: GraphView,
    recursive: bool = False,
    name_format: str = "{0}",
    unique_name: bool = False,
) -> None:
    """Replace the meta-operators of a graph by their micro-graphs, in place.

    Producers that share a tensor, as fusing leaves them, become one again.

    Parameters
    ----------
    view
        The graph.
    recursive
        Whether meta-operators found inside are expanded as well.
    name_format
        Names of the inner nodes: ``{0}`` inner name, ``{1}`` inner type, ``{2}`` name and ``{3}``
        type of the meta-operator.
    unique_name
        Whether to append a number to names that the graph has already.

    Examples
    --------
    >>> import aidge_nb
    >>> lstm = aidge_nb.LSTM(in_channels=4, hidden_channels=8, seq_length=5)
    >>> model = aidge_nb.get_connected_graph_view(lstm)
    >>> aidge_nb.expand_metaops(model)
    >>> len(model)
    40
    """
    pending = [node for node in view.get_nodes() if node.get_operator().micro_graph is not None]
    taken = {node.name() for node in view.get_nodes()} if unique_name else set()
    producers = {id(_tensor(node)): node for node in view if node.type() == "Producer"}
    while pending:
        node = pending.pop()
        inner = _expand(node, producers)
        for each in inner:
            name = name_format.format(each.name(), each.type(), node.name(), node.type())
            if unique_name and name:
                name = _unused(name, taken)
            each.set_name(name)
            if recursive and each.get_operator().micro_graph is not None:
                pending.append(each)


def expand_metaop(node: Node, name_format: str = "{0}", unique_name: bool = False) -> bool:
    """Replace one meta-operator by its micro-graph, in all graphs that hold it.

    Parameters
    ----------
    node
        The meta-operator.
    name_format, unique_name
        As for :func:`expand_metaops`.

    Returns
    -------
    bool
        Whether there was anything inside.

    Examples
    --------
    >>> import aidge_nb
    >>> inner = aidge_nb.sequential([aidge_nb.Tanh(name="t"), aidge_nb.ReLU(name="r")])
    >>> view = aidge_nb.sequential([aidge_nb.Exp(), aidge_nb.MetaOperator("Both", inner, "m")])
    >>> expand_metaop(list(view)[1], name_format="{2}_{0}")
    True
    >>> [node.name() for node in view]
    ['', 'm_t', 'm_r']
    """
    if node.get_operator().micro_graph is None:
        return False
    around = [each for view in list(node._views) for each in view]
    producers = {id(_tensor(each)): each for each in around if each.type() == "Producer"}
    taken = {each.name() for each in around} if unique_name else set()
    for each in _expand(node, producers):
        name = name_format.format(each.name(), each.type(), node.name(), node.type())
        each.set_name(_unused(name, taken) if unique_name and name else name)
    return True


def _unused(name: str, taken: set[str]) -> str:
    number, candidate = 0, name
    while candidate in taken:
        candidate = f"{name}_{number}"
        number += 1
    taken.add(candidate)
    return candidate


def _tensor(producer: Node) -> Tensor:
    return producer.get_operator().get_output(0)


def _without_twins(micro: GraphView, producers: dict[int, Node]) -> list[Node]:
    """Return the inner nodes, without Producers whose tensor an outer Producer holds."""
    kept = []
    for node in micro:
        first = node
        if node.type() == "Producer":
            first = producers.setdefault(id(_tensor(node)), node)
        if first is node:
            kept.append(node)
            continue
        for port in node.output(0):
            port.node.remove_parent(port.index)
            first.add_child(port.node, 0, port.index)
    return kept


def _expand(node: Node, producers: dict[int, Node]) -> list[Node]:
    operator = node.get_operator()
    if not isinstance(operator, MetaOperatorOp):
        return []
    micro = operator.micro_graph
    inner = _without_twins(micro, producers)
    sources = node.sources()
    sinks = node.outputs()
    tensors = [operator.get_input(index) for index in range(operator.nb_inputs)]
    outputs = micro.get_ordered_outputs()
    results = {
        each: (each.get_ordered_inputs(), each.get_ordered_outputs()) for each in node._views
    }
    node.reset_connections()
    for each in results:
        each.remove(node, include_learnable_params=False)
        each.add(inner, include_learnable_params=False)
    for source, tensor, ports in zip(sources, tensors, operator.input_ports, strict=True):
        for port in ports:
            feed(port, source, tensor)
    for outer, targets in zip(outputs, sinks, strict=True):
        for target in targets:
            outer.node.add_child(target.node, outer.index, target.index)
    inner_inputs = {Port(node, i): ports for i, ports in enumerate(operator.input_ports)}
    inner_outputs = {Port(node, i): port for i, port in enumerate(outputs)}
    for each, (before, after) in results.items():
        follow_ports(each, before, after, inner_inputs, inner_outputs)
    return inner
