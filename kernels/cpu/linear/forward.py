"""Products of matrices.

A BLAS chooses the order in which it adds up the terms of an element by the dimensions of the
product and by the place of the element in it. A part of a product, computed apart, is therefore
computed at its place in a product of the size of the whole, with zeros for what is not its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array, common, index
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import linear as specs
from aidge_nb.ops.place import TilePlace


@kernel(specs.FULLY_CONNECTED)
def fully_connected(
    x: Array,
    weight: Array,
    bias: Array | None,
    *,
    out: Array | None = None,
    place: TilePlace | None = None,
) -> Array:
    """Return x · wᵀ + b; the data of each sample count as one row."""
    batch = 1 if x.ndim == 1 else len(x)
    if x.size != batch * weight.shape[1]:
        raise ShapeError.at(
            "input#0",
            "wrong number of features",
            expected=[batch, weight.shape[1]],
            found=list(x.shape),
        )
    rows = x.reshape(batch, weight.shape[1])
    if place is None:
        result = _product(rows, weight.T, out)
    else:
        whole = _product(_among(rows, 0, place, 0), _among(weight, 0, place, 1).T)
        result = _part(whole, (batch, len(weight)), place)
    if bias is not None:
        result += bias
    return result.astype(x.dtype, copy=False)


@kernel(specs.MATMUL)
def matmul(a: Array, b: Array, *, place: TilePlace | None = None) -> Array:
    """Multiply stacks of matrices, as ``numpy.matmul`` does."""
    a, b = common((a, b))
    if place is not None and min(a.ndim, b.ndim) > 1:
        dims, _ = specs.matmul_dims(a.shape, b.shape)
        flat = a.ndim > 2 and b.ndim == 2  # one product, in which all rows have their place
        for axis in range(a.ndim - 1) if flat else (a.ndim - 2,):
            a = _among(a, axis, place, axis - a.ndim)
        whole = matmul(a, _among(b, b.ndim - 1, place, -1))
        return _part(whole, dims, place, 0 if flat else len(dims) - 2)
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


def _among(array: Array, axis: int, place: TilePlace, of_place: int) -> Array:
    """Put an array among zeros, so that one of its axes is as long as that of the whole."""
    size, start = place.whole[of_place], place.starts[of_place]
    if array.shape[axis] == size:
        return array
    grown = np.zeros((*array.shape[:axis], size, *array.shape[axis + 1 :]), array.dtype)
    np.moveaxis(grown, axis, 0)[start : start + array.shape[axis]] = np.moveaxis(array, axis, 0)
    return grown


def _part(whole: Array, dims: Sequence[int], place: TilePlace, first: int = 0) -> Array:
    """Take a part of a product at its place, along the axes from one on."""
    found = zip(place.starts[first:], dims[first:], strict=True)
    part = index(..., *(slice(start, start + size) for start, size in found))
    return np.ascontiguousarray(whole[part])


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
    place: TilePlace | None = None,
) -> Array:
    """Return ``alpha`` x · w + ``beta`` b."""
    dims = (x.shape[transA], weight.shape[not transB])
    if place is not None:
        x, weight = _among(x, int(transA), place, 0), _among(weight, int(not transB), place, 1)
    result = _product(x.T if transA else x, weight.T if transB else weight)
    if place is not None:
        result = _part(result, dims, place)
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
