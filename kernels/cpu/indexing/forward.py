"""Operators that read or write elements at given places."""

from __future__ import annotations

from typing import Any

import numpy as np

from aidge_nb.core.dims import axis_of
from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array, Ints, optional
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import indexing as specs
from aidge_nb.ops.rules import choice_of

_COMBINATIONS: dict[str, Any] = {
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}


def indices_of(tensor: Array | None, attribute: Any, shape: Ints) -> Array:
    """Return indices that come as a tensor or as attributes."""
    if tensor is not None:
        return tensor.astype(np.int64, copy=False)
    found = np.asarray(attribute, np.int64)
    return found.reshape(tuple(shape)) if len(shape) or found.ndim == 0 else found


def _in_range(indices: Array, size: int) -> Array:
    """Check indices, of which negative ones count from the end."""
    if indices.size and not -size <= indices.min() <= indices.max() < size:
        wrong = indices[(indices < -size) | (indices >= size)].flat[0]
        raise ShapeError.at(
            "input#1", "index out of range", expected=f"{-size} to {size - 1}", found=int(wrong)
        )
    return indices


@kernel(specs.GATHER)
def gather(
    x: Array, places: Array | None, *, axis: int, indices: Any, gathered_shape: Ints
) -> Array:
    """Take slices along an axis."""
    axis = axis_of(int(axis), x.ndim)
    chosen = _in_range(indices_of(places, indices, gathered_shape), x.shape[axis])
    # NumPy takes no wider positions than a pointer has: where Python is compiled for 32 bits.
    return np.asarray(x.take(chosen.astype(np.intp), axis=axis))


@kernel(specs.GATHER_ELEMENTS)
def gather_elements(
    x: Array, places: Array | None, *, axis: int, indices: Any, gathered_shape: Ints
) -> Array:
    """Take, for each index, the element at its own place, but for the given axis."""
    axis = axis_of(int(axis), x.ndim)
    chosen = indices_of(places, indices, gathered_shape)
    return np.asarray(x[grid(chosen, axis, x.shape[axis])])


def grid(indices: Array, axis: int, size: int) -> tuple[Array, ...]:
    """Return full indices: those along ``axis``, and their own places along the others."""
    grid = list(np.ogrid[tuple(slice(count) for count in indices.shape)])
    grid[axis] = _in_range(indices, size)
    return tuple(grid)


@kernel(specs.GATHER_ND)
def gather_nd(
    x: Array, places: Array | None, *, batch_dims: int, indices: Any, gathered_shape: Ints
) -> Array:
    """Take slices at places that have several coordinates."""
    chosen = indices_of(places, indices, gathered_shape)
    batch, depth = int(batch_dims), chosen.shape[-1]
    shape = chosen.shape[:-1] + x.shape[batch + depth :]
    return np.array(x[coordinates(chosen, x.shape, batch)]).reshape(shape)


def coordinates(indices: Array, sizes: Ints, batch: int = 0) -> tuple[Array, ...]:
    """Return full indices, from the coordinates along the last axis; ``batch`` axes are common."""
    own = np.ogrid[tuple(slice(count) for count in sizes[:batch])]
    spread = (np.expand_dims(each, tuple(range(batch, indices.ndim - 1))) for each in own)
    columns = (indices[..., i] for i in range(indices.shape[-1]))
    pairs = zip(columns, sizes[batch:], strict=False)
    return (*spread, *(_in_range(column, size) for column, size in pairs))


@kernel(specs.SCATTER)
def scatter(x: Array, indices: Array, updates: Array, *, axis: int, reduction: str) -> Array:
    """Write each update at its own place, but for the given axis."""
    axis = axis_of(int(axis), x.ndim)
    places = grid(indices.astype(np.int64, copy=False), axis, x.shape[axis])
    return _written(x, places, updates, reduction)


@kernel(specs.SCATTER_ND)
def scatter_nd(x: Array, indices: Array, updates: Array, *, reduction: str) -> Array:
    """Write slices at places that have several coordinates."""
    places = coordinates(indices.astype(np.int64, copy=False), x.shape)
    return _written(x, places, updates, reduction)


def _written(x: Array, places: tuple[Array, ...], updates: Array, reduction: str) -> Array:
    choice_of(reduction, specs.REDUCTIONS, "reduction")
    result = x.copy()
    if reduction == "none":
        result[places] = updates
    else:
        _COMBINATIONS[reduction].at(result, places, updates)
    return result


@kernel(specs.ONE_HOT)
def one_hot(
    indices: Array, size: Array | None, pair: Array | None, *, axis: int, depth: int, values: Any
) -> Array:
    """Set elements at the indices to the second value, the others to the first."""
    off, on = np.asarray(values if pair is None else pair)
    return np.asarray(np.where(hot_places(indices, size, axis, depth), on, off))


def hot_places(indices: Array, size: Array | None, axis: int, depth: int) -> Array:
    """Return where along a new axis the indices point, for each of them."""
    (count,) = map(int, optional(size, (depth,)))
    axis = axis_of(int(axis), indices.ndim + 1)
    wanted = indices.astype(np.int64)
    wanted = np.expand_dims(np.where(wanted < 0, wanted + count, wanted), axis)
    places = np.arange(count).reshape(-1, *(1 for _ in range(indices.ndim - axis)))
    return np.asarray(wanted == places)


@kernel(specs.NON_ZERO)
def non_zero(x: Array) -> Array:
    """Return the coordinates of elements that are not 0, one column for each."""
    return np.array(np.nonzero(np.atleast_1d(x)), np.int64)


@kernel(specs.COMPRESS)
def compress(x: Array, condition: Array, *, axis: int | None) -> Array:
    """Keep the slices for which the condition holds."""
    size = x.size if axis is None else x.shape[axis_of(int(axis), x.ndim)]
    return np.asarray(np.compress(condition.ravel()[:size].astype(bool), x, axis=axis))
