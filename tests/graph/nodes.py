"""Nodes of no particular operator, for tests of what does not depend on operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aidge_nb.graph import GenericOperator, GraphView, InputCategory, Node, Port
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.spec import CpModel


def unit(name: str = "", inputs: int = 1, outputs: int = 1, kind: str = "Unit") -> Node:
    """Make a node whose outputs have the dimensions of its first input."""
    node = GenericOperator(kind, inputs, 0, outputs, name=name)
    operator = node.get_operator()
    assert isinstance(operator, GenericOperatorOp)
    operator.set_forward_dims(lambda dims: [dims[0]] * outputs)
    return node


def optional(name: str = "", kind: str = "Unit") -> Node:
    """Make a node with a data input, a parameter and an optional parameter."""
    categories = [InputCategory.Data, InputCategory.Param, InputCategory.OptionalParam]
    node = GenericOperator(kind, categories, 1, name=name)
    operator = node.get_operator()
    assert isinstance(operator, GenericOperatorOp)
    operator.set_forward_dims(lambda dims: [dims[0]])
    return node


def source(dims: Sequence[int], name: str = "") -> Node:
    """Make what acts as a Producer of the given dimensions."""
    node = GenericOperator("Producer", 0, 0, 1, name=name, constant=False)
    operator = node.get_operator()
    operator.spec = replace(operator.spec, cp=CpModel.PRODUCER)
    operator.get_output(0).resize(dims)
    return node


def loop(name: str = "") -> Node:
    """Make what acts as a Memorize: input 0 closes a cycle, input 1 is its first value."""
    node = GenericOperator(
        "Memorize", [InputCategory.Data, InputCategory.OptionalData], 2, name=name, end_step=2
    )
    operator = node.get_operator()
    assert isinstance(operator, GenericOperatorOp)
    operator.spec = replace(operator.spec, cp=CpModel.MEMORIZE, back_edges=(0,))
    operator.set_forward_dims(lambda dims: [dims[1], dims[1]])
    return node


def chain(*names: str) -> GraphView:
    """Make a view of units one after the other."""
    view = GraphView("chain")
    previous: Node | None = None
    for name in names:
        node = unit(name)
        if previous is not None:
            previous.add_child(node)
        view.add(node)
        previous = node
    return view


def names_of(nodes: Sequence[Node]) -> list[str]:
    """Name nodes."""
    return [node.name() for node in nodes]


def ports_of(ports: Sequence[Port]) -> list[tuple[str, int]]:
    """Name ports."""
    return [(port.node.name(), port.index) for port in ports]


def edges_of(view: GraphView) -> set[str]:
    """Write the edges of a view as ``a.0>b.0``."""
    return {
        f"{parent.node.name()}.{parent.index}>{node.name()}.{index}"
        for node in view
        for index, parent in node.edges_in()
    }
