"""Draw a tiling: what a stripe or tile needs of each map, and memory beside that of the whole.

All numbers of stripes or tiles that were planned are in the scene, so that the browser can go from
one to the next. A tiling along more than two axes is drawn as maps by :mod:`.tiling`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from aidge_nb.core.errors import AidgeError
from aidge_nb.tiling.stripes import StripeStudy, StripeWay, compare_stripes, compare_whole, cut_axes
from aidge_nb.widgets.palette import family_of
from aidge_nb.widgets.scene.labels.blocks import label_nodes
from aidge_nb.widgets.scene.labels.names import Names
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
    axes = cut_axes(tiling)
    if not axes or not _has_axes(tiling, axes):
        return _with_peak(scene, tiling)
    study, reason = None, "this tiling names no graph; plan_tiling() makes one that does"
    if tiling.view is not None:
        try:
            study = compare_stripes(tiling)
        except AidgeError as error:
            reason = str(error)
    drawing = _drawing(tiling, axes, study, reason)
    noun = drawing.noun if len(tiling.tiles) == 1 else f"{drawing.noun}s"
    asked = f"{_grid(tiling, axes)[0]} {noun}, halos {_HALOS[tiling.halo]}"
    figures = [("asked for", asked)]
    if study is not None:
        figures.append(("their peak", size_text(study.asked.plan.peak)))
        figures.append(("as a whole", size_text(study.whole.plan.peak)))
    figures.append(("their extra MACs", f"{100 * tiling.overhead:.1f} %"))
    first, *others = dict.fromkeys([drawing.maps[1 % len(drawing.maps)], drawing.maps[-1]])
    ends = [first.label, *(each.label for each in others)] if others else [first.name]
    name = f"{' … '.join(elide(each, _LONGEST) for each in ends)} in {drawing.noun}s"
    return replace(
        scene,
        title=title or name,
        figures=tuple(figures),
        stripes=drawing,
        findings=drawing.ways[drawing.chosen].cards,
    )


def _with_peak(scene: Scene, tiling: Tiling) -> Scene:
    """Add peak and price to the maps of a tiling along more than two axes."""
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


def _has_axes(tiling: Tiling, axes: Sequence[int]) -> bool:
    return all(
        len(region) > max(axes)
        for tile in tiling.tiles
        for part in tile.parts
        for region in (part.output, *(each for _, each in part.inputs[:1]))
    )


def _grid(tiling: Tiling, axes: Sequence[int]) -> tuple[str, int]:
    """Return how many parts a tiling has along some axes: in words, and along the second."""
    counts = dict(zip(tiling.axes, tiling.grid, strict=True))
    rows, *columns = (counts.get(axis, 1) for axis in axes)
    label = "×".join(map(str, (rows, *columns)))
    return label if len(tiling.tiles) > 1 else "1", columns[0] if columns else 1


def _drawing(
    tiling: Tiling, axes: tuple[int, ...], study: StripeStudy | None, reason: str
) -> StripeDrawing:
    rank = len(tiling.tiles[0].output)
    names = _names(tiling)
    ways: list[StripeWay] = [] if study is None else [study.whole, *study.ways]
    tilings = [way.tiling for way in ways] or [tiling]
    maps = _maps(tilings, axes, names)
    shown = list(range(len(maps)))
    hidden = (0, 0)
    if len(shown) > _FIRST + _LAST + 1:
        hidden = (len(shown) - _FIRST - _LAST, _FIRST)
        shown = [*shown[:_FIRST], *shown[-_LAST:]]
    place = {name: at for at, name in enumerate(tiling.nodes, 1)}
    drawing = StripeDrawing(
        tuple(maps[at] for at in shown),
        axis_name(axes[0], rank),
        (),
        0,
        _table([(n, *c) for n, t in enumerate(tilings) for c in _cells(t, axes, maps, shown)], 11),
        _table([(n, *b) for n, w in enumerate(ways) for b in _boxes(w, place, maps, shown)], 9),
        _table([(n, *run) for n, way in enumerate(ways) for run in _runs(way)], 3),
        hidden,
        across=axis_name(axes[1], rank) if len(axes) > 1 else "",
    )
    if study is None:
        note = f"No peak, and no other numbers of {drawing.noun}s: {reason}."
        alone = _without_plan(tiling, drawing.unit if len(axes) == 1 else "values")
        return replace(drawing, ways=(_named(alone, tiling, axes),), note=note)
    drawn = []
    for at, way in enumerate(ways):
        short = lambda name: elide(names.path(name), _LONGEST)  # noqa: E731
        cards = stripe_cards(study, ways, at, drawing.unit, short)
        drawn.append(_named(_drawn(way, cards), way.tiling, axes))
    chosen = next(at for at, way in enumerate(ways) if way is study.asked)
    return replace(drawing, ways=tuple(drawn), chosen=chosen, note=_missing(study))


def _named(way: DrawnWay, tiling: Tiling, axes: Sequence[int]) -> DrawnWay:
    label, columns = _grid(tiling, axes)
    return replace(way, label=label, columns=columns)


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


def _maps(tilings: Sequence[Tiling], axes: Sequence[int], names: Names) -> list[StripeMap]:
    """Describe the input and each output, with the rows and columns that any way needs of it."""
    tiling = tilings[0]
    types: dict[str, str] = {}
    if tiling.view is not None:
        types = {name: node.type() for node, name in tiling.view.unique_names().items()}
    sizes = [_sizes(tilings, axis) for axis in axes]
    links = set(tiling.links)
    reads = {reader for _, reader in links}
    kinds = [family_of("Identity"), *(family_of(types.get(name, "")) for name in tiling.nodes)]
    labels = ["input", *(elide(names.path(name), _LONGEST) for name in tiling.nodes)]
    found = []
    before = ""
    for place, name in enumerate((f"input of {tiling.nodes[0]}", *tiling.nodes)):
        follows = place == 0 or ((before, name) in links if before else name not in reads)
        rows, *columns = (size[place] for size in sizes)
        follows = follows or not links
        found.append(StripeMap(name, labels[place], rows, kinds[place], follows, *columns))
        before = name if place else ""
    return found


def _sizes(tilings: Sequence[Tiling], axis: int) -> list[int]:
    """Return how far any way reaches into the input and each output, along an axis."""
    sizes = [0] * (len(tilings[0].nodes) + 1)
    for each in tilings:
        for tile in each.tiles:
            for place, needed, _ in _needs(tile, each, axis):
                sizes[place] = max(sizes[place], needed.stop)
    return sizes


def _needs(tile: Tile, tiling: Tiling, axis: int) -> Iterator[tuple[int, Range, Range | None]]:
    """Yield the rows that a stripe needs of each map, and those that it computes."""
    for place, needed, computed in map_regions(tile, tiling):
        yield place, needed[axis], None if computed is None else computed[axis]


def _cells(
    tiling: Tiling, axes: Sequence[int], maps: Sequence[StripeMap], shown: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    """Yield stripe, map, own rows and needed rows, own columns and needed columns."""
    down = _along(tiling, axes[0], [each.rows for each in maps], shown)
    if len(axes) == 1:
        yield from ((*cell, 0, 1, 0, 1) for cell in down)
        return
    across = _along(tiling, axes[1], [each.columns for each in maps], shown)
    yield from ((*cell, *other[2:]) for cell, other in zip(down, across, strict=True))


def _along(
    tiling: Tiling, axis: int, sizes: Sequence[int], shown: Sequence[int]
) -> Iterator[tuple[int, int, int, int, int, int]]:
    """Yield stripe, map, own rows and needed rows.

    Own rows are level with those of the result. Where halos are kept, they are the rows that the
    stripe computes or reads first; the others were computed or read by the stripes before.
    """
    position = {place: at for at, place in enumerate(shown)}
    total, done = max(1, sizes[-1]), 0
    for number, tile in enumerate(tiling.tiles):
        result = tile.output[axis]
        for place, needed, computed in _needs(tile, tiling, axis):
            if place not in position:
                continue
            scale = sizes[place]
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
