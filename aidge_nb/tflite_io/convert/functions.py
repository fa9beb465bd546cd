"""Convert functions and comparisons of numbers, and the functions of codes that are tables."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.quantization.fixed_point import multiplier_of, rescaled
from aidge_nb.kernels.standard import TFLITE
from aidge_nb.tflite_io.convert.build import FILE, Build, NotConverted, converts, is_coded
from aidge_nb.tflite_io.convert.pointwise import (
    Codes,
    every_code,
    layout_of,
    need_equal,
    one_coding,
    operand,
    put_table,
)
from aidge_nb.tflite_io.model import TfliteOperator

_OF_NUMBERS = {
    "EXP": "Exp",
    "LOG": "Log",
    "SQRT": "Sqrt",
    "SIN": "Sin",
    "COS": "Cos",
    "FLOOR": "Floor",
    "CEIL": "Ceil",
    "ROUND": "Round",
    "NEG": "Neg",
    "ABS": "Abs",
    "ELU": "Elu",
}


@converts(*_OF_NUMBERS, "RSQRT", "SQUARE")
def function_of_numbers(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert functions of one tensor; of codes, those that TensorFlow Lite Micro has."""
    given, result = b.tensor(source), b.tensor(number)
    if is_coded(given, result):
        if given.dtype != "int8" or operator.kind not in ("ABS", "ELU"):
            raise NotConverted(f"{operator.kind} of {given.dtype} codes")
        put_table(b, source, number, _absolute(b, source, number, operator.kind == "ELU"))
        return
    layout = layout_of(b, [source])
    value = b.value(source, layout)
    if operator.kind == "SQUARE":
        b.put("Mul", [value, value], number, layout)
    elif operator.kind == "RSQRT":
        b.put("Reciprocal", [b.then("Sqrt", [value], "root")], number, layout)
    else:
        b.put(_OF_NUMBERS[operator.kind], [value], number, layout)


def _absolute(b: Build, source: int, number: int, is_elu: bool) -> Codes:
    """Return the codes of absolute values, or of the exponential linear unit, of all codes."""
    (scale, zero), (y_scale, y_zero) = one_coding(b.tensor(source)), one_coding(b.tensor(number))
    centred = every_code() - zero
    if not is_elu:
        return np.asarray(rescaled(np.abs(centred), *multiplier_of(scale / y_scale)) + y_zero)
    one = np.float32(1)
    numbers = np.float32(scale) * centred.astype(np.float32)
    powers = np.exp(np.minimum(numbers, 0).astype(np.float64)).astype(np.float32)
    values = np.where(numbers < 0, powers - one, numbers)
    by_scale = values * (one / np.float32(y_scale))
    whole = np.copysign(np.floor(np.abs(by_scale) + np.float32(0.5)), by_scale)
    return np.asarray(whole.astype(np.int64) + y_zero)


_COMPARED = {
    "LESS": "Less",
    "LESS_EQUAL": "LessOrEqual",
    "GREATER": "Greater",
    "GREATER_EQUAL": "GreaterOrEqual",
    "EQUAL": "Equal",
    "LOGICAL_AND": "And",
    "LOGICAL_OR": "Or",
    "POW": "Pow",
}


@converts(*_COMPARED, "NOT_EQUAL", inputs=2)
def comparison(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert comparisons; codes of equal scales are compared as they are."""
    pair = operator.inputs[:2]
    tensors = [b.tensor(each) for each in pair]
    if any(tensor.is_coded for tensor in tensors):
        if operator.kind == "POW":
            raise NotConverted("powers of codes")
        need_equal(tensors)
    layout = layout_of(b, pair)
    values = [operand(b, each, layout) for each in pair]
    if operator.kind != "NOT_EQUAL":
        b.put(_COMPARED[operator.kind], values, number, layout)
        return
    b.put("Not", [b.then("Equal", values, "equal")], number, layout)


@converts("LOGICAL_NOT")
def negation(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert the negation of truth values."""
    layout = layout_of(b, [source])
    b.put("Not", [b.value(source, layout)], number, layout)


@converts("SELECT_V2", inputs=3)
def selection(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert a choice between elements of two tensors; codes are moved as they are."""
    three = operator.inputs[:3]
    if b.tensor(number).is_coded:
        need_equal([b.tensor(each) for each in (*three[1:], number)])
    layout = layout_of(b, three)
    b.put("Where", [operand(b, each, layout) for each in three], number, layout)


@converts("SQUARED_DIFFERENCE", inputs=2)
def squared_difference(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert (a - b)²."""
    pair = operator.inputs[:2]
    layout = layout_of(b, pair)
    values = [operand(b, each, layout) for each in pair]
    if is_coded(*(b.tensor(each) for each in (*pair, number))):
        inputs = [values[0], *b.coding(pair[0]), values[1], *b.coding(pair[1])]
        b.put("QLinearSquaredDifference", [*inputs, *b.coding(number)], number, layout, TFLITE)
        return
    difference = b.then("Sub", values, "difference")
    b.put("Mul", [difference, difference], number, layout)


@converts("PRELU", inputs=2)
def prelu(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert a rectifier with a slope per element or channel."""
    slope = operator.inputs[1]
    layout = layout_of(b, [source, slope])
    value, slopes = b.value(source, layout), operand(b, slope, layout)
    if not is_coded(b.tensor(source), b.tensor(number)):
        b.put("PRelu", [value, slopes], number, layout)
        return
    if b.tensor(slope).dtype != "int8" or b.tensor(slope).scale.size != 1:
        raise NotConverted(f"slopes of {b.tensor(slope).dtype} without one scale")
    inputs = [value, *b.coding(source), slopes, *b.coding(slope), *b.coding(number)]
    b.put("QLinearPRelu", inputs, number, layout, TFLITE)


@converts("ADD_N")
def sum_of_many(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert the sum of several tensors of numbers."""
    if is_coded(*(b.tensor(each) for each in (*operator.inputs, number))):
        raise NotConverted("the sum of several tensors of codes")
    layout = layout_of(b, operator.inputs)
    b.put("Sum", [operand(b, each, layout) for each in operator.inputs], number, layout)


@converts("LOG_SOFTMAX")
def log_softmax(b: Build, operator: TfliteOperator, source: int, number: int) -> None:
    """Convert the logarithm of the softmax along the last axis, of numbers."""
    if is_coded(b.tensor(source), b.tensor(number)):
        raise NotConverted("the logarithm of a softmax of codes")
    b.put("LogSoftmax", [b.value(source)], number, FILE, axis=-1)
