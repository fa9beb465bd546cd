"""Gradients of operators that read or write elements at given places."""

from __future__ import annotations

from typing import Any

import numpy as np

from aidge_nb.core.dims import axis_of
from aidge_nb.kernels.cpu.common.arrays import Array, Ints
from aidge_nb.kernels.cpu.indexing.forward import coordinates, grid, hot_places, indices_of
from aidge_nb.kernels.gradients import Recorded, gradient, without_gradient
from aidge_nb.ops import indexing as specs

Places = tuple[Array, ...]

without_gradient(specs.NON_ZERO, reason="gives positions, which are whole numbers")


@gradient(specs.GATHER, inputs=(1,))
def gather(run: Recorded, *, axis: int, indices: Any, gathered_shape: Ints) -> Array:
    """Add each slice to where it was taken."""
    axis = axis_of(int(axis), run.x.ndim)
    chosen = indices_of(run.optional(1), indices, gathered_shape)
    front = tuple(range(axis, axis + chosen.ndim))
    dy = np.moveaxis(run.dy, front, range(chosen.ndim))
    result = np.zeros(run.x.shape, run.dy.dtype)
    np.add.at(np.moveaxis(result, axis, 0), chosen, dy)
    return result


@gradient(specs.GATHER_ELEMENTS, inputs=(1,))
def gather_elements(run: Recorded, *, axis: int, indices: Any, gathered_shape: Ints) -> Array:
    """Add each element to where it was taken."""
    axis = axis_of(int(axis), run.x.ndim)
    chosen = indices_of(run.optional(1), indices, gathered_shape)
    result = np.zeros(run.x.shape, run.dy.dtype)
    np.add.at(result, grid(chosen, axis, run.x.shape[axis]), run.dy)
    return result


@gradient(specs.GATHER_ND, inputs=(1,))
def gather_nd(run: Recorded, *, batch_dims: int, indices: Any, gathered_shape: Ints) -> Array:
    """Add each slice to where it was taken."""
    chosen = indices_of(run.optional(1), indices, gathered_shape)
    result = np.zeros(run.x.shape, run.dy.dtype)
    np.add.at(result, coordinates(chosen, run.x.shape, int(batch_dims)), run.dy)
    return result


@gradient(specs.SCATTER, inputs=(0, 1, 2), outputs=(0,))
def scatter(run: Recorded, *, axis: int, reduction: str) -> tuple[Array | None, ...]:
    """Pass to what stayed, and to the updates that were written."""
    axis = axis_of(int(axis), run.x.ndim)
    places = grid(run.input(1).astype(np.int64, copy=False), axis, run.x.shape[axis])
    return _written(run, places, reduction)


@gradient(specs.SCATTER_ND, inputs=(0, 1, 2), outputs=(0,))
def scatter_nd(run: Recorded, *, reduction: str) -> tuple[Array | None, ...]:
    """Pass to what stayed, and to the updates that were written."""
    places = coordinates(run.input(1).astype(np.int64, copy=False), run.x.shape)
    return _written(run, places, reduction)


def _written(run: Recorded, places: Places, reduction: str) -> tuple[Array | None, ...]:
    if reduction == "none":
        return _replaced(run, places)
    if reduction == "add":
        return run.dy, None, run.dy[places]
    if reduction == "mul":
        return _multiplied(run, places)
    return _chosen(run, places)


def _replaced(run: Recorded, places: Places) -> tuple[Array | None, ...]:
    """Pass to the update that was written last, nothing to what it replaced."""
    updates = run.input(2)
    to_data = run.dy.copy()
    to_data[places] = 0
    shape = np.broadcast_shapes(*(place.shape for place in places))
    numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    last = np.full(run.x.shape[: len(places)], -1)
    last[places] = numbers
    stayed = np.asarray(last[places] == numbers)
    stayed = stayed.reshape(*shape, *(1 for _ in range(updates.ndim - len(shape))))
    return to_data, None, np.where(stayed, run.dy[places], 0)


def _multiplied(run: Recorded, places: Places) -> tuple[Array | None, ...]:
    """Pass the product of all other factors; a factor of 0 leaves no other way to find it."""
    updates = run.input(2)
    factors = np.ones(run.x.shape, run.dy.dtype)
    zeros = np.zeros(run.x.shape, np.int64)
    np.multiply.at(factors, places, np.where(updates == 0, 1, updates))
    np.add.at(zeros, places, (updates == 0).astype(np.int64))
    to_data = np.asarray(run.dy * np.where(zeros == 0, factors, 0))
    all_of_them = (run.dy * run.x * factors)[places]
    alone = zeros[places] - (updates == 0) == 0  # no other update is 0
    shares = np.where(alone, all_of_them / np.where(updates == 0, 1, updates), 0)
    return to_data, None, shares


def _chosen(run: Recorded, places: Places) -> tuple[Array | None, ...]:
    """Pass to the element that gave the result: the one that was there, or the first update."""
    kept = run.x == run.y
    updates = run.input(2)
    candidate = (updates == run.y[places]) & ~kept[places]
    count = np.zeros(run.x.shape, run.dy.dtype)
    np.add.at(count, places, candidate.astype(run.dy.dtype))
    shares = np.where(candidate, run.dy[places] / np.maximum(count[places], 1), 0)
    return np.where(kept, run.dy, 0), None, shares


@gradient(specs.ONE_HOT, inputs=(0, 1))
def one_hot(run: Recorded, *, axis: int, depth: int) -> tuple[Array | None, ...]:
    """Pass to the two values, each from where it stands."""
    pair = run.optional(2)
    if pair is None:
        return (None,)
    on = np.where(hot_places(run.x, run.optional(1), axis, depth), run.dy, 0).sum()
    return None, None, np.asarray([run.dy.sum() - on, on], run.dy.dtype).reshape(pair.shape)


@gradient(specs.COMPRESS, inputs=(1,))
def compress(run: Recorded, *, axis: int | None) -> Array:
    """Put back what was kept, with zeros elsewhere."""
    result = np.zeros(run.x.shape, run.dy.dtype)
    along = result.reshape(-1) if axis is None else np.moveaxis(result, int(axis), 0)
    kept = np.flatnonzero(run.input(1).ravel()[: len(along)])
    along[kept] = run.dy if axis is None else np.moveaxis(run.dy, int(axis), 0)
    return result
