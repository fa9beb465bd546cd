"""Write SVG elements, and choose the marks of an axis.

The pictures are drawn for white paper, so that they read the same wherever they are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import ceil, floor
from typing import TYPE_CHECKING

from aidge_nb.core.text import html_text
from aidge_nb.widgets.palette import FAMILIES, family_of
from aidge_nb.widgets.shared import COLOURS, LABELS
from aidge_nb.widgets.still.svg.holding import hold_text
from aidge_nb.widgets.still.svg.joining import join_shapes
from aidge_nb.widgets.text import elide, width_of

if TYPE_CHECKING:
    from aidge_nb.widgets.scene.parts import SceneNode

_LIGHT: dict[str, str] = COLOURS["light"]
PAPER, INK, MUTED, LINE, ACCENT, WARN = (
    _LIGHT[name] for name in ("paper", "ink", "muted", "line", "accent", "warn")
)
SMALL = f'fill="{MUTED}" font-size="11"'
*_RGB, _ALPHA = re.findall(r"[\d.]+", _LIGHT["faint"])
FAINT = f'fill="#{bytes(map(int, _RGB)).hex()}" fill-opacity="{_ALPHA}"'
CENTRED, AT_END = 'text-anchor="middle"', 'text-anchor="end"'
_FONT = "system-ui, 'Segoe UI', 'Noto Sans', 'Liberation Sans', sans-serif"


@lru_cache(4096)
def number(value: float) -> str:
    """Write a coordinate with at most two decimals, the same on every machine.

    Examples
    --------
    >>> number(3.0), number(2.5), number(1 / 3)
    ('3', '2.5', '0.33')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))


def colour_of(kind: str) -> str:
    """Return the colour of an operator type on white paper."""
    return FAMILIES[family_of(kind)].light


def node_colour(node: SceneNode) -> str:
    """Return the colour of a node on white paper."""
    return FAMILIES[node.colours].light


def fit(label: str, width: float, size: float = 12.0) -> str:
    """Shorten a label until it is about ``width`` pixels wide, keeping both ends of it.

    Examples
    --------
    >>> fit("1×3×224×224", 40), fit("features_0_conv", 10)
    ('1×…24', '')
    """
    short = elide(label, int(2 * width / size) + 2)
    while width_of(short, size) > width:
        if len(short) - 1 < LABELS["least"]:
            return ""
        short = elide(label, len(short) - 1)
    return short


def text(x: float, y: float, content: str, extra: str = "") -> str:
    """Write text; the content is escaped, ``extra`` are attributes."""
    space = " " if extra else ""
    return f'<text x="{number(x)}" y="{number(y)}"{space}{extra}>{html_text(content)}</text>'


def upright(x: float, y: float, content: str, extra: str, down: float = 4) -> str:
    """Write text from the bottom to the top, ``down`` pixels beside its middle line."""
    turn = f'transform="rotate(-90 {number(x + down)} {number(y)})"'
    return text(x + down, y, content, f"{extra} {turn}")


def paragraph(
    lines: list[str], x: float, y: float, width: float, colour: str, other: str
) -> Iterator[str]:
    """Write lines around a middle, the first bold: those that have room."""
    for index, label in enumerate(lines):
        at = y + (index - (len(lines) - 1) / 2) * 13.5 + 4
        cuts = [label, label.split(":")[0], label.split(", ")[0], label.removeprefix("steps ")]
        short = next((cut for cut in cuts if width_of(cut, 11) <= width), "")
        if short:
            bold = ' font-weight="600"' if index == 0 else ""
            style = f'{CENTRED} font-size="11"{bold} fill="{other if index else colour}"'
            yield text(x, at, short, style)


def halves(label: str) -> list[str]:
    """Break a line in two at a space in its middle."""
    at = label.find(" ", len(label) // 3)
    return [label] if at < 0 else [label[:at], label[at + 1 :]]


def wrapped(label: str, width: float) -> list[str]:
    """Break a sum into lines before a sign."""
    lines: list[str] = []
    for part in label.replace(" +", "\n+").replace(" =", "\n=").split("\n"):
        if lines and width_of(f"{lines[-1]} {part}", 11) <= width:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return lines


def rect(x: float, y: float, width: float, height: float, extra: str = "") -> str:
    """Draw a rectangle."""
    size = f'width="{number(max(0.0, width))}" height="{number(max(0.0, height))}"'
    space = " " if extra else ""
    return f'<rect x="{number(x)}" y="{number(y)}" {size}{space}{extra}/>'


def line(x1: float, y1: float, x2: float, y2: float, extra: str) -> str:
    """Draw a straight line from one place to another."""
    ends = f'x1="{number(x1)}" x2="{number(x2)}" y1="{number(y1)}" y2="{number(y2)}"'
    return f"<line {ends} {extra}/>"


def hatched(x: float, y: float, wide: float, high: float, apart: float, style: str) -> str:
    """Draw slanting lines in a rectangle, ``apart`` pixels from each other; ``style`` is theirs."""
    path, shift = "", -high
    while shift < wide:
        low, top = max(0.0, shift), min(wide, shift + high)
        ends = ((low, high - (low - shift)), (top, high - (top - shift)))
        path += "M" + "L".join(f"{number(x + across)} {number(y + down)}" for across, down in ends)
        shift += apart
    return f'<path d="{path}" fill="none" {style}/>'


def inside(window: tuple[int, int] | None, count: int) -> tuple[int, int]:
    """Return the first unit of time that is drawn, and the one after the last: all, or a window.

    Examples
    --------
    >>> inside(None, 9), inside((2, 4), 9), inside((12, 20), 9)
    ((0, 9), (2, 4), (8, 9))
    """
    if window is None:
        return 0, count
    first = min(max(0, window[0]), count - 1)
    return first, max(first + 1, min(window[1], count))


def round_up(value: float) -> int:
    """Return the next of 1, 2, 5, 10, 20, ….

    Examples
    --------
    >>> round_up(0.3), round_up(3), round_up(51)
    (1, 5, 100)
    """
    power = 1
    while power * 10 < value:
        power *= 10
    return next(unit * power for unit in (1, 2, 5, 10) if unit * power >= value)


def nice_marks(start: float, stop: float, most: float) -> list[int]:
    """List the whole numbers to mark on an axis: at most about ``most``, as the live view does.

    Examples
    --------
    >>> nice_marks(0, 100, 5), nice_marks(1, 4, 10)
    ([0, 20, 40, 60, 80, 100], [1, 2, 3, 4])
    """
    step = round_up((stop - start) / max(1.0, most))
    return [int(mark * step) for mark in range(ceil(start / step), floor(stop / step) + 1)]


def byte_marks(stop: float, most: float) -> list[int]:
    """List the addresses to mark on an axis of bytes, from 0: powers of two apart.

    Examples
    --------
    >>> byte_marks(5000, 4)
    [0, 2048, 4096]
    """
    rough = max(1.0, stop / max(1.0, most))
    unit = 1
    while unit * 1024 <= rough:
        unit *= 1024
    step = next((part * unit for part in (2**n for n in range(11)) if part * unit >= rough), unit)
    return list(range(0, int(stop) + 1, step))


def document(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """Wrap parts into an SVG document with a title, whose text keeps its place in any font."""
    name = html_text(elide(title, 400))
    size = f'width="{number(width)}" height="{number(height)}"'
    box = f'viewBox="0 0 {number(width)} {number(height)}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" aria-label="{name}" '
        'style="max-width:100%;height:auto" '
        f'font-family="{_FONT}" font-size="12" fill="{INK}"><title>{name}</title>'
    )
    paper = rect(0, 0, width, height, f'fill="{PAPER}"')
    drawing = join_shapes(hold_text("".join(parts), width, height))
    return f"{head}{paper}{drawing}</svg>"
