"""Calls of operators from codes to codes, of com.microsoft and ours; scales must be known."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from aidge_nb.kernels.c.adapters.arithmetic import binary_fields
from aidge_nb.kernels.c.adapters.common import axis_fields, need, refuse
from aidge_nb.kernels.c.adapters.convolution import conv_fields
from aidge_nb.kernels.c.adapters.pooling import pool_fields
from aidge_nb.kernels.c.adapters.quantization import (
    EIGHT_BITS,
    SIXTEEN_BITS,
    factor_of,
    is_mixed,
    mixed,
    need_room,
    pair,
    same_type,
    zero_of,
)
from aidge_nb.kernels.c.calls import NULL, Argument, CCall, Constant, In, Out, Site, c_kernel
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.sliding import WindowOptions
from aidge_nb.kernels.cpu.convolution.standard import Spreading
from aidge_nb.kernels.cpu.quantization import codes
from aidge_nb.kernels.cpu.quantization.ours import WEIGHT_BITS, LinearOptions, linear_places
from aidge_nb.kernels.cpu.quantization.standard import largest_sum
from aidge_nb.kernels.options import OPTIONS, with_options
from aidge_nb.kernels.standard import Coding, check_zero

_UNIT = "nb_codes"
_MIXED = "nb_mixed_codes"


def _zero(site: Site, index: int, of: int = 0) -> Array | None:
    """Return a zero point; raise ExportError for one that codes like those of an input have not."""
    zero = site.constant(index) if site.has(index) else None
    codes_of = np.zeros(0, site.input(of).dtype.numpy)
    check_zero(zero, codes_of, f"{site.label}: input#{index}")
    return zero


def _numbers(*values: np.float32 | float) -> Constant:
    return Constant("by", np.asarray(values, np.float32))


def _coding(site: Site, scale: int, of: int = 0) -> Coding[Array | None]:
    """Return a scale and the zero point behind it, for codes of the type of input ``of``."""
    return Coding(site.constant(scale), _zero(site, scale + 1, of))


def _scales(site: Site, *pairs: tuple[int, int]) -> list[np.float32]:
    """Return the scale and the zero point of each of some codes."""
    found = []
    for scale, zero in pairs:
        offset = codes.offset_of(site.constant(zero) if site.has(zero) else None)
        found += [codes.single(site.constant(scale)), offset]
    return found


def _mixed_binary(site: Site, name: str) -> CCall:
    """Combine two tensors of codes where some have 16 bits."""
    suffix = mixed(site, 0, 3)
    fields = binary_fields(site.label, site.input(0).dims, site.input(3).dims, site.outputs[0].dims)
    args = (In(0), In(3), _numbers(*_scales(site, (1, 2), (4, 5), (6, 7))), Out(0))
    return CCall(f"nb_{name}_mixed_{suffix}", _MIXED, "nb_binary_config", fields, args)


def _binary(site: Site, name: str, by: Constant) -> CCall:
    suffix = need(site, EIGHT_BITS, 0, 3)
    fields = binary_fields(site.label, site.input(0).dims, site.input(3).dims, site.outputs[0].dims)
    args = (In(0), In(3), by, Out(0))
    return CCall(f"nb_{name}_codes_{suffix}", _UNIT, "nb_binary_config", fields, args)


@c_kernel("com.microsoft.QLinearAdd")
def add(site: Site) -> CCall:
    """Add codes."""
    if is_mixed(site):
        return _mixed_binary(site, "add")
    three = (_coding(site, index) for index in (1, 4, 6))
    return _binary(site, "add", Constant("by", codes.add_factors(*three)))


@c_kernel("com.microsoft.QLinearMul")
def mul(site: Site) -> CCall:
    """Multiply codes."""
    if is_mixed(site):
        return _mixed_binary(site, "mul")
    three = [_coding(site, index) for index in (1, 4, 6)]
    zeros = (codes.offset_of(each.zero) for each in three)
    return _binary(site, "mul", _numbers(codes.mul_factor(*three), *zeros))


def _looked_up(site: Site, function: Callable[[Array], Array]) -> CCall:
    """Look the results of a function up in a table of 256."""
    need(site, EIGHT_BITS)
    kind = site.input(0).dtype.numpy
    table = codes.table_of(kind, _coding(site, 1), _coding(site, 3), function)
    size = site.input(0).size
    fields = {"outer": 1, "inner": size, "y_step": size}
    args = (In(0), Constant("table", table), Out(0))
    return CCall("nb_look_up", _UNIT, "nb_look_up_config", fields, args)


@c_kernel("aidge_nb.LookUp")
def look_up(site: Site) -> CCall:
    """Return the entry of each code."""
    need(site, EIGHT_BITS, 0)
    need(site, (*EIGHT_BITS, *SIXTEEN_BITS), 1)
    size = site.input(0).size
    fields = {"outer": 1, "inner": size, "y_step": size}
    name = "nb_look_up_wide" if is_mixed(site) else "nb_look_up"
    return CCall(name, _UNIT, "nb_look_up_config", fields, (In(0), In(1), Out(0)))


@c_kernel("aidge_nb.Rescale")
def rescale(site: Site) -> CCall:
    """Change the scale, the zero point or the type of codes."""
    suffix, kind = mixed(site), site.outputs[0].dtype.numpy
    limits = (int(site.attrs.get("least", -(2**15))), int(site.attrs.get("most", 2**16 - 1)))
    least, most = codes.kept_ends(kind, *limits)
    fields = {"count": site.input(0).size, "least": least, "most": most}
    by = _numbers(*_scales(site, (1, 2), (3, 4)), float(site.attrs.get("alpha", 1.0)))
    args = (In(0), by, Out(0))
    return CCall(f"nb_rescale_codes_{suffix}", _MIXED, "nb_rescale_codes_config", fields, args)


@c_kernel("com.microsoft.QLinearLeakyRelu")
def leaky_relu(site: Site) -> CCall:
    """Scale negative numbers."""
    return _looked_up(site, codes.leaky(float(site.attrs.get("alpha", 0.01))))


@c_kernel("com.microsoft.QLinearSigmoid")
def sigmoid(site: Site) -> CCall:
    """Return 1 / (1 + exp(-x))."""
    return _looked_up(site, codes.sigmoid)


@c_kernel("com.microsoft.QLinearConcat")
def concat(site: Site) -> tuple[CCall, ...]:
    """Join tensors, each converted by a table of its own."""
    out = site.outputs[0].dims
    axis = int(site.attrs["axis"]) % len(out)
    y_step, at, calls = prod(out[axis:]), 0, []
    for index in range(2, len(site.inputs), 3):
        need(site, EIGHT_BITS, index)
        x = site.input(index)
        given, wanted = _coding(site, index + 1, index), _coding(site, 0, index)
        table = codes.table_of(x.dtype.numpy, given, wanted, lambda v: v)
        inner = prod(x.dims[axis:])
        fields = {"outer": prod(out[:axis]), "inner": inner, "y_step": y_step}
        args = (In(index), Constant(f"table_{index // 3}", table), Out(0, at))
        calls.append(CCall("nb_look_up", _UNIT, "nb_look_up_config", fields, args))
        at += inner
    return tuple(calls)


@c_kernel("com.microsoft.QLinearGlobalAveragePool")
def global_average_pool(site: Site) -> CCall:
    """Return the mean of each channel."""
    is_wide, dims = is_mixed(site), site.input(0).dims
    suffix = mixed(site) if is_wide else need(site, EIGHT_BITS)
    is_last = bool(site.attrs.get("channels_last", 0))
    count = prod(dims[1:-1]) if is_last else prod(dims[2:])
    outer, inner = (dims[0], dims[-1]) if is_last else (prod(dims[:2]), 1)
    given = _coding(site, 1)
    zero = site.constant(4) if is_wide and site.has(4) else _zero(site, 4)
    factor = codes.mean_factor(given, Coding(site.constant(3), zero), count)
    by = _numbers(factor, codes.offset_of(given.zero), codes.offset_of(zero))
    fields = {"outer": outer, "size": count, "inner": inner}
    name, unit = ("nb_mean_mixed", _MIXED) if is_wide else ("nb_mean_codes", _UNIT)
    args = (In(0), by, Out(0))
    return CCall(f"{name}_{suffix}", unit, "nb_mean_codes_config", fields, args)


@c_kernel("com.microsoft.QLinearAveragePool")
def average_pool(site: Site) -> CCall:
    """Return the mean of each window."""
    is_wide = is_mixed(site)
    suffix = mixed(site) if is_wide else need(site, EIGHT_BITS)
    if site.attrs.get("channels_last", 0):
        raise refuse(site, "pools with channels last")
    sizes = site.input(0).dims[2:]
    options: WindowOptions = with_options(site.attrs, WindowOptions)[OPTIONS]
    window = options.over(sizes, ceil_mode=int(site.attrs.get("ceil_mode", 0)))
    if tuple(window.kernel) == sizes and not any(window.pads):
        return global_average_pool(site)
    counted = bool(site.attrs.get("count_include_pad", 0))
    fields = pool_fields(site, window, (0,) * len(window.pads) if counted else window.pads)
    if not is_wide:
        _zero(site, 4)
    by = _numbers(*_scales(site, (1, 2), (3, 4)))
    name = f"nb_average_pool_{'mixed_' if is_wide else ''}{suffix}"
    return CCall(name, "nb_pool_more", "nb_pool_config", fields, (In(0), by, Out(0)))


@c_kernel("com.microsoft.QLinearSoftmax")
def softmax(site: Site) -> CCall:
    """Return the softmax along an axis."""
    suffix, dims = need(site, EIGHT_BITS), site.input(0).dims
    axis = int(site.attrs.get("axis", -1)) % len(dims)
    fields = axis_fields(dims, axis)
    if site.attrs["opset"] < 13:
        fields = {"outer": prod(dims[:axis]), "size": prod(dims[axis:]), "inner": 1}
    by = _numbers(codes.softmax_levels(site.constant(3)), codes.offset_of(_zero(site, 4)))
    args = (In(0), Constant("table", codes.softmax_table(site.constant(1))), by, Out(0))
    name = f"nb_softmax_codes_{suffix}"
    return CCall(name, _UNIT, "nb_softmax_codes_config", fields, args)


@c_kernel("aidge_nb.QLinearConvTranspose")
def spread_codes(site: Site) -> CCall:
    """Add up windows scaled by codes, and quantize; scales must be known."""
    suffix = pair(site, 0, 3)
    same_type(site)
    group, dims = int(site.attrs.get("group", 1)), site.input(3).dims
    outs = group * dims[1]

    def per_channel(index: int) -> Array:
        return np.array(np.broadcast_to(site.constant(index).reshape(-1), (outs,)))

    zeros = per_channel(5).astype(np.int32)
    bias = site.constants.get(8) if site.has(8) else None
    weights = site.constants.get(3)
    most = dims[0] // group * prod(dims[2:]) * 255**2
    if weights is not None:
        by_group = weights.reshape(group, dims[0] // group, dims[1], -1).swapaxes(1, 2)
        most = largest_sum(by_group.reshape(outs, -1), zeros, bias)
    need_room(site, most)
    options: WindowOptions = with_options(site.attrs, WindowOptions)[OPTIONS]
    given = tuple(site.attrs.get("output_padding", ()))
    spreading = Spreading.of(site.input(0).dims[2:], dims[2:], options, given, ())
    pads = [inside.start for inside in spreading.inside]
    fields = conv_fields(site, 3, group, spreading.strides, spreading.dilations, pads)
    factor = np.broadcast_to(factor_of(site, 1, 4, 6).reshape(-1), (outs,))
    offsets: Argument = Constant("weight_zeros", zeros, of=5) if zeros.any() else NULL
    args = (
        *(In(0), In(3), zero_of(site, 2, site.input(0).dtype), offsets),
        In(8) if site.has(8) else NULL,
        *(Constant("factor", np.array(factor)), In(7), Out(0)),
    )
    config = "nb_conv_transposed_config"
    return CCall(f"nb_spread_codes_{suffix}", "nb_spread_codes", config, fields, args)


@c_kernel("aidge_nb.ResizeCodes")
def resize_codes(site: Site) -> CCall:
    """Resample codes linearly along two axes, or one of them as it is."""
    suffix, dims = need(site, EIGHT_BITS), tuple(site.input(0).dims)
    options: LinearOptions = with_options(site.attrs, LinearOptions)[OPTIONS]
    plan = {each.axis + 2: each for each in linear_places(dims, options)}
    dims, (first, second) = (1, 1, *dims), [0, 1, *sorted(plan)][-2:]
    fields: dict[str, Any] = {
        "outer": prod(dims[:first]),
        "in_rows": dims[first],
        "middle": prod(dims[first + 1 : second]),
        "in_columns": dims[second],
        "inner": prod(dims[second + 1 :]),
        "zero": int(site.attrs.get("zero", 0)),
    }
    args: list[Argument] = []
    for name, axis in (("row", first), ("column", second)):
        places = np.arange(dims[axis], dtype=np.int32)[None]
        weights = np.full_like(places, 1 << WEIGHT_BITS)
        if axis in plan:
            places, weights = plan[axis].places, plan[axis].weights
        fields |= {f"{name}s": places.shape[1], f"{name}_taps": len(places)}
        args += [Constant(f"{name}_places", places), Constant(f"{name}_weights", weights)]
    unit, config = "nb_resize_codes", "nb_resize_codes_config"
    return CCall(f"{unit}_{suffix}", unit, config, fields, (In(0), *args, Out(0)))
