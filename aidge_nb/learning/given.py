"""Validate the arguments of losses, learning rates and optimizers."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import AidgeError, ShapeError
from aidge_nb.graph.inputs import as_array


def number_of(
    where: str, value: Any, expected: str, fits: Callable[[float], bool] | None = None
) -> float:
    """Return a finite number that fits; refuse anything else.

    Examples
    --------
    >>> number_of("rate", 0.5, "above 0", lambda rate: rate > 0)
    0.5
    """
    if isinstance(value, Real) and isfinite(value) and (fits is None or fits(float(value))):
        return float(value)
    found = value if isinstance(value, Real) else type(value).__name__
    raise AidgeError.at(where, "is not a suitable number", expected=expected, found=found)


def count_of(where: str, value: Any, least: int = 1) -> int:
    """Return an integer that is at least ``least``; refuse anything else.

    Examples
    --------
    >>> count_of("steps", 3.0)
    3
    """
    expected = f"an integer, {least} or more"
    return int(number_of(where, value, expected, lambda n: n >= least and n == int(n)))


def numbers_of(where: str, value: Any) -> NDArray[Any]:
    """Return an array of real numbers; refuse anything else.

    Examples
    --------
    >>> numbers_of("target", [[0, 1]]).tolist()
    [[0, 1]]
    """
    array = as_array(value, where)
    if array.dtype.kind not in "biuf":
        problem = "does not hold real numbers"
        raise ShapeError.at(where, problem, expected="numbers", found=array.dtype.name)
    return np.asarray(array)
