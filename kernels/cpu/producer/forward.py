"""Operators that make tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from aidge_nb.core.dtype import as_dtype
from aidge_nb.kernels.cpu.common.arrays import Array, Dtype, common
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import producer as specs


@kernel(specs.CONSTANT_OF_SHAPE)
def constant_of_shape(shape: Array, *, value: Any) -> Array:
    """Return a tensor of one value."""
    element = specs.scalar_of(value)
    return np.full(tuple(map(int, shape.ravel())), element, element.dtype)


@kernel(specs.RANGE)
def range_(start: Array, limit: Array, delta: Array) -> Array:
    """Return the numbers from ``start`` to before ``limit``, in steps of ``delta``."""
    first, last, step = (array.reshape(-1)[0] for array in common((start, limit, delta)))
    count = specs.range_count(first.item(), last.item(), step.item())
    return np.asarray(first + np.arange(count) * step, first.dtype)


@kernel(specs.EYE_LIKE)
def eye_like(x: Array, *, k: int, dtype: Any) -> Array:
    """Return ones on a diagonal, zeros elsewhere."""
    rows, columns = x.shape
    kind: Dtype = x.dtype if dtype is None else as_dtype(dtype).numpy
    return np.eye(rows, columns, k=int(k)).astype(kind)
