"""Operators with no family here: products, orders, distinct elements, determinants."""

from __future__ import annotations

import numpy as np

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.standard import Site, standard
from aidge_nb.ops.rules import axis_of


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


@standard("Dropout")
def dropout(
    x: Array,
    rate: Array | None,
    training: Array | None,
    *,
    ratio: float = 0.5,
    seed: int | None = None,
    is_test: int = 1,
    site: Site,
) -> tuple[Array, ...]:
    """Give the data as they are and the mask: everything kept; below opset 12, nothing but zeros.

    Below opset 10 the mask has the type of the data. In training, elements are left out with the
    probability ``rate`` and the others made larger, as the standard has it since opset 12.
    """
    if training is None or not training:
        mask = np.full(x.shape, site.opset >= 12)
        return x.copy(), mask if site.opset >= 10 else mask.astype(x.dtype)
    drop = ratio if rate is None else float(rate)
    kept = np.random.default_rng(seed).random(x.shape) >= drop
    return (x * kept / (1 - drop)).astype(x.dtype), kept


@standard("ReduceLogSum", decided_by=(1,))
def reduce_log_sum(
    x: Array,
    along: Array | None,
    *,
    axes: tuple[int, ...] = (),
    keepdims: int = 1,
    noop_with_empty_axes: int = 0,
) -> Array:
    """Give the logarithm of sums, in the type of the data: integers are cut off."""
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
    """Give ln Σ exp(x), in the type of the data: integers are cut off."""
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


@standard("Det")
def det(x: Array) -> Array:
    """Give the determinant of each matrix."""
    return np.asarray(np.linalg.det(x.astype(np.result_type(x.dtype, np.float32))), x.dtype)


@standard("ReverseSequence")
def reverse_sequence(x: Array, lengths: Array, *, batch_axis: int = 1, time_axis: int = 0) -> Array:
    """Reverse the beginning of each sequence of a batch."""
    rows = np.moveaxis(x, (batch_axis, time_axis), (0, 1))
    result = rows.copy()
    for row, length in enumerate(lengths.tolist()):
        if not 0 <= length <= rows.shape[1]:
            raise ShapeError(
                explain("input#1", "no such length", expected=f"0 to {rows.shape[1]}", found=length)
            )
        result[row, :length] = rows[row, :length][::-1]
    return np.moveaxis(result, (0, 1), (batch_axis, time_axis))


@standard("Shrink")
def shrink(x: Array, *, bias: float = 0.0, lambd: float = 0.5) -> Array:
    """Give 0 for what is near it, and move everything else towards it."""
    result = np.where(x < -lambd, x + bias, np.where(x > lambd, x - bias, 0))
    return np.asarray(result, x.dtype)


@standard("Unique", open_dims=True)
def unique(
    x: Array, *, axis: int | None = None, sorted: int = 1
) -> tuple[Array, ...]:  # ONNX's name
    """Give each element (or slice) once; where it is first, where each comes from, how often."""
    values, first, inverse, counts = np.unique(x, True, True, True, axis=axis)
    inverse = inverse.reshape(-1)
    if not sorted:
        order = np.argsort(first, kind="stable")
        rank = np.argsort(order, kind="stable")
        values = np.take(values, order, axis or 0)
        first, counts, inverse = first[order], counts[order], rank[inverse]
    return values, first.astype(np.int64), inverse.astype(np.int64), counts.astype(np.int64)


@standard("SpaceToDepth")
def space_to_depth(x: Array, *, blocksize: int, mode: str = "DCR") -> Array:
    """Move blocks of space into channels, blocks first (DCR) or channels first (CRD)."""
    n, c, h, w = x.shape
    parts = x.reshape(n, c, h // blocksize, blocksize, w // blocksize, blocksize)
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return parts.transpose(order).reshape(n, -1, h // blocksize, w // blocksize)


@standard("Gemm")
def gemm(
    a: Array,
    b: Array,
    c: Array | None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    broadcast: int = 1,
    transA: int = 0,  # ONNX's name
    transB: int = 0,  # ONNX's name
) -> Array:
    """Give alpha · A B + beta · C."""
    product = (a.T if transA else a) @ (b.T if transB else b)
    result = product if alpha == 1 else alpha * product
    if c is not None:
        result = result + (c if beta == 1 else beta * c)
    return np.asarray(result, a.dtype)


@standard("PRelu")
def prelu(x: Array, slope: Array, *, site: Site) -> Array:
    """Scale negative elements; before opset 7 one slope per channel, whatever the rank."""
    if slope.ndim == 1 and site.opset < 7 and x.ndim > 1 and len(slope) == x.shape[1]:
        slope = slope.reshape(-1, *[1] * (x.ndim - 2))
    return np.asarray(np.where(x < 0, x * slope, x), x.dtype)
