"""Calls of operators on quantized numbers, which the ONNX standard declares."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dtype import DType
from aidge_nb.kernels.c.adapters.common import (
    F32,
    axis_fields,
    joined,
    need,
    refuse,
    repeated,
    row_major,
    suffix_of,
)
from aidge_nb.kernels.c.adapters.convolution import conv_fields
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
from aidge_nb.kernels.cpu.common.sliding import WindowOptions
from aidge_nb.kernels.options import OPTIONS, with_options

_EIGHT_BITS = (DType.uint8, DType.int8)


def _scale_fields(site: Site, what: str) -> Fields:
    """Say how scales go along the data."""
    dims, scale = site.input(0).dims, site.input(1).dims
    if site.attrs.get("block_size"):
        raise refuse(site, f"{what} by blocks")
    if prod(scale) == 1:
        return {"outer": 1, "size": 1, "inner": prod(dims), "step": 0}
    given = int(site.attrs.get("axis", 1))
    axis = given % len(dims) if -len(dims) <= given < len(dims) else 0
    if scale != (dims[axis],):
        raise refuse(site, f"{what} by such scales", expected=[dims[axis]], found=list(scale))
    return {**axis_fields(dims, axis), "step": 1}


def _zero(site: Site, index: int, dtype: DType) -> Argument:
    if not site.has(index):
        return NULL
    if site.input(index).dtype is not dtype:
        raise refuse(site, "takes such a zero point", expected=dtype.name, found=site.input(index))
    return In(index)


@c_kernel("QuantizeLinear")
def quantize_linear(site: Site) -> CCall:
    """Quantize float32 numbers to 8 bits."""
    need(site, F32, 0, 1)
    kind = site.outputs[0].dtype
    if kind not in _EIGHT_BITS or site.attrs.get("precision", 0) not in (0, 1):
        raise refuse(site, "quantizes to this type", found=site.outputs[0])
    args = (In(0), In(1), _zero(site, 2, kind), Out(0))
    fields = _scale_fields(site, "quantizes")
    name = f"nb_quantize_{suffix_of(kind)}"
    return CCall(name, "nb_quantize", "nb_quantize_config", fields, args)


@c_kernel("DequantizeLinear")
def dequantize_linear(site: Site) -> CCall:
    """Return the float32 numbers that quantized ones stand for."""
    suffix = need(site, (*_EIGHT_BITS, DType.int32))
    if site.outputs[0].dtype is not DType.float32:
        raise refuse(site, "gives this type", found=site.outputs[0])
    need(site, F32, 1)
    args = (In(0), In(1), _zero(site, 2, site.input(0).dtype), Out(0))
    fields = _scale_fields(site, "scales back")
    return CCall(f"nb_dequantize_{suffix}", "nb_quantize", "nb_quantize_config", fields, args)


@c_kernel("DynamicQuantizeLinear")
def dynamic_quantize_linear(site: Site) -> CCall:
    """Quantize with the scale and zero point that fit the data."""
    need(site, F32)
    fields = {"count": site.input(0).size}
    args = (In(0), Out(0), Out(1), Out(2))
    config = "nb_dynamic_quantize_config"
    return CCall("nb_dynamic_quantize_u8", "nb_quantize", config, fields, args)


def _pair(site: Site, left: int, right: int) -> str:
    """Return the suffix of two inputs of 8 bits."""
    return need(site, _EIGHT_BITS, left) + need(site, _EIGHT_BITS, right)


def _factor(site: Site, left: int, right: int, output: int) -> NDArray[np.float32]:
    """Return left · right / output scale, as float32; a scale per row comes as a column."""
    first, second, third = (site.constant(i).astype(np.float32) for i in (left, right, output))
    return np.asarray(first * second / third, np.float32)


def _conv_fields(site: Site, weight: int) -> Fields:
    options: WindowOptions = with_options(site.attrs, WindowOptions)[OPTIONS]
    sliding = options.over(site.input(0).dims[2:], site.input(weight).dims[2:])
    groups = int(site.attrs.get("group", 1))
    return conv_fields(site, weight, groups, sliding.strides, sliding.dilations, sliding.pads)


def _weight_zeros(site: Site, index: int, outs: int) -> Argument:
    """Return the zero points of the weights, one per output channel; none when all are 0."""
    if not site.has(index):
        return NULL
    zeros = site.constant(index).astype(np.int32).reshape(-1)
    if not zeros.any():
        return NULL
    return Constant("weight_zeros", np.array(np.broadcast_to(zeros, (outs,))), of=index)


@c_kernel("ConvInteger")
def conv_integer(site: Site) -> CCall:
    """Convolve; the sums are int32."""
    suffix = _pair(site, 0, 1)
    zeros = _weight_zeros(site, 3, site.input(1).dims[0])
    args = (In(0), In(1), _zero(site, 2, site.input(0).dtype), zeros, Out(0))
    fields, unit = _conv_fields(site, 1), "nb_conv_quantized"
    return CCall(f"nb_conv_integer_{suffix}", unit, "nb_conv_config", fields, args)


def _same_type(site: Site) -> None:
    if site.outputs[0].dtype is not site.input(0).dtype:
        raise refuse(
            site,
            "gives another type than it takes",
            expected=site.input(0).dtype.name,
            found=site.outputs[0].dtype.name,
        )


@c_kernel("QLinearConv")
def q_linear_conv(site: Site) -> CCall:
    """Convolve and quantize; scales must be known."""
    suffix, outs = _pair(site, 0, 3), site.input(3).dims[0]
    _same_type(site)
    factor = np.array(np.broadcast_to(_factor(site, 1, 4, 6).reshape(-1), (outs,)))
    args = (
        In(0),
        In(3),
        _zero(site, 2, site.input(0).dtype),
        _weight_zeros(site, 5, outs),
        In(8) if site.has(8) else NULL,
        Constant("factor", factor),
        In(7),
        Out(0),
    )
    fields, unit = _conv_fields(site, 3), "nb_conv_quantized"
    return CCall(f"nb_conv_quantized_{suffix}", unit, "nb_conv_config", fields, args)


def _product_fields(
    site: Site, right: int, zeros: tuple[int, int], factor: tuple[int, ...] = ()
) -> Fields:
    """Describe a product; ``zeros`` are the inputs that hold the zero points."""
    a, b = site.input(0).dims, site.input(right).dims
    a = (1, *a) if len(a) == 1 else a
    b = (*b, 1) if len(b) == 1 else b
    stack = np.broadcast_shapes(a[:-2], b[:-2])
    rows, depth, columns = a[-2], a[-1], b[-1]
    steps = (
        [step * rows * depth for step in repeated(a[:-2], stack)],
        [step * depth * columns for step in repeated(b[:-2], stack)],
        [step * rows * columns for step in row_major(stack)],
    )
    dims, a_stack, b_stack, y_stack = joined(site.label, stack, *steps)
    counts = [site.input(index).size if site.has(index) else 1 for index in zeros]
    for count, size in zip(counts, (rows, columns), strict=True):
        if count not in (1, size):
            raise refuse(site, "takes so many zero points", expected=f"1 or {size}", found=count)
    factor_row, factor_column = repeated(factor, (rows, columns))
    return {
        "rows": rows,
        "columns": columns,
        "depth": depth,
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


@c_kernel("MatMulInteger")
def mat_mul_integer(site: Site) -> CCall:
    """Multiply matrices; the sums are int32."""
    suffix = _pair(site, 0, 1)
    zeros = _zero(site, 2, site.input(0).dtype), _zero(site, 3, site.input(1).dtype)
    fields, unit = _product_fields(site, 1, (2, 3)), "nb_matmul_quantized"
    args = (In(0), In(1), *zeros, Out(0))
    return CCall(f"nb_matmul_integer_{suffix}", unit, f"{unit}_config", fields, args)


@c_kernel("QLinearMatMul")
def q_linear_mat_mul(site: Site) -> CCall:
    """Multiply matrices and quantize; scales must be known."""
    suffix = _pair(site, 0, 3)
    _same_type(site)
    left, right, output = (site.constant(index).astype(np.float32) for index in (1, 4, 6))
    rows = left[:, None] if left.ndim == 1 and left.size > 1 else left
    factor = np.asarray(rows * right / output, np.float32)
    if factor.ndim > 2:
        raise refuse(site, "takes scales of so many dimensions", found=list(factor.shape))
    zeros = _zero(site, 2, site.input(0).dtype), _zero(site, 5, site.input(3).dtype)
    fields = _product_fields(site, 3, (2, 5), factor.shape)
    args = (In(0), In(3), *zeros, Constant("factor", factor), In(7), Out(0))
    unit = "nb_matmul_quantized"
    return CCall(f"nb_matmul_quantized_{suffix}", unit, f"{unit}_config", fields, args)
