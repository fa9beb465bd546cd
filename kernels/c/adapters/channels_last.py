"""Calls of convolutions whose pixels have their channels side by side, and of what follows them.

Programs lay data out so between convolutions; who plans them says where. What follows a convolution
element by element is done before its results are stored: the operations are the same, and so are
the bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, prod

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dtype import DType
from aidge_nb.kernels.c.adapters.convolution import packed
from aidge_nb.kernels.c.calls import NULL, Argument, CCall, Constant, Fields, In, Out, Site
from aidge_nb.ops import pooling
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS

MORE = 3
"""The second addend, as an input of the node: behind data, weights and bias."""

FINISHED = ("nb_matmul_f32", "nb_conv_packed_f32", "nb_conv_depthwise_f32")
"""Functions that have one beside them which does what follows as well."""

_NORM, _PLUS_FIRST, _MORE, _LOW, _HIGH = (1 << bit for bit in range(5))  # as in nb_finish.h


@dataclass(frozen=True, eq=False)
class Finish:
    """Operations on sums, in this order.

    Examples
    --------
    >>> Finish(low=0.0).fields
    {'then': 8, 'low': 0.0, 'high': 0.0}
    """

    norm: NDArray[np.float32] | None = None  # a factor, then an offset per channel
    more: bool = False  # whether a tensor is added
    # what is less becomes ``low``, then what is more becomes ``high``
    low: float = -inf
    high: float = inf
    plus_first: bool = False  # whether offsets are added before factors multiply

    @property
    def fields(self) -> Fields:
        """The fields of a configuration that say it."""
        is_normed = self.norm is not None
        bits = (
            (is_normed, _NORM),
            (is_normed and self.plus_first, _PLUS_FIRST),
            (self.more, _MORE),
            (self.low != -inf, _LOW),
            (self.high != inf, _HIGH),
        )
        return {
            "then": sum(bit for is_set, bit in bits if is_set),
            "low": self.low if self.low != -inf else 0.0,
            "high": self.high if self.high != inf else 0.0,
        }

    @property
    def args(self) -> tuple[Argument, Argument]:
        """The operands of a call that it takes."""
        norm = NULL if self.norm is None else Constant("norm", self.norm)
        return norm, In(MORE) if self.more else NULL


def channel_axis(site: Site) -> int:
    """Return the axis of the output along which factors and offsets go."""
    is_conv = site.spec in (*CONVS, *DEPTHWISE_CONVS)
    return 1 if is_conv else len(site.outputs[0].dims) - 1


def finished(site: Site, call: CCall, finish: Finish) -> CCall:
    """Return the call of one of FINISHED that does what follows, too.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.kernels.c import c_calls, describe_site
    >>> view = aidge_nb.sequential([aidge_nb.FC(3, 2, name="fc")])
    >>> view.forward_dims([[1, 3]])
    True
    >>> node = view.get_node("fc")
    >>> finished(describe_site(node), *c_calls(node), Finish(low=0.0)).function
    'nb_matmul_then_f32'
    """
    fields = {**call.fields, **finish.fields}
    if call.unit == "nb_matmul":
        by_row = channel_axis(site) == 1 and call.fields["bias_row"] == 1
        fields |= {"norm_row": int(by_row), "norm_column": int(not by_row)}
        fields["norm_size"] = site.outputs[0].dims[channel_axis(site)]
    return CCall(
        call.function.replace("_f32", "_then_f32"),
        f"{call.unit}_then",
        call.config.replace("_config", "_then_config"),
        fields,
        (*call.args[:-1], *finish.args, Out(0)),
    )


_LEAST = 16  # channels: with fewer there is little to do side by side
_PACK = 96  # channels of a block of weights, as in nb_conv_last_tiles.h
_WINDOW = (
    *("in_dims", "out_dims", "kernel", "strides", "dilations", "pads"),
    *("low", "high", "counted_low", "counted_high"),
)
_TAPS = 25  # of a kernel of nb_conv_near, as there


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
    weight = site.constant(1)
    args: tuple[Argument, ...] = (In(2) if site.has(2) else NULL, *finish.args)
    name, array = "nb_conv_last", packed(weight, 1, _PACK, _LEAST)
    outside = _outside(site, x_last=x_last)
    if is_depthwise(site):
        name, array = "nb_depthwise_last", np.ascontiguousarray(weight.reshape(outs, -1).T)
    elif _is_point(fields):
        name = "nb_point_last"
    elif outside is not NULL:
        name, args = "nb_conv_near", (*args, outside)
    constant = Constant("weight", array, of=1)
    return CCall(
        f"{name}_f32", name, "nb_conv_last_config", fields, (In(0), constant, *args, Out(0))
    )


def _is_point(fields: Fields) -> bool:
    """Tell whether each pixel of the result needs the one at its place alone."""
    is_one = fields["kernel"] == fields["strides"] == (1, 1) and fields["pads"] == (0, 0)
    return is_one and fields["in_dims"] == fields["out_dims"]


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
