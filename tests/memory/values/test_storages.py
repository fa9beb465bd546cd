"""Boxes of a tensor, compared with sets of their elements."""

from __future__ import annotations

from itertools import pairwise
from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from aidge_nb.memory.values.storages import TensorBox, Value, box_of, joined, meet, move

DIMS = (2, 3, 4, 5)


def value(dims: tuple[int, ...] = DIMS) -> Value:
    made = Value("v", "v", 0, 0, "activation", prod(dims) * 4, 0, 1)
    made.dims = dims
    return made


FRAME = value()


@st.composite
def boxes(draw: st.DrawFn) -> TensorBox:
    first = [draw(st.integers(0, size - 1)) for size in DIMS]
    sizes = [draw(st.integers(1, size - at)) for at, size in zip(first, DIMS, strict=True)]
    return TensorBox(FRAME, tuple(first), tuple(sizes))


def elements(box: TensorBox) -> NDArray[np.int64]:
    kept = tuple(slice(at, at + n) for at, n in zip(box.first, box.sizes, strict=True))
    return np.arange(prod(DIMS)).reshape(DIMS)[kept]


@given(boxes(), boxes())
def test_two_boxes_meet_if_they_have_an_element_in_common(one: TensorBox, other: TensorBox) -> None:
    assert one.meets(other) == bool(np.intersect1d(elements(one), elements(other)).size)


@given(boxes())
def test_the_bytes_of_a_box(box: TensorBox) -> None:
    assert box.part is not None
    found = [at for start, stop in box.part.intervals for at in range(start, stop, 4)]
    assert found == (elements(box) * 4).ravel().tolist()


@given(boxes(), st.data())
def test_a_box_of_a_box(box: TensorBox, data: st.DataObject) -> None:
    first = [data.draw(st.integers(0, size - 1)) for size in box.sizes]
    sizes = [n - at for at, n in zip(first, box.sizes, strict=True)]
    kept = tuple(slice(at, None) for at in first)
    assert np.array_equal(elements(box.cut(first, sizes)), elements(box)[kept])


@given(boxes(), st.integers(0, 3), st.data())
def test_what_is_cut_and_put_together_is_what_it_was(
    box: TensorBox, axis: int, data: st.DataObject
) -> None:
    size = box.sizes[axis]
    ends = sorted({0, size, *data.draw(st.lists(st.integers(0, size), max_size=3))})
    firsts, parts = [], []
    for start, stop in pairwise(ends):
        first = tuple(start if each == axis else 0 for each in range(4))
        firsts.append(first)
        parts.append(box.cut(first, (*box.sizes[:axis], stop - start, *box.sizes[axis + 1 :])))
    assert joined(box.sizes, firsts, parts) == box
    if len(parts) > 1:
        assert joined(box.sizes, firsts, parts[::-1]) is None
    other = parts[-1]._replace(frame=value())
    assert len(parts) == 1 or joined(box.sizes, firsts, [*parts[:-1], other]) is None


def test_a_value_is_a_box_of_its_own() -> None:
    assert box_of(FRAME) == (FRAME, (0, 0, 0, 0), DIMS)


def test_values_of_other_frames_meet_unless_their_bytes_are_apart() -> None:
    one, other = value((2, 2)), value((2, 2))
    assert meet(one, other)
    other.start = 16
    assert not meet(one, other)
    other.start = 12
    assert meet(one, other)


def test_frames_move_into_larger_ones() -> None:
    whole, part, inner, strange = value((4, 6)), value((2, 6)), value((1, 3)), value((2, 6))
    inner.frame, inner.first = part, (1, 2)
    move([part, inner, strange], part, whole, (2, 0))
    assert box_of(part) == (whole, (2, 0), (2, 6))
    assert box_of(inner) == (whole, (3, 2), (1, 3))
    assert box_of(strange).frame is strange


def test_a_part_of_a_frame_does_not_move_it() -> None:
    part, inner = value((2, 6)), value((1, 3))
    inner.frame, inner.first = part, (1, 2)
    move([part, inner], inner, value((4, 6)), (0, 0))
    assert box_of(inner) == (part, (1, 2), (1, 3))
