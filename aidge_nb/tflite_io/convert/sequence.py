"""Convert recurrent layers over sequences."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.kernels.cpu.quantization.fixed_point import multipliers_of
from aidge_nb.kernels.cpu.quantization.tflite import factors
from aidge_nb.kernels.standard import TFLITE
from aidge_nb.tflite_io.convert.build import Build, NotConverted, converts, is_coded
from aidge_nb.tflite_io.model import TfliteOperator

_GIVEN, _FED, _BIAS = range(1, 5), range(5, 9), range(12, 16)
"""Inputs of an LSTM, one per gate (input, forget, cell, output): weights of what is given and of
what is fed back, and biases."""

_HIDDEN, _CELL = 18, 19
_ONNX_ORDER = (0, 3, 1, 2)  # input, output, forget, cell


@converts("UNIDIRECTIONAL_SEQUENCE_LSTM")
def lstm(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert an LSTM; it begins with a state of zeros in each run."""
    others = (*range(9, 12), 16, 17, *range(20, 24))
    if any(b.has(operator, index) for index in others):
        raise NotConverted("an LSTM with peepholes, projections or norms")
    if not all(b.has(operator, index) for index in chain(_GIVEN, _FED, _BIAS, (_HIDDEN, _CELL))):
        raise NotConverted("an LSTM of less than four gates")
    if operator.options["activation"] != "TANH":
        raise NotConverted(f"an LSTM with the activation {operator.options['activation']}")
    dims = b.tensor(source).dims
    weights, fed, bias = (_gates(b, operator, group) for group in (_GIVEN, _FED, _BIAS))
    units = fed.shape[-1]
    shapes = (weights.shape, fed.shape, bias.shape)
    expected = ((4, units, dims[-1] if dims else 0), (4, units, units), (4, units))
    if len(dims) != 3 or shapes != expected or b.tensor(number).dims != (*dims[:2], units):
        problem = "weights do not fit the sequence"
        raise b.refuse(operator, problem, expected=list(expected), found=list(shapes))
    if is_coded(b.tensor(source), b.tensor(number)):
        _of_codes(b, operator, weights, fed, bias)
    else:
        _of_numbers(b, operator, weights, fed, bias)


def _gates(b: Build, operator: TfliteOperator, group: range) -> NDArray[Any]:
    parts = [b.known(operator, index) for index in group]
    if len({part.shape for part in parts}) > 1:
        raise b.refuse(operator, "gates differ in size", found=[list(part.shape) for part in parts])
    return np.stack(parts)


def _of_numbers(
    b: Build,
    operator: TfliteOperator,
    weights: NDArray[Any],
    fed: NDArray[Any],
    bias: NDArray[Any],
) -> None:
    if operator.options["cell_clip"] > 0 or weights.dtype != np.float32:
        raise NotConverted("an LSTM of numbers with a bound of the cell, or weights of codes")
    source, number = operator.inputs[0], operator.outputs[0]
    order, value = list(_ONNX_ORDER), b.value(source)
    zeros = np.zeros_like(bias)
    biases = np.concatenate([bias[order].reshape(-1), zeros.reshape(-1)])
    constants = [
        b.constant(f"lstm_{name}", array.reshape(1, -1, *array.shape[2:]))
        for name, array in (("w", weights[order]), ("r", fed[order]))
    ]
    constants.append(b.constant("lstm_b", biases[None]))
    is_first = operator.options["time_major"]
    if not is_first:
        value = b.then("Transpose", [value], "steps", perm=(1, 0, 2))
    steps = b.tensor(number).dims
    raw = b.then("LSTM", [value, *constants], "states", hidden_size=fed.shape[-1])
    if is_first:
        b.put("Reshape", [raw, b.ints("shape", steps)], number)
        return
    lines = b.then("Squeeze", [raw, b.ints("axes", [1])], "lines")
    b.put("Transpose", [lines], number, perm=(1, 0, 2))


def _of_codes(
    b: Build,
    operator: TfliteOperator,
    weights: NDArray[Any],
    fed: NDArray[Any],
    bias: NDArray[Any],
) -> None:
    source, number, inputs = operator.inputs[0], operator.outputs[0], operator.inputs
    given, result = b.tensor(source), b.tensor(number)
    hidden, cell = b.tensor(inputs[_HIDDEN]), b.tensor(inputs[_CELL])
    kinds = {b.tensor(inputs[index]).dtype for index in chain(_GIVEN, _FED)}
    wanted = np.int64 if given.dtype == "int16" else np.int32
    if kinds != {"int8"} or bias.dtype != wanted or cell.dtype != "int16" or cell.scale.size != 1:
        raise NotConverted(f"an LSTM of codes with weights {kinds}, a bias of {bias.dtype}")
    coding = [(each.scale.tolist(), each.zero.tolist()) for each in (hidden, result)]
    if hidden.dtype != result.dtype or coding[0] != coding[1]:
        raise NotConverted("an LSTM whose state has another scale than its result")
    scales = [b.tensor(inputs[index]) for index in chain(_GIVEN, _FED)]
    if any(each.scale.size != 1 or each.zero[0] for each in scales):
        raise NotConverted("an LSTM whose weights have several scales, or a zero point")
    sums, one, cells = np.float32(2**-12), 2.0**-15, float(cell.scale[0])
    lines = [
        factors(data.scale, each.scale, np.asarray(sums)).tolist()[0]
        for data, each in zip([given] * 4 + [hidden] * 4, scales, strict=True)
    ]
    products = (one * cells / cells, one * one / cells, one * one / float(hidden.scale[0]))
    lines += multipliers_of(np.asarray(products)).tolist()
    lines += [_tangent(cells), [_bound(operator.options["cell_clip"], cells), 0]]
    names = [
        b.constant(f"lstm_{name}", array)
        for name, array in (("w", weights), ("r", fed), ("b", bias))
    ]
    zeros = [b.coding(source)[1], b.coding(number)[1]]
    by = b.constant("lstm_by", np.asarray(lines, np.int32))
    values = [b.value(source), *names, *zeros, by]
    b.put(
        "QLinearLSTM", values, number, domain=TFLITE, time_major=int(operator.options["time_major"])
    )


def _tangent(scale: float) -> list[int]:
    """Return the factor of codes of the cell, whose scale is a power of two."""
    part, exponent = np.frexp(scale)
    if part != 0.5:
        raise NotConverted("an LSTM whose cell has a scale that is no power of two")
    power = int(exponent) - 1 + 12
    return [3 << power, 0] if power >= 0 else [3, -power]


def _bound(clip: float, scale: float) -> int:
    return int(min(clip / scale, 32767.0)) if clip > 0 else 0
