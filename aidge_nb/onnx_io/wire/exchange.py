"""Exchange models with the ``onnx`` package, which is asked for what it alone can do."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from aidge_nb.onnx_io.wire.decode import decode
from aidge_nb.onnx_io.wire.encode import encode
from aidge_nb.onnx_io.wire.message import Message

if TYPE_CHECKING:
    import onnx


def to_package(model: Message) -> onnx.ModelProto:
    """Return a model as the ``onnx`` package has it."""
    from onnx import ModelProto

    proto = ModelProto()
    proto.ParseFromString(encode(model))
    return proto


def declare_initializers(graph: onnx.GraphProto, kinds: Container[int] | None = None) -> None:
    """Declare the types of constants (those of some kinds), where they are not declared already."""
    from onnx import helper

    known = {value.name for value in (*graph.input, *graph.value_info)}
    graph.value_info.extend(
        helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        for tensor in graph.initializer
        if tensor.name not in known and (kinds is None or tensor.data_type in kinds)
    )


def from_package(model: onnx.ModelProto) -> Message:
    """Return a model of the ``onnx`` package as a message."""
    return decode(memoryview(bytearray(model.SerializeToString())), "ModelProto", own=True)
