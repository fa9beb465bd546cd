"""Windows of any number of dimensions, padded in any way: where one slides, and what it sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.cpu.common.windows import index, windows
from aidge_nb.ops.rules import spatial


@dataclass(frozen=True)
class PaddedWindow:
    """How a window slides: one number per spatial dimension; pads are begins, then ends."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[int, ...]
    counts: tuple[int, ...]

    @classmethod
    def of(
        cls,
        sizes: Sequence[int],
        kernel: Sequence[int],
        strides: Sequence[int] = (),
        dilations: Sequence[int] = (),
        pads: Sequence[int] = (),
        auto_pad: str = "NOTSET",
        ceil_mode: bool = False,
    ) -> PaddedWindow:
        """Work out the padding, and how many places there are.

        Raises
        ------
        ShapeError
            When the window fits nowhere, or attributes have the wrong length.
        """
        rank = len(sizes)
        kernel = spatial(kernel, rank, "kernel_shape")
        strides = spatial(strides or (1,) * rank, rank, "strides")
        dilations = spatial(dilations or (1,) * rank, rank, "dilations")
        reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
        if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
            pads = _same(sizes, reach, strides, auto_pad == "SAME_UPPER")
        elif auto_pad == "VALID" or not pads:
            pads = (0,) * (2 * rank)
        pads = spatial(pads, 2 * rank, "pads", least=0)
        counts = tuple(
            _count(size, first, last, span, stride, ceil_mode)
            for size, first, last, span, stride in zip(
                sizes, pads[:rank], pads[rank:], reach, strides, strict=True
            )
        )
        if min(counts, default=1) < 1:
            raise ShapeError(
                explain(
                    "input#0",
                    "the window is larger than the input",
                    expected=f"at least {reach} with pads {list(pads)}",
                    found=list(sizes),
                )
            )
        return cls(tuple(kernel), strides, dilations, pads, counts)

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
        return np.pad(x, widths, constant_values=fill)

    def views(self, x: Array, fill: Any = 0) -> Array:
        """View data as ``[..., *kernel, *counts]``."""
        padded = self.padded(x, fill)
        return windows(padded, self.kernel, self.counts, self.strides, self.dilations)


def _same(
    sizes: Sequence[int], reach: Sequence[int], strides: Sequence[int], upper: bool
) -> tuple[int, ...]:
    totals = [
        max(0, (-(-size // stride) - 1) * stride + span - size)
        for size, span, stride in zip(sizes, reach, strides, strict=True)
    ]
    small = [total // 2 for total in totals]
    large = [total - half for total, half in zip(totals, small, strict=True)]
    return (*small, *large) if upper else (*large, *small)


def _count(size: int, first: int, last: int, span: int, stride: int, ceil_mode: bool) -> int:
    room = size + first + last - span
    if not ceil_mode:
        return room // stride + 1
    count = -(-room // stride) + 1
    return count - 1 if (count - 1) * stride >= size + first else count


def convolved(x: Array, w: Array, sliding: PaddedWindow, group: int = 1) -> Array:
    """Convolve ``[N, C, ...]`` with ``[M, C / group, ...]``.

    Raises
    ------
    ShapeError
        When the numbers of channels do not fit.
    """
    batch, channels = x.shape[:2]
    outputs, depth = w.shape[:2]
    if channels != depth * group or outputs % group:
        raise ShapeError(
            explain(
                "input#1",
                "channels do not fit the data",
                expected=f"{channels} = {depth} × {group} groups",
                found=list(w.shape),
            )
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
