"""Fixed steps of operators that change dimensions or element type."""

from __future__ import annotations

from functools import partial

import numpy as np

from aidge_nb.kernels.cpu.common.fixed import copies
from aidge_nb.kernels.fixed import Bound, Step, fixed
from aidge_nb.ops import shape
from aidge_nb.ops.rules import axes_of


@fixed(shape.RESHAPE, shape.FLATTEN, shape.SQUEEZE, shape.UNSQUEEZE, shape.IDENTITY)
def same_elements(bound: Bound) -> Step | None:
    """Reshape without moving elements."""
    x, out = bound.input(), bound.out
    if x.size != out.size or x.dtype != out.dtype or not x.flags.c_contiguous:
        return None
    return copies([(out, x.reshape(out.shape))])


@fixed(shape.DROPOUT)
def dropout(bound: Bound) -> Step | None:
    """Return the data unchanged."""
    if bound.optional(2) is not None or any(out is not None for out in bound.outputs[1:]):
        return None
    return copies([(bound.out, bound.input())])


@fixed(shape.TRANSPOSE)
def transpose(bound: Bound) -> Step | None:
    """Change the order of the dimensions."""
    x, order = bound.input(), bound.attrs["output_dims_order"]
    turned = x.transpose(axes_of(order, x.ndim) if len(order) else None)
    return copies([(bound.out, turned)])


@fixed(shape.EXPAND)
def expand(bound: Bound) -> Step | None:
    """Repeat along dimensions of size 1, and along new ones."""
    return copies([(bound.out, np.broadcast_to(bound.input(), bound.out.shape))])


@fixed(shape.CAST, shape.CAST_LIKE)
def cast(bound: Bound) -> Step | None:
    """Convert the elements to another type."""
    x, out = bound.input(), bound.out
    return partial(np.copyto, out, x, casting="unsafe") if x.shape == out.shape else None
