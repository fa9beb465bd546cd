"""Convert an :class:`~aidge_nb.onnx_io.model.OnnxModel` to an ``onnx.ModelProto``."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import OnnxError
from aidge_nb.core.files import write_atomically
from aidge_nb.onnx_io.ir import AttributeReference, OnnxFunction, OnnxGraph, OnnxNode, OnnxValue

if TYPE_CHECKING:
    import onnx

    from aidge_nb.onnx_io.model import OnnxModel

_LARGEST_FILE = 2**31 - 1
_IR_OF_CONSTANTS = 4
"""The version of the file format from which on initializers need not be inputs."""
_SPELLED = {"float32": "FLOAT", "float64": "DOUBLE"}


def model_proto(model: OnnxModel) -> onnx.ModelProto:
    """Make the ``ModelProto`` of a model.

    Raise OnnxError for a kind of attribute or tensor that ONNX does not have.
    """
    from onnx import helper

    graph = _graph(model.graph)
    if model.ir_version < _IR_OF_CONSTANTS:
        graph.input.extend(map(_constant_input, graph.initializer))
    proto = helper.make_model(
        graph,
        ir_version=model.ir_version,
        producer_name=model.producer,
        opset_imports=_opsets(model.opsets),
        functions=[_function(function) for function in model.functions],
    )
    helper.set_model_props(proto, dict(model.metadata))
    return proto


def serialized(model: OnnxModel) -> bytes:
    """Return the content of the ``.onnx`` file.

    Raise OnnxError as :func:`model_proto`, or when the model takes more than the 2 GB of a protobuf
    message.
    """
    proto = model_proto(model)
    size = proto.ByteSize()
    if size > _LARGEST_FILE:
        raise OnnxError.at(
            f"model {model.name!r}",
            "is too large for one ONNX file",
            expected=f"at most {_LARGEST_FILE} bytes",
            found=size,
            cure="Build a smaller variant of it.",
        )
    return bytes(proto.SerializeToString(deterministic=True))


def save_bytes(content: bytes, path: str | PathLike[str]) -> None:
    """Write a file whole or not at all.

    Raise OnnxError when the folder cannot be written to.
    """
    try:
        write_atomically(path, content)
    except OSError as error:
        raise OnnxError.at(str(path), f"cannot be written: {error.strerror}") from error


def _opsets(opsets: Mapping[str, int]) -> list[onnx.OperatorSetIdProto]:
    from onnx import helper

    return [helper.make_opsetid(domain, version) for domain, version in opsets.items()]


def _graph(graph: OnnxGraph) -> onnx.GraphProto:
    from onnx import helper

    return helper.make_graph(
        [node_proto(node) for node in graph.nodes],
        graph.name or "graph",
        [_value(value) for value in graph.inputs],
        [_value(value) for value in graph.outputs],
        [_tensor(array, name) for name, array in graph.initializers.items()],
        value_info=[_value(value) for value in graph.values.values()],
    )


def node_proto(node: OnnxNode) -> onnx.NodeProto:
    """Make the message for one node."""
    from onnx import helper

    proto = helper.make_node(
        node.op_type, node.inputs, node.outputs, name=node.name, domain=node.domain or None
    )
    proto.attribute.extend(
        _attribute(name, value, node.label) for name, value in node.attributes.items()
    )
    return proto


def _function(function: OnnxFunction) -> onnx.FunctionProto:
    from onnx import helper

    defaults = {name: value for name, value in function.attributes.items() if value is not None}
    return helper.make_function(
        function.domain,
        function.name,
        function.inputs,
        function.outputs,
        [node_proto(node) for node in function.nodes],
        _opsets(function.opsets),
        [name for name in function.attributes if name not in defaults],
        [_attribute(name, value, function.name) for name, value in defaults.items()],
    )


def _attribute(name: str, value: Any, owner: str) -> onnx.AttributeProto:
    """Write an attribute; its kind follows from the value."""
    from onnx import AttributeProto, helper

    if isinstance(value, AttributeReference):
        return AttributeProto(name=name, ref_attr_name=value.name, type=AttributeProto.INT)
    kind = AttributeProto.INTS if isinstance(value, tuple) and not value else None
    try:
        return helper.make_attribute(name, _encoded(value), attr_type=kind)
    except (TypeError, ValueError):
        raise OnnxError.at(
            f"node {owner}, attribute {name!r}",
            "ONNX has no such attribute",
            expected="a number, text, array, graph, or a tuple of them",
            found=type(value).__name__,
        ) from None


def _encoded(value: Any) -> Any:
    """Convert arrays and graphs to messages, alone or in a tuple."""
    if isinstance(value, np.ndarray):
        return _tensor(value, "")
    if isinstance(value, OnnxGraph):
        return _graph(value)
    if isinstance(value, (tuple, list)):
        return [_encoded(entry) for entry in value]
    if isinstance(value, (str, int, float, np.integer, np.floating)):
        return value
    raise TypeError(type(value))


def _tensor(array: NDArray[Any], name: str) -> onnx.TensorProto:
    from onnx import numpy_helper

    try:
        return numpy_helper.from_array(array, name)
    except (ValueError, KeyError, NotImplementedError):
        raise OnnxError.at(
            f"tensor {name!r}", "ONNX has no such element type", found=array.dtype
        ) from None


def _constant_input(tensor: onnx.TensorProto) -> onnx.ValueInfoProto:
    from onnx import helper

    return helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)


def _value(value: OnnxValue) -> onnx.ValueInfoProto:
    from onnx import TensorProto, ValueInfoProto, helper

    if value.dtype is None:
        return ValueInfoProto(name=value.name)
    kind = TensorProto.DataType.Value(_SPELLED.get(value.dtype, value.dtype.upper()))
    return helper.make_tensor_value_info(value.name, kind, value.dims)
