"""Draw the small charts of a scene: points that are nodes, and lines.

Sizes are those of the live view, in ``shared/panels.json``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import floor, isfinite, log, log10

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.scene.parts import Chart
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.shared import PANELS
from aidge_nb.widgets.still.svg.parts import (
    ACCENT,
    AT_END,
    CENTRED,
    INK,
    LINE,
    MUTED,
    PAPER,
    SMALL,
    document,
    fit,
    line,
    node_colour,
    number,
    text,
)
from aidge_nb.widgets.text import width_of

_SIZES = PANELS["charts"]
_LEFT, _RIGHT, _TOP, _BOTTOM = (float(_SIZES[each]) for each in ("left", "right", "top", "bottom"))
_SHARE, _HIGH, _ABREAST = 460.0, 320.0, 2
_DOT = float(_SIZES["dot"])
_BEND = 0.5523  # of the radius: where the handles of a quarter of a circle are

Range = tuple[float, float]


def charts_svg(scene: Scene) -> str:
    """Draw the charts of a scene: two side by side, the others below them."""
    rows = [scene.charts[at : at + _ABREAST] for at in range(0, len(scene.charts), _ABREAST)]
    width = _SHARE * max(1, len(rows[0]))
    parts: list[str] = []
    for at, charts in enumerate(rows):
        row = charts_parts(replace(scene, charts=charts), _SHARE * len(charts), _HIGH)
        parts += (f'<g transform="translate(0 {number(at * _HIGH)})">', *row, "</g>")
    return document(width, _HIGH * len(rows), f"Charts of {scene.title}", parts)


def charts_parts(scene: Scene, width: float, height: float) -> Iterator[str]:
    """Draw the charts into some room."""
    share = width / max(1, len(scene.charts))
    for place, chart in enumerate(scene.charts):
        wide = max(10.0, share - _LEFT - _RIGHT)
        high = max(10.0, height - _TOP - _BOTTOM)
        frame = _ChartFrame.of(chart, place * share + _LEFT, _TOP, wide, high)
        title = f"{chart.title}: {chart.y}" if len(scene.charts) > 1 else chart.y
        title = fit(title, share - 20, 11)
        yield from _axes(chart, frame)
        yield text(frame.left - _LEFT + 12, _TOP - 14, title, 'font-weight="600" font-size="11"')
        yield from _lines(chart, frame)
        for x, y, node in chart.points:
            if not frame.has(x, y):
                continue
            colour = node_colour(scene.nodes[node]) if node >= 0 else MUTED
            yield disc(frame.x(x), frame.y(y), colour)


@dataclass(frozen=True, slots=True)
class _ChartFrame:
    """Where values are, in pixels."""

    left: float
    top: float
    wide: float
    high: float
    xs: Range
    ys: Range
    log: bool

    @classmethod
    def of(cls, chart: Chart, left: float, top: float, wide: float, high: float) -> _ChartFrame:
        places = [(x, y) for x, y, _ in chart.points]
        places += [place for _, line in chart.lines for place in line]
        xs = _range([x for x, _ in places], chart.log)
        ys = _range([y for _, y in places], chart.log)
        return cls(left, top, wide, high, xs, ys, chart.log)

    def has(self, x: float, y: float) -> bool:
        """Tell whether the axes can show these values."""
        return all(isfinite(each) and (each > 0 or not self.log) for each in (x, y))

    def x(self, value: float) -> float:
        return self.left + self._part(value, self.xs) * self.wide

    def y(self, value: float) -> float:
        return self.top + self.high - self._part(value, self.ys) * self.high

    def _part(self, value: float, limits: Range) -> float:
        low, high = limits
        if self.log:
            return log(value / low) / log(high / low)
        return (value - low) / (high - low)


def _range(values: list[float], is_log: bool) -> Range:
    """Return what an axis shows: all values, and a little more."""
    finite = [value for value in values if isfinite(value) and (value > 0 or not is_log)]
    if not finite:
        return (1.0, 10.0) if is_log else (0.0, 1.0)
    low, high = min(finite), max(finite)
    if is_log:
        return low / _SIZES["logPad"], high * _SIZES["logPad"]
    pad = ((high - low) or abs(high) or 1.0) * _SIZES["pad"]
    return (max(0.0, low - pad) if low >= 0 else low - pad), high + pad


def _axes(chart: Chart, frame: _ChartFrame) -> Iterator[str]:
    bottom, right = frame.top + frame.high, frame.left + frame.wide
    values = [x for x, _, _ in chart.points] + [x for _, line in chart.lines for x, _ in line]
    is_whole = all(isfinite(x) and x == int(x) for x in values)
    for mark in marks_of(frame.xs, frame.wide / _SIZES["across"], frame.log, is_whole):
        at = round(frame.x(mark)) + 0.5
        yield line(at, frame.top, at, bottom, f'stroke="{LINE}"')
        yield text(round(frame.x(mark)), bottom + 15, _short(mark), f"{SMALL} {CENTRED}")
    for mark in marks_of(frame.ys, frame.high / _SIZES["down"], frame.log):
        at = round(frame.y(mark)) + 0.5
        yield line(frame.left, at, right, at, f'stroke="{LINE}"')
        place = round(frame.y(mark)) + 4
        yield text(frame.left - 6, place, _short(mark), f"{SMALL} {AT_END}")
    yield text(frame.left + frame.wide / 2, bottom + 30, chart.x, f"{SMALL} {CENTRED}")


def _lines(chart: Chart, frame: _ChartFrame) -> Iterator[str]:
    dash = " ".join(map(str, _SIZES["dash"]))
    for place, (label, each) in enumerate(chart.lines):
        known = [(x, y) for x, y in each if frame.has(x, y)]
        if not known:
            continue
        path = "L".join(f"{number(frame.x(x))} {number(frame.y(y))}" for x, y in known)
        style = f'stroke="{MUTED}" stroke-dasharray="{dash}"' if place else f'stroke="{ACCENT}"'
        yield f'<path d="M{path}" fill="none" {style} stroke-width="{_SIZES["line"]}"/>'
        if label:
            x, y = known[-1]
            shown = fit(label, frame.wide, 11)
            least = frame.left + width_of(shown, 11)
            right = max(least, min(frame.left + frame.wide, frame.x(x)))
            yield text(right, frame.y(y) - 6, shown, f'fill="{INK}" font-size="11" {AT_END}')


def disc(x: float, y: float, colour: str, edge: str = PAPER) -> str:
    """Write a disc as a path, which the PNG painter can read."""
    turns = ((1, 0), (0, 1), (-1, 0), (0, -1), (1, 0))
    path = f"M{number(x + _DOT)} {number(y)}"
    for (ax, ay), (bx, by) in pairwise(turns):
        handles = ((ax + _BEND * bx, ay + _BEND * by), (bx + _BEND * ax, by + _BEND * ay))
        points = (*handles, (bx, by))
        path += "C" + " ".join(f"{number(x + _DOT * u)} {number(y + _DOT * v)}" for u, v in points)
    return f'<path d="{path}" fill="{colour}" stroke="{edge}"/>'


def marks_of(limits: Range, most: float, is_log: bool, is_whole: bool = False) -> list[float]:
    """Choose round values within limits: powers on a logarithmic axis."""
    low, high = limits
    if is_log:
        base = 10 if high / low > _SIZES["decade"] else 2
        first = -floor(-log(low) / log(base))
        powers = (float(base) ** power for power in range(first, first + 64))
        return [value for value in powers if value <= high]
    rough = (high - low) / max(1.0, most)
    power = 10.0 ** floor(log10(max(rough, 1e-12)))
    step = next((unit * power for unit in (1, 2, 5, 10) if unit * power >= rough), rough)
    step = max(1.0, float(round(step))) if is_whole else step
    return [place * step for place in range(-floor(-low / step), floor(high / step) + 1)]


def _short(value: float) -> str:
    """Write a number in at most four figures."""
    for unit, divisor, name in ((1e9, 1e9, " G"), (1e6, 1e6, " M"), (1e4, 1e3, " k")):
        if abs(value) >= unit:
            return f"{value / divisor:.3g}{name}"
    return f"{value:.4g}"
