"""Break a drawn graph into columns, as a text is broken: read down, then on at the top.

An edge that leads from one column to another ends in a stub below the one, and begins with a stub
above the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import ceil, sqrt

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.layout.layered import HEIGHT, PITCH, Route
from aidge_nb.widgets.scene.graph_drawing import Box, GraphDrawing
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.shared import PANELS
from aidge_nb.widgets.still.svg.page import NARROW
from aidge_nb.widgets.still.svg.parts import number

MOST_LAYERS = 240
BRIEF_LAYERS, _TALLEST = 10, 16
"""Layers of a column where all have to fit a page, A4 on its side or, with the second, upright."""

_WIDEST = 4000.0
_TALLER = 1.4
_STUB = 14.0


@dataclass(frozen=True, slots=True)
class Columns:
    """How a graph is broken: ``rows`` layers a column, columns ``apart`` pixels from each other."""

    count: int
    rows: int
    apart: float

    def spans(self, first: int, layers: int) -> Iterator[tuple[int, int]]:
        """List the layers of each column, half-open, from ``first`` on."""
        end = first + min(layers, self.count * self.rows)
        for start in range(first, end, self.rows):
            yield start, min(start + self.rows, end)


def columns_of(layers: int, wide: float, *, brief: bool) -> Columns:
    """Choose columns: as many as a page holds if ``brief``, else such that all is page-shaped.

    Examples
    --------
    >>> columns_of(30, 280.0, brief=True)
    Columns(count=3, rows=10, apart=280.0)
    >>> columns_of(155, 280.0, brief=False)
    Columns(count=6, rows=26, apart=280.0)
    >>> columns_of(80, 2000.0, brief=True)
    Columns(count=1, rows=16, apart=2000.0)
    """
    if brief:
        count = max(1, min(ceil(layers / BRIEF_LAYERS), int(NARROW / wide)))
        rows = min(_TALLEST if count == 1 else BRIEF_LAYERS, ceil(layers / count))
        return Columns(count, max(1, rows), wide)
    layers = min(layers, MOST_LAYERS)
    rows = max(BRIEF_LAYERS, round(sqrt(layers * wide / PITCH * _TALLER)))
    count = max(1, min(ceil(layers / rows), int(_WIDEST / wide)))
    return Columns(count, max(1, ceil(layers / count)), wide)


def closed_blocks(scene: Scene, graph: GraphDrawing) -> GraphDrawing:
    """Return the graph with its blocks as one box each, where it is large; else as it is."""
    blocks = scene.blocks
    if blocks is None or graph.nodes <= PANELS["column"]["few"]:
        return graph
    owner = {box: node for node, box in enumerate(blocks.member)}
    several = {box for box in owner if blocks.member.count(box) > 1}
    boxes = tuple(
        Box(name, kind, -1 if box in several else owner.get(box, -1))
        for box, (name, kind) in enumerate(zip(blocks.names, blocks.types, strict=True))
    )
    return replace(blocks.drawing, boxes=boxes)


def broken_path(route: Route, first: int, last: int, span: tuple[int, int]) -> str:
    """Write what a column shows of an edge between two layers, which does not lie in it whole."""
    start, stop = span
    if route.back or len(route.across) != last - first + 1:
        return ""
    half = (PITCH - HEIGHT) / 2
    path = ""
    for step, (before, x) in enumerate(pairwise(route.across), first + 1):
        top, bottom = step * PITCH, (step - 1) * PITCH + HEIGHT
        through = bottom - HEIGHT if step > first + 1 else bottom
        if step == start:
            path += f"M{number(x)} {number(top - _STUB)}V{number(top)}"
        elif step == stop:
            path += f"M{number(before)} {number(through)}V{number(bottom + _STUB)}"
        elif start < step < stop:
            middle = number(top - half)
            path += f"M{number(before)} {number(through)}V{number(bottom)}"
            path += f"C{number(before)} {middle} {number(x)} {middle} {number(x)} {number(top)}"
    return path
