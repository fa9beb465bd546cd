"""The wire format of a scene: strings as one JSON value, numbers as packed columns.

The reader is ``frontend/src/payload.ts``; a change here is a change there, and a new version.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.widgets.scene.parts import KINDS
from aidge_nb.widgets.wire.columns import pack
from aidge_nb.widgets.wire.meta import meta_of

if TYPE_CHECKING:
    from aidge_nb.widgets.scene.graph_drawing import GraphDrawing
    from aidge_nb.widgets.scene.nest import Nest
    from aidge_nb.widgets.scene.parts import MemoryMap
    from aidge_nb.widgets.scene.scene import Scene

_BOX = ("tile", "map", "halo", "top", "bottom", "left", "right")


def encode(scene: Scene) -> tuple[dict[str, Any], bytes]:
    """Write a scene for the browser: a JSON value, and the bytes that its columns lie in."""
    table, data = pack(dict(_columns(scene)))
    return {**meta_of(scene), "columns": table}, data


def _drawing_columns(scene: Scene) -> Iterator[tuple[str, NDArray[Any]]]:
    for drawing, prefix in ((scene.graph, ""), (scene.inside, "inside.")):
        if drawing is not None:
            yield from _graph_columns(drawing, prefix)
    if scene.blocks is not None:
        yield from _graph_columns(scene.blocks.drawing, "block.")
        yield "block.member", np.array(scene.blocks.member, np.int64)


def _columns(scene: Scene) -> Iterator[tuple[str, NDArray[Any]]]:
    timeline, memory = scene.timeline, scene.memory
    yield from _drawing_columns(scene)
    if timeline is not None:
        yield "row.node", np.array([row.node for row in timeline.rows], np.int64)
        yield "row.producer", np.array([row.producer for row in timeline.rows], np.int64)
        if not timeline.is_abridged:
            yield "bar.row", timeline.row
            yield "bar.early", timeline.early
            yield "bar.slack", timeline.late - timeline.early
        yield from _nest_columns(timeline.nest)
    if scene.measured is not None:
        yield "measured.row", scene.measured.row
        yield "measured.early", scene.measured.start
        yield "measured.length", scene.measured.duration
    if scene.devices is not None:
        yield "devices.row", scene.devices.row
        yield "devices.early", scene.devices.start
        yield "devices.length", scene.devices.length
        yield "devices.node", scene.devices.node
        if scene.devices.work is not None:
            yield "devices.work", scene.devices.work
    if scene.tiles is not None:
        for place, name in enumerate(_BOX):
            yield f"tile.{name}", scene.tiles.boxes[:, place]
    if memory is not None:
        yield from _memory_columns(memory, "buffer")
        yield "tick.node", memory.tick_node
        yield "tick.step", memory.tick_step
        if memory.other is not None:
            yield from _memory_columns(memory.other, "other")
        weights = np.array([node.weight_bytes for node in scene.nodes], np.int64)
        if weights.any() and KINDS.index("producer") not in memory.kind:
            yield "weight.size", weights


def _graph_columns(graph: GraphDrawing, prefix: str) -> Iterator[tuple[str, NDArray[Any]]]:
    layout = graph.layout
    lengths = [len(route.across) for route in layout.routes]
    across = [point for route in layout.routes for point in route.across]
    if graph.boxes:
        yield f"{prefix}box.node", np.array([box.node for box in graph.boxes], np.int64)
    yield f"{prefix}box.layer", np.array(layout.layers, np.int64)
    yield f"{prefix}box.x", np.array(layout.centres, np.float32)
    yield f"{prefix}box.width", np.array(layout.widths, np.float32)
    yield f"{prefix}edge.source", np.array([edge.source for edge in graph.edges], np.int64)
    yield f"{prefix}edge.target", np.array([edge.target for edge in graph.edges], np.int64)
    yield f"{prefix}edge.back", np.array([route.back for route in layout.routes], np.int64)
    yield f"{prefix}edge.points", np.array(lengths, np.int64)
    yield f"{prefix}route.x", np.array(across, np.float32)


def _memory_columns(memory: MemoryMap, prefix: str) -> Iterator[tuple[str, NDArray[Any]]]:
    for name in ("node", "kind", "lower", "upper", "offset", "size"):
        yield f"{prefix}.{name}", getattr(memory, name)
    if memory.whole is not None:
        yield f"{prefix}.whole", memory.whole


def _nest_columns(nest: Nest | None) -> Iterator[tuple[str, NDArray[Any]]]:
    """Give the loop nest of a schedule; nothing where nothing is repeated."""
    if nest is None or not nest.loops:
        return
    yield "nest.row", nest.row
    yield "nest.early", nest.early
    yield "nest.slack", nest.late - nest.early
    for name in ("count", "start", "stop", "parent"):
        yield f"loop.{name}", np.array([getattr(loop, name) for loop in nest.loops], np.int64)
    shifts = [shift for loop in nest.loops for shift in loop.shifts]
    table = np.array(shifts, np.int64).reshape(-1, 3)
    yield "loop.shifts", np.array([len(loop.shifts) for loop in nest.loops], np.int64)
    for place, name in enumerate(("row", "early", "late")):
        yield f"shift.{name}", table[:, place]
