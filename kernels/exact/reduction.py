"""Sums, means, largest elements and the like along some axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.cpu.common.arrays import Array, Ints
from aidge_nb.kernels.cpu.reduction import forward as fast
from aidge_nb.kernels.exact.functions.exponential import exp
from aidge_nb.kernels.exact.functions.floats import (
    F,
    float32,
    largest,
    rows_along,
    smallest,
    summed,
    times,
)
from aidge_nb.kernels.exact.functions.logarithm import log
from aidge_nb.kernels.registry import bound_kernel, kernel
from aidge_nb.ops import reduction as specs


def _log_sum_exp(rows: Array) -> Array:
    most = largest(rows)
    most = np.where(np.isfinite(most), most, F(0))
    return np.asarray(log(summed(exp(rows - most[..., None]))) + most)


_REDUCTIONS: dict[OpSpec, Callable[[Array], Array]] = {
    specs.REDUCE_SUM: summed,
    specs.REDUCE_MAX: largest,
    specs.REDUCE_MIN: smallest,
    specs.REDUCE_PROD: times,
    specs.REDUCE_L1: lambda rows: summed(np.abs(rows)),
    specs.REDUCE_L2: lambda rows: np.sqrt(summed(rows * rows)),
    specs.REDUCE_SUM_SQUARE: lambda rows: summed(rows * rows),
    specs.REDUCE_LOG_SUM: lambda rows: log(summed(rows)),
    specs.REDUCE_LOG_SUM_EXP: _log_sum_exp,
}
_OF_FLOATS = (specs.REDUCE_LOG_SUM, specs.REDUCE_LOG_SUM_EXP)


def _bind(spec: OpSpec, function: Callable[[Array], Array]) -> None:
    @kernel(spec, backend="exact")
    def reduced(
        x: Array, along: Array | None, *, axes: Ints, keep_dims: bool, noop_with_empty_axes: bool
    ) -> Array:
        chosen = fast.chosen_axes(x, along, axes, noop_with_empty_axes)
        options = {"axes": chosen, "keep_dims": keep_dims, "noop_with_empty_axes": True}
        if x.dtype.kind != "f" and spec not in _OF_FLOATS:
            whole = bound_kernel(spec)
            return np.asarray(whole(x, None, **options)) if whole else x
        return _keep(function(rows_along(float32(x), chosen)), x, chosen, keep_dims)


def _keep(result: Array, x: Array, axes: tuple[int, ...], keep_dims: bool) -> Array:
    return fast.kept(result, x.shape, axes) if keep_dims else result


for _spec, _function in _REDUCTIONS.items():
    _bind(_spec, _function)


@kernel(specs.REDUCE_MEAN, backend="exact")
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
    chosen = fast.chosen_axes(x, along, axes, noop_with_empty_axes)
    if x.dtype.kind != "f":
        return fast.reduce_mean(
            x,
            None,
            axes=chosen,
            keep_dims=keep_dims,
            noop_with_empty_axes=True,
            rounding_mode=rounding_mode,
        )
    rows = rows_along(float32(x), chosen)
    return _keep(np.asarray(summed(rows) / F(rows.shape[-1])), x, chosen, keep_dims)


@kernel(specs.CUM_SUM, backend="exact")
def cum_sum(x: Array, along: Array | None, *, axis: int, exclusive: bool, reverse: bool) -> Array:
    """Add up along an axis, from +0 on."""
    result = fast.cum_sum(x, along, axis=axis, exclusive=exclusive, reverse=reverse)
    return result if x.dtype.kind != "f" else np.asarray(result + x.dtype.type(0))
