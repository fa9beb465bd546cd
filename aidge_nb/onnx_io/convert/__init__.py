"""Convert ONNX operators to ours: one module per family with more than a rename.

Operators that differ by their name alone are found through ``OpSpec.onnx``; everything else is
listed in :data:`~aidge_nb.onnx_io.convert.call.CONVERTERS`.
"""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.errors import GraphError, OnnxError, ShapeError
from aidge_nb.graph.node import Node, Port
from aidge_nb.onnx_io.convert import control, recurrent, simple, windows
from aidge_nb.onnx_io.convert.call import CONVERTERS, OnnxCall, Unsupported
from aidge_nb.onnx_io.convert.conversion import Conversion
from aidge_nb.onnx_io.convert.generic import generic
from aidge_nb.onnx_io.convert.rename import has_rename, renamed
from aidge_nb.onnx_io.convert.standard import as_standard
from aidge_nb.onnx_io.convert.user import converted_by_user
from aidge_nb.onnx_io.ir import OnnxNode

__all__ = ["convert_node"]

FAMILIES = (control, recurrent, simple, windows)
"""Modules whose converters are in the registry."""


def convert_node(conversion: Conversion, node: OnnxNode) -> None:
    """Add the nodes for one ONNX node, generic ones if none of ours fits, and record which.

    Raise OnnxError when the node has invalid attributes or inputs.
    """
    call = OnnxCall(node, conversion)
    reason = ""
    try:
        result = converted_by_user(call) or _converted(call)
    except Unsupported as refusal:
        result = generic(call)
        reason = str(refusal)
    except (GraphError, ShapeError, TypeError, ValueError, IndexError) as error:
        where = f"{conversion.model.source or conversion.model.name}, node {node.label}"
        raise OnnxError.at(where, f"is invalid: {error}") from error
    if isinstance(result, Node):
        result.annotations["onnx"] = node.op_type
        ports = [Port(result, index) for index in range(result.get_nb_outputs())]
    else:
        ports = list(result)
    for output, port in zip(node.outputs, ports, strict=False):
        if output:
            conversion.define(output, port)
    if isinstance(result, Node):
        conversion.report.append((node.name, node.op_type, reason))


def _converted(call: OnnxCall) -> Node | Sequence[Port]:
    """Convert by our operators if they cover the node, else as ONNX defines it."""
    if call.node.domain:
        return as_standard(call)
    try:
        return CONVERTERS.get(call.node.op_type, renamed)(call)
    except Unsupported as refusal:
        try:
            return as_standard(call)
        except Unsupported as other:
            ours = call.node.op_type in CONVERTERS or has_rename(call.node.op_type)
            raise refusal if ours and call.node.op_type != "If" else other from None
