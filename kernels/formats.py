"""Small number formats: what bfloat16, the 8-bit floats and 2- and 4-bit integers can hold.

NumPy has none of them. Their values are kept in float32, int8 or uint8; :func:`fitted` rounds to
the ones that a format has.

Source: OCP 8-bit Floating Point Specification 1.0, 2023; OCP Microscaling Formats 1.0, 2023;
https://onnx.ai/onnx/technical/float8.html
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.values import dataclass

Array = NDArray[Any]

TYPES = (
    "",
    *("float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool"),
    *("float16", "float64", "uint32", "uint64", "complex64", "complex128", "bfloat16"),
    *("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4"),
    *("float4e2m1", "float8e8m0", "uint2", "int2", "float6e2m3", "float6e3m2"),
)
"""Names of element types, in the order of their numbers in ``TensorProto.DataType``."""


@dataclass(frozen=True)
class _Float:
    """A floating-point format: bits of the fraction, bias, largest number, special values."""

    fraction: int
    bias: int
    largest: float
    has_infinity: bool = False
    has_nan: bool = True
    has_minus_zero: bool = True


FLOATS = {
    "bfloat16": _Float(7, 127, float(2**127 * (2 - 2**-7)), has_infinity=True),
    "float8e4m3fn": _Float(3, 7, 448.0),
    "float8e4m3fnuz": _Float(3, 8, 240.0, has_minus_zero=False),
    "float8e5m2": _Float(2, 15, 57344.0, has_infinity=True),
    "float8e5m2fnuz": _Float(2, 16, 57344.0, has_minus_zero=False),
    "float6e2m3": _Float(3, 1, 7.5, has_nan=False),
    "float6e3m2": _Float(2, 3, 28.0, has_nan=False),
    "float4e2m1": _Float(1, 1, 6.0, has_nan=False),
}
INTEGERS = {
    "int2": (-2, 1, 2),
    "uint2": (0, 3, 2),
    "int4": (-8, 7, 4),
    "uint4": (0, 15, 4),
    "int8": (-(2**7), 2**7 - 1, 8),
    "uint8": (0, 2**8 - 1, 8),
    "int16": (-(2**15), 2**15 - 1, 16),
    "uint16": (0, 2**16 - 1, 16),
    "int32": (-(2**31), 2**31 - 1, 32),
}
"""Least and largest number, and bits."""

BITS = {
    **{kind: bits for kind, (_, _, bits) in INTEGERS.items()},
    **dict.fromkeys(("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"), 8),
    "bfloat16": 16,
    "float8e8m0": 8,
    "float6e2m3": 6,
    "float6e3m2": 6,
    "float4e2m1": 4,
}
"""Bits of an element."""


def holder(kind: str) -> np.dtype[np.generic]:
    """Return the type of the arrays that hold elements of an ONNX type.

    Examples
    --------
    >>> holder("uint4"), holder("bfloat16"), holder("int32")
    (dtype('uint8'), dtype('float32'), dtype('int32'))
    """
    if kind in FLOATS or kind == "float8e8m0":
        return np.dtype(np.float32)
    if kind in ("int2", "int4", "uint2", "uint4"):
        return np.dtype(np.int8 if kind.startswith("int") else np.uint8)
    if kind == "string":
        return np.dtype(object)
    return np.dtype(kind)


def fitted(x: Array, kind: str, *, saturate: bool = True, round_mode: str = "up") -> Array:
    """Round to the numbers that a format has, to even on ties.

    ``saturate`` says what becomes of numbers that are too large for an 8-bit float: the largest
    one, or else infinity or NaN; ``round_mode`` belongs to ``float8e8m0``. Raise ShapeError for an
    unknown format.

    Examples
    --------
    >>> fitted(np.float32([0.3, 500, -1.06]), "float8e4m3fn").tolist()
    [0.3125, 448.0, -1.0]
    """
    if kind == "float8e8m0":
        return _powers_of_two(x.astype(np.float64), round_mode, saturate)
    if kind in FLOATS:
        return _floats(x.astype(np.float64), FLOATS[kind], saturate and kind != "bfloat16")
    if kind in INTEGERS and INTEGERS[kind][2] < 8:
        return _wrapped(x, kind)
    if kind not in TYPES or not kind:
        raise ShapeError.at("", "unknown element type", found=kind)
    return x.astype(holder(kind))


def decoded(codes: Array, kind: str, count: int, *, apart: bool = False) -> Array:
    """Return the numbers that codes of a format mean.

    Codes of less than a byte lie side by side, the first in the lowest bits, unless each is apart;
    ``count`` numbers are wanted. Raise ValueError when the codes are fewer, or more by a byte.

    Examples
    --------
    >>> decoded(np.uint8([0x7B, 0x08]), "int4", 3).tolist()
    [-5, 7, -8]
    >>> decoded(np.uint8([0x38, 0xFF]), "float8e4m3fn", 2).tolist()
    [1.0, nan]
    """
    if kind == "bfloat16":
        return (codes.astype(np.uint32) << 16).view(np.float32)
    bits = BITS[kind]
    if bits < 8 and not apart:
        if len(codes) != -(-count * bits // 8):
            raise ValueError(f"{len(codes)} bytes hold no {count} numbers of {bits} bits")
        each = np.unpackbits(codes, bitorder="little")[: count * bits].reshape(count, bits)
        codes = each @ (1 << np.arange(bits, dtype=np.uint8))
    if kind in INTEGERS:
        low = INTEGERS[kind][0]
        wide: Array = codes.astype(np.int16)
        return _wrapped(wide, kind) if low < 0 else wide.astype(np.uint8)
    found: Array = _meanings(kind)[codes & (1 << bits) - 1]
    return found


@cache
def _meanings(kind: str) -> Array:
    """Return the number that each code of a small float means."""
    bits = BITS[kind]
    codes = np.arange(1 << bits)
    if kind == "float8e8m0":
        return np.where(codes == 255, np.nan, np.ldexp(1.0, codes - 127)).astype(np.float32)
    form = FLOATS[kind]
    sign, rest = codes >> bits - 1, codes & (1 << bits - 1) - 1
    exponent, fraction = rest >> form.fraction, rest & (1 << form.fraction) - 1
    mantissa = fraction + (exponent > 0) * (1 << form.fraction)
    numbers = np.ldexp(mantissa.astype(float), np.maximum(exponent, 1) - form.bias - form.fraction)
    numbers = np.where(numbers > form.largest, np.nan if form.has_nan else numbers, numbers)
    if form.has_infinity:
        infinite = exponent == (1 << bits - 1 - form.fraction) - 1
        numbers = np.where(infinite & (fraction == 0), np.inf, numbers)
    numbers = np.where(sign == 1, -numbers, numbers)
    if not form.has_minus_zero:
        numbers = np.where((sign == 1) & (rest == 0), np.nan, numbers)
    return numbers.astype(np.float32)


def _floats(x: Array, form: _Float, saturate: bool) -> Array:
    magnitude = np.abs(x)
    _, exponent = np.frexp(magnitude)
    quantum = np.ldexp(1.0, np.maximum(exponent - 1, 1 - form.bias) - form.fraction)
    finite = np.isfinite(x)
    result = np.where(
        finite, np.rint(np.where(finite, magnitude, 0) / quantum) * quantum, magnitude
    )
    over = np.inf if form.has_infinity else np.nan
    too_large = result > form.largest
    if saturate or not form.has_nan:
        over = form.largest
    result = np.where(too_large, over, result)
    if not form.has_nan:
        result = np.where(np.isnan(x), 0.0 if form.fraction == 1 else form.largest, result)
    result = np.copysign(result, x)
    if not form.has_minus_zero:
        result = np.where(result == 0, 0.0, result)
    return result.astype(np.float32)


def _powers_of_two(x: Array, round_mode: str, saturate: bool) -> Array:
    """Round to 2**-127 ... 2**127, which have neither a sign nor a zero."""
    magnitude = np.abs(x)
    fraction, exponent = np.frexp(magnitude)  # fraction in [0.5, 1)
    exponent = exponent - 1
    rest = fraction * 2 - 1
    if round_mode == "up":
        exponent = exponent + (rest > 0)
    elif round_mode == "nearest":
        exponent = exponent + (rest >= 0.5)
    too_large = (exponent > 127) | np.isinf(magnitude)
    exponent = np.where(magnitude == 0, -127, np.clip(exponent, -127, 127))
    result = np.ldexp(1.0, exponent)
    result = np.where(too_large & (not saturate), np.nan, result)
    return np.where(np.isnan(x), np.nan, result).astype(np.float32)


def _wrapped(x: Array, kind: str) -> Array:
    """Keep the lowest bits of whole numbers; fractions are cut off."""
    least, _, bits = INTEGERS[kind]
    whole = np.trunc(x.astype(np.float64)).astype(np.int64) if x.dtype.kind == "f" else x
    return ((whole.astype(np.int64) - least) % (1 << bits) + least).astype(holder(kind))
