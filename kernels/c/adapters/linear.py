"""Calls of products of matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aidge_nb.kernels.c.adapters.common import (
    F32,
    MAX_RANK,
    joined,
    need,
    refuse,
    repeated,
    row_major,
)
from aidge_nb.kernels.c.calls import (
    NULL,
    Argument,
    CCall,
    Constant,
    Fields,
    In,
    Out,
    Site,
    c_kernel,
)
from aidge_nb.ops import linear as specs

Ints = Sequence[int]


def product_call(
    sizes: tuple[int, int, int],
    a: tuple[Argument, int, int],
    b: tuple[Argument, int, int],
    bias: tuple[Argument, int, int] = (NULL, 0, 0),
    stack: tuple[Ints, Ints, Ints, Ints] = ((1,), (0,), (0,), (0,)),
) -> CCall:
    """Multiply; sizes are rows, columns, depth, and operands come with their two strides."""
    rows, columns, depth = sizes
    fields: Fields = {
        "rows": rows,
        "columns": columns,
        "depth": depth,
        "a_row": a[1],
        "a_depth": a[2],
        "b_depth": b[1],
        "b_column": b[2],
        "y_row": columns,
        "bias_row": bias[1],
        "bias_column": bias[2],
        "rank": len(stack[0]),
        "dims": tuple(stack[0]),
        "a_stack": tuple(stack[1]),
        "b_stack": tuple(stack[2]),
        "y_stack": tuple(stack[3]),
    }
    args = (a[0], b[0], bias[0], Out(0))
    return CCall("nb_matmul_f32", "nb_matmul", "nb_matmul_config", fields, args)


def _columns_together(
    site: Site, index: int, dims: Ints, *, transposed: bool
) -> tuple[Argument, int, int]:
    """Return a right operand whose columns lie side by side, if it can be arranged so.

    ``dims`` are those of the input; ``transposed`` says that its rows are the columns wanted.
    """
    if not transposed:
        return In(index), dims[1], 1
    if index in site.constants:
        array = np.ascontiguousarray(site.constant(index).T)
        return Constant("weight", array, of=index), dims[0], 1
    return In(index), 1, dims[1]


@c_kernel(specs.FULLY_CONNECTED)
def fully_connected(site: Site) -> CCall:
    """Multiply each sample by the transposed weights."""
    need(site, F32, *(index for index in range(3) if site.has(index)))
    outs, depth = site.input(1).dims
    weight = _columns_together(site, 1, (outs, depth), transposed=True)
    bias: Argument = In(2) if site.has(2) else NULL
    rows = site.outputs[0].dims[0]
    return product_call((rows, outs, depth), (In(0), depth, 1), weight, (bias, 0, 1))


@c_kernel(specs.MATMUL)
def matmul(site: Site) -> CCall:
    """Multiply stacks of matrices."""
    need(site, F32, 0, 1)
    left, right = site.input(0).dims, site.input(1).dims
    left = (1, *left) if len(left) == 1 else left
    right = (*right, 1) if len(right) == 1 else right
    stack = np.broadcast_shapes(left[:-2], right[:-2])
    rows, depth, columns = left[-2], left[-1], right[-1]
    a_steps = tuple(step * rows * depth for step in repeated(left[:-2], stack))
    b_steps = tuple(step * depth * columns for step in repeated(right[:-2], stack))
    y_steps = tuple(step * rows * columns for step in row_major(stack))
    if stack and not any(b_steps) and len(left[:-2]) == len(stack):
        rows, stack, a_steps, b_steps, y_steps = rows * int(np.prod(stack)), (), (), (), ()
    joint = joined(site.label, stack, a_steps, b_steps, y_steps)
    return product_call(
        (rows, columns, depth),
        (In(0), depth, 1),
        (In(1), columns, 1),
        stack=(joint[0], joint[1], joint[2], joint[3]),
    )


@c_kernel(specs.GEMM)
def gemm(site: Site) -> tuple[CCall, ...]:
    """Multiply two matrices, either of which may be transposed, and add a bias."""
    need(site, F32, *(index for index in range(3) if site.has(index)))
    attrs = site.attrs
    rows, columns = site.outputs[0].dims
    left = site.input(0).dims
    depth = left[0] if attrs["transA"] else left[1]
    a = (In(0), 1, left[1]) if attrs["transA"] else (In(0), left[1], 1)
    b = _columns_together(site, 1, site.input(1).dims, transposed=bool(attrs["transB"]))
    bias: tuple[Argument, int, int] = (NULL, 0, 0)
    alpha, beta = float(attrs["alpha"]), float(attrs["beta"])
    if site.has(2):
        row_step, column_step = repeated(site.input(2).dims, (rows, columns))
        bias = (In(2), row_step, column_step)
    if alpha == 1 and (not site.has(2) or beta == 1):
        return (product_call((rows, columns, depth), a, b, bias),)
    fields = {
        "rows": rows,
        "columns": columns,
        "bias_row": bias[1],
        "bias_column": bias[2],
        "alpha": alpha,
        "beta": beta,
    }
    last = bias[0] if beta != 0 else NULL
    product = product_call((rows, columns, depth), a, b)
    unit, config = "nb_matmul", "nb_gemm_finish_config"
    return product, CCall("nb_gemm_finish_f32", unit, config, fields, (last, Out(0)))


@c_kernel(specs.EINSUM)
def einsum(site: Site) -> CCall:
    """Sum products of up to four operands."""
    count = len(site.inputs)
    need(site, F32, *range(count))
    operands = [site.input(index).dims for index in range(count)]
    terms, output = specs.einsum_terms(
        site.attrs["equation"], [len(dims) for dims in operands], site.label
    )
    sizes = specs.einsum_sizes(terms, operands, site.label)
    summed = [label for label in sizes if label not in output]
    if count > 4 or max(len(output), len(summed)) > MAX_RANK:
        raise refuse(site, "sums so many operands or indices", found=site.attrs["equation"])
    fields: dict[str, int | tuple[int, ...]] = {
        "operands": count,
        "rank": max(1, len(output)),
        "dims": tuple(sizes[label] for label in output) or (1,),
        "over_rank": max(1, len(summed)),
        "over_dims": tuple(sizes[label] for label in summed) or (1,),
    }
    for index, name in enumerate("abcd"):
        steps = _steps(operands[index], terms[index]) if index < count else {}
        fields[f"{name}_strides"] = tuple(steps.get(label, 0) for label in output)
        fields[f"{name}_over"] = tuple(steps.get(label, 0) for label in summed)
    args = (*(In(i) if i < count else NULL for i in range(4)), Out(0))
    return CCall("nb_einsum_f32", "nb_einsum", "nb_einsum_config", fields, args)


def _steps(dims: Ints, labels: list[str]) -> dict[str, int]:
    """Return the stride along each index; that of a diagonal is the sum of two."""
    steps: dict[str, int] = {}
    for label, size, step in zip(labels, dims, row_major(dims), strict=True):
        steps[label] = steps.get(label, 0) + (step if size > 1 else 0)
    return steps
