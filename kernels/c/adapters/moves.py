"""Calls of operators that move elements without looking at them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aidge_nb.core.errors import ExportError, ShapeError, explain
from aidge_nb.kernels.c.adapters.strides import joined, repeated, row_major
from aidge_nb.kernels.c.adapters.types import cast_call, copy_call, refuse
from aidge_nb.kernels.c.registry import CCall, Constant, Fields, In, Out, Site, c_kernel
from aidge_nb.kernels.cpu.common.arrays import Dtype, lowest
from aidge_nb.kernels.cpu.slicing.forward import padded_places
from aidge_nb.ops import resampling, shape, slicing
from aidge_nb.ops.rules import axes_of, axis_of, slices_of
from aidge_nb.ops.slicing import padding_of

Ints = Sequence[int]


def move_call(
    site: Site,
    dims: Ints,
    source: tuple[int, int, Ints],
    target: tuple[int, int, Ints],
) -> CCall:
    """Copy elements from an input to an output.

    ``source`` and ``target`` name the port, the first element and the strides, in elements.
    """
    size = site.outputs[target[0]].dtype.itemsize
    own, x_strides, y_strides = joined(site.label, dims, source[2], target[2])
    fields: Fields = {
        "rank": len(own),
        "dims": own,
        "x_strides": x_strides,
        "y_strides": y_strides,
        "size": size,
    }
    args = (In(source[0], source[1] * size), Out(target[0], target[1] * size))
    return CCall("nb_move", "nb_move", "nb_move_config", fields, args)


def fill_call(site: Site, value: Any) -> CCall:
    """Write the same element everywhere into output 0."""
    out = site.outputs[0]
    bits = int.from_bytes(np.asarray(value, out.dtype.numpy).tobytes(), "little")
    fields = {
        "count": out.size,
        "size": out.dtype.itemsize,
        "low": bits & 0xFFFFFFFF,
        "high": bits >> 32,
    }
    return CCall("nb_fill", "nb_move", "nb_fill_config", fields, (Out(0),))


def pick_call(site: Site, tables: Sequence[Ints]) -> CCall:
    """Take elements of input 0 by their indices along each axis; below 0 nothing is taken."""
    strides = row_major(site.input(0).dims)
    absent = -(2**30)
    lists = [
        np.array([absent if i < 0 else i * step for i in table], np.int64)
        for table, step in zip(tables, strides, strict=True)
    ]
    kept = [(table, len(table)) for table in lists] or [(np.zeros(1, np.int64), 1)]
    if len(kept) > 8 or site.input(0).size >= -absent:
        raise refuse(site, "picks from so large a tensor", found=site.input(0))
    places = Constant("places", np.concatenate([table for table, _ in kept]).astype(np.int32))
    fields: Fields = {
        "rank": len(kept),
        "dims": tuple(count for _, count in kept),
        "size": site.outputs[0].dtype.itemsize,
    }
    return CCall("nb_pick", "nb_move", "nb_pick_config", fields, (In(0), places, Out(0)))


@c_kernel(
    shape.RESHAPE, shape.FLATTEN, shape.SQUEEZE, shape.UNSQUEEZE, shape.IDENTITY, shape.DROPOUT
)
def view(site: Site) -> tuple[CCall, ...]:
    """Copy the data as they are; a plan may leave that out."""
    calls = [copy_call(site.outputs[0].nbytes, In(0), Out(0))]
    if site.spec is not shape.DROPOUT:
        return tuple(calls)
    if site.has(2) and site.constant(2).reshape(-1)[0]:
        raise refuse(site, "leaves out elements at random", found="training mode")
    if len(site.outputs) > 1 and 1 not in site.unread:
        ones = {"count": site.outputs[1].size, "size": 1, "low": 1, "high": 0}
        calls.append(CCall("nb_fill", "nb_move", "nb_fill_config", ones, (Out(1),)))
    return tuple(calls)


@c_kernel(shape.CAST, shape.CAST_LIKE)
def cast(site: Site) -> CCall:
    """Give the elements another type."""
    return cast_call(site, site.input(0).dtype, site.outputs[0].dtype)


@c_kernel(shape.TRANSPOSE)
def transpose(site: Site) -> CCall:
    """Change the order of the dimensions."""
    dims, out = site.input(0).dims, site.outputs[0].dims
    order = site.attrs["output_dims_order"]
    axes = axes_of(order, len(dims)) if len(order) else tuple(reversed(range(len(dims))))
    strides = row_major(dims)
    return move_call(site, out, (0, 0, [strides[axis] for axis in axes]), (0, 0, row_major(out)))


@c_kernel(shape.EXPAND)
def expand(site: Site) -> CCall:
    """Repeat along dimensions of size 1."""
    out = site.outputs[0].dims
    return move_call(site, out, (0, 0, repeated(site.input(0).dims, out)), (0, 0, row_major(out)))


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
    """Copy one input behind the other."""
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
    """Add elements before and behind; pads and value must be known."""
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
            raise ExportError(explain(site.label, str(error))) from error
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


def _rearranged(site: Site, parts: Ints, order: Ints) -> CCall:
    """Copy input 0, seen with the dimensions ``parts``, with these in another order."""
    strides = row_major(parts)
    dims = [parts[axis] for axis in order]
    return move_call(site, dims, (0, 0, [strides[axis] for axis in order]), (0, 0, row_major(dims)))


@c_kernel(resampling.DEPTH_TO_SPACE)
def depth_to_space(site: Site) -> CCall:
    """Move channels into blocks."""
    batch, channels, height, width = site.input(0).dims
    block = int(site.attrs["block_size"])
    depth = channels // block**2
    if site.attrs["mode"] == "DCR":
        return _rearranged(site, (batch, block, block, depth, height, width), (0, 3, 4, 1, 5, 2))
    return _rearranged(site, (batch, depth, block, block, height, width), (0, 1, 4, 2, 5, 3))


@c_kernel(resampling.SPACE_TO_DEPTH)
def space_to_depth(site: Site) -> CCall:
    """Move blocks into channels."""
    batch, channels, height, width = site.input(0).dims
    block = int(site.attrs["block_size"])
    parts = (batch, channels, height // block, block, width // block, block)
    return _rearranged(site, parts, (0, 3, 5, 1, 2, 4))


@c_kernel(resampling.UNFOLD)
def unfold(site: Site) -> CCall:
    """Give each window as a column."""
    batch, channels, *sizes = site.input(0).dims
    attrs = site.attrs
    kernel, strides, dilations = (
        [int(number) for number in attrs[name]]
        for name in ("kernel_dims", "stride_dims", "dilation_dims")
    )
    counts = [
        (size - dilation * (k - 1) - 1) // stride + 1
        for size, k, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True)
    ]
    plane, line = sizes[0] * sizes[1], sizes[1]
    dims = (batch, channels, *kernel, *counts)
    source = (
        *(channels * plane, plane),
        *(dilations[0] * line, dilations[1]),
        *(strides[0] * line, strides[1]),
    )
    return move_call(site, dims, (0, 0, source), (0, 0, row_major(dims)))
