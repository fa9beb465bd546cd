"""Helpers of several families: element types, broadcasting, rounding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dtype import as_dtype
from aidge_nb.ops.rules import broadcast, choice_of, common_dtype

Array = NDArray[Any]
Dtype = np.dtype[Any]


def floats(x: Array) -> Array:
    """Return ``x`` if its elements are floating-point numbers, else as float32."""
    return x if x.dtype.kind == "f" else x.astype(np.float32)


def accumulator(dtype: Dtype) -> Dtype:
    """Return the type to add up in, wider than float16 and integers."""
    if dtype.kind == "f":
        return np.dtype(np.float32) if dtype.itemsize < 4 else dtype
    return np.dtype(np.uint64 if dtype == np.uint64 else np.int64)


def lowest(dtype: Dtype) -> Any:
    """Return the lowest value of an element type."""
    if dtype.kind == "b":
        return False
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def common(arrays: Sequence[Array]) -> Sequence[Array]:
    """Bring arrays to the element type that their combination has."""
    first = arrays[0].dtype
    if all(array.dtype == first for array in arrays):
        return arrays
    target = common_dtype(as_dtype(array.dtype) for array in arrays).numpy
    return [array.astype(target, copy=False) for array in arrays]


def elementwise(function: Callable[..., Any], *arrays: Array) -> Array:
    """Apply a function of NumPy's kind; the result is an array even when it is one number.

    Raises
    ------
    ShapeError
        When the arrays cannot be combined element by element.
    """
    try:
        return np.asarray(function(*arrays))
    except ValueError:
        broadcast([array.shape for array in arrays])
        raise


def optional(value: Array | None, attribute: Sequence[Any]) -> list[Any]:
    """Return the tensor if there is one, else the attribute."""
    return list(attribute) if value is None else np.ravel(value).tolist()


def _nearest(x: Array, up_on_half: Callable[[Array, Array], Any]) -> Array:
    """Round to the nearest whole number; ``up_on_half(x, floor of abs(x))`` decides on halves.

    ``abs(x) - floor(abs(x))`` is exact, ``x + 0.5`` is not.
    """
    magnitude = np.abs(x)
    whole = np.floor(magnitude)
    rest = magnitude - whole
    away = (rest > 0.5) | ((rest == 0.5) & up_on_half(x, whole))
    return np.asarray(np.copysign(whole + away, x))


_ROUNDINGS: dict[str, Callable[[Array], Array]] = {
    "half_away_from_zero": lambda x: _nearest(x, lambda x, whole: True),
    "half_toward_zero": lambda x: _nearest(x, lambda x, whole: False),
    "half_to_even": np.rint,
    "half_to_odd": lambda x: _nearest(x, lambda x, whole: whole % 2 == 0),
    "half_up": lambda x: _nearest(x, lambda x, whole: x > 0),
    "half_down": lambda x: _nearest(x, lambda x, whole: x < 0),
    "up": np.ceil,
    "down": np.floor,
    "toward_zero": np.trunc,
    "away_from_zero": lambda x: np.copysign(np.ceil(np.abs(x)), x),
}
ROUNDING_MODES = tuple(_ROUNDINGS)


def rounded(x: Array, mode: str) -> Array:
    """Round to whole numbers, of the same element type.

    Raises
    ------
    ShapeError
        For an unknown mode.

    Examples
    --------
    >>> rounded(np.array([-1.5, 0.5, 2.5]), "half_away_from_zero").tolist()
    [-2.0, 1.0, 3.0]
    """
    choice_of(mode, ROUNDING_MODES, "rounding mode")
    if x.dtype.kind != "f":
        return x.copy()
    return np.asarray(_ROUNDINGS[mode](x), x.dtype)
