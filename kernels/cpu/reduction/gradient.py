"""Gradients of operators that go along some axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aidge_nb.core.dims import axis_of
from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.cpu.common.arrays import Array, Ints, optional
from aidge_nb.kernels.cpu.reduction.forward import chosen_axes, kept
from aidge_nb.kernels.gradients import Recorded, gradient, standard_gradient, without_gradient
from aidge_nb.ops import reduction as specs

Axes = tuple[int, ...]

without_gradient(specs.ARG_MAX, specs.ARG_MIN, reason="gives positions, which are whole numbers")


Slope = Callable[[Array, Array, Axes], Array]
"""Slope of each element, from the data, the result with its axes kept, and the axes."""


def _first_equal(x: Array, y: Array, along: Axes) -> Array:
    """Return 1 where the first element that equals the result is, along all axes together."""
    others = [axis for axis in range(x.ndim) if axis not in along]
    order = (*others, *along)
    moved = np.asarray(x == y).transpose(order)
    rows = moved.reshape(*moved.shape[: len(others)], -1)
    found = np.zeros(rows.shape, x.dtype)
    if rows.size:
        np.put_along_axis(found, rows.argmax(axis=-1)[..., None], 1, -1)
    return found.reshape(moved.shape).transpose(np.argsort(order))


def _product_of_others(x: Array, y: Array, along: Axes) -> Array:
    """Multiply, for each element, all others: with zeros among them there is no dividing."""
    zeros = np.asarray(x == 0).sum(axis=along, keepdims=True)
    without = np.where(x == 0, 1, x).prod(axis=along, keepdims=True)
    lone = np.where((zeros == 1) & (x == 0), without, 0)
    return np.where(zeros == 0, y / np.where(x == 0, 1, x), lone)


def _exp_of(x: Array, y: Array, along: Axes) -> Array:
    return np.asarray(np.exp(x - np.where(np.isfinite(y), y, 0)))


_FROM_DATA: dict[OpSpec, Slope] = {
    specs.REDUCE_MAX: _first_equal,
    specs.REDUCE_MIN: _first_equal,
    specs.REDUCE_PROD: _product_of_others,
    specs.REDUCE_L1: lambda x, y, along: np.sign(x),
    specs.REDUCE_L2: lambda x, y, along: x / np.where(y == 0, 1, y),
    specs.REDUCE_SUM_SQUARE: lambda x, y, along: 2 * x,
    specs.REDUCE_LOG_SUM_EXP: _exp_of,
}


def _bind(spec: OpSpec, slope: Slope) -> None:
    @gradient(spec, inputs=(0, 1), outputs=(0,))
    def reduced(run: Recorded, *, axes: Ints = (), noop_with_empty_axes: bool = False) -> Array:
        along = chosen_axes(run.x, run.optional(1), axes, noop_with_empty_axes)
        y, dy = (kept(each, run.x.shape, along) for each in (run.y, run.dy))
        return np.asarray(dy * slope(run.x, y, along))

    if spec is specs.REDUCE_LOG_SUM_EXP:
        standard_gradient(spec.type, inputs=(0, 1), outputs=(0,))(reduced)


for _spec, _slope in _FROM_DATA.items():
    _bind(_spec, _slope)


@gradient(specs.REDUCE_SUM, inputs=(1,))
def reduce_sum(run: Recorded, *, axes: Ints, noop_with_empty_axes: bool) -> Array:
    """Pass to all elements."""
    along = chosen_axes(run.x, run.optional(1), axes, noop_with_empty_axes)
    return np.broadcast_to(kept(run.dy, run.x.shape, along), run.x.shape).copy()


@gradient(specs.REDUCE_MEAN, inputs=(1,))
def reduce_mean(run: Recorded, *, axes: Ints, noop_with_empty_axes: bool) -> Array:
    """Pass equal shares to all elements."""
    along = chosen_axes(run.x, run.optional(1), axes, noop_with_empty_axes)
    share = kept(run.dy, run.x.shape, along) * (run.dy.size / max(1, run.x.size))
    return np.broadcast_to(share.astype(run.dy.dtype), run.x.shape).copy()


@standard_gradient("ReduceLogSum", inputs=(1,), outputs=(0,))
@gradient(specs.REDUCE_LOG_SUM, inputs=(1,), outputs=(0,))
def reduce_log_sum(run: Recorded, *, axes: Ints = (), noop_with_empty_axes: bool = False) -> Array:
    """Pass dy / sum to all elements."""
    along = chosen_axes(run.x, run.optional(1), axes, noop_with_empty_axes)
    share = kept(np.asarray(run.dy / np.exp(run.y)), run.x.shape, along)
    return np.broadcast_to(share, run.x.shape).copy()


@gradient(specs.CUM_SUM, inputs=(1,))
def cum_sum(run: Recorded, *, axis: int, exclusive: bool, reverse: bool) -> Array:
    """Add up in the other direction: each element is in all sums after it."""
    (chosen,) = optional(run.optional(1), (axis,))
    along = axis_of(int(chosen), run.dy.ndim)
    dy = run.dy if reverse else np.flip(run.dy, along)
    result = np.cumsum(dy, axis=along)
    if exclusive:
        result = result - dy
    return np.ascontiguousarray(result if reverse else np.flip(result, along))


@gradient(specs.TOP_K, outputs=(1,))
def top_k(run: Recorded, *, axis: int) -> Array:
    """Pass to where the elements were."""
    result = np.zeros(run.x.shape, run.dy.dtype)
    places = run.outputs[1]
    if places is not None and places.size:
        np.put_along_axis(result, places, run.dy, axis_of(int(axis), run.x.ndim))
    return result


# --- ONNX operators without a declaration ---------------------------------------------------------


@standard_gradient("CumProd", inputs=(0, 1))
def cum_prod(run: Recorded, *, exclusive: int = 0, reverse: int = 0) -> Array:
    """Pass the products without the element itself, which may be 0."""
    axis = axis_of(int(run.input(1).reshape(-1)[0]), run.x.ndim)
    x, dy = (np.moveaxis(each, axis, -1) for each in (run.x, run.dy))
    if reverse:
        x, dy = x[..., ::-1], dy[..., ::-1]
    result = np.empty_like(dy)
    behind = 1 if exclusive else 0
    for place in range(x.shape[-1]):
        others = np.array(x)
        others[..., place] = 1
        products = np.cumprod(others, -1)[..., place : x.shape[-1] - behind]
        result[..., place] = (products * dy[..., place + behind :]).sum(-1)
    return np.ascontiguousarray(np.moveaxis(result[..., ::-1] if reverse else result, -1, axis))
