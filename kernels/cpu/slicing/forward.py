"""Operators that cut tensors, put them together, pad and repeat them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from aidge_nb.core.dims import axis_of
from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array, Ints, common, lowest, optional
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops import slicing as specs
from aidge_nb.ops.rules import choice_of, slices_of, split_sizes


@kernel(specs.SLICE)
def slice_(
    x: Array,
    first: Array | None,
    last: Array | None,
    along: Array | None,
    by: Array | None,
    *,
    starts: Ints,
    ends: Ints,
    axes: Ints,
    steps: Ints,
) -> Array:
    """Keep some elements along some axes."""
    taken = taken_slices(x.shape, (first, last, along, by), (starts, ends, axes, steps))
    return np.array(x[taken], order="C")


def taken_slices(
    shape: Ints, tensors: Sequence[Array | None], attributes: Sequence[Ints]
) -> tuple[slice, ...]:
    """Return what Slice keeps; starts, ends, axes and steps come as tensors or as attributes."""
    starts, ends, axes, steps = map(optional, tensors, attributes)
    return tuple(_slice_of(*each) for each in slices_of(shape, starts, ends, axes, steps))


def _slice_of(start: int, count: int, step: int) -> slice:
    end = start + count * step
    return slice(0, 0) if count == 0 else slice(start, end if end >= 0 else None, step)


@kernel(specs.CONCAT)
def concat(*arrays: Array, axis: int) -> Array:
    """Put tensors one after the other."""
    axis = axis_of(int(axis), arrays[0].ndim)
    try:
        return np.concatenate(common(arrays), axis=axis)
    except ValueError as error:
        found = " and ".join(str(list(array.shape)) for array in arrays)
        raise ShapeError.at(
            "", f"the inputs differ in other axes than {axis}", found=found
        ) from error


@kernel(specs.SPLIT)
def split(
    x: Array, parts: Array | None, *, axis: int, split: Ints, nb_outputs: int
) -> tuple[Array, ...]:
    """Cut along an axis."""
    axis = axis_of(int(axis), x.ndim)
    sizes = split_sizes(x.shape[axis], int(nb_outputs), optional(parts, split))
    return tuple(np.array(part, order="C") for part in parts_along(x, axis, sizes))


def parts_along(whole: Array, axis: int, sizes: Ints) -> list[Array]:
    """Cut an array along an axis, without copying."""
    before: tuple[Any, ...] = (slice(None),) * axis
    ends = list(accumulate(sizes))
    return [whole[(*before, slice(end - size, end))] for end, size in zip(ends, sizes, strict=True)]


def _reflected(places: Array, size: int) -> Array:
    period = max(1, 2 * (size - 1))
    folded = places % period
    return np.asarray(np.minimum(folded, period - folded))


SOURCES: dict[str, Callable[[Array, int], Array]] = {
    "edge": lambda places, size: np.clip(places, 0, size - 1),
    "reflect": _reflected,
    "wrap": lambda places, size: places % size,
}
"""Which element of an axis stands at places that may lie outside of it."""


def padded_places(mode: str, size: int, before: int, behind: int) -> Array:
    """Return which element of an axis stands at each place of the padded one.

    What negative pads cut off is not padded with. Raise ShapeError when there is nothing to pad
    with.

    Examples
    --------
    >>> padded_places("wrap", 4, 2, -1).tolist()
    [1, 2, 0, 1, 2]
    """
    first, last = max(0, -before), size - max(0, -behind)
    places = np.arange(-max(0, before), last - first + max(0, behind))
    if last <= first and places.size:
        raise ShapeError.at("input#0", "has nothing to pad with", found=size)
    return first + SOURCES[mode](places, last - first) if places.size else places


@kernel(specs.PAD)
def pad(
    x: Array,
    given: Array | None,
    value: Array | None,
    along: Array | None,
    *,
    mode: str,
    pads: Ints,
    constant_value: Any,
    axes: Ints,
) -> Array:
    """Add elements before and after; negative pads cut off."""
    choice_of(mode, specs.PAD_MODES, "padding mode")
    amounts = specs.padding_of(x.ndim, optional(given, pads), optional(along, axes))
    if mode in SOURCES:
        return _pad_from_data(x, amounts, mode)
    if mode == "constant_lowest":
        return _pad_with(x, amounts, lowest(x.dtype))
    filling = np.asarray(constant_value if value is None else value)
    return _pad_with(x, amounts, filling.reshape(-1)[0].item() if filling.size else 0)


def _pad_with(x: Array, amounts: Sequence[tuple[int, int]], value: Any) -> Array:
    sizes = [
        size + before + behind for size, (before, behind) in zip(x.shape, amounts, strict=True)
    ]
    if min(sizes, default=0) < 0:
        raise ShapeError.at("", "pads cut off more than there is", found=sizes)
    result = np.full(sizes, value, x.dtype) if value else np.zeros(sizes, x.dtype)
    inner = tuple(
        slice(max(0, before), size - max(0, behind))
        for size, (before, behind) in zip(sizes, amounts, strict=True)
    )
    kept = tuple(
        slice(max(0, -before), size - max(0, -behind))
        for size, (before, behind) in zip(x.shape, amounts, strict=True)
    )
    result[inner] = x[kept]
    return result


def _pad_from_data(x: Array, amounts: Sequence[tuple[int, int]], mode: str) -> Array:
    result = x
    for axis, (before, behind) in enumerate(amounts):
        if before or behind:
            places = padded_places(mode, x.shape[axis], before, behind)
            result = result.take(places, axis=axis)
    return x.copy() if result is x else result


@kernel(specs.TILE)
def tile(x: Array, repeats: Array) -> Array:
    """Repeat along each dimension."""
    if repeats.size != x.ndim:
        raise ShapeError.at(
            "input#1", "bad repeats", expected=f"{x.ndim} counts", found=repeats.tolist()
        )
    return np.tile(x, tuple(map(int, repeats.ravel())))


@kernel(specs.TRILU)
def trilu(x: Array, diagonal: Array | None, *, upper: bool, k: int) -> Array:
    """Keep one triangle of matrices, with zeros elsewhere."""
    (offset,) = map(int, optional(diagonal, (k,)))
    return np.triu(x, offset) if upper else np.tril(x, offset)
