"""Read and write ONNX: files and models as plain data, and as graphs.

:func:`read_onnx` gives what a file says (:class:`OnnxModel`); :func:`load_onnx` gives the graph to
schedule, plan and run; :func:`save_onnx` writes one.
"""

from __future__ import annotations

from aidge_nb.onnx_io.ir import (
    AttributeReference,
    OnnxFunction,
    OnnxGraph,
    OnnxNode,
    OnnxValue,
)
from aidge_nb.onnx_io.load import LoadReport, load_onnx
from aidge_nb.onnx_io.model import OnnxModel, OnnxSignature
from aidge_nb.onnx_io.read.proto import read_onnx
from aidge_nb.onnx_io.save import save_onnx, to_onnx

__all__ = [
    # Reading
    "LoadReport",
    "load_onnx",
    "read_onnx",
    # Writing
    "save_onnx",
    "to_onnx",
    # Models as plain data
    "AttributeReference",
    "OnnxFunction",
    "OnnxGraph",
    "OnnxModel",
    "OnnxNode",
    "OnnxSignature",
    "OnnxValue",
]
