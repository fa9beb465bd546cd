"""Float32 numbers as the exact arithmetic takes them: their bits, the larger and smaller of two.

Rounding to whole numbers and the square root need no function here: NumPy's are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array

F = np.float32
_BLOCK = 16384  # elements: the temporaries of a block stay in the L2 cache


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
