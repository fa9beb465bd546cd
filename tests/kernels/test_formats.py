"""Small number formats against ``ml_dtypes``, over all their values and the ties between them."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.shape.standard import bit_cast
from aidge_nb.kernels.formats import FLOATS, INTEGERS, TYPES, fitted, holder
from aidge_nb.kernels.standard import NodeContext
from aidge_nb.onnx_io.element_types import EXOTIC, narrowed, widened

EIGHT_BITS = [kind for kind in FLOATS if kind.startswith("float8")]


def all_values(kind: str) -> np.ndarray:
    dtype = getattr(ml_dtypes, EXOTIC[kind])
    if kind == "bfloat16":
        codes = np.arange(0, 2**16, 7, dtype=np.uint16)
        return np.sort(codes.view(dtype).astype(np.float32)[:])
    bits = {"float4e2m1": 4, "float6e2m3": 6, "float6e3m2": 6}.get(kind, 8)
    return np.sort(np.arange(2**bits, dtype=np.uint8).view(dtype).astype(np.float32))


def between(kind: str) -> np.ndarray:
    """Give the values of a format, the middles between them, and what lies around these."""
    values = all_values(kind)
    values = np.unique(values[np.isfinite(values)]).astype(np.float64)
    middles = ((values[1:] + values[:-1]) / 2).astype(np.float32)
    near = [np.nextafter(middles, np.float32(way)) for way in (np.inf, -np.inf)]
    return np.concatenate([values.astype(np.float32), middles, *near, [0.0, -0.0]])


@pytest.mark.parametrize("kind", list(FLOATS))
def test_numbers_are_rounded_to_even(kind: str) -> None:
    x = between(kind)
    wanted = x.astype(getattr(ml_dtypes, EXOTIC[kind])).astype(np.float32)
    found = fitted(x, kind)
    np.testing.assert_array_equal(found, wanted)
    assert (np.signbit(found) == np.signbit(wanted)).all()


@pytest.mark.parametrize("kind", EIGHT_BITS)
def test_large_numbers_saturate_or_not(kind: str) -> None:
    largest = FLOATS[kind].largest
    x = np.array([largest, largest * 1.5, -largest * 4, np.inf, -np.inf, np.nan], np.float32)
    kept = fitted(x, kind)
    np.testing.assert_array_equal(kept, [largest, largest, -largest, largest, -largest, np.nan])
    lost = fitted(x, kind, saturate=False)
    over = np.inf if FLOATS[kind].has_infinity else np.nan
    np.testing.assert_array_equal(lost, [largest, over, -over, over, -over, np.nan])


@pytest.mark.parametrize("kind", EIGHT_BITS)
def test_bits_of_floats(kind: str) -> None:
    codes = np.arange(256, dtype=np.uint8)
    wanted = codes.view(getattr(ml_dtypes, EXOTIC[kind])).astype(np.float32)
    numbers = bit_cast(codes, to=TYPES.index(kind), site=NodeContext(26, input_types=("uint8",)))
    np.testing.assert_array_equal(numbers, wanted)


@pytest.mark.parametrize("kind", ["int2", "uint2", "int4", "uint4"])
def test_small_integers_keep_their_lowest_bits(kind: str) -> None:
    least, largest, bits = INTEGERS[kind]
    found = fitted(np.arange(-40, 40), kind)
    assert found.dtype == holder(kind)
    assert (found.min(), found.max()) == (least, largest)
    assert ((found - np.arange(-40, 40)) % (1 << bits) == 0).all()


@pytest.mark.parametrize("kind", list(EXOTIC))
def test_the_way_there_and_back(kind: str) -> None:
    values = np.array([0.5, 1, 2], np.float32) if "float" in kind else np.array([0, 1, 1], np.int8)
    there = narrowed(values, kind)
    assert there.dtype.name == EXOTIC[kind]
    back = widened(there)
    assert back.dtype == holder(kind)
    np.testing.assert_array_equal(back, values)


def test_an_unknown_format_is_named() -> None:
    with pytest.raises(ShapeError, match=r"unknown element type \(found float9\)"):
        fitted(np.ones(1), "float9")
