"""Fixed steps of poolings: one dimension after the other, each tap at its places.

Padding is never there: a tap that falls into it has nothing to add, and is never the largest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, Places, axis_taps, lowest, output_sizes
from aidge_nb.kernels.cpu.pooling.forward import along
from aidge_nb.kernels.fixed import Bound, Step, fixed, in_order
from aidge_nb.ops import pooling as specs

Steps = list[Callable[[], object]]

_PIECE = 1 << 18  # bytes between the dimensions: they stay in the L2 cache


@fixed(*specs.MAX_POOLINGS)
def max_pooling(bound: Bound) -> Step | None:
    """Return the largest element of each window, without its index."""
    if any(out is not None for out in bound.outputs[1:]) or not _is_plain(bound):
        return None
    x = bound.input()
    steps = _reduced(bound, np.maximum, lowest(x.dtype))
    return None if steps is None else in_order(steps)


@fixed(*specs.AVG_POOLINGS)
def avg_pooling(bound: Bound) -> Step | None:
    """Return the mean of each window."""
    attrs = bound.attrs
    if any(attrs["ignore_pads"]) or attrs["ceil_mode"] or not _is_plain(bound):
        return None
    steps = _reduced(bound, np.add, 0)
    if steps is None:
        return None
    count = np.asarray(prod(attrs["kernel_dims"]), bound.out.dtype)
    return in_order([*steps, partial(np.divide, bound.out, count, bound.out)])


def _is_plain(bound: Bound) -> bool:
    x, out = bound.input(), bound.out
    return x.dtype.kind == "f" and x.dtype.itemsize >= 4 and x.dtype == out.dtype


def _reduced(bound: Bound, function: Callable[..., Any], start: Any) -> Steps | None:
    """Reduce along each spatial dimension, some channels at a time."""
    x, out, attrs = bound.input(), bound.out, bound.attrs
    if not x.flags.c_contiguous or not out.flags.c_contiguous:
        return None
    rank, sizes = x.ndim - 2, x.shape[2:]
    kernel, strides, dilations = (
        tuple(attrs[name]) for name in ("kernel_dims", "stride_dims", "dilations")
    )
    pads = tuple(attrs.get("pads", ())) or (0,) * (2 * rank)
    padded = [sizes[i] + pads[i] + pads[rank + i] for i in range(rank)]
    counts = output_sizes(padded, kernel, strides, dilations, ceil=attrs["ceil_mode"])
    places = [
        axis_taps(sizes[i], kernel[i], counts[i], strides[i], dilations[i], before=pads[i])
        for i in range(rank)
    ]
    if not all(places):
        return None
    data, results = x.reshape(-1, *sizes), out.reshape(-1, *counts)
    shapes = [(*counts[: i + 1], *sizes[i + 1 :]) for i in range(rank - 1)]
    some = max(1, _PIECE // max(1, sum(map(prod, shapes)) * x.itemsize))
    spare = [bound.workspace.array((min(some, len(data)), *shape), x.dtype) for shape in shapes]
    steps: Steps = []
    for first in range(0, len(data), some):
        part = data[first : first + some]
        targets = [*(each[: len(part)] for each in spare), results[first : first + some]]
        for axis, (target, taps) in enumerate(zip(targets, places, strict=True), 1):
            steps += _along_axis(function, part, target, axis, taps, start)
            part = target
    return steps


def _along_axis(
    function: Callable[..., Any], data: Array, target: Array, axis: int, places: Places, start: Any
) -> Steps:
    whole = slice(0, target.shape[axis])
    parts = [(window, data[along(axis, place)]) for _, window, place in places]
    if function is np.maximum:  # which gives the same in any order
        parts.sort(key=lambda part: part[0] != whole)
    count = next((i for i, (window, _) in enumerate(parts) if window != whole), len(parts))
    if count == 0:
        steps: Steps = [partial(target.fill, start)]
    elif count == 1:
        steps = [partial(np.copyto, target, parts[0][1])]
    else:
        steps = [partial(function, parts[0][1], parts[1][1], out=target)]
    for window, part in parts[min(count, 2) :]:
        here = target[along(axis, window)]
        steps.append(partial(function, here, part, out=here))
    return steps


@fixed(specs.GLOBAL_AVERAGE_POOLING)
def global_average_pooling(bound: Bound) -> Step | None:
    """Return the mean of each channel."""
    x, out = bound.input(), bound.out
    if not _is_plain(bound) or not x.flags.c_contiguous or not out.flags.c_contiguous:
        return None
    flat, mean = x.reshape(*x.shape[:2], prod(x.shape[2:])), out.reshape(out.shape[:2])
    number = np.asarray(flat.shape[-1], x.dtype)
    return in_order(
        [partial(np.add.reduce, flat, axis=-1, out=mean), partial(np.divide, mean, number, mean)],
    )
