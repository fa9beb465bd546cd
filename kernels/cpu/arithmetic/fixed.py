"""Fixed steps of operators that combine several inputs element by element."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from aidge_nb.kernels.cpu.arithmetic.forward import OF_TWO
from aidge_nb.kernels.fixed import Bound, Step, fixed, in_order
from aidge_nb.ops import arithmetic


@fixed(*OF_TWO, arithmetic.DIV, arithmetic.POW)
def of_two(bound: Bound) -> Step | None:
    """Combine two inputs."""
    a, b, out = bound.input(0), bound.input(1), bound.out
    function: Callable[..., Any] | None = OF_TWO.get(bound.spec)
    if bound.spec is arithmetic.DIV and a.dtype.kind == "f":
        function = np.true_divide
    is_square = bound.spec is arithmetic.POW and a.dtype.kind == "f" and b.size == 1
    if is_square and bound.is_constant(1) and b.item() == 2 and a.shape == out.shape:
        return partial(np.square, a, out)
    if function is None or a.dtype != b.dtype:
        return None
    return partial(function, a, b, out=out)


@fixed(arithmetic.SUM, arithmetic.MAX, arithmetic.MIN)
def of_many(bound: Bound) -> Step | None:
    """Combine any number of inputs of the dimensions of the result, one after the other."""
    arrays = [bound.input(index) for index in range(len(bound.inputs))]
    out = bound.out
    if len(arrays) < 2 or any(a.shape != out.shape or a.dtype != out.dtype for a in arrays):
        return None
    if any(np.may_share_memory(out, array) for array in arrays[2:]):
        return None
    function = {arithmetic.SUM: np.add, arithmetic.MAX: np.maximum, arithmetic.MIN: np.minimum}[
        bound.spec
    ]
    steps: list[Callable[[], object]] = [partial(function, arrays[0], arrays[1], out=out)]
    steps += [partial(function, out, array, out=out) for array in arrays[2:]]
    return in_order(steps)
