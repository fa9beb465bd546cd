"""Calls of pooling, with or without padding in front."""

from __future__ import annotations

from math import prod

from aidge_nb.core.dtype import DType
from aidge_nb.kernels.c.adapters.common import F32, INTEGERS, need, refuse, with_steps
from aidge_nb.kernels.c.adapters.convolution import filled
from aidge_nb.kernels.c.adapters.reduction import reduce_call
from aidge_nb.kernels.c.calls import CCall, Fields, In, Out, Site, c_kernel
from aidge_nb.kernels.cpu.common.sliding import PaddedWindow
from aidge_nb.ops import pooling as specs


@c_kernel(*specs.MAX_POOLINGS)
def max_pooling(site: Site) -> CCall:
    """Return the largest element of each window, and perhaps where it is."""
    suffix = need(site, (*F32, DType.int8, DType.uint8, DType.int16, DType.uint16))
    fields = _fields(site)
    if len(site.outputs) > 1 and 1 not in site.unread:
        if suffix != "f32":
            raise refuse(site, "gives the indices of integers")
        args = (In(0), Out(0), Out(1))
        return CCall("nb_max_pool_places_f32", "nb_pool_more", "nb_pool_config", fields, args)
    name, unit = f"nb_max_pool_{suffix}", "nb_pool" if suffix == "f32" else "nb_pool_more"
    return CCall(name, unit, "nb_pool_config", fields, (In(0), Out(0)))


@c_kernel(*specs.AVG_POOLINGS)
def avg_pooling(site: Site) -> CCall:
    """Return the mean of each window."""
    need(site, F32)
    args = (In(0), Out(0))
    return CCall("nb_average_pool_f32", "nb_pool", "nb_pool_config", _fields(site), args)


def _fields(site: Site) -> Fields:
    attrs, zeros = site.attrs, (0,) * (2 * len(site.input(0).dims) - 4)
    counts = tuple(site.outputs[0].dims[2:])
    kernel, strides, dilations = (
        tuple(attrs[name]) for name in ("kernel_dims", "stride_dims", "dilations")
    )
    pads = tuple(attrs.get("pads", ())) or zeros
    window = PaddedWindow(kernel, strides, dilations, pads, counts)
    ignored = tuple(attrs.get("ignore_pads", ())) or zeros
    return pool_fields(site, window, ignored, column_major=bool(attrs.get("storage_order", False)))


def pool_fields(
    site: Site, window: PaddedWindow, ignored: tuple[int, ...], *, column_major: bool = False
) -> Fields:
    """Describe a pooling of input 0; ``ignored`` of the padding does not count for means."""
    data = site.input(0).dims
    sizes, rank, pads = data[2:], len(data) - 2, window.pads
    counted_low = [ignored[i] - pads[i] for i in range(rank)]
    counted_high = [size + pads[rank + i] - ignored[rank + i] for i, size in enumerate(sizes)]
    low = [max(0, value) for value in counted_low]
    high = [min(size, value) for size, value in zip(sizes, counted_high, strict=True)]
    fields: Fields = {
        "channels": prod(data[:2]),
        "in_dims": filled(sizes),
        "out_dims": filled(window.counts),
        "kernel": filled(window.kernel),
        "strides": filled(window.strides),
        "dilations": filled(window.dilations),
        "pads": filled(pads[:rank], 0),
        "low": filled(low, 0),
        "high": filled(high),
        "counted_low": filled(counted_low, 0),
        "counted_high": filled(counted_high),
        "column_major": int(column_major),
    }
    return with_steps(fields)


@c_kernel(specs.GLOBAL_AVERAGE_POOLING)
def global_average_pooling(site: Site) -> CCall:
    """Return the mean of each channel."""
    need(site, F32)
    return reduce_call(site, "mean", tuple(range(2, len(site.input(0).dims))))


@c_kernel(specs.GLOBAL_MAX_POOLING)
def global_max_pooling(site: Site) -> CCall:
    """Return the largest element of each channel."""
    need(site, (*F32, *INTEGERS))
    return reduce_call(site, "max", tuple(range(2, len(site.input(0).dims))))
