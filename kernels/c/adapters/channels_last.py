"""Calls of convolutions whose pixels have their channels side by side, and of what follows them.

Programs lay data out so between convolutions; who plans them says where. What follows a convolution
element by element is done before its results are stored: the operations are the same, and so are
the bits.
"""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.core.dtype import DType
from aidge_nb.kernels.c.adapters.convolution import packed
from aidge_nb.kernels.c.adapters.finish import Finish
from aidge_nb.kernels.c.calls import NULL, Argument, CCall, Constant, Fields, In, Out, Site
from aidge_nb.ops import pooling
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS

_LEAST = 16  # channels: with fewer there is little to do side by side
_PACK = 96  # channels of a block of weights, as in nb_conv_last.c
_WINDOW = (
    *("in_dims", "out_dims", "kernel", "strides", "dilations", "pads"),
    *("low", "high", "counted_low", "counted_high"),
)
_TAPS = 25  # of a kernel whose pixels may be anywhere, as there


def is_conv(site: Site) -> bool:
    """Tell whether a convolution can read and write pixels with their channels side by side."""
    if not _is_flat(site, (*CONVS, *DEPTHWISE_CONVS)) or is_depthwise(site):
        return False
    is_one = site.spec in CONVS and site.attrs["group"] == 1
    return is_one and site.outputs[0].dims[1] >= _LEAST and prod(site.outputs[0].dims[2:]) > 1


def is_depthwise(site: Site) -> bool:
    """Tell whether each channel has weights of its own, and channels can lie side by side."""
    if not _is_flat(site, (*CONVS, *DEPTHWISE_CONVS)):
        return False
    channels = site.input(0).dims[1]
    groups = channels if site.spec in DEPTHWISE_CONVS else site.attrs["group"]
    return groups == channels == site.outputs[0].dims[1] >= _LEAST


def is_mean(site: Site) -> bool:
    """Tell whether it is the mean of each channel, which can be read either way."""
    return site.spec is pooling.GLOBAL_AVERAGE_POOLING and len(site.input(0).dims) == 4


def is_pool(site: Site, call: CCall) -> bool:
    """Tell whether a call is a pooling over rows and columns that can be done channels last."""
    fits = len(site.input(0).dims) == 4 and site.input(0).dims[1] >= _LEAST
    return fits and call.function in ("nb_max_pool_f32", "nb_average_pool_f32")


def pool_last(site: Site, call: CCall) -> CCall:
    """Return the call of a pooling for pixels with their channels side by side."""
    batch, channels = site.input(0).dims[:2]
    window = {name: call.fields[name][1:] for name in _WINDOW}  # type: ignore[index]  # of three
    fields: Fields = {"batch": batch, "channels": channels, **window}
    function = call.function.replace("_pool_", "_pool_last_")
    return CCall(function, "nb_pool_last", "nb_pool_last_config", fields, (In(0), Out(0)))


def _is_flat(site: Site, specs: tuple[object, ...]) -> bool:
    given = [each for each in (*site.inputs[:3], *site.outputs) if each is not None]
    return (
        site.spec in specs
        and len(site.input(0).dims) == 4
        and all(each.dtype is DType.float32 for each in given)
        and 1 in site.constants
    )


def conv_last(site: Site, finish: Finish, *, x_last: bool, y_last: bool, y_pixel: int = 0) -> CCall:
    """Call a convolution; ``x_last`` and ``y_last`` say where channels lie side by side.

    Pixels of the output may be further apart than its channels: ``y_pixel`` elements.
    """
    attrs = site.attrs
    batch, ins, *sizes = site.input(0).dims
    outs, *counts = site.outputs[0].dims[1:]
    fields: Fields = {
        "batch": batch,
        "in_channels": ins,
        "out_channels": outs,
        "in_dims": tuple(sizes),
        "out_dims": tuple(counts),
        "kernel": tuple(site.input(1).dims[2:]),
        "strides": tuple(attrs["stride_dims"]),
        "dilations": tuple(attrs["dilation_dims"]),
        "pads": tuple(attrs.get("pads", (0, 0)))[:2],
        "x_pixel": ins if x_last else 1,
        "x_channel": 1 if x_last else prod(sizes),
        "y_pixel": (y_pixel or outs) if y_last else 1,
        "y_channel": 1 if y_last else prod(counts),
        **finish.fields,
    }
    weight, name = site.constant(1), "nb_conv_last"
    if is_depthwise(site):
        array, name = np.ascontiguousarray(weight.reshape(outs, -1).T), "nb_depthwise_last"
    else:
        array = packed(weight, 1, _PACK)
    args: tuple[Argument, ...] = (
        In(0),
        Constant("weight", array, of=1),
        In(2) if site.has(2) else NULL,
        *finish.args,
    )
    if name == "nb_conv_last":
        args += (_outside(site, x_last=x_last),)
    return CCall(f"{name}_f32", name, "nb_conv_last_config", fields, (*args, Out(0)))


def _outside(site: Site, *, x_last: bool) -> Argument:
    """Return zeros for what a convolution reads outside, where they cannot change a bit.

    A sum that does not begin with -0 never is -0, so that adding 0 keeps it; but 0 times a weight
    that is not finite is NaN.
    """
    fits = x_last and prod(site.input(1).dims[2:]) <= _TAPS and np.isfinite(site.constant(1)).all()
    if fits and site.has(2):
        bias = site.constant(2) if 2 in site.constants else None
        fits = bias is not None and not (np.signbit(bias) & (bias == 0)).any()
    return Constant("outside", np.zeros(site.input(0).dims[1], np.float32)) if fits else NULL


def mean_last(site: Site) -> CCall:
    """Return the mean of each channel, of pixels with their channels side by side."""
    batch, channels, *sizes = site.input(0).dims
    pixels = prod(sizes)
    fields: Fields = {
        "rank": 2,
        "dims": (batch, channels),
        "strides": (channels * pixels, 1),
        "over_rank": 1,
        "over_dims": (pixels,),
        "over_strides": (channels,),
        "count": float(pixels),
    }
    return CCall("nb_reduce_mean_f32", "nb_reduce", "nb_reduce_config", fields, (In(0), Out(0)))
