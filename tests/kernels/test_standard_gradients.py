"""Gradients of operators of ONNX without declaration, by finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aidge_nb.errors import GraphError
from aidge_nb.kernels.gradients import (
    Recorded,
    find_standard_gradient,
    stand_in,
    standard_gradient,
)
from aidge_nb.kernels.standard import Site, find_standard_kernel
from tests.kernels.case import Array
from tests.kernels.finite import Arrays, check_gradients, is_float

STEPS, BATCH, INPUTS, HIDDEN = 4, 3, 2, 3
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def _check(op_type: str, arrays: Arrays, nb_outputs: int, **attributes: Any) -> None:
    kernel, gradient = find_standard_kernel(op_type), find_standard_gradient(op_type)
    assert kernel is not None
    assert gradient is not None

    def function(given: Arrays) -> tuple[Array, ...]:
        return kernel(list(given), attributes, Site(22, nb_outputs))[:nb_outputs]

    outputs = function(arrays)
    rng = np.random.default_rng(5)
    grads = tuple(
        np.asarray(rng.standard_normal(y.shape)) if is_float(y) else None for y in outputs
    )
    every = frozenset(index for index, array in enumerate(arrays) if is_float(array))
    kept_inputs = tuple(
        a if a is None or gradient.reads_input(i) else stand_in(a) for i, a in enumerate(arrays)
    )
    kept_outputs = tuple(
        a if gradient.reads_output(i) else stand_in(a) for i, a in enumerate(outputs)
    )
    found = gradient(Recorded(kept_inputs, kept_outputs, grads, every), attributes)
    padded = [*found, *[None] * (len(arrays) - len(found))]
    assert all(grad is not None for grad, a in zip(padded, arrays, strict=True) if is_float(a))
    check_gradients(function, arrays, grads, padded)


def _layer(op_type: str, directions: int = 1, *, lengths: Any = None, more: bool = True) -> Any:
    """Give all inputs of a layer, or the three that it must have."""
    rng = np.random.default_rng(directions)
    rows = GATES[op_type] * HIDDEN

    def normal(*dims: int) -> Array:
        return 0.7 * rng.standard_normal(dims)

    arrays: list[Array | None] = [
        normal(STEPS, BATCH, INPUTS),
        normal(directions, rows, INPUTS),
        normal(directions, rows, HIDDEN),
    ]
    if more:
        arrays += [normal(directions, 2 * rows), None if lengths is None else np.array(lengths)]
        arrays += [normal(directions, BATCH, HIDDEN)]
    if more and op_type == "LSTM":
        arrays += [normal(directions, BATCH, HIDDEN), normal(directions, 3 * HIDDEN)]
    return arrays


LAYERS = list(GATES)


@pytest.mark.parametrize("op_type", LAYERS)
@pytest.mark.parametrize("more", [True, False], ids=["all", "few"])
def test_recurrent_layers(op_type: str, more: bool) -> None:
    nb_outputs = 3 if op_type == "LSTM" else 2
    _check(op_type, _layer(op_type, more=more), nb_outputs, hidden_size=HIDDEN)


@pytest.mark.parametrize("op_type", LAYERS)
@pytest.mark.parametrize("direction", ["reverse", "bidirectional"])
def test_directions_and_lengths(op_type: str, direction: str) -> None:
    directions = 2 if direction == "bidirectional" else 1
    arrays = _layer(op_type, directions, lengths=[4, 1, 3])
    _check(op_type, arrays, 2, hidden_size=HIDDEN, direction=direction)


@pytest.mark.parametrize("op_type", LAYERS)
def test_batch_first(op_type: str) -> None:
    arrays = _layer(op_type)
    for index in (0, 5, 6):
        if index < len(arrays):
            arrays[index] = arrays[index].swapaxes(0, 1)
    _check(op_type, arrays, 2, hidden_size=HIDDEN, layout=1)


@pytest.mark.parametrize(
    "name",
    [
        *("Relu", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid"),
        *("Elu", "Softsign", "Softplus"),
    ],
)
def test_activations(name: str) -> None:
    _check("RNN", _layer("RNN"), 2, hidden_size=HIDDEN, activations=[name])


def test_clipping_and_parameters() -> None:
    attributes = {
        "activations": ["ScaledTanh"],
        "activation_alpha": [1.3],
        "activation_beta": [0.6],
    }
    _check("RNN", _layer("RNN"), 1, hidden_size=HIDDEN, clip=0.5, **attributes)


def test_variants_of_gates() -> None:
    _check("GRU", _layer("GRU"), 2, hidden_size=HIDDEN, linear_before_reset=1)
    _check("LSTM", _layer("LSTM"), 3, hidden_size=HIDDEN, input_forget=1)


def test_an_operator_has_one_gradient() -> None:
    with pytest.raises(GraphError, match="LSTM: has a gradient already"):
        standard_gradient("LSTM")(lambda run: run.dy)
    assert find_standard_gradient("If") is None
