"""Draw a tiling into stripes as one page: its figures, two charts, what a stripe needs, memory.

The stripe in the middle is drawn, as the live view does at first. Letters can be read at the width
of a printed page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from aidge_nb.widgets.palette import FAMILIES, text_on, thinned
from aidge_nb.widgets.scene.names import fitting
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.scene.tiles.stripe_parts import DrawnWay, StripeDrawing
from aidge_nb.widgets.shared import COLOURS, PANELS
from aidge_nb.widgets.still.svg.charts import disc, marks_of
from aidge_nb.widgets.still.svg.parts import (
    ACCENT,
    AT_END,
    CENTRED,
    INK,
    LINE,
    MUTED,
    PAPER,
    byte_marks,
    document,
    fit,
    line,
    number,
    rect,
    stripes,
    text,
)
from aidge_nb.widgets.still.svg.stripe_arenas import HEIGHT as ARENAS
from aidge_nb.widgets.still.svg.stripe_arenas import arena_parts
from aidge_nb.widgets.text import size_text, width_of

_PALE, _HATCH = float(PANELS["stripes"]["pale"]), float(PANELS["stripes"]["hatch"])
_PEAK, _GOOD = (str(COLOURS["light"][name]) for name in ("peak", "good"))
_WIDTH, _HEIGHT = 1200.0, 680.0
_FONT = 15.0  # 6 points where the page is printed 180 mm wide
_SMALL = f'font-size="{_FONT:g}"'
_DIM, _BOLD = f'{_SMALL} fill="{MUTED}"', f'{_SMALL} font-weight="600"'
_TOP, _HIGH = 196.0, 400.0
_LEFT, _WIDE = 96.0, 300.0  # of the charts
_MAPS = 500.0  # where maps begin
_LEAST, _MOST, _FREE, _BREAK = 30.0, 110.0, 0.6, 70.0


def stripes_svg(scene: Scene, drawing: StripeDrawing) -> str:
    """Draw the page.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.widgets import scene_of
    >>> convs = [aidge_nb.PaddedConv2D(2, 2, [3, 3], name, None, [1] * 4) for name in "ab"]
    >>> view = aidge_nb.sequential(convs)
    >>> view.forward_dims([[1, 2, 16, 16]])
    True
    >>> scene = scene_of(aidge_nb.plan_tiling(view, convs, {2: 4}))
    >>> "What stripe 2 of 4 needs" in stripes_svg(scene, scene.stripes)
    True
    """
    parts = [*_head(scene, drawing), *_charts(drawing), *_needs(drawing)]
    height = _HEIGHT
    if drawing.ways[drawing.chosen].peak >= 0:
        parts += arena_parts(drawing, _LEFT, _WIDTH - 24, height, _FONT)
        height += ARENAS
    return document(_WIDTH, height, f"Stripes of {scene.title}", parts)


def _head(scene: Scene, drawing: StripeDrawing) -> Iterator[str]:
    """Write the title, and peak and price in a line each."""
    way = drawing.ways[drawing.chosen]
    halos = f", halos {'kept' if way.kept else 'recomputed'}" if way.count > 1 else ""
    count = f"{way.count} {'stripe' if way.count == 1 else 'stripes'}{halos}"
    title = scene.title.removesuffix(" in stripes")
    name = fit(title, _WIDTH - 60 - width_of(count, 22), 22)
    yield text(24, 36, f"{name} in {count}", 'font-size="22" font-weight="650"')
    for at, card in enumerate(way.cards[:3]):
        y = 64 + 24 * at
        colour = {"peak": _PEAK, "good": _GOOD}.get(card.edge, INK)
        yield text(24, y, card.title, f'{_BOLD} fill="{colour}"')
        words = card.words().removeprefix(f"{card.title}: ")
        *firsts, _ = parts = words.split("; ")[0].split(" + ")
        fewer = (" + ".join([*parts[:n], "…"]) for n in range(len(firsts), 0, -1))
        ways = [words, " + ".join(parts), *fewer, words.split(": ")[0]]
        yield text(120, y, fitting(ways, _WIDTH - 150, lambda part: width_of(part, _FONT)), _SMALL)
    if not any(card.kind == "peak" for card in way.cards):
        yield text(24, 88, fit(drawing.note, _WIDTH - 48, _FONT), _DIM)


class _WayChart(NamedTuple):
    """A chart: its title, what it draws of a way, how that is written, and its marks."""

    title: str
    value: Callable[[DrawnWay], float]
    words: Callable[[float], str]
    marks: Sequence[float]


def _charts(drawing: StripeDrawing) -> Iterator[str]:
    known = [way for way in drawing.ways if way.peak >= 0]
    counts = drawing.counts
    step = _WIDE / max(1, len(counts) - 1)
    chosen = drawing.ways[drawing.chosen]
    at = _LEFT + counts.index(chosen.count) * step
    bottom = _TOP + _HIGH
    tint = thinned(ACCENT, 0.13)
    yield rect(at - 12, _TOP - 12, 24, bottom - _TOP + 44, f'fill="{tint}"')
    most = max((way.peak for way in known), default=0)
    if known:
        marks = byte_marks(most, 4)
        chart = _WayChart("peak", lambda way: way.peak, lambda size: size_text(int(size)), marks)
        yield from _chart(drawing, known, chart, (_TOP, 220.0), step)
    extra = max([100 * way.extra for way in drawing.ways] + [1.0])
    percents = marks_of((0.0, extra), 3, False)
    chart = _WayChart(
        "more MACs", lambda way: 100 * way.extra, lambda part: f"{part:.3g} %", percents
    )
    yield from _chart(drawing, drawing.ways, chart, (_TOP + 282, 118.0), step)
    free = 0.0
    for place, count in enumerate(counts):
        x = _LEFT + place * step
        half = width_of(str(count), _FONT) / 2
        if count == chosen.count or x - half > free:
            free = x + half + 4
            style = _BOLD if count == chosen.count else _DIM
            yield text(x, bottom + 26, str(count), f"{style} {CENTRED}")
    yield text(_LEFT - 20, bottom + 26, "stripes", f"{_BOLD} {AT_END}")
    y = bottom + 48
    yield disc(_LEFT, y - 5, _PEAK, _PEAK)
    yield text(_LEFT + 12, y, "halos recomputed", _SMALL)
    yield disc(_LEFT + 170, y - 5, PAPER, INK)
    yield text(_LEFT + 182, y, "kept", _SMALL)


def _chart(
    drawing: StripeDrawing,
    ways: Sequence[DrawnWay],
    chart: _WayChart,
    place: tuple[float, float],
    step: float,
) -> Iterator[str]:
    top, high = place
    most = max([chart.value(way) for way in ways] + [1.0])
    counts = drawing.counts

    def at(way: DrawnWay) -> tuple[float, float]:
        x = _LEFT + counts.index(way.count) * step
        return x, top + high * (1 - chart.value(way) / most)

    yield text(24, top - 18, chart.title, _BOLD)
    for mark in chart.marks:
        y = top + high * (1 - mark / most)
        yield line(_LEFT, y, _LEFT + _WIDE, y, f'stroke="{LINE}"')
        yield text(_LEFT - 14, y + 5, chart.words(mark), f"{_DIM} {AT_END}")
    for kept, colour in ((False, _PEAK), (True, INK)):
        own = sorted((w for w in ways if w.kept == kept or w.count == 1), key=lambda w: w.count)
        if not any(way.kept == kept for way in own):
            continue
        path = "L".join(f"{number(x)} {number(y)}" for x, y in map(at, own))
        dash = ' stroke-dasharray="4 3"' if kept else ""
        yield f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.6"{dash}/>'
        for way in own:
            yield disc(*at(way), PAPER if kept else colour, colour)
    chosen = drawing.ways[drawing.chosen]
    if chosen in ways:
        x, y = at(chosen)
        same = [at(way)[1] for way in ways if way.count == chosen.count]
        y = min([y, *(each for each in same if 0 < y - each < 30)])
        is_share = chart.title == "more MACs"
        words = f"+{100 * chosen.extra:.1f} %" if is_share else chart.words(chart.value(chosen))
        x = min(max(x, _LEFT + width_of(words, _FONT) / 2), _LEFT + _WIDE)
        yield text(x, max(top - 4, y - 12), words, f'{_BOLD} fill="{_PEAK}" {CENTRED}')


class _Needed(NamedTuple):
    """The rows that a stripe needs of a map, and those that are its own."""

    own: int
    own_stop: int
    first: int
    stop: int


class _MapPlace(NamedTuple):
    """Where a map stands, its rows and its colour."""

    x: float
    wide: float
    rows: int
    colour: str

    def y(self, row: int) -> float:
        """Return where a row begins."""
        return _TOP + _HIGH * row / max(1, self.rows)


def _needs(drawing: StripeDrawing) -> Iterator[str]:
    way = drawing.ways[drawing.chosen]
    stripe = (way.count - 1) // 2
    own = drawing.cells[drawing.cells[:, 0] == drawing.chosen]
    cells = {(s, m): _Needed(*rest) for _, s, m, *rest in own.tolist()}
    title = f"What stripe {stripe + 1} of {way.count} needs"
    yield text(_MAPS - 46, _TOP - 40, title, _BOLD)
    hidden, before = drawing.hidden
    places = _places(drawing)
    last = len(places) - 1
    edges = [cells[s, last] for s in range(way.count) if (s, last) in cells]
    for at in range(1, len(places)):
        source, reader = cells.get((stripe, at - 1)), cells.get((stripe, at))
        if source and reader and drawing.maps[at].follows and not (hidden and at == before):
            yield _band(places[at - 1], source, places[at], reader)
    for at, place in enumerate(places):
        yield from _map(place, cells.get((stripe, at)), edges, places[last])
    room = places[1].x - places[0].x - 10 if len(places) > 1 else 240.0
    for at, place in enumerate(places):
        yield from _words(drawing, at, place, cells.get((stripe, at)), room)
    yield from _numbers(edges, stripe, places[last])
    if hidden:
        middle = (places[before - 1].x + places[before - 1].wide + places[before].x) / 2
        yield text(middle, _TOP + _HIGH / 2, f"{hidden} more", f"{_BOLD} {CENTRED}")
        yield text(middle, _TOP + _HIGH / 2 + 18, "maps", f"{_BOLD} {CENTRED}")
    kind = "kept from the stripe before" if way.kept else "recomputed by each stripe"
    words = f"hatched: halo, {kind}" if way.count > 1 else "one stripe has no halo"
    yield text(_MAPS, _TOP + _HIGH + 60, words, _DIM)


def _places(drawing: StripeDrawing) -> list[_MapPlace]:
    """Place maps as wide as each other; the gaps share what is left."""
    count = len(drawing.maps)
    hidden, before = drawing.hidden
    room = _WIDTH - 24 - _MAPS - (_BREAK if hidden else 0)
    wide = min(_MOST, max(_LEAST, room / (count + _FREE * (count - 1))))
    gap = (room - count * wide) / max(1, count - 1)
    return [
        _MapPlace(
            _MAPS + at * (wide + gap) + (_BREAK if hidden and at >= before else 0),
            wide,
            each.rows,
            FAMILIES[each.family].light,
        )
        for at, each in enumerate(drawing.maps)
    ]


def _band(left: _MapPlace, source: _Needed, right: _MapPlace, reader: _Needed) -> str:
    """Draw what is read of a map."""
    corners = (
        (left.x + left.wide, left.y(source.first)),
        (right.x, right.y(reader.first)),
        (right.x, right.y(reader.stop)),
        (left.x + left.wide, left.y(source.stop)),
    )
    path = "L".join(f"{number(x)} {number(y)}" for x, y in corners)
    return f'<path d="M{path}Z" fill="{thinned(MUTED, 0.16)}"/>'


def _map(
    place: _MapPlace, cell: _Needed | None, edges: Sequence[_Needed], last: _MapPlace
) -> Iterator[str]:
    x, wide, _, colour = place
    yield rect(x, _TOP, wide, _HIGH, f'fill="{thinned(colour, _PALE)}"')
    if len(edges) <= _HIGH / 6:
        for edge in edges[1:]:
            y = last.y(edge.first)
            yield line(x, y, x + wide, y, f'stroke="{LINE}" stroke-dasharray="3 3"')
    if cell is not None:
        for start, stop in ((cell.first, cell.own), (cell.own_stop, cell.stop)):
            if stop > start:
                y, high = place.y(start), place.y(stop) - place.y(start)
                yield rect(x, y, wide, high, f'fill="{PAPER}" stroke="{colour}"')
                path = stripes(x, y, wide, high, _HATCH)
                yield f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>'
        y = place.y(cell.own)
        yield rect(x, y, wide, place.y(cell.own_stop) - y, f'fill="{colour}"')
    yield rect(x, _TOP, wide, _HIGH, f'fill="none" stroke="{MUTED}"')


def _words(
    drawing: StripeDrawing, at: int, place: _MapPlace, cell: _Needed | None, room: float
) -> Iterator[str]:
    """Write the name of a map, and its rows in numbers."""
    middle, unit = place.x + place.wide / 2, drawing.unit
    widest = max(room, place.wide)
    name = fitting([drawing.maps[at].label], widest, lambda part: width_of(part, _FONT))
    yield text(middle, _TOP - 16, name, f"{_BOLD} {CENTRED}")
    times = max(each.rows for each in drawing.maps) / max(1, place.rows)
    drawn = f", drawn ×{times:.3g}" if times > 1.05 else ""
    ways = (f"{place.rows} {unit}{drawn}", f"{place.rows} {unit}", str(place.rows))
    foot = next((each for each in ways if width_of(each, _FONT) <= widest), "")
    right = min(middle, _WIDTH - 8 - width_of(foot, _FONT) / 2)
    yield text(right, _TOP + _HIGH + 38, foot, f"{_DIM} {CENTRED}")
    if cell is None:
        return
    own = cell.own_stop - cell.own
    halo = cell.stop - cell.first - own
    high = place.y(cell.own_stop) - place.y(cell.own)
    is_inside = high >= _FONT + 4 and width_of(str(own), _FONT) < place.wide
    if is_inside:
        style = f'{_BOLD} fill="{text_on(place.colour)}" {CENTRED}'
        label = f"{own} {unit}" if width_of(f"{own} {unit}", _FONT) < place.wide else str(own)
        yield text(middle, (place.y(cell.own) + place.y(cell.own_stop)) / 2 + 5, label, style)
    above = ([] if is_inside else [str(own)]) + ([f"+{halo} halo"] if halo else [])
    if above:
        short = " ".join(above)
        short = short if width_of(short, _FONT) <= widest else short.removesuffix(" halo")
        yield from _patch(middle, place.y(cell.first) - 7, short)
    rows = f"{cell.first}–{cell.stop - 1}" if cell.stop - cell.first > 1 else str(cell.first)
    if width_of(rows, _FONT) <= widest:
        yield from _patch(middle, place.y(cell.stop) + 18, rows)


def _patch(x: float, y: float, words: str) -> Iterator[str]:
    """Write text on a patch of paper."""
    wide = width_of(words, _FONT)
    x = min(x, _WIDTH - 8 - wide / 2)
    y = max(y, _TOP - 2)
    yield rect(x - wide / 2 - 3, y - 14, wide + 6, 18, f'fill="{PAPER}"')
    yield text(x, y, words, f"{_SMALL} {CENTRED}")


def _numbers(edges: Sequence[_Needed], picked: int, last: _MapPlace) -> Iterator[str]:
    middles = [(last.y(edge.first) + last.y(edge.stop)) / 2 for edge in edges]
    free = 0.0
    for stripe, y in enumerate(middles):
        if stripe != picked and (y < free or abs(y - middles[picked]) < _FONT):
            continue
        free = y + _FONT
        style = f'{_BOLD} fill="{ACCENT}"' if stripe == picked else _DIM
        yield text(_MAPS - 12, y + 5, str(stripe + 1), f"{style} {AT_END}")
