"""Bound the size of pictures of many shapes: those of one look become one path.

A rectangle takes about a hundred bytes of SVG, and a piece of a path about fifteen. Shapes are put
on a grid of half a pixel; where several of one look fall together, one is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")

_SIZE = r'"[-\d.]+"'
_SHAPE = (
    f"<rect x={_SIZE} y={_SIZE} width={_SIZE} height={_SIZE}(?! rx=)[^>]*/>"
    f"|<line x1={_SIZE} x2={_SIZE} y1={_SIZE} y2={_SIZE}[^>]*/>"
)
_RUN = re.compile(f"(?:{_SHAPE}){{2,}}")
_PARTS = re.compile(r"<(rect|line)" + r' \w+="([-\d.]+)"' * 4 + " ?([^>]*)/>")

MANY = 800
"""A picture of more shapes is drawn with paths."""


def join_shapes(parts: str) -> str:
    """Draw neighbours of one look as one path, where there are many shapes.

    Examples
    --------
    >>> bar = '<rect x="{}" y="0" width="2" height="9" fill="#333"/>'
    >>> join_shapes(bar.format(4))
    '<rect x="4" y="0" width="2" height="9" fill="#333"/>'
    >>> many = "".join(bar.format(4 + n / 500) for n in range(1000))
    >>> join_shapes(many)
    '<path d="M4 0h2v9h-2zM4.5 0h2v9h-2zM5 0h2v9h-2zM5.5 0h2v9h-2zM6 0h2v9h-2z" fill="#333"/>'
    """
    if parts.count("<rect") + parts.count("<line") <= MANY:
        return parts
    return _RUN.sub(lambda run: _joined(run[0]), parts)


def spread(items: Sequence[Item], most: int) -> list[Item]:
    """Choose about ``most`` of many items, from all over them and without a rhythm of their own.

    Examples
    --------
    >>> chosen = spread(range(10_000), 100)
    >>> 90 < len(chosen) < 110, sum(each % 2 for each in chosen) > 30, max(chosen) > 9900
    (True, True, True)
    >>> spread("abc", 3)
    ['a', 'b', 'c']
    """
    whole = 1 << 32
    share = whole * most // max(1, len(items))
    return [each for place, each in enumerate(items) if place * _GOLDEN % whole < share]


_GOLDEN = 2_654_435_769
"""Steps of this size, of 2³², fill every stretch evenly: the golden ratio."""


def _joined(run: str) -> str:
    paths: dict[str, dict[str, None]] = {}
    for kind, *sizes, look in _PARTS.findall(run):
        one, two, three, four = (round(2 * float(each)) / 2 for each in sizes)
        if kind == "rect":
            wide, high = max(0.5, three), max(0.5, four)
            piece = f"M{one:g} {two:g}h{wide:g}v{high:g}h-{wide:g}z"
        else:
            piece = f"M{one:g} {three:g}L{two:g} {four:g}"
        paths.setdefault(look, {})[piece] = None
    return "".join(f'<path d="{"".join(pieces)}" {look}/>' for look, pieces in paths.items())
