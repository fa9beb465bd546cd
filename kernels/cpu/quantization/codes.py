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
from aidge_nb.kernels.standard import (
    MICROSOFT,
    OURS,
    AnyCoding,
    Codes,
    Coding,
    check_zero,
    standard,
)

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


def _numbers(x: Codes[Array | None]) -> Array:
    """Return the numbers that codes with one scale stand for."""
    offset = None if x.zero is None else x.zero.reshape(-1)[0]
    return dequantized(x.codes, np.asarray(single(x.scale)), offset)


def _coded(x: Array, y: Coding[Array | None], like: np.dtype[np.generic]) -> Array:
    """Return codes with one scale, of the type of their zero point."""
    kind = like if y.zero is None else y.zero.dtype
    offset = None if y.zero is None else y.zero.reshape(-1)[0]
    return quantized(x, np.asarray(divisor_of(y.scale)), offset, kind.name)


def add_factors(a: AnyCoding, b: AnyCoding, y: AnyCoding) -> Array:
    """Return the three numbers of a sum of codes: a factor of a, one of b, and what is added."""
    left, right = single(a.scale) / divisor_of(y.scale), single(b.scale) / divisor_of(y.scale)
    zeros = fused(offset_of(a.zero), left, right * offset_of(b.zero))
    rest = offset_of(y.zero) - zeros
    return np.asarray([left, right, rest], F)


@standard("QLinearAdd", domain=MICROSOFT, overwrites=(0, 3))
def q_linear_add(a: Codes[Array | None], b: Codes[Array | None], c: Coding[Array | None]) -> Array:
    """Add quantized numbers, and quantize the sum."""
    kind = a.codes.dtype
    if is_wide(a.codes, b.codes, c.zero):
        return _coded(_numbers(a) + _numbers(b), c, kind)
    check_result_zero(c.zero, kind)
    left, right, rest = add_factors(a, b, c)
    return rounded_codes(
        fused(a.codes.astype(F), left, fused(b.codes.astype(F), right, rest)), kind
    )


def mul_factor(a: AnyCoding, b: AnyCoding, y: AnyCoding) -> np.float32:
    """Return the factor of a product of codes."""
    return F(single(a.scale) * single(b.scale) / divisor_of(y.scale))


@standard("QLinearMul", domain=MICROSOFT, overwrites=(0, 3))
def q_linear_mul(a: Codes[Array | None], b: Codes[Array | None], c: Coding[Array | None]) -> Array:
    """Multiply quantized numbers, and quantize the product."""
    kind = a.codes.dtype
    if is_wide(a.codes, b.codes, c.zero):
        return _coded(_numbers(a) * _numbers(b), c, kind)
    check_result_zero(c.zero, kind)
    left, right = (each.codes.astype(F) - offset_of(each.zero) for each in (a, b))
    return rounded_codes(left * right * mul_factor(a, b, c) + offset_of(c.zero), kind)


def table_of(
    kind: np.dtype[np.generic], x: AnyCoding, y: AnyCoding, function: Callable[[Array], Array]
) -> Array:
    """Return the 256 results of a function of one code, by the bits of the code as uint8.

    Raise ShapeError for zero points that this type has not.
    """
    check_zero(x.zero, np.zeros(0, kind), "the zero point of an input")
    check_result_zero(y.zero, kind)
    codes = np.arange(256, dtype=np.uint8).view(kind)
    zero = None if x.zero is None else x.zero.reshape(())
    numbers = dequantized(codes, np.asarray(single(x.scale)), zero)
    target = None if y.zero is None else y.zero.reshape(())
    return quantized(function(numbers), np.asarray(divisor_of(y.scale)), target, kind.name)


def _through_table(
    x: Codes[Array | None], y: AnyCoding, function: Callable[[Array], Array]
) -> Array:
    return looked_up(x.codes, table_of(x.codes.dtype, x, y, function))


@standard("LookUp", domain=OURS, overwrites=(0,))
def looked_up(x: Array, table: Array) -> Array:
    """Return the entry of each code, by its bits as uint8."""
    return np.asarray(table[x.view(np.uint8)])


@standard("Rescale", domain=OURS, overwrites=(0,))
def rescale(
    x: Codes[Array | None],
    y: Coding[Array],
    *,
    least: int = -(2**15),
    most: int = 2**16 - 1,
    alpha: float = 1.0,
) -> Array:
    """Change scale, zero point or type of codes; numbers below 0 are multiplied by ``alpha``.

    ``least`` and ``most`` are codes that results are between, as ReLU and Clip want it.
    """
    number = _numbers(x)
    kept = np.where(number < 0, number * F(alpha), number)
    codes = _coded(kept, y, x.codes.dtype)
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
    x: Codes[Array | None], y: Coding[Array | None], *, alpha: float = 0.01
) -> Array:
    """Scale negative numbers."""
    return _through_table(x, y, leaky(alpha))


@standard("QLinearSigmoid", domain=MICROSOFT, overwrites=(0,))
def q_linear_sigmoid(x: Codes[Array | None], y: Coding[Array | None]) -> Array:
    """Return 1 / (1 + exp(-x))."""
    return _through_table(x, y, sigmoid)


@standard("QLinearConcat", domain=MICROSOFT)
def q_linear_concat(y: Coding[Array], *parts: Array, axis: int) -> Array:
    """Join quantized tensors, each with its own scale and zero point."""
    if len(parts) % 3:
        raise ShapeError.at(
            "", "inputs are tensor, scale, zero point each", found=f"{len(parts)} inputs"
        )
    triples = map(Codes, parts[::3], parts[1::3], parts[2::3])
    return np.concatenate([_through_table(x, y, lambda v: v) for x in triples], axis)


def mean_factor(x: AnyCoding, y: AnyCoding, count: int) -> np.float32:
    """Return the factor of a sum of ``count`` codes that makes a mean of it."""
    return F(single(x.scale) / F(divisor_of(y.scale) * F(count)))


@standard("QLinearGlobalAveragePool", domain=MICROSOFT)
def q_linear_global_average_pool(
    x: Codes[Array | None], y: Coding[Array | None], *, channels_last: int = 0
) -> Array:
    """Return the mean of each channel."""
    data = x.codes
    axes = tuple(range(1, data.ndim - 1)) if channels_last else tuple(range(2, data.ndim))
    count = int(np.prod([data.shape[axis] for axis in axes]))
    total = data.astype(np.int64).sum(axes, keepdims=True) - int(offset_of(x.zero)) * count
    like = y.zero.dtype if is_wide(data, y.zero) and y.zero is not None else data.dtype
    return requantized(total, np.asarray(mean_factor(x, y, count)), y.zero, like)


@standard("QLinearAveragePool", domain=MICROSOFT, options=WindowOptions)
def q_linear_average_pool(
    x: Codes[Array | None],
    y: Coding[Array | None],
    *,
    options: WindowOptions,
    ceil_mode: int = 0,
    channels_last: int = 0,
    count_include_pad: int = 0,
) -> Array:
    """Return the mean of each window; terms are added tap by tap, row by row of the kernel."""
    kind, wide = x.codes.dtype, is_wide(x.codes, y.zero)
    if not wide:
        check_result_zero(y.zero, kind)
    data = np.moveaxis(x.codes, -1, 1) if channels_last else x.codes
    sliding = options.over(data.shape[2:], ceil_mode=ceil_mode)
    if tuple(sliding.kernel) == data.shape[2:] and not any(sliding.pads):
        return q_linear_global_average_pool(x, y, channels_last=channels_last)
    views = sliding.views(_numbers(x._replace(codes=data)))
    total = np.zeros((*views.shape[:2], *sliding.counts), F)
    for tap in np.ndindex(*sliding.kernel):
        total = total + views[(slice(None), slice(None), *tap)]
    mean = np.asarray(total / window_sizes(sliding, data.shape[2:], bool(count_include_pad)), F)
    if wide:
        result = _coded(mean, y, kind)
    else:
        result = rounded_codes(mean / divisor_of(y.scale) + offset_of(y.zero), kind)
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
    x: Codes[Array | None], y: Coding[Array | None], *, opset: int, axis: int = -1
) -> Array:
    """Return the softmax along an axis; up to opset 12, over all axes from it on.

    ONNX Runtime takes it as a code modulo 256 where it does not fit (a share of 1 at the scale
    1/256 without a zero point); here it is the largest code.
    """
    data = x.codes
    flat = (*data.shape[: axis % data.ndim], -1)
    lines = np.moveaxis(data, axis, -1) if opset >= 13 else data.reshape(flat)
    powers = softmax_table(x.scale)[lines.astype(np.int64) - lines.max(-1, keepdims=True) + 255]
    total = np.zeros(powers.shape[:-1], F)
    for place in range(powers.shape[-1]):
        total = total + powers[..., place]
    shares = powers * softmax_levels(y.scale) / total[..., None]
    zero = None if y.zero is None else y.zero.reshape(())
    codes = requantized(np.asarray(shares, F), np.asarray(1, F), zero, data.dtype)
    return np.moveaxis(codes, -1, axis) if opset >= 13 else codes.reshape(data.shape)
