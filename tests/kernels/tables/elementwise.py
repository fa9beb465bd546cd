"""Cases of maths, activation and arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.kernels.case import Array, Case
from tests.kernels.onnx_oracle import onnx
from tests.kernels.tables.data import (
    EMPTY,
    SCALAR,
    SPECIAL,
    array,
    integers,
    normal,
    positive,
    truths,
)


def _slow(function: Callable[[float], float]) -> Callable[..., Any]:
    """Apply a function of Python's floats to each element."""

    def oracle(x: Array) -> Array:
        return np.array([function(v) for v in x.ravel().tolist()], np.float64).reshape(x.shape)

    return oracle


MATHS = [
    case
    for type_name in ("Abs", "Neg", "Sign", "Floor", "Ceil", "Sqrt", "Reciprocal", "Exp", "Erf")
    for case in (
        Case(type_name, [SPECIAL], onnx(type_name)),
        Case(type_name, [SCALAR], onnx(type_name)),
        Case(type_name, [EMPTY], onnx(type_name)),
    )
]
MATHS += [
    case
    for type_name, onnx_name, x in (
        ("Ln", "Log", positive(3, 4)),
        ("Sin", "Sin", normal(3, 4)),
        ("Cos", "Cos", normal(3, 4)),
        ("Tan", "Tan", normal(3, 4)),
        ("Asin", "Asin", positive(3, 4) / 2),
        ("Acos", "Acos", positive(3, 4) / 2),
        ("Atan", "Atan", normal(3, 4)),
        ("Sinh", "Sinh", normal(3, 4)),
        ("Cosh", "Cosh", normal(3, 4)),
        ("Tanh", "Tanh", SPECIAL),
        ("Asinh", "Asinh", normal(3, 4)),
        ("Acosh", "Acosh", 1 + positive(3, 4)),
        ("Atanh", "Atanh", positive(3, 4) / 2.1),
    )
    for case in (
        Case(type_name, [x], onnx(onnx_name)),
        Case(type_name, [SCALAR if onnx_name != "Acosh" else 1 + SCALAR], onnx(onnx_name)),
        Case(type_name, [EMPTY], onnx(onnx_name)),
    )
]
MATHS += [
    Case("Abs", [integers(4, 5)], np.abs),
    Case("Sqrt", [integers(7, low=0)], np.sqrt),
    Case("Exp", [normal(5, dtype=np.float16)], np.exp),
    Case("Erf", [normal(40, dtype=np.float64)], _slow(math.erf)),
    Case("Erf", [np.linspace(-5, 5, 20001, dtype=np.float32)], _slow(math.erf)),
    Case("Round", [SPECIAL], onnx("Round"), {"rounding_mode": "half_to_even"}),
    Case("Round", [array(np.float32, [-2.5, -0.5, 0.49999997, 1.5])], lambda x: [-3, -1, 0, 2]),
    Case("Round", [integers(3)], lambda x: x),
    Case("Not", [truths(3, 4)], onnx("Not")),
    Case("Not", [np.array(True)], onnx("Not")),
    Case("BitwiseNot", [integers(9)], onnx("BitwiseNot")),
    Case("BitwiseNot", [integers(9, low=0, dtype=np.uint8)], onnx("BitwiseNot")),
    Case("IsNaN", [SPECIAL], onnx("IsNaN")),
    Case("IsNaN", [EMPTY], onnx("IsNaN")),
    Case("IsInf", [SPECIAL], onnx("IsInf")),
    Case("IsInf", [SPECIAL], onnx("IsInf", detect_negative=0), {"detect_negative": False}),
    Case("IsInf", [SPECIAL], onnx("IsInf", detect_positive=0), {"detect_positive": False}),
]

_MIDDLE = np.concatenate([normal(50), SPECIAL[:12]])
ACTIVATIONS = [
    case
    for type_name, onnx_name, ours, theirs in (
        ("ReLU", "Relu", {}, {}),
        ("LeakyReLU", "LeakyRelu", {"negative_slope": 0.1}, {"alpha": 0.1}),
        ("LeakyReLU", "LeakyRelu", {"negative_slope": 3.0}, {"alpha": 3.0}),
        ("LeakyReLU", "LeakyRelu", {}, {"alpha": 0.0}),
        ("Sigmoid", "Sigmoid", {}, {}),
        ("HardSigmoid", "HardSigmoid", {}, {}),
        ("HardSigmoid", "HardSigmoid", {"alpha": 0.5, "beta": 0.1}, {"alpha": 0.5, "beta": 0.1}),
        ("HardSwish", "HardSwish", {}, {}),
        ("Softplus", "Softplus", {}, {}),
        ("Softsign", "Softsign", {}, {}),
        ("Elu", "Elu", {}, {}),
        ("Elu", "Elu", {"alpha": 2.5}, {"alpha": 2.5}),
        ("Celu", "Celu", {}, {}),
        ("Celu", "Celu", {"alpha": 2.5}, {"alpha": 2.5}),
        ("Selu", "Selu", {}, {}),
        ("Selu", "Selu", {"alpha": 2.0, "gamma": 3.0}, {"alpha": 2.0, "gamma": 3.0}),
        ("ThresholdedRelu", "ThresholdedRelu", {"alpha": 0.3}, {"alpha": 0.3}),
        ("Gelu", "Gelu", {}, {}),
        ("Gelu", "Gelu", {"approximate": "tanh"}, {"approximate": "tanh"}),
        ("Mish", "Mish", {}, {}),
    )
    for case in (
        Case(type_name, [_MIDDLE], onnx(onnx_name, **theirs), ours),
        Case(type_name, [EMPTY], lambda x: x, ours),
    )
]


def _heaviside(value: float) -> Callable[..., Any]:
    return lambda x: np.heaviside(np.nan_to_num(x.astype(np.float64), nan=-1), value)


def _swish(alpha: float) -> Callable[..., Any]:
    return lambda x: x / (1 + np.exp(-alpha * x.astype(np.float64)))


ACTIVATIONS += [
    Case("Swish", [normal(40)], _swish(1.0)),
    Case("Swish", [normal(4, 5)], _swish(1.7), {"alpha": 1.7}),
    Case("Swish", [SCALAR], _swish(1.0)),
    Case("ReLU", [integers(5)], lambda x: np.maximum(x, 0)),
    Case("ReLU", [array(np.float32, [np.nan, -1, 2])], lambda x: [np.nan, 0, 2]),
    Case("Sigmoid", [array(np.float32, [-200, -90, 90, 200])], onnx("Sigmoid")),
    Case("Clip", [SPECIAL[:-1]], lambda x: x),
    Case("Clip", [SPECIAL[:-1]], lambda x: np.clip(x, -1, 2), {"min": -1.0, "max": 2.0}),
    Case("Clip", [normal(9), SCALAR * 0, SCALAR], onnx("Clip")),
    Case("Clip", [normal(9), None, SCALAR], onnx("Clip")),
    Case("Clip", [normal(9), SCALAR, SCALAR * 0], onnx("Clip")),
    Case("Clip", [integers(9)], lambda x: np.maximum(x, 0), {"min": 0.0, "max": 3.4e38}),
    Case("Clip", [integers(9), array(np.int64, -2), None], onnx("Clip")),
    *(
        Case("Heaviside", [x], _heaviside(0.25), {"value": 0.25})
        for x in (SPECIAL, SCALAR, EMPTY, integers(5), array(np.float32, [-0.0, 0, 1e-9, -1e-9]))
    ),
    Case("PRelu", [normal(2, 3, 4), normal(4)], onnx("PRelu")),
    Case("PRelu", [normal(2, 3, 4), normal(3, 1)], onnx("PRelu")),
    Case("PRelu", [SCALAR * -1, SCALAR], onnx("PRelu")),
]

_PAIRS: list[tuple[Array, Array]] = [
    (normal(2, 3, 4), normal(2, 3, 4, salt=1)),
    (normal(2, 1, 4), normal(3, 1)),
    (normal(3), SCALAR),
    (EMPTY, normal(3)),
]
ARITHMETIC = [
    Case(type_name, pair, onnx(type_name))
    for type_name in ("Add", "Sub", "Mul", "Div", "Greater", "GreaterOrEqual", "Less")
    for pair in _PAIRS
]
ARITHMETIC += [
    Case(type_name, [integers(4, 5), integers(5, low=1, salt=1)], onnx(type_name))
    for type_name in ("Add", "Sub", "Mul", "Div", "Mod", "Equal", "LessOrEqual", "BitwiseAnd")
]
ARITHMETIC += [
    Case(type_name, [truths(3, 4), truths(4, salt=1)], onnx(type_name))
    for type_name in ("And", "Or", "Xor", "Equal")
]
ARITHMETIC += [
    Case(type_name, arrays, onnx(type_name))
    for type_name in ("Sum", "Mean", "Max", "Min")
    for arrays in ([normal(2, 3)], [normal(2, 3), normal(3, salt=1), normal(2, 1)])
]
_DIVIDENDS = np.array([7, -7, 7, -7, 6, -6], np.int64)
_DIVISORS = np.array([3, 3, -3, -3, 3, 3], np.int64)
ARITHMETIC += [
    Case("Add", [normal(3), integers(3)], lambda a, b: a + b),
    Case("Div", [_DIVIDENDS, _DIVISORS], lambda a, b: [2, -2, -2, 2, 2, -2]),
    Case("Mod", [_DIVIDENDS, _DIVISORS], lambda a, b: [1, 2, -2, -1, 0, 0]),
    Case("Mod", [_DIVIDENDS, _DIVISORS], lambda a, b: [1, -1, 1, -1, 0, 0], {"fmod": True}),
    Case("Mod", [normal(9) * 4, normal(9, salt=1)], onnx("Mod", fmod=1), {"fmod": True}),
    *(
        Case("Pow", [positive(3, 4), np.array(exponent)], onnx("Pow"))
        for exponent in (np.float32(2), np.float32(3), np.float32(0.5), np.int64(2), np.float64(1))
    ),
    Case("Pow", [positive(3, 1), normal(4)], onnx("Pow")),
    Case("Pow", [integers(5), array(np.int64, [0, 1, 2, 3, 4])], onnx("Pow")),
    Case(
        "Pow", [array(np.int64, [2, 1, -1]), array(np.int64, [-1, -2, -3])], lambda a, b: [0, 1, -1]
    ),
    Case("Pow", [array(np.int64, [4, 9]), array(np.float32, [0.5, 0.5])], lambda a, b: [2, 3]),
    Case("Equal", [SPECIAL, SPECIAL], onnx("Equal")),
    Case("LessOrEqual", [SPECIAL, SPECIAL[::-1]], onnx("LessOrEqual")),
    Case("BitwiseOr", [integers(8), integers(8, salt=1)], onnx("BitwiseOr")),
    Case("BitwiseAnd", [integers(2, 3), integers(3)], onnx("BitwiseAnd")),
    Case("And", [truths(2, 1), np.array(True)], onnx("And")),
    Case("Or", [truths(2, 1), np.array(False)], onnx("Or")),
    Case("Xor", [truths(2, 1), np.array(True)], onnx("Xor")),
    Case("BitwiseXor", [integers(8), integers(8, salt=1)], onnx("BitwiseXor")),
    Case("BitwiseOr", [integers(2, 3), integers(3)], onnx("BitwiseOr")),
    Case("BitwiseXor", [integers(2, 3), integers(3)], onnx("BitwiseXor")),
    *(
        Case(
            "BitShift",
            [array(np.uint32, [1, 8, 4294967295]), array(np.uint32, [3, 2, 1])],
            onnx("BitShift", direction=direction.upper()),
            {"direction": direction},
        )
        for direction in ("left", "right")
    ),
    Case("Where", [truths(3, 4), normal(3, 1), normal(4)], onnx("Where")),
    Case("Where", [np.array(True), integers(3), integers(2, 1)], onnx("Where")),
]

CASES = [*MATHS, *ACTIVATIONS, *ARITHMETIC]
