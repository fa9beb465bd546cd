"""Gradients of functions of one number."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.gradients import Recorded, gradient, without_gradient
from aidge_nb.ops import maths as specs

Slope = Callable[[Array], Array]

_FROM_INPUT: dict[OpSpec, Slope] = {
    specs.ABS: np.sign,
    specs.LN: lambda x: 1 / x,
    specs.ERF: lambda x: 2 / math.sqrt(math.pi) * np.exp(-x * x),
    specs.SIN: np.cos,
    specs.COS: lambda x: -np.sin(x),
    specs.ASIN: lambda x: 1 / np.sqrt(1 - x * x),
    specs.ACOS: lambda x: -1 / np.sqrt(1 - x * x),
    specs.ATAN: lambda x: 1 / (1 + x * x),
    specs.SINH: np.cosh,
    specs.COSH: np.sinh,
    specs.ASINH: lambda x: 1 / np.sqrt(1 + x * x),
    specs.ACOSH: lambda x: 1 / np.sqrt(x * x - 1),
    specs.ATANH: lambda x: 1 / (1 - x * x),
}
"""Slope of each function, as a function of what it was given."""

_FROM_OUTPUT: dict[OpSpec, Slope] = {
    specs.SQRT: lambda y: 0.5 / y,
    specs.RECIPROCAL: lambda y: -y * y,
    specs.EXP: lambda y: y,
    specs.TAN: lambda y: 1 + y * y,
    specs.TANH: lambda y: 1 - y * y,
}
"""Slope of each function, as a function of what it gave."""

_FLAT = (specs.SIGN, specs.FLOOR, specs.CEIL, specs.ROUND)

without_gradient(specs.NOT, specs.IS_NAN, specs.IS_INF, reason="gives truth values")
without_gradient(specs.BITWISE_NOT, reason="gives whole numbers")


def _bind_input(spec: OpSpec, slope: Slope) -> None:
    @gradient(spec, inputs=(0,))
    def from_input(run: Recorded) -> Array:
        return np.asarray(run.dy * slope(run.x))


def _bind_output(spec: OpSpec, slope: Slope) -> None:
    @gradient(spec, outputs=(0,))
    def from_output(run: Recorded) -> Array:
        return np.asarray(run.dy * slope(run.y))


for _spec, _slope in _FROM_INPUT.items():
    _bind_input(_spec, _slope)
for _spec, _slope in _FROM_OUTPUT.items():
    _bind_output(_spec, _slope)


@gradient(specs.NEG)
def neg(run: Recorded) -> Array:
    """Return -dy."""
    return -run.dy


@gradient(*_FLAT)
def flat(run: Recorded) -> Array:
    """Return zeros: steps are flat wherever they have a slope."""
    return np.zeros_like(run.dy)
