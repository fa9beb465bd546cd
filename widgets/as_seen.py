"""Panels drawn as the live view shows them at first: the same places, sizes and colours.

They are what the canvases of the browser are compared with. The constants are those of the
front-end; a change there is a change here.
"""

from __future__ import annotations

from collections.abc import Iterator

from aidge_nb.widgets.as_seen_rows import bars_of, nice_marks, rows_parts
from aidge_nb.widgets.as_seen_tiles import tiles_parts
from aidge_nb.widgets.scene import GraphDrawing, MemoryMap, Scene
from aidge_nb.widgets.svg import no_picture
from aidge_nb.widgets.svg_charts import charts_parts
from aidge_nb.widgets.svg_graph import graph_parts
from aidge_nb.widgets.svg_parts import (
    AT_END,
    CENTRED,
    INK,
    LINE,
    MUTED,
    SMALL,
    WARN,
    document,
    line,
    node_colour,
    number,
    rect,
    text,
)
from aidge_nb.widgets.text import size_text

__all__ = ["draw_as_seen"]

_MARGIN, _LEGIBLE = 18.0, 0.6


def draw_as_seen(scene: Scene, panel: str, width: int, height: int) -> str:
    """Draw a panel of some size as SVG text.

    Raises
    ------
    AidgeError
        When the scene has nothing for this panel, or it is not drawn on a canvas.
    """
    parts: list[str] = []
    bars = bars_of(scene, panel)
    if bars is not None:
        parts += rows_parts(scene, bars, width, height)
    elif panel == "graph" and scene.graph is not None:
        parts += _graph(scene, scene.graph, width, height)
    elif panel == "memory" and scene.memory is not None:
        parts += _memory(scene, scene.memory, width, height)
    elif panel == "tiling" and scene.tiles is not None:
        parts += tiles_parts(scene, scene.tiles, width, height)
    elif panel == "charts" and scene.charts:
        parts += charts_parts(scene, width, height)
    else:
        raise no_picture(scene, panel)
    return document(width, height, f"{panel} of {scene.title}", parts)


def _graph(scene: Scene, graph: GraphDrawing, width: int, height: int) -> Iterator[str]:
    wide, deep = max(1.0, graph.layout.width), max(1.0, graph.layout.height)
    across = (width - 2 * _MARGIN) / wide
    whole = min(across, (height - 2 * _MARGIN) / deep)
    least = 0.15 if deep * 0.4 <= height - 2 * _MARGIN else _LEGIBLE
    scale = min(1.0, max(whole, min(across, 0.8), least))
    left = (width - wide * scale) / 2
    if wide * scale > width:
        first = width / 2 - graph.layout.centres[0] * scale
        left = min(max(first, width - _MARGIN - wide * scale), _MARGIN)
    yield f'<g transform="translate({number(left)} {number(_MARGIN)}) scale({scale:.6f})">'
    yield from graph_parts(scene, graph, set(range(len(graph.layout.layers))))
    yield "</g>"


def _memory(scene: Scene, memory: MemoryMap, width: int, height: int) -> Iterator[str]:
    left, right, top, bottom = 66.0, 10.0, 10.0, 26.0
    wide, high = width - left - right, height - top - bottom
    ticks = max(1, int(memory.upper.max(initial=0)), int(memory.tick_node.size))
    most = max(1, memory.peak, memory.lower_bound) * 1.08
    across, base = wide / ticks, top + high
    up = high / most
    for address in _sizes(most, high / 34):
        at = round(base - address * up) + 0.5
        yield line(left, at, width - right, at, f'stroke="{LINE}" stroke-opacity="0.6"')
        yield text(left - 8, base - address * up + 4, size_text(address), f"{SMALL} {AT_END}")
    for tick in nice_marks(0, ticks, wide / 64):
        if tick * across < wide - 40:
            yield text(left + tick * across, base + 18, str(tick), f"{SMALL} {CENTRED}")
    yield text(width - right, base + 18, "tick", f"{SMALL} {AT_END}")
    for tick, reach in enumerate(_reached(memory)):
        if reach:
            hole = f'fill="{MUTED}" fill-opacity="0.16"'
            yield rect(left + tick * across, base - reach * up, across, reach * up, hole)
    for buffer in range(len(memory)):
        x = left + int(memory.lower[buffer]) * across
        stop = int(memory.offset[buffer] + memory.size[buffer])
        y = base - stop * up
        size = int(memory.upper[buffer] - memory.lower[buffer]) * across
        tall = int(memory.size[buffer]) * up
        colour = node_colour(scene.nodes[int(memory.node[buffer])])
        yield rect(x, y, max(1.0, size), max(1.0, tall), f'fill="{colour}"')
        if size > 3 and tall > 3:
            yield rect(x + 0.5, y + 0.5, size - 1, tall - 1, 'fill="none" stroke="#fff"')
    for address, colour, dash in ((memory.peak, WARN, "7 4"), (memory.lower_bound, INK, "2 3")):
        if colour == INK and memory.peak == memory.lower_bound:
            continue
        at = round(base - address * up) + 0.5
        dashed = f'stroke="{colour}" stroke-width="1.5" stroke-dasharray="{dash}"'
        yield line(left, at, width - right, at, dashed)
    corner = f"M{number(left - 0.5)} {number(top)}V{number(base + 0.5)}H{number(width - right)}"
    yield f'<path d="{corner}" fill="none" stroke="{MUTED}"/>'


def _sizes(most: float, count: float) -> list[int]:
    """Give the marks that the browser gives an axis of bytes."""
    rough = max(1.0, most / max(1.0, count))
    unit = 1
    while unit * 1024 <= rough:
        unit *= 1024
    step = next((part * unit for part in (2**n for n in range(11)) if part * unit >= rough), unit)
    return list(range(0, int(most) + 1, step))


def _reached(memory: MemoryMap) -> list[int]:
    """Give the highest address in use at each tick; below it, what no buffer takes is a hole."""
    found = [0] * int(memory.tick_node.size)
    for lower, upper, offset, size in zip(
        *(column.tolist() for column in (memory.lower, memory.upper, memory.offset, memory.size)),
        strict=True,
    ):
        for tick in range(lower, min(upper, len(found))):
            found[tick] = max(found[tick], offset + size)
    return found
