"""What is declared to be computed in place can be: shown by the kernels themselves.

An operator may write output 0 over an input if each element of the output depends, of that input,
on the element at the same place alone: whoever computes element by element, in whatever order,
then reads nothing that it wrote. And a kernel that takes ``out=`` must give the same bits when
that *is* the input.

Operators that mix elements along one axis may be declared so, too, with a kernel that keeps aside
what it still needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aidge_nb.graph.spec import SPECS, CpModel
from aidge_nb.kernels import can_write_into, find_kernel
from tests.kernels.case import Case, declared, run
from tests.kernels.tables.every import CASES, IDS

Array = NDArray[Any]

SAMPLES = 12
"""Elements that are looked at, spread over the output."""

MIXING = [
    "Conv3D",
    "GroupNormalization",
    "InstanceNorm",
    "LRN",
    "LayerNorm",
    "LogSoftmax",
    "Softmax",
    "TopK",
]
"""Operators that are in place in Aidge's model, though their results mix elements."""

_BYTES = np.array([-3, 7, 0, 5, -1, 2], np.int8)
SAME_SIZE = [
    *(
        Case(name, [_BYTES, _BYTES[::-1].copy()], lambda *arrays: None)
        for name in ("Greater", "GreaterOrEqual", "Less", "LessOrEqual")
    ),
    Case("Where", [_BYTES > 0, _BYTES * 1.5, _BYTES * 0.25], lambda *arrays: None),
    Case("CastLike", [_BYTES, np.zeros(1, np.uint8)], lambda *arrays: None),
]
"""Cases besides those of the kernels' tables: an output with as many bytes as an input."""

NEVER_SAME_SIZE = {"IsInf", "IsNaN"}
"""Of floats they make truths: never as many bytes, so the declaration has no effect."""

BY_EXECUTION = {"Memorize"}
"""It hands on what it gets; which input that is depends on the execution."""


def places_of(case: Case) -> Iterator[int]:
    """Go over the declared inputs that have as many bytes as the output."""
    (dims, *_), (dtype, *_) = declared(case, 1)
    for index in case.spec.in_place:
        array = case.arrays[index] if index < len(case.arrays) else None
        if array is not None and array.nbytes == dims.size * dtype.itemsize and array.size > 1:
            yield index


DECLARED = [
    pytest.param(case, index, id=f"{name}-input{index}")
    for case, name in [*zip(CASES, IDS, strict=True), *((c, c.type) for c in SAME_SIZE)]
    if not case.attrs.get("training_mode")  # reads all of its input before it writes anything
    for index in (places_of(case) if case.spec.overwrites else ())
]


def depends_elementwise(case: Case, index: int) -> bool:
    """Change all elements of an input but one: does that one's result stay as it was?"""
    array = case.arrays[index]
    assert array is not None
    before = run(case.type, *case.arrays, **case.attrs)[0].reshape(-1)
    for place in np.unique(np.linspace(0, array.size - 1, SAMPLES).astype(int)):
        other = np.roll(array.reshape(-1), 1)
        if other.dtype.kind == "f":
            other *= 0.5
        other[place] = array.reshape(-1)[place]
        arrays = [*case.arrays]
        arrays[index] = other.reshape(array.shape)
        after = run(case.type, *arrays, **case.attrs)[0].reshape(-1)
        if before[place : place + 1].tobytes() != after[place : place + 1].tobytes():
            return False
    return True


@pytest.mark.parametrize(("case", "index"), DECLARED)
def test_elements_depend_on_the_element_at_their_place_alone(case: Case, index: int) -> None:
    assert depends_elementwise(case, index)


def test_every_declaration_is_tried() -> None:
    tried = {case.values[0].type for case in DECLARED if isinstance(case.values[0], Case)}
    assert {
        name for name, spec in SPECS.items() if spec.overwrites
    } - tried == NEVER_SAME_SIZE | BY_EXECUTION


MIXED = [case for case in CASES if case.spec.overwrites_mixed]


def test_operators_that_mix_in_place_are_tried() -> None:
    assert {case.type for case in MIXED} == {"LRN"}
    assert {name for name, spec in SPECS.items() if spec.overwrites_mixed} == {"LRN"}
    assert not any(spec.overwrites and spec.overwrites_mixed for spec in SPECS.values())


@pytest.mark.parametrize("case", MIXED)
def test_what_mixes_in_place_mixes_the_channels_of_a_point_alone(case: Case) -> None:
    """A kernel that keeps one row of all channels aside then has what it needs."""
    x = case.arrays[0]
    assert x is not None
    before = run(case.type, x, **case.attrs)[0]
    for row in range(x.shape[2]):
        other = np.full_like(x, 99)
        other[:, :, row] = x[:, :, row]
        after = run(case.type, other, **case.attrs)[0]
        assert after[:, :, row].tobytes() == before[:, :, row].tobytes()
        assert after.tobytes() != before.tobytes()


@pytest.mark.parametrize("name", MIXING)
def test_the_trial_finds_operators_that_mix_elements(name: str) -> None:
    found = [
        depends_elementwise(case, 0)
        for case in CASES
        if case.type == name
        and case.arrays[0] is not None
        and case.arrays[0].size
        and case.arrays[0].shape == declared(case, 1)[0][0]
    ]
    assert False in found
    assert SPECS[name].cp is CpModel.IN_PLACE
    assert SPECS[name].overwrites == ()


WRITING = [
    pytest.param(case, index, id=f"{name}-over{index}")
    for case, name in zip(CASES, IDS, strict=True)
    if (kernel := find_kernel(case.spec)) is not None and can_write_into(kernel)
    for index in (None, *(places_of(case) if case.spec.in_place else ()))
]


@pytest.mark.parametrize(("case", "index"), WRITING)
def test_kernels_write_where_they_are_told(case: Case, index: int | None) -> None:
    (dims, *_), (dtype, *_) = declared(case, 1)
    expected = run(case.type, *case.arrays, **case.attrs)[0]
    arrays = [None if array is None else array.copy() for array in case.arrays]
    out = np.full(dims, 77).astype(dtype.numpy)
    if index is not None:
        source = arrays[index]
        assert source is not None
        source = arrays[index] = np.ascontiguousarray(source)
        out = source.reshape(-1).view(dtype.numpy).reshape(dims)
    found = _call(case, arrays, out)
    assert found.tobytes() == expected.tobytes()


def _call(case: Case, arrays: list[Array | None], out: Array) -> Array:
    kernel = find_kernel(case.spec)
    assert kernel is not None
    missing = [] if case.spec.variadic else [None] * (len(case.spec.inputs) - len(arrays))
    with np.errstate(all="ignore"):
        result = kernel(*arrays, *missing, **case.spec.make_attributes(**case.attrs), out=out)
    return result[0] if isinstance(result, tuple) else result
