"""Calls of operators whose result is known before the program runs: it is stored, and copied."""

from __future__ import annotations

from typing import Any

import numpy as np

from aidge_nb.core.errors import ExportError
from aidge_nb.kernels.c.calls import CCall, Constant, Out, Site, c_kernel
from aidge_nb.kernels.registry import find_kernel
from aidge_nb.ops import producer, shape


@c_kernel(producer.CONSTANT_OF_SHAPE, producer.RANGE, producer.EYE_LIKE, shape.SHAPE, shape.SIZE)
def known(site: Site) -> CCall:
    """Compute the result now."""
    kernel = find_kernel(site.spec, "exact")
    if kernel is None:
        raise ExportError.at(site.label, "has no kernel to compute it by")
    result: Any = kernel(*(_value(site, index) for index in range(len(site.inputs))), **site.attrs)
    out = site.outputs[0]
    array = np.ascontiguousarray(result, out.dtype.numpy)
    args = (Constant("result", array), Out(0))
    return CCall("nb_copy", "nb_move", "nb_copy_config", {"bytes": out.nbytes}, args)


def _value(site: Site, index: int) -> Any:
    """Return the value of an input, or zeros of its dimensions where these are all that counts."""
    if site.spec in (shape.SHAPE, shape.SIZE, producer.EYE_LIKE):
        found = site.input(index)
        return np.broadcast_to(np.zeros((), found.dtype.numpy), found.dims)
    return site.constant(index)
