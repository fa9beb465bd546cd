"""Calls of operators on codes that round as TensorFlow Lite does; scales must be known."""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.core.dtype import DType
from aidge_nb.kernels.c.adapters import tflite_wide
from aidge_nb.kernels.c.adapters.arithmetic import binary_fields
from aidge_nb.kernels.c.adapters.common import F32, need, refuse
from aidge_nb.kernels.c.adapters.pooling import pool_fields
from aidge_nb.kernels.c.adapters.quantization import quantized_conv_fields, weight_zeros, zero_of
from aidge_nb.kernels.c.adapters.tflite_wide import ends_of, is_wide
from aidge_nb.kernels.c.calls import NULL, Argument, CCall, Constant, In, Out, Site, c_kernel
from aidge_nb.kernels.cpu.common.sliding import WindowOptions
from aidge_nb.kernels.cpu.quantization import tflite, tflite_pointwise
from aidge_nb.kernels.cpu.quantization.fixed_point import exponential_table
from aidge_nb.kernels.options import OPTIONS, with_options
from aidge_nb.kernels.standard import AnyCoding, Coding

_UNIT = "nb_fixed"
_SIGNED = (DType.int8,)


def _by(*numbers: int) -> Constant:
    return Constant("by", np.asarray(numbers, np.int32))


def _factors(site: Site, x: int, w: int, y: int) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    return tflite.factors(site.constant(x), site.constant(w), site.constant(y))


@c_kernel("tflite.QuantizeLinear", "tflite.QuantizeImage")
def quantize(site: Site) -> CCall:
    """Quantize float32 numbers to 8 or 16 bits, perhaps an image of another layout."""
    need(site, F32, 0, 1)
    wide = site.outputs[0].dtype is DType.int16
    args = (In(0), In(1), zero_of(site, 2, DType.int16 if wide else DType.int8), Out(0))
    fields = {"batch": 1, "pixels": site.input(0).size, "channels": 1}
    if site.spec.type == "QuantizeImage":
        batch, rows, columns, channels = site.input(0).dims
        fields = {"batch": batch, "pixels": rows * columns, "channels": channels}
    name, unit = (
        ("nb_quantize_away_i16", "nb_fixed_wide") if wide else ("nb_quantize_away_i8", _UNIT)
    )
    return CCall(name, unit, "nb_quantize_away_config", fields, args)


@c_kernel("tflite.QLinearConv")
def conv(site: Site) -> CCall:
    """Convolve codes."""
    if is_wide(site):
        return tflite_wide.conv(site)
    need(site, _SIGNED, 0, 3)
    outs = site.input(3).dims[0]
    by = np.array(np.broadcast_to(_factors(site, 1, 4, 6), (outs, 2)))
    ends = np.asarray([tflite.whole(site.constant(7)), *ends_of(site)], np.int32)
    args = (
        In(0),
        In(3),
        zero_of(site, 2, DType.int8),
        weight_zeros(site, 3, 5),
        In(8) if site.has(8) else NULL,
        Constant("by", by),
        Constant("ends", ends),
        Out(0),
    )
    fields = quantized_conv_fields(site, 3)
    return CCall("nb_conv_fixed_i8i8", "nb_conv_quantized", "nb_conv_config", fields, args)


@c_kernel("tflite.QGemm")
def gemm(site: Site) -> CCall:
    """Multiply matrices of codes, and add a bias."""
    columns, depth = site.input(3).dims
    if not site.attrs.get("transB", 1):
        raise refuse(site, "multiplies by weights that are not turned")
    zeros = site.constant(5).reshape(-1)
    if zeros.size > 1 and zeros.any():
        raise refuse(site, "takes a zero point per column", found=zeros.size)
    dims = 1, site.input(0).dims[0], depth, columns
    return _product(site, dims, (1, depth), (6, 7), 8)


@c_kernel("tflite.QLinearMatMul")
def mat_mul(site: Site) -> CCall:
    """Multiply stacks of matrices of codes."""
    a, b = site.input(0).dims, site.input(3).dims
    if len(a) < 2 or a[:-2] != b[:-2]:
        raise refuse(site, "repeats matrices", expected=list(a[:-2]), found=list(b[:-2]))
    dims = prod(a[:-2]), a[-2], a[-1], b[-1]
    return _product(site, dims, (b[-1], 1), None, 6)


def _product(
    site: Site,
    dims: tuple[int, int, int, int],
    steps: tuple[int, int],
    bias: tuple[int, int] | None,
    last: int,
) -> CCall:
    """Describe products; the scale and zero point of the result are two inputs."""
    y_scale, y_zero = (7, 8) if bias else (last, last + 1)
    by = _factors(site, 1, 4, y_scale)
    least, most = ends_of(site)
    batch, rows, depth, columns = dims
    fields = {
        "batch": batch,
        "rows": rows,
        "depth": depth,
        "columns": columns,
        "b_depth": steps[0],
        "b_column": steps[1],
        "a_zero": tflite.whole(site.constant(2)),
        "b_zero": tflite.whole(site.constant(5)),
        "by_step": 2 if len(by) > 1 else 0,
        "y_zero": tflite.whole(site.constant(y_zero)),
        "least": least,
        "most": most,
    }
    if is_wide(site):
        return tflite_wide.product(site, fields, Constant("by", by), 6 if bias else None)
    need(site, _SIGNED, 0, 3)
    added = In(bias[0]) if bias and site.has(bias[0]) else NULL
    args = (In(0), In(3), added, Constant("by", by), Out(0))
    return CCall("nb_gemm_fixed_i8", _UNIT, "nb_gemm_fixed_config", fields, args)


def _binary(site: Site, name: str, by: Constant) -> CCall:
    wide = is_wide(site)
    need(site, (DType.int16,) if wide else _SIGNED, 0, 3)
    fields = binary_fields(site.label, site.input(0).dims, site.input(3).dims, site.outputs[0].dims)
    suffix, unit = ("wide", "nb_fixed_wide") if wide else ("fixed_i8", _UNIT)
    args = (In(0), In(3), by, Out(0))
    return CCall(f"nb_{name}_{suffix}", unit, "nb_binary_config", fields, args)


@c_kernel("tflite.QLinearAdd")
def add(site: Site) -> CCall:
    """Add or subtract codes."""
    numbers = tflite.add_numbers(*_three(site))
    return _binary(site, "add", _by(*numbers, *ends_of(site), int(site.attrs.get("sign", 1))))


@c_kernel("tflite.QLinearMul")
def mul(site: Site) -> CCall:
    """Multiply codes."""
    zeros = [tflite.whole(site.constant(index)) for index in (2, 5, 7)]
    factor = _factors(site, 1, 4, 6).reshape(-1).tolist()
    return _binary(site, "mul", _by(*zeros[:2], *factor, zeros[2], *ends_of(site)))


@c_kernel("tflite.QLinearAveragePool")
def average_pool(site: Site) -> CCall:
    """Return the mean of each window."""
    wide = need(site, (*_SIGNED, DType.int16)) == "i16"
    options: WindowOptions = with_options(site.attrs, WindowOptions)[OPTIONS]
    window = options.over(site.input(0).dims[2:])
    fields = pool_fields(site, window, window.pads)
    ends = Constant("ends", np.asarray(ends_of(site), np.int32))
    args = (In(0), ends, Out(0))
    name = "nb_average_pool_wide" if wide else "nb_average_pool_fixed_i8"
    return CCall(name, "nb_fixed_wide" if wide else _UNIT, "nb_pool_config", fields, args)


@c_kernel("tflite.QLinearReduceMean")
def reduce_mean(site: Site) -> CCall:
    """Return the mean, or the sum, along axes that lie side by side."""
    wide = need(site, (*_SIGNED, DType.int16)) == "i16"
    dims = site.input(0).dims
    axes = sorted(int(axis) % len(dims) for axis in site.attrs["axes"])
    if axes != list(range(axes[0], axes[-1] + 1)):
        raise refuse(site, "takes means along axes that are apart", found=axes)
    count = prod(dims[axis] for axis in axes)
    is_sum = bool(site.attrs.get("is_sum", 0))
    multiplier, shift = tflite.mean_factor(site.constant(1), site.constant(3), count, is_sum)
    fields = {
        "outer": prod(dims[: axes[0]]),
        "size": count,
        "inner": prod(dims[axes[-1] + 1 :]),
        "x_zero": tflite.whole(site.constant(2)),
        "multiplier": multiplier,
        "shift": shift,
        "y_zero": tflite.whole(site.constant(4)),
    }
    name, unit = ("nb_mean_wide", "nb_fixed_wide") if wide else ("nb_mean_fixed_i8", _UNIT)
    return CCall(name, unit, "nb_mean_fixed_config", fields, (In(0), Out(0)))


@c_kernel("tflite.QLinearSoftmax")
def softmax(site: Site) -> CCall:
    """Return the softmax along the last axis."""
    need(site, (*_SIGNED, DType.int16))
    dims, beta = site.input(0).dims, float(site.attrs.get("beta", 1.0))
    if is_wide(site):
        return tflite_wide.softmax(site, beta)
    table = exponential_table(tflite.real(site.constant(1)), beta)
    fields = {"outer": prod(dims[:-1]), "size": dims[-1]}
    args = (In(0), Constant("table", table), Out(0))
    return CCall("nb_softmax_fixed_i8", _UNIT, "nb_softmax_fixed_config", fields, args)


def _apart(site: Site, name: str, by: list[int], *tables: Constant) -> CCall:
    need(site, _SIGNED, 0, 3)
    fields = binary_fields(site.label, site.input(0).dims, site.input(3).dims, site.outputs[0].dims)
    args: tuple[Argument, ...] = (In(0), In(3), *tables, _by(*by), Out(0))
    return CCall(f"nb_{name}_fixed_i8", "nb_fixed_more", "nb_binary_config", fields, args)


def _three(site: Site) -> list[AnyCoding]:
    """Return the codings of two inputs and of the result."""
    return [Coding(site.constant(index), site.constant(index + 1)) for index in (1, 4, 6)]


@c_kernel("tflite.QLinearSquaredDifference")
def squared_difference(site: Site) -> CCall:
    """Return (a - b)² of codes."""
    numbers = tflite_pointwise.difference_numbers(*_three(site))
    if is_wide(site):
        return _binary(site, "square", _by(*numbers))
    return _apart(site, "square", numbers)


@c_kernel("tflite.QLinearPRelu")
def prelu(site: Site) -> CCall:
    """Rescale codes; those of negative numbers are multiplied by a slope."""
    by = tflite_pointwise.prelu_factors(*_three(site))
    zeros = [tflite.whole(each.zero) for each in _three(site)]
    return _apart(site, "prelu", [*zeros[:2], *by, zeros[2]])


@c_kernel("tflite.QLinearDiv")
def div(site: Site) -> CCall:
    """Divide codes."""
    by = tflite_pointwise.quotient_factor(*_three(site))
    zeros = [tflite.whole(each.zero) for each in _three(site)]
    inverses = Constant("inverses", tflite_pointwise.inverses(np.arange(257)).astype(np.int32))
    return _apart(site, "div", [*zeros[:2], *by, zeros[2], *ends_of(site)], inverses)


@c_kernel("tflite.QLinearBilinear")
def bilinear(site: Site) -> CCall:
    """Resize images of codes to rows and columns."""
    need(site, _SIGNED)
    dims, sizes = site.input(0).dims, [int(size) for size in site.attrs["sizes"]]
    ways = (bool(site.attrs.get("align_corners", 0)), bool(site.attrs.get("half_pixel", 0)))
    rows, columns = (
        tflite_pointwise.bilinear_places(size, wanted, *ways)
        for size, wanted in zip(dims[2:], sizes, strict=True)
    )
    fields = {
        "images": dims[0] * dims[1],
        "in_rows": dims[2],
        "in_columns": dims[3],
        "rows": sizes[0],
        "columns": sizes[1],
    }
    args = (In(0), Constant("rows", rows), Constant("columns", columns), Out(0))
    return CCall("nb_bilinear_fixed_i8", "nb_fixed_more", "nb_bilinear_config", fields, args)
