"""Calls of operators that work element by element."""

from __future__ import annotations

from aidge_nb.kernels.c.adapters.strides import joined, repeated
from aidge_nb.kernels.c.registry import CCall, Fields, In, Out, Site, c_kernel
from aidge_nb.ops import activation, arithmetic


@c_kernel(activation.RELU)
def relu(site: Site) -> CCall:
    """Give max(0, x)."""
    fields = {"count": site.outputs[0].size}
    return CCall("nb_relu_f32", "nb_unary", "nb_unary_config", fields, (In(0), Out(0)))


@c_kernel(arithmetic.ADD)
def add(site: Site) -> CCall:
    """Add with broadcasting."""
    target = site.outputs[0].dims
    a, b = (repeated(site.input(index).dims, target) for index in (0, 1))
    dims, a_strides, b_strides = joined(site.label, target, a, b)
    fields: Fields = {
        "rank": len(dims),
        "dims": dims,
        "a_strides": a_strides,
        "b_strides": b_strides,
    }
    return CCall("nb_add_f32", "nb_binary", "nb_binary_config", fields, (In(0), In(1), Out(0)))
