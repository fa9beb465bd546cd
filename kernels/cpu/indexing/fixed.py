"""Fixed steps of Gather."""

from __future__ import annotations

from functools import partial
from typing import Any

from aidge_nb.core.dims import axis_of
from aidge_nb.kernels.cpu.common.fixed import copies
from aidge_nb.kernels.cpu.indexing.forward import indices_of
from aidge_nb.kernels.fixed import Bound, Step, fixed
from aidge_nb.ops import indexing


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
        return copies([(bound.out, x[(*before, int(places), ...)])])
    return partial(x.take, places % max(1, size), axis, bound.out, "clip")
