"""Calls of products of quantized matrices, those of ONNX and those of com.microsoft."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dtype import DType
from aidge_nb.kernels.c.adapters.common import (
    F32,
    joined,
    need,
    refuse,
    repeated,
    row_major,
    suffix_of,
)
from aidge_nb.kernels.c.adapters.quantization import (
    EIGHT_BITS,
    check_sums,
    is_mixed,
    mixed,
    pair,
    same_type,
    zero_of,
)
from aidge_nb.kernels.c.calls import (
    NULL,
    Argument,
    CCall,
    Constant,
    Fields,
    In,
    Out,
    Scratch,
    Site,
    c_kernel,
)

_UNIT = "nb_matmul_quantized"


def _product_fields(
    site: Site,
    right: int,
    zeros: tuple[int | None, int | None],
    factor: Sequence[int] = (),
    bias: Sequence[int] = (),
    transposed: tuple[bool, bool] = (False, False),
) -> Fields:
    """Describe a product; ``zeros`` are the inputs that hold the zero points."""
    a, b = site.input(0).dims, site.input(right).dims
    a = (1, *a) if len(a) == 1 else a
    b = (*b, 1) if len(b) == 1 else b
    stack = np.broadcast_shapes(a[:-2], b[:-2])
    rows, depth = a[-2:] if not transposed[0] else a[:-3:-1]
    columns = b[-1] if not transposed[1] else b[-2]
    steps = (
        [step * rows * depth for step in repeated(a[:-2], stack)],
        [step * depth * columns for step in repeated(b[:-2], stack)],
        [step * rows * columns for step in row_major(stack)],
    )
    dims, a_stack, b_stack, y_stack = joined(site.label, stack, *steps)
    counts = [
        site.input(index).size if index is not None and site.has(index) else 1 for index in zeros
    ]
    for count, size in zip(counts, (rows, columns), strict=True):
        if count not in (1, size):
            raise refuse(site, "takes so many zero points", expected=f"1 or {size}", found=count)
    factor_row, factor_column = repeated(factor, (rows, columns))
    bias_row, bias_column = repeated(bias, (rows, columns))
    return {
        "rows": rows,
        "columns": columns,
        "depth": depth,
        "a_row": 1 if transposed[0] else depth,
        "a_depth": rows if transposed[0] else 1,
        "b_depth": 1 if transposed[1] else columns,
        "b_column": depth if transposed[1] else 1,
        "bias_row": bias_row,
        "bias_column": bias_column,
        "a_zero_step": int(counts[0] > 1),
        "b_zero_step": int(counts[1] > 1),
        "factor_row": factor_row,
        "factor_column": factor_column,
        "rank": len(dims),
        "dims": dims,
        "a_stack": a_stack,
        "b_stack": b_stack,
        "y_stack": y_stack,
    }


def _call(name: str, suffix: str, fields: Fields, args: tuple[Argument, ...]) -> CCall:
    return CCall(f"nb_matmul_{name}_{suffix}", _UNIT, f"{_UNIT}_config", fields, args)


@c_kernel("MatMulInteger")
def mat_mul_integer(site: Site) -> CCall:
    """Multiply matrices; the sums are int32."""
    suffix = pair(site, 0, 1)
    check_sums(site, 1, site.input(0).dims[-1], turned=True, zero=3)
    zeros = zero_of(site, 2, site.input(0).dtype), zero_of(site, 3, site.input(1).dtype)
    return _call(
        "integer", suffix, _product_fields(site, 1, (2, 3)), (In(0), In(1), *zeros, Out(0))
    )


def _two_dims(site: Site, factor: NDArray[np.float32]) -> NDArray[np.float32]:
    if factor.ndim > 2:
        raise refuse(site, "takes scales of so many dimensions", found=list(factor.shape))
    return factor


def q_linear_mat_mul(site: Site) -> CCall:
    """Multiply matrices and quantize; scales must be known."""
    suffix, is_long = _types(site)
    if not is_long:
        check_sums(site, 3, site.input(0).dims[-1], turned=True, zero=5)
    left, right, output = (site.constant(index).astype(np.float32) for index in (1, 4, 6))
    rows = left[:, None] if left.ndim == 1 and left.size > 1 else left
    factor = _two_dims(site, np.asarray(rows * right / output, np.float32))
    zeros = zero_of(site, 2, site.input(0).dtype), zero_of(site, 5, site.input(3).dtype)
    fields = _product_fields(site, 3, (2, 5), factor.shape)
    args = (In(0), In(3), *zeros, NULL, Constant("factor", factor), In(7), Out(0))
    return _to_codes(suffix, is_long, fields, args)


def _types(site: Site) -> tuple[str, bool]:
    """Return the suffix of a product with codes as its result, and whether some have 16 bits."""
    if not is_mixed(site):
        same_type(site)
        return pair(site, 0, 3), False
    given, right, result = site.input(0).dtype, site.input(3).dtype, site.outputs[0].dtype
    if right not in (given, DType.int8):
        raise refuse(site, "multiplies such codes", found=f"{given.name} and {right.name}")
    if zero_of(site, 8 if site.spec.type == "QGemm" else 7, result) is NULL:
        raise refuse(site, "has no zero point of the result with codes of 16 bits")
    return mixed(site)[: len(suffix_of(given))] + suffix_of(right) + suffix_of(result), True


def _to_codes(suffix: str, is_long: bool, fields: Fields, args: tuple[Argument, ...]) -> CCall:
    if not is_long:
        return _call("quantized", suffix, fields, args)
    return CCall(f"nb_matmul_mixed_{suffix}", "nb_mixed", f"{_UNIT}_config", fields, args)


def q_gemm(site: Site) -> CCall:
    """Multiply matrices, add a bias of int32, and quantize or scale back; scales must be known."""
    suffix, is_long = _types(site) if site.has(7) else (pair(site, 0, 3), False)
    transposed = bool(site.attrs.get("transA", 0)), bool(site.attrs.get("transB", 0))
    depth = site.input(0).dims[0 if transposed[0] else -1]
    if not is_long:
        check_sums(site, 3, depth, turned=not transposed[1], zero=5, bias=6)
    left, right = (site.constant(index).astype(np.float32) for index in (1, 4))
    by_left = np.asarray(np.float32(site.attrs.get("alpha", 1.0)) * left, np.float32)
    factor = _two_dims(site, np.asarray(by_left * right, np.float32))
    zeros = zero_of(site, 2, site.input(0).dtype), zero_of(site, 5, site.input(3).dtype)
    bias = site.input(6).dims if site.has(6) else ()
    if site.has(6):
        need(site, (DType.int32,), 6)
    fields = _product_fields(site, 3, (2, 5), factor.shape, bias, transposed)
    first = (In(0), In(3), *zeros, In(6) if site.has(6) else NULL)
    if not site.has(7):
        scales = Constant("a_scale", by_left), Constant("b_scale", right)
        return _call("scaled", suffix, fields, (*first, *scales, NULL, Out(0)))
    factor = np.asarray(factor / site.constant(7).astype(np.float32), np.float32)
    args = (*first, Constant("factor", factor), In(8), Out(0))
    return _to_codes(suffix, is_long, fields, args)


def _added(site: Site, index: int) -> Argument:
    if not site.has(index):
        return NULL
    need(site, F32, index)
    return In(index)


@c_kernel("com.microsoft.MatMulIntegerToFloat")
def mat_mul_integer_to_float(site: Site) -> CCall:
    """Multiply matrices; the result is float32."""
    suffix = pair(site, 0, 1)
    check_sums(site, 1, site.input(0).dims[-1], turned=True, zero=5)
    if site.input(2).size != 1:
        raise refuse(site, "takes a scale per row", found=site.input(2))
    zeros = zero_of(site, 4, site.input(0).dtype), zero_of(site, 5, site.input(1).dtype)
    fields = _product_fields(site, 1, (4, 5), site.input(3).dims)
    args = (In(0), In(1), *zeros, NULL, In(2), In(3), _added(site, 6), Out(0))
    return _call("scaled", suffix, fields, args)


@c_kernel("com.microsoft.DynamicQuantizeMatMul")
def dynamic_quantize_mat_mul(site: Site) -> tuple[CCall, ...]:
    """Quantize the left matrix by its range, multiply, and give float32."""
    need(site, F32)
    suffix = f"u8{need(site, EIGHT_BITS, 1)}"
    check_sums(site, 1, site.input(0).dims[-1], turned=True, zero=3)
    size = site.input(0).size
    codes, scale, zero = Scratch(8), Scratch(0), Scratch(4)
    scratch = 8 + size
    first = CCall(
        "nb_dynamic_quantize_u8",
        "nb_quantize",
        "nb_dynamic_quantize_config",
        {"count": size},
        (In(0), codes, scale, zero),
        scratch,
    )
    fields = _product_fields(site, 1, (None, 3), site.input(2).dims)
    right = zero_of(site, 3, site.input(1).dtype)
    args = (codes, In(1), zero, right, NULL, scale, In(2), _added(site, 4), Out(0))
    name = f"nb_matmul_scaled_{suffix}"
    return first, CCall(name, _UNIT, f"{_UNIT}_config", fields, args, scratch)
