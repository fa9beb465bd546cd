"""Operators of com.microsoft from codes to codes, without a product of matrices.

Each follows ONNX Runtime's arithmetic of its CPU provider, in float32. All rounding is to even;
what differs is whether the zero point is added before it (`QLinearAdd`, `QLinearMul`,
`QLinearAveragePool`) or after: exact ties with an odd zero point tell the two apart.

ONNX Runtime has none of them for codes of 16 bits, and computes float32 numbers between
DequantizeLinear and QuantizeLinear. Here sums, products and means of such codes are computed as
these numbers are, one by one, and the zero point is added after rounding.

Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.sliding import WindowOptions
from aidge_nb.kernels.cpu.pooling.standard import window_sizes
from aidge_nb.kernels.cpu.quantization.standard import (
    dequantized,
    divisor,
    is_wide,
    quantized,
    requantized,
)
from aidge_nb.kernels.standard import MICROSOFT, OURS, check_zero, standard

F = np.float32


def single(x: Array) -> np.float32:
    """Return the one number of a scale."""
    return F(x.reshape(-1)[0])


def divisor_of(scale: Array) -> np.float32:
    """Return the one number of a scale that results are divided by; see `divisor`."""
    return single(divisor(scale))


def offset_of(zero: Array | None) -> np.float32:
    """Return the one number of a zero point, 0 without one."""
    return F(0) if zero is None else single(zero)


def check_result_zero(zero: Array | None, kind: np.dtype[np.generic]) -> None:
    """Raise ShapeError for a zero point that results of this type cannot have."""
    check_zero(zero, np.zeros(0, kind), "the zero point of output#0")


def rounded_codes(x: Array, like: np.dtype[np.generic]) -> Array:
    """Round to even and keep within the type."""
    return requantized(x, np.asarray(1, F), None, like)


def fused(a: Array | np.float32, b: np.float32, c: Array | np.float32) -> Array:
    """Return ``a · b + c`` of float32 numbers, rounded once, as fmaf of C does.

    The product is exact in float64. The sum may not be: it is then moved to the odd neighbour of
    the two between which it lies, so that rounding it again to float32 cannot meet a false tie.

    Examples
    --------
    >>> fused(np.float32([3]), np.float32(1 / 3), np.float32(-1)).tolist()
    [2.9802322387695312e-08]
    """
    product, term = a.astype(np.float64) * float(b), np.asarray(c, np.float64)
    total = np.asarray(product + term)
    back = total - product
    rest = (product - (total - back)) + (term - back)
    bits = total.view(np.int64)
    outward = np.where((rest > 0) == (total > 0), 1, -1)
    odd = np.where((rest != 0) & (bits & 1 == 0) & (total != 0), bits + outward, bits)
    return np.asarray(odd.view(np.float64).astype(F))


def _number(codes: Array, scale: Array, zero: Array | None) -> Array:
    """Return the numbers that codes with one scale stand for."""
    offset = None if zero is None else zero.reshape(-1)[0]
    return dequantized(codes, np.asarray(single(scale)), offset)


def _codes(x: Array, scale: Array, zero: Array | None, like: np.dtype[np.generic]) -> Array:
    """Return codes with one scale, of the type of their zero point."""
    kind = like if zero is None else zero.dtype
    offset = None if zero is None else zero.reshape(-1)[0]
    return quantized(x, np.asarray(divisor_of(scale)), offset, kind.name)


def add_factors(
    a_scale: Array,
    a_zero: Array | None,
    b_scale: Array,
    b_zero: Array | None,
    y_scale: Array,
    y_zero: Array | None,
) -> Array:
    """Return the three numbers of a sum of codes: a factor of a, one of b, and what is added."""
    left, right = single(a_scale) / divisor_of(y_scale), single(b_scale) / divisor_of(y_scale)
    zeros = fused(offset_of(a_zero), left, right * offset_of(b_zero))
    rest = offset_of(y_zero) - zeros
    return np.asarray([left, right, rest], F)


@standard("QLinearAdd", domain=MICROSOFT, overwrites=(0, 3))
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
    if is_wide(a, b, c_zero):
        total = _number(a, a_scale, a_zero) + _number(b, b_scale, b_zero)
        return _codes(total, c_scale, c_zero, a.dtype)
    check_result_zero(c_zero, a.dtype)
    left, right, rest = add_factors(a_scale, a_zero, b_scale, b_zero, c_scale, c_zero)
    return rounded_codes(fused(a.astype(F), left, fused(b.astype(F), right, rest)), a.dtype)


def mul_factor(a_scale: Array, b_scale: Array, y_scale: Array) -> np.float32:
    """Return the factor of a product of codes."""
    return F(single(a_scale) * single(b_scale) / divisor_of(y_scale))


@standard("QLinearMul", domain=MICROSOFT, overwrites=(0, 3))
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
    if is_wide(a, b, c_zero):
        numbers = _number(a, a_scale, a_zero) * _number(b, b_scale, b_zero)
        return _codes(numbers, c_scale, c_zero, a.dtype)
    check_result_zero(c_zero, a.dtype)
    product = (a.astype(F) - offset_of(a_zero)) * (b.astype(F) - offset_of(b_zero))
    scaled = product * mul_factor(a_scale, b_scale, c_scale) + offset_of(c_zero)
    return rounded_codes(scaled, a.dtype)


def table_of(
    kind: np.dtype[np.generic],
    x_scale: Array,
    x_zero: Array | None,
    y_scale: Array,
    y_zero: Array | None,
    function: Callable[[Array], Array],
) -> Array:
    """Return the 256 results of a function of one code, by the bits of the code as uint8.

    Raise ShapeError for zero points that this type has not.
    """
    check_zero(x_zero, np.zeros(0, kind), "the zero point of an input")
    check_result_zero(y_zero, kind)
    codes = np.arange(256, dtype=np.uint8).view(kind)
    zero = None if x_zero is None else x_zero.reshape(())
    numbers = dequantized(codes, np.asarray(single(x_scale)), zero)
    target = None if y_zero is None else y_zero.reshape(())
    return quantized(function(numbers), np.asarray(divisor_of(y_scale)), target, kind.name)


@standard("LookUp", domain=OURS, overwrites=(0,))
def looked_up(x: Array, table: Array) -> Array:
    """Return the entry of each code, by its bits as uint8."""
    return np.asarray(table[x.view(np.uint8)])


@standard("Rescale", domain=OURS, overwrites=(0,))
def rescale(
    x: Array,
    x_scale: Array,
    x_zero: Array | None,
    y_scale: Array,
    y_zero: Array,
    *,
    least: int = -(2**15),
    most: int = 2**16 - 1,
    alpha: float = 1.0,
) -> Array:
    """Change scale, zero point or type of codes; numbers below 0 are multiplied by ``alpha``.

    ``least`` and ``most`` are codes that results are between, as ReLU and Clip want it.
    """
    number = _number(x, x_scale, x_zero)
    kept = np.where(number < 0, number * F(alpha), number)
    codes = _codes(kept, y_scale, y_zero, x.dtype)
    return np.clip(codes, *kept_ends(codes.dtype, least, most)).astype(codes.dtype)


def kept_ends(kind: np.dtype[Any], least: int, most: int) -> tuple[int, int]:
    """Return the codes that results of a type are between.

    Examples
    --------
    >>> kept_ends(np.dtype(np.uint16), -32768, 900)
    (0, 900)
    """
    limits = np.iinfo(kind)
    low, high = (min(max(end, int(limits.min)), int(limits.max)) for end in (least, most))
    return low, high


def leaky(alpha: float) -> Callable[[Array], Array]:
    """Return the function of a LeakyRelu."""
    return lambda x: np.where(x < 0, F(alpha) * x, x)


def sigmoid(x: Array) -> Array:
    """Return 1 / (1 + exp(-x)) of float32 numbers."""
    with np.errstate(over="ignore"):  # 1 / infinity is 0, as it should be
        return np.asarray(1 / (1 + np.exp(-x)), x.dtype)


@standard("QLinearLeakyRelu", domain=MICROSOFT, overwrites=(0,))
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
    return looked_up(x, table_of(x.dtype, x_scale, x_zero, y_scale, y_zero, leaky(alpha)))


@standard("QLinearSigmoid", domain=MICROSOFT, overwrites=(0,))
def q_linear_sigmoid(
    x: Array, x_scale: Array, x_zero: Array | None, y_scale: Array, y_zero: Array | None
) -> Array:
    """Return 1 / (1 + exp(-x))."""
    return looked_up(x, table_of(x.dtype, x_scale, x_zero, y_scale, y_zero, sigmoid))


@standard("QLinearConcat", domain=MICROSOFT)
def q_linear_concat(y_scale: Array, y_zero: Array, *parts: Array, axis: int) -> Array:
    """Join quantized tensors, each with its own scale and zero point."""
    if len(parts) % 3:
        raise ShapeError.at(
            "", "inputs are tensor, scale, zero point each", found=f"{len(parts)} inputs"
        )
    triples = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    joined = [
        looked_up(x, table_of(x.dtype, scale, zero, y_scale, y_zero, lambda v: v))
        for x, scale, zero in triples
    ]
    return np.concatenate(joined, axis)


def mean_factor(x_scale: Array, y_scale: Array, count: int) -> np.float32:
    """Return the factor of a sum of ``count`` codes that makes a mean of it."""
    return F(single(x_scale) / F(divisor_of(y_scale) * F(count)))


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
    total = x.astype(np.int64).sum(axes, keepdims=True) - int(offset_of(x_zero)) * count
    factor = np.asarray(mean_factor(x_scale, y_scale, count))
    like = y_zero.dtype if is_wide(x, y_zero) and y_zero is not None else x.dtype
    return requantized(total, factor, y_zero, like)


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
    """Return the mean of each window; terms are added tap by tap, row by row of the kernel."""
    if not is_wide(x, y_zero):
        check_result_zero(y_zero, x.dtype)
    data = np.moveaxis(x, -1, 1) if channels_last else x
    sliding = options.over(data.shape[2:], ceil_mode=ceil_mode)
    if tuple(sliding.kernel) == data.shape[2:] and not any(sliding.pads):
        return q_linear_global_average_pool(
            x, x_scale, x_zero, y_scale, y_zero, channels_last=channels_last
        )
    views = sliding.views(_number(data, x_scale, x_zero))
    total = np.zeros((*views.shape[:2], *sliding.counts), F)
    for tap in np.ndindex(*sliding.kernel):
        total = total + views[(slice(None), slice(None), *tap)]
    mean = total / window_sizes(sliding, data.shape[2:], bool(count_include_pad))
    if is_wide(x, y_zero):
        result = _codes(np.asarray(mean, F), y_scale, y_zero, x.dtype)
    else:
        scaled = np.asarray(mean, F) / divisor_of(y_scale) + offset_of(y_zero)
        result = rounded_codes(scaled, x.dtype)
    return np.moveaxis(result, 1, -1) if channels_last else result


def softmax_table(x_scale: Array) -> Array:
    """Return exp of the 256 differences that a code can have to the largest of its line."""
    differences = np.arange(-255, 1, dtype=np.float64) * float(single(x_scale))
    return np.asarray(np.exp(differences), F)


def softmax_levels(y_scale: Array) -> np.float32:
    """Return the whole number of steps of the output scale between 0 and 1."""
    return F(np.floor(F(1) / divisor_of(y_scale)))


@standard("QLinearSoftmax", domain=MICROSOFT)
def q_linear_softmax(
    x: Array,
    x_scale: Array,
    x_zero: Array | None,
    y_scale: Array,
    y_zero: Array | None,
    *,
    opset: int,
    axis: int = -1,
) -> Array:
    """Return the softmax along an axis; up to opset 12, over all axes from it on.

    ONNX Runtime takes it as a code modulo 256 where it does not fit (a share of 1 at the scale
    1/256 without a zero point); here it is the largest code.
    """
    lines = np.moveaxis(x, axis, -1) if opset >= 13 else x.reshape(*x.shape[: axis % x.ndim], -1)
    powers = softmax_table(x_scale)[lines.astype(np.int64) - lines.max(-1, keepdims=True) + 255]
    total = np.zeros(powers.shape[:-1], F)
    for place in range(powers.shape[-1]):
        total = total + powers[..., place]
    shares = powers * softmax_levels(y_scale) / total[..., None]
    zero = None if y_zero is None else y_zero.reshape(())
    codes = requantized(np.asarray(shares, F), np.asarray(1, F), zero, x.dtype)
    return np.moveaxis(codes, -1, axis) if opset >= 13 else codes.reshape(x.shape)
