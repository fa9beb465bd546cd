"""Calls of operators that combine inputs element by element, with broadcasting."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aidge_nb.core.dtype import DType
from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.c.adapters.common import (
    F32,
    INTEGERS,
    bits_of_elements,
    copy_call,
    joined,
    need,
    refuse,
    repeated,
)
from aidge_nb.kernels.c.calls import Argument, CCall, Constant, Fields, In, Out, Site, c_kernel
from aidge_nb.ops import activation, arithmetic


def binary_fields(label: str, a: Sequence[int], b: Sequence[int], target: Sequence[int]) -> Fields:
    """Say how two inputs are repeated to the dimensions of the output."""
    dims, a_strides, b_strides = joined(label, target, repeated(a, target), repeated(b, target))
    return {"rank": len(dims), "dims": dims, "a_strides": a_strides, "b_strides": b_strides}


def binary_call(
    site: Site,
    name: str,
    unit: str,
    a: tuple[Argument, Sequence[int]],
    b: tuple[Argument, Sequence[int]],
) -> CCall:
    """Combine two operands, each with its dimensions, into output 0."""
    fields = binary_fields(site.label, a[1], b[1], site.outputs[0].dims)
    return CCall(name, unit, "nb_binary_config", fields, (a[0], b[0], Out(0)))


def _of_inputs(site: Site, name: str, unit: str) -> CCall:
    first, second = ((In(index), site.input(index).dims) for index in (0, 1))
    return binary_call(site, name, unit, first, second)


_NUMBERS = (*F32, *INTEGERS)
_TRUTH = (DType.boolean,)
_OF_TWO: dict[OpSpec, tuple[str, Sequence[DType], str]] = {
    arithmetic.ADD: ("add", _NUMBERS, "nb_arithmetic"),
    arithmetic.SUB: ("sub", _NUMBERS, "nb_arithmetic"),
    arithmetic.MUL: ("mul", _NUMBERS, "nb_arithmetic"),
    arithmetic.DIV: ("div", _NUMBERS, "nb_arithmetic"),
    activation.PRELU: ("prelu", F32, "nb_arithmetic"),
    arithmetic.EQUAL: ("equal", (*_NUMBERS, *_TRUTH), "nb_compare"),
    arithmetic.GREATER: ("greater", (*_NUMBERS, *_TRUTH), "nb_compare"),
    arithmetic.GREATER_OR_EQUAL: ("greater_or_equal", (*_NUMBERS, *_TRUTH), "nb_compare"),
    arithmetic.LESS: ("less", (*_NUMBERS, *_TRUTH), "nb_compare"),
    arithmetic.LESS_OR_EQUAL: ("less_or_equal", (*_NUMBERS, *_TRUTH), "nb_compare"),
    arithmetic.AND: ("and", _TRUTH, "nb_logic"),
    arithmetic.OR: ("or", _TRUTH, "nb_logic"),
    arithmetic.XOR: ("xor", _TRUTH, "nb_logic"),
}
"""The names of functions of two inputs in C, their element types, and the unit for float32."""


@c_kernel(*_OF_TWO)
def of_two(site: Site) -> CCall:
    """Combine two inputs; truth values are compared as the bytes that they are."""
    name, allowed, unit = _OF_TWO[site.spec]
    suffix = need(site, allowed, 0, 1)
    if unit == "nb_arithmetic" and suffix != "f32":
        unit = "nb_integer"
    if unit == "nb_compare" and suffix == "bool":
        suffix = "u8"
    return _of_inputs(site, f"nb_{name}_{suffix}", unit)


@c_kernel(arithmetic.MOD)
def mod(site: Site) -> CCall:
    """Return the remainder."""
    suffix = need(site, _NUMBERS, 0, 1)
    name = "fmod" if site.attrs["fmod"] else "mod"
    return _of_inputs(site, f"nb_{name}_{suffix}", "nb_power" if suffix == "f32" else "nb_integer")


@c_kernel(arithmetic.POW)
def power(site: Site) -> CCall:
    """Raise float32 numbers to a power; exponents of another type must be known.

    The square is the product that it is defined to be.
    """
    need(site, F32)
    first = In(0), site.input(0).dims
    exponent = site.input(1)
    if exponent.size == 1 and 1 in site.constants and site.constant(1).reshape(-1)[0] == 2:
        return binary_call(site, "nb_mul_f32", "nb_arithmetic", first, first)
    if exponent.dtype is DType.float32:
        return binary_call(site, "nb_pow_f32", "nb_power", first, (In(1), exponent.dims))
    value = Constant("exponent", site.constant(1).astype(np.float32), of=1)
    return binary_call(site, "nb_pow_f32", "nb_power", first, (value, exponent.dims))


_VARIADIC: dict[OpSpec, str] = {
    arithmetic.SUM: "add",
    arithmetic.MEAN: "add",
    arithmetic.MAX: "max",
    arithmetic.MIN: "min",
}


@c_kernel(*_VARIADIC)
def of_many(site: Site) -> tuple[CCall, ...]:
    """Combine any number of inputs, from left to right."""
    count = len(site.inputs)
    suffix = need(site, _NUMBERS, *range(count))
    is_float = suffix == "f32"
    if site.spec is arithmetic.MEAN and not is_float:
        raise refuse(site, "gives means of integers")
    if count == 1:
        return (copy_call(site.outputs[0].nbytes, In(0), Out(0)),)
    name, unit = (
        f"nb_{_VARIADIC[site.spec]}_{suffix}",
        "nb_arithmetic" if is_float else "nb_integer",
    )
    target = site.outputs[0].dims
    calls = [_of_inputs(site, name, unit)]
    for index in range(2, count):
        operand = In(index), site.input(index).dims
        calls.append(binary_call(site, name, unit, (Out(0), target), operand))
    if site.spec is arithmetic.MEAN:
        number = Constant("count", np.array([count], np.float32))
        calls.append(binary_call(site, "nb_div_f32", unit, (Out(0), target), (number, (1,))))
    return tuple(calls)


_BITS: dict[OpSpec, str] = {
    arithmetic.BITWISE_AND: "bitwise_and",
    arithmetic.BITWISE_OR: "bitwise_or",
    arithmetic.BITWISE_XOR: "bitwise_xor",
}
_SIGNED = (DType.int8, DType.int16, DType.int32, DType.int64)
_UNSIGNED = (DType.uint8, DType.uint16, DType.uint32, DType.uint64)


@c_kernel(*_BITS)
def bits(site: Site) -> CCall:
    """Combine bits, whatever the sign."""
    need(site, (*_SIGNED, *_UNSIGNED, DType.boolean), 0, 1)
    size = bits_of_elements(site.input(0).dtype)
    return _of_inputs(site, f"nb_{_BITS[site.spec]}_u{size}", "nb_logic")


@c_kernel(arithmetic.BIT_SHIFT)
def bit_shift(site: Site) -> CCall:
    """Shift bits of unsigned integers."""
    suffix = need(site, _UNSIGNED, 0, 1)
    return _of_inputs(site, f"nb_shift_{site.attrs['direction']}_{suffix}", "nb_logic")


@c_kernel(arithmetic.WHERE)
def where(site: Site) -> CCall:
    """Take from one of two inputs."""
    if site.input(0).dtype is not DType.boolean or site.input(1).dtype != site.input(2).dtype:
        raise refuse(site, "takes these element types", found=site.inputs)
    target = site.outputs[0].dims
    strides = [repeated(site.input(index).dims, target) for index in range(3)]
    dims, condition, a, b = joined(site.label, target, *strides)
    fields: Fields = {
        "rank": len(dims),
        "dims": dims,
        "condition_strides": condition,
        "a_strides": a,
        "b_strides": b,
    }
    name = f"nb_where_{bits_of_elements(site.input(1).dtype)}"
    return CCall(name, "nb_where", "nb_where_config", fields, (In(0), In(1), In(2), Out(0)))
