"""Quantized numbers: an integer q stands for scale · (q - zero point).

Sums are exact: products of 8-bit numbers are added up in floating-point numbers that are wide
enough, by BLAS; those of 16-bit codes and 8-bit weights become int64. Scaling back multiplies by a
float32 factor and rounds to even.

Source: B. Jacob and others, Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference, 2018.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.sliding import WindowOptions, convolved
from aidge_nb.kernels.formats import FLOATS, INTEGERS, TYPES, fitted, holder
from aidge_nb.kernels.standard import (
    MICROSOFT,
    Codes,
    Coding,
    NodeContext,
    check_scale,
    check_zero,
    standard,
)


def spread(parameter: Array, dims: tuple[int, ...], axis: int, block_size: int = 0) -> Array:
    """Reshape a scale or zero point to broadcast with the data: one, per axis, or per block.

    Raise ShapeError when its size does not fit the data.
    """
    if parameter.ndim == 0 or (parameter.size == 1 and not block_size):
        return parameter.reshape(())
    if block_size:
        whole = np.repeat(parameter, block_size, axis)
        return whole[tuple(slice(size) for size in dims)]
    axis %= len(dims)
    if parameter.ndim != 1 or len(parameter) != dims[axis]:
        raise ShapeError.at(
            "",
            f"scale or zero point does not fit axis {axis}",
            expected=[dims[axis]],
            found=list(parameter.shape),
        )
    return parameter.reshape([-1 if i == axis else 1 for i in range(len(dims))])


def divisor(scale: Array) -> Array:
    """Return the scale of quantized results.

    Raise ShapeError when nothing can be divided by it: all results would be limits of the type, or
    worse.
    """
    check_scale(scale, "")
    return scale


def quantized(
    x: Array, scale: Array, zero: Array | None, kind: str, saturate: bool = True
) -> Array:
    """Quantize ``x`` with parameters that broadcast already."""
    scaled = x / scale
    if kind in FLOATS:
        return fitted(scaled, kind, saturate=saturate)
    least, largest, _ = INTEGERS[kind]
    whole = np.rint(scaled).astype(np.float64)
    if zero is not None:
        whole = whole + zero
    return np.clip(np.nan_to_num(whole, nan=0.0), least, largest).astype(holder(kind))


@standard("QuantizeLinear", domain=MICROSOFT)
@standard("QuantizeLinear")
def quantize_linear(
    x: Array,
    y_scale: Array,
    zero: Array | None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    precision: int = 0,
    saturate: int = 1,
    site: NodeContext,
) -> Array:
    """Quantize; the zero point decides the type."""
    kind = (
        TYPES[output_dtype] or site.input_type(2) or (zero.dtype.name if zero is not None else "")
    )
    if not kind:
        kind = "uint8"
    axis = axis if -x.ndim <= axis < x.ndim else 0
    work = TYPES[precision] or np.result_type(x.dtype, np.float32).name
    x = x.astype(holder(work))
    factor = spread(y_scale, x.shape, axis, block_size).astype(x.dtype)
    offset = None if zero is None else spread(zero, x.shape, axis, block_size)
    return quantized(x, factor, offset, kind, bool(saturate))


def dequantized(q: Array, scale: Array, zero: Array | None) -> Array:
    """Dequantize with parameters that broadcast already."""
    if q.dtype.kind == "f":
        return np.asarray(q.astype(scale.dtype) * scale)
    whole = q.astype(np.int64) if zero is None else q.astype(np.int64) - zero.astype(np.int64)
    return np.asarray(whole.astype(np.result_type(scale.dtype, np.float32)) * scale, scale.dtype)


@standard("DequantizeLinear", domain=MICROSOFT)
@standard("DequantizeLinear")
def dequantize_linear(
    x: Array,
    scale: Array,
    x_zero: Array | None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
) -> Array:
    """Dequantize."""
    axis = axis if -x.ndim <= axis < x.ndim else 0
    offset = None if x_zero is None else spread(x_zero, x.shape, axis, block_size)
    result = dequantized(x, spread(scale, x.shape, axis, block_size), offset)
    return result.astype(holder(TYPES[output_dtype])) if output_dtype else result


@standard("DynamicQuantizeLinear")
def dynamic_quantize_linear(x: Array) -> tuple[Array, ...]:
    """Quantize to uint8 with the scale and zero point that fit the data.

    Raise ShapeError when there is an infinite number among them, or none at all (NaN).
    """
    least = np.minimum(x.min(initial=0), 0).astype(np.float32)
    largest = np.maximum(x.max(initial=0), 0).astype(np.float32)
    scale: Array = np.asarray((largest - least) / np.float32(255))
    if not np.isfinite(scale):
        raise ShapeError.at(
            "input#0",
            "has no range to quantize",
            expected="numbers whose range float32 holds",
            found=f"{least} to {largest}",
        )
    if scale == 0:
        scale = np.asarray(1, np.float32)
    zero = np.asarray(np.clip(np.rint(-least / scale), 0, 255), np.uint8)
    return quantized(x, scale, zero, "uint8"), scale, zero


_EXACT = 256
"""So many products of two 9-bit numbers add up to less than 2**24: float32 holds the sum."""

_WIDE = 2**20
"""So many products of two 17-bit numbers add up to less than 2**53: float64 holds the sum."""

_SAFE = (2**31 - 1) // 255**2
"""So many products of numbers of at most 255 fit into int32 whatever they are."""


def is_wide(*arrays: Array | None) -> bool:
    """Return whether there are codes of 16 bits among some tensors: their sums have 64 bits."""
    return any(each is not None and each.dtype.itemsize == 2 for each in arrays)


def _centred(q: Array, zero: Array | None, axis: int, kind: Any = np.float32) -> Array:
    """Return q - zero point; per row or column where it is a list."""
    exact: Array = q.astype(kind)
    if zero is None:
        return exact
    offset: Array = zero.astype(kind)
    if zero.size == 1:
        return np.asarray(exact - offset.reshape(-1)[0])
    return exact - (offset[:, None] if axis == -2 and zero.ndim == 1 else offset)


def integer_product(a: Array, b: Array, a_zero: Array | None, b_zero: Array | None) -> Array:
    """Multiply matrices of 8-bit numbers exactly; the sums are int32, int64 with 16-bit numbers.

    Raise ShapeError when a sum does not fit.
    """
    if is_wide(a, b):
        left, right = (_centred(*each, np.float64) for each in ((a, a_zero, -2), (b, b_zero, -1)))
        if left.shape[-1] > _WIDE:
            problem = "sums so many products of 16-bit codes"
            raise ShapeError.at("input#0", problem, expected=f"at most {_WIDE}", found=left.shape)
        return np.asarray((left @ right).astype(np.int64))
    left, right = _centred(a, a_zero, -2), _centred(b, b_zero, -1)
    depth = left.shape[-1]
    if depth <= _EXACT:
        return np.asarray((left @ right).astype(np.int32))
    starts = range(0, depth, _EXACT)
    kind = np.int32 if depth <= _SAFE else np.int64
    parts = [(left[..., k : k + _EXACT] @ _rows(right, k)).astype(kind) for k in starts]
    return int32_sum(np.asarray(sum(parts[1:], parts[0])))


def _rows(x: Array, start: int) -> Array:
    end = start + _EXACT
    return x[start:end] if x.ndim == 1 else x[..., start:end, :]


def largest_sum(
    rows: Array, zeros: Array | None = None, bias: Array | None = None, most: int = 255
) -> int:
    """Return how large a sum can become whatever codes are multiplied by rows of weights.

    Codes are at most ``most`` away from their zero point.

    Examples
    --------
    >>> largest_sum(np.int8([[1, -2], [3, 0]]), bias=np.int32([0, 100]))
    865
    """
    wide = rows.astype(np.int64)
    if zeros is not None:
        each = np.resize(zeros.astype(np.int64), len(wide)) if zeros.size > 1 else zeros
        wide = wide - each.astype(np.int64).reshape(-1, 1)
    sums = most * np.abs(wide).sum(1)
    if bias is not None:
        sums = sums + np.abs(bias.astype(np.int64).reshape(-1))
    return int(sums.max(initial=0))


INT32_ROOM = 2**31 - 1
"""The largest sum that int32 holds."""


def int32_sum(exact: Array) -> Array:
    """Convert sums to int32.

    Raise ShapeError when one of them does not fit: it would silently become another number.
    """
    if exact.dtype == np.int32:
        return exact
    limits = np.iinfo(np.int32)
    least, most = exact.min(initial=0), exact.max(initial=0)
    if least < limits.min or most > limits.max:
        raise ShapeError.at(
            "output#0",
            "a sum of products overflows int32",
            expected=f"{limits.min} to {limits.max}",
            found=int(most if most > limits.max else least),
            cure="Cut the product into parts along the axis that is summed over.",
        )
    return exact.astype(np.int32)


@standard("MatMulInteger")
def mat_mul_integer(a: Array, b: Array, a_zero: Array | None, b_zero: Array | None) -> Array:
    """Multiply matrices of quantized numbers; the result is int32."""
    return integer_product(a, b, a_zero, b_zero)


def farthest(kind: np.dtype[Any], zero: Array | None) -> int:
    """Return how far codes of a type may be from a zero point, which may not be known.

    Examples
    --------
    >>> farthest(np.dtype(np.int8), np.int8([-128])), farthest(np.dtype(np.int16), None)
    (255, 65535)
    """
    limits = np.iinfo(kind)
    if zero is None or zero.size != 1:
        return int(limits.max) - int(limits.min)
    center = int(zero.reshape(()))
    return max(int(limits.max) - center, center - int(limits.min))


def requantized(total: Array, factor: Array, zero: Array | None, like: np.dtype[Any]) -> Array:
    """Scale sums back to codes.

    Raise ShapeError for a zero point that this type has not.
    """
    check_zero(zero, np.zeros(0, like), "the zero point of output#0")
    limits = np.iinfo(like)
    whole = np.rint(total.astype(np.float32) * factor.astype(np.float32))
    if zero is not None:
        whole = whole + zero.astype(np.float32)
    return np.asarray(np.clip(whole, limits.min, limits.max).astype(like))


def factor_of(left: Array, right: Array, output: Array) -> Array:
    """Return the factor of sums of products, by the scales of both and of the result."""
    product = left.astype(np.float32) * right.astype(np.float32)
    return np.asarray(product / divisor(output).astype(np.float32))


@standard("QLinearMatMul")
def q_linear_mat_mul(a: Codes[Array], b: Codes[Array], y: Coding[Array]) -> Array:
    """Multiply matrices of quantized numbers, and quantize the result."""
    total = integer_product(a.codes, b.codes, a.zero, b.zero)
    rows = a.scale[:, None] if a.scale.ndim == 1 and a.scale.size > 1 else a.scale
    return requantized(total, factor_of(rows, b.scale, y.scale), y.zero, y.zero.dtype)


def per_channel(parameter: Array, rank: int) -> Array:
    """Reshape parameters of output channels to broadcast with results of this many dims."""
    return parameter.reshape(-1, *[1] * rank) if parameter.size > 1 else parameter.reshape(())


def _integer_convolution(
    x: Array,
    w: Array,
    x_zero: Array | None,
    w_zero: Array | None,
    options: WindowOptions,
    group: int,
) -> Array:
    data = x.astype(np.float64) - (0.0 if x_zero is None else float(x_zero.reshape(-1)[0]))
    weights = w.astype(np.float64)
    if w_zero is not None:
        weights = weights - per_channel(w_zero.astype(np.float64), w.ndim - 1)
    total = convolved(data, weights, options.over(x.shape[2:], w.shape[2:]), group)
    return np.asarray(total.astype(np.int64)) if is_wide(x, w) else int32_sum(total)


@standard("ConvInteger", options=WindowOptions)
def conv_integer(
    x: Array,
    w: Array,
    x_zero: Array | None,
    w_zero: Array | None,
    *,
    options: WindowOptions,
    group: int = 1,
) -> Array:
    """Convolve quantized numbers; the result is int32."""
    return _integer_convolution(x, w, x_zero, w_zero, options, group)


@standard("QLinearConv", options=WindowOptions)
def q_linear_conv(
    x: Codes[Array],
    w: Codes[Array],
    y: Coding[Array],
    bias: Array | None,
    *,
    options: WindowOptions,
    group: int = 1,
) -> Array:
    """Convolve quantized numbers, and quantize the result."""
    rank = x.codes.ndim - 2
    total = _integer_convolution(x.codes, w.codes, x.zero, w.zero, options, group)
    if bias is not None:
        wide = total.astype(np.int64) + bias.reshape(-1, *[1] * rank)
        total = wide if is_wide(x.codes, w.codes) else int32_sum(wide)
    factor = per_channel(factor_of(x.scale, w.scale, y.scale), rank)
    return requantized(total, factor, y.zero, y.zero.dtype)
