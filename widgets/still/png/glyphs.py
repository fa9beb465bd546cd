"""A font of strokes for pictures made of pixels: no library, the same on every machine.

A glyph is a width and strokes on a grid: 6 units from the top of capitals to the base line, points
as two digits, x and y, strokes apart by ``/``. It is meant to be read at 10 to 14 pixels. The file
``glyphs.txt`` beside this module holds one on each line.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

UNITS = 6
"""Height of a capital in units of the grid."""
SPACE = 1.75
"""Units between the strokes of two glyphs."""

_TABLE = dict(
    line.split("\t")
    for line in Path(__file__).with_name("glyphs.txt").read_text("utf-8").splitlines()
)
_BOX = "4 00 40 46 06 00"
"""For what the font does not have."""

Stroke = tuple[tuple[float, float], ...]


@cache
def _glyph(char: str) -> tuple[float, tuple[Stroke, ...]]:
    width, _, drawn = _TABLE.get(char, _BOX).partition(" ")
    found = tuple(
        tuple((float(point[0]), float(point[1])) for point in stroke.split())
        for stroke in drawn.split("/")
        if stroke
    )
    return float(width), found


def strokes(char: str) -> tuple[Stroke, ...]:
    """Return the strokes of a character, in units of the grid; y grows downwards.

    Examples
    --------
    >>> strokes("T")
    (((0.0, 0.0), (4.0, 0.0)), ((2.0, 0.0), (2.0, 6.0)))
    """
    return _glyph(char)[1]


def advance(char: str) -> float:
    """Return the units from a character to the next.

    Examples
    --------
    >>> advance("i") < advance("n") < advance("m")
    True
    """
    return _glyph(char)[0] + SPACE
