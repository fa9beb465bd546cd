"""The wire format of a scene: strings as one JSON value, numbers as packed columns.

The reader is ``frontend/src/payload.ts``; a change here is a change there, and a new version.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.widgets.columns import pack
from aidge_nb.widgets.layout import HEIGHT, PITCH
from aidge_nb.widgets.palette import FAMILIES
from aidge_nb.widgets.scene_parts import KINDS

if TYPE_CHECKING:
    from aidge_nb.widgets.graph_drawing import GraphDrawing
    from aidge_nb.widgets.nest import Nest
    from aidge_nb.widgets.scene import Scene
    from aidge_nb.widgets.scene_parts import MemoryMap

__all__ = ["VERSION", "encode"]

VERSION = 2

_BOX = ("tile", "map", "halo", "top", "bottom", "left", "right")


def encode(scene: Scene) -> tuple[dict[str, Any], bytes]:
    """Write a scene for the browser: a JSON value, and the bytes that its columns lie in."""
    table, data = pack(dict(_columns(scene)))
    return {**_meta(scene), "columns": table}, data


def _meta(scene: Scene) -> dict[str, Any]:
    """Collect the strings, and the few numbers that are not columns."""
    graph, timeline, memory = scene.graph, scene.timeline, scene.memory
    return {
        "version": VERSION,
        "title": scene.title,
        "panels": list(scene.panels),
        "families": [[family.name, family.light, family.dark] for family in FAMILIES],
        "kinds": list(KINDS),
        "nodes": {
            "name": [node.name for node in scene.nodes],
            "type": [node.type for node in scene.nodes],
            "family": [node.colours for node in scene.nodes],
            "parameters": [node.parameters for node in scene.nodes],
            "macs": [node.macs for node in scene.nodes],
            "details": [[list(pair) for pair in node.details] for node in scene.nodes],
            "device": _devices(scene),
        },
        "figures": [list(figure) for figure in scene.figures],
        "notes": list(scene.notes),
        "graph": None if graph is None else _graph_meta(graph),
        "blocks": None
        if scene.blocks is None
        else {
            **_graph_meta(scene.blocks.drawing),
            "name": list(scene.blocks.names),
            "type": list(scene.blocks.types),
        },
        "inside": None if scene.inside is None else _graph_meta(scene.inside),
        "timeline": None
        if timeline is None
        else {
            "steps": timeline.steps,
            "name": [row.name for row in timeline.rows],
            "type": [row.type for row in timeline.rows],
            "abridged": timeline.is_abridged,
        },
        "algorithm": [
            [stage.round, stage.title, list(stage.lines), [list(pair) for pair in stage.nodes]]
            for stage in scene.algorithm
        ],
        "devices": None
        if scene.devices is None
        else {
            "end": scene.devices.end,
            "name": [row.name for row in scene.devices.rows],
            "type": [row.type for row in scene.devices.rows],
            "works": [list(nodes) for nodes in scene.devices.works],
        },
        "measured": scene.measured is not None,
        "exported": None if scene.exported is None else scene.exported.to_meta(),
        "tiles": None
        if scene.tiles is None
        else {
            "maps": [[each.name, each.height, each.width] for each in scene.tiles.maps],
            "down": scene.tiles.down,
            "across": scene.tiles.across,
        },
        "charts": [
            {
                "title": chart.title,
                "x": chart.x,
                "y": chart.y,
                "points": [list(point) for point in chart.points],
                "lines": [[label, [list(at) for at in line]] for label, line in chart.lines],
                "log": chart.log,
            }
            for chart in scene.charts
        ],
        "memory": None if memory is None else _memory_meta(memory),
    }


def _devices(scene: Scene) -> list[str]:
    """List where each node runs; nothing where that is the same for all."""
    devices = [node.device for node in scene.nodes]
    return devices if len(set(devices)) > 1 else []


def _graph_meta(graph: GraphDrawing) -> dict[str, Any]:
    return {
        "nodes": graph.nodes,
        "height": HEIGHT,
        "pitch": PITCH,
        "size": [graph.layout.width, graph.layout.height],
        "terminals": [[end.label, end.dims, end.is_input] for end in graph.terminals],
        "labels": [edge.label for edge in graph.edges],
        **_boxes(graph),
    }


def _boxes(graph: GraphDrawing) -> dict[str, list[str]]:
    """Give what is written in boxes that are not just the nodes."""
    if not graph.boxes:
        return {}
    return {"name": [box.name for box in graph.boxes], "type": [box.type for box in graph.boxes]}


def _memory_meta(memory: MemoryMap) -> dict[str, Any]:
    return {
        "peak": memory.peak,
        "lowerBound": memory.lower_bound,
        "ticks": int(memory.tick_node.size),
        "names": list(memory.names),
        "spaces": [[space.name, space.base, space.size] for space in memory.spaces],
        "label": memory.label,
        "other": None if memory.other is None else _memory_meta(memory.other),
    }


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
