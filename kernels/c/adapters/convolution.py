"""Calls of convolutions, with or without padding in front."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from aidge_nb.kernels.c.adapters.common import F32, need, with_steps
from aidge_nb.kernels.c.adapters.linear import product_call
from aidge_nb.kernels.c.calls import (
    NULL,
    Argument,
    CCall,
    Constant,
    Fields,
    In,
    Out,
    Site,
    c_kernel,
)
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS, TRANSPOSED_CONVS

_FEW = 16  # with fewer columns a product has no use for wide vectors
_PACK = 32  # channels of a block of packed weights, as in nb_conv_packed_tiles.h


def filled(sizes: Sequence[int], with_: int = 1) -> tuple[int, ...]:
    """Put dimensions in front until there are three.

    Examples
    --------
    >>> filled([5, 7])
    (1, 5, 7)
    """
    return (with_,) * (3 - len(sizes)) + tuple(map(int, sizes))


def packed(
    weight: NDArray[np.float32], groups: int, channels: int = _PACK, least: int = 1
) -> NDArray[np.float32]:
    """Arrange weights ``[out channels, in channels, *kernel]`` in blocks of so many channels.

    Where fewer than ``least`` channels are left, they belong to the block before.

    Examples
    --------
    >>> packed(np.arange(4, dtype=np.float32).reshape(2, 1, 2), 1).tolist()
    [0.0, 2.0, 1.0, 3.0]
    >>> packed(np.arange(6, dtype=np.float32).reshape(3, 1, 2), 1, channels=2, least=2).tolist()
    [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]
    """
    outs = len(weight) // groups
    rows = weight.reshape(groups, outs, -1)
    firsts = range(0, max(outs - least + 1, min(outs, 1)), channels)
    blocks = [part.T.reshape(-1) for group in rows for part in np.split(group, firsts[1:])]
    return np.concatenate(blocks) if blocks else weight.reshape(-1)


@c_kernel(*CONVS, *DEPTHWISE_CONVS)
def conv(site: Site) -> CCall:
    """Choose a kernel: a product of matrices for 1×1, packed weights for others that are known."""
    need(site, F32, *(index for index in range(3) if site.has(index)))
    is_depthwise = site.spec in DEPTHWISE_CONVS
    groups = site.input(0).dims[1] if is_depthwise else int(site.attrs["group"])
    bias: Argument = In(2) if site.has(2) else NULL
    is_known, columns = 1 in site.constants, prod(site.input(0).dims[2:])
    if _is_product(site, groups) and (columns >= _FEW or not is_known):
        return _product(site, bias)
    if _is_product(site, groups) and columns == 1:
        return _product_of_one(site, bias)
    fields = with_steps(_fields(site, groups))
    weight: Argument
    if _is_depthwise(site, groups):
        weight, name = In(1), "nb_conv_depthwise"
    elif site.input(1).dims[0] > groups and is_known:
        weight = Constant("weight", packed(site.constant(1), groups), of=1)
        name = "nb_conv_packed"
    else:
        weight, name = In(1), "nb_conv"
    return CCall(f"{name}_f32", name, "nb_conv_config", fields, (In(0), weight, bias, Out(0)))


def _is_depthwise(site: Site, groups: int) -> bool:
    """Return whether few results share the one channel that each is computed from."""
    outs, ins, *kernel = site.input(1).dims
    is_flat = len(kernel) <= 2 and set(site.attrs["dilation_dims"]) == {1}
    return ins == 1 and outs < _FEW * groups and is_flat


def _is_product(site: Site, groups: int) -> bool:
    """Return whether each result reads one element per channel, and all are read."""
    attrs = site.attrs
    return (
        groups == 1
        and prod(site.input(1).dims[2:]) == 1
        and all(stride == 1 for stride in attrs["stride_dims"])
        and not any(attrs.get("pads", ()))
    )


def _product_of_one(site: Site, bias: Argument) -> CCall:
    """Multiply the one element of each channel by transposed weights, as FC does."""
    outs, depth = site.input(1).dims[:2]
    array = np.ascontiguousarray(site.constant(1).reshape(outs, depth).T)
    weight = Constant("weight", array, of=1)
    rows = site.input(0).dims[0]
    return product_call((rows, outs, depth), (In(0), depth, 1), (weight, outs, 1), (bias, 0, 1))


def _product(site: Site, bias: Argument) -> CCall:
    """Multiply weights ``[out, in]`` by data ``[in, elements]``, sample by sample."""
    batch, channels, *sizes = site.input(0).dims
    outs, columns = site.input(1).dims[0], prod(sizes)
    return product_call(
        (outs, columns, channels),
        (In(1), channels, 1),
        (In(0), columns, 1),
        (bias, 1, 0),
        ((batch,), (0,), (channels * columns,), (outs * columns,)),
    )


def _fields(site: Site, groups: int) -> Fields:
    rank, attrs = len(site.input(0).dims) - 2, site.attrs
    pads = tuple(attrs.get("pads", ())) or (0,) * rank
    return conv_fields(site, 1, groups, attrs["stride_dims"], attrs["dilation_dims"], pads)


def conv_fields(
    site: Site,
    weight: int,
    groups: int,
    strides: Sequence[int],
    dilations: Sequence[int],
    pads: Sequence[int],
) -> Fields:
    """Describe a convolution by the weights of input ``weight``; pads are begins, perhaps ends."""
    data, out = site.input(0).dims, site.outputs[0].dims
    return {
        "batch": data[0],
        "groups": groups,
        "in_channels": data[1] // groups,
        "out_channels": out[1] // groups,
        "in_dims": filled(data[2:]),
        "out_dims": filled(out[2:]),
        "kernel": filled(site.input(weight).dims[2:]),
        "strides": filled(strides),
        "dilations": filled(dilations),
        "pads": filled(pads[: len(data) - 2], 0),
    }


@c_kernel(*TRANSPOSED_CONVS)
def conv_transposed(site: Site) -> CCall:
    """Spread each element over a window."""
    need(site, F32, *(index for index in range(3) if site.has(index)))
    fields = _fields(site, int(site.attrs["group"]))
    args = (In(0), In(1), In(2) if site.has(2) else NULL, Out(0))
    unit = "nb_conv_transposed"
    return CCall("nb_conv_transposed_f32", unit, "nb_conv_transposed_config", fields, args)
