"""Draw the memory of a chain in stripes or tiles beside that of the whole, at one scale."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.palette import FAMILIES, text_on, thinned
from aidge_nb.widgets.scene.labels.names import fitting
from aidge_nb.widgets.scene.tiles.stripe_parts import KEPT, OTHER, DrawnWay, StripeDrawing
from aidge_nb.widgets.shared import COLOURS, PANELS
from aidge_nb.widgets.still.svg.parts import (
    ACCENT,
    AT_END,
    CENTRED,
    INK,
    LINE,
    MUTED,
    PAPER,
    byte_marks,
    hatched,
    line,
    number,
    rect,
    text,
)
from aidge_nb.widgets.text import size_text, width_of

_SIZES = PANELS["stripes"]
PEAK, GOOD = (str(COLOURS["light"][name]) for name in ("peak", "good"))
_HIGH, _GAP, _WIDEST = 200.0, 130.0, 90.0
_FOOT = 60.0  # for ticks and the names of stripes

HEIGHT = 44.0 + _HIGH + _FOOT
"""Pixels of the drawing, its title included."""


@dataclass(frozen=True, slots=True)
class _Arena:
    """The memory of a way: where its first tick is, pixels of a tick and of a byte."""

    way: int
    begin: int
    x: float
    tick: float
    base: float
    up: float

    def at(self, tick: float) -> float:
        """Return where a tick begins."""
        return self.x + (tick - self.begin) * self.tick

    def y(self, address: float) -> float:
        """Return the height of an address."""
        return self.base - address * self.up


def arena_parts(
    drawing: StripeDrawing, left: float, right: float, top: float, size: float
) -> Iterator[str]:
    """Draw the whole at the left and the chosen way at the right.

    Parameters
    ----------
    drawing
        The chain; a way with a known peak is chosen.
    left, right, top
        Edges; texts of the axis stand before ``left``.
    size
        Size of letters.
    """
    own = drawing.ways[drawing.chosen]
    whole = next((way for way in drawing.ways if way.count == 1 and way.peak >= 0), own)
    base = top + 44 + _HIGH
    most = max(1, own.peak, whole.peak)
    words = "as a whole"
    if own is not whole:
        words = f"as a whole and in {own.count} {drawing.noun}s, at one scale"
    yield text(24, top + 12, "Memory", f'font-size="{size:g}" font-weight="600"')
    beside = 24 + width_of("Memory", size) * 1.1 + 12
    yield text(beside, top + 12, words, f'font-size="{size:g}" fill="{MUTED}"')
    for mark in byte_marks(most, 4):
        y = base - _HIGH * mark / most
        yield line(left, y, right, y, f'stroke="{LINE}"')
        style = f'font-size="{size:g}" fill="{MUTED}" {AT_END}'
        yield text(left - 12, y + 5, size_text(mark), style)
    arenas = list(_arenas(drawing, own, whole, (left, right, base, _HIGH / most)))
    for arena in arenas:
        picked = drawing.ways[arena.way].middle
        yield from _buffers(drawing, arena, picked, size)
        yield from _below(drawing, arena, picked, size)
    if own is not whole:
        yield from _difference(arenas, own, whole, right, size)


def _arenas(
    drawing: StripeDrawing,
    own: DrawnWay,
    whole: DrawnWay,
    room: tuple[float, float, float, float],
) -> Iterator[_Arena]:
    """Place both; a tick is as wide in both, unless that of the whole could not be seen."""
    left, right, base, up = room
    ticks = max(1, whole.ticks[1] - whole.ticks[0])
    many = 0 if own is whole else max(1, own.ticks[1] - own.ticks[0])
    gap = _GAP if many else 0.0
    shared = min(_WIDEST, (right - left - gap) / (ticks + many))
    wide = max(shared * ticks, _SIZES["whole"]["least"])
    first = drawing.ways.index(whole)
    yield _Arena(first, whole.ticks[0], left, wide / ticks, base, up)
    if many:
        x = left + wide + gap
        tick = min(shared, (right - x) / many) if wide > shared * ticks else shared
        yield _Arena(drawing.chosen, own.ticks[0], x, tick, base, up)


def _buffers(drawing: StripeDrawing, arena: _Arena, picked: int, size: float) -> Iterator[str]:
    is_tiled = drawing.ways[arena.way].count > 1
    rows = drawing.boxes[drawing.boxes[:, 0] == arena.way].tolist()
    # The outlines of the picked stripe lie over its neighbours.
    for _, first, stop, offset, bytes_, at, stripe, kind, family in sorted(
        rows, key=lambda row: row[6] == picked
    ):
        x, wide = arena.at(first), (stop - first) * arena.tick
        y, high = arena.y(offset + bytes_), bytes_ * arena.up
        edge = min(0.7, wide / 4, high / 4)
        place = (x + edge, y + edge, wide - 2 * edge, high - 2 * edge)
        colour = FAMILIES[family].light if family >= 0 and kind != OTHER else MUTED
        outline = INK if is_tiled and stripe == picked else ""
        if kind == KEPT:
            yield rect(*place, f'fill="{PAPER}" stroke="{outline or colour}"')
            yield hatched(*place, _SIZES["hatch"], f'stroke="{colour}" stroke-width="1.6"')
            continue
        fill = thinned(MUTED, 0.3) if kind == OTHER else colour
        more = f' stroke="{outline}" stroke-width="2"' if outline and high > 4 else ""
        yield rect(*place, f'fill="{fill}"{more}')
        if at >= 0 and kind != OTHER and high >= size:
            name = fitting([drawing.maps[at].label], wide - 6, lambda part: width_of(part, size))
            ink = f'font-size="{size:g}" fill="{text_on(colour)}" {CENTRED}'
            if name:
                yield text(x + wide / 2, y + high / 2 + 5, name, ink)


def _below(drawing: StripeDrawing, arena: _Arena, picked: int, size: float) -> Iterator[str]:
    """Write the ticks, and below them the stripes."""
    way = drawing.ways[arena.way]
    begin, end = way.ticks
    small = f'font-size="{size:g}" fill="{MUTED}"'
    yield line(arena.x, arena.base, arena.at(end), arena.base, f'stroke="{MUTED}"')
    if arena.tick >= width_of(str(end), size) + 6:
        for tick in range(begin, end):
            yield text(arena.at(tick + 0.5), arena.base + 24, str(tick), f"{small} {CENTRED}")
    y = arena.base + 46
    if way.count == 1:
        yield text(arena.x - 12, arena.base + 24, "tick", f"{small} {AT_END}")
        words = f"whole: {end - begin} {'tick' if end - begin == 1 else 'ticks'}"
        yield text(arena.x, y, words, f'font-size="{size:g}" font-weight="600"')
        return
    runs = drawing.runs[drawing.runs[:, 0] == arena.way].tolist()
    for stripe, own in groupby(runs, key=lambda run: run[2]):
        ticks = [tick for _, tick, _ in own]
        left, right = arena.at(ticks[0]), arena.at(ticks[-1] + 1)
        if stripe < 0:
            continue
        yield line(left, arena.base, left, y + 4, f'stroke="{MUTED}"')
        ways = (f"{drawing.noun} {stripe + 1}", str(stripe + 1))
        label = next((each for each in ways if width_of(each, size) <= right - left - 6), "")
        own_style = f'font-size="{size:g}" fill="{ACCENT}" font-weight="600"'
        style = own_style if stripe == picked else small
        if label:
            yield text((left + right) / 2, y, label, f"{style} {CENTRED}")


def _difference(
    arenas: list[_Arena], own: DrawnWay, whole: DrawnWay, right: float, size: float
) -> Iterator[str]:
    """Draw both peaks, and an arrow from one to the other with the bytes between them."""
    before, after = arenas
    was, now = before.y(whole.peak), after.y(own.peak)
    end = min(right, after.at(own.ticks[1]))
    stop = before.at(whole.ticks[1])
    dash = 'stroke-width="1.4" stroke-dasharray="5 4"'
    yield line(before.x, was, stop, was, f'stroke="{INK}" {dash}')
    yield line(after.x, now, end, now, f'stroke="{PEAK}" {dash}')
    bold = f'font-size="{size:g}" font-weight="600"'
    words = f"peak {size_text(own.peak)}"
    at = max(end, after.x + width_of(words, size))
    yield text(at, now - 7, words, f'{bold} fill="{PEAK}" {AT_END}')
    less = whole.peak - own.peak
    if not less:
        return
    colour, sign, down = (GOOD, "−", 1) if less > 0 else (PEAK, "+", -1)
    x = stop + 14
    if abs(now - was) > 12:
        yield line(x, was, x, now - 6 * down, f'stroke="{colour}" stroke-width="1.6"')
        tip = f"M{number(x)} {number(now)}l-4 {-8 * down}h8Z"
        yield f'<path d="{tip}" fill="{colour}"/>'
    share = 100 * abs(less) / max(1, whole.peak)
    percent = f"{share:.0f}" if share >= 1 else f"{share:.1f}"
    middle = (was + now) / 2
    yield text(x + 10, middle, f"{sign}{size_text(abs(less))}", f'{bold} fill="{colour}"')
    yield text(x + 10, middle + 18, f"{sign}{percent} %", f'{bold} fill="{colour}"')
