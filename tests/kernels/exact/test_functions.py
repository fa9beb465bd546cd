"""The functions of the exact arithmetic: how exact they are, and what they give at the limits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from aidge_nb.kernels.exact.functions import exponential, logarithm, trigonometry
from aidge_nb.kernels.exact.functions.error_function import erf
from aidge_nb.kernels.exact.functions.power import power
from tests.kernels.c.machine import check

Array = NDArray[Any]
Function = Callable[[Array], Array]

COUNT = 40_000
F = np.float32


def _erf(x: Array) -> Array:
    return np.array([math.erf(value) for value in x.tolist()])


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def _softplus(x: Array) -> Array:
    return np.asarray(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


ACCURACY: list[tuple[str, Function, Callable[[Array], Any], float]] = [
    ("Exp", exponential.exp, np.exp, 1.1),
    ("Tanh", exponential.tanh, np.tanh, 1.5),
    ("Sinh", exponential.sinh, np.sinh, 2.4),
    ("Cosh", exponential.cosh, np.cosh, 1.5),
    ("Sigmoid", exponential.sigmoid, _sigmoid, 2.4),
    ("Ln", logarithm.log, np.log, 1.0),
    ("Asinh", logarithm.asinh, np.arcsinh, 2.1),
    ("Acosh", logarithm.acosh, np.arccosh, 2.1),
    ("Atanh", logarithm.atanh, np.arctanh, 2.5),
    ("Softplus", logarithm.softplus, _softplus, 2.1),
    ("Erf", erf, _erf, 1.5),
    ("Sin", trigonometry.sin, np.sin, 2.5),
    ("Cos", trigonometry.cos, np.cos, 2.5),
    ("Tan", trigonometry.tan, np.tan, 3.3),
    ("Asin", trigonometry.asin, np.arcsin, 2.5),
    ("Acos", trigonometry.acos, np.arccos, 1.5),
    ("Atan", trigonometry.atan, np.arctan, 2.0),
]
"""Operator, our function, NumPy's in double precision, and the units in the last place allowed.

Over 7 million numbers, of all exponents, the largest errors measured were 0.98, 1.32, 2.27, 1.39,
2.28, 0.78, 1.91, 1.70, 2.30, 1.90, 1.26, 2.33, 2.39, 3.24, 2.36, 1.12 and 1.85, and 1.07 of powers.
"""
NAMES = [entry[0] for entry in ACCURACY]

SPECIAL = np.array(
    [
        *(0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, 88.72284, 89.0, -87.4, -103.97, -104.0, 0.625),
        *(1e-45, -1e-45, 1.17549435e-38, 3.4e38, -3.4e38, np.inf, -np.inf, np.nan, 1e10, 0.921875),
    ],
    F,
)


def everywhere() -> Array:
    """Give numbers of all exponents, many of common ones, and special ones."""
    generator = np.random.default_rng(7)
    bits = generator.integers(0, 2**32, COUNT, dtype=np.uint32).view(F)
    wide = generator.uniform(-100, 100, COUNT).astype(F)
    near = generator.uniform(-2, 2, COUNT).astype(F)
    return np.concatenate([SPECIAL, bits, wide, near])


def units(found: Array, wanted: Array) -> Array:
    """Measure errors in units in the last place of what is wanted, where it is finite."""
    nearest = wanted.astype(F)
    finite = np.isfinite(nearest) & np.isfinite(found)
    size = np.clip(np.abs(wanted[finite]), np.finfo(F).tiny, np.finfo(F).max).astype(F)
    errors = np.abs(found[finite].astype(np.float64) - wanted[finite])
    return np.asarray(errors / np.spacing(size).astype(np.float64))


@pytest.mark.parametrize(("name", "function", "double", "allowed"), ACCURACY, ids=NAMES)
def test_accuracy_and_limits(
    name: str, function: Function, double: Callable[[Array], Any], allowed: float
) -> None:
    x = everywhere()
    with np.errstate(all="ignore"):
        found, wanted = function(x), np.asarray(double(x.astype(np.float64)))
        nearest = wanted.astype(F)
        assert units(found, wanted).max() <= allowed
    np.testing.assert_array_equal(np.isnan(found), np.isnan(nearest))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(nearest))
    numbers = ~np.isnan(found)
    np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(nearest)[numbers])


@pytest.mark.parametrize("name", NAMES)
def test_c_has_the_same_bits(name: str) -> None:
    check(name, everywhere())


def test_powers() -> None:
    generator = np.random.default_rng(3)
    first, second = (each.ravel() for each in np.meshgrid(SPECIAL, SPECIAL))
    x = np.concatenate([first, generator.uniform(0, 10, COUNT), generator.uniform(-9, 9, COUNT)])
    y = np.concatenate(
        [second, generator.uniform(-30, 30, COUNT), generator.integers(-9, 9, COUNT)]
    )
    x, y = x.astype(F), y.astype(F)
    with np.errstate(all="ignore"):
        found = power(x, y)
        wanted = np.power(x.astype(np.float64), y.astype(np.float64))
        nearest = wanted.astype(F)
        assert units(found, wanted).max() <= 1.5
    np.testing.assert_array_equal(np.isnan(found), np.isnan(nearest))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(nearest))
    check("Pow", x, y)


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0, 3.0, -1.0])
def test_simple_powers_are_what_they_are_defined_to_be(exponent: float) -> None:
    x = np.random.default_rng(5).standard_normal(999).astype(F)
    simple = {0.0: x * 0 + 1, 1.0: x, 2.0: x * x, 3.0: x * x * x, -1.0: F(1) / x}[exponent]
    np.testing.assert_array_equal(power(x, np.asarray(F(exponent))), simple)


def test_a_function_does_not_depend_on_what_stands_beside() -> None:
    """Blocks and vectors do not show: one element alone gives the same bits."""
    x = everywhere()[:2000]
    with np.errstate(all="ignore"):
        whole = exponential.exp(x)
        single = np.concatenate([exponential.exp(x[i : i + 1]) for i in range(len(x))])
    np.testing.assert_array_equal(whole.view(np.uint32), single.view(np.uint32))
