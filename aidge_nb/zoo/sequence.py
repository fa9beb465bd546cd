"""Networks over sequences."""

from __future__ import annotations

from math import sqrt

from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.zoo.builder import ModelBuilder


def lstm_classifier(
    sequence: int = 5,
    batch: int = 1,
    features: int = 4,
    hidden: int = 8,
    classes: int = 3,
    seed: int = 0,
) -> OnnxModel:
    """Build an LSTM that reads a sequence and classifies it by its last hidden state.

    Parameters
    ----------
    sequence
        Number of time steps.
    batch
        Number of sequences.
    features
        Number of inputs of each time step.
    hidden
        Size of the hidden state.
    classes
        Number of outputs.
    seed
        Seed of the weights.

    Returns
    -------
    OnnxModel
        Input ``data`` of dims (sequence, batch, features), output ``softmax`` of dims
        (batch, classes).

    References
    ----------
    S. Hochreiter, J. Schmidhuber, "Long Short-Term Memory", 1997,
    https://doi.org/10.1162/neco.1997.9.8.1735

    Examples
    --------
    >>> [node.op_type for node in lstm_classifier().nodes]
    ['LSTM', 'Squeeze', 'Gemm', 'Softmax']
    """
    builder = ModelBuilder("lstm_classifier", seed)
    value = builder.input("data", (sequence, batch, features))
    parameters = [
        builder.weight("lstm_W", [1, 4 * hidden, features], features, gain=1.0),
        builder.weight("lstm_R", [1, 4 * hidden, hidden], hidden, gain=1.0),
        builder.normal("lstm_B", [1, 8 * hidden], 1 / sqrt(hidden)),
    ]
    last = builder.node("LSTM", [value, *parameters], "lstm", ("", "lstm_last"), hidden_size=hidden)
    value = builder.node("Squeeze", [last, builder.constant("squeeze_axes", [0])], "squeeze")
    value = builder.dense("fc", value, hidden, classes, gain=1.0)
    value = builder.node("Softmax", [value], "softmax", axis=1)
    return builder.build({value: (batch, classes)})
