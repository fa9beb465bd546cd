"""Colours of operators: one per family, for light and for dark backgrounds.

The colours are in ``shared/colours.json``. Each has a contrast of at least 3:1 with its background,
and the colours of two families stay apart (a distance of 15 or more in CIE Lab) for people who do
not tell red from green; a test simulates how they see.
"""

from __future__ import annotations

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.shared import COLOURS, LABELS


@dataclass(frozen=True, slots=True)
class Family:
    """A family of operators: its name, its two colours and its operator types."""

    name: str
    light: str
    dark: str
    types: frozenset[str]


PAPER = {theme: str(COLOURS[theme]["paper"]) for theme in ("light", "dark")}
"""Backgrounds that the palette is made for."""

FAMILIES = tuple(
    Family(each["name"], each["light"], each["dark"], frozenset(" ".join(each["types"]).split()))
    for each in COLOURS["families"]
)

_BY_TYPE = {kind: index for index, family in enumerate(FAMILIES) for kind in family.types}


def in_turn(number: int) -> int:
    """Return the family whose colours a numbered tile, or a node without a type, has.

    Examples
    --------
    >>> in_turn(0) == in_turn(5), in_turn(0) == in_turn(1)
    (True, False)
    """
    turns: list[int] = COLOURS["inTurn"]
    return turns[number % len(turns)]


def text_on(colour: str) -> str:
    """Choose black or white for text on a colour, whichever reads better.

    Examples
    --------
    >>> text_on("#671098"), text_on("#f2c902")
    ('#ffffff', '#000000')
    """
    ink = LABELS["ink"]
    parts = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    luminance = sum(weight * part**2.2 for weight, part in zip(ink["weights"], parts, strict=True))
    return str(ink["dark"] if luminance > ink["luminance"] else ink["light"])


def thinned(colour: str, alpha: float) -> str:
    """Return the colour that is seen where another lies thinly on white paper.

    Examples
    --------
    >>> thinned("#000000", 0.5)
    '#808080'
    """
    pairs = [(colour[at : at + 2], PAPER["light"][at : at + 2]) for at in (1, 3, 5)]
    mixed = (int(over, 16) * alpha + int(under, 16) * (1 - alpha) for over, under in pairs)
    return "#" + "".join(f"{int(each + 0.5):02x}" for each in mixed)


def family_of(kind: str) -> int:
    """Find the family of an operator type, as an index into :data:`FAMILIES`.

    Examples
    --------
    >>> FAMILIES[family_of("Conv2D")].name, FAMILIES[family_of("Conv2D_Fused")].name
    ('convolution', 'other')
    """
    return _BY_TYPE.get(kind, len(FAMILIES) - 1)
