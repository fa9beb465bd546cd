"""Steps of operators that move elements.

Nothing is done where memory is laid out so that the elements are in their place already.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, lowest, optional
from aidge_nb.kernels.cpu.indexing.forward import indices_of
from aidge_nb.kernels.cpu.slicing.forward import slice_of
from aidge_nb.kernels.fixed import Bound, Step, fixed, in_order
from aidge_nb.ops import indexing, shape, slicing
from aidge_nb.ops.rules import axes_of, axis_of, slices_of


def _copies(pairs: Sequence[tuple[Array, Array]]) -> Step:
    """Copy each second array to the first one, unless they are the same memory."""
    steps: list[Callable[[], object]] = [
        partial(np.copyto, target, source)
        for target, source in pairs
        if target.size and not _is_same(target, source)
    ]
    return in_order(steps)


def _is_same(one: Array, two: Array) -> bool:
    """Whether two arrays are the same elements in the same memory."""
    is_there = one.__array_interface__["data"][0] == two.__array_interface__["data"][0]
    if not is_there or one.shape != two.shape or one.dtype != two.dtype:
        return False
    steps = zip(one.shape, one.strides, two.strides, strict=True)
    return all(step == other for size, step, other in steps if size > 1)


@fixed(shape.RESHAPE, shape.FLATTEN, shape.SQUEEZE, shape.UNSQUEEZE, shape.IDENTITY)
def same_elements(bound: Bound) -> Step | None:
    """Give other dimensions to the same elements."""
    x, out = bound.input(), bound.out
    if x.size != out.size or x.dtype != out.dtype or not x.flags.c_contiguous:
        return None
    return _copies([(out, x.reshape(out.shape))])


@fixed(shape.DROPOUT)
def dropout(bound: Bound) -> Step | None:
    """Give the data as they are."""
    if bound.optional(2) is not None or any(out is not None for out in bound.outputs[1:]):
        return None
    return _copies([(bound.out, bound.input())])


@fixed(shape.TRANSPOSE)
def transpose(bound: Bound) -> Step | None:
    """Change the order of the dimensions."""
    x, order = bound.input(), bound.attrs["output_dims_order"]
    turned = x.transpose(axes_of(order, x.ndim) if len(order) else None)
    return _copies([(bound.out, turned)])


@fixed(shape.EXPAND)
def expand(bound: Bound) -> Step | None:
    """Repeat along dimensions of size 1, and along new ones."""
    return _copies([(bound.out, np.broadcast_to(bound.input(), bound.out.shape))])


@fixed(shape.CAST, shape.CAST_LIKE)
def cast(bound: Bound) -> Step | None:
    """Give the elements another type."""
    x, out = bound.input(), bound.out
    return partial(np.copyto, out, x, casting="unsafe") if x.shape == out.shape else None


def _parts(whole: Array, axis: int, sizes: Sequence[int]) -> list[Array]:
    """Cut an array along an axis, without copying."""
    before: tuple[Any, ...] = (slice(None),) * axis
    ends = list(accumulate(sizes))
    return [whole[(*before, slice(end - size, end))] for end, size in zip(ends, sizes, strict=True)]


@fixed(slicing.CONCAT)
def concat(bound: Bound) -> Step | None:
    """Put tensors one behind the other."""
    out, arrays = bound.out, [bound.input(index) for index in range(len(bound.inputs))]
    axis = axis_of(int(bound.attrs["axis"]), out.ndim)
    if any(array.dtype != out.dtype for array in arrays):
        return None
    parts = _parts(out, axis, [array.shape[axis] for array in arrays])
    return _copies(list(zip(parts, arrays, strict=True)))


@fixed(slicing.SPLIT)
def split(bound: Bound) -> Step | None:
    """Cut along an axis."""
    x = bound.input()
    axis = axis_of(int(bound.attrs["axis"]), x.ndim)
    if any(out is None for out in bound.outputs):
        return None
    outputs = [out for out in bound.outputs if out is not None]
    parts = _parts(x, axis, [out.shape[axis] for out in outputs])
    return _copies(list(zip(outputs, parts, strict=True)))


@fixed(slicing.SLICE)
def slice_(bound: Bound) -> Step | None:
    """Keep some elements along some axes."""
    if not bound.is_constant(1, 2, 3, 4):
        return None
    x, attrs = bound.input(), bound.attrs
    names = ("starts", "ends", "axes", "steps")
    starts, ends, axes, steps = (
        optional(bound.optional(i), attrs[name]) for i, name in enumerate(names, 1)
    )
    taken = tuple(slice_of(*each) for each in slices_of(x.shape, starts, ends, axes, steps))
    return _copies([(bound.out, x[taken])])


@fixed(slicing.PAD)
def pad(bound: Bound) -> Step | None:
    """Add constant elements before and behind."""
    x, attrs, out = bound.input(), bound.attrs, bound.out
    if attrs["mode"] not in ("constant", "constant_lowest") or not bound.is_constant(1, 2, 3):
        return None
    amounts = slicing.padding_of(
        x.ndim,
        optional(bound.optional(1), attrs["pads"]),
        optional(bound.optional(3), attrs["axes"]),
    )
    if min((min(each) for each in amounts), default=0) < 0:
        return None
    value = bound.optional(2)
    filling: Any = np.asarray(attrs["constant_value"] if value is None else value)
    number = filling.reshape(-1)[0].item() if filling.size else 0
    number = lowest(x.dtype) if attrs["mode"] == "constant_lowest" else number
    inside = tuple(
        slice(before, before + size) for size, (before, _) in zip(x.shape, amounts, strict=True)
    )
    return in_order([partial(out.fill, number), partial(np.copyto, out[inside], x)])


@fixed(indexing.GATHER)
def gather(bound: Bound) -> Step | None:
    """Take slices at places that are known."""
    if not bound.is_constant(1):
        return None
    x, attrs = bound.input(), bound.attrs
    axis = axis_of(int(attrs["axis"]), x.ndim)
    places = indices_of(bound.optional(1), attrs["indices"], attrs["gathered_shape"])
    size = x.shape[axis]
    if places.size and not -size <= places.min() <= places.max() < size:
        return None
    before: tuple[Any, ...] = (slice(None),) * axis
    if places.ndim == 0:
        return _copies([(bound.out, x[(*before, int(places), ...)])])
    return partial(x.take, places % max(1, size), axis, bound.out, "clip")
