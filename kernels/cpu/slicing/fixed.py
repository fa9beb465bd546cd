"""Fixed steps of operators that move elements.

Nothing is done where memory is laid out so that the elements are in their place already.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from aidge_nb.core.dims import axis_of
from aidge_nb.kernels.cpu.common.arrays import Array, lowest, optional
from aidge_nb.kernels.cpu.common.fixed import copies
from aidge_nb.kernels.cpu.slicing.forward import slice_of
from aidge_nb.kernels.fixed import Bound, Step, fixed, in_order
from aidge_nb.ops import slicing
from aidge_nb.ops.rules import slices_of


def _parts(whole: Array, axis: int, sizes: Sequence[int]) -> list[Array]:
    """Cut an array along an axis, without copying."""
    before: tuple[Any, ...] = (slice(None),) * axis
    ends = list(accumulate(sizes))
    return [whole[(*before, slice(end - size, end))] for end, size in zip(ends, sizes, strict=True)]


@fixed(slicing.CONCAT)
def concat(bound: Bound) -> Step | None:
    """Put tensors one after the other."""
    out, arrays = bound.out, [bound.input(index) for index in range(len(bound.inputs))]
    axis = axis_of(int(bound.attrs["axis"]), out.ndim)
    if any(array.dtype != out.dtype for array in arrays):
        return None
    parts = _parts(out, axis, [array.shape[axis] for array in arrays])
    return copies(list(zip(parts, arrays, strict=True)))


@fixed(slicing.SPLIT)
def split(bound: Bound) -> Step | None:
    """Cut along an axis."""
    x = bound.input()
    axis = axis_of(int(bound.attrs["axis"]), x.ndim)
    if any(out is None for out in bound.outputs):
        return None
    outputs = [out for out in bound.outputs if out is not None]
    parts = _parts(x, axis, [out.shape[axis] for out in outputs])
    return copies(list(zip(outputs, parts, strict=True)))


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
