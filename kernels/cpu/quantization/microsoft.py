"""Operators of the domain com.microsoft: what ONNX Runtime's tools make of quantized models.

Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.sliding import WindowOptions
from aidge_nb.kernels.cpu.pooling.standard import average_pool
from aidge_nb.kernels.cpu.quantization.standard import (
    dequantize_linear,
    dequantized,
    divisor,
    int32_sum,
    integer_product,
    quantize_linear,
    quantized,
    requantized,
)
from aidge_nb.kernels.standard import MICROSOFT, standard

standard("QuantizeLinear", domain=MICROSOFT)(quantize_linear)
standard("DequantizeLinear", domain=MICROSOFT)(dequantize_linear)


def _single(x: Array) -> np.float32:
    return np.float32(x.reshape(-1)[0])


def _divisor(scale: Array) -> np.float32:
    return _single(divisor(scale))


def _offset(zero: Array | None) -> np.float32:
    return np.float32(0) if zero is None else _single(zero)


def _rounded(x: Array, zero: Array | None, like: np.dtype[np.generic]) -> Array:
    """Round to even, add the zero point, and keep within the type."""
    return requantized(np.asarray(x), np.asarray(1, np.float32), zero, like)


@standard("QLinearAdd", domain=MICROSOFT)
def q_linear_add(
    a: Array,
    a_scale: Array,
    a_zero: Array | None,
    b: Array,
    b_scale: Array,
    b_zero: Array | None,
    c_scale: Array,
    c_zero: Array | None,
) -> Array:
    """Add quantized numbers, and quantize the sum."""
    left, right = _single(a_scale) / _divisor(c_scale), _single(b_scale) / _divisor(c_scale)
    constant = _offset(c_zero) - (left * _offset(a_zero) + right * _offset(b_zero))
    total = constant + a.astype(np.float32) * left + b.astype(np.float32) * right
    return _rounded(total, None, a.dtype)


@standard("QLinearMul", domain=MICROSOFT)
def q_linear_mul(
    a: Array,
    a_scale: Array,
    a_zero: Array | None,
    b: Array,
    b_scale: Array,
    b_zero: Array | None,
    c_scale: Array,
    c_zero: Array | None,
) -> Array:
    """Multiply quantized numbers, and quantize the product."""
    product = (a.astype(np.float32) - _offset(a_zero)) * (b.astype(np.float32) - _offset(b_zero))
    factor = _single(a_scale) * _single(b_scale) / _divisor(c_scale)
    return _rounded(product * factor, c_zero, a.dtype)


def _by_table(
    x: Array,
    x_scale: Array,
    x_zero: Array | None,
    y_scale: Array,
    y_zero: Array | None,
    function: Callable[[Array], Array],
) -> Array:
    """Apply a function to the 256 numbers that there are, and look the results up."""
    codes = np.arange(256, dtype=np.uint8).view(x.dtype)
    zero = None if x_zero is None else x_zero.reshape(())
    numbers = dequantized(codes, np.asarray(_single(x_scale)), zero)
    target = None if y_zero is None else y_zero.reshape(())
    table = quantized(function(numbers), np.asarray(_divisor(y_scale)), target, x.dtype.name)
    return np.asarray(table[x.view(np.uint8)])


@standard("QLinearLeakyRelu", domain=MICROSOFT)
def q_linear_leaky_relu(
    x: Array,
    x_scale: Array,
    x_zero: Array | None,
    y_scale: Array,
    y_zero: Array | None,
    *,
    alpha: float = 0.01,
) -> Array:
    """Scale negative numbers."""
    return _by_table(
        x, x_scale, x_zero, y_scale, y_zero, lambda v: np.where(v < 0, np.float32(alpha) * v, v)
    )


@standard("QLinearSigmoid", domain=MICROSOFT)
def q_linear_sigmoid(
    x: Array, x_scale: Array, x_zero: Array | None, y_scale: Array, y_zero: Array | None
) -> Array:
    """Return 1 / (1 + exp(-x))."""
    return _by_table(x, x_scale, x_zero, y_scale, y_zero, _sigmoid)


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)), x.dtype)


@standard("QLinearConcat", domain=MICROSOFT)
def q_linear_concat(y_scale: Array, y_zero: Array, *parts: Array, axis: int) -> Array:
    """Join quantized tensors, each with its own scale and zero point."""
    if len(parts) % 3:
        raise ShapeError.at(
            "", "inputs are tensor, scale, zero point each", found=f"{len(parts)} inputs"
        )
    joined = []
    for x, scale, zero in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        same = _single(scale) == _single(y_scale) and _offset(zero) == _offset(y_zero)
        joined.append(x if same else _by_table(x, scale, zero, y_scale, y_zero, lambda v: v))
    return np.concatenate(joined, axis)


@standard("QLinearGlobalAveragePool", domain=MICROSOFT)
def q_linear_global_average_pool(
    x: Array,
    x_scale: Array,
    x_zero: Array | None,
    y_scale: Array,
    y_zero: Array | None,
    *,
    channels_last: int = 0,
) -> Array:
    """Return the mean of each channel."""
    axes = tuple(range(1, x.ndim - 1)) if channels_last else tuple(range(2, x.ndim))
    count = int(np.prod([x.shape[axis] for axis in axes]))
    total = x.astype(np.int64).sum(axes, keepdims=True) - int(_offset(x_zero)) * count
    factor = _single(x_scale) / np.float32(_divisor(y_scale) * np.float32(count))
    return requantized(total, np.asarray(factor), y_zero, x.dtype)


@standard("QLinearAveragePool", domain=MICROSOFT, options=WindowOptions)
def q_linear_average_pool(
    x: Array,
    x_scale: Array,
    x_zero: Array | None,
    y_scale: Array,
    y_zero: Array | None,
    *,
    options: WindowOptions,
    ceil_mode: int = 0,
    channels_last: int = 0,
    count_include_pad: int = 0,
) -> Array:
    """Return the mean of each window."""
    data = np.moveaxis(x, -1, 1) if channels_last else x
    zero = None if x_zero is None else x_zero.reshape(())
    mean = average_pool(
        dequantized(data, np.asarray(_single(x_scale)), zero),
        options=options,
        ceil_mode=ceil_mode,
        count_include_pad=count_include_pad,
    )
    target = None if y_zero is None else y_zero.reshape(())
    result = quantized(mean, np.asarray(_divisor(y_scale)), target, x.dtype.name)
    return np.moveaxis(result, 1, -1) if channels_last else result


@standard("MatMulIntegerToFloat", domain=MICROSOFT)
def mat_mul_integer_to_float(
    a: Array,
    b: Array,
    a_scale: Array,
    b_scale: Array,
    a_zero: Array | None,
    b_zero: Array | None,
    bias: Array | None,
) -> Array:
    """Multiply matrices of quantized numbers; the result is float32."""
    total = integer_product(a, b, a_zero, b_zero).astype(np.float32)
    result = total * (a_scale.astype(np.float32) * b_scale)
    return np.asarray(result if bias is None else result + bias, np.float32)


@standard("DynamicQuantizeMatMul", domain=MICROSOFT)
def dynamic_quantize_mat_mul(
    a: Array, b: Array, b_scale: Array, b_zero: Array | None, bias: Array | None
) -> Array:
    """Quantize the left matrix to uint8 as its data ask for, multiply, and give float32."""
    from aidge_nb.kernels.cpu.quantization.standard import dynamic_quantize_linear

    codes, scale, zero = dynamic_quantize_linear(a)
    return mat_mul_integer_to_float(codes, b, scale, b_scale, zero, b_zero, bias)


@standard("QGemm", domain=MICROSOFT)
def q_gemm(
    a: Array,
    a_scale: Array,
    a_zero: Array,
    b: Array,
    b_scale: Array,
    b_zero: Array,
    c: Array | None,
    y_scale: Array | None,
    y_zero: Array | None,
    *,
    alpha: float = 1.0,
    transA: int = 0,
    transB: int = 0,
) -> Array:
    """Return A B + C of quantized matrices, quantized where an output scale is given."""
    total = integer_product(a.T if transA else a, b.T if transB else b, a_zero, b_zero)
    if c is not None:
        total = int32_sum(total.astype(np.int64) + c)
    factor = np.float32(alpha) * a_scale.astype(np.float32) * b_scale
    if y_scale is None:
        return np.asarray(total.astype(np.float32) * factor, np.float32)
    like = a.dtype if y_zero is None else y_zero.dtype
    return requantized(total, np.asarray(factor / divisor(y_scale)), y_zero, like)
