"""Variants that stay generic, and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aidge_nb.onnx_io import OnnxGraph, OnnxModel, OnnxValue, load_onnx
from tests.onnx_io.convert.variants import IMAGE, compare, one_node, weights


@pytest.mark.parametrize(
    ("op_type", "opset", "constants", "attributes", "words"),
    [
        ("EyeLike", 9, [], {"dtype": 16}, "no such elements"),
        ("Relu", 13, [], {"odd": 1}, "ReLU has no attribute odd"),
        ("Relu", 13, [weights(1)], {}, "ReLU has 1 inputs and not 2"),
    ],
)
def test_variants_that_stay_generic(
    op_type: str, opset: int, constants: list[Any], attributes: dict[str, Any], words: str
) -> None:
    data = {"x": np.zeros(IMAGE, np.float32)}
    given = {f"c{i}": constant for i, constant in enumerate(constants)}
    model = one_node(op_type, opset, data, given, ["x", *given], 1, attributes)
    ((_, _, why),) = load_onnx(model).annotations["onnx.report"].generic
    assert words in why


def test_padding_of_unknown_sizes_is_worked_out_when_the_graph_runs() -> None:
    attributes = {"auto_pad": "SAME_UPPER", "strides": (2, 2), "kernel_shape": (3, 3)}
    data = {"x": np.ones(IMAGE, np.float32)}
    model = one_node("AveragePool", 11, data, {}, ["x"], 1, attributes)
    graph = model.graph
    inputs = (OnnxValue("x", "float32", ("N", 3, "H", "W")),)
    open_model = OnnxModel(
        OnnxGraph(graph.name, graph.nodes, {}, inputs, graph.outputs), model.opsets
    )
    compare(open_model, data)
    assert load_onnx(open_model).get_node("node").type() == "AveragePool"
    view = load_onnx(open_model, dims={"x": IMAGE})
    assert view.get_node("node").type() == "PaddedAvgPooling2D"
    assert not view.forward_dims()
