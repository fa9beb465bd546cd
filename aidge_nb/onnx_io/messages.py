"""Make the messages of an ONNX file: of a model, of its graphs, nodes, values and tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import OnnxError
from aidge_nb.kernels.formats import BITS, TYPES
from aidge_nb.onnx_io.element_types import EXOTIC
from aidge_nb.onnx_io.ir import AttributeReference, OnnxFunction, OnnxGraph, OnnxNode, OnnxValue
from aidge_nb.onnx_io.wire.fields import ATTRIBUTE_FIELDS
from aidge_nb.onnx_io.wire.message import Message

_IR_OF_CONSTANTS = 4
"""The version of the file format from which on initializers need not be inputs."""
_KIND = {field: number for number, field in ATTRIBUTE_FIELDS.items()}
_PLURAL = {"f": "floats", "i": "ints", "s": "strings", "t": "tensors", "g": "graphs"}


def model_message(
    graph: OnnxGraph,
    opsets: Mapping[str, int],
    functions: Sequence[OnnxFunction],
    metadata: Mapping[str, str],
    ir_version: int,
    producer: str,
) -> Message:
    """Make the message of a model of these parts.

    Raise OnnxError when an attribute or a tensor is of a kind that ONNX has not.
    """
    inside = _graph(graph)
    if ir_version < _IR_OF_CONSTANTS:
        constants = (_tensor_value(t.name, t.data_type, t.dims) for t in inside.initializer)
        inside.filled["input"] = (*inside.input, *constants)
    entries = [_message("StringStringEntryProto", key=k, value=v) for k, v in metadata.items()]
    return _message(
        "ModelProto",
        ir_version=ir_version,
        producer_name=producer,
        graph=inside,
        opset_import=_opsets(opsets),
        metadata_props=entries,
        functions=[_function(function) for function in functions],
    )


def _message(kind: str, **fields: Any) -> Message:
    """Make a message; lists become tuples, and what is None or an empty list stays out."""
    filled = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in fields.items()
        if value is not None and not (isinstance(value, (list, tuple)) and not len(value))
    }
    return Message(kind, filled)


def _opsets(opsets: Mapping[str, int]) -> list[Message]:
    return [_message("OperatorSetIdProto", domain=d, version=v) for d, v in opsets.items()]


def _graph(graph: OnnxGraph) -> Message:
    return _message(
        "GraphProto",
        node=[node_message(node) for node in graph.nodes],
        name=graph.name or "graph",
        initializer=[_tensor(array, name) for name, array in graph.initializers.items()],
        input=[_value(value) for value in graph.inputs],
        output=[_value(value) for value in graph.outputs],
        value_info=[_value(value) for value in graph.values.values()],
    )


def node_message(node: OnnxNode) -> Message:
    """Make the message for one node."""
    return _message(
        "NodeProto",
        input=list(node.inputs),
        output=list(node.outputs),
        name=node.name or None,
        op_type=node.op_type,
        attribute=[_attribute(name, value, node.label) for name, value in node.attributes.items()],
        domain=node.domain or None,
    )


def _function(function: OnnxFunction) -> Message:
    defaults = {name: value for name, value in function.attributes.items() if value is not None}
    return _message(
        "FunctionProto",
        name=function.name,
        input=list(function.inputs),
        output=list(function.outputs),
        attribute=[name for name in function.attributes if name not in defaults],
        node=[node_message(node) for node in function.nodes],
        opset_import=_opsets(function.opsets),
        domain=function.domain,
        attribute_proto=[
            _attribute(name, value, function.name) for name, value in defaults.items()
        ],
    )


def _attribute(name: str, value: Any, owner: str) -> Message:
    """Write an attribute; its kind follows from the value."""
    if isinstance(value, AttributeReference):
        return _message("AttributeProto", name=name, type=_KIND["i"], ref_attr_name=value.name)
    try:
        field, content = _content(value)
    except (TypeError, ValueError, KeyError):
        raise OnnxError.at(
            f"node {owner}, attribute {name!r}",
            "ONNX has no such attribute",
            expected="a number, text, array, graph, or a tuple of them",
            found=type(value).__name__,
        ) from None
    return Message("AttributeProto", {"name": name, field: content, "type": _KIND[field]})


def _content(value: Any) -> tuple[str, Any]:
    """Return the field that a value belongs to, and what it holds."""
    if isinstance(value, (tuple, list)):
        parts = [_content(entry) for entry in value]
        fields = {field for field, _ in parts} or {"i"}
        if fields == {"i", "f"}:  # a list of numbers, some of them whole
            fields = {"f"}
        (field,) = fields
        return _PLURAL[field], tuple(content for _, content in parts)
    if isinstance(value, np.ndarray):
        return "t", _tensor(value, "")
    if isinstance(value, OnnxGraph):
        return "g", _graph(value)
    if isinstance(value, str):
        return "s", value.encode()
    if isinstance(value, (bool, int, np.integer)):
        return "i", int(value)
    if isinstance(value, (float, np.floating)):
        return "f", float(value)
    raise TypeError(type(value))


def _tensor(array: NDArray[Any], name: str) -> Message:
    names = {theirs: ours for ours, theirs in EXOTIC.items()}
    kind = "string" if array.dtype.kind in "OUS" else names.get(array.dtype.name, array.dtype.name)
    if kind not in TYPES[1:]:
        raise OnnxError.at(f"tensor {name!r}", "ONNX has no such element type", found=array.dtype)
    texts = kind == "string"
    return _message(
        "TensorProto",
        dims=array.shape,
        data_type=TYPES.index(kind),
        string_data=[_utf8(text) for text in array.flat] if texts else None,
        name=name or None,
        raw_data=None if texts else _raw(array, kind),
    )


def _utf8(text: Any) -> bytes:
    return text if isinstance(text, bytes) else str(text).encode()


def _raw(array: NDArray[Any], kind: str) -> memoryview | bytes:
    """Return the bytes of an array, without a copy where it has them as they are written."""
    if kind not in EXOTIC:
        little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        return little.reshape(-1).view(np.uint8).data
    codes = np.ascontiguousarray(array).reshape(-1).view(f"<u{array.dtype.itemsize}")
    if BITS[kind] >= 8:
        return codes.tobytes()
    each = np.unpackbits(codes.astype(np.uint8)[:, None], axis=1, bitorder="little")
    return np.packbits(each[:, : BITS[kind]], bitorder="little").tobytes()


def _value(value: OnnxValue) -> Message:
    if value.dtype is None:
        return _message("ValueInfoProto", name=value.name)
    return _tensor_value(value.name, TYPES.index(value.dtype), value.dims)


def _tensor_value(name: str, kind: int, dims: Sequence[int | str | None] | None) -> Message:
    """Describe a value that is a tensor; dims that are None are open."""
    shape = None if dims is None else Message("TensorShapeProto", {"dim": tuple(map(_dim, dims))})
    tensor = _message("TypeProto.Tensor", elem_type=kind, shape=shape)
    return _message("ValueInfoProto", name=name, type=_message("TypeProto", tensor_type=tensor))


def _dim(size: int | str | None) -> Message:
    if size is None:
        return Message("TensorShapeProto.Dimension")
    field = "dim_param" if isinstance(size, str) else "dim_value"
    return Message("TensorShapeProto.Dimension", {field: size})
