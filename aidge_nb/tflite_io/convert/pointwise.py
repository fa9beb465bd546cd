"""Convert what is computed element by element: sums, products, functions, conversions.

A function of one tensor of codes becomes a table of its 256 results, computed as TensorFlow Lite
computes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.kernels.cpu.quantization.fixed_point import (
    hard_swish_codes,
    hyperbolic_tangent,
    logistic,
    multiplier_of,
    rescaled,
)
from aidge_nb.kernels.cpu.quantization.interpolated import curve_factor
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
_CODES = {"MUL": "QLinearMul", "DIV": "QLinearDiv"}


@converts(*_NUMBERS, inputs=2)
def binary(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert sums, differences, products and quotients."""
    pair = operator.inputs[:2]
    tensors = [b.tensor(each) for each in (*pair, number)]
    layout = layout_of(b, pair)
    activation = operator.options["activation"]
    values = [operand(b, each, layout) for each in pair]
    if {each.dtype for each in tensors} in ({"int32"}, {"int64"}) and activation == "NONE":
        b.put(_NUMBERS[operator.kind], values, number, layout)
        return
    if not is_coded(*tensors):
        put_activated(b, _NUMBERS[operator.kind], values, number, activation, layout)
        return
    if operator.kind == "DIV" and tensors[0].dtype != "int8":
        raise NotConverted("quotients of 16-bit codes")
    limits = bounds(activation, b.tensor(number))
    sign = {"sign": -1} if operator.kind == "SUB" else {}
    kind = _CODES.get(operator.kind, "QLinearAdd")
    inputs = [values[0], *b.coding(pair[0]), values[1], *b.coding(pair[1]), *b.coding(number)]
    b.put(kind, inputs, number, layout, TFLITE, **sign, **limits)


@converts("MAXIMUM", "MINIMUM", inputs=2)
def extreme(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert maxima and minima; codes of equal scales are compared as they are."""
    pair = operator.inputs[:2]
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


def one_coding(tensor: TfliteTensor) -> tuple[float, int]:
    """Return the one scale and zero point of a tensor."""
    return float(tensor.scale[0]), int(tensor.zero[0])


def every_code() -> Codes:
    """Return all 8-bit codes in the order of the bytes."""
    return np.arange(256, dtype=np.uint8).view(np.int8).astype(np.int64)


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


@converts("LOGISTIC", "TANH")
def curve(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert the sigmoid and the hyperbolic tangent."""
    given, result = b.tensor(source), b.tensor(number)
    if not is_coded(given, result):
        _function_of_numbers(b, operator)
        return
    is_tanh, (scale, zero) = operator.kind == "TANH", one_coding(given)
    if given.dtype == "int8":
        found = (hyperbolic_tangent if is_tanh else logistic)(every_code(), scale, zero)
        put_table(b, source, number, found)
        return
    multiplier, shift = curve_factor(scale, (0, 1) if is_tanh else (0,))
    layout, kind = layout_of(b, [source]), "QLinearTanh" if is_tanh else "QLinearSigmoid"
    inputs = [b.value(source, layout)]
    b.put(kind, inputs, number, layout, TFLITE, multiplier=multiplier, shift=shift)


@converts("RELU", "RELU6", "RELU_N1_TO_1", "LEAKY_RELU")
def rectifier(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert functions that are straight on either side of zero."""
    given, result = b.tensor(source), b.tensor(number)
    if not is_coded(given, result):
        _function_of_numbers(b, operator)
        return
    scale, y_scale = one_coding(given)[0], one_coding(result)[0]
    above = scale / y_scale
    below = scale * float(np.float32(operator.options.get("alpha", 1.0))) / y_scale
    activation = "NONE" if operator.kind == "LEAKY_RELU" else operator.kind
    put_rescaled(b, source, number, (above, below), bounds(activation, result))


def put_rescaled(
    b: Build, source: int, number: int, by: tuple[float, float], limits: dict[str, int]
) -> None:
    """Add codes times one factor from zero on, and another below; a table of 8-bit codes."""
    pairs = [multiplier_of(factor) for factor in by]
    if b.tensor(source).dtype == b.tensor(number).dtype == "int8":
        centred = every_code() - one_coding(b.tensor(source))[1]
        scaled = [rescaled(centred, *pair) for pair in pairs]
        codes = np.where(centred >= 0, *scaled) + one_coding(b.tensor(number))[1]
        put_table(b, source, number, np.clip(codes, limits["least"], limits["most"]))
        return
    layout = layout_of(b, [source])
    inputs = [b.value(source, layout), b.coding(source)[1], b.coding(number)[1]]
    both = (*pairs[0], *pairs[1])
    b.put("QLinearRescale", inputs, number, layout, TFLITE, by=both, **limits)


_CLIPS = {"RELU6": (0, 6), "RELU_N1_TO_1": (-1, 1)}


def _function_of_numbers(b: Build, operator: TfliteOperator) -> None:
    number, source = operator.outputs[0], operator.inputs[0]
    layout = layout_of(b, [source])
    value = b.value(source, layout)
    if operator.kind in _CLIPS:
        bound = _CLIPS[operator.kind]
        ends = [b.constant("bound", np.asarray(end, np.float32)) for end in bound]
        b.put("Clip", [value, *ends], number, layout)
        return
    kinds = {"LOGISTIC": "Sigmoid", "TANH": "Tanh", "RELU": "Relu", "LEAKY_RELU": "LeakyRelu"}
    alpha = {"alpha": operator.options["alpha"]} if operator.kind == "LEAKY_RELU" else {}
    b.put(kinds[operator.kind], [value], number, layout, **alpha)


@converts("HARD_SWISH")
def hard_swish(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert x · relu6(x + 3) / 6."""
    given, result = b.tensor(source), b.tensor(number)
    if is_coded(given, result):
        if given.dtype != "int8":
            raise NotConverted("hard swish of 16-bit codes")
        coding = (*one_coding(given), *one_coding(result))
        put_table(b, source, number, hard_swish_codes(every_code(), *coding))
        return
    layout = layout_of(b, [source])
    value = b.value(source, layout)
    gate = b.then("HardSigmoid", [value], "gate", alpha=1 / 6, beta=0.5)
    b.put("Mul", [value, gate], number, layout)


@converts("QUANTIZE")
def quantize(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert numbers to codes, or codes to codes of another scale."""
    given, result = b.tensor(source), b.tensor(number)
    if given.dtype in ("int8", "int16") and result.dtype in ("int8", "int16"):
        if given.scale.size != 1 or result.scale.size != 1:
            raise NotConverted("codes without one scale and zero point")
        by = float(given.scale[0]) / float(result.scale[0])
        put_rescaled(b, source, number, (by, by), bounds("NONE", result))
        return
    kinds = ("int8", "int16")
    if given.dtype != "float32" or result.dtype not in kinds or result.scale.size != 1:
        raise NotConverted(f"{given.dtype} to {result.dtype}")
    layout = layout_of(b, [source])
    inputs = [b.value(source, layout), *b.coding(number)]
    if layout == FILE and b.is_read_as_image(number):  # turned as it is made: no copy more
        b.put("QuantizeImage", inputs, number, IMAGE, TFLITE)
        return
    b.put("QuantizeLinear", inputs, number, layout, TFLITE)


@converts("DEQUANTIZE")
def dequantize(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert codes, or numbers of 16 bits, to numbers."""
    given, data = b.tensor(source), b.data(operator.inputs[0])
    if given.dtype == "float16" and data is not None:
        b.fold(number, data.astype(np.float32))
        return
    if given.dtype not in ("int8", "uint8", "int16") or given.scale.size != 1:
        raise NotConverted(f"{given.dtype} to {b.tensor(number).dtype}")
    layout = layout_of(b, [source])
    b.put("DequantizeLinear", [b.value(source, layout), *b.coding(source)], number, layout)


@converts("CAST")
def cast(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert element types."""
    layout = layout_of(b, [source])
    code = TYPES.index(b.tensor(number).dtype)
    b.put("Cast", [b.value(source, layout)], number, layout, to=code)
