"""Convolutions of any rank whose padding is worked out when they run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.limits import need_room
from aidge_nb.kernels.cpu.common.arrays import Array, index, tap_slices
from aidge_nb.kernels.cpu.common.sliding import IntTuple, WindowOptions, convolved
from aidge_nb.kernels.cpu.linear.standard import activated
from aidge_nb.kernels.standard import MICROSOFT, standard
from aidge_nb.ops.rules import halves, spatial


@standard("Conv", options=WindowOptions)
def conv(
    x: Array, w: Array, bias: Array | None, *, options: WindowOptions, group: int = 1
) -> Array:
    """Convolve."""
    result = convolved(x, w, options.over(x.shape[2:], w.shape[2:]), group)
    if bias is not None:
        result = result + bias.reshape(-1, *[1] * (x.ndim - 2))
    return np.asarray(result, x.dtype)


@dataclass(frozen=True)
class Spreading:
    """How windows are spread, one for each element, and added up."""

    kernel: IntTuple
    strides: IntTuple
    dilations: IntTuple
    sizes: IntTuple  # of the data that are spread
    full: IntTuple  # sizes of all windows together
    inside: tuple[slice, ...]  # the part of them that is left
    wanted: IntTuple  # sizes of the result, with zeros after where there is too little

    @classmethod
    def of(
        cls,
        sizes: IntTuple,
        kernel: IntTuple,
        options: WindowOptions,
        output_padding: IntTuple,
        output_shape: IntTuple,
    ) -> Spreading:
        """Work out what is cut off."""
        rank, pads, auto_pad = len(sizes), options.pads, options.auto_pad
        strides, dilations = options.strides or (1,) * rank, options.dilations or (1,) * rank
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
            pads = halves(totals, upper=auto_pad == "SAME_UPPER")
        elif auto_pad == "VALID" or not pads:
            pads = (0,) * (2 * rank)
        ends = [whole - pads[rank + axis] for axis, whole in enumerate(full)]
        inside = tuple(map(slice, pads[:rank], ends))
        return cls(kernel, strides, dilations, sizes, full, inside, wanted)

    def taps(self) -> Iterator[tuple[IntTuple, tuple[slice, ...]]]:
        """Return each tap, and where all windows have it."""
        return tap_slices(self.kernel, self.sizes, self.strides, self.dilations)


@standard("ConvTranspose", options=WindowOptions)
def conv_transpose(
    x: Array,
    w: Array,
    bias: Array | None,
    *,
    options: WindowOptions,
    group: int = 1,
    output_padding: IntTuple = (),
    output_shape: IntTuple = (),
) -> Array:
    """Add up windows that are scaled by the elements of the input, and cut the border off."""
    if x.shape[1] != w.shape[0] or w.shape[0] % group:
        raise ShapeError.at(
            "input#1", "channels do not fit", expected=x.shape[1], found=list(w.shape)
        )
    spreading = Spreading.of(x.shape[2:], w.shape[2:], options, output_padding, output_shape)
    batch, per_group = len(x), x.shape[1] // group
    data = x.reshape(batch, group, per_group, prod(x.shape[2:]))
    rows = w.reshape(group, per_group, prod(w.shape[1:]))
    outs = w.shape[1] * group
    parts = (rows.swapaxes(1, 2) @ data).reshape(batch, outs, *w.shape[2:], *x.shape[2:])
    need_room((batch, outs, *spreading.full))
    result = np.zeros((batch, outs, *spreading.full), parts.dtype)
    for tap, place in spreading.taps():
        result[index(..., *place)] += parts[index(slice(None), slice(None), *tap)]
    result = result[index(..., *spreading.inside)]
    if spreading.wanted:
        missing = [
            (0, max(0, size - have))
            for size, have in zip(spreading.wanted, result.shape[2:], strict=True)
        ]
        need_room((batch, outs, *spreading.wanted))
        result = np.pad(result, [(0, 0), (0, 0), *missing])
    if bias is not None:
        result = result + bias.reshape(-1, *[1] * len(spreading.kernel))
    return np.asarray(result, x.dtype)


@standard("FusedConv", domain=MICROSOFT, options=WindowOptions)
def fused_conv(
    x: Array,
    w: Array,
    bias: Array | None,
    added: Array | None,
    *,
    options: WindowOptions,
    activation: str = "",
    activation_params: Sequence[float] = (),
    group: int = 1,
) -> Array:
    """Convolve, add and activate."""
    result = conv(x, w, bias, options=options, group=group)
    return activated(result if added is None else result + added, activation, activation_params)
