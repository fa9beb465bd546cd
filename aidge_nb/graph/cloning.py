"""Independent copies of graphs."""

from __future__ import annotations

from collections.abc import Callable

from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.attributes import Annotations, Attributes
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.view import GraphView


def clone_view(
    view: GraphView,
    *,
    share_values: bool = False,
    shares: Callable[[Node], bool] = lambda node: False,
) -> tuple[GraphView, dict[Node, Node]]:
    """Copy a graph, and tell which node became which.

    Edges from nodes outside the view are not copied; tensors that inputs shared stay shared
    among their copies. With ``share_values`` Producers give the tensors of the original: for copies
    that are planned and looked at, and change no values. The copies of nodes that ``shares`` picks
    have the operators of the original.
    """

    def copied(node: Node) -> Node:
        if shares(node):
            return Node(node.get_operator(), node.name())
        return _sharing(node) if share_values else node.clone()

    twin = {node: copied(node) for node in view}
    copy = GraphView(view.name())
    copy.annotations = Annotations(view.annotations)
    copy.add(twin.values(), include_learnable_params=False)
    for node, new in twin.items():
        new.annotations = Annotations(node.annotations)
        for output, ports in enumerate(node.outputs()):
            for port in ports:
                if port.node in twin:
                    new.add_child(twin[port.node], output, port.index)
    _clone_direct_tensors(twin)
    copy.set_ordered_inputs(_twins(view._input_order, twin))
    copy.set_ordered_outputs(_twins(view._output_order, twin))
    return copy, twin


def _sharing(node: Node) -> Node:
    """Copy a node; the copy of a Producer shares the original's tensor."""
    operator = node.get_operator()
    if node.type() != "Producer":
        return node.clone()
    twin = Operator(operator.spec, Attributes(operator.attr))
    twin.share_outputs(operator)
    if operator.backend():
        twin.set_backend(operator.backend())
    return Node(twin, node.name())


def _twins(ports: list[Port], twin: dict[Node, Node]) -> list[Port]:
    return [Port(twin[port.node], port.index) for port in ports if port.node in twin]


def _clone_direct_tensors(twin: dict[Node, Node]) -> None:
    copies: dict[int, Tensor] = {}
    for node, new in twin.items():
        for index in range(node.get_nb_inputs()):
            tensor = node.get_operator().get_input(index)
            if tensor is not None and new.get_operator().get_input(index) is None:
                shared = copies.setdefault(id(tensor), tensor.clone())
                new.get_operator().associate_input(index, shared)
