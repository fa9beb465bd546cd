"""Draw a tiling into stripes: what a stripe needs of each map, and memory beside that of the whole.

All numbers of stripes that were planned are in the scene, so that the browser can go from one to
the next. A grid of tiles, which has no stripes, is drawn as maps by :mod:`.tiling`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from aidge_nb.core.errors import AidgeError
from aidge_nb.tiling.stripes import (
    StripeStudy,
    StripeWay,
    compare_stripes,
    compare_whole,
    cut_axis,
)
from aidge_nb.widgets.palette import family_of
from aidge_nb.widgets.scene.blocks import label_nodes
from aidge_nb.widgets.scene.names import Names
from aidge_nb.widgets.scene.tiles.stripe_cards import grid_cards, price_card, stripe_cards
from aidge_nb.widgets.scene.tiles.stripe_parts import (
    KEPT,
    OTHER,
    OWN,
    DrawnWay,
    StripeDrawing,
    StripeMap,
)
from aidge_nb.widgets.scene.tiles.tiling import axis_name, map_regions, tiling_scene
from aidge_nb.widgets.shared import PANELS
from aidge_nb.widgets.text import elide, size_text

if TYPE_CHECKING:
    from aidge_nb.tiling.ranges import Range
    from aidge_nb.tiling.tiles import Tile, Tiling
    from aidge_nb.widgets.scene.findings import Card
    from aidge_nb.widgets.scene.parts import Ints
    from aidge_nb.widgets.scene.scene import Scene

_SIZES = PANELS["stripes"]
_FIRST, _LAST = int(_SIZES["first"]), int(_SIZES["last"])
_LONGEST = 40
_BLOCKS = 32  # blocks of a buffer that are drawn apart; of more, their outline
_HALOS = {"recompute": "recomputed", "cache": "kept"}


def stripes_scene(tiling: Tiling, title: str = "") -> Scene:
    """Draw a tiling with its peak, its price, and other numbers of stripes.

    Parameters
    ----------
    tiling
        The tiling.
    title
        Title; by default the tiled nodes.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")])
    >>> view.forward_dims([[1, 3, 66, 66]])
    True
    >>> scene = stripes_scene(aidge_nb.plan_tiling(view, [view.get_node("conv0")], {2: 4}))
    >>> dict(scene.figures)["asked for"], scene.stripes.counts[:4]
    ('4 stripes, halos recomputed', (1, 2, 3, 4))
    """
    scene = tiling_scene(tiling, title)
    axis = cut_axis(tiling)
    if axis is None or not _has_axis(tiling, axis):
        return _with_peak(scene, tiling)
    study, reason = None, "this tiling names no graph; plan_tiling() makes one that does"
    if tiling.view is not None:
        try:
            study = compare_stripes(tiling)
        except AidgeError as error:
            reason = str(error)
    drawing = _drawing(tiling, axis, study, reason)
    count = len(tiling.tiles)
    asked = f"{count} {'stripe' if count == 1 else 'stripes'}, halos {_HALOS[tiling.halo]}"
    figures = [("asked for", asked)]
    if study is not None:
        figures.append(("their peak", size_text(study.asked.plan.peak)))
        figures.append(("as a whole", size_text(study.whole.plan.peak)))
    figures.append(("their extra MACs", f"{100 * tiling.overhead:.1f} %"))
    first, *others = dict.fromkeys([drawing.maps[1 % len(drawing.maps)], drawing.maps[-1]])
    ends = [first.label, *(each.label for each in others)] if others else [first.name]
    name = f"{' … '.join(elide(each, _LONGEST) for each in ends)} in stripes"
    return replace(
        scene,
        title=title or name,
        figures=tuple(figures),
        stripes=drawing,
        findings=drawing.ways[drawing.chosen].cards,
    )


def _with_peak(scene: Scene, tiling: Tiling) -> Scene:
    """Add peak and price to the maps of a tiling that has no stripes."""
    names = _names(tiling)
    try:
        whole, way = compare_whole(tiling)
    except AidgeError as error:
        note = f"No peak: {error}."
        findings = (price_card(tiling, "values"),)
        return replace(scene, notes=(*scene.notes, note), findings=findings)
    cards = grid_cards(whole, way, lambda name: elide(names.path(name), _LONGEST))
    peaks = (("their peak", size_text(way.plan.peak)), ("as a whole", size_text(whole.plan.peak)))
    return replace(scene, findings=cards, figures=(*scene.figures[:1], *peaks, *scene.figures[1:]))


def _has_axis(tiling: Tiling, axis: int) -> bool:
    return all(
        len(region) > axis
        for tile in tiling.tiles
        for part in tile.parts
        for region in (part.output, *(each for _, each in part.inputs[:1]))
    )


def _drawing(tiling: Tiling, axis: int, study: StripeStudy | None, reason: str) -> StripeDrawing:
    unit = axis_name(axis, len(tiling.tiles[0].output))
    names = _names(tiling)
    tilings = [tiling]
    ways: list[StripeWay] = []
    if study is not None:
        ways = [study.whole, *study.ways]
        tilings = [way.tiling for way in ways]
    maps = _maps(tilings, axis, names)
    shown = list(range(len(maps)))
    hidden = (0, 0)
    if len(shown) > _FIRST + _LAST + 1:
        hidden = (len(shown) - _FIRST - _LAST, _FIRST)
        shown = [*shown[:_FIRST], *shown[-_LAST:]]
    cells = [
        (number, *cell)
        for number, each in enumerate(tilings)
        for cell in _cells(each, axis, maps, shown)
    ]
    place = {name: at for at, name in enumerate(tiling.nodes, 1)}
    boxes = [(n, *box) for n, way in enumerate(ways) for box in _boxes(way, place, maps, shown)]
    runs = [(n, *run) for n, way in enumerate(ways) for run in _runs(way)]
    if study is None:
        note = f"No peak, and no other numbers of stripes: {reason}."
        return StripeDrawing(
            tuple(maps[at] for at in shown),
            unit,
            (_without_plan(tiling, unit),),
            0,
            _table(cells, 7),
            _table([], 9),
            _table([], 3),
            hidden,
            note,
        )
    drawn = []
    for at, way in enumerate(ways):
        cards = stripe_cards(study, ways, at, unit, lambda name: elide(names.path(name), _LONGEST))
        drawn.append(_drawn(way, cards))
    chosen = next(at for at, way in enumerate(ways) if way is study.asked)
    return StripeDrawing(
        tuple(maps[at] for at in shown),
        unit,
        tuple(drawn),
        chosen,
        _table(cells, 7),
        _table(boxes, 9),
        _table(runs, 3),
        hidden,
        _missing(study),
    )


def _table(rows: Sequence[tuple[int, ...]], wide: int) -> Ints:
    return np.array(rows, np.int64).reshape(-1, wide)


def _missing(study: StripeStudy) -> str:
    """Say which ways were not planned."""
    found: dict[str, list[str]] = {}
    for count, halo, reason in study.missing:
        found.setdefault(reason, []).append(f"{count} {_HALOS[halo]}")
    return "; ".join(f"not planned: {', '.join(each)} ({why})" for why, each in found.items())


def _names(tiling: Tiling) -> Names:
    """Return short names: those of the graph where it is known."""
    names, types = list(tiling.nodes), [""] * len(tiling.nodes)
    return Names(names, label_nodes(names, types))


def _maps(tilings: Sequence[Tiling], axis: int, names: Names) -> list[StripeMap]:
    """Describe the input and each output, with the rows that any way needs of it."""
    tiling = tilings[0]
    types: dict[str, str] = {}
    if tiling.view is not None:
        types = {name: node.type() for node, name in tiling.view.unique_names().items()}
    rows = [0] * (len(tiling.nodes) + 1)
    for each in tilings:
        for tile in each.tiles:
            for place, needed, _ in _needs(tile, each, axis):
                rows[place] = max(rows[place], needed.stop)
    links = set(tiling.links)
    reads = {reader for _, reader in links}
    found = [StripeMap(f"input of {tiling.nodes[0]}", "input", rows[0], family_of("Identity"))]
    before = ""
    for place, name in enumerate(tiling.nodes, 1):
        follows = (before, name) in links if before else name not in reads
        label = elide(names.path(name), _LONGEST)
        kind = family_of(types.get(name, ""))
        found.append(StripeMap(name, label, rows[place], kind, follows or not links))
        before = name
    return found


def _needs(tile: Tile, tiling: Tiling, axis: int) -> Iterator[tuple[int, Range, Range | None]]:
    """Yield the rows that a stripe needs of each map, and those that it computes."""
    for place, needed, computed in map_regions(tile, tiling):
        yield place, needed[axis], None if computed is None else computed[axis]


def _cells(
    tiling: Tiling, axis: int, maps: Sequence[StripeMap], shown: Sequence[int]
) -> Iterator[tuple[int, int, int, int, int, int]]:
    """Yield stripe, map, own rows and needed rows.

    Own rows are level with those of the result. Where halos are kept, they are the rows that the
    stripe computes or reads first; the others were computed or read by the stripes before.
    """
    position = {place: at for at, place in enumerate(shown)}
    last = len(maps) - 1
    total, done = max(1, maps[last].rows), 0
    for number, tile in enumerate(tiling.tiles):
        result = tile.output[axis]
        for place, needed, computed in _needs(tile, tiling, axis):
            if place not in position:
                continue
            scale = maps[place].rows
            start, stop = ((2 * edge * scale + total) // (2 * total) for edge in result)
            if tiling.halo == "cache" and place:
                start, stop = computed or (needed.start, needed.start)
            elif tiling.halo == "cache":
                start, stop = done, needed.stop
                done = max(done, needed.stop)
            start = min(max(start, needed.start), needed.stop)
            stop = min(max(stop, start), needed.stop)
            yield number, position[place], start, stop, needed.start, needed.stop


def _boxes(
    way: StripeWay, place: dict[str, int], maps: Sequence[StripeMap], shown: Sequence[int]
) -> Iterator[tuple[int, int, int, int, int, int, int, int]]:
    """Yield the rectangles of a plan while the stripes run."""
    begin, end = way.ticks
    position = {each: at for at, each in enumerate(shown)}
    for buffer in way.plan.buffers:
        lower, upper = max(buffer.lower, begin), min(buffer.upper, end)
        if lower >= upper or buffer.made_of:
            continue  # what is made of parts that are drawn is no buffer of its own
        own = way.nodes.get(buffer.node)
        at = -1 if own is None else place[own.of]
        kind = OTHER if own is None else KEPT if own.moves else OWN
        stripe = -1 if own is None else own.stripe
        pieces = buffer.part.outline(_BLOCKS) if buffer.levels else buffer.intervals
        for start, stop in pieces:
            family = maps[at].family if at >= 0 else -1
            size = stop - start
            yield lower, upper, start, size, position.get(at, -1), stripe, kind, family


def _runs(way: StripeWay) -> Iterator[tuple[int, int]]:
    begin, end = way.ticks
    for tick in range(begin, end):
        own = way.nodes.get(way.plan.order[tick])
        yield tick, -1 if own is None else own.stripe


def _drawn(way: StripeWay, cards: tuple[Card, ...]) -> DrawnWay:
    return DrawnWay(
        way.count,
        way.halo == "cache",
        way.plan.peak,
        way.plan.lower_bound,
        way.tiling.tiled_macs,
        way.tiling.overhead,
        way.ticks,
        cards,
    )


def _without_plan(tiling: Tiling, unit: str) -> DrawnWay:
    kept = tiling.halo == "cache"
    figures = (tiling.tiled_macs, tiling.overhead, (0, 0))
    return DrawnWay(len(tiling.tiles), kept, -1, -1, *figures, (price_card(tiling, unit),))
