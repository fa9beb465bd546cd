"""Panels of bars in rows as the live view shows them at first: a schedule, a run, devices.

The constants are those of ``frontend/src/timelinePainter.ts`` and ``timelineBars.ts``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from aidge_nb.widgets.palette import text_on
from aidge_nb.widgets.scene.scene import Ints, Row, Scene, Timeline
from aidge_nb.widgets.still.svg.devices import bar_label
from aidge_nb.widgets.still.svg.parts import (
    ACCENT,
    CENTRED,
    LINE,
    MUTED,
    SMALL,
    colour_of,
    document,
    fit,
    line,
    node_colour,
    rect,
    text,
)
from aidge_nb.widgets.still.svg.timeline import Section, sections_of

_FAINT = 'fill="#141e32" fill-opacity="0.035"'
_HIGHEST_ROW, _LOWEST_ROW, _SCROLLBAR = 24.0, 17.0, 6.0
_TOP, _LANE = 24.0, 18.0
_WIDTH, _MOST_ROWS = 960.0, 450
_GROUPED = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """Bars in rows: each is full from ``start`` to ``stop``, and may be put off until ``end``.

    ``node`` says whose each bar is, where a row has bars of several; ``sections`` are repeated;
    ``unit`` is what the axis counts.
    """

    rows: tuple[Row, ...]
    row: Ints
    start: Ints
    stop: Ints
    end: Ints
    node: Ints | None = None
    sections: tuple[Section, ...] = ()
    unit: str = "step"


def bars_of(scene: Scene, panel: str) -> Bars | None:
    """Give what a panel of rows shows; None when it is no such panel, or has nothing to show."""
    timeline, measured, devices = scene.timeline, scene.measured, scene.devices
    if panel == "devices" and devices is not None:
        stop = devices.start + devices.length
        return Bars(
            devices.rows, devices.row, devices.start, stop, stop, devices.node, unit="cycle"
        )
    if timeline is None:
        return None
    if panel == "measured" and measured is not None:
        stop = measured.start + measured.duration
        return Bars(timeline.rows, measured.row, measured.start, stop, stop, unit="µs")
    if panel == "factorized":
        return _factorized(timeline)
    if panel == "timeline":
        early = timeline.early
        return Bars(timeline.rows, timeline.row, early, early + 1, timeline.late + 1)
    return None


def _factorized(timeline: Timeline) -> Bars:
    early, late = timeline.folded_early, timeline.folded_late
    sections = tuple(sections_of(timeline))
    return Bars(timeline.rows, timeline.folded_row, early, early + 1, late + 1, sections=sections)


def measured_svg(scene: Scene, bars: Bars) -> str:
    """Draw a run that was measured: a row for each actor."""
    shown = [row for row in bars.rows if not row.producer][:_MOST_ROWS]
    height = _TOP + _LOWEST_ROW * max(1, len(shown)) + 8
    parts = rows_parts(scene, bars, _WIDTH, height)
    return document(_WIDTH, height, f"Measured run of {scene.title}", parts)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where rows and values are, in pixels."""

    width: float
    height: float
    top: float
    row: float
    gutter: float
    plot: float
    begin: int
    end: int

    @property
    def scale(self) -> float:
        return self.plot / max(1, self.end - self.begin)

    @property
    def inset(self) -> float:
        """What is left free behind a bar, so that its neighbour can be told apart."""
        return min(1.0, self.scale * 0.08)

    def x(self, value: float) -> float:
        return (value - self.begin) * self.scale


def rows_parts(scene: Scene, bars: Bars, width: float, height: float) -> Iterator[str]:
    """Draw bands, grid, bars, names of rows and the axis; weights are not shown at first."""
    shown = [place for place, row in enumerate(bars.rows) if not row.producer]
    known = np.flatnonzero(np.isin(bars.row, np.array(shown, np.int64)))
    top = _TOP + _LANE * max((section.lane + 1 for section in bars.sections), default=0)
    gutter = round(min(300.0, max(84.0, width * 0.24)))
    frame = _Frame(
        width,
        height,
        top,
        min(_HIGHEST_ROW, max(_LOWEST_ROW, (height - top) / max(1, len(shown)))),
        gutter,
        width - gutter - _SCROLLBAR - 4,
        int(bars.start[known].min(initial=np.iinfo(np.int64).max)) if known.size else 0,
        int(bars.end[known].max(initial=1)) if known.size else 1,
    )
    for place in range(1, len(shown), 2):
        yield rect(0, top + place * frame.row, width, frame.row, _FAINT)
    yield from _grid(frame)
    for section in bars.sections:
        wide = frame.x(section.end) - frame.x(section.begin)
        tint = f'fill="{ACCENT}" fill-opacity="0.06"'
        yield rect(gutter + frame.x(section.begin), top, wide, height - top, tint)
    place_of = {row: place for place, row in enumerate(shown)}
    for bar in known.tolist():
        y = top + place_of[int(bars.row[bar])] * frame.row
        yield from (
            _shared(scene, bars, bar, y, frame)
            if bars.node is not None
            else _own(bars, bar, y, frame)
        )
    yield from _names(scene, bars, shown, frame)
    yield from _axis(bars, frame)


def _grid(frame: _Frame) -> Iterator[str]:
    for mark in nice_marks(frame.begin, frame.end, frame.plot / 64):
        at = round(frame.gutter + frame.x(mark)) + 0.5
        yield line(at, frame.top, at, frame.height, f'stroke="{LINE}" stroke-opacity="0.6"')


def nice_marks(start: float, stop: float, most: float) -> list[int]:
    """Give the whole numbers that the browser marks on an axis.

    Examples
    --------
    >>> nice_marks(0, 100, 5), nice_marks(1, 4, 10)
    ([0, 20, 40, 60, 80, 100], [1, 2, 3, 4])
    """
    rough = (stop - start) / max(1.0, most)
    power = 1
    while power * 10 <= rough:
        power *= 10
    step = next((unit * power for unit in (1, 2, 5, 10) if unit * power >= rough), 10 * power)
    first = -(-start // step)
    return [int(mark * step) for mark in range(int(first), int(stop // step) + 1)]


def _own(bars: Bars, bar: int, y: float, frame: _Frame) -> Iterator[str]:
    """Draw a bar in the colour of its row: a full block, or a smaller one with a thin tail."""
    start, stop, end = (int(column[bar]) for column in (bars.start, bars.stop, bars.end))
    colour = f'fill="{colour_of(bars.rows[int(bars.row[bar])].type)}"'
    x = round(frame.x(start)) + frame.gutter
    if end > stop:
        tail = round(frame.x(end) - frame.inset) + frame.gutter
        yield _block(x, tail, y, frame.row, min(3.0, max(1.0, frame.row * 0.14)), colour)
        yield _block(tail - 2, tail, y, frame.row, frame.row * 0.4, colour)
    right = round(frame.x(stop) - frame.inset) + frame.gutter
    yield _block(x, right, y, frame.row, frame.row * (0.4 if end > stop else 0.7), colour)


def _shared(scene: Scene, bars: Bars, bar: int, y: float, frame: _Frame) -> Iterator[str]:
    """Draw a bar in the colour of its node; transfers are paler, as they are in the browser."""
    if bars.node is None or scene.devices is None:
        return
    node = scene.nodes[int(bars.node[bar])]
    colour = f'fill="{node_colour(node)}"'
    if bars.rows[int(bars.row[bar])].type == "link":
        colour += ' fill-opacity="0.65"'
    x = round(frame.x(int(bars.start[bar]))) + frame.gutter
    right = round(frame.x(int(bars.stop[bar])) - frame.inset) + frame.gutter
    yield _block(x, right, y, frame.row, frame.row * 0.72, colour)
    label = bar_label(scene, scene.devices, bar, right - x - 8) if right - x >= 32 else ""
    if label:
        ink = f'fill="{text_on(node_colour(node))}" font-size="11" {CENTRED}'
        yield text((x + right) / 2, y + frame.row / 2 + 4, label, ink)


def _block(x: float, right: float, y: float, row: float, height: float, colour: str) -> str:
    high = max(1, round(height))
    return rect(x, round(y + (row - height) / 2), max(1.0, right - x), high, colour)


def _names(scene: Scene, bars: Bars, shown: list[int], frame: _Frame) -> Iterator[str]:
    yield rect(0, frame.top, frame.gutter - 6, frame.height - frame.top, 'fill="#fff"')
    for place, row in enumerate(shown):
        y, own = frame.top + place * frame.row, bars.rows[row]
        chip = f'fill="{MUTED if own.node < 0 else node_colour(scene.nodes[own.node])}"'
        yield rect(4, y + frame.row * 0.2, 3, frame.row * 0.6, chip)
        name = fit(own.name, frame.gutter - 20, 12, scene.shared)
        yield text(12, y + frame.row / 2 + 4, name)


def _axis(bars: Bars, frame: _Frame) -> Iterator[str]:
    edge, under, stroke = frame.gutter - 5.5, frame.top - 0.5, f'stroke="{LINE}"'
    yield line(edge, frame.top, edge, frame.height, stroke)
    yield line(0, under, frame.width, under, stroke)
    for section in bars.sections:
        left = frame.gutter + frame.x(section.begin)
        wide = max(3.0, frame.x(section.end) - frame.x(section.begin) - 1)
        chip = f'rx="4" fill="{ACCENT}" fill-opacity="0.26"'
        y = _TOP + section.lane * _LANE
        yield rect(left + 0.5, y + 2, wide, _LANE - 4, chip)
        label = f'font-size="11" font-weight="600" {CENTRED}'
        yield text(left + wide / 2, y + 13, f"×{section.repeat}", label)
    yield text(12, 16, bars.unit, SMALL)
    for mark in nice_marks(frame.begin, frame.end, frame.plot / 64):
        at = frame.gutter + frame.x(mark)
        if at < frame.width - 12:
            label = str(mark) if mark < _GROUPED else f"{mark:,}"
            yield text(max(at, frame.gutter + 4.0), 16, label, f"{SMALL} {CENTRED}")
