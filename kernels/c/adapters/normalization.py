"""Calls of normalizations, and of Softmax with its kin."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from aidge_nb.core.dims import axis_of
from aidge_nb.kernels.c.adapters.arithmetic import binary_call
from aidge_nb.kernels.c.adapters.common import F32, axis_fields, need, refuse
from aidge_nb.kernels.c.calls import CCall, Fields, In, Out, Scratch, Site, c_kernel
from aidge_nb.ops import normalization as specs


@c_kernel(specs.BATCH_NORM)
def batch_norm(site: Site) -> CCall:
    """Normalize by stored statistics."""
    need(site, F32, *range(5))
    if site.attrs["training_mode"]:
        raise refuse(site, "computes statistics of the batch", found="training_mode=True")
    dims = site.input(0).dims
    fields: Fields = {
        "batch": dims[0],
        "channels": dims[1],
        "size": prod(dims[2:]),
        "epsilon": float(site.attrs["epsilon"]),
    }
    args = (In(0), In(1), In(2), In(3), In(4), Out(0))
    return CCall("nb_batch_norm_f32", "nb_norm", "nb_batch_norm_config", fields, args)


def _standardize(site: Site, name: str, rows: int, size: int) -> CCall:
    fields: Fields = {
        "rows": rows,
        "size": size,
        "epsilon": float(site.attrs["epsilon"]),
        "count": float(max(1, size)),
    }
    return CCall(f"nb_{name}_f32", "nb_norm", "nb_standardize_config", fields, (In(0), Out(0)))


def _scaled(site: Site, first: CCall, dims: Sequence[Sequence[int]]) -> tuple[CCall, ...]:
    """Multiply the output by input 1 and add input 2, which have these dimensions."""
    target = site.outputs[0].dims
    unit = "nb_arithmetic"
    calls = [first, binary_call(site, "nb_mul_f32", unit, (Out(0), target), (In(1), dims[0]))]
    if len(dims) > 1:
        calls.append(binary_call(site, "nb_add_f32", unit, (Out(0), target), (In(2), dims[1])))
    return tuple(calls)


@c_kernel(specs.INSTANCE_NORM, specs.GROUP_NORM)
def group_norm(site: Site) -> tuple[CCall, ...]:
    """Normalize each group of channels of each sample by its own statistics."""
    need(site, F32, 0, 1, 2)
    dims = site.input(0).dims
    groups = dims[1] if site.spec is specs.INSTANCE_NORM else int(site.attrs["num_groups"])
    size = prod(dims[1:]) // max(1, groups)
    per_channel = (dims[1], *(1 for _ in dims[2:]))
    first = _standardize(site, "standardize", dims[0] * groups, size)
    return _scaled(site, first, [per_channel, per_channel])


@c_kernel(specs.LAYER_NORM, specs.RMS_NORM)
def layer_norm(site: Site) -> tuple[CCall, ...]:
    """Normalize over all dimensions from an axis on."""
    present = [index for index in range(len(site.inputs)) if site.has(index)]
    need(site, F32, *present)
    dims = site.input(0).dims
    cut = axis_of(int(site.attrs["axis"]), len(dims), site.label)
    name = "standardize" if site.spec is specs.LAYER_NORM else "divide_by_rms"
    first = _standardize(site, name, prod(dims[:cut]), prod(dims[cut:]))
    return _scaled(site, first, [site.input(index).dims for index in present[1:]])


@c_kernel(specs.LRN_SPEC)
def lrn(site: Site) -> CCall:
    """Divide by a power of the mean square of neighbouring channels."""
    need(site, F32)
    dims, attrs = site.input(0).dims, site.attrs
    before = (int(attrs["size"]) - 1) // 2
    fields: Fields = {
        "batch": dims[0],
        "channels": dims[1],
        "inner": prod(dims[2:]),
        "before": before,
        "behind": int(attrs["size"]) - 1 - before,
        "alpha": float(attrs["alpha"]) / int(attrs["size"]),
        "beta": float(attrs["beta"]),
        "bias": float(attrs["bias"]),
    }
    args = (In(0), Scratch(), Out(0))
    return CCall("nb_lrn_f32", "nb_lrn", "nb_lrn_config", fields, args, scratch=4 * dims[1])


_SOFTMAXES = {
    specs.SOFTMAX: "softmax",
    specs.LOG_SOFTMAX: "log_softmax",
    specs.HARDMAX: "hardmax",
}


@c_kernel(*_SOFTMAXES)
def softmax(site: Site) -> CCall:
    """Return exp(x) / Σ exp(x), its logarithm, or where the largest element is."""
    need(site, F32)
    dims = site.input(0).dims or (1,)
    axis = axis_of(int(site.attrs["axis"]), len(dims), site.label)
    if site.attrs["flatten"] and site.input(0).dims:
        dims, axis = (prod(dims[:axis]), prod(dims[axis:])), 1
    name = f"nb_{_SOFTMAXES[site.spec]}_f32"
    unit, config = "nb_softmax", "nb_softmax_config"
    return CCall(name, unit, config, axis_fields(dims, axis), (In(0), Out(0)))


@c_kernel(specs.LP_NORM)
def lp_norm(site: Site) -> CCall:
    """Divide by the p-norm along an axis."""
    need(site, F32)
    dims = site.input(0).dims
    axis = axis_of(int(site.attrs["axis"]), len(dims), site.label)
    name = "nb_l1_normalize_f32" if int(site.attrs["p"]) == 1 else "nb_l2_normalize_f32"
    unit, config = "nb_softmax", "nb_softmax_config"
    return CCall(name, unit, config, axis_fields(dims, axis), (In(0), Out(0)))
