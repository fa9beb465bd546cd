"""Draw a tiling as one page: its figures, two charts, what a stripe or tile needs, memory.

The part in the middle is drawn, as the live view does at first. Letters can be read at the width
of a printed page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from aidge_nb.widgets.palette import thinned
from aidge_nb.widgets.scene.labels.names import fitting
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.scene.tiles.stripe_parts import DrawnWay, StripeDrawing
from aidge_nb.widgets.still.svg.charts import disc, marks_of
from aidge_nb.widgets.still.svg.parts import (
    ACCENT,
    AT_END,
    CENTRED,
    INK,
    LINE,
    PAPER,
    byte_marks,
    document,
    fit,
    line,
    number,
    rect,
    text,
)
from aidge_nb.widgets.still.svg.stripe_arenas import GOOD, PEAK, arena_parts
from aidge_nb.widgets.still.svg.stripe_arenas import HEIGHT as ARENAS
from aidge_nb.widgets.still.svg.stripe_maps import (
    BOLD,
    DIM,
    FONT,
    HIGH,
    LETTERS,
    TOP,
    WIDTH,
    map_parts,
)
from aidge_nb.widgets.text import size_text, width_of

_HEIGHT = 680.0
_LEFT, _WIDE = 96.0, 300.0  # of the charts


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
    parts = [*_head(scene, drawing), *_charts(drawing), *map_parts(drawing)]
    height = _HEIGHT
    title = f"{drawing.noun.capitalize()}s of {scene.title}".removesuffix(f" in {drawing.noun}s")
    if drawing.ways[drawing.chosen].peak >= 0:
        parts += arena_parts(drawing, _LEFT, WIDTH - 24, height, FONT)
        height += ARENAS
    return document(WIDTH, height, title, parts)


def _head(scene: Scene, drawing: StripeDrawing) -> Iterator[str]:
    """Write the title, and peak and price in a line each."""
    way = drawing.ways[drawing.chosen]
    halos = f", halos {'kept' if way.kept else 'recomputed'}" if way.count > 1 else ""
    noun = drawing.noun
    count = f"{way.label} {noun if way.count == 1 else f'{noun}s'}{halos}"
    title = scene.title.removesuffix(f" in {noun}s")
    name = fit(title, WIDTH - 60 - width_of(count, 22), 22)
    yield text(24, 36, f"{name} in {count}", 'font-size="22" font-weight="650"')
    for at, card in enumerate(way.cards[:3]):
        y = 64 + 24 * at
        colour = {"peak": PEAK, "good": GOOD}.get(card.edge, INK)
        yield text(24, y, card.title, f'{BOLD} fill="{colour}"')
        words = card.words().removeprefix(f"{card.title}: ")
        *firsts, _ = parts = words.split("; ")[0].split(" + ")
        fewer = (" + ".join([*parts[:n], "…"]) for n in range(len(firsts), 0, -1))
        ways = [words, " + ".join(parts), *fewer, words.split(": ")[0]]
        yield text(120, y, fitting(ways, WIDTH - 150, lambda part: width_of(part, FONT)), LETTERS)
    if not any(card.kind == "peak" for card in way.cards):
        yield text(24, 88, fit(drawing.note, WIDTH - 48, FONT), DIM)


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
    bottom = TOP + HIGH
    tint = thinned(ACCENT, 0.13)
    yield rect(at - 12, TOP - 12, 24, bottom - TOP + 44, f'fill="{tint}"')
    most = max((way.peak for way in known), default=0)
    if known:
        marks = byte_marks(most, 4)
        chart = _WayChart("peak", lambda way: way.peak, lambda size: size_text(int(size)), marks)
        yield from _chart(drawing, known, chart, (TOP, 220.0), step)
    extra = max([100 * way.extra for way in drawing.ways] + [1.0])
    percents = marks_of((0.0, extra), 3, False)
    chart = _WayChart(
        "more MACs", lambda way: 100 * way.extra, lambda part: f"{part:.3g} %", percents
    )
    yield from _chart(drawing, drawing.ways, chart, (TOP + 282, 118.0), step)
    free = 0.0
    labels = {way.count: way.label for way in drawing.ways}
    own = at - width_of(chosen.label, FONT) / 2 - 4
    for place, count in enumerate(counts):
        x = _LEFT + place * step
        half = width_of(labels[count], FONT) / 2
        if count == chosen.count or (x - half > free and not own < x + half < at):
            free = x + half + 4
            style = BOLD if count == chosen.count else DIM
            yield text(x, bottom + 26, labels[count], f"{style} {CENTRED}")
    yield text(_LEFT - 20, bottom + 26, f"{drawing.noun}s", f"{BOLD} {AT_END}")
    y = bottom + 48
    yield disc(_LEFT, y - 5, PEAK, PEAK)
    yield text(_LEFT + 12, y, "halos recomputed", LETTERS)
    if not drawing.across:
        yield disc(_LEFT + 170, y - 5, PAPER, INK)
        yield text(_LEFT + 182, y, "kept", LETTERS)


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

    yield text(24, top - 18, chart.title, BOLD)
    for mark in chart.marks:
        y = top + high * (1 - mark / most)
        yield line(_LEFT, y, _LEFT + _WIDE, y, f'stroke="{LINE}"')
        yield text(_LEFT - 14, y + 5, chart.words(mark), f"{DIM} {AT_END}")
    for kept, colour in ((False, PEAK), (True, INK)):
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
        x = min(max(x, _LEFT + width_of(words, FONT) / 2), _LEFT + _WIDE)
        yield text(x, max(top - 4, y - 12), words, f'{BOLD} fill="{PEAK}" {CENTRED}')
