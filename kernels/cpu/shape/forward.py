"""Operators that change dimensions or element type and leave the elements alone.

Those that the specs call views give views of their input; all others give new arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aidge_nb.core.dtype import as_dtype
from aidge_nb.kernels.cpu.common.arrays import Array, Ints, optional
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import shape as specs
from aidge_nb.ops.rules import axes_of, broadcast, reshaped


@kernel(specs.RESHAPE)
def reshape(x: Array, new: Array | None, *, shape: Ints, allow_zero: bool) -> Array:
    """Reshape to dimensions with as many elements."""
    return x.reshape(reshaped(x.shape, optional(new, shape), allow_zero=allow_zero))


@kernel(specs.FLATTEN)
def flatten(x: Array, *, axis: int) -> Array:
    """Merge the dimensions before ``axis``, and those from it on."""
    return x.reshape(specs.flattened(x.shape, int(axis)))


@kernel(specs.SQUEEZE)
def squeeze(x: Array, gone: Array | None, *, axes: Ints) -> Array:
    """Leave out dimensions of size 1."""
    return x.reshape(specs.squeezed(x.shape, optional(gone, axes)))


@kernel(specs.UNSQUEEZE)
def unsqueeze(x: Array, new: Array | None, *, axes: Ints) -> Array:
    """Add dimensions of size 1."""
    return x.reshape(specs.unsqueezed(x.shape, optional(new, axes)))


@kernel(specs.TRANSPOSE)
def transpose(x: Array, *, output_dims_order: Ints) -> Array:
    """Change the order of the dimensions."""
    order = axes_of(output_dims_order, x.ndim) if len(output_dims_order) else None
    return np.array(x.transpose(order), order="C")


@kernel(specs.IDENTITY)
def identity(x: Array, *, producer: bool) -> Array:
    """Return the data unchanged."""
    return x


@kernel(specs.DROPOUT)
def dropout(
    x: Array,
    ratio: Array | None,
    training: Array | None,
    *,
    probability: float,
    training_mode: bool,
    seed: int,
    optional_outputs: bool = True,
) -> tuple[Array, ...]:
    """Return the data unchanged, as inference does, and a mask that keeps everything.

    Only a tensor at input 2 can ask for training: elements are then left out at random.
    """
    if training is not None and training.reshape(-1)[0]:
        return _dropped(x, float(probability if ratio is None else ratio.reshape(-1)[0]), seed)
    return (x, np.ones(x.shape, bool)) if optional_outputs else (x,)


def _dropped(x: Array, ratio: float, seed: int) -> tuple[Array, Array]:
    kept = np.random.RandomState(seed if seed >= 0 else None).uniform(size=x.shape) >= ratio
    return np.asarray(x * kept / np.asarray(max(1 - ratio, 1e-38), x.dtype), x.dtype), kept


@kernel(specs.CAST)
def cast(x: Array, *, target_type: Any) -> Array:
    """Convert the elements to another type; cut off fractions, as in C."""
    return x.astype(as_dtype(target_type).numpy)


@kernel(specs.CAST_LIKE)
def cast_like(x: Array, like: Array) -> Array:
    """Convert the elements to the type of ``like``."""
    return x.astype(like.dtype)


@kernel(specs.EXPAND)
def expand(x: Array, shape: Array) -> Array:
    """Repeat along dimensions of size 1, and along new ones."""
    dims = broadcast([x.shape, tuple(map(int, shape.ravel()))])
    return np.array(np.broadcast_to(x, dims), order="C")


@kernel(specs.SHAPE)
def shape(x: Array, *, start: int, end: int) -> Array:
    """Return the dimensions, as a tensor."""
    return np.array(x.shape[specs.shape_part(x.ndim, int(start), int(end))], np.int64)


@kernel(specs.SIZE)
def size(x: Array) -> Array:
    """Return the number of elements, as a tensor."""
    return np.array(x.size, np.int64)
