"""Sliding windows over the spatial dimensions, as views."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from numpy.lib.stride_tricks import as_strided

from aidge_nb.core.errors import ShapeError, explain
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.ops.rules import window_count

Ints = Sequence[int]


def index(*parts: Any) -> tuple[Any, ...]:
    """Make an index of numbers, slices and the ellipsis, which type checkers cannot follow."""
    return parts


def output_sizes(
    sizes: Ints, kernel: Ints, strides: Ints, dilations: Ints, *, ceil: bool = False
) -> tuple[int, ...]:
    """Count the places of a window along each spatial dimension.

    Raises
    ------
    ShapeError
        When it fits nowhere.
    """
    counts = tuple(
        window_count(size, k, stride, dilation, ceil=ceil)
        for size, k, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True)
    )
    if any(count < 1 for count in counts):
        raise ShapeError(
            explain(
                "input#0",
                "the window is larger than the input",
                expected=f"a window {list(kernel)}, dilated by {list(dilations)}, that fits",
                found=list(sizes),
                cure="Pad the input first.",
            )
        )
    return counts


def windows(x: Array, kernel: Ints, counts: Ints, strides: Ints, dilations: Ints) -> Array:
    """View ``[..., *spatial]`` as ``[..., *kernel, *counts]``; nothing is copied.

    Examples
    --------
    >>> import numpy as np
    >>> windows(np.arange(5), [2], [4], [1], [1]).tolist()
    [[0, 1, 2, 3], [1, 2, 3, 4]]
    """
    rank = len(kernel)
    steps = x.strides[-rank:]
    taps = tuple(step * dilation for step, dilation in zip(steps, dilations, strict=True))
    places = tuple(step * stride for step, stride in zip(steps, strides, strict=True))
    return as_strided(
        x,
        (*x.shape[:-rank], *kernel, *counts),
        (*x.strides[:-rank], *taps, *places),
        writeable=False,
    )


def tap_slices(
    kernel: Ints, counts: Ints, strides: Ints, dilations: Ints
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Go over the taps of a kernel: the tap's index, and where its data lie, place by place."""
    for tap in product(*map(range, kernel)):
        yield (
            tap,
            tuple(
                slice(k * dilation, k * dilation + (count - 1) * stride + 1, stride)
                for k, count, stride, dilation in zip(tap, counts, strides, dilations, strict=True)
            ),
        )
