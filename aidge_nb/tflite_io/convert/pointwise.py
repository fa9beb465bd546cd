"""Convert what is computed element by element: sums, products, functions, conversions.

A function of one tensor of codes becomes a table of its 256 results, computed as TensorFlow Lite
computes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.kernels.cpu.quantization.fixed_point import (
    hyperbolic_tangent,
    logistic,
    multiplier_of,
    rescaled,
)
from aidge_nb.kernels.formats import TYPES
from aidge_nb.kernels.standard import OURS, TFLITE
from aidge_nb.tflite_io.convert.build import (
    FILE,
    IMAGE,
    TO_IMAGE,
    Build,
    NotConverted,
    bounds,
    converts,
    is_coded,
    put_activated,
)
from aidge_nb.tflite_io.model import TfliteOperator, TfliteTensor

Codes = NDArray[Any]


def layout_of(b: Build, numbers: Sequence[int]) -> str:
    """Return the layout in which tensors that are computed together are at hand."""
    computed = [number for number in numbers if b.data(number) is None]
    if all(len(b.tensor(number).dims) == 4 for number in computed) and any(
        b.is_image(number) for number in computed
    ):
        return IMAGE
    return FILE


def operand(b: Build, number: int, layout: str) -> str:
    """Return a tensor in a layout; a constant with fewer axes gets those that it lacks."""
    data = b.data(number)
    if data is None or layout == FILE or data.ndim == 4:
        return b.value(number, layout)
    whole = data.reshape((1,) * (4 - data.ndim) + data.shape)
    return b.constant(b.tensor(number).name.split(";")[0], whole.transpose(TO_IMAGE))


_NUMBERS = {"ADD": "Add", "SUB": "Sub", "MUL": "Mul", "DIV": "Div"}


@converts("ADD", "SUB", "MUL", "DIV")
def binary(b: Build, operator: TfliteOperator) -> None:
    """Convert sums, differences, products and quotients."""
    number, pair = operator.outputs[0], operator.inputs[:2]
    coded = is_coded(*(b.tensor(each) for each in (*pair, number)))
    layout = layout_of(b, pair)
    activation = operator.options["activation"]
    values = [operand(b, each, layout) for each in pair]
    if not coded:
        put_activated(b, _NUMBERS[operator.kind], values, number, activation, layout)
        return
    if operator.kind == "DIV":
        raise NotConverted("quotients of codes")
    limits = bounds(activation, b.tensor(number))
    sign = {"sign": -1} if operator.kind == "SUB" else {}
    kind = "QLinearMul" if operator.kind == "MUL" else "QLinearAdd"
    inputs = [values[0], *b.coding(pair[0]), values[1], *b.coding(pair[1]), *b.coding(number)]
    b.put(kind, inputs, number, layout, TFLITE, **sign, **limits)


@converts("MAXIMUM", "MINIMUM")
def extreme(b: Build, operator: TfliteOperator) -> None:
    """Convert maxima and minima; codes of equal scales are compared as they are."""
    number, pair = operator.outputs[0], operator.inputs[:2]
    tensors = [b.tensor(each) for each in (*pair, number)]
    if is_coded(*tensors):
        need_equal(tensors)
    layout = layout_of(b, pair)
    kind = "Max" if operator.kind == "MAXIMUM" else "Min"
    b.put(kind, [operand(b, each, layout) for each in pair], number, layout)


def need_equal(tensors: Sequence[TfliteTensor]) -> None:
    """Raise NotConverted unless the same code stands for the same number in all tensors."""
    first = tensors[0]
    for each in tensors[1:]:
        equal = np.array_equal(first.scale, each.scale) and np.array_equal(first.zero, each.zero)
        if not equal:
            raise NotConverted("codes of different scales that are only moved")


def _one(tensor: TfliteTensor) -> tuple[float, int]:
    return float(tensor.scale[0]), int(tensor.zero[0])


def _rescaled_codes(codes: Codes, given: TfliteTensor, result: TfliteTensor, by: float) -> Codes:
    """Return codes of the result times ``by``, before they are kept within 8 bits."""
    (x_scale, x_zero), (y_scale, y_zero) = _one(given), _one(result)
    return rescaled(codes - x_zero, *multiplier_of(by * x_scale / y_scale)) + y_zero


def _leaky(codes: Codes, given: TfliteTensor, result: TfliteTensor, alpha: float) -> Codes:
    straight = _rescaled_codes(codes, given, result, 1.0)
    scaled = _rescaled_codes(codes, given, result, float(np.float32(alpha)))
    return np.where(codes >= _one(given)[1], straight, scaled)


def put_table(b: Build, given: int, number: int, codes: Codes) -> None:
    """Add a table of 256 results; nothing but a name where it changes no code."""
    table = np.clip(codes, -128, 127).astype(np.int8)
    layout = layout_of(b, [given])
    every = np.arange(256, dtype=np.uint8).view(np.int8)
    if np.array_equal(table, every):
        b.put("Identity", [b.value(given, layout)], number, layout)
        return
    name = b.constant(f"{b.tensor(number).name.split(';')[0]}_table", table)
    b.put("LookUp", [b.value(given, layout), name], number, layout, OURS)


@converts("LOGISTIC", "TANH", "RELU", "RELU6", "LEAKY_RELU")
def function(b: Build, operator: TfliteOperator) -> None:
    """Convert a function of one tensor."""
    number, source = operator.outputs[0], operator.inputs[0]
    given, result = b.tensor(source), b.tensor(number)
    if not is_coded(given, result):
        _function_of_numbers(b, operator)
        return
    every = np.arange(256, dtype=np.uint8).view(np.int8).astype(np.int64)
    scale, zero = _one(given)
    made: dict[str, Callable[[], Codes]] = {
        "LOGISTIC": lambda: logistic(every, scale, zero),
        "TANH": lambda: hyperbolic_tangent(every, scale, zero),
        "LEAKY_RELU": lambda: _leaky(every, given, result, operator.options["alpha"]),
        "RELU": lambda: _rescaled_codes(every, given, result, 1.0),
        "RELU6": lambda: _rescaled_codes(every, given, result, 1.0),
    }
    table = made[operator.kind]()
    if operator.kind in ("RELU", "RELU6"):
        limits = bounds(operator.kind, result)
        table = np.clip(table, limits["least"], limits["most"])
    put_table(b, source, number, table)


def _function_of_numbers(b: Build, operator: TfliteOperator) -> None:
    number, source = operator.outputs[0], operator.inputs[0]
    layout = layout_of(b, [source])
    value = b.value(source, layout)
    if operator.kind == "RELU6":
        ends = [b.constant("bound", np.asarray(end, np.float32)) for end in (0, 6)]
        b.put("Clip", [value, *ends], number, layout)
        return
    kinds = {"LOGISTIC": "Sigmoid", "TANH": "Tanh", "RELU": "Relu", "LEAKY_RELU": "LeakyRelu"}
    alpha = {"alpha": operator.options["alpha"]} if operator.kind == "LEAKY_RELU" else {}
    b.put(kinds[operator.kind], [value], number, layout, **alpha)


@converts("HARD_SWISH")
def hard_swish(b: Build, operator: TfliteOperator) -> None:
    """Convert x · relu6(x + 3) / 6 of numbers."""
    number, source = operator.outputs[0], operator.inputs[0]
    if is_coded(b.tensor(source), b.tensor(number)):
        raise NotConverted("hard swish of codes")
    layout = layout_of(b, [source])
    value, gate = b.value(source, layout), b.fresh("gate")
    b.add("HardSigmoid", [value], [gate], alpha=1 / 6, beta=0.5)
    b.put("Mul", [value, gate], number, layout)


@converts("QUANTIZE")
def quantize(b: Build, operator: TfliteOperator) -> None:
    """Convert numbers to codes, or codes to codes of another scale."""
    source, number = operator.inputs[0], operator.outputs[0]
    given, result = b.tensor(source), b.tensor(number)
    if given.dtype == "int8":
        is_coded(given, result)
        every = np.arange(256, dtype=np.uint8).view(np.int8).astype(np.int64)
        put_table(b, source, number, _rescaled_codes(every, given, result, 1.0))
        return
    if given.dtype != "float32" or result.dtype != "int8" or result.scale.size != 1:
        raise NotConverted(f"{given.dtype} to {result.dtype}")
    layout = layout_of(b, [source])
    inputs = [b.value(source, layout), *b.coding(number)]
    if layout == FILE and b.is_read_as_image(number):  # turned as it is made: no copy more
        b.put("QuantizeImage", inputs, number, IMAGE, TFLITE)
        return
    b.put("QuantizeLinear", inputs, number, layout, TFLITE)


@converts("DEQUANTIZE")
def dequantize(b: Build, operator: TfliteOperator) -> None:
    """Convert codes, or numbers of 16 bits, to numbers."""
    source, number = operator.inputs[0], operator.outputs[0]
    given, data = b.tensor(source), b.data(operator.inputs[0])
    if given.dtype == "float16" and data is not None:
        b.fold(number, data.astype(np.float32))
        return
    if given.dtype not in ("int8", "uint8") or given.scale.size != 1:
        raise NotConverted(f"{given.dtype} to {b.tensor(number).dtype}")
    layout = layout_of(b, [source])
    b.put("DequantizeLinear", [b.value(source, layout), *b.coding(source)], number, layout)


@converts("NEG")
def negative(b: Build, operator: TfliteOperator) -> None:
    """Convert -x of numbers."""
    if is_coded(b.tensor(operator.inputs[0])):
        raise NotConverted("the negative of codes")
    layout = layout_of(b, operator.inputs[:1])
    b.put("Neg", [b.value(operator.inputs[0], layout)], operator.outputs[0], layout)


@converts("CAST")
def cast(b: Build, operator: TfliteOperator) -> None:
    """Convert element types."""
    number, source = operator.outputs[0], operator.inputs[0]
    layout = layout_of(b, [source])
    code = TYPES.index(b.tensor(number).dtype)
    b.put("Cast", [b.value(source, layout)], number, layout, to=code)
