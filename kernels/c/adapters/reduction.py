"""Calls of operators that go along some axes."""

from __future__ import annotations

from math import prod

from aidge_nb.core.dims import axis_of
from aidge_nb.core.dtype import DType
from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.c.adapters.common import F32, INTEGERS, axis_fields, joined, need, row_major
from aidge_nb.kernels.c.calls import CCall, Fields, In, Out, Site, c_kernel
from aidge_nb.ops import reduction as specs

_OF_ANY: dict[OpSpec, str] = {
    specs.REDUCE_SUM: "sum",
    specs.REDUCE_MAX: "max",
    specs.REDUCE_MIN: "min",
    specs.REDUCE_PROD: "prod",
    specs.REDUCE_L1: "l1",
    specs.REDUCE_SUM_SQUARE: "sum_square",
}
_OF_FLOATS: dict[OpSpec, str] = {
    specs.REDUCE_MEAN: "mean",
    specs.REDUCE_L2: "l2",
    specs.REDUCE_LOG_SUM: "log_sum",
    specs.REDUCE_LOG_SUM_EXP: "log_sum_exp",
}
_UNITS = {"sum": "", "mean": "", "max": "_extremes", "min": "_extremes"}


@c_kernel(*_OF_ANY, *_OF_FLOATS)
def reduce(site: Site) -> CCall:
    """Reduce along axes that must be known."""
    need(site, (*F32, *INTEGERS) if site.spec in _OF_ANY else F32)
    given = site.constant(1).reshape(-1).tolist() if site.has(1) else site.attrs["axes"]
    axes = specs.reduced_axes(
        [int(axis) for axis in given],
        len(site.input(0).dims),
        noop_with_empty_axes=bool(site.attrs["noop_with_empty_axes"]),
        where=site.label,
    )
    return reduce_call(site, (_OF_ANY | _OF_FLOATS)[site.spec], axes)


def reduce_call(site: Site, name: str, axes: tuple[int, ...]) -> CCall:
    """Reduce input 0 along axes."""
    dims = site.input(0).dims
    strides = row_major(dims)
    kept = [axis for axis in range(len(dims)) if axis not in axes]
    over = sorted(axes)
    own, steps = joined(site.label, [dims[i] for i in kept], [strides[i] for i in kept])
    over_dims, over_steps = joined(site.label, [dims[i] for i in over], [strides[i] for i in over])
    fields: Fields = {
        "rank": len(own),
        "dims": own,
        "strides": steps,
        "over_rank": len(over_dims),
        "over_dims": over_dims,
        "over_strides": over_steps,
        "count": float(prod(dims[axis] for axis in over)),
    }
    suffix = need(site, (*F32, *INTEGERS))
    unit = f"nb_reduce{_UNITS.get(name, '_more') if suffix == 'f32' else '_integer'}"
    return CCall(f"nb_reduce_{name}_{suffix}", unit, "nb_reduce_config", fields, (In(0), Out(0)))


def _order_fields(site: Site, axis: int, **given: int) -> Fields:
    where = axis_of(axis, len(site.input(0).dims), site.label)
    fields = {"count": 0, "last": 0, "backwards": 0, **given}
    return {**axis_fields(site.input(0).dims, where), **fields}


@c_kernel(specs.ARG_MAX, specs.ARG_MIN)
def position(site: Site) -> CCall:
    """Return the index of the largest or smallest element along an axis."""
    suffix = need(site, (*F32, *INTEGERS))
    name = "max" if site.spec is specs.ARG_MAX else "min"
    last = int(site.attrs["select_last_index"])
    fields = _order_fields(site, int(site.attrs["axis"]), last=last)
    return CCall(f"nb_arg_{name}_{suffix}", "nb_order", "nb_order_config", fields, (In(0), Out(0)))


@c_kernel(specs.CUM_SUM)
def cum_sum(site: Site) -> CCall:
    """Add up along an axis, which must be known."""
    suffix = need(site, (*F32, DType.int32, DType.int64))
    axis = site.constant(1).reshape(-1)[0] if site.has(1) else site.attrs["axis"]
    fields = _order_fields(
        site,
        int(axis),
        last=int(site.attrs["exclusive"]),
        backwards=int(site.attrs["reverse"]),
    )
    return CCall(f"nb_cum_sum_{suffix}", "nb_order", "nb_order_config", fields, (In(0), Out(0)))


@c_kernel(specs.TOP_K)
def top_k(site: Site) -> CCall:
    """Return the first elements in order along an axis, and where they were."""
    suffix = need(site, (*F32, *INTEGERS))
    axis = axis_of(int(site.attrs["axis"]), len(site.input(0).dims), site.label)
    fields = _order_fields(
        site,
        axis,
        count=site.outputs[0].dims[axis],
        backwards=int(not site.attrs["largest"]),
    )
    args = (In(0), Out(0), Out(1))
    return CCall(f"nb_top_k_{suffix}", "nb_order", "nb_order_config", fields, args)
