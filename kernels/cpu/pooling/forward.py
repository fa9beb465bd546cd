"""Pooling: a window of any number of dimensions is reduced along one dimension after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import (
    Array,
    Dtype,
    Ints,
    Places,
    accumulator,
    axis_taps,
    index,
    lowest,
    output_sizes,
    rounded,
)
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import pooling as specs


def places_inside(sizes: Ints, pads: Ints, steps: tuple[Ints, Ints, Ints, Ints]) -> list[Places]:
    """List, for each spatial dimension, the places of taps that are not in the padding.

    ``steps`` has sizes of the kernel, numbers of places, strides and dilations.
    """
    ends = [size - pad for size, pad in zip(sizes, pads[len(sizes) :], strict=True)]
    return [axis_taps(*each) for each in zip(ends, *steps, pads[: len(sizes)], strict=True)]


def along(axis: int, part: slice) -> tuple[Any, ...]:
    """Make an index that takes a part along one axis."""
    return (*(slice(None) for _ in range(axis)), part)


def _reduce_axis(
    function: Callable[..., Any], x: Array, axis: int, places: Places, count: int, start: Any
) -> Array:
    """Reduce windows along one dimension; ``start`` is the function's neutral element."""
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
    whole = slice(0, count)
    result = None
    for _, window, data in places:
        part = x[along(axis, data)]
        if result is None and window == whole:
            result = np.array(part)
            continue
        if result is None:
            result = np.full(shape, start, x.dtype)
        target = result[along(axis, window)]
        function(target, part, out=target)
    return np.full(shape, start, x.dtype) if result is None else result


@kernel(*specs.MAX_POOLINGS)
def max_pooling(
    x: Array,
    *,
    kernel_dims: Ints,
    stride_dims: Ints,
    dilations: Ints,
    ceil_mode: bool,
    storage_order: bool,
    optional_outputs: bool = True,
) -> tuple[Array, ...]:
    """Return the largest element of each window, and where it lies in the data of its sample."""
    sizes = x.shape[2:]
    counts = output_sizes(sizes, kernel_dims, stride_dims, dilations, ceil=ceil_mode)
    places = [
        axis_taps(*each)
        for each in zip(sizes, kernel_dims, counts, stride_dims, dilations, strict=True)
    ]
    result = x
    for axis, (taps, count) in enumerate(zip(places, counts, strict=True), 2):
        result = _reduce_axis(np.maximum, result, axis, taps, count, lowest(x.dtype))
    if not optional_outputs:
        return (result,)
    return result, _indices_of(result, x, places, stride_dims, dilations, storage_order)


def _indices_of(
    best: Array,
    x: Array,
    places: Sequence[Places],
    strides: Ints,
    dilations: Ints,
    column_major: bool,
) -> Array:
    """Return the flat index of the first element of each window that equals ``best``, or is NaN."""
    sizes, rank = x.shape[2:], x.ndim - 2
    steps = [prod(sizes[:i] if column_major else sizes[i + 1 :]) for i in range(rank)]
    combinations = list(product(*places))
    chosen = np.zeros(best.shape, np.uint8 if len(combinations) <= 256 else np.int32)
    has_nan = x.dtype.kind == "f" and bool(np.isnan(best).any())
    for number, taps in reversed(list(enumerate(combinations))):
        window = index(..., *(window for _, window, _ in taps))
        part = x[index(..., *(data for _, _, data in taps))]
        match = part == best[window]
        if has_nan:
            match |= np.isnan(part)
        np.copyto(chosen[window], number, where=match)
    offsets = [
        sum(
            tap * step * dilation
            for (tap, _, _), step, dilation in zip(taps, steps, dilations, strict=True)
        )
        for taps in combinations
    ]
    result = np.array(offsets, np.int64)[chosen]
    for axis, (step, stride) in enumerate(zip(steps, strides, strict=True)):
        first = np.arange(best.shape[2 + axis]) * (stride * step)
        result += first.reshape(-1, *(1 for _ in range(rank - 1 - axis)))
    result += (np.arange(prod(x.shape[:2])) * prod(sizes)).reshape(
        *x.shape[:2], *(1 for _ in sizes)
    )
    return result


@kernel(*specs.AVG_POOLINGS)
def avg_pooling(
    x: Array,
    *,
    kernel_dims: Ints,
    stride_dims: Ints,
    dilations: Ints,
    ceil_mode: bool,
    rounding_mode: str,
    ignore_pads: Ints,
) -> Array:
    """Return the mean of each window, without what lies in the padding or beyond the data."""
    rank = x.ndim - 2
    sizes = x.shape[2:]
    counts = output_sizes(sizes, kernel_dims, stride_dims, dilations, ceil=ceil_mode)
    pads = tuple(ignore_pads) or (0,) * (2 * rank)
    result, numbers = x.astype(accumulator(x.dtype), copy=False), np.ones((1,) * x.ndim, np.int64)
    steps = (kernel_dims, counts, stride_dims, dilations)
    for i, places in enumerate(places_inside(sizes, pads, steps)):
        result = _reduce_axis(np.add, result, i + 2, places, counts[i], 0)
        number = np.zeros(counts[i], np.int64)
        for _, window, _ in places:
            number[window] += 1
        numbers = numbers * number.reshape(-1, *(1 for _ in range(rank - 1 - i)))
    return _mean(result, np.maximum(numbers, 1), x.dtype, rounding_mode)


def _mean(total: Array, number: Array | int, dtype: Dtype, rounding: str) -> Array:
    if total.dtype.kind == "f":
        number = np.asarray(number, total.dtype)
        return np.asarray(np.divide(total, number), dtype)
    return rounded(total / number, rounding).astype(dtype)


@kernel(specs.GLOBAL_AVERAGE_POOLING)
def global_average_pooling(x: Array, *, rounding_mode: str) -> Array:
    """Return the mean of each channel."""
    flat = x.reshape(*x.shape[:2], prod(x.shape[2:]))
    total = flat.sum(axis=-1, dtype=accumulator(x.dtype))
    mean = _mean(np.asarray(total), flat.shape[-1], x.dtype, rounding_mode)
    return mean.reshape(*x.shape[:2], *(1 for _ in x.shape[2:]))


@kernel(specs.GLOBAL_MAX_POOLING)
def global_max_pooling(x: Array) -> Array:
    """Return the largest element of each channel."""
    result = x.reshape(*x.shape[:2], prod(x.shape[2:])).max(axis=-1, initial=lowest(x.dtype))
    return np.asarray(result).reshape(*x.shape[:2], *(1 for _ in x.shape[2:]))
