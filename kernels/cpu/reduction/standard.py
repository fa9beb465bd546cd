"""Reductions and orders of ONNX without a declaration."""

from __future__ import annotations

import numpy as np

from aidge_nb.core.dims import axis_of
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.standard import standard


@standard("CumProd")
def cum_prod(x: Array, axis: Array, *, exclusive: int = 0, reverse: int = 0) -> Array:
    """Multiply up along an axis."""
    along = axis_of(int(axis.reshape(-1)[0]), x.ndim)
    data = np.flip(x, along) if reverse else x
    result = np.cumprod(data, along, dtype=x.dtype)
    if exclusive:
        ones = np.ones_like(np.take(result, [0], along))
        result = np.concatenate([ones, np.delete(result, -1, along)], along)
    return np.flip(result, along) if reverse else result


@standard("ReduceLogSum", decided_by=(1,))
def reduce_log_sum(
    x: Array,
    along: Array | None,
    *,
    axes: tuple[int, ...] = (),
    keepdims: int = 1,
    noop_with_empty_axes: int = 0,
) -> Array:
    """Return the logarithm of sums, in the type of the data: integers are cut off."""
    chosen = tuple(axes if along is None else along.tolist())
    if not chosen and noop_with_empty_axes:
        return np.asarray(np.log(x.astype(np.float64)), x.dtype)
    total = x.astype(np.float64).sum(chosen or None, keepdims=bool(keepdims))
    return np.asarray(np.log(total), x.dtype)


@standard("ReduceLogSumExp", decided_by=(1,))
def reduce_log_sum_exp(
    x: Array,
    along: Array | None,
    *,
    axes: tuple[int, ...] = (),
    keepdims: int = 1,
    noop_with_empty_axes: int = 0,
) -> Array:
    """Return ln Σ exp(x), in the type of the data: integers are cut off."""
    chosen = tuple(axes if along is None else along.tolist())
    if not chosen and noop_with_empty_axes:
        return x.copy()
    wide = x.astype(np.float64)
    top = wide.max(chosen or None, keepdims=True)
    total = np.exp(wide - top).sum(chosen or None, keepdims=True)
    logarithm = np.log(total)
    result = (logarithm if x.dtype.kind == "f" else np.trunc(logarithm)) + top
    where = tuple(axis % x.ndim for axis in chosen) or tuple(range(x.ndim))
    return np.asarray(result if keepdims else result.squeeze(where), x.dtype)


@standard("Unique", open_dims=True)
def unique(
    x: Array, *, axis: int | None = None, sorted: int = 1
) -> tuple[Array, ...]:  # ONNX's name
    """Return the distinct elements (or slices), first indices, inverse indices and counts."""
    values, first, inverse, counts = np.unique(x, True, True, True, axis=axis)
    inverse = inverse.reshape(-1)
    if not sorted:
        order = np.argsort(first, kind="stable")
        rank = np.argsort(order, kind="stable")
        values = np.take(values, order, axis or 0)
        first, counts, inverse = first[order], counts[order], rank[inverse]
    return values, first.astype(np.int64), inverse.astype(np.int64), counts.astype(np.int64)
