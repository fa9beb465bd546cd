"""Gradients of loaded operators whose defaults changed with their version."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aidge_nb.core.errors import MissingKernelError
from aidge_nb.onnx_io import OnnxGraph, OnnxModel, OnnxNode, OnnxValue, load_onnx
from tests.onnx_io.convert.variants import one_node
from tests.runtime.autodiff.gradients import check_graph


@pytest.mark.parametrize("opset", [17, 20])
def test_spectra_are_along_the_axis_of_the_version(opset: int) -> None:
    """It is axis 1 before opset 20, and the last but one since."""
    data = {"x": np.random.default_rng(0).standard_normal((2, 3, 4, 2))}
    view = load_onnx(one_node("DFT", opset, data, {}, ["x"], 1, {}))
    view.set_backend("cpu")
    check_graph(view, list(data.values()))


MICROSOFT = "com.microsoft"
REFUSED: dict[str, tuple[str, list[tuple[int, ...]], dict[str, Any]]] = {
    "DeformConv": ("", [(1, 2, 4, 4), (2, 2, 2, 2), (1, 8, 3, 3)], {}),
    "CausalConvWithState": ("", [(1, 2, 4), (2, 1, 3)], {}),
    "FusedMatMul": (MICROSOFT, [(2, 3, 4), (2, 5, 4)], {"transB": 1}),
    "FusedGemm": (MICROSOFT, [(3, 4), (4, 5), (5,)], {"activation": "Tanh"}),
    "SkipLayerNormalization": (MICROSOFT, [(2, 3, 4), (2, 3, 4), (4,)], {}),
    "Attention": (MICROSOFT, [(2, 3, 8), (8, 24), (24,)], {"num_heads": 2}),
}


@pytest.mark.parametrize("op_type", list(REFUSED))
def test_training_names_the_node_that_has_no_gradient(op_type: str) -> None:
    domain, dims, attributes = REFUSED[op_type]
    rng = np.random.default_rng(1)
    arrays = {f"i{index}": rng.standard_normal(each) for index, each in enumerate(dims)}
    data = arrays.pop("i0")
    node = OnnxNode(op_type, ("i0", *arrays), ("y",), "mixer", domain, attributes)
    first, last = OnnxValue("i0", "float64", data.shape), OnnxValue("y", None)
    graph = OnnxGraph(op_type, (node,), arrays, (first,), (last,))
    view = load_onnx(OnnxModel(graph, {"": 22, MICROSOFT: 1}))
    view.set_backend("cpu")
    refusal = f"mixer .{op_type}.: operator {op_type} has no gradient"
    with pytest.raises(MissingKernelError, match=refusal):
        check_graph(view, [data])
