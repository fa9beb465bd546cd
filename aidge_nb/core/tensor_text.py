"""Write the values of a tensor as text, in the form that Aidge prints them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def values_as_text(array: NDArray[Any], c_code: bool = False) -> str:
    """Return nested rows of values, all of the width of the widest one.

    Parameters
    ----------
    array
        The values.
    c_code
        Whether to write braces and constants of C instead of brackets and five decimals.

    Examples
    --------
    >>> print(values_as_text(np.array([[1.5, -2], [10, 0]], np.float32)))
    [[  1.50000, -2.00000],
     [ 10.00000,  0.00000]]
    >>> values_as_text(np.array([1.5, 2], np.float32), c_code=True)
    '{ 1.5f,  2.f}'
    """
    written = [_c_value(each) if c_code else _value(each) for each in array.reshape(-1)]
    if not array.ndim:
        return written[0]
    width = max(map(len, written), default=0)
    texts = np.array([f" {each:>{width}}" for each in written], object).reshape(array.shape)
    return _rows(texts, "{}" if c_code else "[]", 1)


def _rows(texts: NDArray[Any], marks: str, depth: int) -> str:
    if texts.ndim == 1:
        return marks[0] + ",".join(texts) + marks[1]
    between = "," + "\n" * (texts.ndim - 1 if texts.ndim < 3 else 2) + " " * depth
    return marks[0] + between.join(_rows(row, marks, depth + 1) for row in texts) + marks[1]


def _value(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, (complex, np.complexfloating)):
        return f"({value.real:.5f}{value.imag:+.5f}i)"
    return f"{value:.5f}" if isinstance(value, (float, np.floating)) else str(value)


def _c_value(value: Any) -> str:
    if not isinstance(value, (float, np.floating)):
        return _value(value)
    text = f"{float(value):g}" if isinstance(value, np.float32) else repr(float(value))
    if text.lstrip("-").isdigit() or text.endswith(".0"):
        text = text.removesuffix(".0") + "."
    return text + "f" * isinstance(value, np.float32)
