"""Calls of operators on quantized numbers, which the ONNX standard declares."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dtype import DType
from aidge_nb.kernels.c.adapters.common import (
    F32,
    axis_fields,
    need,
    refuse,
    suffix_of,
    with_steps,
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
from aidge_nb.kernels.cpu.quantization.standard import INT32_ROOM, farthest, largest_sum
from aidge_nb.kernels.options import OPTIONS, with_options

EIGHT_BITS = (DType.uint8, DType.int8)
SIXTEEN_BITS = (DType.uint16, DType.int16)
_CODES = (*EIGHT_BITS, *SIXTEEN_BITS)
_MIXED = {
    *(("int8", "int16"), ("int16", "int8"), ("int16", "int16")),
    *(("uint8", "uint16"), ("uint16", "uint8"), ("uint16", "uint16")),
}


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


def zero_of(site: Site, index: int, dtype: DType) -> Argument:
    """Return the argument for a zero point of this type."""
    if not site.has(index):
        return NULL
    if site.input(index).dtype is not dtype:
        raise refuse(site, "takes such a zero point", expected=dtype.name, found=site.input(index))
    return In(index)


@c_kernel("QuantizeLinear", "com.microsoft.QuantizeLinear")
def quantize_linear(site: Site) -> CCall:
    """Quantize float32 numbers to 8 or 16 bits."""
    need(site, F32, 0, 1)
    kind = site.outputs[0].dtype
    if kind not in _CODES or site.attrs.get("precision", 0) not in (0, 1):
        raise refuse(site, "quantizes to this type", found=site.outputs[0])
    args = (In(0), In(1), zero_of(site, 2, kind), Out(0))
    fields = _scale_fields(site, "quantizes")
    name = f"nb_quantize_{suffix_of(kind)}"
    return CCall(name, "nb_quantize", "nb_quantize_config", fields, args)


@c_kernel("DequantizeLinear", "com.microsoft.DequantizeLinear")
def dequantize_linear(site: Site) -> CCall:
    """Return the float32 numbers that quantized ones stand for."""
    suffix = need(site, (*_CODES, DType.int32))
    if site.outputs[0].dtype is not DType.float32:
        raise refuse(site, "gives this type", found=site.outputs[0])
    need(site, F32, 1)
    args = (In(0), In(1), zero_of(site, 2, site.input(0).dtype), Out(0))
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


def is_mixed(site: Site, *indices: int) -> bool:
    """Return whether codes of the result or of some inputs have 16 bits."""
    kinds = [site.input(index).dtype for index in indices or (0,)]
    return any(kind in SIXTEEN_BITS for kind in (*kinds, site.outputs[0].dtype))


def mixed(site: Site, *indices: int) -> str:
    """Return the suffix of codes of some inputs and of the result, of which some have 16 bits."""
    given, result = need(site, _CODES, *indices), site.outputs[0].dtype
    kind = site.input(indices[0] if indices else 0).dtype
    if (kind.name, result.name) not in _MIXED:
        found = f"{kind.name} to {result.name}"
        raise refuse(site, "takes these types of codes together", found=found)
    return given + suffix_of(result)


def pair(site: Site, left: int, right: int) -> str:
    """Return the suffix of two inputs of 8 bits."""
    return need(site, EIGHT_BITS, left) + need(site, EIGHT_BITS, right)


def factor_of(site: Site, left: int, right: int, output: int) -> NDArray[np.float32]:
    """Return left · right / output scale, as float32; a scale per row comes as a column."""
    first, second, third = (site.constant(i).astype(np.float32) for i in (left, right, output))
    return np.asarray(first * second / third, np.float32)


def quantized_conv_fields(site: Site, weight: int) -> Fields:
    """Describe a convolution whose weights are input ``weight``."""
    options: WindowOptions = with_options(site.attrs, WindowOptions)[OPTIONS]
    sliding = options.over(site.input(0).dims[2:], site.input(weight).dims[2:])
    groups = int(site.attrs.get("group", 1))
    windows = sliding.strides, sliding.dilations, sliding.pads
    return with_steps(conv_fields(site, weight, groups, *windows))


def weight_zeros(site: Site, weight: int, index: int) -> Argument:
    """Return the zero points of the weights, one per output channel; none when all are 0."""
    if zero_of(site, index, site.input(weight).dtype) is NULL:
        return NULL
    outs = site.input(weight).dims[0]
    zeros = site.constant(index).astype(np.int32).reshape(-1)
    if not zeros.any():
        return NULL
    return Constant("weight_zeros", np.array(np.broadcast_to(zeros, (outs,))), of=index)


def check_sums(
    site: Site, weight: int, depth: int, turned: bool = False, zero: int = -1, bias: int = -1
) -> None:
    """Refuse sums that int32 may not hold, by the weights where they are known.

    Weights are one row for each output, or with ``turned`` one column.
    """
    need_room(site, sums_of(site, weight, depth, turned, zero, bias))


def need_room(site: Site, most: int) -> None:
    """Refuse a node whose sums may become larger than int32 holds."""
    if most > INT32_ROOM:
        raise refuse(
            site, "has sums that int32 holds", expected=f"at most {INT32_ROOM}", found=most
        )


def sums_of(
    site: Site, weight: int, depth: int, turned: bool = False, zero: int = -1, bias: int = -1
) -> int:
    """Return how large sums may become, by the weights where they are known."""
    center = site.constants.get(2) if site.has(2) else np.zeros(1, np.int8)
    code = farthest(site.input(0).dtype.numpy, center) if is_mixed(site) else 255
    most, known = depth * 255 * code, site.constants.get(weight)
    offsets = site.constants.get(bias) if bias >= 0 and site.has(bias) else None
    if known is not None and (most > INT32_ROOM or offsets is not None) and known.ndim > 1:
        rows = known.reshape(-1, depth) if not turned else known.swapaxes(-1, -2).reshape(-1, depth)
        zeros = site.constants.get(zero) if zero >= 0 and site.has(zero) else None
        per_row = offsets is not None and offsets.size in (1, len(rows))
        most = largest_sum(rows, zeros, offsets if per_row else None, code)
    return most


@c_kernel("ConvInteger")
def conv_integer(site: Site) -> CCall:
    """Convolve; the sums are int32."""
    suffix = pair(site, 0, 1)
    check_sums(site, 1, prod(site.input(1).dims[1:]), zero=3)
    zeros = weight_zeros(site, 1, 3)
    args = (In(0), In(1), zero_of(site, 2, site.input(0).dtype), zeros, Out(0))
    fields, unit = quantized_conv_fields(site, 1), "nb_conv_quantized"
    return CCall(f"nb_conv_integer_{suffix}", unit, "nb_conv_config", fields, args)


def same_type(site: Site) -> None:
    """Refuse a node whose result is of another type than its first input."""
    if site.outputs[0].dtype is not site.input(0).dtype:
        raise refuse(
            site,
            "gives another type than it takes",
            expected=site.input(0).dtype.name,
            found=site.outputs[0].dtype.name,
        )


def q_linear_conv(site: Site) -> CCall:
    """Convolve and quantize; scales must be known."""
    if is_mixed(site):
        return _mixed_conv(site)
    suffix, outs = pair(site, 0, 3), site.input(3).dims[0]
    same_type(site)
    check_sums(site, 3, prod(site.input(3).dims[1:]), zero=5, bias=8)
    factor = np.array(np.broadcast_to(factor_of(site, 1, 4, 6).reshape(-1), (outs,)))
    args = (
        In(0),
        In(3),
        zero_of(site, 2, site.input(0).dtype),
        weight_zeros(site, 3, 5),
        In(8) if site.has(8) else NULL,
        Constant("factor", factor),
        In(7),
        Out(0),
    )
    fields, unit = quantized_conv_fields(site, 3), "nb_conv_quantized"
    return CCall(f"nb_conv_quantized_{suffix}", unit, "nb_conv_config", fields, args)


def _mixed_conv(site: Site) -> CCall:
    """Convolve where codes have 16 bits, with sums of 64 bits unless 32 hold them."""
    suffix, outs = mixed(site), site.input(3).dims[0]
    if need(site, (DType.int8,), 3) and weight_zeros(site, 3, 5) is not NULL:
        raise refuse(site, "takes zero points of weights with codes of 16 bits")
    most = sums_of(site, 3, prod(site.input(3).dims[1:]), bias=8)
    name = "nb_conv_mixed" if most <= INT32_ROOM else "nb_conv_mixed_long"
    factor = np.array(np.broadcast_to(factor_of(site, 1, 4, 6).reshape(-1), (outs,)))
    args = (
        *(In(0), In(3), zero_of(site, 2, site.input(0).dtype), In(8) if site.has(8) else NULL),
        *(Constant("factor", factor), zero_of(site, 7, site.outputs[0].dtype), Out(0)),
    )
    fields = quantized_conv_fields(site, 3)
    return CCall(f"{name}_{suffix}", "nb_mixed", "nb_conv_config", fields, args)
