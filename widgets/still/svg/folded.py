"""Draw the folded schedule: each loop once, in a frame, with its period and its count.

The live view draws the same, closed; sizes are in ``shared/panels.json``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.palette import text_on, thinned
from aidge_nb.widgets.scene.nest import NestWalk
from aidge_nb.widgets.scene.parts import Timeline
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.still.svg.folded_marks import DASHED, FiringMark, legend, marks_of
from aidge_nb.widgets.still.svg.folding import (
    SIZES,
    Band,
    Folding,
    RulerPiece,
    equation,
    fold,
    grouped,
    main_frames,
)
from aidge_nb.widgets.still.svg.page import NARROW, enlarged, noted
from aidge_nb.widgets.still.svg.parts import (
    ACCENT,
    AT_END,
    CENTRED,
    FAINT,
    INK,
    LINE,
    MUTED,
    PAPER,
    fit,
    halves,
    hatched,
    line,
    node_colour,
    number,
    paragraph,
    rect,
    round_up,
    text,
    upright,
    wrapped,
)
from aidge_nb.widgets.still.svg.rows import operators
from aidge_nb.widgets.text import width_of

_MOST_ROWS, _BRIEF_ROWS = 450, 60
_NARROW = 56
_LEGIBLE = 10.0


def folded_svg(scene: Scene, timeline: Timeline, *, brief: bool = False) -> str:
    """Draw the folded schedule as a page of bounded size, with a note on rows that are left out."""
    rows = operators(timeline.rows)
    shown = rows[: _BRIEF_ROWS if brief else _MOST_ROWS]
    row = 24.0 if len(shown) < 40 else 16.0
    drawing = _FoldedDrawing(scene, timeline, shown, NARROW, row, least=_LEGIBLE, share=0.15)
    parts = list(drawing.parts())
    notes = [f"… and {len(rows) - len(shown)} more rows"] if len(rows) > len(shown) else []
    height = noted(parts, drawing.bottom + SIZES["legend"], notes)
    return enlarged(height, f"Factorized schedule of {scene.title}", parts)


def folded_parts(scene: Scene, timeline: Timeline, width: float, height: float) -> Iterator[str]:
    """Draw the folded schedule as the live view shows it at first."""
    rows = operators(timeline.rows)
    size = SIZES["row"]
    drawing = _FoldedDrawing(scene, timeline, rows, width, 0.0)
    free = height - SIZES["legend"] - drawing.top
    row = min(size["most"], max(size["least"], free / max(1, len(rows))))
    return replace(drawing, row=row).parts()


@dataclass(frozen=True)
class _FoldedDrawing:
    """Places rows down and pieces across, in pixels."""

    scene: Scene
    timeline: Timeline
    shown: tuple[int, ...]
    width: float
    row: float
    least: float = 0.0  # the smallest letters of a label in a box
    share: float = 0.13  # of the names, in the width

    @cached_property
    def folding(self) -> Folding:
        """The pieces of the ruler."""
        right = self.width - SIZES["right"]
        return fold(self.timeline.frames, self.timeline.steps, self.gutter, right)

    @property
    def gutter(self) -> float:
        """Width of the names."""
        size = SIZES["gutter"]
        if self.width < 600:
            return float(min(size["least"], self.width * 0.28))
        return float(min(size["most"], max(size["least"], self.width * self.share)))

    @property
    def top(self) -> float:
        """Where rows begin, below the titles and the ruler."""
        return float(4 + self.folding.depth * SIZES["band"] + SIZES["ruler"])

    @property
    def bottom(self) -> float:
        """Where rows end."""
        return self.top + self.row * len(self.shown)

    @cached_property
    def _marks(self) -> list[list[FiringMark]]:
        walk = NestWalk(self.timeline.nest)
        return [
            marks_of(self.timeline, walk, piece) if piece.kind == "shown" else []
            for piece in self.folding.pieces
        ]

    def parts(self) -> Iterator[str]:
        """Draw rows, frames, firings, breaks and chips, titles and names."""
        for place in range(1, len(self.shown), 2):
            yield rect(0, self.top + place * self.row, self.width - SIZES["right"], self.row, FAINT)
        for band in self.folding.bands:
            if band.is_frame:
                left, right = self.folding.x(band.t0), self.folding.end(band.t1)
                tint = f'fill="{ACCENT}" fill-opacity="0.06"'
                yield rect(left, self.top, right - left, self.bottom - self.top, tint)
        yield from self._grid()
        for index, piece in enumerate(self.folding.pieces):
            yield from self._firings(index, piece)
        for piece, ends in zip(self.folding.pieces, self.folding.places, strict=True):
            if piece.kind == "break":
                yield from self._break(piece, *ends)
            elif piece.kind == "chip":
                yield from self._chip(piece, *ends)
        for band in self.folding.bands:
            yield from self._band(band)
        yield from self._names()
        yield from self._ruler()
        yield from self._notes()
        below = self.bottom + SIZES["legend"] / 2 + 2
        yield from legend(self._marks, self.gutter, self.width - SIZES["right"], below)

    def _grid(self) -> Iterator[str]:
        for index, piece in enumerate(self.folding.pieces):
            if piece.kind == "shown":
                every = round_up(12 / self.folding.unit(index))
                for step in range(piece.t0, piece.t1, every):
                    at = self.folding.x(step)
                    stroke = f'stroke="{LINE}" stroke-opacity="0.5" stroke-width="0.7"'
                    yield line(at, self.top, at, self.bottom, stroke)

    # --- firings --------------------------------------------------------------------------------

    def _colour(self, row: int) -> str:
        node = self.timeline.rows[row].node
        return MUTED if node < 0 else node_colour(self.scene.nodes[node])

    def _firings(self, index: int, piece: RulerPiece) -> Iterator[str]:
        place = {row: number for number, row in enumerate(self.shown)}
        marks = [mark for mark in self._marks[index] if mark.seen.row in place]
        middle = {row: self.top + (number + 0.5) * self.row for row, number in place.items()}
        for mark in marks:
            yield from self._window(index, piece, mark, middle[mark.seen.row])
        for mark in marks:
            if mark.seen.early >= piece.t0:
                yield from self._box(index, mark, middle[mark.seen.row])

    def _window(self, index: int, piece: RulerPiece, mark: FiringMark, y: float) -> Iterator[str]:
        """Draw the line to the late step: dashed if it comes from another turn."""
        folding, seen = self.folding, mark.seen
        last = seen.early + mark.run - 1
        if seen.late <= last:
            return
        begun, leaves = seen.early < piece.t0, seen.late >= piece.t1
        unit = folding.unit(index)
        left = folding.x(piece.t0) if begun else _inset(unit, folding.x(last) + unit)
        right = folding.end(piece.t1) if leaves else folding.end(seen.late + 1) - 1
        stub = SIZES["stub"]
        left -= stub if begun and self._is_break(index - 1) else 0
        goes = leaves and self._is_break(index + 1)
        right += stub if goes else 0
        apart = min(SIZES["apart"], self.row * 0.18) if mark.overlaps else 0.0
        at = y + (apart if seen.execution % 2 else -apart)
        colour = self._colour(seen.row)
        style = f'stroke="{colour}" stroke-width="{SIZES["line"]}"'
        yield line(left, at, right, at, f"{style} {DASHED}" if begun or mark.is_guest else style)
        if goes:
            tip = f"M{number(right + 4)} {number(at)}l-5 -2.5v5z"
            yield f'<path d="{tip}" fill="{colour}"/>'
        elif not leaves:
            half = min(3.0, self.row * 0.25)
            yield line(right, at - half, right, at + half, style)

    def _is_break(self, index: int) -> bool:
        pieces = self.folding.pieces
        return 0 <= index < len(pieces) and pieces[index].kind == "break"

    def _box(self, index: int, mark: FiringMark, y: float) -> Iterator[str]:
        unit, left = self.folding.unit(index), self.folding.x(mark.seen.early)
        wide = max(1.0, _inset(unit, left + unit * mark.run) - left)
        high = max(2.0, self.row * SIZES["box"])
        colour, top = self._colour(mark.seen.row), y - high / 2
        radius = f'rx="{number(min(2.0, wide / 3))}"'
        if mark.is_guest:
            yield rect(left, top, wide, high, f'{radius} fill="{PAPER}" stroke="{colour}" {DASHED}')
            return
        yield rect(left, top, wide, high, f'{radius} fill="{colour}"')
        ink = text_on(colour)
        for part in range(1, mark.run):
            joint = f'fill="{ink}" fill-opacity="0.45"'
            yield rect(left + part * unit - 1, top, 0.7, high, joint)
        sign = f"{'+' if mark.away > 0 else '−'}{abs(mark.away)}" if mark.away else ""
        label = " ".join(filter(None, [sign, f"×{mark.run}" if mark.run > 1 else ""]))
        size = min(10.5, high, wide * 0.7)
        if label and high >= 7 and size >= self.least and width_of(label, size) <= wide:
            style = f'{CENTRED} font-size="{number(size)}" font-weight="600" fill="{ink}"'
            yield text(left + wide / 2, y + size * 0.36, label, style)

    # --- breaks, chips, titles ------------------------------------------------------------------

    def _break(self, piece: RulerPiece, left: float, right: float) -> Iterator[str]:
        inner = min(SIZES["stub"] + 1, (right - left) * 0.16)
        top = self.top - SIZES["ruler"]
        x0, x1 = left + inner, right - inner
        yield rect(x0, top, x1 - x0, self.bottom - top, f'fill="{PAPER}"')
        size = (x1 - x0, self.bottom - top)
        yield hatched(x0, top, *size, SIZES["hatch"], f'stroke="{LINE}"')
        tooth, count = SIZES["tooth"], int((self.bottom - top) / SIZES["tooth"])
        for x in (x0, x1 - 3):
            teeth = "".join(
                f"L{number(x + 3 * (step % 2))} {number(top + step * tooth)}"
                for step in range(count + 1)
            )
            yield f'<path d="M{teeth[1:]}" fill="none" stroke="{MUTED}" stroke-width="0.8"/>'
        yield from self._pill([piece.title, piece.detail], (left + right) / 2, right - left - 10)

    def _pill(self, lines: list[str], x: float, width: float) -> Iterator[str]:
        y = (self.top + self.bottom) / 2
        if width < _NARROW:
            yield from self._upright(" · ".join(lines), x)
            return
        wide = max(width_of(each, 11) for each in lines)
        if wide + 10 > width:
            lines = [part for each in lines for part in halves(each)]
            wide = max(width_of(each, 11) for each in lines)
        half, high = min(width, wide + 14) / 2, len(lines) * 13.5 + 8
        frame = f'rx="4" fill="{PAPER}" stroke="{LINE}"'
        yield rect(x - half, y - high / 2, 2 * half, high, frame)
        yield from paragraph(lines, x, y, 2 * half - 4, INK, MUTED)

    def _upright(self, label: str, x: float) -> Iterator[str]:
        y, room = (self.top + self.bottom) / 2, self.bottom - self.top
        label = fit(label, room, 11)
        half = min(room, width_of(label, 11) + 12) / 2
        yield rect(x - 8, y - half, 16, 2 * half, f'fill="{PAPER}"')
        yield upright(x, y, label, f'{CENTRED} font-size="11"')

    def _chip(self, piece: RulerPiece, left: float, right: float) -> Iterator[str]:
        top = self.top - SIZES["ruler"] + 1
        style = f'rx="6" fill="{thinned(MUTED, 0.1)}" stroke="{MUTED}"'
        yield rect(left + 0.5, top, right - left - 4, self.bottom - top - 1, style)
        steps = f"{piece.t1 - piece.t0:,} steps"
        count = [] if piece.identity.startswith("f") else [steps]
        lines = [piece.title, *count, piece.detail.split(" ", 1)[1]]
        if right - left < _NARROW + 12:
            yield from self._upright(" · ".join(lines[:2]), (left + right) / 2 - 2)
            return
        y = (self.top + self.bottom) / 2
        yield from paragraph(lines, (left + right) / 2 - 2, y, right - left - 10, INK, MUTED)

    def _band(self, band: Band) -> Iterator[str]:
        left, right = self.folding.x(band.t0), self.folding.end(band.t1)
        y = 4.0 + band.depth * SIZES["band"]
        high = SIZES["band"] - 2
        is_nested = band.depth > 0 and not band.is_frame
        if not is_nested:
            tint = ACCENT if band.is_frame else MUTED
            style = f'rx="4" fill="{tint}" fill-opacity="0.13"'
            yield rect(left, y, right - left - (0 if band.is_frame else 1), high, style)
        wide = right - left - 6
        lines = [band.title] if is_nested else [band.title, band.detail]
        if band.is_frame and width_of(band.title, 11) * 1.06 > wide:
            lines = band.title.split(", ")
        colour = ACCENT if band.is_frame else MUTED if is_nested else INK
        other = ACCENT if band.is_frame else MUTED
        yield from paragraph(lines, (left + right) / 2, y + high / 2, wide, colour, other)
        if band.is_frame:
            below = y + SIZES["band"]
            outline = f'fill="none" stroke="{ACCENT}" stroke-width="1.5"'
            yield rect(left, below, right - left, self.bottom - below, outline)

    # --- names, ruler, sums ---------------------------------------------------------------------

    def _names(self) -> Iterator[str]:
        stride = max(1, -int(-_LEGIBLE // self.row)) if self.row else 1
        size = min(12.0, max(9.0, self.row * 0.8))
        for place, row in enumerate(self.shown):
            if place % stride:
                continue
            y = self.top + (place + 0.5) * self.row
            high = max(2.0, self.row * 0.6)
            yield rect(8, y - high / 2, 3, high, f'fill="{self._colour(row)}"')
            name = self.scene.names.fit(self.timeline.rows[row].name, self.gutter - 24, size)
            yield text(16, y + size * 0.34, name, f'font-size="{number(size)}"')

    def _ruler(self) -> Iterator[str]:
        y = self.top - SIZES["ruler"] / 2 + 4
        small = f'font-size="11" fill="{MUTED}"'
        yield text(self.gutter - 10, y, "step", f"{small} {AT_END}")
        room = width_of(grouped(self.timeline.steps), 11) + 8
        reached = 0.0
        for index, piece in enumerate(self.folding.pieces):
            if piece.kind != "shown":
                continue
            unit = self.folding.unit(index)
            for step in range(piece.t0, piece.t1, round_up(room / unit)):
                x, label = self.folding.x(step) + unit / 2, grouped(step)
                half = width_of(label, 11) / 2
                if x - half < reached or x + half > self.width:
                    continue
                reached = x + half + 4
                first = f'font-size="11" font-weight="600" {CENTRED}'
                style = first if step == piece.t0 else f"{small} {CENTRED}"
                yield text(x, y, label, style)

    def _notes(self) -> Iterator[str]:
        """Write in the gutter how the parts add up to all steps."""
        frames, steps = self.timeline.frames, self.timeline.steps
        omitted = self.scene.names.omitted
        notes = [f"{len(self.shown)} rows" + (f", {omitted}" if omitted else "")]
        if frames:
            notes.append(equation(frames, -1, steps))
            inner = [each for each in main_frames(frames, -1) if main_frames(frames, each)]
            notes += [equation(frames, each, steps) for each in inner[:1]]
        place, most = 0, int((self.top - SIZES["ruler"]) / 12)
        for number_, note in enumerate(notes):
            style = "" if number_ == 1 else f' fill="{MUTED}"'
            bold = ' font-weight="600"' if number_ == 1 else ""
            for part in wrapped(note, self.gutter - 16):
                if place < most:
                    label = fit(part, self.gutter - 12, 11)
                    end = f'{AT_END} font-size="11"{bold}{style}'
                    yield text(self.gutter - 10, 12 + 14 * place, label, end)
                place += 1


def _inset(unit: float, right: float) -> float:
    """Return where a box ends: a little before its neighbour, so that they stay apart."""
    return right - min(1.0, unit * 0.08)
