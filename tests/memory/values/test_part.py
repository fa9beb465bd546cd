"""Parts: boxes, boxes of boxes, and arrays over them, compared with slices of an index array."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from aidge_nb.memory.values.part import Part

Box = tuple[tuple[int, ...], tuple[int, ...]]


@st.composite
def boxes(draw: st.DrawFn, dims: tuple[int, ...]) -> Box:
    """Draw where a box begins along each axis, and how far it goes."""
    sizes = tuple(draw(st.integers(1, size)) for size in dims)
    first = tuple(draw(st.integers(0, d - s)) for d, s in zip(dims, sizes, strict=True))
    return first, sizes


@st.composite
def nests(draw: st.DrawFn) -> tuple[tuple[int, ...], int, list[Box]]:
    """Draw dimensions, bytes of an element, and boxes, each in the one before."""
    dims = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    found: list[Box] = []
    for _ in range(draw(st.integers(1, 4))):
        found.append(draw(boxes(found[-1][1] if found else dims)))
    return dims, draw(st.sampled_from([1, 4])), found


def cut(array: NDArray[Any], box: Box) -> NDArray[Any]:
    return array[tuple(slice(f, f + s) for f, s in zip(*box, strict=True))]


def addresses(part: Part) -> list[int]:
    return [byte for low, high in part.intervals for byte in range(low, high)]


def elements(part: Part, itemsize: int) -> list[int]:
    return [byte // itemsize for byte in addresses(part)[::itemsize]]


@given(nests())
def test_boxes_of_boxes_are_parts(nest: tuple[tuple[int, ...], int, list[Box]]) -> None:
    dims, itemsize, found = nest
    array = np.arange(prod(dims)).reshape(dims)
    part = Part(0, prod(dims) * itemsize)
    for box in found:
        inner = Part.box(array.shape, *box, itemsize).inside(part)
        assert inner is not None
        array, part = cut(array, box), inner
        assert elements(part, itemsize) == array.ravel().tolist()
        assert part.size == array.size * itemsize
        assert part.extent == addresses(part)[-1] + 1 - part.start


@given(nests())
def test_the_order_of_putting_in_does_not_matter(
    nest: tuple[tuple[int, ...], int, list[Box]],
) -> None:
    """From the innermost out, as Concats are met, the same bytes and the same levels come out."""
    dims, itemsize, found = nest
    whole: Part | None = Part(0, prod(dims) * itemsize)
    around = [dims, *(sizes for _, sizes in found)]
    parts = [Part.box(d, *box, itemsize) for d, box in zip(around, found, strict=False)]
    for part in parts:
        assert whole is not None
        whole = part.inside(whole)
    collected: Part | None = parts[-1]
    for part in parts[-2::-1]:
        assert collected is not None
        collected = collected.inside(part)
    assert collected == whole


@given(nests(), st.data())
def test_levels_are_strides(
    nest: tuple[tuple[int, ...], int, list[Box]], data: st.DataObject
) -> None:
    """An array over a part holds its elements; other dimensions fit where NumPy need not copy."""
    dims, _, [box, *_] = nest
    array = cut(np.arange(prod(dims), dtype=np.int32).reshape(dims), box)
    part = Part.box(dims, *box, 4)
    assert part.strides(array.shape, 4) is not None
    others = [array.ravel().shape, array.shape[::-1], (*array.shape, 1), (1, *array.shape)]
    if array.ndim > 1:
        others.append((prod(array.shape[:2]), *array.shape[2:]))
    shape = data.draw(st.sampled_from(others))
    strides = part.strides(shape, 4)
    reshaped = array.reshape(shape)
    assert (strides is not None) == np.may_share_memory(reshaped, array)
    if strides is not None:
        memory = np.arange(prod(dims), dtype=np.int32)
        over = np.ndarray(shape, np.int32, memory.view(np.uint8), part.start, strides)
        assert np.array_equal(over, reshaped)


@given(nests(), st.data())
def test_any_bytes_of_a_part_are_said_rightly_or_not_at_all(
    nest: tuple[tuple[int, ...], int, list[Box]], data: st.DataObject
) -> None:
    dims, itemsize, [box, *_] = nest
    part = Part.box(dims, *box, itemsize)
    start = data.draw(st.integers(0, part.size - 1))
    size = data.draw(st.integers(1, part.size - start))
    inner = Part(start, size).inside(part)
    wanted = addresses(part)[start : start + size]
    if inner is not None:
        assert addresses(inner) == wanted
    else:  # it is no single block, and ends or begins inside of one
        assert np.diff(wanted).max() > 1
        assert part.levels


def test_what_is_not_inside_is_said() -> None:
    assert Part(4, 8).inside(Part(0, 8)) is None
    assert Part(0, 4, ((2, 8),)).inside(Part(0, 8, ((2, 16),))) is None
    assert Part(0, 8, ((2, 8),)).inside(Part(0, 12)) == Part(0, 8, ((2, 8),))


@given(nests(), st.integers(1, 8))
def test_an_outline_holds_all_blocks(
    nest: tuple[tuple[int, ...], int, list[Box]], most: int
) -> None:
    dims, itemsize, [box, *_] = nest
    part = Part.box(dims, *box, itemsize)
    outline = part.outline(most)
    assert len(outline) <= most
    assert (outline[0][0], outline[-1][1]) == (part.start, part.start + part.extent)
    assert all(any(a <= low and high <= b for a, b in outline) for low, high in part.intervals)
    assert part.outline(part.blocks) == part.intervals
