"""Gradients of operators that combine several inputs element by element.

Inputs that were broadcast add up what came back to their copies.
"""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, summed_to
from aidge_nb.kernels.gradients import Recorded, gradient, without_gradient
from aidge_nb.ops import arithmetic as specs

without_gradient(
    specs.EQUAL,
    specs.GREATER,
    specs.GREATER_OR_EQUAL,
    specs.LESS,
    specs.LESS_OR_EQUAL,
    specs.AND,
    specs.OR,
    specs.XOR,
    reason="gives truth values",
)
without_gradient(
    specs.BITWISE_AND,
    specs.BITWISE_OR,
    specs.BITWISE_XOR,
    specs.BIT_SHIFT,
    reason="gives whole numbers",
)


def _to(run: Recorded, index: int, grad: Array) -> Array:
    """Bring a gradient to the dimensions of an input."""
    return summed_to(np.asarray(grad), run.input(index).shape)


@gradient(specs.ADD, specs.SUM)
def add(run: Recorded) -> tuple[Array, ...]:
    """Pass to all."""
    return tuple(_to(run, index, run.dy) for index in range(len(run.inputs)))


@gradient(specs.MEAN)
def mean(run: Recorded) -> tuple[Array, ...]:
    """Pass equal shares to all."""
    share = np.asarray(run.dy / len(run.inputs))
    return tuple(_to(run, index, share) for index in range(len(run.inputs)))


@gradient(specs.SUB)
def sub(run: Recorded) -> tuple[Array, ...]:
    """Pass dy and -dy."""
    return _to(run, 0, run.dy), _to(run, 1, -run.dy)


@gradient(specs.MUL, inputs=(0, 1))
def mul(run: Recorded) -> tuple[Array, ...]:
    """Pass dy times the other factor."""
    return _to(run, 0, run.dy * run.input(1)), _to(run, 1, run.dy * run.x)


@gradient(specs.DIV, inputs=(0, 1))
def div(run: Recorded) -> tuple[Array, ...]:
    """Pass dy / b and -dy a / b²."""
    a, b = run.x, run.input(1)
    share = run.dy / b
    return _to(run, 0, share), _to(run, 1, -share * (a / b))


@gradient(specs.MOD, inputs=(0, 1))
def mod(run: Recorded, *, fmod: bool) -> tuple[Array, ...]:
    """Pass dy, and -dy times how often the divisor was taken off."""
    quotient = run.x / run.input(1)
    times = np.trunc(quotient) if fmod else np.floor(quotient)
    return _to(run, 0, run.dy), _to(run, 1, -run.dy * times)


@gradient(specs.POW, inputs=(0, 1), outputs=(0,))
def power(run: Recorded) -> tuple[Array | None, ...]:
    """Pass dy e b^(e-1) and dy y ln b; a base that is not positive has no slope in e."""
    base, exponent = run.x, run.input(1)
    slope = np.where(exponent == 0, 0, exponent * np.power(base, exponent - 1))
    by_base = _to(run, 0, run.dy * slope)
    if exponent.dtype.kind != "f" or 1 not in run.wanted:
        return by_base, None
    logarithm = np.log(np.where(base > 0, base, 1))
    return by_base, _to(run, 1, run.dy * run.y * logarithm)


@gradient(specs.MAX, specs.MIN, inputs=None, outputs=(0,))
def extreme(run: Recorded) -> tuple[Array, ...]:
    """Pass to the first input that gave the result."""
    left = np.ones(run.dy.shape, bool)
    found = []
    for index in range(len(run.inputs)):
        chosen = left & (run.input(index) == run.y)
        left &= ~chosen
        found.append(_to(run, index, np.where(chosen, run.dy, 0)))
    return tuple(found)


@gradient(specs.WHERE, inputs=(0,))
def where(run: Recorded) -> tuple[Array | None, ...]:
    """Pass to the input that was taken."""
    condition = run.x.astype(bool, copy=False)
    return (
        None,
        _to(run, 1, np.where(condition, run.dy, 0)),
        _to(run, 2, np.where(condition, 0, run.dy)),
    )
