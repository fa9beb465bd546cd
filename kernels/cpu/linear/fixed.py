"""Fixed steps of products of matrices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.fixed import Bound, Step, fixed, in_order
from aidge_nb.ops import linear as specs
from aidge_nb.ops.place import PLACE

Steps = list[Callable[[], object]]


def _is_plain(bound: Bound, *arrays: Array) -> bool:
    """Return whether BLAS can read and write all arrays without a copy."""
    out = bound.out
    return (
        PLACE not in bound.attrs
        and out.dtype.kind == "f"
        and out.dtype.itemsize >= 4
        and all(a.dtype == out.dtype and a.flags.c_contiguous for a in (out, *arrays))
        and not any(np.may_share_memory(out, a) for a in arrays)
    )


@fixed(specs.FULLY_CONNECTED)
def fully_connected(bound: Bound) -> Step | None:
    """Return x · wᵀ + b."""
    x, weight, bias, out = bound.input(), bound.input(1), bound.optional(2), bound.out
    if not _is_plain(bound, x, weight):
        return None
    rows = x.reshape(1 if x.ndim == 1 else len(x), weight.shape[1])
    steps: Steps = [partial(np.matmul, rows, weight.T, out)]
    if bias is not None:
        steps.append(partial(np.add, out, bias, out))
    return in_order(steps)


@fixed(specs.MATMUL)
def matmul(bound: Bound) -> Step | None:
    """Multiply stacks of matrices, which may be transposed."""
    a, b, out = bound.input(), bound.input(1), bound.out
    if (
        PLACE in bound.attrs
        or min(a.ndim, b.ndim) < 2
        or out.dtype.kind != "f"
        or out.dtype.itemsize < 4
    ):
        return None
    if any(each.dtype != out.dtype or not _is_of_matrices(each) for each in (a, b, out)):
        return None
    if np.may_share_memory(out, a) or np.may_share_memory(out, b):
        return None
    if a.ndim > 2 and b.ndim == 2:  # one product instead of many
        if not _is_plain(bound, a, b):
            return None
        a, out = a.reshape(prod(a.shape[:-1]), a.shape[-1]), out.reshape(-1, out.shape[-1])
    return partial(np.matmul, a, b, out)


def _is_of_matrices(array: Array) -> bool:
    """Return whether the elements of rows, or of columns, lie side by side, as BLAS wants it."""
    return array.itemsize in array.strides[-2:] or array.flags.c_contiguous


@fixed(specs.GEMM)
def gemm(bound: Bound) -> Step | None:
    """Return ``alpha`` x · w + ``beta`` b."""
    x, weight, bias, attrs, out = (
        bound.input(),
        bound.input(1),
        bound.optional(2),
        bound.attrs,
        bound.out,
    )
    if not _is_plain(bound, x, weight) or (bias is not None and attrs["beta"] not in (0, 1)):
        return None
    left, right = x.T if attrs["transA"] else x, weight.T if attrs["transB"] else weight
    steps: Steps = [partial(np.matmul, left, right, out)]
    if attrs["alpha"] != 1:
        steps.append(partial(np.multiply, out, float(attrs["alpha"]), out))
    if bias is not None and attrs["beta"]:
        steps.append(partial(np.add, out, bias, out))
    return in_order(steps)
