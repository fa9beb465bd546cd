# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.onnx_io.ir import AttributeReference
from aidge_nb.onnx_io.ir import OnnxFunction
from aidge_nb.onnx_io.ir import OnnxGraph
from aidge_nb.onnx_io.ir import OnnxNode
from aidge_nb.onnx_io.ir import OnnxValue
from aidge_nb.onnx_io.load import LoadReport
from aidge_nb.onnx_io.load import load_onnx
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.onnx_io.model import OnnxSignature
from aidge_nb.onnx_io.read.proto import read_onnx
from aidge_nb.onnx_io.save import save_onnx
from aidge_nb.onnx_io.save import to_onnx

__all__ = [
    "LoadReport",
    "load_onnx",
    "read_onnx",
    "save_onnx",
    "to_onnx",
    "AttributeReference",
    "OnnxFunction",
    "OnnxGraph",
    "OnnxNode",
    "OnnxValue",
    "OnnxModel",
    "OnnxSignature",
]
