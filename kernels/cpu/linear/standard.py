"""Operators with no family here: products, orders, distinct elements, determinants."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.recurrent.activations import Activation
from aidge_nb.kernels.standard import MICROSOFT, standard


@standard("Det")
def det(x: Array) -> Array:
    """Return the determinant of each matrix."""
    return np.asarray(np.linalg.det(x.astype(np.result_type(x.dtype, np.float32))), x.dtype)


@standard("Gemm")
def gemm(
    a: Array,
    b: Array,
    c: Array | None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    broadcast: int = 1,
    transA: int = 0,  # ONNX's name
    transB: int = 0,  # ONNX's name
) -> Array:
    """Return alpha · A B + beta · C."""
    product = (a.T if transA else a) @ (b.T if transB else b)
    result = product if alpha == 1 else alpha * product
    if c is not None:
        result = result + (c if beta == 1 else beta * c)
    return np.asarray(result, a.dtype)


@standard("FusedMatMul", domain=MICROSOFT)
def fused_mat_mul(
    a: Array,
    b: Array,
    *,
    alpha: float = 1.0,
    transA: int = 0,
    transB: int = 0,
    transBatchA: int = 0,
    transBatchB: int = 0,
) -> Array:
    """Multiply stacks of matrices, transposed as the attributes say, and scale."""
    left, right = _turned(a, transA, transBatchA), _turned(b, transB, transBatchB)
    product = left @ right
    return np.asarray(product if alpha == 1 else alpha * product, a.dtype)


def _turned(x: Array, transpose: int, batch: int) -> Array:
    """Move the first axis before the last, and exchange the last two, as FusedMatMul wants it."""
    if batch:
        x = np.moveaxis(x, 0, -2)
    return x.swapaxes(-1, -2) if transpose and x.ndim > 1 else x


_FUSED = ("Relu", "LeakyRelu", "Tanh", "Sigmoid", "HardSigmoid")


def activated(x: Array, name: str, parameters: Sequence[float]) -> Array:
    """Apply the activation that a fused operator names, with its parameters."""
    alpha, beta = (*parameters, 0.0, 0.0)[:2]
    if not name:
        return x
    if name == "Clip":
        return np.clip(x, alpha, beta)
    if name not in _FUSED:
        raise ShapeError.at("", "unknown activation", found=name)
    return Activation(name.lower(), alpha, beta, 0.0)(x).astype(x.dtype, copy=False)


@standard("FusedGemm", domain=MICROSOFT)
def fused_gemm(
    a: Array,
    b: Array,
    c: Array | None,
    *,
    activation: str = "",
    activation_alpha: float = 0.0,
    activation_beta: float = 0.0,
    activation_gamma: float = 0.0,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Array:
    """Return alpha · A B + beta · C, activated."""
    result = gemm(a, b, c, alpha=alpha, beta=beta, transA=transA, transB=transB)
    return activated(result, activation, (activation_alpha, activation_beta))
