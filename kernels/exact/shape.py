"""Changes of the element type."""

from __future__ import annotations

from typing import Any

import numpy as np

from aidge_nb.core.dtype import as_dtype
from aidge_nb.kernels.cpu.common.arrays import Array, Dtype
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import shape as specs


def converted(x: Array, dtype: Dtype) -> Array:
    """Convert the elements; a number outside an integer's range becomes the nearest, NaN 0.

    Examples
    --------
    >>> converted(np.float32([300.5, -2.7, np.nan]), np.dtype(np.uint8)).tolist()
    [255, 0, 0]
    """
    if x.dtype.kind != "f" or dtype.kind not in "iu":
        return x.astype(dtype)
    limits = np.iinfo(dtype)
    beyond = x.dtype.type(2.0 ** (limits.bits - (dtype.kind == "i")))
    low, high = x <= x.dtype.type(limits.min), x >= beyond
    fits = np.where(low | high | np.isnan(x), x.dtype.type(0), x)
    return np.where(high, limits.max, np.where(low, limits.min, fits.astype(dtype))).astype(dtype)


@kernel(specs.CAST, backend="exact")
def cast(x: Array, *, target_type: Any) -> Array:
    """Convert the elements to another type; cut off fractions."""
    return converted(x, as_dtype(target_type).numpy)


@kernel(specs.CAST_LIKE, backend="exact")
def cast_like(x: Array, like: Array) -> Array:
    """Convert the elements to the type of ``like``."""
    return converted(x, like.dtype)
