"""Static picture of the schedule, as it is or factorized."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from aidge_nb.widgets.scene.scene import Ints, Scene, Timeline
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
    nice_step,
    number,
    rect,
    text,
    ticks,
)

_WIDTH, _LEFT, _RIGHT, _TOP, _ROW, _LANE = 960.0, 210.0, 20.0, 28.0, 16.0, 16.0
_MOST_ROWS = 450
_BRIEF_ROWS = 60
_MOST_MARKS = 6000


@dataclass(frozen=True, slots=True)
class Section:
    """A repeated section of a factorized schedule, in a lane of its own where others overlap."""

    lane: int
    begin: int
    end: int
    repeat: int


def sections_of(timeline: Timeline) -> Iterator[Section]:
    """Give the repeated sections of a schedule, first come first served for the lanes."""
    ends: list[int] = []
    early, row = timeline.folded_early, timeline.folded_row
    producers = np.array([each.producer for each in timeline.rows], np.bool_)
    for fold in timeline.folds:
        steps = early[fold.start : fold.stop][~producers[row[fold.start : fold.stop]]]
        if fold.repeat < 2 or not steps.size:
            continue
        begin, end = int(steps.min()), int(steps.max()) + 1
        lane = next((index for index, last in enumerate(ends) if last <= begin), len(ends))
        ends[lane : lane + 1] = [end]
        yield Section(lane, begin, end, fold.repeat)


def timeline_svg(
    scene: Scene, timeline: Timeline, *, factorized: bool = False, brief: bool = False
) -> str:
    """Draw a row per actor, weights left out, and a bar per firing from early to late.

    Bars without slack are full blocks, others a block at the early step and a thin tail.
    """
    if factorized:
        columns = timeline.folded_row, timeline.folded_early, timeline.folded_late
    else:
        columns = timeline.row, timeline.early, timeline.late
    rows = [index for index, row in enumerate(timeline.rows) if not row.producer]
    shown = rows[: _BRIEF_ROWS if brief else _MOST_ROWS]
    picture = _Picture(timeline, columns, shown, scene.shared)
    sections = list(sections_of(timeline)) if factorized else []
    top = _TOP + _LANE * max((section.lane + 1 for section in sections), default=0)
    bottom = top + _ROW * len(shown)
    parts = [*picture.grid(top, bottom), *picture.sections(sections, bottom)]
    parts += picture.rows(top)
    notes = []
    if len(rows) > len(shown):
        notes.append(f"… and {len(rows) - len(shown)} more rows")
    if picture.is_cut:
        notes.append("not every bar is drawn")
    if not rows:
        notes.append("the schedule is empty")
    height = bottom + 10
    if notes:
        height += 22
        note = "; ".join(notes) + ("" if not rows else ": open the interactive view to see all")
        parts.append(text(12, height - 12, note, f'fill="{MUTED}"'))
    kind = "Factorized schedule" if factorized else "Schedule"
    return document(_WIDTH, height, f"{kind} of {scene.title}", parts)


class _Picture:
    """Places steps across and rows down."""

    def __init__(
        self,
        timeline: Timeline,
        columns: tuple[Ints, Ints, Ints],
        shown: list[int],
        shared: str,
    ) -> None:
        row, early, late = columns
        kept = np.isin(row, np.array(shown, np.int64))
        self._timeline = timeline
        self._shown = shown
        self._shared = shared
        self._row, self._early, self._late = row[kept], early[kept], late[kept]
        self._first = int(self._early.min()) if self._early.size else 0
        self._steps = int(self._late.max(initial=0)) + 1 - self._first
        self._scale = (_WIDTH - _LEFT - _RIGHT) / max(1, self._steps)
        self._marks = 0

    @property
    def is_cut(self) -> bool:
        """Whether there were too many bars for a picture of bounded size."""
        return self._marks > _MOST_MARKS

    def _x(self, step: float) -> float:
        return _LEFT + (step - self._first) * self._scale

    def grid(self, top: float, bottom: float) -> Iterator[str]:
        yield text(12, 18, "step", SMALL)
        for tick in ticks(self._steps, nice_step(self._steps, 14)):
            x = self._x(tick + self._first)
            yield line(x, top, x, bottom, f'stroke="{LINE}"')
            yield text(x, 18, str(tick + self._first), f"{SMALL} {CENTRED}")

    def sections(self, sections: list[Section], bottom: float) -> Iterator[str]:
        for section in sections:
            x, y = self._x(section.begin), _TOP + section.lane * _LANE
            width = (section.end - section.begin) * self._scale
            yield rect(x, y, width, bottom - y, f'fill="{ACCENT}" fill-opacity="0.05"')
            yield rect(x, y, width - 1, _LANE - 3, f'fill="{ACCENT}" fill-opacity="0.2"')
            label = fit(f"×{section.repeat}", width, 11)
            extra = f'font-size="11" font-weight="600" {CENTRED}'
            yield text(x + width / 2, y + 10.5, label, extra)

    def rows(self, top: float) -> Iterator[str]:
        starts = np.argsort(self._row, kind="stable")
        ordered = self._row[starts]
        for place, row in enumerate(self._shown):
            y = top + place * _ROW
            actor = self._timeline.rows[row]
            colour = colour_of(actor.type)
            yield rect(8, y + 3, 3, _ROW - 6, f'fill="{colour}"')
            yield text(
                16, y + 12, fit(actor.name, _LEFT - 30, 11.5, self._shared), 'font-size="11.5"'
            )
            low, high = np.searchsorted(ordered, [row, row + 1])
            bars = starts[low:high]
            path = "".join(self._bars(bars, y)) if bars.size else ""
            if path:
                yield f'<path fill="{colour}" d="{path}"/>'

    def _bars(self, bars: Ints, y: float) -> Iterator[str]:
        """Draw the bars of a row; those that share a pixel are drawn once."""
        inset = 0.0 if self._scale < 4 else 1.0
        reached = -1.0
        for early, late in zip(self._early[bars].tolist(), self._late[bars].tolist(), strict=True):
            left = self._x(early)
            end = self._x(late + 1)
            if end <= reached + 0.5:
                continue
            reached = end
            self._marks += 1
            if self._marks > _MOST_MARKS:
                return
            slack = late > early
            yield _block(left, max(1.0, self._scale - inset), y, 5.0 if slack else 11.0)
            if slack:
                yield _block(left, end - left - inset, y, 2.0)


def _block(left: float, width: float, y: float, height: float) -> str:
    """Write a rectangle centred on a row as a path."""
    top = y + (_ROW - height) / 2
    size = number(width)
    return f"M{number(left)} {number(top)}h{size}v{number(height)}h-{size}z"
