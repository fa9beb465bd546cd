"""Decoding and encoding messages, against what protobuf makes of the same bytes."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from google.protobuf.message import DecodeError as ProtobufError  # type: ignore[import-untyped]
from onnx import helper

from aidge_nb import zoo
from aidge_nb.core.errors import LimitError
from aidge_nb.core.limits import limits
from aidge_nb.onnx_io.tensors import read_tensor
from aidge_nb.onnx_io.wire.decode import DEEPEST, DecodeError, decode, varints
from aidge_nb.onnx_io.wire.encode import encode, encoded_size
from aidge_nb.onnx_io.wire.fields import FIELDS, NAMED
from aidge_nb.onnx_io.wire.message import Message
from tests.hostile.fuzz import mutated
from tests.hostile.seeds import seed_models

BACKEND = sorted(Path(onnx.__file__).parent.glob("backend/test/data/**/*"))
MODELS = [path for path in BACKEND if path.suffix == ".onnx"]
TENSORS = [path for path in BACKEND if path.suffix == ".pb"]


@cache
def fields_of(kind: str) -> frozenset[str]:
    """Return the fields of a message of the package that the table lists, by its own name."""
    spelled = {"Tensor": "TypeProto.Tensor", "SparseTensor": "TypeProto.Tensor"}
    spelled |= dict.fromkeys(("Sequence", "Optional"), "TypeProto.Sequence")
    spelled |= {"Map": "TypeProto.Map", "Dimension": "TensorShapeProto.Dimension"}
    return frozenset(NAMED.get(spelled.get(kind, kind), ()))


def without_the_rest(message: Any) -> Any:
    """Clear what the table does not list, in a message of the package."""
    message.DiscardUnknownFields()
    for field, value in message.ListFields():
        if field.name not in fields_of(message.DESCRIPTOR.name):
            message.ClearField(field.name)
        elif field.message_type is not None:
            for each in value if field.is_repeated else (value,):
                without_the_rest(each)
    return message


def official(content: bytes) -> bytes:
    """Return the bytes that protobuf writes for a model, without what the table does not list."""
    proto = onnx.ModelProto()
    proto.ParseFromString(content)
    return bytes(without_the_rest(proto).SerializeToString(deterministic=True))


def ours(content: bytes) -> bytes:
    message = decode(memoryview(content), "ModelProto")
    written = encode(message)
    assert encoded_size(message) == len(written)
    return written


def test_the_table_has_the_numbers_and_kinds_of_the_package() -> None:
    kinds = {1: "f8", 2: "float", 3: "int", 4: "int", 5: "int", 9: "text", 12: "bytes", 14: "int"}
    arrays = {"float_data": "f4"}
    for name, fields in FIELDS.items():
        descriptor = onnx.onnx_ml_pb2.DESCRIPTOR.message_types_by_name[name.partition(".")[0]]
        if "." in name:
            descriptor = descriptor.nested_types_by_name[name.partition(".")[2]]
        for number, field in fields.items():
            theirs = descriptor.fields_by_number[number]
            assert field.name == theirs.name
            assert (field.many or field.array) == theirs.is_repeated
            kind = arrays.get(field.name, kinds.get(theirs.type))
            assert field.kind == kind if kind else theirs.message_type is not None


@pytest.mark.parametrize("name", sorted(zoo.MODELS))
def test_models_of_the_zoo_are_read_and_written_as_protobuf_does(name: str) -> None:
    content = zoo.build(name).to_bytes()
    assert ours(content) == official(content)


def test_models_of_the_package_are_read_and_written_as_protobuf_does() -> None:
    assert len(MODELS) > 100
    for path in MODELS:
        content = path.read_bytes()
        assert ours(content) == official(content), path


def test_models_of_the_tests_are_read_and_written_as_protobuf_does() -> None:
    for proto in seed_models():
        content = proto.SerializeToString()
        assert ours(content) == official(content)


def test_tensors_of_the_package_are_the_same_to_the_bit() -> None:
    assert len(TENSORS) > 100
    for path in TENSORS:
        proto = onnx.TensorProto()
        try:
            proto.ParseFromString(path.read_bytes())
        except ProtobufError:
            continue  # a sequence, or a type
        if not proto.data_type or proto.data_type == onnx.TensorProto.STRING:
            continue
        message = decode(memoryview(path.read_bytes()), "TensorProto")
        found = read_tensor(message, "tensor", lambda name, entries: memoryview(b""))
        wanted = onnx.numpy_helper.to_array(proto)
        assert (found.shape, found.tobytes()) == (wanted.shape, wanted.tobytes()), path


@pytest.mark.parametrize("first", range(0, 300, 100))
def test_what_is_accepted_means_what_protobuf_reads(first: int) -> None:
    models = [proto.SerializeToString() for proto in seed_models()]
    refused = 0
    for seed in range(first, first + 100):
        content = mutated(models, seed)
        try:
            written = ours(content)
        except DecodeError:
            refused += 1
            continue
        try:
            wanted = official(content)
        except ProtobufError:  # it looks into what we skip
            continue
        assert official(written) == wanted, f"seed {seed}"
    assert 0 < refused < 60


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\x08", "has no end"),
        (b"\x08" + b"\xff" * 10 + b"\x01", "has no end"),
        (b"\x3a\x05\x0a", "field 7 ends at byte 7 of 3"),
        (b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "field 7 ends at byte"),
        (b"\x0a\x00", "the field ir_version is of the wrong kind"),
        (b"\x3d\x00\x00\x00\x00", "the field graph of a ModelProto is of the wrong kind"),
        (b"\x3d\x00\x00", "field 7 ends at byte 5 of 3"),
        (b"\x0b", "at byte 1 there is no field"),
        (b"\x00\x00", "at byte 1 there is no field"),
    ],
)
def test_damaged_bytes(content: bytes, why: str) -> None:
    with pytest.raises(DecodeError, match=why):
        decode(memoryview(content), "ModelProto")


def test_messages_within_messages_have_a_depth() -> None:
    def nested(levels: int) -> bytes:
        graph = Message("GraphProto")
        for _ in range(levels):
            attribute = Message("AttributeProto", {"g": graph})
            node = Message("NodeProto", {"attribute": (attribute,)})
            graph = Message("GraphProto", {"node": (node,)})
        return encode(graph)

    decode(memoryview(nested(DEEPEST // 3)), "GraphProto")
    with pytest.raises(DecodeError, match="messages within messages"):
        decode(memoryview(nested(DEEPEST // 3 + 1)), "GraphProto")


def test_the_number_of_messages_has_a_limit() -> None:
    content = memoryview(b"\x0a\x00" * 999)  # nodes with nothing inside
    with limits(expanded_nodes=63):
        assert len(decode(content, "GraphProto").node) == 999
    with limits(expanded_nodes=62), pytest.raises(LimitError, match="expanded_nodes"):
        decode(content, "GraphProto")


def test_numbers_with_and_without_keys_between_them() -> None:
    dims = [3, 300, 1 << 40]
    apart = b"".join(
        b"\x08" + encode(Message("OperatorSetIdProto", {"version": d}))[1:] for d in dims
    )
    together = encode(Message("OperatorSetIdProto", {"version": 0}))[:0] + b"\x0a\x09"
    together += b"\x03" + b"\xac\x02" + b"\x80\x80\x80\x80\x80\x20"
    assert decode(memoryview(apart), "TensorProto").dims == tuple(dims)
    assert decode(memoryview(together), "TensorProto").dims == tuple(dims)


def test_long_lists_of_numbers() -> None:
    rng = np.random.default_rng(0)
    numbers = rng.integers(-(1 << 62), 1 << 62, 1000) >> rng.integers(0, 62, 1000)
    proto = helper.make_tensor("t", onnx.TensorProto.INT64, [1000], numbers.tolist())
    (found,) = decode(memoryview(proto.SerializeToString()), "TensorProto").int64_data
    assert found.tolist() == numbers.tolist()
    with pytest.raises(DecodeError, match="more than ten bytes"):
        varints(memoryview(b"\x80" * 10 + b"\x01"))


def test_messages_that_come_twice_are_merged_and_of_numbers_the_last_counts() -> None:
    first = encode(
        Message("ModelProto", {"ir_version": 3, "graph": Message("GraphProto", {"name": "a"})})
    )
    node = Message("NodeProto", {"op_type": "Relu"})
    second = encode(
        Message("ModelProto", {"ir_version": 8, "graph": Message("GraphProto", {"node": (node,)})})
    )
    model = decode(memoryview(first + second), "ModelProto")
    assert (model.ir_version, model.graph.name, model.graph.node[0].op_type) == (8, "a", "Relu")


def test_fields_that_are_not_there() -> None:
    node = Message("NodeProto")
    assert (node.name, node.input, node.has("name")) == ("", (), False)
    assert Message("ModelProto").graph.node == ()
    with pytest.raises(AttributeError, match="NodeProto has no field 'swirl'"):
        _ = node.swirl


@pytest.mark.parametrize("before", range(4))
def test_data_of_tensors_are_views_where_an_array_may_begin(before: int) -> None:
    values = np.arange(2000, dtype=np.float32)
    proto = helper.make_tensor("n" * before, 1, [2000], values.tobytes(), raw=True)
    content = proto.SerializeToString()
    own = memoryview(bytearray(content))
    message = decode(own, "TensorProto", own=True)
    array = read_tensor(message, "tensor", lambda name, entries: memoryview(b""))
    np.testing.assert_array_equal(array, values)
    assert array.flags.aligned
    assert np.shares_memory(array, np.frombuffer(own, np.uint8))
    foreign = bytearray(content)
    decode(memoryview(foreign), "TensorProto")
    assert foreign == content
