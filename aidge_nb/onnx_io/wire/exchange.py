"""Exchange models with the ``onnx`` package, which is asked for what it alone can do."""

from __future__ import annotations

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


def from_package(model: onnx.ModelProto) -> Message:
    """Return a model of the ``onnx`` package as a message."""
    return decode(memoryview(bytearray(model.SerializeToString())), "ModelProto", own=True)
