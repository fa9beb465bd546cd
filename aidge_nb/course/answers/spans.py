"""Read and write spans: first and last of something that is counted, both included."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

Span = tuple[int, int]


def span_of(given: Any) -> Span | None:
    """Return two whole numbers, or None for other values.

    Examples
    --------
    >>> span_of([0, 2]), span_of((1,)), span_of("02")
    ((0, 2), None, None)
    """
    if not isinstance(given, Sequence) or len(given) != 2:
        return None
    first, last = given
    if not isinstance(first, Integral) or not isinstance(last, Integral):
        return None
    return int(first), int(last)


def span_text(span: Span) -> str:
    """Write a span; one number where both ends are the same.

    Examples
    --------
    >>> span_text((3, 8)), span_text((3, 3))
    ('3–8', '3')
    """
    return str(span[0]) if span[0] == span[1] else f"{span[0]}–{span[1]}"
