"""Small graphs of made-up operators for the tests of this folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import CpModel, GraphView, InputCategory, Node
from aidge_nb.graph.generic import GenericOperatorOp


def op(
    name: str,
    nb_inputs: int = 1,
    size: int = 4,
    *,
    type_name: str = "Op",
    nb_outputs: int = 1,
    overwrites: tuple[int, ...] = (),
    is_view: bool = False,
    cp: CpModel = CpModel.DEFAULT,
    optional_outputs: tuple[int, ...] = (),
    back_edges: tuple[int, ...] = (),
    attrs: Mapping[str, int] | None = None,
) -> Node:
    """Make a node whose outputs hold ``size`` float32 elements each."""
    operator = GenericOperatorOp(type_name, [InputCategory.Data] * nb_inputs, nb_outputs, attrs)
    operator.spec = replace(
        operator.spec,
        overwrites=overwrites,
        is_view=is_view,
        cp=cp,
        optional_outputs=optional_outputs,
        back_edges=back_edges,
    )
    for index in range(nb_outputs):
        operator.get_output(index).resize([size])
    return Node(operator, name)


def unary(name: str, size: int = 4) -> Node:
    """Make an element-wise operator of one input."""
    return op(name, 1, size, overwrites=(0,), cp=CpModel.IN_PLACE)


def binary(name: str, size: int = 4) -> Node:
    """Make an element-wise operator of two inputs."""
    return op(name, 2, size, overwrites=(0, 1), cp=CpModel.IN_PLACE)


def opaque(name: str, size: int = 4, nb_inputs: int = 1) -> Node:
    """Make an operator that may overwrite nothing."""
    return op(name, nb_inputs, size)


def reshape(name: str, size: int = 4) -> Node:
    """Make an operator whose output is its input."""
    return op(name, 1, size, is_view=True, cp=CpModel.IDENTITY)


def producer(name: str, size: int = 4) -> Node:
    """Make a Producer."""
    return op(name, 0, size, type_name="Producer", cp=CpModel.PRODUCER)


def graph(
    nodes: Sequence[Node], edges: Sequence[tuple[int, ...]], input_size: int = 4
) -> GraphView:
    """Connect nodes by number: (parent, child), (parent, child, input) or with the output last.

    Inputs that stay free are fed by one tensor of ``input_size`` elements.
    """
    for parent, child, *ports in edges:
        index = ports[0] if ports else None
        nodes[parent].add_child(nodes[child], ports[1] if len(ports) > 1 else 0, index)
    tensor = Tensor.of_dims([input_size])
    for node in nodes:
        for index, port in enumerate(node.inputs()):
            if port is None:
                node.get_operator().associate_input(index, tensor)
    view = GraphView("test")
    view.add(nodes)
    return view


def chain(*nodes: Node) -> GraphView:
    """Connect nodes one behind the other."""
    return graph(nodes, [(number, number + 1) for number in range(len(nodes) - 1)])
