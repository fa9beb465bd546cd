"""Functions of one number, applied to each element."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.cpu.common.arrays import Array, elementwise, floats, rounded
from aidge_nb.kernels.cpu.common.erf import erf
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import maths as specs

_OF_NUMBERS: dict[OpSpec, Callable[..., Any]] = {
    specs.ABS: np.abs,
    specs.NEG: np.negative,
    specs.SIGN: np.sign,
    specs.FLOOR: np.floor,
    specs.CEIL: np.ceil,
    specs.NOT: np.logical_not,
    specs.BITWISE_NOT: np.invert,
    specs.IS_NAN: np.isnan,
}
OF_FLOATS: dict[OpSpec, Callable[..., Any]] = {
    specs.SQRT: np.sqrt,
    specs.RECIPROCAL: partial(np.divide, 1),
    specs.EXP: np.exp,
    specs.LN: np.log,
    specs.ERF: erf,
    specs.SIN: np.sin,
    specs.COS: np.cos,
    specs.TAN: np.tan,
    specs.ASIN: np.arcsin,
    specs.ACOS: np.arccos,
    specs.ATAN: np.arctan,
    specs.SINH: np.sinh,
    specs.COSH: np.cosh,
    specs.TANH: np.tanh,
    specs.ASINH: np.arcsinh,
    specs.ACOSH: np.arccosh,
    specs.ATANH: np.arctanh,
}


def _bind(spec: OpSpec, function: Callable[..., Any]) -> None:
    @kernel(spec)
    def of_number(x: Array, *, out: Array | None = None) -> Array:
        return elementwise(partial(function, out=out), x)


def _bind_float(spec: OpSpec, function: Callable[..., Any]) -> None:
    @kernel(spec)
    def of_float(x: Array, *, out: Array | None = None) -> Array:
        return elementwise(partial(function, out=out), floats(x))


for _spec, _function in _OF_NUMBERS.items():
    _bind(_spec, _function)
for _spec, _function in OF_FLOATS.items():
    _bind_float(_spec, _function)


@kernel(specs.ROUND)
def round_(x: Array, *, rounding_mode: str) -> Array:
    """Round to whole numbers."""
    return rounded(x, rounding_mode)


@kernel(specs.IS_INF)
def is_inf(x: Array, *, detect_negative: bool, detect_positive: bool) -> Array:
    """Mark which elements are infinite."""
    found = np.isinf(x)
    if not detect_negative:
        found = found & (x > 0)
    if not detect_positive:
        found = found & (x < 0)
    return np.asarray(found)
