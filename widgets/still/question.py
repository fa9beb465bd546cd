"""Draw a question of the course as SVG, to be read or printed where no widget runs."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import Any

from aidge_nb.core.text import html_text
from aidge_nb.widgets.shared import COLOURS

WIDTH = 640
LINE = 20
PAD = 16
LEFT = 120  # of the ruler
CHARACTERS = 84  # in a line
BOLD = 72  # characters in a line of bold text
TALL = 320  # pixels of the rows of a map, at most
NUMBERED = 16  # rows of the tallest map that have their number, at most


def draw_question(question: Mapping[str, Any]) -> str:
    """Draw the text of a question and the place for its answer.

    Examples
    --------
    >>> svg = draw_question({"kind": "number", "text": "How many?", "unit": "steps"})
    >>> "How many?" in svg and "steps" in svg
    True
    """
    colours = COLOURS["light"]
    parts: list[str] = []
    y: float = PAD + 14
    for line in wrap(question["text"], BOLD):
        parts.append(_text(PAD, y, line, colours["ink"], "bold"))
        y += LINE
    drawn, y = _PARTS[question["kind"]](question, y + 4)
    height = y + PAD
    ground = (
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6" '
        f'fill="{colours["paper"]}" stroke="{colours["line"]}"/>'
    )
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="14" role="img" '
        f'aria-label="{html_text(question["text"])}">'
    )
    return "".join([opening, ground, *parts, *drawn, "</svg>"])


def _text(x: float, y: float, text: str, colour: str, weight: str = "normal") -> str:
    bold = ' font-weight="bold"' if weight == "bold" else ""
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}"{bold}>{html_text(text)}</text>'


def _box(x: float, y: float, width: float, height: float = LINE) -> str:
    muted = COLOURS["light"]["muted"]
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" '
        f'fill="none" stroke="{muted}"/>'
    )


def _number(question: Mapping[str, Any], y: float) -> tuple[list[str], float]:
    unit = _text(PAD + 100, y + 5, str(question.get("unit", "")), COLOURS["light"]["ink"])
    return [_box(PAD, y - 10, 90), unit], y + LINE


def _line(question: Mapping[str, Any], y: float) -> tuple[list[str], float]:
    return [_box(PAD, y - 10, WIDTH - 2 * PAD)], y + LINE


def _options(question: Mapping[str, Any], y: float) -> tuple[list[str], float]:
    parts, ink = [], COLOURS["light"]["ink"]
    for option in question["options"]:
        parts.append(_box(PAD, y - 11, 12, 12))
        for line in wrap(str(option), CHARACTERS - 6):
            parts.append(_text(PAD + 22, y, line, ink))
            y += LINE
    return parts, y - LINE / 2


def _order(question: Mapping[str, Any], y: float) -> tuple[list[str], float]:
    names = _text(PAD, y + 2, "   ".join(question["items"]), COLOURS["light"]["ink"])
    return [names, _box(PAD, y + 14, WIDTH - 2 * PAD)], y + 2 * LINE


def _bars(question: Mapping[str, Any], y: float) -> tuple[list[str], float]:
    colours, length = COLOURS["light"], question["length"]
    wide = (WIDTH - LEFT - PAD) / length
    parts = [
        _text(LEFT + wide * (number + 0.5) - 4, y, str(number), colours["muted"])
        for number in range(length)
    ]
    for name in question["names"]:
        y += LINE + 6
        parts.append(_text(PAD, y, name, colours["ink"]))
        parts += [_box(LEFT + wide * number, y - 15, wide, LINE) for number in range(length)]
    return parts, y + LINE / 2


def _rows(question: Mapping[str, Any], y: float) -> tuple[list[str], float]:
    colours, maps = COLOURS["light"], question["maps"]
    most = max(each["rows"] for each in maps)
    high, step = min(LINE, TALL / most), (WIDTH - 2 * PAD) / len(maps)
    wide, top, parts = min(90, step - 40), y + 10, list[str]()
    for number, each in enumerate(maps):
        count, x, given = each["rows"], PAD + step * number + 24, each["given"]
        title = f"{each['name']}, given" if given else each["name"]
        parts.append(_text(x - 24, y, title, colours["ink"]))
        if given:
            parts.append(
                f'<rect x="{x:g}" y="{top + high * given[0]:g}" width="{wide:g}" '
                f'height="{high * (given[1] - given[0] + 1):g}" fill="{colours["muted"]}"/>'
            )
        lines = "".join(f"M{x:g} {top + high * row:g}h{wide:g}" for row in range(1, count))
        parts.append(f'<path d="{lines}" stroke="{colours["line"]}"/>')
        parts.append(_box(x, top, wide, high * count))
        for row in range(0, count, -(-most // NUMBERED)):
            middle = top + high * (row + 0.5) + 5
            parts.append(_text(x - 24, middle, str(row), colours["muted"]))
    return parts, top + high * most + LINE / 2


_PARTS = {
    "number": _number,
    "text": _line,
    "choose": _options,
    "order": _order,
    "bars": _bars,
    "rows": _rows,
}
