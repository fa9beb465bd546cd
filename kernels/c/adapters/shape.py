"""Calls of operators that change dimensions or element type."""

from __future__ import annotations

from aidge_nb.kernels.c.adapters.common import cast_call, copy_call, refuse, repeated, row_major
from aidge_nb.kernels.c.adapters.moving import move_call
from aidge_nb.kernels.c.calls import CCall, In, Out, Site, c_kernel
from aidge_nb.ops import shape
from aidge_nb.ops.rules import axes_of


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
    """Convert the elements to another type."""
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
