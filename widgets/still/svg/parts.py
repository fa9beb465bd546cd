"""Pieces that the static pictures share: the frame, text, marks of an axis.

The pictures are drawn for white paper, so that they read the same wherever they are shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from aidge_nb.widgets.palette import FAMILIES, family_of
from aidge_nb.widgets.shared import COLOURS, LABELS
from aidge_nb.widgets.text import elide, escape, shorten, width_of

if TYPE_CHECKING:
    from aidge_nb.widgets.scene.scene import SceneNode

_LIGHT: dict[str, str] = COLOURS["light"]
PAPER, INK, MUTED, LINE, ACCENT, WARN = (
    _LIGHT[name] for name in ("paper", "ink", "muted", "line", "accent", "warn")
)
SMALL = f'fill="{MUTED}" font-size="11"'
CENTRED, AT_END = 'text-anchor="middle"', 'text-anchor="end"'
_FONT = "system-ui, 'Segoe UI', 'Noto Sans', 'Liberation Sans', sans-serif"


def number(value: float) -> str:
    """Write a coordinate with at most two decimals, the same on every machine.

    Examples
    --------
    >>> number(3.0), number(2.5), number(1 / 3)
    ('3', '2.5', '0.33')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))


def colour_of(kind: str) -> str:
    """Give the colour of an operator type on white paper."""
    return FAMILIES[family_of(kind)].light


def node_colour(node: SceneNode) -> str:
    """Give the colour of a node on white paper."""
    return FAMILIES[node.colours].light


def fit(label: str, width: float, size: float = 12.0, shared: str = "") -> str:
    """Shorten a label until it is about ``width`` pixels wide; empty where nothing fits.

    ``shared`` is what all labels begin with.

    Examples
    --------
    >>> fit("features_0_conv", 75), fit("features_0_conv", 10)
    ('fe…_0_co…', '')
    """
    limit = int(2 * width / size) + 2
    short = shorten(label, limit, shared)
    while width_of(short, size) > width:
        limit = min(limit, len(short)) - 1
        if limit < LABELS["least"]:
            return ""
        short = shorten(label, limit, shared)
    return short


def text(x: float, y: float, content: str, extra: str = "") -> str:
    """Write text; the content is escaped, ``extra`` are attributes."""
    space = " " if extra else ""
    return f'<text x="{number(x)}" y="{number(y)}"{space}{extra}>{escape(content)}</text>'


def rect(x: float, y: float, width: float, height: float, extra: str = "") -> str:
    """Draw a rectangle."""
    size = f'width="{number(max(0.0, width))}" height="{number(max(0.0, height))}"'
    space = " " if extra else ""
    return f'<rect x="{number(x)}" y="{number(y)}" {size}{space}{extra}/>'


def line(x1: float, y1: float, x2: float, y2: float, extra: str) -> str:
    """Draw a straight line from one place to another."""
    ends = f'x1="{number(x1)}" x2="{number(x2)}" y1="{number(y1)}" y2="{number(y2)}"'
    return f"<line {ends} {extra}/>"


def nice_step(span: int, most: int, base: int = 10) -> int:
    """Choose the distance of marks on an axis: at most about ``most`` of them.

    Examples
    --------
    >>> nice_step(100, 10), nice_step(7, 10), nice_step(5_000_000, 5, base=2)
    (10, 1, 1048576)
    """
    rough = max(1, -(-span // most))
    if base == 2:
        return 1 << (rough - 1).bit_length()
    power = 1
    while 10 * power < rough:
        power *= 10
    return next(unit * power for unit in (1, 2, 5, 10) if unit * power >= rough)


def ticks(span: int, step: int) -> list[int]:
    """List the marks from zero to ``span``."""
    return list(range(0, span + 1, step))


def document(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """Wrap parts into an SVG document with a title for screen readers."""
    name = escape(elide(title, 200))
    size = f'width="{number(width)}" height="{number(height)}"'
    box = f'viewBox="0 0 {number(width)} {number(height)}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" aria-label="{name}" '
        f'font-family="{_FONT}" font-size="12" fill="{INK}"><title>{name}</title>'
    )
    paper = rect(0, 0, width, height, f'fill="{PAPER}"')
    return f"{head}{paper}{''.join(parts)}</svg>"
