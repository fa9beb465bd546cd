"""Taking a broadcast back: what was repeated on the way forward is added up on the way back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aidge_nb.kernels.cpu.arrays import Array

__all__ = ["summed_to"]


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
