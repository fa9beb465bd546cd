"""Draw bars in rows: a schedule, a measured run.

Sizes are those of the live view, in ``shared/panels.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace

import numpy as np

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.scene.labels.names import Names
from aidge_nb.widgets.scene.parts import Ints, Row
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.shared import LABELS, PANELS
from aidge_nb.widgets.still.svg.page import noted
from aidge_nb.widgets.still.svg.parts import (
    CENTRED,
    FAINT,
    LINE,
    MUTED,
    PAPER,
    SMALL,
    document,
    line,
    nice_marks,
    node_colour,
    number,
    rect,
    text,
)

_SIZES = PANELS["rows"]
_TOP = float(_SIZES["top"])
_COLUMN = PANELS["column"]
_MARKS = float(PANELS["axis"]["unit"])
_WIDTH, _BELOW = 960.0, 8.0
_MOST_ROWS, _BRIEF_ROWS, _MOST_BARS = 450, 36, 6000
_TITLES = {
    "timeline": "Schedule",
    "measured": "Measured run",
}


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """Bars in rows: each is full from ``start`` to ``stop``, and can be delayed until ``end``.

    ``unit`` is what the axis counts.
    """

    rows: tuple[Row, ...]
    row: Ints
    start: Ints
    stop: Ints
    end: Ints
    unit: str = "step"

    @property
    def is_linked(self) -> bool:
        """Tell whether the live view shows it below a ruler that several panels share."""
        return self.unit != "µs"


def bars_of(scene: Scene, panel: str) -> Bars | None:
    """Return what a panel of rows shows; None for other panels, and when there is nothing."""
    timeline, run = scene.timeline, scene.measured
    if timeline is None:
        return None
    if panel == "measured" and run is not None:
        stop = run.start + run.duration
        return Bars(timeline.rows, run.row, run.start, stop, stop, unit="µs")
    if panel == "timeline":
        early, end = timeline.early, timeline.late + 1
        return Bars(timeline.rows, timeline.row, early, early + 1, end)
    return None


def rows_svg(
    scene: Scene,
    panel: str,
    bars: Bars,
    *,
    brief: bool = False,
    window: tuple[float, float] | None = None,
) -> str:
    """Draw a panel of rows as a page of bounded size, with a note on what is left out.

    With a ``window``, what lies in it is drawn, half-open.
    """
    rows = operators(bars.rows)
    if window is not None:
        bars = _inside(bars, window)
    shown = rows[: _BRIEF_ROWS if brief else _MOST_ROWS]
    row = _SIZES["least"]
    bottom = _TOP + row * max(1, len(shown)) + _BELOW
    drawing = _RowsDrawing(
        scene, bars, shown, _WIDTH, bottom, row=row, most=_MOST_BARS, window=window
    )
    parts = list(drawing.parts())
    notes = [f"… and {len(rows) - len(shown)} more rows"] if len(rows) > len(shown) else []
    if drawing.is_cut:
        notes.append("not every bar is drawn")
    height = noted(parts, bottom, notes, "" if bars.row.size else "the schedule is empty")
    return document(_WIDTH, height, f"{_TITLES[panel]} of {scene.title}", parts)


def rows_parts(scene: Scene, bars: Bars, width: float, height: float) -> Iterator[str]:
    """Draw a panel of rows as the live view shows it at first: all bars of operators."""
    return _RowsDrawing(scene, bars, operators(bars.rows), width, height, bars.is_linked).parts()


def _inside(bars: Bars, window: tuple[float, float]) -> Bars:
    """Keep what lies in a window, cut at its edges."""
    kept = (bars.end > window[0]) & (bars.start < window[1])
    cut = {name: np.clip(getattr(bars, name)[kept], *window) for name in ("start", "stop", "end")}
    return replace(bars, row=bars.row[kept], **cut)


def operators(rows: Sequence[Row]) -> tuple[int, ...]:
    """Return the places of the rows that are drawn: those of Producers are not."""
    return tuple(place for place, row in enumerate(rows) if not row.producer)


@dataclass(slots=True)
class _RowsDrawing:
    """Places rows down and values across, in pixels.

    Of more bars than ``most``, each row has some, evenly spread: the picture ``is_cut``.
    """

    scene: Scene
    bars: Bars
    shown: Sequence[int]
    width: float
    height: float
    is_linked: bool = False
    row: float = 0.0
    most: float = float("inf")
    window: tuple[float, float] | None = None
    top: float = field(init=False)
    gutter: int = field(init=False)
    begin: float = field(init=False)
    end: float = field(init=False)
    plot: float = field(init=False)
    scale: float = field(init=False)
    names: Names = field(init=False)
    is_cut: bool = field(init=False)

    def __post_init__(self) -> None:
        known = np.isin(self.bars.row, np.array(self.shown, np.int64))
        start, end = self.bars.start[known], self.bars.end[known]
        self.begin, self.end = (int(start.min()), int(end.max())) if start.size else (0, 1)
        self.begin, self.end = self.window or (self.begin, self.end)
        self.top = 0.0 if self.is_linked else _TOP
        free = (self.height - self.top) / max(1, len(self.shown))
        self.row = self.row or min(_SIZES["row"], max(_SIZES["least"], free))
        if self.is_linked:
            self.gutter, self.plot = column_of(self.width)
        else:
            gutter = _SIZES["gutter"]
            wanted = max(gutter["least"], self.width * gutter["share"])
            self.gutter = round(min(gutter["most"], wanted))
            self.plot = self.width - self.gutter - _SIZES["scrollbar"] - 4
        self.scale = self.plot / max(1, self.end - self.begin)
        self.is_cut = too_many(self.bars.row[known], self.plot, self.most)
        self.names = self.scene.names

    def _x(self, value: float) -> float:
        return (value - self.begin) * self.scale

    def _right(self, value: float) -> int:
        """Return where a bar ends: a little before its neighbour, so that they stay apart."""
        inset = min(_SIZES["inset"]["most"], self.scale * _SIZES["inset"]["share"])
        return int(round(self._x(value) - inset) + self.gutter)

    def parts(self) -> Iterator[str]:
        """Draw bands, grid, bars, names of rows and the axis."""
        for place in range(1, len(self.shown), 2):
            yield rect(0, self.top + place * self.row, self.width, self.row, FAINT)
        for mark in self._marks():
            at = round(self.gutter + self._x(mark)) + 0.5
            yield line(at, self.top, at, self.height, f'stroke="{LINE}" stroke-opacity="0.6"')
        order = np.lexsort((self.bars.start, self.bars.row))
        ordered = self.bars.row[order]
        for place, row in enumerate(self.shown):
            low, high = np.searchsorted(ordered, [row, row + 1])
            y = self.top + place * self.row
            own = order[low:high].tolist()
            yield from self._own(own, y)
        yield from self._names()
        if not self.is_linked:
            yield from self._axis()

    def _marks(self) -> list[int]:
        return nice_marks(self.begin, self.end, self.plot / _MARKS)

    def _colour(self, row: Row) -> str:
        return MUTED if row.node < 0 else node_colour(self.scene.nodes[row.node])

    def _own(self, own: list[int], y: float) -> Iterator[str]:
        """Draw bars in the colour of their row: full blocks, or smaller ones with a thin tail."""
        bars, path, reached = self.bars, [], -1.0
        apart = self.plot * len(self.shown) / self.most if self.is_cut else 0.0
        for bar in own:
            start, stop, end = (int(column[bar]) for column in (bars.start, bars.stop, bars.end))
            left = round(self._x(start)) + self.gutter
            right, tail = self._right(stop), self._right(end)
            if max(right, tail) <= reached:
                continue
            reached = max(right, tail, reached + apart)
            if end > stop:
                thin = _SIZES["tail"]
                high = min(thin["most"], max(thin["least"], self.row * thin["share"]))
                path.append(self._block(left, tail, y, high))
                path.append(self._block(tail - 2, tail, y, self.row * _SIZES["medium"]))
            share = _SIZES["medium"] if end > stop else _SIZES["full"]
            path.append(self._block(left, right, y, self.row * share))
        if path:
            colour = self._colour(bars.rows[int(bars.row[own[0]])])
            yield f'<path fill="{colour}" d="{"".join(path)}"/>'

    def _block(self, left: float, right: float, y: float, height: float) -> str:
        """Write a rectangle centred on a row as a path."""
        top, high = round(y + (self.row - height) / 2), max(1, round(height))
        wide = number(max(1.0, right - left))
        return f"M{number(left)} {top}h{wide}v{high}h-{wide}z"

    def _names(self) -> Iterator[str]:
        beside = self.gutter - 6
        yield rect(0, self.top, beside, self.height - self.top, f'fill="{PAPER}"')
        for place, row in enumerate(self.shown):
            y, own = self.top + place * self.row, self.bars.rows[row]
            if own.node >= 0:
                yield rect(4, y + self.row * 0.2, 3, self.row * 0.6, f'fill="{self._colour(own)}"')
            yield text(12, y + self.row / 2 + 4, self.names.fit(own.name, beside - 14))
        edge = self.gutter - 5.5
        yield line(edge, self.top, edge, self.height, f'stroke="{LINE}"')

    def _axis(self) -> Iterator[str]:
        under, stroke = self.top - 0.5, f'stroke="{LINE}"'
        yield line(0, under, self.width, under, stroke)
        yield text(12, 16, self.bars.unit, SMALL)
        for mark in self._marks():
            at = self.gutter + self._x(mark)
            if at < self.width - 12:
                label = str(mark) if mark < LABELS["grouped"] else f"{mark:,}"
                yield text(max(at, self.gutter + 4.0), 16, label, f"{SMALL} {CENTRED}")


def too_many(row: Ints, plot: float, most: float) -> bool:
    """Tell whether bars, given by their rows, are more than ``most``; a row shows one a pixel.

    Examples
    --------
    >>> too_many(np.array([0] * 900 + [1]), 800, 850), too_many(np.array([0, 1, 2]), 800, 2)
    (False, True)
    """
    _, counts = np.unique(row, return_counts=True)
    return bool(np.minimum(counts, plot).sum() > most)


def column_of(width: float) -> tuple[int, float]:
    """Return where time begins in panels that share a ruler, and the pixels that it takes."""
    narrow = _COLUMN["narrow"]
    gutter = narrow["gutter"] if width < narrow["below"] else _COLUMN["gutter"]
    return gutter, max(1.0, width - gutter - _COLUMN["right"])
