"""Sizes of pages: pictures are printed as wide as A4 leaves room for, and read there.

Letters have 6 points or more on a page of 190 mm. Drawings that share their letters with the live
view, which are small, are drawn narrow and then enlarged to the width of a picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aidge_nb.widgets.still.svg.parts import MUTED, document, text

WIDTH = 1200.0
"""Pixels of a picture."""

_PAPER, _POINT = 190.0, 25.4 / 72  # millimetres
_READ = 6.0


def widest(letters: float) -> float:
    """Return how wide a drawing may be whose smallest letters are to be read on paper.

    Examples
    --------
    >>> round(widest(10)), round(widest(11))
    (898, 987)
    """
    return letters * _PAPER / (_READ * _POINT)


NARROW = 890.0
"""Width of drawings whose smallest letters have 10 pixels."""


def enlarged(height: float, title: str, parts: Iterable[str]) -> str:
    """Wrap parts of a drawing that is :data:`NARROW` into a document as wide as a picture."""
    scale = WIDTH / NARROW
    grown = (f'<g transform="scale({scale:.6f})">', *parts, "</g>")
    return document(WIDTH, height * scale, title, grown)


def noted(
    parts: list[str],
    height: float,
    left_out: Sequence[str],
    instead: str = "",
    *,
    x: float = 12,
    down: float = 12,
    room: float = 20,
) -> float:
    """Write below a page what it leaves out, or something ``instead``; return the height then."""
    note = "; ".join(left_out) + ": open the interactive view to see all" if left_out else ""
    if not (instead or note):
        return height
    parts.append(text(x, height + down, instead or note, f'fill="{MUTED}"'))
    return height + room
