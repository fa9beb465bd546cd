"""Fixed steps of operators that work element by element.

They call one function of NumPy, or several, one after the other on each block.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

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
from aidge_nb.kernels.cpu.common.blocks import Stepwise
from aidge_nb.kernels.cpu.common.fixed import in_blocks
from aidge_nb.kernels.fixed import Bound, Step, fixed
from aidge_nb.ops import activation


@fixed(activation.RELU)
def relu(bound: Bound) -> Step | None:
    """Return max(0, x)."""
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
}


@fixed(*_STEPWISE)
def stepwise(bound: Bound) -> Step | None:
    """Apply a function of several steps, block by block."""
    wants_single = bound.attrs.get("approximate") == "none"
    if wants_single and bound.input().dtype != np.float32:
        return None
    found = _STEPWISE[bound.spec](**{name: bound.attrs[name] for name in bound.spec.attrs})
    return None if found is None else in_blocks(bound, *found)
