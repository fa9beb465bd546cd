"""Operators that combine several inputs element by element and are not single IEEE operations."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.cpu.arithmetic.forward import power as power_of_any
from aidge_nb.kernels.cpu.common.arrays import Array, common, elementwise
from aidge_nb.kernels.exact.functions.floats import F, float32, larger, smaller
from aidge_nb.kernels.exact.functions.power import power
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import arithmetic as specs


def _bind_many(spec: OpSpec, function: Callable[[Array, Array], Array]) -> None:
    @kernel(spec, backend="exact")
    def of_many(*arrays: Array) -> Array:
        if len(arrays) == 1:
            return arrays[0].copy()
        return reduce(lambda a, b: elementwise(function, a, b), common(arrays))


_bind_many(specs.MAX, larger)
_bind_many(specs.MIN, smaller)


@kernel(specs.POW, backend="exact")
def pow_(base: Array, exponent: Array) -> Array:
    """Raise to a power, in the type of the base."""
    if base.dtype.kind != "f":
        return np.asarray(power_of_any(base, exponent))
    return elementwise(power, float32(base), exponent.astype(F, copy=False))
