"""Functions of ``aidge_core`` on tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aidge_nb.core.dims import check_dims
from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.backend import check_device


def _filled(value: int, shape: Sequence[int], dtype: Any, device: Any) -> Tensor:
    check_device(device)
    kind = DType.float32 if dtype is None else as_dtype(dtype)
    return Tensor(np.full(check_dims(shape), value, kind.numpy))


def zeros(shape: Sequence[int], *, dtype: Any = None, device: Any = None) -> Tensor:
    """Make a tensor of zeros."""
    return _filled(0, shape, dtype, device)


def ones(shape: Sequence[int], *, dtype: Any = None, device: Any = None) -> Tensor:
    """Make a tensor of ones."""
    return _filled(1, shape, dtype, device)


def zeros_like(shape: Tensor, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Make a tensor of zeros with the dims and, unless another is given, the type of one."""
    return _filled(0, shape.dims, dtype or shape.dtype, device)


def ones_like(shape: Tensor, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Make a tensor of ones with the dims and, unless another is given, the type of one."""
    return _filled(1, shape.dims, dtype or shape.dtype, device)


def asarray(
    obj: Any, dtype: Any = None, backend: Any = None, device: Any = None, copy: Any = None
) -> Tensor:
    """Make a tensor of numbers, an array or a tensor; a copy of it unless ``copy`` is false."""
    check_device(device)
    if isinstance(obj, Tensor) and dtype is None and not copy:
        return obj
    return Tensor(np.array(obj, None if dtype is None else as_dtype(dtype).numpy))


def astype(tensor: Tensor, dtype: Any, *, copy: bool = False, device: str = "") -> Tensor:
    """Return a tensor of another type; the same one where it has that type, unless ``copy``."""
    check_device(device)
    kind = as_dtype(dtype)
    if tensor.dtype is kind and not copy:
        return tensor
    return Tensor(np.array(tensor, kind.numpy))


def reshape(tensor: Tensor, shape: Sequence[int], copy: str = "if_necessary") -> Tensor:
    """Return a tensor with other dims; ``copy`` is taken for Aidge's sake."""
    try:
        return Tensor(np.reshape(np.asarray(tensor), tuple(shape)))
    except ValueError as error:
        raise ShapeError.at("reshape", str(error)) from error


def equal(t1: Tensor, t2: Tensor) -> Tensor:
    """Compare element by element."""
    return Tensor(np.equal(np.asarray(t1), np.asarray(t2)))


def greater(t1: Tensor, t2: Tensor) -> Tensor:
    """Tell for each element of the first whether it is greater."""
    return Tensor(np.greater(np.asarray(t1), np.asarray(t2)))


def all(obj: Tensor) -> bool:
    """Return whether no element is zero."""
    return bool(np.all(np.asarray(obj)))


def isfinite(obj: Tensor) -> Tensor:
    """Tell for each element whether it is a finite number."""
    return Tensor(np.isfinite(np.asarray(obj)))


def isnan(obj: Tensor) -> Tensor:
    """Tell for each element whether it is no number."""
    return Tensor(np.isnan(np.asarray(obj)))


def approx_eq(t1: Tensor, t2: Tensor, relative: float = 1e-5, absolute: float = 1e-8) -> bool:
    """Return whether dims are the same and numbers differ by no more than the tolerances allow."""
    one, other = np.asarray(t1), np.asarray(t2)
    same = one.shape == other.shape
    return same and bool(np.allclose(one, other, relative, absolute))


def spikegen_rate(tensor: Tensor, numSteps: int) -> Tensor:  # Aidge's name
    """Make spikes, 0 or 1, in so many steps; numbers from 0 to 1 are their probabilities."""
    rates = np.clip(np.asarray(tensor), 0, 1)
    draws = np.random.default_rng().random((numSteps, *rates.shape))
    return Tensor((draws < rates).astype(rates.dtype))
