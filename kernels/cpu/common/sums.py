"""Sums along axes: in an order that tiles keep, and taking a broadcast back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike

from aidge_nb.kernels.cpu.common.arrays import Array


def narrow_gaps(shape: Sequence[int], axes: Sequence[int]) -> list[int]:
    """Find axes that stand after one that is added up, and have but one element with those beside.

    NumPy leaves them out, joins the axes around them, and then adds in another order than where
    they are longer; so that a tile of one column would have other bits than the whole.

    Examples
    --------
    >>> narrow_gaps((2, 9, 5, 1), [1]), narrow_gaps((2, 9, 1, 1), [1]), narrow_gaps((2, 9), [1])
    ([], [3], [])
    """
    found: list[int] = []
    size = 1
    for axis in range(min(axes, default=len(shape)) + 1, len(shape)):
        if axis in axes:
            size = 1
            continue
        size *= shape[axis]
        if size == 1 and (axis + 1 == len(shape) or axis + 1 in axes):
            found.append(axis)
    return found


def added_up(x: Array, axes: Sequence[int], dtype: DTypeLike | None = None) -> Array:
    """Add up along some axes, which keep one element, in an order that other sizes do not change.

    Examples
    --------
    >>> x = np.random.default_rng(0).standard_normal((50, 4), np.float32)
    >>> bool((added_up(x[:, 2:3], [0]) == added_up(x, [0])[:, 2:3]).all())
    True
    """
    for axis in narrow_gaps(x.shape, axes):
        x = np.repeat(x, 2, axis=axis)
        first = tuple(slice(0, 1) if at == axis else slice(None) for at in range(x.ndim))
        return added_up(x, axes, dtype)[first]
    return np.asarray(x.sum(axis=tuple(axes), keepdims=True, dtype=dtype))


def summed_to(grad: Array, shape: Sequence[int]) -> Array:
    """Add up along the dimensions in which ``shape`` was repeated to become that of ``grad``.

    Examples
    --------
    >>> summed_to(np.ones((2, 3)), (3,)).tolist(), summed_to(np.ones((2, 3)), (2, 1)).tolist()
    ([2.0, 2.0, 2.0], [[3.0], [3.0]])
    """
    shape = tuple(shape)
    if grad.shape == shape:
        return grad
    new = grad.ndim - len(shape)
    repeated = tuple(
        axis
        for axis, size in enumerate(grad.shape)
        if axis < new or (shape[axis - new] == 1 and size != 1)
    )
    return np.asarray(grad.sum(axis=repeated)).reshape(shape)
