"""Hold text in its place in whatever font there is.

Pictures name fonts that a machine may not have, and another one can be half as wide again. Text
that would then run into other text, out of the box in which it stands, or out of the picture,
states its length (``textLength``): there, every font is fitted. All other text keeps its natural
width. A font inside the picture would do as well, but pages that clean pictures take it out.
"""

from __future__ import annotations

import re
from html import unescape

import numpy as np

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.text import width_of

_ELEMENT = re.compile(r"<(/?)(g|text|rect)\b([^>]*)>(?:([^<]*)</text>)?")
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')

_BOLDER, _WIDER, _USUAL = 1.12, 1.6, 1.08
"""How wide letters are against the estimate: bold ones, those of wide fonts, those of most."""

_MARGIN, _APART, _INSET = 2.0, 3.0, 1.5
_ASCENT, _DESCENT = 0.75, 0.22
_KEY = (40.0, 20.0)
"""Boxes below this size are keys of a legend and the like: text stands beside them."""

_MOST_TEXTS = 4000

Zoomed = tuple[float, float, float]
"""What groups do to their elements: moved right, moved down, and how much larger."""


@dataclass(frozen=True, slots=True)
class _Label:
    """A text: where its tag ends, its estimated width, and where it stands along its line."""

    end: int
    wide: float
    zoom: float
    at: float
    back: float
    low: float
    high: float
    is_turned: bool

    def span(self, wider: float) -> tuple[float, float]:
        """Return from where to where it reaches along its line, if letters are wider."""
        wide = self.wide * wider
        return self.at - self.back * wide, self.at + (1 - self.back) * wide

    def box(self, wider: float) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom."""
        start, end = self.span(wider)
        if self.is_turned:
            return self.low, start, self.high, end
        return start, self.low, end, self.high


def hold_text(parts: str, width: float, height: float) -> str:
    """State the length of each text that a wide font would take out of its place.

    Examples
    --------
    >>> hold_text('<text x="10" y="20">conv1</text>', 200, 40)
    '<text x="10" y="20">conv1</text>'
    >>> hold_text('<text x="10" y="20">conv1</text>', 44, 40)
    '<text x="10" y="20" textLength="32" lengthAdjust="spacingAndGlyphs">conv1</text>'
    """
    labels, rects = _read(parts)
    if not labels or len(labels) > _MOST_TEXTS:
        return parts
    usual = np.array([label.box(1.0) for label in labels])
    wide = np.array([label.box(_WIDER) for label in labels])
    boxes = np.array(rects, float).reshape(-1, 4)
    is_key = (boxes[:, 2] - boxes[:, 0] < _KEY[0]) & (boxes[:, 3] - boxes[:, 1] < _KEY[1])
    all_usual, all_wide = (np.concatenate([each, boxes[is_key]]) for each in (usual, wide))
    held, done = [], 0
    for place, label in enumerate(labels):
        box = usual[place]
        around = [
            (0.0, 0.0, width, height),
            *boxes[_holding(boxes, box, is_turned=label.is_turned)].tolist(),
        ]
        room = _room(label, around, all_wide[~_overlapping(all_usual, box)])
        if label.wide * _WIDER <= room:
            continue
        length = min(label.wide * _USUAL, max(room, 1.0)) / label.zoom
        held.append(parts[done : label.end])
        held.append(f' textLength="{length:.0f}" lengthAdjust="spacingAndGlyphs"')
        done = label.end
    return "".join([*held, parts[done:]])


def _read(parts: str) -> tuple[list[_Label], list[tuple[float, ...]]]:
    """List the texts, and the rectangles in which they may stand."""
    labels: list[_Label] = []
    rects: list[tuple[float, ...]] = []
    stack: list[Zoomed] = [(0.0, 0.0, 1.0)]
    for found in _ELEMENT.finditer(parts):
        closes, name, written, content = found.groups()
        if closes:
            stack.pop()
            continue
        own = dict(_ATTRIBUTE.findall(written))
        if name == "g":
            stack.append(_inside(stack[-1], own.get("transform", "")))
            continue
        dx, dy, zoom = stack[-1]
        x, y = float(own.get("x", 0)) * zoom + dx, float(own.get("y", 0)) * zoom + dy
        if name == "rect":
            wide, high = (float(own.get(each, 0)) * zoom for each in ("width", "height"))
            rects.append((x, y, x + wide, y + high))
        elif content:
            end = found.start(3) + len(written)
            labels.append(_label(own, unescape(content), (x, y), zoom, end))
    return labels, rects


def _label(
    own: dict[str, str], content: str, at: tuple[float, float], zoom: float, end: int
) -> _Label:
    size = float(own.get("font-size", 12)) * zoom
    wide = width_of(content, size) * (_BOLDER if "font-weight" in own else 1.0)
    back = {"middle": 0.5, "end": 1.0}.get(own.get("text-anchor", ""), 0.0)
    x, y = at
    is_turned = "rotate(-90" in own.get("transform", "")
    if is_turned:
        return _Label(end, wide, zoom, y, 1 - back, x - _ASCENT * size, x + _DESCENT * size, True)
    return _Label(end, wide, zoom, x, back, y - _ASCENT * size, y + _DESCENT * size, False)


def _inside(outer: Zoomed, transform: str) -> Zoomed:
    dx, dy, zoom = outer
    if moved := re.search(r"translate\(([-\d.]+) ([-\d.]+)\)", transform):
        dx, dy = dx + float(moved[1]) * zoom, dy + float(moved[2]) * zoom
    if zoomed := re.search(r"scale\(([\d.]+)\)", transform):
        zoom *= float(zoomed[1])
    return dx, dy, zoom


def _holding(boxes: np.ndarray, box: np.ndarray, *, is_turned: bool) -> np.ndarray:
    """Mark the rectangles in which a text stands: its middle line lies wholly inside."""
    middle = (box[1] + box[3]) / 2, (box[0] + box[2]) / 2
    left, right = (box[0], box[2]) if not is_turned else (middle[1], middle[1])
    top, bottom = (middle[0], middle[0]) if not is_turned else (box[1], box[3])
    marked: np.ndarray = (
        (boxes[:, 0] <= left) & (boxes[:, 2] >= right)
        & (boxes[:, 1] <= top) & (boxes[:, 3] >= bottom)
    )  # fmt: skip
    return marked


def _overlapping(boxes: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Mark the boxes that share some area with another one."""
    marked: np.ndarray = (
        (boxes[:, 0] < box[2]) & (boxes[:, 2] > box[0])
        & (boxes[:, 1] < box[3]) & (boxes[:, 3] > box[1])
    )  # fmt: skip
    return marked


def _room(label: _Label, around: list[tuple[float, ...]], others: np.ndarray) -> float:
    """Return how wide a text may be, given what stands around it and beside it."""
    along, across = (1, 0) if label.is_turned else (0, 1)
    low, high = label.span(1.0)
    least = max(each[along] for each in around) + _INSET
    most = min(each[along + 2] for each in around) - _INSET
    beside = others[(others[:, across] < label.high) & (others[:, across + 2] > label.low)]
    middle = (low + high) / 2
    for start, end in zip(beside[:, along], beside[:, along + 2], strict=True):
        if (start + end) / 2 > middle:
            most = min(most, max(start, high) - _APART)
        else:
            least = max(least, min(end, low) + _APART)
    return min(_grown(label.at - least, label.back), _grown(most - label.at, 1 - label.back))


def _grown(room: float, share: float) -> float:
    """Return how wide a text may be of which a share lies at one side that has some room."""
    return room / share if share else float("inf")
