"""Products of matrices: term after term, each for all results at once."""

from __future__ import annotations

from functools import reduce
from itertools import product
from math import prod

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, common
from aidge_nb.kernels.cpu.linear import forward as fast
from aidge_nb.kernels.exact.functions.floats import F, float32
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import linear as specs

_TOGETHER = 1 << 16  # results: their sums and products stay in the L2 cache


def multiplied(a: Array, b: Array, start: Array | None = None) -> Array:
    """Multiply stacks of float32 matrices; sums start at ``start``, or at +0.

    Examples
    --------
    >>> multiplied(np.float32([[1, 2]]), np.float32([[3], [4]]), np.float32([[0.5]])).tolist()
    [[11.5]]
    """
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    rows, depth, columns = a.shape[-2], a.shape[-1], b.shape[-1]
    a = np.broadcast_to(a, (*stack, rows, depth))
    b = np.broadcast_to(b, (*stack, depth, columns))
    result = np.zeros((*stack, rows, columns), F)
    if start is not None:
        result[...] = start
    together = max(1, _TOGETHER // max(1, columns * prod(stack)))
    for first in range(0, rows, together):
        part = result[..., first : first + together, :]
        left = a[..., first : first + together, :]
        term = np.empty_like(part)
        for k in range(depth):
            np.multiply(left[..., k : k + 1], b[..., k : k + 1, :], out=term)
            part += term
    return result


@kernel(specs.FULLY_CONNECTED, backend="exact")
def fully_connected(x: Array, weight: Array, bias: Array | None) -> Array:
    """Return x · wᵀ + b; the data of each sample count as one row."""
    if x.dtype.kind != "f":
        return np.asarray(fast.fully_connected(x, weight, bias))
    batch = 1 if x.ndim == 1 else len(x)
    rows = float32(x).reshape(batch, weight.shape[1])
    return multiplied(rows, float32(weight).T, None if bias is None else float32(bias))


@kernel(specs.MATMUL, backend="exact")
def matmul(a: Array, b: Array) -> Array:
    """Multiply stacks of matrices, as ``numpy.matmul`` does."""
    a, b = common((a, b))
    specs.matmul_dims(a.shape, b.shape)
    if a.dtype.kind != "f":
        return np.asarray(fast.matmul(a, b))
    left = float32(a)[None] if a.ndim == 1 else float32(a)
    right = float32(b)[:, None] if b.ndim == 1 else float32(b)
    result = multiplied(left, right)
    if b.ndim == 1:
        result = result[..., 0]
    return result[..., 0, :] if a.ndim == 1 and b.ndim > 1 else result[0] if a.ndim == 1 else result


@kernel(specs.GEMM, backend="exact")
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
    """Return x · w + b, with sums that start at b; scaled, sums start at +0 and b comes last."""
    if x.dtype.kind != "f":
        return fast.gemm(x, weight, bias, alpha=alpha, beta=beta, transA=transA, transB=transB)
    left = float32(x).T if transA else float32(x)
    right = float32(weight).T if transB else float32(weight)
    if alpha == 1 and (bias is None or beta == 1):
        return multiplied(left, right, None if bias is None else float32(bias))
    result = np.asarray(F(alpha) * multiplied(left, right))
    if bias is not None and beta != 0:
        result += F(beta) * float32(bias)
    return result


@kernel(specs.EINSUM, backend="exact")
def einsum(*arrays: Array, equation: str) -> Array:
    """Multiply the inputs from left to right, and add up; the last summed index runs fastest."""
    inputs, output = specs.einsum_terms(equation, [array.ndim for array in arrays])
    if any(array.dtype.kind != "f" for array in arrays):
        return np.asarray(fast.einsum(*arrays, equation=equation))
    sizes = specs.einsum_sizes(inputs, [array.shape for array in arrays])
    summed = [label for label in sizes if label not in output]
    result = np.zeros([sizes[label] for label in output], F)
    for place in product(*(range(sizes[label]) for label in summed)):
        fixed = dict(zip(summed, place, strict=True))
        parts = [
            _aligned(float32(array), labels, output, fixed)
            for array, labels in zip(arrays, inputs, strict=True)
        ]
        result += reduce(np.multiply, parts)
    return result


def _aligned(x: Array, labels: list[str], output: list[str], fixed: dict[str, int]) -> Array:
    """Return the part of an operand at summed indices, with the dimensions of the output."""
    axes: dict[str, int] = {}
    strides: list[int] = []
    dims: list[int] = []
    for label, size, stride in zip(labels, x.shape, x.strides, strict=True):
        if label in fixed:
            continue
        if label in axes:  # a diagonal
            strides[axes[label]] += stride
            continue
        axes[label] = len(dims)
        dims.append(size)
        strides.append(stride)
    offset = tuple(
        slice(fixed[label] if size > 1 else 0, None) if label in fixed else slice(None)
        for label, size in zip(labels, x.shape, strict=True)
    )
    view = np.lib.stride_tricks.as_strided(x[offset], dims, strides)
    order = [axes[label] for label in output if label in axes]
    view = view.transpose(order)
    expanded = [slice(None) if label in axes else None for label in output]
    return view[tuple(expanded)]
