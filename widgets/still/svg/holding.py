"""Hold text in its place in whatever font there is.

Pictures name fonts that a machine may not have, and another one can be half as wide again. Text
that would then run into other text, out of the box in which it stands, or out of the picture,
states its length (``textLength``): there, every font is fitted. All other text keeps its natural
width. A font inside the picture would do as well, but pages that clean pictures take it out.
"""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
_AT_ONCE = 200_000
"""Pairs of a text and a box that are compared at once."""

_AS_IT_IS, _SWAPPED = [0, 1, 2, 3], [1, 0, 3, 2]
"""Columns of boxes, so that the first and third are along the line of a text."""

Floats = NDArray[np.float64]

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


class _Texts(NamedTuple):
    """Boxes of texts, and of what texts stand beside: in usual letters, and in wide ones."""

    usual: Floats
    wide: Floats


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
    texts = _Texts(*(np.concatenate([each, boxes[is_key]]) for each in (usual, wide)))
    turned = np.array([label.is_turned for label in labels])
    rooms = np.empty(len(labels))
    for is_turned, long in ((False, width), (True, height)):
        of = np.flatnonzero(turned == is_turned)
        some = [labels[place] for place in of]
        swapped = _SWAPPED if is_turned else _AS_IT_IS
        rooms[of] = _rooms(some, usual[of][:, swapped], boxes[:, swapped], texts, swapped, long)
    held, done = [], 0
    for label, room in zip(labels, rooms.tolist(), strict=True):
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


def _rooms(
    labels: list[_Label], spans: Floats, boxes: Floats, texts: _Texts, axes: list[int], long: float
) -> Floats:
    """Return how wide each text may be, given what stands around it and beside it.

    Columns are begin and end along the line of the text, and across it.
    """
    rooms = [np.empty(0)]
    usual, wide = texts.usual[:, axes], texts.wide[:, axes]
    at, back = (np.array([getattr(label, name) for label in labels]) for name in ("at", "back"))
    step = 1 + _AT_ONCE // (len(usual) + len(boxes))
    for first in range(0, len(labels), step):
        each = slice(first, first + step)
        own = spans[each, :, None]
        begin, end = _inside_of(own, boxes, long)
        beside = ~_meet(own, usual) & (own[:, 3] > wide[:, 1]) & (own[:, 1] < wide[:, 3])
        after = wide[:, 0] + wide[:, 2] > own[:, 0] + own[:, 2]
        nearest = np.where(beside & after, np.maximum(wide[:, 0], own[:, 2]), np.inf).min(axis=1)
        end = np.minimum(end, nearest - _APART)
        nearest = np.where(beside & ~after, np.minimum(wide[:, 2], own[:, 0]), -np.inf).max(axis=1)
        begin = np.maximum(begin, nearest + _APART)
        before, behind = (
            _grown(at[each] - begin, back[each]),
            _grown(end - at[each], 1 - back[each]),
        )
        rooms.append(np.minimum(before, behind))
    return np.concatenate(rooms)


def _inside_of(own: Floats, boxes: Floats, long: float) -> tuple[Floats, Floats]:
    """Return from where to where the boxes reach in which the middle lines of texts lie."""
    middle = (own[:, 1] + own[:, 3]) / 2
    holds = (boxes[:, 0] <= own[:, 0]) & (boxes[:, 2] >= own[:, 2])
    holds &= (boxes[:, 1] <= middle) & (boxes[:, 3] >= middle)
    begin = np.where(holds, boxes[:, 0], 0.0).max(axis=1, initial=0.0)
    end = np.where(holds, boxes[:, 2], long).min(axis=1, initial=long)
    return begin + _INSET, end - _INSET


def _meet(one: Floats, other: Floats) -> NDArray[np.bool_]:
    """Mark the boxes that share some area with another one."""
    along = (other[:, 0] < one[:, 2]) & (other[:, 2] > one[:, 0])
    marked: NDArray[np.bool_] = along & (other[:, 1] < one[:, 3]) & (other[:, 3] > one[:, 1])
    return marked


def _grown(room: Floats, share: Floats) -> Floats:
    """Return how wide texts may be of which a share lies at one side that has some room."""
    return np.divide(room, share, out=np.full_like(room, np.inf), where=share > 0)
