"""Gradients of loaded operators whose defaults changed with their version."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aidge_nb.onnx_io import OnnxGraph, OnnxModel, OnnxNode, OnnxValue, load_onnx
from tests.onnx_io.variants import one_node
from tests.runtime.gradients import check_graph


@pytest.mark.parametrize("opset", [10, 16])
def test_regions_are_where_the_version_puts_them(opset: int) -> None:
    data = {"x": np.random.default_rng(0).standard_normal((1, 2, 6, 6))}
    regions = {"r": np.array([[0.3, 1.2, 4.1, 5.3], [2, 2, 2.4, 2.3]]), "b": np.array([0, 0])}
    cells = {"output_height": 2, "output_width": 3}
    view = load_onnx(one_node("RoiAlign", opset, data, regions, ["x", "r", "b"], 1, cells))
    view.set_backend("cpu")
    check_graph(view, list(data.values()))


@pytest.mark.parametrize("opset", [17, 20])
def test_spectra_are_along_the_axis_of_the_version(opset: int) -> None:
    """It is axis 1 before opset 20, and the last but one since."""
    data = {"x": np.random.default_rng(0).standard_normal((2, 3, 4, 2))}
    view = load_onnx(one_node("DFT", opset, data, {}, ["x"], 1, {}))
    view.set_backend("cpu")
    check_graph(view, list(data.values()))


FUSED: dict[str, tuple[list[tuple[int, ...]], dict[str, Any]]] = {
    "FusedConv": (
        [(1, 2, 5), (3, 2, 2), (3,)],
        {"activation": "LeakyRelu", "activation_params": (0.3,), "pads": (1, 1)},
    ),
    "FusedGemm": ([(3, 4), (5, 4), (5,)], {"activation": "Tanh", "transB": 1, "alpha": 0.5}),
    "FusedMatMul": ([(2, 3, 4), (2, 5, 4)], {"transB": 1}),
    "SkipLayerNormalization": ([(2, 3, 4), (2, 3, 4), (4,), (4,), (4,)], {"epsilon": 1e-3}),
    "SkipSimplifiedLayerNormalization": ([(2, 3, 4), (2, 3, 4), (4,)], {"epsilon": 1e-3}),
    "MultiHeadAttention": ([(2, 3, 8), (2, 5, 8), (2, 5, 8), (24,)], {"num_heads": 2}),
    "Attention": ([(2, 3, 8), (8, 24), (24,)], {"num_heads": 2, "unidirectional": 1}),
}


@pytest.mark.parametrize("op_type", list(FUSED))
def test_what_optimizers_fused_learns_when_it_is_loaded(op_type: str) -> None:
    dims, attributes = FUSED[op_type]
    rng = np.random.default_rng(1)
    arrays = {f"i{index}": rng.standard_normal(each) for index, each in enumerate(dims)}
    data = arrays.pop("i0")
    node = OnnxNode(op_type, ("i0", *arrays), ("y",), "node", "com.microsoft", attributes)
    first, last = OnnxValue("i0", "float64", data.shape), OnnxValue("y", None)
    graph = OnnxGraph(op_type, (node,), arrays, (first,), (last,))
    view = load_onnx(OnnxModel(graph, {"": 17, "com.microsoft": 1}))
    view.set_backend("cpu")
    check_graph(view, [data])
