"""Panels drawn as the live view shows them at first: the same places, sizes and colours.

They are what the canvases of the browser are compared with. The constants are those of the
front-end; a change there is a change here.
"""

from __future__ import annotations

from collections.abc import Iterator

from aidge_nb.widgets.scene.scene import GraphDrawing, Scene
from aidge_nb.widgets.still.svg.as_seen_memory import memory_parts
from aidge_nb.widgets.still.svg.as_seen_rows import bars_of, rows_parts
from aidge_nb.widgets.still.svg.as_seen_tiles import tiles_parts
from aidge_nb.widgets.still.svg.charts import charts_parts
from aidge_nb.widgets.still.svg.graph import graph_parts
from aidge_nb.widgets.still.svg.parts import document, number
from aidge_nb.widgets.still.svg.picture import no_picture

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
        parts += memory_parts(scene, scene.memory, width, height)
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
