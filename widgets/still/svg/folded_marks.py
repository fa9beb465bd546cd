"""Find the firings of a piece of a folded schedule, how each is drawn, and what the marks mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.scene.nest import NestWalk, Seen
from aidge_nb.widgets.scene.parts import Frame, Nest, Timeline
from aidge_nb.widgets.shared import PANELS
from aidge_nb.widgets.still.svg.folding import Path, RulerPiece, main_frames
from aidge_nb.widgets.still.svg.parts import CENTRED, MUTED, PAPER, line, rect, text
from aidge_nb.widgets.text import width_of

_LEGEND: dict[str, str] = PANELS["folded"]["marks"]
_STROKE = f'stroke="{MUTED}" stroke-width="{PANELS["folded"]["line"]}"'
DASHED = 'stroke-dasharray="2.5 2.5"'


@dataclass(frozen=True, slots=True)
class FiringMark:
    """A firing in a piece.

    Attributes
    ----------
    seen
        The firing; of a run the first one, with the last late step.
    away
        Turns that it belongs to after the one it is drawn in.
    is_guest
        True outside of the frames of the loop that it belongs to.
    run
        Number of firings that are one bar.
    overlaps
        Whether its window and another one of its row overlap.
    """

    seen: Seen
    away: int
    is_guest: bool
    run: int = 1
    overlaps: bool = False


def marks_of(timeline: Timeline, walk: NestWalk, piece: RulerPiece) -> list[FiringMark]:
    """List what is seen in a piece; the bars of a run are one."""
    nest, frames = timeline.nest, timeline.frames
    found = [
        FiringMark(
            seen,
            turns_away(nest, frames, piece.path, seen.row, seen.execution),
            not piece.path and is_of_loop(nest, frames, seen.row, seen.execution),
        )
        for seen in sorted(walk.seen(piece.t0, piece.t1), key=lambda each: (each.row, each.early))
    ]
    return _overlapping(_joined(walk, found, piece.t0))


def _joined(walk: NestWalk, marks: list[FiringMark], t0: int) -> list[FiringMark]:
    joined: list[FiringMark] = []
    at = 0
    while at < len(marks):
        first = marks[at].seen
        count = walk.run_of(first.leaf)
        own = [mark.seen for mark in marks[at : at + count]]
        steps = list(range(first.early, first.early + count))
        is_run = [(each.leaf, each.early) for each in own] == [(first.leaf, s) for s in steps]
        if count > 1 and first.early >= t0 and is_run:
            joined.append(replace(marks[at], seen=first._replace(late=own[-1].late), run=count))
            at += count
        else:
            joined.append(marks[at])
            at += 1
    return joined


def _overlapping(marks: list[FiringMark]) -> list[FiringMark]:
    """Mark windows that begin before another of their row has ended."""
    found = list(marks)
    reached = -1
    for index, mark in enumerate(marks):
        before = marks[index - 1] if index else None
        if before is None or before.seen.row != mark.seen.row:
            reached = -1
        elif mark.seen.early <= reached and mark.seen.late > mark.seen.early:
            found[index] = replace(mark, overlaps=True)
            if before.seen.late > before.seen.early:
                found[index - 1] = replace(before, overlaps=True)
        reached = max(reached, mark.seen.late)
    return found


def turns_away(nest: Nest, frames: Sequence[Frame], path: Path, row: int, execution: int) -> int:
    """Return how many turns later the turn of a firing is than the one it is drawn in."""
    away = moved = 0
    for number in path:
        frame = frames[number]
        loop = nest.loops[frame.loop]
        growth = next((by for own, by, _, _ in loop.shifts if own == row), 0)
        if not growth:
            break
        away = (execution - moved - nest.first_execution(loop, row)) // growth - frame.skipped
        moved += frame.skipped * growth
    return away


def is_of_loop(nest: Nest, frames: Sequence[Frame], row: int, execution: int) -> bool:
    """Tell whether a firing belongs to a loop that has a frame."""
    for number in main_frames(frames, -1):
        loop = nest.loops[frames[number].loop]
        growth = next((by for own, by, _, _ in loop.shifts if own == row), 0)
        first = nest.first_execution(loop, row) if growth else 0
        if growth and first <= execution < first + growth * loop.count:
            return True
    return False


def legend(
    marks: Sequence[Sequence[FiringMark]], left: float, right: float, y: float
) -> Iterator[str]:
    """Say how each kind of mark that is drawn reads; those that have room."""
    kinds = {kind for each in marks for mark in each for kind in _kinds_of(mark)}
    for kind, label in _LEGEND.items():
        end = left + 40 + width_of(label, 11)
        if kind not in kinds or end > right:
            continue
        yield from _sample(kind, left, y)
        yield text(left + 32, y + 4, label, f'font-size="11" fill="{MUTED}"')
        left = end + 14


def _kinds_of(mark: FiringMark) -> Iterator[str]:
    yield "guest" if mark.is_guest else "box"
    if mark.seen.late > mark.seen.early:
        yield "slack"
        if mark.away or mark.is_guest:
            yield "dashed"
    if mark.away and not mark.is_guest:
        yield "away"


def _sample(kind: str, x: float, y: float) -> Iterator[str]:
    if kind in ("slack", "dashed"):
        yield line(x, y, x + 26, y, f"{_STROKE} {DASHED}" if kind == "dashed" else _STROKE)
    if kind == "slack":
        yield rect(x, y - 4, 10, 8, f'fill="{MUTED}"')
    elif kind == "guest":
        yield rect(x + 4, y - 5, 18, 10, f'rx="2" fill="{PAPER}" {_STROKE} {DASHED}')
    elif kind != "dashed":
        yield rect(x + 4, y - 5, 18, 10, f'rx="2" fill="{MUTED}"')
    if kind == "away":
        yield text(x + 13, y + 3.5, "+2", f'{CENTRED} font-size="10" fill="{PAPER}"')
