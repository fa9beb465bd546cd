"""ONNX Runtime as a second opinion: one operator at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

from tests.kernels.case import Array, Oracle

IR_VERSION = 10


def onnx(op_type: str, nb_outputs: int = 1, *, opset: int = 21, **attrs: Any) -> Oracle:
    """Make an oracle that runs an ONNX operator on the inputs of a case."""

    def oracle(*arrays: Array | None) -> list[Array]:
        return run_onnx(op_type, arrays, nb_outputs, opset=opset, **attrs)

    return oracle


def run_onnx(
    op_type: str,
    arrays: tuple[Array | None, ...],
    nb_outputs: int = 1,
    *,
    opset: int = 21,
    **attrs: Any,
) -> list[Array]:
    """Run an ONNX operator; None stands for an input that is left out."""
    names = ["" if array is None else f"x{index}" for index, array in enumerate(arrays)]
    outputs = [f"y{index}" for index in range(nb_outputs)]
    given = {name: array for name, array in zip(names, arrays, strict=True) if array is not None}
    graph = helper.make_graph(
        [helper.make_node(op_type, names, outputs, **attrs)],
        "oracle",
        [
            helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
            )
            for name, array in given.items()
        ],
        [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in outputs],
    )
    for output in graph.output:
        output.ClearField("type")
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=IR_VERSION
    )
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return [np.asarray(value) for value in session.run(None, given)]
