"""Steps of operators that work element by element.

They call one function of NumPy, or several, one after the other on each block.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.cpu.activation.forward import bounds_of
from aidge_nb.kernels.cpu.activation.stepwise import (
    gelu_of_block,
    hard_sigmoid_of_block,
    hard_swish_of_block,
    leaky_relu_of_block,
    sigmoid_of_block,
    swish_of_block,
    tanh_gelu_of_block,
)
from aidge_nb.kernels.cpu.arithmetic.forward import OF_TWO
from aidge_nb.kernels.cpu.common.blocks import BLOCK, Stepwise, cut
from aidge_nb.kernels.cpu.common.erf import erf_of_block
from aidge_nb.kernels.cpu.maths.forward import OF_FLOATS
from aidge_nb.kernels.fixed import Bound, Step, fixed, in_order
from aidge_nb.ops import activation, arithmetic, maths

_SINGLE = (np.dtype(np.float32), np.dtype(np.float64))


def _is_plain(bound: Bound) -> bool:
    """Whether data and result are of one type, float32 or float64, and lie in one piece."""
    x, out = bound.input(), bound.out
    same = x.dtype == out.dtype and x.shape == out.shape
    return same and x.dtype in _SINGLE and x.flags.c_contiguous and out.flags.c_contiguous


def _stepwise(bound: Bound, function: Stepwise, spare: int) -> Step | None:
    """Prepare all blocks."""
    if not _is_plain(bound):
        return None
    x, out = bound.input().reshape(-1), bound.out.reshape(-1)
    blocks = (bound.workspace.array((min(BLOCK, x.size),), x.dtype) for _ in range(spare))
    steps = [partial(function, *parts) for parts in cut(x, out, *blocks)]
    return in_order(steps)


@fixed(activation.RELU)
def relu(bound: Bound) -> Step | None:
    """Give max(0, x)."""
    x = bound.input()
    return partial(np.clip, x, 0, np.inf, bound.out) if x.dtype.kind == "f" else None


@fixed(activation.CLIP)
def clip(bound: Bound) -> Step | None:
    """Keep values between two bounds that are known."""
    x, attrs = bound.input(), bound.attrs
    if not bound.is_constant(1, 2):
        return None
    bounds = bounds_of(x.dtype, bound.optional(1), bound.optional(2), attrs["min"], attrs["max"])
    if all(each is None for each in bounds):
        return partial(np.copyto, bound.out, x)
    return partial(np.clip, x, *bounds, bound.out)


_STEPWISE: dict[OpSpec, Callable[..., tuple[Stepwise, int] | None]] = {
    activation.LEAKY_RELU: lambda negative_slope: (
        (partial(leaky_relu_of_block, float(negative_slope)), 1)
        if 0 <= negative_slope <= 1
        else None
    ),
    activation.SIGMOID: lambda: (sigmoid_of_block, 0),
    activation.HARD_SIGMOID: lambda alpha, beta: (
        partial(hard_sigmoid_of_block, float(alpha), float(beta)),
        0,
    ),
    activation.HARD_SWISH: lambda alpha, beta: (
        partial(hard_swish_of_block, float(alpha), float(beta)),
        1,
    ),
    activation.SWISH: lambda alpha: (partial(swish_of_block, float(alpha)), 1),
    activation.GELU: lambda approximate: (
        (gelu_of_block, 3) if approximate == "none" else (tanh_gelu_of_block, 1)
    ),
    maths.ERF: lambda: (erf_of_block, 2),
}


@fixed(*_STEPWISE)
def stepwise(bound: Bound) -> Step | None:
    """Apply a function of several steps, block by block."""
    wants_single = bound.spec is maths.ERF or bound.attrs.get("approximate") == "none"
    if wants_single and bound.input().dtype != np.float32:
        return None
    found = _STEPWISE[bound.spec](**{name: bound.attrs[name] for name in bound.spec.attrs})
    return None if found is None else _stepwise(bound, *found)


@fixed(*(spec for spec in OF_FLOATS if spec is not maths.ERF))
def of_float(bound: Bound) -> Step | None:
    """Apply one function."""
    return (
        partial(OF_FLOATS[bound.spec], bound.input(), out=bound.out) if _is_plain(bound) else None
    )


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
