"""Calls of operators on 16-bit codes, and of LSTMs, that round as TensorFlow Lite does."""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.core.dtype import DType
from aidge_nb.kernels.c.adapters.common import need, refuse
from aidge_nb.kernels.c.adapters.quantization import quantized_conv_fields
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
from aidge_nb.kernels.cpu.quantization import tflite
from aidge_nb.kernels.cpu.quantization.interpolated import (
    sigmoid_table,
    softmax_factor,
    softmax_tables,
)

_UNIT = "nb_fixed_wide"
_SIXTEEN = (DType.int16,)


def is_wide(site: Site) -> bool:
    """Return whether an operator is one on 16-bit codes."""
    return site.input(0).dtype is DType.int16


def ends_of(site: Site) -> tuple[int, int]:
    """Return the least and the largest code that an activation leaves."""
    limits = (-32768, 32767) if is_wide(site) else (-128, 127)
    return int(site.attrs.get("least", limits[0])), int(site.attrs.get("most", limits[1]))


def _bias(site: Site, index: int) -> tuple[Argument, int]:
    """Return the bias with 64 bits, and whether sums are rescaled as such of 64 bits."""
    if not site.has(index):
        return NULL, 1
    bias = site.constant(index)
    wide = Constant("bias", bias.astype(np.int64), of=index)
    return wide, int(bias.dtype != np.int32)


def _no_zeros(site: Site, *indices: int) -> None:
    for index in indices:
        if site.has(index) and site.constant(index).any():
            found = site.constant(index).reshape(-1).tolist()[:4]
            raise refuse(site, "takes zero points other than 0 with 16-bit codes", found=found)


def conv(site: Site) -> CCall:
    """Convolve 16-bit codes with 8-bit weights."""
    need(site, (DType.int8,), 3)
    _no_zeros(site, 2, 5, 7)
    outs = site.input(3).dims[0]
    factors = tflite.factors(site.constant(1), site.constant(4), site.constant(6))
    by = np.array(np.broadcast_to(factors, (outs, 2)))
    bias, wide = _bias(site, 8)
    ends = Constant("ends", np.asarray([*ends_of(site), wide], np.int32))
    args = (In(0), In(3), bias, Constant("by", by), ends, Out(0))
    fields = quantized_conv_fields(site, 3)
    return CCall("nb_conv_wide", _UNIT, "nb_conv_config", fields, args)


def product(site: Site, fields: Fields, by: Argument, bias: int | None) -> CCall:
    """Multiply matrices of 16-bit codes by such of 8 or 16 bits."""
    _no_zeros(site, 2, 5)
    added, wide = (NULL, 1) if bias is None else _bias(site, bias)
    ends = Constant("ends", np.asarray([*ends_of(site), wide], np.int32))
    if site.input(3).dtype is DType.int16:
        args: tuple[Argument, ...] = (In(0), In(3), by, ends, Out(0))
        return CCall("nb_matmul_wide", _UNIT, "nb_gemm_fixed_config", fields, args)
    need(site, (DType.int8,), 3)
    args = (In(0), In(3), added, by, ends, Out(0))
    return CCall("nb_gemm_wide", _UNIT, "nb_gemm_fixed_config", fields, args)


def softmax(site: Site, beta: float) -> CCall:
    """Return the softmax along the last axis."""
    dims = site.input(0).dims
    multiplier, shift = softmax_factor(tflite.real(site.constant(1)), beta)
    fields = {"outer": prod(dims[:-1]), "size": dims[-1], "multiplier": multiplier, "shift": shift}
    args = (In(0), Constant("tables", softmax_tables()), Out(0))
    return CCall("nb_softmax_wide", _UNIT, "nb_softmax_wide_config", fields, args)


@c_kernel("tflite.QLinearSigmoid", "tflite.QLinearTanh")
def curve(site: Site) -> CCall:
    """Return the sigmoid or the tangent, between entries of a table."""
    need(site, _SIXTEEN)
    fields = {
        "count": site.input(0).size,
        "multiplier": int(site.attrs["multiplier"]),
        "shift": int(site.attrs["shift"]),
        "is_tangent": int(site.spec.type == "QLinearTanh"),
    }
    args = (In(0), Constant("table", sigmoid_table()), Out(0))
    return CCall("nb_curve_wide", _UNIT, "nb_curve_config", fields, args)


@c_kernel("tflite.QLinearRescale")
def rescale(site: Site) -> CCall:
    """Rescale codes, by another factor below zero."""
    kinds = {DType.int8: "i8", DType.int16: "i16"}
    given, result = site.input(0).dtype, site.outputs[0].dtype
    if given not in kinds or result not in kinds or given is result is DType.int8:
        raise refuse(site, "rescales these types", found=f"{given.name} to {result.name}")
    zeros = [tflite.whole(site.constant(index)) for index in (1, 2)]
    ends = int(site.attrs["least"]), int(site.attrs["most"])
    numbers = [zeros[0], *(int(each) for each in site.attrs["by"]), zeros[1], *ends]
    args = (In(0), Constant("by", np.asarray(numbers, np.int32)), Out(0))
    name, fields = f"nb_rescale_{kinds[given]}{kinds[result]}", {"count": site.input(0).size}
    return CCall(name, _UNIT, "nb_rescale_config", fields, args)


@c_kernel("tflite.QLinearLSTM")
def lstm(site: Site) -> CCall:
    """Run an LSTM over sequences."""
    need(site, (DType.int8, DType.int16))
    first, second, inputs = site.input(0).dims
    units, is_first = site.input(1).dims[1], bool(site.attrs.get("time_major", 0))
    steps, batch = (first, second) if is_first else (second, first)
    per_batch, per_step = (1, batch) if is_first else (steps, 1)
    fields = {
        "batch": batch,
        "steps": steps,
        "inputs": inputs,
        "units": units,
        "x_batch": per_batch * inputs,
        "x_step": per_step * inputs,
        "y_batch": per_batch * units,
        "y_step": per_step * units,
        "x_zero": tflite.whole(site.constant(4)),
        "y_zero": tflite.whole(site.constant(5)),
    }
    table = Constant("table", sigmoid_table())
    args = (In(0), In(1), In(2), In(3), In(6), table, Scratch(), Out(0))
    name = "nb_lstm_wide" if is_wide(site) else "nb_lstm_fixed_i8"
    config = "nb_lstm_fixed_config"
    return CCall(name, "nb_fixed_more", config, fields, args, scratch=10 * units)
