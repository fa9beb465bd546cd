"""Calls of operators that change the resolution."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from aidge_nb.kernels.c.adapters.common import F32, copy_call, need, refuse, row_major
from aidge_nb.kernels.c.adapters.moving import move_call, pick_call
from aidge_nb.kernels.c.calls import (
    Argument,
    CCall,
    Constant,
    Fields,
    In,
    Out,
    Scratch,
    Site,
    c_kernel,
)
from aidge_nb.kernels.cpu.common.arrays import output_sizes
from aidge_nb.kernels.cpu.resampling.forward import Resampled, ResizeOptions, resampled_axes
from aidge_nb.kernels.options import OPTIONS, with_options
from aidge_nb.ops import resampling as specs


@c_kernel(specs.RESIZE)
def resize(site: Site) -> tuple[CCall, ...]:
    """Resample axis after axis; sizes, scales and region must be known."""
    plan = _plan(site)
    if not plan:
        return (copy_call(site.outputs[0].nbytes, In(0), Out(0)),)
    if plan[0].weights is None:
        return (_nearest(site, plan),)
    need(site, F32)
    return _weighted(site, plan)


def _plan(site: Site) -> list[Resampled]:
    known = {
        name: site.constant(index).reshape(-1).tolist()
        for index, name in enumerate(("roi", "scales", "sizes"), 1)
        if site.has(index)
    }
    options = with_options({**site.attrs, **known}, ResizeOptions)[OPTIONS]
    return resampled_axes(site.input(0).dims, options)


def _nearest(site: Site, plan: list[Resampled]) -> CCall:
    if any(each.outside is not None and each.outside.any() for each in plan):
        raise refuse(site, "takes the nearest outside of the data")
    lists = [list(range(size)) for size in site.input(0).dims]
    for each in plan:
        lists[each.axis] = each.indices[0].tolist()
    return pick_call(site, lists)


def _weighted(site: Site, plan: list[Resampled]) -> tuple[CCall, ...]:
    """Resample into the two halves of the working memory in turn, last into the output."""
    half = _largest_between(site, plan)
    dims, calls = list(site.input(0).dims), []
    current: Argument = In(0)
    for number, each in enumerate(plan):
        axis, size = each.axis, each.indices.shape[1]
        is_last = number == len(plan) - 1
        target: Argument = Out(0) if is_last else Scratch((number % 2) * half)
        places = each.indices
        if each.outside is not None:
            places = np.where(each.outside, -1, places)
        fields = {
            "outer": prod(dims[:axis]),
            "in_size": dims[axis],
            "out_size": size,
            "inner": prod(dims[axis + 1 :]),
            "taps": len(places),
            "outside": float(site.attrs["extrapolation_value"]),
        }
        weights = np.zeros(0) if each.weights is None else each.weights
        args = (
            current,
            Constant(f"places{axis}", places.astype(np.int32)),
            Constant(f"weights{axis}", weights.astype(np.float32)),
            target,
        )
        unit, config = "nb_resize", "nb_resize_config"
        calls.append(CCall("nb_resize_f32", unit, config, fields, args, 2 * half))
        current, dims[axis] = target, size
    return tuple(calls)


def _largest_between(site: Site, plan: list[Resampled]) -> int:
    """Return the bytes of the largest of the tensors between two axes."""
    dims, largest = list(site.input(0).dims), 0
    for each in plan[:-1]:
        dims[each.axis] = each.indices.shape[1]
        largest = max(largest, 4 * prod(dims))
    return largest


@c_kernel(specs.FOLD)
def fold(site: Site) -> CCall:
    """Add up windows."""
    need(site, F32)
    out = site.outputs[0].dims
    kernel, strides, dilations, counts = _window(site, out[2:])
    fields: Fields = {
        "channels": prod(out[:2]),
        "out_dims": out[2:],
        "counts": counts,
        "kernel": kernel,
        "strides": strides,
        "dilations": dilations,
    }
    unit, config = "nb_fold_windows", "nb_fold_windows_config"
    return CCall("nb_fold_windows_f32", unit, config, fields, (In(0), Out(0)))


def _window(site: Site, sizes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return sizes of the kernel, strides, dilations, and the places over an image."""
    names = ("kernel_dims", "stride_dims", "dilation_dims")
    window = tuple(tuple(map(int, site.attrs[name])) for name in names)
    return (*window, output_sizes(sizes, *window))


def _rearranged(site: Site, parts: Sequence[int], order: Sequence[int]) -> CCall:
    """Copy input 0, seen with the dimensions ``parts``, with these in another order."""
    strides = row_major(parts)
    dims = [parts[axis] for axis in order]
    return move_call(site, dims, (0, 0, [strides[axis] for axis in order]), (0, 0, row_major(dims)))


@c_kernel(specs.DEPTH_TO_SPACE)
def depth_to_space(site: Site) -> CCall:
    """Move channels into blocks."""
    batch, channels, height, width = site.input(0).dims
    block = int(site.attrs["block_size"])
    depth = channels // block**2
    if site.attrs["mode"] == "DCR":
        return _rearranged(site, (batch, block, block, depth, height, width), (0, 3, 4, 1, 5, 2))
    return _rearranged(site, (batch, depth, block, block, height, width), (0, 1, 4, 2, 5, 3))


@c_kernel(specs.SPACE_TO_DEPTH)
def space_to_depth(site: Site) -> CCall:
    """Move blocks into channels."""
    batch, channels, height, width = site.input(0).dims
    block = int(site.attrs["block_size"])
    parts = (batch, channels, height // block, block, width // block, block)
    return _rearranged(site, parts, (0, 3, 5, 1, 2, 4))


@c_kernel(specs.UNFOLD)
def unfold(site: Site) -> CCall:
    """Lay out each window as a column."""
    batch, channels, *sizes = site.input(0).dims
    kernel, strides, dilations, counts = _window(site, sizes)
    plane, line = sizes[0] * sizes[1], sizes[1]
    dims = (batch, channels, *kernel, *counts)
    source = (
        *(channels * plane, plane),
        *(dilations[0] * line, dilations[1]),
        *(strides[0] * line, strides[1]),
    )
    return move_call(site, dims, (0, 0, source), (0, 0, row_major(dims)))
