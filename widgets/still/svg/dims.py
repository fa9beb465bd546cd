"""Place the dims of edges in the picture of a graph, where no edge runs through them.

The text lies just below a box. There, an edge has hardly left the place from which it comes, so
what it takes up is a short span; a text has a place beside all spans and all texts before it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import pairwise

from aidge_nb.widgets.layout.layered import Layout
from aidge_nb.widgets.scene.scene import GraphDrawing
from aidge_nb.widgets.shared import PANELS
from aidge_nb.widgets.still.svg.parts import fit
from aidge_nb.widgets.text import width_of

_SIZES = PANELS["graph"]["dims"]
SIZE = float(_SIZES["font"])  # of the letters, in pixels
_TURNED, _ASIDE, _APART = (float(_SIZES[each]) for each in ("turned", "aside", "apart"))

Span = tuple[float, float]


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
        label = fit(edge.label, layout.widths[box] / 2 + _SIZES["room"], SIZE)
        if label:
            spans = taken[layout.layers[box]]
            left = _place(layout, box, width_of(label, SIZE), spans)
            spans.append((left, left + width_of(label, SIZE)))
            yield box, left, label


def _place(layout: Layout, box: int, width: float, spans: list[Span]) -> float:
    """Find a place to the right, else to the left, else past the edges of the box itself."""
    centre = layout.centres[box]
    near = [span for span in spans if abs(span[0] - centre) < layout.widths[box] / 2]
    lowest = min((min(span) for span in near), default=centre)
    highest = max((max(span) for span in near), default=centre)
    places = [centre + _ASIDE, centre - _ASIDE - width, highest + _ASIDE, lowest - _ASIDE - width]
    for left in places:
        if all(max(span) + _APART < left or left + width + _APART < min(span) for span in spans):
            return left
    return places[0]


def _spans(graph: GraphDrawing, shown: Collection[int]) -> dict[int, list[Span]]:
    """Return for each layer what edges take up just below its boxes."""
    layout = graph.layout
    taken: dict[int, list[Span]] = defaultdict(list)
    for edge, route in zip(graph.edges, layout.routes, strict=True):
        if edge.source not in shown or edge.target not in shown:
            continue
        first, last = layout.layers[edge.source], layout.layers[edge.target]
        if route.back:
            for layer in range(last, first):
                taken[layer].append((route.across[1], route.across[1]))
        steps = pairwise(route.across[:2] if route.back else route.across)
        for layer, (start, end) in enumerate(steps, first):
            taken[layer].append((start, start + _TURNED * (end - start)))
    return taken
