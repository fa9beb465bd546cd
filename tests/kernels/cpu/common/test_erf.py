from __future__ import annotations

import math

import numpy as np

from aidge_nb.kernels.cpu.common.erf import erf
from tests.kernels.case import Array


def _units_in_last_place(x: Array) -> Array:
    exact = np.array([math.erf(value) for value in x.tolist()])
    spacing = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
    return np.asarray(np.abs(erf(x).astype(np.float64) - exact) / spacing)


def test_float32_is_right_to_four_units_in_the_last_place() -> None:
    """The exact arithmetic has its own; this one takes a fifth of the time of half a unit."""
    x = np.linspace(-5, 5, 100_001, dtype=np.float32)
    found = _units_in_last_place(x)
    assert found.max() < 4
    assert found.mean() < 1


def test_small_numbers_keep_their_relative_accuracy() -> None:
    x = (10.0 ** np.linspace(-37, 0, 10_001)).astype(np.float32)
    assert _units_in_last_place(x).max() < 4


def test_limits() -> None:
    x = np.array([np.inf, -np.inf, 0.0, -0.0, np.nan, 3e38], np.float32)
    np.testing.assert_array_equal(erf(x), np.array([1, -1, 0, 0, np.nan, 1], np.float32))
    assert np.signbit(erf(x)[3])


def test_element_types_and_dimensions_stay() -> None:
    for dtype in (np.float16, np.float32, np.float64):
        assert erf(np.zeros((2, 0, 3), dtype)).shape == (2, 0, 3)
        assert erf(np.ones((), dtype)).dtype == dtype


def test_long_arrays_are_worked_off_in_blocks() -> None:
    x = np.random.default_rng(0).standard_normal((3, 10_000)).astype(np.float32)
    np.testing.assert_array_equal(erf(x)[2, -5:], erf(x[2, -5:]))
