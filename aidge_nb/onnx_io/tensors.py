"""Tensors of ONNX files as NumPy arrays.

Element types that NumPy has not are widened to one that holds every value exactly: the four-bit
integers to int8 and uint8, bfloat16 and the eight-bit floats to float32.

Reference: https://onnx.ai/onnx/repo-docs/IR.html#tensor-definition
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import OnnxError
from aidge_nb.core.limits import PER_CONSTANT, check_limit
from aidge_nb.kernels.formats import TYPES

if TYPE_CHECKING:
    import onnx

log = logging.getLogger(__name__)

ReadExternal = Callable[[str, Mapping[str, str]], memoryview]
"""Fetches the bytes of a tensor (by name) that lie outside the model file."""

_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_NUMPY = frozenset(("float16", "float32", "float64", *_INTEGERS, "bool", "complex64", "complex128"))


def element_type(number: int) -> str | None:
    """Return NumPy's name of an ONNX element type; None if it has none.

    Examples
    --------
    >>> element_type(1), element_type(16), element_type(999)
    ('float32', 'bfloat16', None)
    """
    return TYPES[number] if 0 < number < len(TYPES) else None


def read_tensor(tensor: onnx.TensorProto, where: str, external: ReadExternal) -> NDArray[Any]:
    """Make an array of a ``TensorProto``; the array owns its data.

    Raise OnnxError for an unknown element type, or data that do not fill the dimensions.

    ``where`` is the file and node, for messages; ``external`` is called for data in another file.
    """
    from onnx import TensorProto

    where = f"{where}, tensor {tensor.name!r}" if tensor.name else where
    kind = element_type(tensor.data_type)
    if kind is None:
        raise OnnxError.at(where, "unknown element type", found=tensor.data_type)
    if any(dim < 0 for dim in tensor.dims):
        raise OnnxError.at(where, "a dimension is negative", found=list(tensor.dims))
    raw: memoryview | bytes | None = None
    if tensor.data_location == TensorProto.EXTERNAL:
        raw = external(tensor.name, {entry.key: entry.value for entry in tensor.external_data})
    elif tensor.HasField("raw_data"):
        raw = tensor.raw_data
    try:
        if raw is not None and kind in _NUMPY:
            array = np.frombuffer(raw, np.dtype(kind).newbyteorder("<")).reshape(tensor.dims)
            return array.astype(kind, copy=isinstance(raw, bytes) or not array.flags.aligned)
        return _widened(_decode(tensor, raw), kind, where)
    except (ValueError, TypeError) as error:
        raise OnnxError.at(
            where,
            "the data do not fill the dimensions",
            expected=f"{kind}{list(tensor.dims)}",
            found=f"{len(raw)} bytes" if raw is not None else str(error),
            cure="The file is damaged; export the model again.",
        ) from error


def _decode(tensor: onnx.TensorProto, raw: memoryview | bytes | None) -> NDArray[Any]:
    """Decode, with the ``onnx`` package, tensors that are not plain blocks of elements."""
    from onnx import TensorProto, numpy_helper

    if raw is not None:
        tensor = TensorProto(
            name=tensor.name, data_type=tensor.data_type, dims=tensor.dims, raw_data=bytes(raw)
        )
    return np.asarray(numpy_helper.to_array(tensor))


def _widened(array: NDArray[Any], kind: str, where: str) -> NDArray[Any]:
    """Convert element types that NumPy lacks to wider ones."""
    if kind in _NUMPY:
        return array
    if kind == "string":
        texts = [t.decode("utf-8", "replace") if isinstance(t, bytes) else t for t in array.flat]
        return np.array(texts, object).reshape(array.shape)
    dtype = "float32" if "float" in kind else kind.rstrip("24") + "8"
    log.info("%s: %s is read as %s", where, kind, dtype)
    return array.astype(dtype)


def read_sparse_tensor(
    tensor: onnx.SparseTensorProto, where: str, external: ReadExternal
) -> NDArray[Any]:
    """Make a dense array of a ``SparseTensorProto``.

    Raise OnnxError when an index lies outside.
    """
    where = f"{where}, sparse tensor {tensor.values.name!r}"
    values = read_tensor(tensor.values, where, external)
    indices = read_tensor(tensor.indices, where, external)
    if any(dim < 0 for dim in tensor.dims):
        raise OnnxError.at(where, "a dimension is negative", found=list(tensor.dims))
    size = prod(tensor.dims) * values.itemsize
    if size > PER_CONSTANT * (values.nbytes + indices.nbytes):
        check_limit("constant_bytes", size, where, "has too many bytes when it is filled in")
    dense = np.zeros(tuple(tensor.dims), values.dtype)
    try:
        if indices.ndim == 1:
            dense.reshape(-1)[indices] = values
        else:
            dense[tuple(indices.T)] = values
    except (IndexError, ValueError) as error:
        raise OnnxError.at(where, f"cannot be filled in: {error}") from error
    return dense
