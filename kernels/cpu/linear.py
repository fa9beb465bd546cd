"""Products of matrices."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from aidge_nb.errors import ShapeError, explain
from aidge_nb.kernels.cpu.arrays import Array, common
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import linear as specs


@kernel(specs.FULLY_CONNECTED)
def fully_connected(
    x: Array, weight: Array, bias: Array | None, *, out: Array | None = None
) -> Array:
    """Give x · wᵀ + b; the data of each sample count as one row."""
    batch = 1 if x.ndim == 1 else len(x)
    if x.size != batch * weight.shape[1]:
        raise ShapeError(
            explain(
                "input#0",
                "wrong number of features",
                expected=[batch, weight.shape[1]],
                found=list(x.shape),
            )
        )
    rows = x.reshape(batch, weight.shape[1])
    result = _product(rows, weight.T, out)
    if bias is not None:
        result += bias
    return result.astype(x.dtype, copy=False)


@kernel(specs.MATMUL)
def matmul(a: Array, b: Array) -> Array:
    """Multiply stacks of matrices, as ``numpy.matmul`` does."""
    a, b = common((a, b))
    if a.ndim > 2 and b.ndim == 2 and a.flags.c_contiguous:  # one product instead of many
        return _product(a.reshape(prod(a.shape[:-1]), a.shape[-1]), b).reshape(
            *a.shape[:-1], b.shape[-1]
        )
    try:
        return _product(a, b)
    except ValueError:
        specs.matmul_dims(a.shape, b.shape)
        raise


def _product(a: Array, b: Array, out: Array | None = None) -> Array:
    if a.dtype == np.float16:
        return np.asarray(np.matmul(a.astype(np.float32), b.astype(np.float32)), np.float16)
    if out is not None and a.dtype == b.dtype == out.dtype:
        return np.matmul(a, b, out=out)
    return np.asarray(np.matmul(a, b))


@kernel(specs.GEMM)
def gemm(
    x: Array,
    weight: Array,
    bias: Array | None,
    *,
    alpha: float,
    beta: float,
    transA: bool,
    transB: bool,
) -> Array:
    """Give ``alpha`` x · w + ``beta`` b."""
    result = _product(x.T if transA else x, weight.T if transB else weight)
    is_float = x.dtype.kind == "f"
    if alpha != 1:
        result = result * (float(alpha) if is_float else alpha)
    if bias is not None and beta != 0:
        result = result + (bias if beta == 1 else bias * (float(beta) if is_float else beta))
    return result.astype(x.dtype, copy=False)


@kernel(specs.EINSUM)
def einsum(*arrays: Array, equation: str) -> Array:
    """Multiply and sum as the equation says."""
    inputs, output = specs.einsum_terms(equation, [array.ndim for array in arrays])
    every = dict.fromkeys(label for labels in inputs for label in labels)
    numbers = {label: number for number, label in enumerate(every)}
    operands: list[Any] = []
    for array, labels in zip(common(arrays), inputs, strict=True):
        operands += [array, [numbers[label] for label in labels]]
    try:
        operands.append([numbers[label] for label in output])
        return np.array(np.einsum(*operands, optimize=len(arrays) > 1))
    except (KeyError, ValueError) as error:
        raise ShapeError(f"equation {equation!r} does not fit the inputs: {error}") from error
