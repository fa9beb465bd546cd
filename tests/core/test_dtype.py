"""Element types: Aidge's names, NumPy's spelling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aidge_nb import dtype
from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import ShapeError


@pytest.mark.parametrize("member", list(DType))
def test_every_type_is_found_again(member: DType) -> None:
    assert as_dtype(member) is member
    assert as_dtype(member.numpy) is member
    assert as_dtype(member.name) is member
    assert getattr(dtype, member.name) is member
    assert member.itemsize == np.dtype(member.value).itemsize
    assert repr(member) == f"dtype.{member.name}"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (np.float32, DType.float32),
        ("f8", DType.float64),
        (bool, DType.boolean),
        ("?", DType.boolean),
        (str, DType.string),
        (np.dtype("U5"), DType.string),
        (np.dtype("S3"), DType.string),
        (object, DType.string),
    ],
)
def test_spellings(given: Any, expected: DType) -> None:
    assert as_dtype(given) is expected


@pytest.mark.parametrize("given", ["float33", "datetime64[s]", np.dtype([("a", "i4")]), 7])
def test_unknown_types_are_refused(given: Any) -> None:
    with pytest.raises(
        ShapeError, match=r"dtype: unknown element type \(expected float16, .*found"
    ):
        as_dtype(given)


def test_which_are_floats() -> None:
    floats = {member for member in DType if member.is_float}
    assert floats == {DType.float16, DType.float32, DType.float64}
