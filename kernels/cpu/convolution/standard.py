"""Convolutions of any rank whose padding is worked out when they run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.sliding import PaddedWindow, convolved
from aidge_nb.kernels.cpu.common.windows import index
from aidge_nb.kernels.cpu.linear.standard import activated
from aidge_nb.kernels.standard import MICROSOFT, standard
from aidge_nb.ops.rules import spatial

Ints = tuple[int, ...]


@standard("Conv")
def conv(
    x: Array,
    w: Array,
    bias: Array | None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Ints = (),
    group: int = 1,
    kernel_shape: Ints = (),
    pads: Ints = (),
    strides: Ints = (),
) -> Array:
    """Convolve."""
    sliding = PaddedWindow.of(x.shape[2:], w.shape[2:], strides, dilations, pads, auto_pad)
    result = convolved(x, w, sliding, group)
    if bias is not None:
        result = result + bias.reshape(-1, *[1] * (x.ndim - 2))
    return np.asarray(result, x.dtype)


@dataclass(frozen=True)
class Spreading:
    """How windows are spread, one for each element, and added up.

    Attributes
    ----------
    kernel, strides, dilations, sizes
        Of the windows, and of the data they are spread from.
    full
        Sizes of all windows together.
    inside
        What is left of them.
    wanted
        Sizes of the result, with zeros after where there is too little.
    """

    kernel: Ints
    strides: Ints
    dilations: Ints
    sizes: Ints
    full: Ints
    inside: tuple[slice, ...]
    wanted: Ints

    @classmethod
    def of(
        cls,
        sizes: Ints,
        kernel: Ints,
        strides: Ints,
        dilations: Ints,
        pads: Ints,
        auto_pad: str,
        output_padding: Ints,
        output_shape: Ints,
    ) -> Spreading:
        """Work out what is cut off."""
        rank = len(sizes)
        strides, dilations = strides or (1,) * rank, dilations or (1,) * rank
        extra = spatial(output_padding or (0,) * rank, rank, "output_padding", least=0)
        reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
        full = tuple(
            (size - 1) * stride + span + more
            for size, stride, span, more in zip(sizes, strides, reach, extra, strict=True)
        )
        wanted = tuple(output_shape)[-rank:] if output_shape else ()
        if auto_pad in ("SAME_UPPER", "SAME_LOWER") and not wanted:
            wanted = tuple(size * stride for size, stride in zip(sizes, strides, strict=True))
        if wanted:
            totals = [max(0, whole - size) for whole, size in zip(full, wanted, strict=True)]
            small = [total // 2 for total in totals]
            large = [total - half for total, half in zip(totals, small, strict=True)]
            pads = (*small, *large) if auto_pad == "SAME_UPPER" else (*large, *small)
        elif auto_pad == "VALID" or not pads:
            pads = (0,) * (2 * rank)
        ends = [whole - pads[rank + axis] for axis, whole in enumerate(full)]
        inside = tuple(map(slice, pads[:rank], ends))
        return cls(kernel, strides, dilations, sizes, full, inside, wanted)

    def taps(self) -> Iterator[tuple[Ints, tuple[slice, ...]]]:
        """Return each tap, and where all windows have it."""
        for tap in product(*map(range, self.kernel)):
            yield (
                tap,
                tuple(
                    slice(k * d, k * d + (size - 1) * stride + 1, stride)
                    for k, d, size, stride in zip(
                        tap, self.dilations, self.sizes, self.strides, strict=True
                    )
                ),
            )


@standard("ConvTranspose")
def conv_transpose(
    x: Array,
    w: Array,
    bias: Array | None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Ints = (),
    group: int = 1,
    kernel_shape: Ints = (),
    output_padding: Ints = (),
    output_shape: Ints = (),
    pads: Ints = (),
    strides: Ints = (),
) -> Array:
    """Add up windows that are scaled by the elements of the input, and cut the border off."""
    if x.shape[1] != w.shape[0] or w.shape[0] % group:
        raise ShapeError(
            explain("input#1", "channels do not fit", expected=x.shape[1], found=list(w.shape))
        )
    spreading = Spreading.of(
        x.shape[2:],
        w.shape[2:],
        strides,
        dilations,
        pads,
        auto_pad,
        output_padding,
        output_shape,
    )
    batch, per_group = len(x), x.shape[1] // group
    data = x.reshape(batch, group, per_group, prod(x.shape[2:]))
    rows = w.reshape(group, per_group, prod(w.shape[1:]))
    outs = w.shape[1] * group
    parts = (rows.swapaxes(1, 2) @ data).reshape(batch, outs, *w.shape[2:], *x.shape[2:])
    result = np.zeros((batch, outs, *spreading.full), parts.dtype)
    for tap, place in spreading.taps():
        result[index(..., *place)] += parts[index(slice(None), slice(None), *tap)]
    result = result[index(..., *spreading.inside)]
    if spreading.wanted:
        missing = [
            (0, max(0, size - have))
            for size, have in zip(spreading.wanted, result.shape[2:], strict=True)
        ]
        result = np.pad(result, [(0, 0), (0, 0), *missing])
    if bias is not None:
        result = result + bias.reshape(-1, *[1] * len(spreading.kernel))
    return np.asarray(result, x.dtype)


@standard("FusedConv", domain=MICROSOFT)
def fused_conv(
    x: Array,
    w: Array,
    bias: Array | None,
    added: Array | None,
    *,
    activation: str = "",
    activation_params: Sequence[float] = (),
    auto_pad: str = "NOTSET",
    dilations: Ints = (),
    group: int = 1,
    kernel_shape: Ints = (),
    pads: Ints = (),
    strides: Ints = (),
) -> Array:
    """Convolve, add and activate."""
    result = conv(
        x,
        w,
        bias,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    return activated(result if added is None else result + added, activation, activation_params)
