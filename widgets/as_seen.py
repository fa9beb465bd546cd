"""Panels drawn as the live view shows them at first: the same places, sizes and colours.

They are what the canvases of the browser are compared with. The constants are those of the
front-end; a change there is a change here.
"""

from __future__ import annotations

from collections.abc import Iterator

from aidge_nb.errors import AidgeError, explain
from aidge_nb.widgets.scene import GraphDrawing, MemoryMap, Scene, Timeline
from aidge_nb.widgets.svg_graph import graph_parts
from aidge_nb.widgets.svg_parts import (
    INK,
    LINE,
    MUTED,
    WARN,
    colour_of,
    document,
    fit,
    number,
    rect,
    text,
)

__all__ = ["AS_SEEN", "draw_as_seen"]

AS_SEEN = ("graph", "timeline", "memory")
"""Panels that can be drawn like that."""

_FAINT = 'fill="#141e32" fill-opacity="0.035"'
_MARGIN = 18.0
_HIGHEST_ROW, _LOWEST_ROW, _SCROLLBAR = 24.0, 17.0, 6.0


def draw_as_seen(scene: Scene, panel: str, width: int, height: int) -> str:
    """Draw a panel of some size as SVG text.

    Raises
    ------
    AidgeError
        When the scene has nothing for this panel, or it is not drawn on a canvas.
    """
    if panel == "graph" and scene.graph is not None:
        parts = list(_graph(scene, scene.graph, width, height))
    elif panel == "timeline" and scene.timeline is not None:
        parts = list(_timeline(scene, scene.timeline, width, height))
    elif panel == "memory" and scene.memory is not None:
        parts = list(_memory(scene, scene.memory, width, height))
    else:
        problem = "this panel cannot be drawn as it is seen"
        expected = f"one of {', '.join(AS_SEEN)}, where the scene has them"
        raise AidgeError(explain(scene.title, problem, expected=expected, found=panel))
    return document(width, height, f"{panel} of {scene.title}", parts)


def _graph(scene: Scene, graph: GraphDrawing, width: int, height: int) -> Iterator[str]:
    wide, deep = max(1.0, graph.layout.width), max(1.0, graph.layout.height)
    across = (width - 2 * _MARGIN) / wide
    whole = min(across, (height - 2 * _MARGIN) / deep)
    scale = min(1.0, max(whole, min(across, 0.8), 0.4))
    left = (width - wide * scale) / 2
    if wide * scale > width:
        left = width / 2 - graph.layout.centres[0] * scale
    yield f'<g transform="translate({number(left)} {number(_MARGIN)}) scale({scale:.6f})">'
    yield from graph_parts(scene, graph, set(range(len(graph.layout.layers))))
    yield "</g>"


def _nice(start: float, stop: float, most: float) -> list[int]:
    """Give the marks that the browser gives an axis."""
    rough = (stop - start) / max(1.0, most)
    power = 1
    while power * 10 <= rough:
        power *= 10
    step = next((unit * power for unit in (1, 2, 5, 10) if unit * power >= rough), 10 * power)
    first = -(-start // step)
    return [int(mark * step) for mark in range(int(first), int(stop // step) + 1)]


def _timeline(scene: Scene, timeline: Timeline, width: int, height: int) -> Iterator[str]:
    gutter = round(min(200.0, max(84.0, width * 0.24)))
    top, plot = 24.0, width - gutter - _SCROLLBAR - 4
    shown = [place for place, row in enumerate(timeline.rows) if not row.producer]
    row_height = min(_HIGHEST_ROW, max(_LOWEST_ROW, (height - top) / max(1, len(shown))))
    known = [bar for bar in range(len(timeline)) if not timeline.rows[timeline.row[bar]].producer]
    begin = min((int(timeline.early[bar]) for bar in known), default=0)
    end = max((int(timeline.late[bar]) + 1 for bar in known), default=1)
    scale = plot / (end - begin)
    place_of = {row: place for place, row in enumerate(shown)}
    for place in range(1, len(shown), 2):
        yield rect(0, top + place * row_height, width, row_height, _FAINT)
    for mark in _nice(begin, end, plot / 64):
        at = number(round(gutter + (mark - begin) * scale) + 0.5)
        line = f'stroke="{LINE}" stroke-opacity="0.6"'
        yield f'<line x1="{at}" x2="{at}" y1="{number(top)}" y2="{height}" {line}/>'
    inset = min(1.0, scale * 0.08)
    for bar in known:
        y = top + place_of[int(timeline.row[bar])] * row_height
        early, late = int(timeline.early[bar]), int(timeline.late[bar])
        colour = f'fill="{colour_of(timeline.rows[timeline.row[bar]].type)}"'
        x = round((early - begin) * scale) + gutter
        if late > early:
            tail = round((late + 1 - begin) * scale - inset) + gutter
            yield _bar(x, tail, y, row_height, min(3.0, max(1.0, row_height * 0.14)), colour)
            yield _bar(tail - 2, tail, y, row_height, row_height * 0.4, colour)
        right = round((early + 1 - begin) * scale - inset) + gutter
        part = 0.4 if late > early else 0.7
        yield _bar(x, right, y, row_height, row_height * part, colour)
    yield rect(0, top, gutter - 6, height - top, 'fill="#fff"')
    for place, row in enumerate(shown):
        y, own = top + place * row_height, timeline.rows[row]
        chip = f'fill="{colour_of(own.type)}"'
        yield rect(4, y + row_height * 0.2, 3, row_height * 0.6, chip)
        yield text(12, y + row_height / 2 + 4, fit(own.name, gutter - 20, 12, scene.shared))
    edge, line = number(gutter - 5.5), f'stroke="{LINE}"'
    yield f'<line x1="{edge}" x2="{edge}" y1="{number(top)}" y2="{height}" {line}/>'
    yield f'<line x1="0" x2="{width}" y1="{number(top - 0.5)}" y2="{number(top - 0.5)}" {line}/>'


def _bar(x: float, right: float, y: float, row: float, height: float, colour: str) -> str:
    high = max(1, round(height))
    return rect(x, round(y + (row - height) / 2), max(1.0, right - x), high, colour)


def _memory(scene: Scene, memory: MemoryMap, width: int, height: int) -> Iterator[str]:
    left, right, top, bottom = 66.0, 10.0, 10.0, 26.0
    wide, high = width - left - right, height - top - bottom
    ticks = max(1, int(memory.upper.max(initial=0)), int(memory.tick_node.size))
    most = max(1, memory.peak, memory.lower_bound) * 1.08
    across, base = wide / ticks, top + high
    up = high / most
    for address in _sizes(most, high / 34):
        at = number(round(base - address * up) + 0.5)
        line = f'stroke="{LINE}" stroke-opacity="0.6"'
        ends = f'x1="{number(left)}" x2="{number(width - right)}" y1="{at}" y2="{at}"'
        yield f"<line {ends} {line}/>"
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
        colour = colour_of(scene.nodes[int(memory.node[buffer])].type)
        yield rect(x, y, max(1.0, size), max(1.0, tall), f'fill="{colour}"')
        if size > 3 and tall > 3:
            yield rect(x + 0.5, y + 0.5, size - 1, tall - 1, 'fill="none" stroke="#fff"')
    for address, colour, dash in ((memory.peak, WARN, "7 4"), (memory.lower_bound, INK, "2 3")):
        if colour == INK and memory.peak == memory.lower_bound:
            continue
        at = number(round(base - address * up) + 0.5)
        ends = f'x1="{number(left)}" x2="{number(width - right)}" y1="{at}" y2="{at}"'
        yield f'<line {ends} stroke="{colour}" stroke-width="1.5" stroke-dasharray="{dash}"/>'
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
