"""Operators that go along some axes: sums, largest elements, positions, order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from aidge_nb.core.dims import axis_of
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.cpu.common.arrays import (
    Array,
    Dtype,
    Ints,
    accumulator,
    added_up,
    floats,
    lowest,
    optional,
    rounded,
)
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import reduction as specs

Axes = tuple[int, ...]


def _sum(x: Array, axes: Axes) -> Any:
    return added_up(x, axes, accumulator(x.dtype))


def _max(x: Array, axes: Axes) -> Any:
    return x.max(axis=axes, keepdims=True, initial=lowest(x.dtype))


def _min(x: Array, axes: Axes) -> Any:
    return x.min(axis=axes, keepdims=True, initial=_highest(x.dtype))


def _highest(dtype: Dtype) -> Any:
    if dtype.kind == "b":
        return True
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def _prod(x: Array, axes: Axes) -> Any:
    return x.prod(axis=axes, keepdims=True, dtype=accumulator(x.dtype))


def _sum_square(x: Array, axes: Axes) -> Any:
    wide = x.astype(accumulator(x.dtype), copy=False)
    return added_up(wide * wide, axes)


def _log_sum_exp(x: Array, axes: Axes) -> Any:
    x = floats(x)
    most = _max(x, axes)
    most = np.where(np.isfinite(most), most, x.dtype.type(0))
    return np.log(added_up(np.exp(x - most), axes)) + most


_REDUCTIONS: dict[OpSpec, Callable[[Array, Axes], Any]] = {
    specs.REDUCE_SUM: _sum,
    specs.REDUCE_MAX: _max,
    specs.REDUCE_MIN: _min,
    specs.REDUCE_PROD: _prod,
    specs.REDUCE_L1: lambda x, axes: _sum(np.abs(x.astype(accumulator(x.dtype))), axes),
    specs.REDUCE_L2: lambda x, axes: np.sqrt(_sum_square(x, axes)),
    specs.REDUCE_SUM_SQUARE: _sum_square,
    specs.REDUCE_LOG_SUM: lambda x, axes: np.log(_sum(floats(x), axes)),
    specs.REDUCE_LOG_SUM_EXP: _log_sum_exp,
}
_GIVE_FLOATS = (specs.REDUCE_LOG_SUM, specs.REDUCE_LOG_SUM_EXP)


def _bind(spec: OpSpec, function: Callable[[Array, Axes], Any]) -> None:
    @kernel(spec)
    def reduced(
        x: Array,
        along: Array | None,
        *,
        axes: Ints,
        keep_dims: bool,
        noop_with_empty_axes: bool,
    ) -> Array:
        chosen = chosen_axes(x, along, axes, noop_with_empty_axes)
        result = np.asarray(function(x, chosen))
        dtype = floats(x[:0] if x.ndim else x).dtype if spec in _GIVE_FLOATS else x.dtype
        return _keep(result, x, chosen, keep_dims).astype(dtype, copy=False)


def chosen_axes(x: Array, along: Array | None, axes: Ints, noop: bool) -> Axes:
    """Return the axes to reduce: those of the tensor ``along`` if there is one, else ``axes``."""
    return specs.reduced_axes(optional(along, axes), x.ndim, noop_with_empty_axes=bool(noop))


def kept(reduced: Array, shape: Ints, axes: Axes) -> Array:
    """Restore the axes that were reduced, with size 1."""
    return reduced.reshape([1 if axis in axes else size for axis, size in enumerate(shape)])


def _keep(result: Array, x: Array, axes: Axes, keep_dims: bool) -> Array:
    if keep_dims:
        return result
    return result.reshape([size for axis, size in enumerate(x.shape) if axis not in axes])


for _spec, _function in _REDUCTIONS.items():
    _bind(_spec, _function)


@kernel(specs.REDUCE_MEAN)
def reduce_mean(
    x: Array,
    along: Array | None,
    *,
    axes: Ints,
    keep_dims: bool,
    noop_with_empty_axes: bool,
    rounding_mode: str,
) -> Array:
    """Return the mean along some axes; means of integers are rounded."""
    chosen = chosen_axes(x, along, axes, noop_with_empty_axes)
    total = np.asarray(_sum(x, chosen))
    if total.size and not x.size and x.dtype.kind != "f":
        problem = "no whole number is the mean of none"
        raise ShapeError.at("input#0", problem, found=f"{x.dtype}{list(x.shape)}")
    count = x.size // max(1, total.size)
    mean = np.asarray(total / (total.dtype.type(count) if total.dtype.kind == "f" else count))
    if x.dtype.kind != "f":
        mean = rounded(mean, rounding_mode)
    return _keep(mean, x, chosen, keep_dims).astype(x.dtype, copy=False)


@kernel(specs.ARG_MAX)
def arg_max(x: Array, *, axis: int, keep_dims: bool, select_last_index: bool) -> Array:
    """Return the index of the largest element along ``axis``."""
    return _position(np.argmax, x, axis, keep_dims, select_last_index)


@kernel(specs.ARG_MIN)
def arg_min(x: Array, *, axis: int, keep_dims: bool, select_last_index: bool) -> Array:
    """Return the index of the smallest element along ``axis``."""
    return _position(np.argmin, x, axis, keep_dims, select_last_index)


def _position(
    function: Callable[..., Any], x: Array, axis: int, keep_dims: bool, last: bool
) -> Array:
    axis = axis_of(int(axis), x.ndim)
    if x.shape[axis] == 0:
        raise ShapeError.at(
            "input#0", f"there is nothing to choose from along axis {axis}", found=x.shape
        )
    if last:
        found = x.shape[axis] - 1 - function(np.flip(x, axis), axis=axis, keepdims=keep_dims)
    else:
        found = function(x, axis=axis, keepdims=keep_dims)
    return np.asarray(found, np.int64)


@kernel(specs.CUM_SUM)
def cum_sum(x: Array, along: Array | None, *, axis: int, exclusive: bool, reverse: bool) -> Array:
    """Add up along an axis."""
    (chosen,) = optional(along, (axis,))
    chosen = axis_of(int(chosen), x.ndim)
    data = np.flip(x, chosen) if reverse else x
    result = np.cumsum(data, axis=chosen, dtype=x.dtype)
    if exclusive:
        shifted = np.zeros_like(result)
        behind, before = [slice(None)] * x.ndim, [slice(None)] * x.ndim
        behind[chosen], before[chosen] = slice(1, None), slice(None, -1)
        shifted[tuple(behind)] = result[tuple(before)]
        result = shifted
    return np.ascontiguousarray(np.flip(result, chosen)) if reverse else result


@kernel(specs.TOP_K)
def top_k(
    x: Array, count: Array | None, *, axis: int, largest: bool, sorted: bool, k: int
) -> tuple[Array, Array]:
    """Return the first elements in order along an axis, and where they were."""
    (number,) = map(int, optional(count, (k,)))
    axis = axis_of(int(axis), x.ndim)
    if not 0 <= number <= x.shape[axis]:
        raise ShapeError.at(
            "input#1",
            f"cannot take so many elements along axis {axis}",
            expected=f"k from 0 to {x.shape[axis]}",
            found=number,
        )
    if largest:  # flipped twice, so that of equal elements the first comes first
        order = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
        order = x.shape[axis] - 1 - order
    else:
        order = np.argsort(x, axis=axis, kind="stable")
    first = tuple(slice(number) if i == axis else slice(None) for i in range(x.ndim))
    indices = np.array(order[first], np.int64, order="C")
    return np.take_along_axis(x, indices, axis), indices
