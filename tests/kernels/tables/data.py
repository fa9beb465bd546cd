"""Numbers for cases: the same on every run."""

from __future__ import annotations

from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike

from tests.kernels.case import Array


def normal(*dims: int, dtype: type[np.floating] = np.float32, salt: int = 0) -> Array:
    """Give normally distributed numbers."""
    seed = crc32(repr((dims, salt)).encode())
    return np.random.default_rng(seed).standard_normal(dims).astype(dtype)


def positive(*dims: int) -> Array:
    """Give numbers from 0.1 to 2."""
    return np.asarray(0.1 + 1.9 * np.random.default_rng(1).random(dims), np.float32)


def integers(
    *dims: int, low: int = -9, high: int = 10, dtype: type[np.integer] = np.int64, salt: int = 0
) -> Array:
    """Give whole numbers from ``low`` to before ``high``."""
    seed = crc32(repr((dims, low, high, salt)).encode())
    return np.random.default_rng(seed).integers(low, high, dims).astype(dtype)


def truths(*dims: int, salt: int = 0) -> Array:
    """Give truth values."""
    return integers(*dims, low=0, high=2, salt=salt).astype(bool)


def array(kind: type[np.generic], values: ArrayLike) -> Array:
    """Make an array of the given element type."""
    return np.array(values, kind)


def i64(*numbers: int) -> Array:
    """Give a vector of int64."""
    return np.array(numbers, np.int64)


SPECIAL = np.array(
    [
        *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997, 88.9, -104.0, 1e-30, 3e38),
        *(np.inf, -np.inf, np.nan),
    ],
    np.float32,
)
EMPTY = np.zeros((2, 0, 3), np.float32)
SCALAR = np.array(0.7, np.float32)
