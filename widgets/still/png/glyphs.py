"""A font of strokes for pictures made of pixels: no file, no library, the same on every machine.

A glyph is a width and strokes on a grid: 6 units from the top of capitals to the base line, points
as two digits, x and y, strokes apart by ``/``. It is meant to be read at 10 to 14 pixels.
"""

from __future__ import annotations

from functools import cache

UNITS = 6
"""Height of a capital in units of the grid."""
SPACE = 1.75
"""Units between the strokes of two glyphs."""

_O = "10 30 41 45 36 16 05 01 10"
_TABLE = {
    " ": "1 ",
    "A": "4 06 20 46/14 34",
    "B": "4 06 00 30 41 42 33 03/33 44 45 36 06",
    "C": "4 41 30 10 01 05 16 36 45",
    "D": "4 06 00 30 41 45 36 06",
    "E": "4 40 00 06 46/03 33",
    "F": "4 40 00 06/03 33",
    "G": "4 41 30 10 01 05 16 36 45 43 23",
    "H": "4 00 06/40 46/03 43",
    "I": "0 00 06",
    "J": "3 30 35 26 16 05",
    "K": "4 00 06/40 03 46",
    "L": "3 00 06 36",
    "M": "6 06 00 34 60 66",
    "N": "4 06 00 46 40",
    "O": f"4 {_O}",
    "P": "4 06 00 30 41 42 33 03",
    "Q": f"4 {_O}/24 47",
    "R": "4 06 00 30 41 42 33 03/23 46",
    "S": "4 41 30 10 01 02 13 33 44 45 36 16 05",
    "T": "4 00 40/20 26",
    "U": "4 00 05 16 36 45 40",
    "V": "4 00 26 40",
    "W": "6 00 26 31 46 60",
    "X": "4 00 46/40 06",
    "Y": "4 00 23 40/23 26",
    "Z": "4 00 40 06 46",
    "0": f"4 {_O}/05 41",
    "1": "3 11 20 26",
    "2": "4 01 10 30 41 42 06 46",
    "3": "4 01 10 30 41 42 33 13/33 44 45 36 16 05",
    "4": "4 36 30 04 44",
    "5": "4 40 00 02 32 43 45 36 16 05",
    "6": "4 40 10 01 05 16 36 45 44 33 03",
    "7": "4 00 40 16",
    "8": "4 13 02 01 10 30 41 42 33 13 04 05 16 36 45 44 33",
    "9": "4 43 13 02 01 10 30 41 45 36 06",
    "a": "3 12 22 33 36 16 05 14 34",
    "b": "3 00 06 26 35 33 22 02",
    "c": "3 32 12 03 05 16 36",
    "d": "3 30 36 16 05 03 12 32",
    "e": "3 04 34 33 22 12 03 05 16 36",
    "f": "2 20 11 16/02 22",
    "g": "3 36 16 05 03 12 32 37 28 08",
    "h": "3 00 06/03 12 22 33 36",
    "i": "0 02 06/00 00",
    "j": "1 12 17 08/10 10",
    "k": "3 00 06/32 04 36",
    "l": "0 00 06",
    "m": "6 06 02 22 33 36/33 42 52 63 66",
    "n": "3 06 02 22 33 36",
    "o": "3 12 22 33 35 26 16 05 03 12",
    "p": "3 08 02 22 33 35 26 06",
    "q": "3 38 32 12 03 05 16 36",
    "r": "2 06 02/03 12 22",
    "s": "3 32 12 03 14 24 35 26 06",
    "t": "2 10 15 26/02 22",
    "u": "3 02 05 16 36 32",
    "v": "4 02 26 42",
    "w": "6 02 16 33 56 62",
    "x": "3 02 36/32 06",
    "y": "3 02 05 16 36/32 37 28 08",
    "z": "3 02 32 06 36",
    ".": "0 06 06",
    ",": "1 16 07",
    ":": "0 03 03/06 06",
    ";": "1 13 13/16 07",
    "!": "0 00 04/06 06",
    "?": "3 01 10 20 31 22 13 14/16 16",
    "-": "2 04 24",
    "_": "4 07 47",
    "+": "4 04 44/22 26",
    "=": "4 03 43/05 45",
    "/": "3 06 30",
    "\\": "3 00 36",
    "|": "0 00 07",
    "(": "1 10 01 05 16",
    ")": "1 00 11 15 06",
    "[": "1 10 00 06 16",
    "]": "1 00 10 16 06",
    "{": "2 20 11 12 03 14 15 26",
    "}": "2 00 11 12 23 14 15 06",
    "<": "3 32 04 36",
    ">": "3 02 34 06",
    "*": "4 20 24/01 43/41 03",
    "#": "4 10 06/30 26/02 42/04 44",
    "%": "5 00 10 11 01 00/40 16/45 55 56 46 45",
    "&": "4 46 02 01 10 20 21 04 05 16 26 44",
    "'": "0 00 01",
    '"': "2 00 01/20 21",
    "`": "1 00 11",
    "^": "4 02 20 42",
    "~": "4 04 13 34 43",
    "$": "4 41 30 10 01 02 13 33 44 45 36 16 05/20 26",
    "@": "6 44 42 32 24 34 44 54 62 50 10 01 05 16 46",
    "\N{HORIZONTAL ELLIPSIS}": "6 06 06/36 36/66 66",
    "\N{MULTIPLICATION SIGN}": "3 03 36/33 06",
    "\N{MIDDLE DOT}": "0 04 04",
    "\N{EN DASH}": "4 04 44",
    "\N{EM DASH}": "6 04 64",
    "\N{MINUS SIGN}": "4 04 44",
    "\N{MICRO SIGN}": "3 02 08/05 16 36 32",
    "\N{GREATER-THAN OR EQUAL TO}": "3 01 33 05/06 36",
    "\N{LESS-THAN OR EQUAL TO}": "3 31 03 35/06 36",
    "\N{RIGHTWARDS ARROW}": "5 04 54/32 54 36",
}
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
