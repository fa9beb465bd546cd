"""Tensors of ONNX files as NumPy arrays.

Element types that NumPy has not are widened to one that holds every value exactly: the four-bit
integers to int8 and uint8, bfloat16 and the eight-bit floats to float32.

Reference: https://onnx.ai/onnx/repo-docs/IR.html#tensor-definition
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import OnnxError
from aidge_nb.core.limits import PER_CONSTANT, check_limit
from aidge_nb.kernels.formats import BITS, TYPES, decoded, holder
from aidge_nb.onnx_io.wire.fields import EXTERNAL
from aidge_nb.onnx_io.wire.message import Message

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


_HALVES = {"complex64": np.float32, "complex128": np.float64}
_FIELDS = {
    "float32": "float_data",
    "complex64": "float_data",
    "float64": "double_data",
    "complex128": "double_data",
    "int64": "int64_data",
    "uint32": "uint64_data",
    "uint64": "uint64_data",
    "string": "string_data",
}
"""Where elements lie that are not given as bytes; all others are in ``int32_data``."""


def read_tensor(tensor: Message, where: str, external: ReadExternal) -> NDArray[Any]:
    """Make an array of a ``TensorProto``: a view of its bytes where that is possible.

    Raise OnnxError for an unknown element type, or data that do not fill the dimensions.

    ``where`` is the file and node, for messages; ``external`` is called for data in another file.
    """
    where = f"{where}, tensor {tensor.name!r}" if tensor.name else where
    kind = element_type(tensor.data_type)
    if kind is None:
        raise OnnxError.at(where, "unknown element type", found=tensor.data_type)
    if any(dim < 0 for dim in tensor.dims):
        raise OnnxError.at(where, "a dimension is negative", found=list(tensor.dims))
    raw: memoryview | None = None
    if tensor.data_location == EXTERNAL:
        raw = external(tensor.name, {entry.key: entry.value for entry in tensor.external_data})
    elif tensor.has("raw_data"):
        raw = tensor.raw_data
    if kind not in _NUMPY and kind != "string":
        log.info("%s: %s is read as %s", where, kind, holder(kind))
    try:
        elements = _listed(tensor, kind) if raw is None else _from_bytes(raw, kind, tensor.dims)
        return elements.reshape(tensor.dims)
    except (ValueError, TypeError) as error:
        raise OnnxError.at(
            where,
            "the data do not fill the dimensions",
            expected=f"{kind}{list(tensor.dims)}",
            found=f"{len(raw)} bytes" if raw is not None else str(error),
            cure="The file is damaged; export the model again.",
        ) from error


def _from_bytes(raw: memoryview, kind: str, dims: tuple[int, ...]) -> NDArray[Any]:
    """Return the elements that lie in bytes, the lowest first."""
    if kind in _NUMPY:
        array = np.frombuffer(raw, np.dtype(kind).newbyteorder("<"))
        return array.astype(kind, copy=raw.readonly or not array.flags.aligned)
    if kind == "string":
        raise ValueError("texts are not kept as bytes")
    width = "<u2" if BITS[kind] == 16 else np.uint8
    return decoded(np.frombuffer(raw, width), kind, prod(dims))


def _listed(tensor: Message, kind: str) -> NDArray[Any]:
    """Return the elements that are listed one by one."""
    parts = getattr(tensor, _FIELDS.get(kind, "int32_data"))
    if kind == "string":
        return np.array([bytes(text).decode("utf-8", "replace") for text in parts], object)
    listed = np.concatenate([np.atleast_1d(part) for part in parts] or [np.zeros(0, np.int64)])
    if kind.startswith("complex"):
        return listed.astype(_HALVES[kind]).view(kind)
    if kind == "float16":
        return listed.astype(np.uint16).view(np.float16)
    if kind in _NUMPY:
        return listed.astype(kind)
    bits = BITS[kind]
    codes = listed.astype(np.uint16 if bits == 16 else np.uint8)
    return decoded(codes, kind, prod(tensor.dims), apart=bits == 6)


def read_sparse_tensor(tensor: Message, where: str, external: ReadExternal) -> NDArray[Any]:
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
