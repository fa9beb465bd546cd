"""Gradients of products of matrices: products again, with one factor transposed."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, summed_to
from aidge_nb.kernels.gradients import Recorded, gradient, standard_gradient
from aidge_nb.ops import linear as specs


@gradient(specs.FULLY_CONNECTED, inputs=(0, 1))
def fully_connected(run: Recorded) -> tuple[Array | None, ...]:
    """Pass dy · w, dyᵀ · x and the sum of dy over the batch."""
    weight = run.input(1)
    rows = run.x.reshape(len(run.dy), weight.shape[1])
    return (
        (run.dy @ weight).reshape(run.x.shape) if 0 in run.wanted else None,
        run.dy.T @ rows,
        None if run.optional(2) is None else run.dy.sum(axis=0),
    )


@gradient(specs.MATMUL, inputs=(0, 1))
def matmul(run: Recorded) -> tuple[Array | None, ...]:
    """Pass dy · bᵀ and aᵀ · dy; vectors count as a row on the left, as a column on the right."""
    a, b, dy = run.x, run.input(1), run.dy
    left = a[None] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    if b.ndim == 1:
        dy = dy[..., None]
    if a.ndim == 1:
        dy = np.expand_dims(dy, -2)
    if left.ndim > 2 and right.ndim == 2:  # one product instead of many, and no sum after it
        left = left.reshape(prod(left.shape[:-1]), left.shape[-1])
        dy = dy.reshape(len(left), right.shape[-1])
    of_a = dy @ right.swapaxes(-1, -2) if 0 in run.wanted else None
    of_b = left.swapaxes(-1, -2) @ dy if 1 in run.wanted else None
    return (
        None if of_a is None else _of_shape(of_a, left.shape, a.shape),
        None if of_b is None else _of_shape(of_b, right.shape, b.shape),
    )


def _of_shape(grad: Array, shape: tuple[int, ...], given: tuple[int, ...]) -> Array:
    return summed_to(grad, shape).reshape(given)


@gradient(specs.GEMM, inputs=(0, 1))
def gemm(
    run: Recorded,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: bool = False,
    transB: bool = False,
) -> tuple[Array | None, ...]:
    """Pass ``alpha`` times the gradients of the product, and ``beta`` dy."""
    dy = float(alpha) * run.dy
    a = run.x.T if transA else run.x
    b = run.input(1).T if transB else run.input(1)
    of_a, of_b = dy @ b.T, a.T @ dy
    bias = run.optional(2)
    return (
        of_a.T if transA else of_a,
        of_b.T if transB else of_b,
        None if bias is None else summed_to(float(beta) * run.dy, bias.shape),
    )


@gradient(specs.EINSUM, inputs=None)
def einsum(run: Recorded, *, equation: str) -> tuple[Array, ...]:
    """Pass the product of dy and all other inputs, summed over what an input does not have."""
    shapes = [run.input(index).shape for index in range(len(run.inputs))]
    inputs, output = specs.einsum_terms(equation, [len(shape) for shape in shapes])
    sizes = specs.einsum_sizes(inputs, shapes)
    numbers = {label: number for number, label in enumerate(sizes)}
    found = []
    for index, labels in enumerate(inputs):
        others = [(run.dy, output)]
        others += [(run.input(i), inputs[i]) for i in range(len(inputs)) if i != index]
        found.append(_einsum_back(others, labels, shapes[index], sizes, numbers))
    return tuple(found)


def _einsum_back(
    factors: list[tuple[Array, list[str]]],
    labels: list[str],
    shape: tuple[int, ...],
    sizes: dict[str, int],
    numbers: dict[str, int],
) -> Array:
    """Multiply factors into the axes of one input; a label it has twice is a diagonal of it."""
    single = list(dict.fromkeys(labels))
    operands: list[Any] = []
    known: set[str] = set()
    for array, names in factors:
        operands += [array, [numbers[name] for name in names]]
        known.update(names)
    summed = [name for name in single if name not in known]  # summed by the way forward
    for name in summed:
        operands += [np.ones(sizes[name], factors[0][0].dtype), [numbers[name]]]
    operands.append([numbers[name] for name in single])
    product = np.asarray(np.einsum(*operands, optimize=len(factors) > 1))
    product = np.broadcast_to(product, [sizes[name] for name in single])
    if len(single) == len(labels):
        return np.array(summed_to(product, shape))
    result = np.zeros(shape, product.dtype)
    places = np.ogrid[tuple(slice(sizes[name]) for name in single)]
    where = dict(zip(single, places, strict=True))
    result[tuple(where[name] for name in labels)] = product
    return result


# --- ONNX operators without a declaration ---------------------------------------------------------


standard_gradient("Gemm", inputs=(0, 1))(gemm)


@standard_gradient("Det", inputs=(0,), outputs=(0,))
def det(run: Recorded) -> Array:
    """Pass dy det(x) x⁻ᵀ (Jacobi's formula); x must have an inverse."""
    inverse = np.linalg.inv(run.x).swapaxes(-1, -2)
    return np.asarray((run.dy * run.y)[..., None, None] * inverse)
