"""How factories make nodes: with checked attributes, and with Producers for parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import DTypeLike

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import DataDependencyError, GraphError, explain
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import CpModel, OpSpec, ShapeContext, register


def make_node(
    spec: OpSpec,
    name: str = "",
    *,
    nb_inputs: int | None = None,
    nb_outputs: int | None = None,
    **attributes: Any,
) -> Node:
    """Make a node of a declared operator; attributes not given have their defaults.

    Raises
    ------
    GraphError
        For an attribute that the operator does not have or one that it needs, and for a number of
        inputs or outputs that makes no sense.
    """
    least = len(spec.inputs) if spec.variadic else 0
    if (nb_inputs is not None and nb_inputs < least) or (nb_outputs is not None and nb_outputs < 1):
        raise GraphError(
            explain(
                f"{name} ({spec.type})",
                "too few inputs or outputs",
                expected=f"at least {least} and 1",
                found=f"{nb_inputs} and {nb_outputs}",
            )
        )
    if "nb_outputs" in spec.attrs:
        attributes["nb_outputs"] = len(spec.outputs) if nb_outputs is None else nb_outputs
    attrs = spec.make_attributes(**attributes)
    return Node(Operator(spec, attrs, nb_inputs=nb_inputs, nb_outputs=nb_outputs), name)


def _producer_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    raise DataDependencyError(explain(context.where, "has no dimensions yet"))


PRODUCER = register(
    OpSpec("Producer", (), _producer_dims, attrs={"constant": False}, cp=CpModel.PRODUCER)
)


def make_producer(tensor: Tensor, name: str = "", *, constant: bool = False) -> Node:
    """Make a node that gives a tensor."""
    node = make_node(PRODUCER, name, constant=constant)
    node.get_operator().set_output(0, tensor)
    return node


def add_parameter(
    node: Node,
    index: int,
    suffix: str,
    dims: Sequence[int],
    dtype: DType | DTypeLike = DType.float32,
) -> Node:
    """Feed input ``index`` of ``node`` from a new Producer, named after it.

    The Producer has dimensions and no values yet. That of an unnamed node is unnamed.
    """
    name = f"{node.name()}_{suffix}" if node.name() else ""
    producer = make_producer(Tensor.of_dims(dims, dtype), name)
    producer.add_child(node, 0, index)
    return producer
