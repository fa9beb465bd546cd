"""Draw a question of the course as SVG, to be read or printed where no widget runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import ceil
from textwrap import wrap
from typing import Any

from aidge_nb.widgets.still.svg.parts import ACCENT, INK, MUTED, PAPER, document, number, rect
from aidge_nb.widgets.still.svg.parts import LINE as EDGE
from aidge_nb.widgets.still.svg.parts import text as written
from aidge_nb.widgets.still.svg.stacking import stacked
from aidge_nb.widgets.text import width_of

WIDTH = 640
LINE = 20
PAD = 16
ASKED = 480.0  # width of a picture with a question above it, at least
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
    parts: list[str] = []
    y: float = PAD + 14
    for line in wrap(question["text"], BOLD):
        parts.append(_text(PAD, y, line, weight="bold"))
        y += LINE
    drawn, y = _PARTS[question["kind"]](question, y + 4)
    height = y + PAD
    frame = f'rx="6" fill="{PAPER}" stroke="{EDGE}"'
    ground = rect(0.5, 0.5, WIDTH - 1, height - 1, frame)
    return document(WIDTH, height, said_of(question), [ground, *parts, *drawn])


def draw_covered(asked: str) -> str:
    """Draw the place of a view that is covered: what is asked, and nothing of the view.

    Examples
    --------
    >>> "How many?" in draw_covered("How many?")
    True
    """
    return draw_question({"kind": "covered", "text": asked})


def ask_above(svg: str, text: str) -> str:
    """Write a question above the picture of the view in which it is asked.

    Examples
    --------
    >>> svg = ask_above(document(1200, 700, "Graph of LeNet", []), "Which?")
    >>> svg[svg.index("width") : svg.index(" viewBox")]
    'width="1200" height="742"'
    >>> svg[svg.index("<title>") : svg.index("</title>")]
    '<title>Which? Graph of LeNet'
    """
    width = re.search(r' width="([\d.]+)"', svg)
    if width is None or not text:
        return svg
    wide = max(float(width[1]), ASKED)
    size = 18.0 if wide > WIDTH else 14.0
    high, lines = LINE * size / 14, _lines(text, wide - 3 * PAD, size)
    band = float(ceil(PAD + high * len(lines)))
    ink = f'fill="{INK}" font-size="{number(size)}" font-weight="600"'
    parts = [rect(PAD / 2, PAD / 2, 4, band - PAD / 2, f'fill="{ACCENT}"')]
    for place, line in enumerate(lines):
        parts.append(written(1.5 * PAD, PAD / 2 + size + place * high, line, ink))
    return stacked([document(wide, band, text, parts), svg])


def _lines(text: str, width: float, size: float) -> list[str]:
    """Break a text into lines that have room, in bold letters."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(longer, size) * 1.12 > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def said_of(question: Mapping[str, Any]) -> str:
    """Say what a picture of a question shows: the question, and what there is to choose from.

    Examples
    --------
    >>> said_of({"kind": "choose", "text": "Which?", "options": ["a", "b"]})
    'Which? Choose from: a; b'
    >>> said_of({"kind": "number", "text": "How many?", "unit": "steps"})
    'How many? Answer in steps'
    """
    text = str(question["text"])
    choices = question.get("options") or question.get("items") or question.get("names")
    if choices:
        return f"{text} Choose from: {'; '.join(map(str, choices))}"
    maps = [f"{each['name']}, {each['rows']} rows" for each in question.get("maps", ())]
    unit = str(question.get("unit", ""))
    more = f"Maps: {'; '.join(maps)}" if maps else unit and f"Answer in {unit}"
    return f"{text} {more}".strip()


def _text(x: float, y: float, text: str, colour: str = INK, weight: str = "normal") -> str:
    bold = ' font-weight="bold"' if weight == "bold" else ""
    return written(x, y, text, f'fill="{colour}" font-size="14"{bold}')


def _box(x: float, y: float, width: float, height: float = LINE) -> str:
    return rect(x, y, width, height, f'rx="3" fill="none" stroke="{MUTED}"')


def _number(question: Mapping[str, Any], y: float) -> tuple[list[str], float]:
    unit = _text(PAD + 100, y + 5, str(question.get("unit", "")))
    return [_box(PAD, y - 10, 90), unit], y + LINE


def _line(question: Mapping[str, Any], y: float) -> tuple[list[str], float]:
    return [_box(PAD, y - 10, WIDTH - 2 * PAD)], y + LINE


def _options(question: Mapping[str, Any], y: float) -> tuple[list[str], float]:
    parts = []
    for option in question["options"]:
        parts.append(_box(PAD, y - 11, 12, 12))
        for line in wrap(str(option), CHARACTERS - 6):
            parts.append(_text(PAD + 22, y, line))
            y += LINE
    return parts, y - LINE / 2


def _order(question: Mapping[str, Any], y: float) -> tuple[list[str], float]:
    names = _text(PAD, y + 2, "   ".join(question["items"]))
    return [names, _box(PAD, y + 14, WIDTH - 2 * PAD)], y + 2 * LINE


def _bars(question: Mapping[str, Any], y: float) -> tuple[list[str], float]:
    length = question["length"]
    wide = (WIDTH - LEFT - PAD) / length
    parts = [
        _text(LEFT + wide * (number + 0.5) - 4, y, str(number), MUTED) for number in range(length)
    ]
    for name in question["names"]:
        y += LINE + 6
        parts.append(_text(PAD, y, name))
        parts += [_box(LEFT + wide * number, y - 15, wide, LINE) for number in range(length)]
    return parts, y + LINE / 2


def _rows(question: Mapping[str, Any], y: float) -> tuple[list[str], float]:
    maps = question["maps"]
    most = max(each["rows"] for each in maps)
    high, step = min(LINE, TALL / most), (WIDTH - 2 * PAD) / len(maps)
    wide, top, parts = min(90, step - 40), y + 10, list[str]()
    for place, each in enumerate(maps):
        count, x, given = each["rows"], PAD + step * place + 24, each["given"]
        title = f"{each['name']}, given" if given else each["name"]
        parts.append(_text(x - 24, y, title))
        if given:
            rows = high * (given[1] - given[0] + 1)
            parts.append(rect(x, top + high * given[0], wide, rows, f'fill="{MUTED}"'))
        lines = "".join(f"M{x:g} {top + high * row:g}h{wide:g}" for row in range(1, count))
        parts.append(f'<path d="{lines}" stroke="{EDGE}"/>')
        parts.append(_box(x, top, wide, high * count))
        for row in range(0, count, -(-most // NUMBERED)):
            middle = top + high * (row + 0.5) + 5
            parts.append(_text(x - 24, middle, str(row), MUTED))
    return parts, top + high * most + LINE / 2


def _covered(question: Mapping[str, Any], y: float) -> tuple[list[str], float]:
    return [_text(PAD, y, "The view is covered until an answer is given.", MUTED)], y + LINE / 2


_PARTS = {
    "covered": _covered,
    "number": _number,
    "text": _line,
    "choose": _options,
    "order": _order,
    "bars": _bars,
    "rows": _rows,
}
