"""Operators that combine several inputs element by element."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np

from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.cpu.common.arrays import Array, common, elementwise
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import arithmetic as specs
from aidge_nb.ops.rules import choice_of

OF_TWO: dict[OpSpec, Callable[..., Any]] = {
    specs.ADD: np.add,
    specs.SUB: np.subtract,
    specs.MUL: np.multiply,
    specs.EQUAL: np.equal,
    specs.GREATER: np.greater,
    specs.GREATER_OR_EQUAL: np.greater_equal,
    specs.LESS: np.less,
    specs.LESS_OR_EQUAL: np.less_equal,
    specs.AND: np.logical_and,
    specs.OR: np.logical_or,
    specs.XOR: np.logical_xor,
    specs.BITWISE_AND: np.bitwise_and,
    specs.BITWISE_OR: np.bitwise_or,
    specs.BITWISE_XOR: np.bitwise_xor,
}
_OF_MANY: dict[OpSpec, Callable[..., Any]] = {
    specs.SUM: np.add,
    specs.MAX: np.maximum,
    specs.MIN: np.minimum,
}


def _bind_two(spec: OpSpec, function: Callable[..., Any]) -> None:
    @kernel(spec)
    def of_two(a: Array, b: Array, *, out: Array | None = None) -> Array:
        return elementwise(partial(function, out=out), *common((a, b)))


def _bind_many(spec: OpSpec, function: Callable[..., Any]) -> None:
    @kernel(spec)
    def of_many(*arrays: Array, out: Array | None = None) -> Array:
        return _reduced(partial(function, out=out), arrays)


def _reduced(function: Callable[..., Any], arrays: tuple[Array, ...]) -> Array:
    if len(arrays) == 1:
        return arrays[0].copy()
    return reduce(lambda a, b: elementwise(function, a, b), common(arrays))


for _spec, _function in OF_TWO.items():
    _bind_two(_spec, _function)
for _spec, _function in _OF_MANY.items():
    _bind_many(_spec, _function)


@kernel(specs.MEAN)
def mean(*arrays: Array) -> Array:
    """Return the mean of the inputs."""
    total = _reduced(np.add, arrays)
    return np.asarray(total / len(arrays), total.dtype)


@kernel(specs.DIV)
def div(a: Array, b: Array, *, out: Array | None = None) -> Array:
    """Divide; integers towards zero."""
    a, b = common((a, b))
    if a.dtype.kind not in "iu":
        return elementwise(partial(np.true_divide, out=out), a, b)
    return elementwise(_divide_towards_zero, a, b)


def _divide_towards_zero(a: Array, b: Array) -> Array:
    quotient, rest = np.divmod(a, b)
    return np.asarray(quotient + ((rest != 0) & ((a < 0) != (b < 0))), a.dtype)


@kernel(specs.MOD)
def mod(dividend: Array, divisor: Array, *, fmod: bool) -> Array:
    """Return the remainder, with the sign of the divisor, or with ``fmod`` of the dividend."""
    return elementwise(np.fmod if fmod else np.remainder, *common((dividend, divisor)))


@kernel(specs.POW)
def power(base: Array, exponent: Array, *, out: Array | None = None) -> Array:
    """Raise to a power, in the type of the base."""
    return elementwise(partial(_power, out=out), base, exponent)


def _power(base: Array, exponent: Array, out: Array | None) -> Array:
    is_float = base.dtype.kind == "f"
    if is_float and exponent.size == 1 and exponent.ndim <= base.ndim:
        simple = _SIMPLE_POWERS.get(exponent.item())
        if simple is not None:
            return np.asarray(simple(base, out=out))
    if not is_float and (exponent.dtype.kind == "f" or np.any(exponent < 0)):
        return np.asarray(np.power(base.astype(np.float64), exponent)).astype(base.dtype)
    if is_float and exponent.dtype.kind != "f":
        exponent = exponent.astype(base.dtype)
    return np.asarray(np.power(base, exponent), base.dtype)


_SIMPLE_POWERS: dict[float, Callable[..., Any]] = {
    2: np.square,
    3: lambda x, out: np.multiply(x * x, x, out=out),
    1: np.positive,
    -1: lambda x, out: np.divide(1, x, out=out),
}


@kernel(specs.BIT_SHIFT)
def bit_shift(x: Array, amount: Array, *, direction: str) -> Array:
    """Shift bits; those that leave are lost."""
    choice_of(direction, ("left", "right"), "direction")
    shift = np.left_shift if direction == "left" else np.right_shift
    return elementwise(shift, *common((x, amount)))


@kernel(specs.WHERE)
def where(condition: Array, a: Array, b: Array) -> Array:
    """Take from ``a`` where the condition holds, from ``b`` elsewhere."""
    return elementwise(np.where, condition.astype(bool, copy=False), *common((a, b)))
