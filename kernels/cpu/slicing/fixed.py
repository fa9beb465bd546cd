"""Fixed steps of operators that move elements.

Nothing is done where memory is laid out so that the elements are in their place already.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from aidge_nb.core.dims import axis_of
from aidge_nb.kernels.cpu.common.arrays import lowest, optional
from aidge_nb.kernels.cpu.common.fixed import copies
from aidge_nb.kernels.cpu.slicing.forward import parts_along, taken_slices
from aidge_nb.kernels.fixed import Bound, Step, fixed, in_order
from aidge_nb.ops import slicing


@fixed(slicing.CONCAT)
def concat(bound: Bound) -> Step | None:
    """Put tensors one after the other."""
    out, arrays = bound.out, [bound.input(index) for index in range(len(bound.inputs))]
    axis = axis_of(int(bound.attrs["axis"]), out.ndim)
    if any(array.dtype != out.dtype for array in arrays):
        return None
    parts = parts_along(out, axis, [array.shape[axis] for array in arrays])
    return copies(list(zip(parts, arrays, strict=True)))


@fixed(slicing.SPLIT)
def split(bound: Bound) -> Step | None:
    """Cut along an axis."""
    x = bound.input()
    axis = axis_of(int(bound.attrs["axis"]), x.ndim)
    if any(out is None for out in bound.outputs):
        return None
    outputs = [out for out in bound.outputs if out is not None]
    parts = parts_along(x, axis, [out.shape[axis] for out in outputs])
    return copies(list(zip(outputs, parts, strict=True)))


@fixed(slicing.SLICE)
def slice_(bound: Bound) -> Step | None:
    """Keep some elements along some axes."""
    if not bound.is_constant(1, 2, 3, 4):
        return None
    x, attrs = bound.input(), bound.attrs
    given = [attrs[name] for name in ("starts", "ends", "axes", "steps")]
    taken = taken_slices(x.shape, [bound.optional(index) for index in range(1, 5)], given)
    return copies([(bound.out, x[taken])])


@fixed(slicing.PAD)
def pad(bound: Bound) -> Step | None:
    """Add constant elements before and after."""
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
