"""Variants of convolutions and poolings over the opsets, against onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from aidge_nb.onnx_io import OnnxGraph, OnnxModel, OnnxValue
from tests.onnx_io.convert.variants import IMAGE, check, compare, one_node, weights

SAME = ["SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"]


@pytest.mark.parametrize("auto_pad", SAME)
@pytest.mark.parametrize("strides", [(1, 1), (2, 3)])
def test_conv_pads_by_itself(auto_pad: str, strides: tuple[int, int]) -> None:
    check("Conv", 11, IMAGE, weights(4, 3, 3, 2), auto_pad=auto_pad, strides=strides)


@pytest.mark.parametrize(
    ("dims", "weight", "attributes"),
    [
        ((1, 3, 9), (4, 3, 3), {"pads": (1, 2)}),
        ((2, 3, 5, 6, 7), (2, 3, 2, 3, 3), {"pads": (0, 1, 0, 1, 0, 2), "strides": (1, 2, 1)}),
        (IMAGE, (6, 1, 3, 3), {"group": 3}),
        (IMAGE, (3, 1, 3, 3), {"group": 3, "pads": (1, 1, 1, 1)}),
        ((1, 4, 7, 7), (6, 2, 3, 3), {"group": 2, "pads": (1, 0, 2, 1), "dilations": (2, 1)}),
        ((1, 1, 5, 5), (1, 1, 2, 2), {"kernel_shape": (2, 2)}),
    ],
)
def test_conv(dims: Sequence[int], weight: Sequence[int], attributes: dict[str, Any]) -> None:
    check("Conv", 11, dims, weights(*weight), weights(weight[0]), **attributes)


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"strides": (2, 3), "pads": (1, 0, 0, 1), "output_padding": (1, 2)},
        {"strides": (2, 2), "auto_pad": "SAME_UPPER"},
        {"strides": (2, 2), "auto_pad": "SAME_LOWER"},
        {"strides": (2, 2), "auto_pad": "VALID"},
        {"strides": (3, 2), "output_shape": (20, 16)},
        {"dilations": (2, 1)},
    ],
)
def test_conv_transpose(attributes: dict[str, Any]) -> None:
    check("ConvTranspose", 11, IMAGE, weights(3, 4, 3, 2), weights(4), **attributes)


def test_conv_transpose_in_groups() -> None:
    check("ConvTranspose", 11, (1, 4, 5, 5), weights(4, 3, 3, 3), group=2)


@pytest.mark.parametrize("op_type", ["MaxPool", "AveragePool"])
@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"strides": (2, 2)},
        {"strides": (2, 2), "pads": (1, 1, 1, 1)},
        {"strides": (2, 2), "pads": (0, 1, 2, 0)},
        {"strides": (2, 2), "ceil_mode": 1},
        {"strides": (2, 2), "auto_pad": "SAME_UPPER"},
        {"strides": (2, 3), "auto_pad": "SAME_LOWER"},
        {"auto_pad": "VALID"},
    ],
)
def test_pooling(op_type: str, attributes: dict[str, Any]) -> None:
    check(op_type, 11, IMAGE, kernel_shape=(3, 3), **attributes)
    check(op_type, 11, (2, 2, 9), kernel_shape=(3,), pads=(1, 1))


def test_pooling_counts_pads_or_not() -> None:
    for counted in (0, 1):
        check(
            "AveragePool",
            11,
            IMAGE,
            kernel_shape=(3, 3),
            pads=(1, 1, 1, 1),
            count_include_pad=counted,
        )


def test_max_pooling_gives_indices() -> None:
    check("MaxPool", 11, IMAGE, kernel_shape=(2, 2), strides=(2, 2), nb_outputs=2)
    check("MaxPool", 11, IMAGE, kernel_shape=(2, 2), dilations=(2, 1))


@pytest.mark.parametrize("op_type", ["MaxPool", "AveragePool"])
def test_ceil_mode_with_pads(op_type: str) -> None:
    pads = (0, 0, 1, 1)
    check(op_type, 11, (1, 1, 8, 8), kernel_shape=(3, 3), strides=(2, 2), pads=pads, ceil_mode=1)
    late = {"kernel_shape": (3,), "strides": (3,), "pads": (0, 2), "ceil_mode": 1}
    data = {"x": np.arange(5, dtype=np.float32).reshape(1, 1, 5)}
    model = one_node(op_type, 19, data, {}, ["x"], 1, late)
    compare(model, data)  # a window that would start in the padding is left out
    graph = model.graph
    inputs = (OnnxValue("x", "float32", (1, 1, None)),)
    compare(OnnxModel(OnnxGraph("g", graph.nodes, {}, inputs, graph.outputs), model.opsets), data)
