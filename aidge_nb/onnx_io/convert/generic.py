"""Convert operators without a counterpart to generic operators."""

from __future__ import annotations

from aidge_nb.graph.generic import FixedDims, GenericOperatorOp
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import InputCategory
from aidge_nb.onnx_io.convert.call import OnnxCall


def generic(call: OnnxCall) -> Node:
    """Add a generic operator for a node that nothing else covers.

    Outer values that the bodies of the node (If, Loop, Scan) read become inputs of it, too.
    """
    inputs, captured = call.everything_read()
    inputs += captured
    categories = [InputCategory.Data if value else InputCategory.OptionalData for value in inputs]
    operator = GenericOperatorOp(
        call.node.op_type, categories, len(call.node.outputs), call.node.attributes
    )
    declared = _declared_dims(call)
    if declared is not None:
        operator.set_forward_dims(FixedDims(declared))
    node = call.conversion.place(Node(operator, call.name), inputs)
    note_origin(call, node, captured)
    return node


def note_origin(call: OnnxCall, node: Node, captured: list[str]) -> None:
    """Record what writing the node as ONNX needs: its domain, and the inputs of its bodies."""
    node.annotations["onnx.domain"] = call.node.domain
    node.annotations["onnx.version"] = call.opset
    if captured or call.node.bodies:
        node.annotations["onnx.captured"] = tuple(captured)
        node.annotations["onnx.inputs"] = tuple(call.inputs)


def _declared_dims(call: OnnxCall) -> list[list[int]] | None:
    """Return the output dims that the model declares, where it does for all."""
    graph = call.conversion.model.graph
    known = {value.name: value for value in (*graph.values.values(), *graph.outputs)}
    declared = []
    for output in call.node.outputs:
        dims = known[output].dims if output in known else None
        if dims is None or not all(isinstance(dim, int) for dim in dims):
            return None
        declared.append([int(dim) for dim in dims if dim is not None])
    return declared
