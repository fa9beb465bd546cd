"""Calls of products of 8-bit numbers for microcontrollers, with weights in the order of reading.

What does not suit them, such as weights that are computed, gets the calls for all targets.
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from aidge_nb.kernels.c.adapters import products, quantization, tflite
from aidge_nb.kernels.c.adapters.quantization import EIGHT_BITS
from aidge_nb.kernels.c.adapters.tflite_wide import ends_of, is_wide
from aidge_nb.kernels.c.calls import NULL, CCall, Constant, Fields, In, Out, Scratch, Site, c_kernel
from aidge_nb.kernels.cpu.quantization import tflite as tflite_codes

_RUN = 4  # taps of a row of weights that lie side by side, as in nb_dot.h
_ORDER = [0, 2, 1, 3]
TARGETS = ("cortex-m3", "cortex-m4", "cortex-m7", "cortex-m55")

Codes = NDArray[np.int8]


def packed_codes(weight: Codes, groups: int) -> Codes:
    """Arrange weights ``[out channels, in channels, *kernel]`` for nb_conv_codes.

    Examples
    --------
    >>> packed_codes(np.arange(1, 6, dtype=np.int8).reshape(1, 5), 1).reshape(-1, 2, 4).tolist()
    [[[1, 3, 2, 4], [0, 0, 0, 0]], [[5, 0, 0, 0], [0, 0, 0, 0]]]
    """
    rows = weight.reshape(groups, len(weight) // groups, -1)
    more = [(0, 0), (0, -rows.shape[1] % 2), (0, -rows.shape[2] % _RUN)]
    filled = np.pad(rows, more)
    runs = filled.reshape(groups, filled.shape[1] // 2, 2, filled.shape[2] // _RUN, _RUN)
    return np.ascontiguousarray(runs.transpose(0, 1, 3, 2, 4)[..., _ORDER]).reshape(-1)


def _known(site: Site, *indices: int) -> bool:
    return all(index in site.constants for index in indices if site.has(index))


def _signed(site: Site, weight: int, zero: int, shape: tuple[int, ...]) -> Codes | None:
    """Return weights less their zero points, unless some do not fit 8 bits."""
    wide = site.constant(weight).astype(np.int32)
    if site.has(zero):
        zeros = site.constant(zero).astype(np.int32).reshape(-1)
        if zeros.size not in (1, wide.shape[shape.index(-1)]):
            return None
        wide = wide - zeros.reshape(shape if zeros.size > 1 else (1,) * wide.ndim)
    narrow = wide.astype(np.int8)
    return narrow if np.array_equal(narrow, wide) else None


def _parameters(
    site: Site,
    weights: Codes,
    codes: tuple[Codes, int],
    bias: int,
    factor: NDArray[np.float32],
) -> tuple[Constant, Constant, Constant]:
    """Return weights ``codes`` in place of an input, biases with the zero point in them, factors.

    ``weights`` are those of each output channel, ``bias`` is an input.
    """
    outs = len(weights)
    zero = int(site.constant(2).reshape(-1)[0]) if site.has(2) else 0
    sums = weights.reshape(outs, -1).astype(np.int64).sum(axis=1)
    total = -zero * sums
    if site.has(bias):
        total = total + site.constant(bias).reshape(-1)
    return (
        Constant("weight", codes[0], of=codes[1]),
        Constant("bias", total.astype(np.int32), of=bias if site.has(bias) else None),
        Constant("factor", np.array(np.broadcast_to(factor.reshape(-1), (outs,)), np.float32)),
    )


def _call(
    site: Site, name: str, fields: Fields, parameters: tuple[Constant, ...], zero: int, scratch: int
) -> CCall:
    function = f"nb_{name}_codes_{'u8' if site.input(0).dtype is EIGHT_BITS[0] else 'i8'}"
    x_zero = In(2) if site.has(2) else NULL
    weight, bias, factor = parameters
    args = (In(0), weight, x_zero, bias, factor, In(zero), Out(0), Scratch())
    return CCall(function, f"nb_{name}_codes", "nb_conv_config", fields, args, scratch)


def _factor(call: CCall) -> NDArray[np.float32]:
    """Return the factors of a call for all targets."""
    found = (each for each in call.args if isinstance(each, Constant) and each.name == "factor")
    return next(found).array


def _columns(depth: int) -> int:
    """Return the bytes of two columns of 16-bit numbers."""
    return 2 * 2 * (depth + -depth % _RUN)


def _lines(fields: Fields) -> int:
    """Return the bytes of the taps and rows of a channel, as in nb_depthwise_codes.c."""
    kernel, dilations, strides, out = (
        _ints(fields, name) for name in ("kernel", "dilations", "strides", "out_dims")
    )
    span = (kernel[1] - 1) * dilations[1] + 1
    width = ((kernel[2] - 1) * dilations[2] + 2) // 2 * 2
    return 2 * (kernel[1] * width + span * ((out[2] + 2) * strides[2] + width))


def _ints(fields: Fields, name: str) -> tuple[int, ...]:
    value = fields[name]
    return tuple(map(int, value)) if isinstance(value, tuple) else ()


def q_linear_conv(site: Site) -> CCall:
    """Convolve and quantize; scales must be known."""
    general = quantization.q_linear_conv(site)
    shape = (-1,) + (1,) * (len(site.input(3).dims) - 1)
    if not _known(site, 2, 3, 5, 8):
        return general
    weights = _signed(site, 3, 5, shape)
    if weights is None or site.outputs[0].size == 0:
        return general
    fields, groups = general.fields, int(site.attrs.get("group", 1))
    factor = _factor(general)
    kernel = site.input(3).dims[2:]
    if site.input(3).dims[1] == 1 and len(kernel) <= 2:
        values = _parameters(site, weights, (weights.reshape(-1), 3), 8, factor)
        return _call(site, "depthwise", fields, values, 7, _lines(fields))
    codes = packed_codes(weights, groups)
    values = _parameters(site, weights, (codes, 3), 8, factor)
    return _call(site, "conv", fields, values, 7, _columns(prod(site.input(3).dims[1:])))


def _line_fields(batch: int, columns: int, depth: int) -> Fields:
    """Describe products of lines as convolutions of images of one pixel."""
    ones = dict.fromkeys(("in_dims", "out_dims", "kernel", "strides", "dilations"), (1, 1, 1))
    return {
        "batch": batch,
        "groups": 1,
        "in_channels": depth,
        "out_channels": columns,
        **ones,
        "pads": (0, 0, 0),
    }


def _fully_connected(
    site: Site, general: CCall, bias: int, zero: int, *, transposed: bool
) -> CCall:
    """Multiply rows by a matrix that is known; ``general`` is the call for all targets."""
    fields = general.fields
    by_column = not any(fields[name] for name in ("bias_row", "factor_row", "a_zero_step"))
    dims = site.input(3).dims
    if not _known(site, 2, 3, 5, bias) or len(dims) != 2 or not by_column:
        return general
    columns, depth = dims if transposed else dims[::-1]
    weights = _signed(site, 3, 5, (-1, 1) if transposed else (1, -1))
    if weights is None or fields["a_depth"] != 1 or not site.outputs[0].size or not depth:
        return general
    rows = weights if transposed else np.ascontiguousarray(weights.T)
    shape = _line_fields(site.outputs[0].size // columns, columns, depth)
    values = _parameters(site, rows, (packed_codes(rows, 1), 3), bias, _factor(general))
    return _call(site, "conv", shape, values, zero, _columns(depth))


def q_linear_mat_mul(site: Site) -> CCall:
    """Multiply matrices and quantize; scales must be known."""
    general = products.q_linear_mat_mul(site)
    return _fully_connected(site, general, len(site.inputs), 7, transposed=False)


def q_gemm(site: Site) -> CCall:
    """Multiply matrices, add a bias, and quantize; scales must be known."""
    general = products.q_gemm(site)
    if not site.has(7) or site.attrs.get("transA", 0):
        return general
    return _fully_connected(site, general, 6, 8, transposed=bool(site.attrs.get("transB", 0)))


def _fixed(
    site: Site, name: str, fields: Fields, weights: Codes, codes: Codes, at: tuple[int, int, int]
) -> CCall:
    """Call a kernel that rescales by whole numbers; ``at`` are y's zero, its scale and the bias."""
    zero, scale, bias = at
    outs, rows = len(weights), weights.reshape(len(weights), -1)
    pairs = tflite_codes.factors(site.constant(1), site.constant(4), site.constant(scale))
    by = np.array(np.broadcast_to(pairs, (outs, 2)))
    ends = [tflite_codes.whole(site.constant(zero)), *ends_of(site)]
    weight, offsets, _ = _parameters(site, weights, (codes, 3), bias, np.zeros(1, np.float32))
    args = (
        *(In(0), weight, In(2) if site.has(2) else NULL, offsets, Constant("by", by)),
        *(Constant("ends", np.asarray(ends, np.int32)), Out(0), Scratch()),
    )
    room = _lines(fields) if name == "depthwise" else _columns(rows.shape[1])
    unit = f"nb_{name}_codes"
    return CCall(f"{unit}_fixed", unit, "nb_conv_config", fields, args, room)


def tflite_conv(site: Site) -> CCall:
    """Convolve codes, and rescale as TensorFlow Lite does."""
    general = tflite.conv(site)
    if is_wide(site) or not _known(site, 2, 3, 5, 8) or site.outputs[0].size == 0:
        return general
    dims = site.input(3).dims
    weights = _signed(site, 3, 5, (-1,) + (1,) * (len(dims) - 1))
    if weights is None:
        return general
    fields, at = general.fields, (7, 6, 8)
    if dims[1] == 1 and len(dims) <= 4:
        return _fixed(site, "depthwise", fields, weights, weights.reshape(-1), at)
    codes = packed_codes(weights, int(site.attrs.get("group", 1)))
    return _fixed(site, "conv", fields, weights, codes, at)


def tflite_gemm(site: Site) -> CCall:
    """Multiply matrices of codes, and rescale as TensorFlow Lite does."""
    general = tflite.gemm(site)
    if is_wide(site) or not _known(site, 2, 3, 5, 6) or not site.outputs[0].size:
        return general
    weights = _signed(site, 3, 5, (-1, 1))
    if weights is None or not weights.size:
        return general
    fields = _line_fields(site.outputs[0].size // len(weights), *weights.shape)
    return _fixed(site, "conv", fields, weights, packed_codes(weights, 1), (8, 7, 6))


for _target in TARGETS:
    c_kernel("tflite.QLinearConv", target=_target)(tflite_conv)
    c_kernel("tflite.QGemm", target=_target)(tflite_gemm)
    c_kernel("QLinearConv", target=_target)(q_linear_conv)
    c_kernel("QLinearMatMul", target=_target)(q_linear_mat_mul)
    c_kernel("com.microsoft.QGemm", target=_target)(q_gemm)
