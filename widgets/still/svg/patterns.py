"""Patterns that tell families of operators apart on paper without colours.

Each is drawn in thin white lines over the colour of its family, so that the colours stay.
"""

from __future__ import annotations

from collections.abc import Iterator

from aidge_nb.widgets.palette import FAMILIES
from aidge_nb.widgets.still.svg.parts import PAPER

_SIDE = 6
_LINES = (
    "M0 6L6 0",
    "M0 3H6",
    "",
    "M3 0V6",
    "M0 0L6 6",
    "M0 3H6M3 0V6",
    "M0 0L6 6M0 6L6 0",
    "M1 2h2M4 5h2",
    "M0 1.5H6M0 4.5H6",
)


def definitions() -> Iterator[str]:
    """Write the patterns of all families; they are found by :func:`pattern_of`."""
    size = f'width="{_SIDE}" height="{_SIDE}" patternUnits="userSpaceOnUse"'
    for family, lines in zip(range(len(FAMILIES)), _LINES, strict=True):
        style = f'fill="none" stroke="{PAPER}" stroke-width="0.9" stroke-opacity="0.8"'
        yield f'<pattern id="anb-family-{family}" {size}><path d="{lines}" {style}/></pattern>'


def pattern_of(family: int) -> str:
    """Return what fills a shape with the pattern of a family.

    Examples
    --------
    >>> pattern_of(3)
    'fill="url(#anb-family-3)"'
    """
    return f'fill="url(#anb-family-{family})"'
