"""Names and numbers as C writes them: names once each, numbers without losing a bit."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable
from typing import Any

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import ExportError
from aidge_nb.core.text import c_identifier


class SymbolTable:
    """Makes C identifiers from names, no two of them alike.

    ``taken`` are identifiers that are in use already.

    Examples
    --------
    >>> symbols = SymbolTable()
    >>> symbols.new("conv/1"), symbols.new("conv.1")
    ('conv_1', 'conv_1_2')
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def new(self, name: str) -> str:
        """Return an identifier for a name that is not in use yet."""
        base = found = c_identifier(name)
        number = 2
        while found in self._taken:
            found = f"{base}_{number}"
            number += 1
        self._taken.add(found)
        return found


C_TYPES: dict[DType, str] = {
    DType.float32: "float",
    DType.float64: "double",
    DType.int8: "int8_t",
    DType.int16: "int16_t",
    DType.int32: "int32_t",
    DType.int64: "int64_t",
    DType.uint8: "uint8_t",
    DType.uint16: "uint16_t",
    DType.uint32: "uint32_t",
    DType.uint64: "uint64_t",
    DType.boolean: "uint8_t",
    DType.float16: "uint16_t",
}
"""Types of elements; a boolean is a byte, 0 or 1, and a half-precision number is its bits."""


def c_type(dtype: DType, where: str) -> str:
    """Return the C type of the elements of a tensor.

    Raise ExportError when there is none: strings, complex numbers.
    """
    if dtype not in C_TYPES:
        raise ExportError.at(
            where,
            "elements of this type have no counterpart in the exported program",
            expected=", ".join(each.name for each in C_TYPES),
            found=dtype.name,
        )
    return C_TYPES[dtype]


def literal(kind: Any, value: Any) -> str:
    """Write a value of a ctypes type: a number, or an array as an initializer.

    Examples
    --------
    >>> literal(ctypes.c_float, 0.1), literal(ctypes.c_uint8, 7)
    ('0x1.99999ap-4f', '7u')
    >>> literal(ctypes.c_int32 * 4, (3, 1))
    '{3, 1}'
    >>> literal(ctypes.c_int32, -(2**31))
    '(-2147483647 - 1)'
    """
    if isinstance(kind, type) and issubclass(kind, ctypes.Array):
        # Trailing elements that are left out are zero; one is always written.
        values = list(value) or [0]
        return "{" + ", ".join(literal(kind._type_, each) for each in values) + "}"
    if kind in (ctypes.c_float, ctypes.c_double):
        return _floating(kind(value).value, "f" if kind is ctypes.c_float else "")
    return _whole(kind, int(value))


def _floating(value: float, suffix: str) -> str:
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "-INFINITY" if value < 0 else "INFINITY"
    mantissa, _, exponent = value.hex().partition("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}p{exponent}{suffix}"


def _whole(kind: Any, value: int) -> str:
    bits, is_signed = 8 * ctypes.sizeof(kind), kind(-1).value < 0
    if not is_signed:
        return f"UINT64_C({value})" if bits == 64 else f"{value}u"
    if value == -(2 ** (bits - 1)) and bits >= 32:
        most = 2 ** (bits - 1) - 1
        return f"(-INT64_C({most}) - 1)" if bits == 64 else f"(-{most} - 1)"
    return f"INT64_C({value})" if bits == 64 else str(value)
