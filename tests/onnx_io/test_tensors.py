"""Tensors, against what the ``onnx`` package reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from aidge_nb.core.errors import OnnxError
from aidge_nb.onnx_io.tensors import element_type, read_sparse_tensor, read_tensor
from aidge_nb.onnx_io.wire.decode import decode
from aidge_nb.onnx_io.wire.message import Message

SMALL = ["uint4", "int4", "uint2", "int2", "float4e2m1"]
EXOTIC = {
    element_type(number): number
    for name, number in TensorProto.DataType.items()
    if name.startswith(("BFLOAT", "FLOAT8", "FLOAT6", "FLOAT4", "UINT4", "INT4", "UINT2", "INT2"))
}


def no_file(name: str, entries: Mapping[str, str]) -> memoryview:
    raise AssertionError((name, entries))


def message(proto: onnx.TensorProto | onnx.SparseTensorProto) -> Message:
    return decode(memoryview(proto.SerializeToString()), type(proto).__name__)


def read(proto: onnx.TensorProto) -> NDArray[Any]:
    return read_tensor(message(proto), "model", no_file)


def test_element_types_are_those_of_onnx() -> None:
    for name, number in TensorProto.DataType.items():
        spelled = {"FLOAT": "float32", "DOUBLE": "float64", "UNDEFINED": None}
        assert element_type(number) == spelled.get(name, name.lower())
    assert element_type(999) is None


NUMPY = "float32 float64 float16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool"


@pytest.mark.parametrize("dtype", [*NUMPY.split(), "complex64", "complex128"])
@pytest.mark.parametrize("raw", [True, False])
def test_numpy_types(dtype: str, raw: bool) -> None:
    values = np.arange(-3, 9).reshape(3, 4).astype(dtype)
    proto = helper.make_tensor(
        "t",
        helper.np_dtype_to_tensor_dtype(values.dtype),
        values.shape,
        values.tobytes() if raw else values.reshape(-1).tolist(),
        raw=raw,
    )
    found = read(proto)
    assert found.dtype == values.dtype
    np.testing.assert_array_equal(found, values)
    assert found.flags.aligned


@pytest.mark.parametrize("kind", EXOTIC)
@pytest.mark.parametrize("raw", [True, False])
def test_other_types_are_widened(kind: str, raw: bool) -> None:
    codes = np.arange(64 if kind in SMALL else 256, dtype=np.uint8)
    dims = {"uint4": 128, "int4": 128, "float4e2m1": 128, "uint2": 256, "int2": 256}.get(kind, 256)
    if kind == "bfloat16":
        codes = np.arange(0, 65536, 256, dtype=np.uint16)
    if kind.startswith("float6") and raw:
        codes = np.arange(256 * 6 // 8, dtype=np.uint8)
    proto = TensorProto(name="t", data_type=EXOTIC[kind], dims=[dims])
    if raw:
        proto.raw_data = codes.tobytes()
    else:
        proto.int32_data.extend(codes.tolist())
    found = read(proto)
    official = numpy_helper.to_array(proto).astype(found.dtype)
    assert found.dtype == (np.float32 if "float" in kind else np.dtype(kind[:-1] + "8"))
    np.testing.assert_array_equal(found, official)


def test_an_odd_number_of_small_values() -> None:
    proto = TensorProto(data_type=TensorProto.INT4, dims=[3], raw_data=b"\x21\x0f")
    assert read(proto).tolist() == [1, 2, -1]


def test_strings_scalars_and_nothing() -> None:
    strings = TensorProto(data_type=8, dims=[2], string_data=[b"a", "ö".encode()])
    assert read(strings).tolist() == ["a", "ö"]
    assert read(helper.make_tensor("t", TensorProto.FLOAT, [], [2.5])).tolist() == 2.5
    assert read(helper.make_tensor("t", TensorProto.INT64, [0], [])).shape == (0,)
    assert np.isnan(read(helper.make_tensor("t", TensorProto.FLOAT, [1], [np.nan]))).all()


def test_wrong_tensors() -> None:
    with pytest.raises(OnnxError, match=r"tensor 't': unknown element type .found 99"):
        read(TensorProto(name="t", data_type=99))
    with pytest.raises(OnnxError, match=r"tensor 't': the data do not fill .* float32\[3\]"):
        read(TensorProto(name="t", data_type=1, dims=[3], float_data=[1, 2]))
    with pytest.raises(OnnxError, match=r"expected float32\[1\], found 5 bytes"):
        read(TensorProto(name="t", data_type=1, dims=[1], raw_data=b"12345"))
    with pytest.raises(OnnxError, match=r"a dimension is negative .found \[-3, 2\]"):
        read(TensorProto(name="t", data_type=1, dims=[-3, 2], raw_data=bytes(24)))


@pytest.mark.parametrize("indices", [[1, 5], [[0, 1], [1, 2]]])
def test_sparse_tensors_become_dense(indices: Any) -> None:
    values = helper.make_tensor("s", TensorProto.FLOAT, [2], [2.0, 3.0])
    places = numpy_helper.from_array(np.array(indices, np.int64), "i")
    proto = helper.make_sparse_tensor(values, places, [2, 3])
    dense = read_sparse_tensor(message(proto), "model", no_file)
    assert dense.tolist() == [[0, 2, 0], [0, 0, 3]]


def test_a_sparse_tensor_with_an_index_outside() -> None:
    values = helper.make_tensor("s", TensorProto.FLOAT, [1], [2.0])
    places = numpy_helper.from_array(np.array([9], np.int64), "i")
    proto = helper.make_sparse_tensor(values, places, [2, 3])
    with pytest.raises(OnnxError, match="sparse tensor 's': cannot be filled in: index 9"):
        read_sparse_tensor(message(proto), "model", no_file)
