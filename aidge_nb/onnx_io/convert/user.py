"""Converters that a user registers for ONNX operators without a counterpart.

They have aidge_onnx's signature: ``converter(onnx_node, input_nodes, opset, inputs_tensor_info)``
returns an unconnected node, or None to decline. They take precedence over our converters.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import OnnxError
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.node import Node
from aidge_nb.onnx_io.convert.call import OnnxCall
from aidge_nb.onnx_io.convert.generic import note_origin

if TYPE_CHECKING:
    UserConverter = Callable[..., Node | None]

USER_CONVERTERS: dict[str, UserConverter] = {}
"""By ONNX operator type in lower case."""


def converted_by_user(call: OnnxCall) -> Node | None:
    """Call the user's converter of an operator, if any, and connect its node.

    Raise OnnxError when the converter returns anything but a node with as many inputs, or None.
    """
    converter = USER_CONVERTERS.get(call.node.op_type.lower())
    if converter is None:
        return None
    from onnx import NodeProto

    from aidge_nb.onnx_io.messages import node_message
    from aidge_nb.onnx_io.wire.encode import encode

    sources = [call.conversion.port(value) if value else None for value in call.inputs]
    infos = [None] * len(call.inputs)  # types are found by the operator itself
    proto = NodeProto()
    proto.ParseFromString(encode(node_message(call.node)))
    given: tuple[Any, ...] = (proto, sources, call.opset, infos)
    made: object = converter(*given[: _accepted(converter)])
    if made is None:
        return None
    if not isinstance(made, Node) or made.get_nb_inputs() < len(call.inputs):
        raise OnnxError.at(
            f"{call.conversion.model.source}, node {call.node.label}",
            "the registered converter returned an unsuitable result",
            expected=f"a node with {len(call.inputs)} inputs, or None",
            found=repr(made),
        )
    node = call.conversion.place(made, call.inputs)
    if isinstance(node.get_operator(), GenericOperatorOp):
        note_origin(call, node, [])
    return node


def _accepted(converter: UserConverter) -> int:
    """Return how many arguments a converter takes: two, three or four by release of Aidge."""
    kinds = [each.kind for each in signature(converter).parameters.values()]
    if any(kind.name == "VAR_POSITIONAL" for kind in kinds):
        return 4
    return min(4, sum(kind.name.startswith("POSITIONAL") for kind in kinds))
