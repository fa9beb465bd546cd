"""Float32 numbers as the exact arithmetic takes them: their bits, the larger of two, ordered sums.

Rounding to whole numbers and the square root need no function here: NumPy's are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import prod
from typing import Any

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array

F = np.float32
_BLOCK = 16384  # elements: the temporaries of a block stay in the L2 cache
_MANY = 64  # with fewer terms, or more rows than terms, go term by term


def float32(x: Array) -> Array:
    """Return ``x`` if its elements are float32, as float32 if they are integers.

    Raise ShapeError for other floating-point numbers: their arithmetic is not defined here.

    Examples
    --------
    >>> float32(np.array([1, 2])).dtype
    dtype('float32')
    """
    if x.dtype.kind == "f" and x.dtype != F:
        raise ShapeError.at(
            "",
            "the exact arithmetic is that of float32",
            found=x.dtype.name,
            cure='Convert the graph with set_datatype("float32").',
        )
    return x.astype(F, copy=False)


def constants(*texts: str) -> tuple[F, ...]:
    """Return float32 numbers written in hexadecimal.

    Examples
    --------
    >>> [float(each) for each in constants("0x1.8p+1", "-0x1p-2")]
    [3.0, -0.25]
    """
    return tuple(F(float.fromhex(text)) for text in texts)


def bits_of(x: Array) -> Array:
    """View float32 numbers as uint32."""
    return x.view(np.uint32)


def from_bits(bits: Array) -> Array:
    """View uint32 numbers as float32."""
    return bits.view(F)


def larger(a: Array, b: Array) -> Array:
    """Return the larger one; NaN if one is NaN; the first one if they are equal.

    Examples
    --------
    >>> larger(np.float32([1, np.nan, -0.0]), np.float32([2, 1, 0.0])).tolist()
    [2.0, nan, -0.0]
    """
    return np.where((a < b) | (b != b), b, a)


def smaller(a: Array, b: Array) -> Array:
    """Return the smaller one; NaN if one is NaN; the first one if they are equal."""
    return np.where((a > b) | (b != b), b, a)


def blockwise(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Apply a function of one float32 array to blocks that fit the cache; the result is new."""

    @wraps(function)
    def in_blocks(x: Array) -> Array:
        flat = np.ascontiguousarray(x, F).reshape(-1)
        result = np.empty_like(flat)
        for start in range(0, flat.size, _BLOCK):
            part = slice(start, start + _BLOCK)
            result[part] = function(flat[part])
        return result.reshape(x.shape)

    return in_blocks


# --- reductions whose terms are taken one after the other, as they are stored -------------------


def rows_along(x: Array, axes: tuple[int, ...]) -> Array:
    """Return an array whose last dimension is all of ``axes``, in the order of storage."""
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    moved = x.transpose([*kept, *sorted(axes)])
    terms = prod(x.shape[axis] for axis in axes)
    return np.ascontiguousarray(moved).reshape(*moved.shape[: len(kept)], terms)


def summed(rows: Array) -> Array:
    """Add up float32 numbers along the last dimension, from +0 on.

    Examples
    --------
    >>> summed(np.float32([[1e8, 1, -1e8], [1, 2, 3]])).tolist()
    [0.0, 6.0]
    """
    if rows.shape[-1] == 0:
        return np.zeros(rows.shape[:-1], F)
    # A sum that starts at the first term is -0 where all terms are, and the same otherwise.
    return np.asarray(_accumulated(np.add, rows) + F(0))


def times(rows: Array) -> Array:
    """Multiply float32 numbers along the last dimension, from 1 on."""
    if rows.shape[-1] == 0:
        return np.ones(rows.shape[:-1], F)
    return _accumulated(np.multiply, rows)


def _accumulated(function: Any, rows: Array) -> Array:
    terms = rows.shape[-1]
    if terms < _MANY or rows.size // terms > terms:
        total = np.array(rows[..., 0])
        for term in range(1, terms):
            total = function(total, rows[..., term])
        return np.asarray(total, F)
    return np.asarray(function.accumulate(rows, axis=-1)[..., -1])


def largest(rows: Array, start: Any = -np.inf) -> Array:
    """Return the largest along the last dimension; NaN if one is."""
    return _chosen(np.maximum, rows, start)


def smallest(rows: Array, start: Any = np.inf) -> Array:
    """Return the smallest along the last dimension; NaN if one is."""
    return _chosen(np.minimum, rows, start)


def _chosen(function: Any, rows: Array, start: Any) -> Array:
    """Find the extreme fast; where it is a zero, the first zero decides on its sign."""
    if rows.shape[-1] == 0:
        return np.full(rows.shape[:-1], start, rows.dtype)
    result = np.asarray(function.reduce(rows, axis=-1))
    if rows.dtype.kind == "f" and (result == 0).any():
        zero = rows[result == 0]
        first = (zero == 0).argmax(axis=-1)
        result = np.array(result)
        result[result == 0] = np.take_along_axis(zero, first[..., None], -1)[..., 0]
    return result
