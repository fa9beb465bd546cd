"""Variants of recurrent layers, against onnxruntime."""

from __future__ import annotations

from typing import Any

import pytest
from numpy.typing import NDArray

from aidge_nb.onnx_io import OnnxModel
from tests.onnx_io.convert.variants import compare, one_node, weights


def loop(
    op_type: str,
    *,
    length: int = 4,
    batch: int = 2,
    bias: bool = True,
    states: bool = False,
    **attributes: Any,
) -> tuple[OnnxModel, dict[str, NDArray[Any]]]:
    gates, hidden, features = (4 if op_type == "LSTM" else 3), 3, 2
    given = {"W": weights(1, gates * hidden, features), "R": weights(1, gates * hidden, hidden)}
    if bias:
        given["B"] = weights(1, 2 * gates * hidden)
    data = {"x": weights(length, batch, features)}
    inputs = ["x", "W", "R", "B" if bias else "", ""]
    if states:
        data |= {"h": weights(1, batch, hidden)}
        inputs.append("h")
    nb_outputs = 3 if op_type == "LSTM" else 2
    attributes = {"hidden_size": hidden, **attributes}
    return one_node(op_type, 14, data, given, inputs, nb_outputs, attributes), data


@pytest.mark.parametrize("op_type", ["LSTM", "GRU"])
@pytest.mark.parametrize(
    "options", [{}, {"length": 1}, {"bias": False}, {"states": True}, {"batch": 1, "length": 7}]
)
def test_recurrent_layers(op_type: str, options: dict[str, Any]) -> None:
    compare(*loop(op_type, **options))


@pytest.mark.parametrize(
    "attributes",
    [
        {"direction": "reverse"},
        {"activations": ("Tanh", "Tanh", "Tanh")},
        {
            "activations": ("HardSigmoid", "ScaledTanh", "Softsign"),
            "activation_alpha": (0.3, 1.5),
            "activation_beta": (0.4, 0.8),
        },
        {"clip": 0.3},
        {"input_forget": 1},
    ],
)
def test_variants_of_recurrent_layers(attributes: dict[str, Any]) -> None:
    compare(*loop("LSTM", **attributes))
