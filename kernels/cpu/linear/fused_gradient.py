"""Gradients of products that an optimizer joined with what stood around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.sums import summed_to
from aidge_nb.kernels.cpu.convolution import standard as convolving
from aidge_nb.kernels.cpu.convolution import standard_gradient as windows_gradient
from aidge_nb.kernels.cpu.linear import gradient as linear_gradient
from aidge_nb.kernels.cpu.linear.microsoft import turned
from aidge_nb.kernels.cpu.linear.standard import gemm
from aidge_nb.kernels.cpu.quantization.microsoft import MICROSOFT
from aidge_nb.kernels.gradients import Recorded, standard_gradient

Ints = tuple[int, ...]


@standard_gradient("FusedConv", domain=MICROSOFT, inputs=(0, 1, 2, 3), outputs=(0,))
def fused_conv(
    run: Recorded,
    *,
    activation: str = "",
    activation_params: Sequence[float] = (),
    auto_pad: str = "NOTSET",
    dilations: Ints = (),
    group: int = 1,
    pads: Ints = (),
    strides: Ints = (),
) -> tuple[Array | None, ...]:
    """Pass through the activation to what was added, and on as Conv does."""
    added = run.optional(3)

    def before() -> Array:
        result = convolving.conv(
            run.x,
            run.input(1),
            run.optional(2),
            auto_pad=auto_pad,
            dilations=dilations,
            group=group,
            pads=pads,
            strides=strides,
        )
        return result if added is None else np.asarray(result + added)

    dy = _inside(run, activation, activation_params, before)
    found = windows_gradient.conv(
        replace(run, grads=(dy,)),
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        pads=pads,
        strides=strides,
    )
    return (*found, None if added is None else summed_to(dy, added.shape))


@standard_gradient("FusedGemm", domain=MICROSOFT, inputs=(0, 1, 2), outputs=(0,))
def fused_gemm(
    run: Recorded,
    *,
    activation: str = "",
    activation_alpha: float = 0.0,
    activation_beta: float = 0.0,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> tuple[Array | None, ...]:
    """Pass through the activation, and on as Gemm does."""

    def before() -> Array:
        factors = (run.x, run.input(1), run.optional(2))
        return gemm(*factors, alpha=alpha, beta=beta, transA=transA, transB=transB)

    dy = _inside(run, activation, (activation_alpha, activation_beta), before)
    return linear_gradient.gemm(
        replace(run, grads=(dy,)),
        alpha=alpha,
        beta=beta,
        transA=bool(transA),
        transB=bool(transB),
    )


@standard_gradient("FusedMatMul", domain=MICROSOFT, inputs=(0, 1))
def fused_mat_mul(
    run: Recorded,
    *,
    alpha: float = 1.0,
    transA: int = 0,
    transB: int = 0,
    transBatchA: int = 0,
    transBatchB: int = 0,
) -> tuple[Array | None, ...]:
    """Pass as MatMul does, and turn the gradients back."""
    turns = ((transA, transBatchA), (transB, transBatchB))
    factors = tuple(turned(run.input(index), *turn) for index, turn in enumerate(turns))
    dy = np.asarray(float(alpha) * run.dy)
    found = linear_gradient.matmul(replace(run, inputs=factors, grads=(dy,)))
    return tuple(
        None if grad is None else _turned_back(grad, *turn)
        for grad, turn in zip(found, turns, strict=True)
    )


def _turned_back(grad: Array, transpose: int, batch: int) -> Array:
    if transpose and grad.ndim > 1:
        grad = grad.swapaxes(-1, -2)
    return np.moveaxis(grad, -2, 0) if batch else grad


def _inside(
    run: Recorded, name: str, parameters: Sequence[float], before: Callable[[], Array]
) -> Array:
    """Give the gradient of what was activated; the result tells the slopes.

    ``before`` computes it once more, where the result does not tell on which side of 0 it was.
    """
    y, dy = run.y, run.dy
    alpha = float(parameters[0]) if parameters else 0.0
    beta = float(parameters[1]) if len(parameters) > 1 else 0.0
    match name:
        case "":
            return dy
        case "Relu":
            return np.where(y > 0, dy, 0)
        case "LeakyRelu":
            return np.where((before() if alpha < 0 else y) > 0, dy, alpha * dy)
        case "Clip":
            return np.where((y > alpha) & (y < beta), dy, 0)
        case "Tanh":
            return np.asarray(dy * (1 - y * y))
        case "Sigmoid":
            return np.asarray(dy * y * (1 - y))
        case "HardSigmoid":
            return np.where((y > 0) & (y < 1), alpha * dy, 0)
    raise ShapeError(explain("", "unknown activation", found=name))
