"""ONNX element types that NumPy lacks, held exactly in wider types.

The conversions to and from the types of the package ``ml_dtypes`` (the ``onnx`` package brings it)
are here; what the types themselves can hold is in :mod:`aidge_nb.kernels.formats`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.onnx_io.wire.message import Message

EXOTIC = {
    "bfloat16": "bfloat16",
    "float8e4m3fn": "float8_e4m3fn",
    "float8e4m3fnuz": "float8_e4m3fnuz",
    "float8e5m2": "float8_e5m2",
    "float8e5m2fnuz": "float8_e5m2fnuz",
    "float8e8m0": "float8_e8m0fnu",
    "float6e2m3": "float6_e2m3fn",
    "float6e3m2": "float6_e3m2fn",
    "float4e2m1": "float4_e2m1fn",
    "uint4": "uint4",
    "int4": "int4",
    "uint2": "uint2",
    "int2": "int2",
}
"""Element types, as ONNX calls them, and their names in ``ml_dtypes``."""

_NUMBERS = frozenset((*range(16, 29),))
"""Their numbers in ``TensorProto.DataType``."""


def widened(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array with elements of a NumPy type.

    Examples
    --------
    >>> widened(np.zeros(2, np.float16)).dtype
    dtype('float16')
    """
    name = array.dtype.name
    if name not in EXOTIC.values():
        return array
    if name.startswith(("float", "bfloat")):
        return array.astype(np.float32)
    return array.astype(np.uint8 if name.startswith("uint") else np.int8)


def narrowed(array: NDArray[Any], kind: str | None) -> NDArray[Any]:
    """Return the elements the type that ONNX means, of ``ml_dtypes`` where NumPy has none."""
    if kind not in EXOTIC:
        return array
    import ml_dtypes

    return array.astype(getattr(ml_dtypes, EXOTIC[kind]))


def is_exotic(model: Message) -> bool:
    """Return whether a model declares or makes values of types that NumPy has not."""
    return any(map(_mentions, _graphs(model.graph)))


def _graphs(graph: Message) -> list[Message]:
    found = [graph]
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.has("g"):
                found += _graphs(attribute.g)
    return found


def _mentions(graph: Message) -> bool:
    declared = (*graph.input, *graph.output)
    return (
        any(tensor.data_type in _NUMBERS for tensor in graph.initializer)
        or any(value.type.tensor_type.elem_type in _NUMBERS for value in declared)
        or any(
            attribute.i in _NUMBERS and attribute.name in ("to", "output_dtype", "dtype")
            for node in graph.node
            for attribute in node.attribute
        )
    )


def with_types(model: Message) -> Message:
    """Return the model with the types of all values that can be inferred, if some are exotic.

    The ``onnx`` package infers them; without it the model stays as it is.
    """
    if not is_exotic(model):
        return model
    try:
        from onnx import shape_inference
    except ImportError:
        return model
    from aidge_nb.onnx_io.wire.exchange import declare_initializers, from_package, to_package

    package = to_package(model)
    try:
        inferred = shape_inference.infer_shapes(package)
    except (shape_inference.InferenceError, ValueError, RuntimeError):
        return model
    declare_initializers(inferred.graph, _NUMBERS)
    return from_package(inferred)
