"""Draw the maps of a tiling: what one stripe or tile needs of each, its halo, and its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from aidge_nb.widgets.palette import FAMILIES, text_on, thinned
from aidge_nb.widgets.scene.labels.names import fitting
from aidge_nb.widgets.scene.tiles.stripe_parts import StripeDrawing
from aidge_nb.widgets.shared import PANELS
from aidge_nb.widgets.still.svg.parts import (
    ACCENT,
    AT_END,
    CENTRED,
    LINE,
    MUTED,
    PAPER,
    hatched,
    line,
    number,
    rect,
    text,
)
from aidge_nb.widgets.text import range_text, width_of

_PALE, _HATCH = float(PANELS["stripes"]["pale"]), float(PANELS["stripes"]["hatch"])
WIDTH = 1200.0
FONT = 15.0  # 6 points where the page is printed 180 mm wide
LETTERS = f'font-size="{FONT:g}"'
DIM, BOLD = f'{LETTERS} fill="{MUTED}"', f'{LETTERS} font-weight="600"'
TOP, HIGH = 196.0, 400.0
_MAPS = 500.0  # where maps begin
_LEAST, _MOST, _MOST_OF_GRID, _FREE, _BREAK = 30.0, 110.0, 200.0, 0.6, 70.0


class _Needed(NamedTuple):
    """The rows and columns that a part needs of a map, and those that are its own."""

    own: int
    own_stop: int
    first: int
    stop: int
    own_left: int
    own_right: int
    left: int
    right: int


class _MapPlace(NamedTuple):
    """Where a map stands, its size and its colour."""

    x: float
    wide: float
    rows: int
    columns: int
    colour: str

    def y(self, row: int) -> float:
        """Return where a row begins."""
        return TOP + HIGH * row / max(1, self.rows)

    def at(self, column: int) -> float:
        """Return where a column begins."""
        return self.x + self.wide * column / max(1, self.columns)

    def box(
        self, first: int, stop: int, left: int, right: int
    ) -> tuple[float, float, float, float]:
        """Return a rectangle of rows and columns."""
        x, y = self.at(left), self.y(first)
        return x, y, self.at(right) - x, self.y(stop) - y


def map_parts(drawing: StripeDrawing) -> Iterator[str]:
    """Draw all maps, and what the part in the middle needs of each."""
    way = drawing.ways[drawing.chosen]
    picked = way.middle
    own = drawing.cells[drawing.cells[:, 0] == drawing.chosen]
    cells = {(s, m): _Needed(*rest) for _, s, m, *rest in own.tolist()}
    title = f"What {drawing.noun} {picked + 1} of {way.count} needs"
    yield text(_MAPS - 46, TOP - 40, title, BOLD)
    hidden, before = drawing.hidden
    places = _places(drawing)
    last = len(places) - 1
    edges = [cells[s, last] for s in range(way.count) if (s, last) in cells]
    for at in range(1, len(places)):
        source, reader = cells.get((picked, at - 1)), cells.get((picked, at))
        if source and reader and drawing.maps[at].follows and not (hidden and at == before):
            yield _band(places[at - 1], source, places[at], reader)
    for at, place in enumerate(places):
        yield from _map(place, cells.get((picked, at)), edges, places[last])
    room = places[1].x - places[0].x - 10 if len(places) > 1 else 240.0
    for at, place in enumerate(places):
        yield from _words(drawing, at, place, cells.get((picked, at)), room)
    yield from _numbers(edges, picked, places[last], is_grid=bool(drawing.across))
    if hidden:
        middle = (places[before - 1].x + places[before - 1].wide + places[before].x) / 2
        yield text(middle, TOP + HIGH / 2, f"{hidden} more", f"{BOLD} {CENTRED}")
        yield text(middle, TOP + HIGH / 2 + 18, "maps", f"{BOLD} {CENTRED}")
    kind = "kept from the stripe before" if way.kept else f"recomputed by each {drawing.noun}"
    words = f"hatched: halo, {kind}" if way.count > 1 else f"one {drawing.noun} has no halo"
    yield text(_MAPS, TOP + HIGH + 60, words, DIM)


def _places(drawing: StripeDrawing) -> list[_MapPlace]:
    """Place maps as wide as each other; the gaps share what is left."""
    count = len(drawing.maps)
    hidden, before = drawing.hidden
    room = WIDTH - 24 - _MAPS - (_BREAK if hidden else 0)
    most = _MOST_OF_GRID if drawing.across else _MOST
    wide = min(most, max(_LEAST, room / (count + _FREE * (count - 1))))
    gap = (room - count * wide) / max(1, count - 1)
    return [
        _MapPlace(
            _MAPS + at * (wide + gap) + (_BREAK if hidden and at >= before else 0),
            wide,
            each.rows,
            each.columns,
            FAMILIES[each.family].light,
        )
        for at, each in enumerate(drawing.maps)
    ]


def _band(left: _MapPlace, source: _Needed, right: _MapPlace, reader: _Needed) -> str:
    """Draw what is read of a map."""
    corners = (
        (left.at(source.right), left.y(source.first)),
        (right.at(reader.left), right.y(reader.first)),
        (right.at(reader.left), right.y(reader.stop)),
        (left.at(source.right), left.y(source.stop)),
    )
    path = "L".join(f"{number(x)} {number(y)}" for x, y in corners)
    return f'<path d="M{path}Z" fill="{thinned(MUTED, 0.16)}"/>'


def _map(
    place: _MapPlace, cell: _Needed | None, edges: Sequence[_Needed], last: _MapPlace
) -> Iterator[str]:
    x, wide, colour = place.x, place.wide, place.colour
    yield rect(x, TOP, wide, HIGH, f'fill="{thinned(colour, _PALE)}"')
    dashed = f'stroke="{LINE}" stroke-dasharray="3 3"'
    rows, columns = ({edge.first for edge in edges}, {edge.left for edge in edges})
    if len(rows) <= HIGH / 6:
        for y in sorted(map(last.y, rows - {0})):
            yield line(x, y, x + wide, y, dashed)
    if len(columns) <= wide / 6:
        for at in sorted(x + last.at(column) - last.x for column in columns - {0}):
            yield line(at, TOP, at, TOP + HIGH, dashed)
    if cell is not None:
        needed = place.box(cell.first, cell.stop, cell.left, cell.right)
        own = place.box(cell.own, cell.own_stop, cell.own_left, cell.own_right)
        if needed != own:
            yield rect(*needed, f'fill="{PAPER}" stroke="{colour}"')
            yield hatched(*needed, _HATCH, f'stroke="{colour}" stroke-width="1.6"')
        yield rect(*own, f'fill="{colour}"')
    yield rect(x, TOP, wide, HIGH, f'fill="none" stroke="{MUTED}"')


def _words(
    drawing: StripeDrawing, at: int, place: _MapPlace, cell: _Needed | None, room: float
) -> Iterator[str]:
    """Write the name of a map, and what is needed of it in numbers."""
    middle = place.x + place.wide / 2
    widest = max(room, place.wide)
    name = fitting([drawing.maps[at].label], widest, lambda part: width_of(part, FONT))
    yield text(middle, TOP - 16, name, f"{BOLD} {CENTRED}")
    times = max(each.rows for each in drawing.maps) / max(1, place.rows)
    drawn = f", drawn ×{times:.3g}" if times > 1.05 else ""
    size = f"{place.rows}×{place.columns}" if drawing.across else f"{place.rows} {drawing.unit}"
    ways = (f"{size}{drawn}", size, str(place.rows))
    foot = next((each for each in ways if width_of(each, FONT) <= widest), "")
    right = min(middle, WIDTH - 8 - width_of(foot, FONT) / 2)
    yield text(right, TOP + HIGH + 38, foot, f"{DIM} {CENTRED}")
    if cell is None:
        return
    own, above, below = _figures(cell, drawing)
    x, y, wide, high = place.box(cell.own, cell.own_stop, cell.own_left, cell.own_right)
    inside = next((each for each in own if width_of(each, FONT) < wide), "")
    if inside and high >= FONT + 4:
        style = f'{BOLD} fill="{text_on(place.colour)}" {CENTRED}'
        yield text(x + wide / 2, y + high / 2 + 5, inside, style)
    else:
        mark = ", " if drawing.across else " "
        above = [mark.join(filter(None, (own[-1], each))) for each in above or [""]]
    centre = (place.at(cell.left) + place.at(cell.right)) / 2
    least, most = middle - widest / 2, min(middle + widest / 2, WIDTH - 8)
    for y, words in ((place.y(cell.first) - 7, above), (place.y(cell.stop) + 18, below)):
        shown = next((each for each in words if width_of(each, FONT) <= most - least), "")
        half = width_of(shown, FONT) / 2
        if shown:
            yield from _patch(min(max(centre, least + half), most - half), y, shown)


def _figures(cell: _Needed, drawing: StripeDrawing) -> tuple[list[str], list[str], list[str]]:
    """Return what is its own, the halo, and where: each in several lengths."""
    own = cell.own_stop - cell.own
    rows = range_text(cell.first, cell.stop)
    if not drawing.across:
        halo = cell.stop - cell.first - own
        return (
            [f"{own} {drawing.unit}", str(own)],
            [f"+{halo} halo", f"+{halo}"][: 2 * halo],
            [rows],
        )
    size = f"{own}×{cell.own_right - cell.own_left}"
    whole = f"{cell.stop - cell.first}×{cell.right - cell.left}"
    columns = range_text(cell.left, cell.right)
    where = [f"{drawing.unit} {rows}, {drawing.across} {columns}", f"{rows} × {columns}"]
    return [size], [f"{whole} with halo", whole] if whole != size else [], where


def _patch(x: float, y: float, words: str) -> Iterator[str]:
    """Write text on a patch of paper."""
    wide = width_of(words, FONT)
    y = max(y, TOP - 2)
    yield rect(x - wide / 2 - 3, y - 14, wide + 6, 18, f'fill="{PAPER}"')
    yield text(x, y, words, f"{LETTERS} {CENTRED}")


def _numbers(
    edges: Sequence[_Needed], picked: int, last: _MapPlace, *, is_grid: bool
) -> Iterator[str]:
    """Number stripes at the left of the maps, and tiles in the last map where they have room."""
    if is_grid:
        own = edges[picked]
        words = (last.y(own.first) - 12, last.y(own.stop) + 13)
        for tile, edge in enumerate(edges):
            x, y, wide, high = last.box(edge.first, edge.stop, edge.left, edge.right)
            label = str(tile + 1)
            if any(abs(each - y - high / 2) < FONT + 2 for each in words):
                continue
            if tile != picked and high > FONT + 2 and width_of(label, FONT) < wide:
                yield text(x + wide / 2, y + high / 2 + 5, label, f"{DIM} {CENTRED}")
        return
    middles = [(last.y(edge.first) + last.y(edge.stop)) / 2 for edge in edges]
    free = 0.0
    for stripe, y in enumerate(middles):
        if stripe != picked and (y < free or abs(y - middles[picked]) < FONT):
            continue
        free = y + FONT
        style = f'{BOLD} fill="{ACCENT}"' if stripe == picked else DIM
        yield text(_MAPS - 12, y + 5, str(stripe + 1), f"{style} {AT_END}")
