"""Gradients of reductions of ONNX without a declaration."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.gradients import Recorded, standard_gradient
from aidge_nb.ops.rules import axis_of


def _spread(reduced: Array, run: Recorded, axes: tuple[int, ...], noop: int) -> Array:
    """Restore the reduced axes, with size 1."""
    along = run.optional(1)
    given = tuple(axes if along is None else along.tolist())
    if not given and noop:
        return reduced
    rank = run.x.ndim
    chosen = {axis_of(int(axis), rank) for axis in given} or set(range(rank))
    return reduced.reshape([1 if axis in chosen else n for axis, n in enumerate(run.x.shape)])


@standard_gradient("ReduceLogSum", inputs=(1,), outputs=(0,))
def reduce_log_sum(
    run: Recorded, *, axes: tuple[int, ...] = (), noop_with_empty_axes: int = 0
) -> Array:
    """Pass dy / sum."""
    share = _spread(np.asarray(run.dy / np.exp(run.y)), run, axes, noop_with_empty_axes)
    return np.broadcast_to(share, run.x.shape).copy()


@standard_gradient("ReduceLogSumExp", inputs=(0, 1), outputs=(0,))
def reduce_log_sum_exp(
    run: Recorded, *, axes: tuple[int, ...] = (), noop_with_empty_axes: int = 0
) -> Array:
    """Pass dy exp(x - y)."""
    y, dy = (_spread(each, run, axes, noop_with_empty_axes) for each in (run.y, run.dy))
    return np.asarray(dy * np.exp(run.x - y))


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
