"""What counts as a number: those of Python and of NumPy, and not true and false."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number.

    Examples
    --------
    >>> is_number(0.5), is_number(True), is_number("0.5")
    (True, False, False)
    """
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number.

    Examples
    --------
    >>> is_whole(4), is_whole(np.int64(4)), is_whole(4.0), is_whole(True)
    (True, True, False, False)
    """
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
