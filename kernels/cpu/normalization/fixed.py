"""Fixed steps of normalizations and Softmax: row by row, so that a row stays in the cache."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod

import numpy as np

from aidge_nb.core.dims import axis_of
from aidge_nb.kernels.cpu.common.arrays import Array, narrow_gaps
from aidge_nb.kernels.cpu.common.fixed import is_plain
from aidge_nb.kernels.fixed import Bound, Step, fixed, in_order
from aidge_nb.ops import normalization as specs

_ELEMENTS = 1 << 17  # of a block: half of a common L2 cache


def _row_blocks(x: Array, out: Array, width: int) -> list[tuple[Array, Array]]:
    """Cut data and result into blocks of rows of ``width`` elements."""
    rows, results = x.reshape(-1, width), out.reshape(-1, width)
    step = max(1, _ELEMENTS // width)
    return [
        (rows[start : start + step], results[start : start + step])
        for start in range(0, len(rows), step)
    ]


@fixed(specs.SOFTMAX, specs.LOG_SOFTMAX)
def softmax(bound: Bound) -> Step | None:
    """Return exp(x) / Σ exp(x), or its logarithm, along an axis."""
    if not is_plain(bound) or not bound.input().size or not bound.input().ndim:
        return None
    x, out = bound.input(), bound.out
    axis = axis_of(int(bound.attrs["axis"]), x.ndim)
    if bound.attrs["flatten"]:
        blocks = _row_blocks(x, out, prod(x.shape[axis:]))
    elif axis == x.ndim - 1:
        blocks = _row_blocks(x, out, x.shape[axis])
    elif narrow_gaps(x.shape, [axis]):
        return None
    else:
        return _softmax_along(bound, x, out, axis)
    spare = bound.workspace.array((len(blocks[0][0]), 1), x.dtype)
    function = _softmax if bound.spec is specs.SOFTMAX else _log_softmax
    wide = bound.workspace.array(blocks[0][0].shape, x.dtype) if function is _log_softmax else None
    steps: list[Callable[[], object]] = []
    for rows, results in blocks:
        more = () if wide is None else (wide[: len(rows)],)
        steps.append(partial(function, rows, results, -1, spare[: len(rows)], *more))
    return in_order(steps)


def _softmax_along(bound: Bound, x: Array, out: Array, axis: int) -> Step:
    shape = tuple(1 if i == axis else size for i, size in enumerate(x.shape))
    spare = bound.workspace.array(shape, x.dtype)
    if bound.spec is specs.SOFTMAX:
        return partial(_softmax, x, out, axis, spare)
    return partial(_log_softmax, x, out, axis, spare, bound.workspace.array(x.shape, x.dtype))


def _softmax(x: Array, out: Array, axis: int, spare: Array) -> None:
    np.maximum.reduce(x, axis=axis, out=spare, keepdims=True)
    np.subtract(x, spare, out=out)
    np.exp(out, out=out)
    np.add.reduce(out, axis=axis, out=spare, keepdims=True)
    np.divide(out, spare, out=out)


def _log_softmax(x: Array, out: Array, axis: int, spare: Array, wide: Array) -> None:
    np.maximum.reduce(x, axis=axis, out=spare, keepdims=True)
    np.subtract(x, spare, out=out)
    np.exp(out, out=wide)
    np.add.reduce(wide, axis=axis, out=spare, keepdims=True)
    np.log(spare, out=spare)
    np.subtract(out, spare, out=out)


@fixed(specs.BATCH_NORM)
def batch_norm(bound: Bound) -> Step | None:
    """Normalize by the stored statistics."""
    if bound.attrs["training_mode"] or bound.input().dtype != bound.out.dtype:
        return None
    x = bound.input()
    parameters = [bound.input(index) for index in range(1, 5)]
    if any(each.dtype != x.dtype for each in parameters):
        return None
    factor, offset = (bound.workspace.array(parameters[0].shape, x.dtype) for _ in range(2))
    dims = (-1, *(1 for _ in x.shape[2:]))
    scale, shift, mean, variance = parameters
    return in_order(
        [
            partial(np.add, variance, float(bound.attrs["epsilon"]), factor),
            partial(np.sqrt, factor, factor),
            partial(np.divide, scale, factor, factor),
            partial(np.multiply, mean, factor, offset),
            partial(np.subtract, shift, offset, offset),
            partial(np.multiply, x, factor.reshape(dims), bound.out),
            partial(np.add, bound.out, offset.reshape(dims), bound.out),
        ],
    )


@fixed(specs.LAYER_NORM)
def layer_norm(bound: Bound) -> Step | None:
    """Normalize over all dimensions from an axis on."""
    if not is_plain(bound) or not bound.input().size:
        return None
    x, out, scale, bias = bound.input(), bound.out, bound.input(1), bound.optional(2)
    cut = axis_of(int(bound.attrs["axis"]), x.ndim)
    inner = x.shape[cut:]
    if scale.shape != inner or (bias is not None and bias.shape != inner) or x.dtype != scale.dtype:
        return None
    blocks = _row_blocks(x, out, prod(inner))
    spare = bound.workspace.array((len(blocks[0][0]),), x.dtype)
    flat_bias = None if bias is None else bias.reshape(-1)
    steps: list[Callable[[], object]] = [
        partial(
            _layer_norm,
            rows,
            results,
            scale.reshape(-1),
            flat_bias,
            float(bound.attrs["epsilon"]),
            spare[: len(rows)],
            spare[: len(rows), None],
        )
        for rows, results in blocks
    ]
    return in_order(steps)


def _layer_norm(
    rows: Array,
    out: Array,
    scale: Array,
    bias: Array | None,
    epsilon: float,
    spare: Array,
    column: Array,
) -> None:
    np.add.reduce(rows, axis=-1, out=spare)
    np.divide(spare, rows.shape[-1], out=spare)
    np.subtract(rows, column, out=out)
    np.einsum("...i,...i->...", out, out, out=spare)
    np.divide(spare, rows.shape[-1], out=spare)
    np.add(spare, epsilon, out=spare)
    np.sqrt(spare, out=spare)
    np.divide(1, spare, out=spare)
    np.multiply(out, column, out=out)
    np.multiply(out, scale, out=out)
    if bias is not None:
        np.add(out, bias, out=out)
