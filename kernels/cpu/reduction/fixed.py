"""Fixed steps of reductions."""

from __future__ import annotations

from functools import partial

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import accumulator, narrow_gaps, optional
from aidge_nb.kernels.fixed import Bound, Step, fixed, in_order
from aidge_nb.ops import reduction as specs


@fixed(specs.REDUCE_MEAN, specs.REDUCE_SUM)
def reduce_mean(bound: Bound) -> Step | None:
    """Return the sum or the mean along some axes that are known."""
    x, out, attrs = bound.input(), bound.out, bound.attrs
    if x.dtype.kind != "f" or x.dtype != accumulator(x.dtype) or not out.flags.c_contiguous:
        return None
    if not bound.is_constant(1) or out.dtype != x.dtype or np.may_share_memory(x, out):
        return None
    given = optional(bound.optional(1), attrs["axes"])
    axes = specs.reduced_axes(given, x.ndim, noop_with_empty_axes=attrs["noop_with_empty_axes"])
    if narrow_gaps(x.shape, axes):
        return None
    kept = out.reshape([1 if axis in axes else size for axis, size in enumerate(x.shape)])
    add = partial(np.add.reduce, x, axis=axes, out=kept, keepdims=True)
    if bound.spec is specs.REDUCE_SUM:
        return add
    count = x.dtype.type(x.size // max(1, out.size))
    return in_order([add, partial(np.divide, out, count, out)])
