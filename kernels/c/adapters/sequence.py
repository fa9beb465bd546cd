"""Calls of operators that keep state or choose: copies of data.

The state itself, turns that are counted, is the business of who runs the schedule: at turn t Pop
reads at ``t`` times the size of its output, Stack writes at ``t`` times the size of its input, and
Memorize takes input 1 first and input 0 later.
"""

from __future__ import annotations

from aidge_nb.core.dtype import DType
from aidge_nb.kernels.c.adapters.common import copy_call, need, refuse
from aidge_nb.kernels.c.calls import CCall, In, Out, Site, c_kernel
from aidge_nb.ops import sequence as specs


@c_kernel(specs.POP)
def pop(site: Site) -> CCall:
    """Copy the first slice of the input."""
    return copy_call(site.outputs[0].nbytes, In(0), Out(0))


@c_kernel(specs.STACK)
def stack(site: Site) -> CCall:
    """Copy the input to the first slice of the output."""
    return copy_call(site.input(0).nbytes, In(0), Out(0))


@c_kernel(specs.MEMORIZE)
def memorize(site: Site) -> tuple[CCall, ...]:
    """Copy the initial value to both outputs; without one they are zeros."""
    size = site.outputs[0].nbytes
    if site.has(1):
        return tuple(copy_call(size, In(1), Out(index)) for index in (0, 1))
    fields = {"count": size, "size": 1, "low": 0, "high": 0}
    return tuple(
        CCall("nb_fill", "nb_move", "nb_fill_config", fields, (Out(index),)) for index in (0, 1)
    )


@c_kernel(specs.SELECT)
def select(site: Site) -> tuple[CCall, ...]:
    """Copy the branch that input 0 names; all branches must have been computed."""
    suffix = need(site, (DType.int32, DType.int64, DType.boolean))
    target = site.outputs[0]
    if any(site.input(index).dtype is not target.dtype for index in range(1, len(site.inputs))):
        raise refuse(site, "chooses between element types", found=site.inputs[1:])
    return tuple(
        CCall(
            f"nb_select_{suffix}",
            "nb_move",
            "nb_select_config",
            {"bytes": target.nbytes, "index": index - 1},
            (In(0), In(index), Out(0)),
        )
        for index in range(1, len(site.inputs))
    )
