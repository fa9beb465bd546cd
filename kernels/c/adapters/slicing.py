"""Calls of operators that cut, join, pad and repeat tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aidge_nb.core.dims import axis_of
from aidge_nb.core.errors import ExportError, ShapeError
from aidge_nb.kernels.c.adapters.common import refuse, row_major
from aidge_nb.kernels.c.adapters.moving import fill_call, move_call, pick_call
from aidge_nb.kernels.c.calls import CCall, In, Out, Site, c_kernel
from aidge_nb.kernels.cpu.common.arrays import Dtype, lowest
from aidge_nb.kernels.cpu.slicing.forward import padded_places
from aidge_nb.ops import slicing
from aidge_nb.ops.rules import slices_of
from aidge_nb.ops.slicing import padding_of


@c_kernel(slicing.TILE)
def tile(site: Site) -> CCall:
    """Repeat along each dimension."""
    dims, out = site.input(0).dims, site.outputs[0].dims
    every: list[int] = []
    source: list[int] = []
    target: list[int] = []
    for size, step, total, outer in zip(dims, row_major(dims), out, row_major(out), strict=True):
        every += [total // size if size else 0, size]
        source += [0, step]
        target += [size * outer, outer]
    return move_call(site, every, (0, 0, source), (0, 0, target))


def _ints(site: Site, index: int, name: str) -> list[int]:
    if site.has(index):
        return [int(number) for number in site.constant(index).reshape(-1)]
    return [int(number) for number in site.attrs[name]]


@c_kernel(slicing.SLICE)
def slice_(site: Site) -> CCall:
    """Keep some elements along some axes."""
    dims, out = site.input(0).dims, site.outputs[0].dims
    names = ("starts", "ends", "axes", "steps")
    starts, ends, axes, by = (_ints(site, index, name) for index, name in enumerate(names, 1))
    taken = slices_of(dims, starts, ends, axes, by, where=site.label)
    strides = row_major(dims)
    first = sum(start * step for (start, _, _), step in zip(taken, strides, strict=True))
    steps = [stride * step for (_, _, stride), step in zip(taken, strides, strict=True)]
    return move_call(
        site, out, (0, first if site.outputs[0].size else 0, steps), (0, 0, row_major(out))
    )


@c_kernel(slicing.CONCAT)
def concat(site: Site) -> tuple[CCall, ...]:
    """Copy one input after the other."""
    out = site.outputs[0]
    axis = axis_of(int(site.attrs["axis"]), len(out.dims), site.label)
    strides, start, calls = row_major(out.dims), 0, []
    for index in range(len(site.inputs)):
        dims = site.input(index).dims
        if site.input(index).dtype is not out.dtype:
            raise refuse(site, "joins tensors of several element types", found=site.inputs)
        if site.input(index).size:
            first = start * strides[axis]
            calls.append(move_call(site, dims, (index, 0, row_major(dims)), (0, first, strides)))
        start += dims[axis]
    return tuple(calls)


@c_kernel(slicing.SPLIT)
def split(site: Site) -> tuple[CCall, ...]:
    """Copy one part after the other."""
    dims = site.input(0).dims
    axis = axis_of(int(site.attrs["axis"]), len(dims), site.label)
    strides, start, calls = row_major(dims), 0, []
    for index, out in enumerate(site.outputs):
        if out.size:
            first = start * strides[axis]
            target = (index, 0, row_major(out.dims))
            calls.append(move_call(site, out.dims, (0, first, strides), target))
        start += out.dims[axis]
    return tuple(calls)


@c_kernel(slicing.PAD)
def pad(site: Site) -> tuple[CCall, ...]:
    """Add elements before and after; pads and value must be known."""
    dims, out, mode = site.input(0).dims, site.outputs[0], site.attrs["mode"]
    axes = _ints(site, 3, "axes")
    amounts = padding_of(len(dims), _ints(site, 1, "pads"), axes, site.label)
    if mode not in ("constant", "constant_lowest"):
        return (_pad_from_data(site, amounts, mode),)
    inner = [
        size + min(0, before) + min(0, behind)
        for size, (before, behind) in zip(dims, amounts, strict=True)
    ]
    strides, steps = row_major(dims), row_major(out.dims)
    first = sum(max(0, -before) * step for (before, _), step in zip(amounts, strides, strict=True))
    start = sum(max(0, before) * step for (before, _), step in zip(amounts, steps, strict=True))
    calls = [fill_call(site, _filling(site, mode))]
    if out.size and min(inner, default=1) > 0:
        calls.append(move_call(site, inner, (0, first, strides), (0, start, steps)))
    return tuple(calls)


def _filling(site: Site, mode: str) -> Any:
    dtype: Dtype = site.outputs[0].dtype.numpy
    if mode == "constant_lowest":
        return lowest(dtype)
    value = site.constant(2) if site.has(2) else np.asarray(site.attrs["constant_value"])
    return value.reshape(-1)[0] if value.size else 0


def _pad_from_data(site: Site, amounts: Sequence[tuple[int, int]], mode: str) -> CCall:
    tables = []
    for size, (before, behind) in zip(site.input(0).dims, amounts, strict=True):
        try:
            places = padded_places(mode, size, before, behind)
        except ShapeError as error:
            raise ExportError.at(site.label, str(error)) from error
        tables.append(places.tolist())
    return pick_call(site, tables)


@c_kernel(slicing.TRILU)
def trilu(site: Site) -> CCall:
    """Keep one triangle of matrices."""
    *stack, rows, columns = site.input(0).dims
    (diagonal,) = _ints(site, 1, "k") if site.has(1) else (int(site.attrs["k"]),)
    fields = {
        "batch": int(np.prod(stack)),
        "rows": rows,
        "columns": columns,
        "diagonal": diagonal,
        "is_upper": int(site.attrs["upper"]),
        "bytes": site.input(0).dtype.itemsize,
    }
    return CCall("nb_trilu", "nb_order", "nb_trilu_config", fields, (In(0), Out(0)))
