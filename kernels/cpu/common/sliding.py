"""Windows of any number of dimensions, padded in any way: where one slides, and what it sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.limits import need_room
from aidge_nb.core.values import dataclass
from aidge_nb.kernels.cpu.common.arrays import Array, index, windows
from aidge_nb.ops.rules import same_pads, spatial

IntTuple = tuple[int, ...]


@dataclass(frozen=True)
class PaddedWindow:
    """How a window slides: one number per spatial dimension; pads are begins, then ends."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[int, ...]
    counts: tuple[int, ...]

    def padded(self, x: Array, fill: Any) -> Array:
        """Pad data so that all windows lie inside."""
        rank = len(self.kernel)
        widths = [(0, 0)] * (x.ndim - rank)
        for axis in range(rank):
            size = x.shape[axis - rank]
            first = self.pads[axis]
            span = (self.kernel[axis] - 1) * self.dilations[axis] + 1
            needed = (self.counts[axis] - 1) * self.strides[axis] + span
            widths.append((first, max(self.pads[rank + axis], needed - size - first)))
        if not any(map(any, widths)):
            return np.ascontiguousarray(x)
        need_room(size + sum(pads) for size, pads in zip(x.shape, widths, strict=True))
        return np.pad(x, widths, constant_values=fill)

    def views(self, x: Array, fill: Any = 0) -> Array:
        """View data as ``[..., *kernel, *counts]``."""
        padded = self.padded(x, fill)
        return windows(padded, self.kernel, self.counts, self.strides, self.dilations)


@dataclass(frozen=True)
class WindowOptions:
    """Attributes of ONNX that say how a window slides; empty ones have the defaults of ONNX."""

    kernel_shape: IntTuple = ()
    auto_pad: str = "NOTSET"
    dilations: IntTuple = ()
    pads: IntTuple = ()
    strides: IntTuple = ()

    def over(
        self, sizes: Sequence[int], kernel: Sequence[int] = (), *, ceil_mode: int = 0
    ) -> PaddedWindow:
        """Work out the padding, and how many places there are; ``kernel`` is that of weights.

        Raise ShapeError when the window fits nowhere, or attributes have the wrong length.
        """
        rank = len(sizes)
        kernel = spatial(kernel or self.kernel_shape, rank, "kernel_shape")
        strides = spatial(self.strides or (1,) * rank, rank, "strides")
        dilations = spatial(self.dilations or (1,) * rank, rank, "dilations")
        reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
        if self.auto_pad in ("SAME_UPPER", "SAME_LOWER"):
            pads = same_pads(sizes, reach, strides, upper=self.auto_pad == "SAME_UPPER")
        elif self.auto_pad == "VALID" or not self.pads:
            pads = (0,) * (2 * rank)
        else:
            pads = self.pads
        pads = spatial(pads, 2 * rank, "pads", least=0)
        counts = tuple(
            _count(size, first, last, span, stride, bool(ceil_mode))
            for size, first, last, span, stride in zip(
                sizes, pads[:rank], pads[rank:], reach, strides, strict=True
            )
        )
        if min(counts, default=1) < 1:
            raise ShapeError.at(
                "input#0",
                "the window is larger than the input",
                expected=f"at least {reach} with pads {list(pads)}",
                found=list(sizes),
            )
        return PaddedWindow(kernel, strides, dilations, pads, counts)


def _count(size: int, first: int, last: int, span: int, stride: int, ceil_mode: bool) -> int:
    room = size + first + last - span
    if not ceil_mode:
        return room // stride + 1
    count = -(-room // stride) + 1
    return count - 1 if (count - 1) * stride >= size + first else count


def convolved(x: Array, w: Array, sliding: PaddedWindow, group: int = 1) -> Array:
    """Convolve ``[N, C, ...]`` with ``[M, C / group, ...]``.

    Raise ShapeError when the numbers of channels do not fit.
    """
    batch, channels = x.shape[:2]
    outputs, depth = w.shape[:2]
    if channels != depth * group or outputs % group:
        raise ShapeError.at(
            "input#1",
            "channels do not fit the data",
            expected=f"{channels} = {depth} × {group} groups",
            found=list(w.shape),
        )
    views = sliding.views(x)
    taps = int(np.prod(sliding.kernel))
    places = int(np.prod(sliding.counts))
    columns = views.reshape(batch, group, depth * taps, places)
    rows = w.reshape(group, outputs // group, depth * taps)
    return (rows @ columns).reshape(batch, outputs, *sliding.counts)


def without_padding(padded: Array, sliding: PaddedWindow, sizes: Sequence[int]) -> Array:
    """Cut the padding off."""
    inner = (slice(first, first + size) for first, size in zip(sliding.pads, sizes, strict=False))
    return np.ascontiguousarray(padded[index(..., *inner)])
