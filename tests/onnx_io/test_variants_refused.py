"""Variants that stay generic, and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aidge_nb.onnx_io import OnnxGraph, OnnxModel, OnnxValue, load_onnx
from tests.onnx_io.variants import IMAGE, one_node, weights


@pytest.mark.parametrize(
    ("op_type", "opset", "constants", "attributes", "words"),
    [
        ("BatchNormalization", 14, [weights(3)] * 4, {"training_mode": 1}, "training"),
        ("Conv", 11, [weights(4, 3, 3, 3)], {"pads": (-1, 0, 0, 0)}, "negative pads"),
        ("Conv", 11, [], {}, "kernel"),
        ("MaxPool", 11, [], {"kernel_shape": (1, 1, 1, 1)}, "4 spatial dimensions"),
        ("Cast", 13, [], {"to": 16}, "no elements of type bfloat16"),
        ("EyeLike", 9, [], {"dtype": 16}, "no such elements"),
        ("Shape", 15, [], {"end": 0}, "an empty part"),
        ("GroupNormalization", 18, [], {"num_groups": 2}, "before opset 21"),
        ("Relu", 13, [], {"odd": 1}, "ReLU has no attribute odd"),
        ("Relu", 13, [weights(1)], {}, "ReLU has 1 inputs and not 2"),
        ("SpaceToDepth", 28, [], {"blocksize": 2, "mode": "CRD"}, "mode CRD"),
    ],
)
def test_variants_that_stay_generic(
    op_type: str, opset: int, constants: list[Any], attributes: dict[str, Any], words: str
) -> None:
    data = {"x": np.zeros(IMAGE, np.float32)}
    given = {f"c{i}": constant for i, constant in enumerate(constants)}
    inputs = ["x", *given] if op_type != "Conv" or given else ["x", "x2"]
    values = data if op_type != "Conv" or given else data | {"x2": weights(1)}
    model = one_node(op_type, opset, values, given, inputs, 1, attributes)
    if "x2" in values:
        graph = model.graph
        open_inputs = (graph.inputs[0], OnnxValue("x2", "float32", None))
        model = OnnxModel(
            OnnxGraph(graph.name, graph.nodes, {}, open_inputs, graph.outputs), model.opsets
        )
    ((_, _, why),) = load_onnx(model).annotations["onnx.report"].generic
    assert words in why


def test_sizes_that_are_not_known_are_asked_for() -> None:
    attributes = {"auto_pad": "SAME_UPPER", "strides": (2, 2), "kernel_shape": (3, 3)}
    data = {"x": np.ones(IMAGE, np.float32)}
    model = one_node("AveragePool", 11, data, {}, ["x"], 1, attributes)
    graph = model.graph
    inputs = (OnnxValue("x", "float32", ("N", 3, "H", "W")),)
    open_model = OnnxModel(
        OnnxGraph(graph.name, graph.nodes, {}, inputs, graph.outputs), model.opsets
    )
    ((_, _, why),) = load_onnx(open_model).annotations["onnx.report"].generic
    assert "pass dims=" in why
    view = load_onnx(open_model, dims={"x": IMAGE})
    assert view.get_node("node").type() == "PaddedAvgPooling2D"
    assert not view.forward_dims()
