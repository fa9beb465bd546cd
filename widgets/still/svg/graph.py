"""Draw the graph: boxes in layers, edges that go down, and the dims that they carry.

Dims are written just below a box. There, an edge has hardly left the place from which it comes, so
it takes up a short span, and a text fits beside all spans and all texts before it. Sizes are those
of the live view, in ``shared/panels.json``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from aidge_nb.widgets.layout.layered import HEIGHT, PITCH, GraphLayout, Route
from aidge_nb.widgets.scene.graph_drawing import GraphDrawing
from aidge_nb.widgets.scene.labels.names import Names
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.shared import PANELS
from aidge_nb.widgets.still.svg.graph_columns import (
    BRIEF_LAYERS,
    MOST_LAYERS,
    broken_path,
    closed_blocks,
    columns_of,
)
from aidge_nb.widgets.still.svg.page import NARROW
from aidge_nb.widgets.still.svg.parts import (
    ACCENT,
    CENTRED,
    INK,
    LINE,
    MUTED,
    PAPER,
    colour_of,
    document,
    fit,
    node_colour,
    number,
    rect,
    text,
)
from aidge_nb.widgets.text import width_of

_SIZES = PANELS["graph"]
_STRIP = _SIZES["strip"]
_MARGIN = float(_SIZES["margin"])
_HALO = f'stroke="{PAPER}" stroke-width="3" paint-order="stroke"'
_TYPE = float(_SIZES["type"])
_WIDEST, _WIDER = 4000.0, 1.2


def graph_svg(
    scene: Scene, graph: GraphDrawing, *, brief: bool = False, lit: Collection[int] | None = None
) -> str:
    """Draw the graph in columns, up to a bounded number of layers; fade what is not lit.

    A brief picture fits a page; it shows the blocks of a large graph as one box each.
    """
    if brief and lit is None:
        graph = closed_blocks(scene, graph)
    layout = graph.layout
    first = _first_layer(layout.layers, BRIEF_LAYERS if brief else MOST_LAYERS, lit or ())
    layers = max(layout.layers, default=-1) + 1 - first
    wide = min(layout.width, NARROW - 2 * _MARGIN if brief else _WIDEST)
    shift = _middle(layout, wide)
    inside = {
        box
        for box, (centre, own) in enumerate(zip(layout.centres, layout.widths, strict=True))
        if shift <= centre - own / 2 and centre + own / 2 <= shift + wide
    }
    written = list(place_dims(graph, inside))
    reach = (left - shift + _WIDER * width_of(label, _DIMS_SIZE) for _, left, label in written)
    apart = min(NARROW if brief else _WIDEST, max(wide + _MARGIN, *reach, 0.0) + _MARGIN)
    columns = columns_of(layers, apart, brief=brief)
    spans = list(columns.spans(first, layers))
    end = spans[-1][1] if spans else first
    shown = {box for box in inside if first <= layout.layers[box] < end}
    hidden = len(layout.layers) - len(shown)
    note = f"… and {hidden} more: open the interactive view to see them" if hidden else ""
    width = max(220.0, len(spans) * columns.apart, width_of(note) + 2 * _MARGIN)
    deep = max((stop - start for start, stop in spans), default=0)
    height = max(60.0, deep * PITCH - (PITCH - HEIGHT) + 2 * _MARGIN)
    left = (width - max(1, len(spans)) * columns.apart) / 2 + _MARGIN
    if shown != inside:
        written = list(place_dims(graph, shown))
    parts: list[str] = []
    names = scene.names
    for place, span in enumerate(spans):
        x, y = left + place * columns.apart - shift, _MARGIN - span[0] * PITCH
        parts.append(f'<g transform="translate({number(x)} {number(y)})">')
        parts += _edges(graph, shown, written, span)
        for box in sorted(shown):
            if span[0] <= layout.layers[box] < span[1]:
                drawn = _box(scene, graph, box, names)
                parts += drawn if lit is None or box in lit else _faded(drawn)
        parts.append("</g>")
    if note:
        height += 24
        parts.append(text(_MARGIN, height - 12, note, f'fill="{MUTED}"'))
    if not layout.layers:
        parts.append(text(_MARGIN, 34, "the graph is empty", f'fill="{MUTED}"'))
    return document(width, height, f"Graph of {scene.title}", parts)


def _middle(layout: GraphLayout, wide: float) -> float:
    """Return where to cut a drawing that is too wide, so that most layers have their middle."""
    if layout.width <= wide:
        return 0.0
    return min(max(0.0, float(np.median(layout.centres)) - wide / 2), layout.width - wide)


def graph_parts(scene: Scene, graph: GraphDrawing, width: float, height: float) -> Iterator[str]:
    """Draw the whole graph as the live view shows it at first, in a given size."""
    deep = max(1.0, graph.layout.height)
    left, scale = _home(scene, graph, width, height)
    has_strip = width > 6 * _STRIP["width"] and deep * scale > _STRIP["longer"] * height
    if has_strip:
        left, scale = _home(scene, graph, width - _STRIP["width"], height)
        has_strip = deep * scale > _STRIP["longer"] * height
    yield f'<g transform="translate({number(left)} {number(_MARGIN)}) scale({scale:.6f})">'
    shown = set(range(len(graph.layout.layers)))
    yield from _edges(graph, shown, place_dims(graph, shown))
    names = scene.names
    for box in sorted(shown):
        yield from _box(scene, graph, box, names)
    yield "</g>"
    if has_strip:
        yield from _strip(scene, graph, scale, width, height)


def _home(scene: Scene, graph: GraphDrawing, room: float, height: float) -> tuple[float, float]:
    """Return where the drawing begins, and its scale, so that its names can be read."""
    wide, deep = max(1.0, graph.layout.width), max(1.0, graph.layout.height)
    free = height - 2 * _MARGIN
    across = (room - 2 * _MARGIN) / wide
    is_shallow = scene.blocks is None and deep * _SIZES["shallow"] <= free
    least = _SIZES["smallest"] if is_shallow else _SIZES["legible"]
    scale = min(1.0, max(min(across, free / deep), min(across, _SIZES["whole"]), least))
    left = (room - wide * scale) / 2
    if wide * scale > room:
        first = room / 2 - graph.layout.centres[0] * scale
        left = min(max(first, room - _MARGIN - wide * scale), _MARGIN)
    return left, scale


def _strip(
    scene: Scene, graph: GraphDrawing, scale: float, width: float, height: float
) -> Iterator[str]:
    """Draw the whole graph in a narrow strip, with a frame around what the panel shows."""
    layout, inset, least = graph.layout, _STRIP["inset"], _STRIP["least"]
    left = width - _STRIP["width"]
    yield rect(left, 0, _STRIP["width"], height, f'fill="{PAPER}"')
    yield rect(left, 0, 1, height, f'fill="{LINE}"')
    down = (height - 2 * inset) / max(1.0, layout.height)
    across = (_STRIP["width"] - 2 * inset) / max(1.0, layout.width)
    for box in range(graph.nodes):
        wide = max(least, layout.widths[box] * across)
        x = max(left + 1, left + inset + layout.centres[box] * across - wide / 2)
        y, high = inset + layout.layers[box] * PITCH * down, max(1, HEIGHT * down)
        yield rect(x, y, wide, high, f'fill="{_colour(scene, graph, box)}"')
    top = max(1.0, inset - _MARGIN / scale * down)
    bottom = min(height - 1, inset + (height - _MARGIN) / scale * down)
    frame = f'stroke="{ACCENT}" stroke-width="{_STRIP["line"]}" rx="{_STRIP["radius"]}"'
    yield rect(left + 1, top, _STRIP["width"] - 2, bottom - top, f'fill="none" {frame}')


def _colour(scene: Scene, graph: GraphDrawing, box: int) -> str:
    node = scene.box(graph, box)
    return colour_of(node.type) if node.node < 0 else node_colour(scene.nodes[node.node])


def _first_layer(layers: Sequence[int], most: int, lit: Collection[int]) -> int:
    """Start above the first node that is lit, if it would not be seen from the top."""
    start = min((layers[box] for box in lit), default=0)
    return 0 if start < most // 2 else min(start - 1, max(0, max(layers) + 1 - most))


def _edges(
    graph: GraphDrawing,
    shown: set[int],
    written: Iterable[tuple[int, float, str]],
    span: tuple[int, int] | None = None,
) -> Iterator[str]:
    """Draw the edges between boxes that are shown and their dims; of a column, if one is given."""
    layout, style = graph.layout, _SIZES["edge"]
    half, high = style["arrow"]
    dashed = f' stroke-dasharray="{" ".join(map(str, style["dash"]))}"'
    yield f'<g fill="none" stroke="{MUTED}" stroke-width="{style["width"]}" '
    yield f'stroke-opacity="{style["alpha"]}">'
    heads: list[str] = []
    for edge, route in zip(graph.edges, layout.routes, strict=True):
        if edge.source not in shown or edge.target not in shown:
            continue
        first, last = layout.layers[edge.source], layout.layers[edge.target]
        dash = dashed if route.back else ""
        start, stop = span or (0, max(layout.layers) + 1)
        is_whole = start <= min(first, last) and max(first, last) < stop
        path = (
            _path(route, first, last)
            if is_whole
            else broken_path(route, first, last, (start, stop))
        )
        if path:
            yield f'<path d="{path}"{dash}/>'
        if not path or not start <= last < stop:
            continue
        x, y = number(route.across[-1]), number(last * PITCH)
        heads.append(f'<path d="M{x} {y}l-{half} -{high}h{2 * half:g}z"/>')
    for box, left, label in written:
        if span and not span[0] <= layout.layers[box] < span[1]:
            continue
        below = layout.layers[box] * PITCH + HEIGHT + 12
        heads.append(text(left, below, label, f'font-size="{number(_DIMS_SIZE)}" {_HALO}'))
    yield f'</g><g fill="{MUTED}">{"".join(heads)}</g>'


def _path(route: Route, first: int, last: int) -> str:
    """Write the route of an edge: straight beside nodes, curved between layers."""
    half = (PITCH - HEIGHT) / 2
    bottom, top = first * PITCH + HEIGHT, last * PITCH
    across = [number(x) for x in route.across]
    start = f"M{across[0]} {number(bottom)}"
    if route.back:
        source, side, target = across
        under, over = number(bottom + half), number(top - half)
        return (
            f"{start}C{source} {under} {side} {under} {side} {number(bottom - half)}"
            f"L{side} {number(top + half)}C{side} {over} {target} {over} {target} {number(top)}"
        )
    if len(across) != last - first + 1:
        return f"{start}L{across[-1]} {number(top)}"
    path = [start]
    for step, (before, x) in enumerate(pairwise(across), first + 1):
        y = step * PITCH
        middle = number(y - half)
        if step > first + 1:
            path.append(f"V{number(y - PITCH + HEIGHT)}")
        path.append(f"C{before} {middle} {x} {middle} {x} {number(y)}")
    return "".join(path)


def _box(scene: Scene, graph: GraphDrawing, box: int, names: Names) -> Iterator[str]:
    return _node(scene, graph, box, names) if box < graph.nodes else _terminal(graph, box)


def _node(scene: Scene, graph: GraphDrawing, box: int, names: Names) -> Iterator[str]:
    node = scene.box(graph, box)
    left, top, right, _ = graph.layout.box(box)
    colour = _colour(scene, graph, box)
    yield rect(
        left, top, right - left, HEIGHT, f'rx="{_SIZES["radius"]}" fill="{PAPER}" stroke="{colour}"'
    )
    yield rect(left, top + 5, _SIZES["stripe"], HEIGHT - 10, f'fill="{colour}"')
    room = right - left - 20
    yield text(
        left + _SIZES["indent"],
        top + 18,
        names.fit(node.name, room),
        f'font-weight="600" fill="{INK}"',
    )
    yield text(
        left + _SIZES["indent"],
        top + 32,
        fit(node.type, room, _TYPE),
        f'font-size="{_TYPE}" fill="{MUTED}"',
    )


def _faded(parts: Iterator[str]) -> Iterator[str]:
    yield '<g opacity="0.25">'
    yield from parts
    yield "</g>"


def _terminal(graph: GraphDrawing, box: int) -> Iterator[str]:
    end = graph.terminals[box - graph.nodes]
    left, top, right, _ = graph.layout.box(box)
    extra = f'rx="{number(HEIGHT / 2)}" fill="{PAPER}" stroke="{MUTED}" stroke-dasharray="3 3"'
    yield rect(left, top, right - left, HEIGHT, extra)
    middle, room = (left + right) / 2, right - left - 12
    yield text(middle, top + 18, fit(end.label, room), f'{CENTRED} font-weight="600"')
    if end.dims:
        style = f'{CENTRED} font-size="{_TYPE}" fill="{MUTED}"'
        yield text(middle, top + 32, fit(end.dims, room, _TYPE), style)


_DIMS = PANELS["graph"]["dims"]
_DIMS_SIZE = float(_DIMS["font"])  # of the letters, in pixels
_TURNED, _ASIDE, _APART = (float(_DIMS[each]) for each in ("turned", "aside", "apart"))


def place_dims(graph: GraphDrawing, shown: Collection[int]) -> Iterator[tuple[int, float, str]]:
    """List box, left side and text of the dims of each box that is shown."""
    layout = graph.layout
    taken = _spans(graph, shown)
    named: set[int] = set()
    for edge in graph.edges:
        box = edge.source
        if box in named or box >= graph.nodes:
            continue
        if box not in shown or edge.target not in shown:
            continue
        named.add(box)
        label = fit(edge.label, layout.widths[box] / 2 + _DIMS["room"], _DIMS_SIZE)
        if label:
            spans = taken[layout.layers[box]]
            left = _free_place(layout, box, width_of(label, _DIMS_SIZE), spans)
            spans.add(left, left + width_of(label, _DIMS_SIZE))
            yield box, left, label


class _Spans:
    """Spans that are taken in a layer, as arrays: wide layers have thousands."""

    def __init__(self) -> None:
        self._table = np.empty((2, 16))
        self._count = 0

    def add(self, start: float, end: float) -> None:
        if self._count == self._table.shape[1]:
            self._table = np.concatenate([self._table, np.empty_like(self._table)], axis=1)
        self._table[:, self._count] = start, end
        self._count += 1

    def reach(self, centre: float, near: float) -> tuple[float, float]:
        """Return the ends of the spans that start less than ``near`` from a centre."""
        table = self._table[:, : self._count]
        own = table[:, np.abs(table[0] - centre) < near]
        return (float(own.min()), float(own.max())) if own.size else (centre, centre)

    def has_room(self, left: float, right: float) -> bool:
        """Tell whether all spans are apart from this one."""
        table = self._table[:, : self._count]
        low, high = table.min(axis=0), table.max(axis=0)
        return bool(((high + _APART < left) | (right + _APART < low)).all())


def _free_place(layout: GraphLayout, box: int, width: float, spans: _Spans) -> float:
    """Find a place to the right, else to the left, else past the edges of the box itself."""
    centre = layout.centres[box]
    lowest, highest = spans.reach(centre, layout.widths[box] / 2)
    places = [centre + _ASIDE, centre - _ASIDE - width, highest + _ASIDE, lowest - _ASIDE - width]
    for left in places:
        if spans.has_room(left, left + width):
            return left
    return places[0]


def _spans(graph: GraphDrawing, shown: Collection[int]) -> dict[int, _Spans]:
    """Return for each layer what edges take up just below its boxes."""
    layout = graph.layout
    taken: dict[int, _Spans] = defaultdict(_Spans)
    for edge, route in zip(graph.edges, layout.routes, strict=True):
        if edge.source not in shown or edge.target not in shown:
            continue
        first, last = layout.layers[edge.source], layout.layers[edge.target]
        if route.back:
            for layer in range(last, first):
                taken[layer].add(route.across[1], route.across[1])
        steps = pairwise(route.across[:2] if route.back else route.across)
        for layer, (start, end) in enumerate(steps, first):
            taken[layer].add(start, start + _TURNED * (end - start))
    return taken
