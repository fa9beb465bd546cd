"""Codes that ONNX Runtime computes in a quantized file, and what it computes in floating point."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

if TYPE_CHECKING:
    import onnx

Array = NDArray[Any]

ON_CODES = ("QuantizeLinear", "QLinear", "QGemm")
"""How the names of operators begin whose results are codes."""

MOVING = {
    "NhwcMaxPool",
    *("MaxPool", "Reshape", "Flatten", "Transpose", "Slice", "Squeeze", "Unsqueeze", "Concat"),
    *("Gather", "Pad", "ReorderInput", "ReorderOutput", "DequantizeLinear", "Constant", "Split"),
}
"""Operators that compute nothing."""


class Quantized:
    """A quantized file in ONNX Runtime.

    ONNX Runtime computes on integers where it finds a layer between codes of one type. On x86 it
    turns int8 into uint8 first, but only where one layer alone reads the codes; a layer whose
    inputs and results have different types then stays in floating point, as do all weights of
    4 bits. `integers` leaves int8 as it is, and makes 8 bits of 4: the same numbers.
    """

    def __init__(self, path: Path, data: Array, *, integers: bool, level: int = 99) -> None:
        import onnx

        model = onnx.load(str(path))
        if integers:
            widen(model)
        self._data = data
        self._settings = onnxruntime.SessionOptions()
        self._settings.log_severity_level = 3
        if integers:
            self._settings.add_session_config_entry("session.qdqisint8allowed", "1")
        self._settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel(level)
        self._model = model

    def in_float(self) -> list[str]:
        """Return the layers that are computed in floating point, from the optimized model."""
        import onnx

        with TemporaryDirectory() as folder:
            target = Path(folder, "optimized.onnx")
            self._settings.optimized_model_filepath = str(target)
            onnxruntime.InferenceSession(self._model.SerializeToString(), self._settings)
            self._settings.optimized_model_filepath = ""
            nodes = onnx.load(str(target)).graph.node
        return [
            node.name.partition("_token_")[0]
            for node in nodes
            if node.op_type not in MOVING and not node.op_type.startswith(ON_CODES)
        ]

    def result(self) -> Array:
        """Return the output of the model."""
        session = onnxruntime.InferenceSession(self._model.SerializeToString(), self._settings)
        found: Array = session.run(None, {session.get_inputs()[0].name: self._data})[0]
        return found

    def codes(self) -> Mapping[str, Array]:
        """Return all codes, by the name of the node that gives them."""
        import onnx

        model = onnx.ModelProto()
        model.CopyFrom(self._model)
        known = {each.name for each in model.graph.output}
        givers = {
            node.output[0]: node.name
            for node in model.graph.node
            if node.op_type.startswith(ON_CODES) and node.output[0] not in known
        }
        for name in givers:
            model.graph.output.append(onnx.ValueInfoProto(name=name))
        session = onnxruntime.InferenceSession(model.SerializeToString(), self._settings)
        found = session.run(list(givers), {session.get_inputs()[0].name: self._data})
        return dict(zip(givers.values(), found, strict=True))


def widen(model: onnx.ModelProto) -> None:
    """Make 8-bit numbers of constants of 4 bits."""
    import onnx
    from onnx import numpy_helper

    kinds = {onnx.TensorProto.INT4: np.int8, onnx.TensorProto.UINT4: np.uint8}
    for each in model.graph.initializer:
        if each.data_type in kinds:
            values = numpy_helper.to_array(each).astype(kinds[each.data_type])
            each.CopyFrom(numpy_helper.from_array(values, each.name))
