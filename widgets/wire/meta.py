"""Write the strings of a scene for the browser, and the few numbers that are not columns.

``Meta`` in ``frontend/src/model/payload.ts`` is its type there; a test writes a scene with every
panel, and the front-end's tests read it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from aidge_nb.widgets.layout.layered import HEIGHT, PITCH
from aidge_nb.widgets.palette import FAMILIES
from aidge_nb.widgets.scene.findings import finder
from aidge_nb.widgets.scene.parts import KINDS
from aidge_nb.widgets.shared import PANELS, WIRE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aidge_nb.widgets.scene.devices import Devices
    from aidge_nb.widgets.scene.graph_drawing import Blocks, GraphDrawing
    from aidge_nb.widgets.scene.labels.blocks import NodeLabels
    from aidge_nb.widgets.scene.parts import Chart, MemoryMap, SceneNode, TileDrawing, Timeline
    from aidge_nb.widgets.scene.scene import Scene

Meta = dict[str, Any]
Part = TypeVar("Part")


def meta_of(scene: Scene) -> Meta:
    """Write all of a scene but its columns, for JSON.

    Examples
    --------
    >>> from aidge_nb.widgets import Scene
    >>> meta = meta_of(Scene("LeNet"))
    >>> meta["title"], meta["panels"], meta["graph"]
    ('LeNet', [], None)
    """
    find = finder([node.name for node in scene.nodes])
    return {
        "version": WIRE["version"],
        "title": scene.title,
        "panels": list(scene.panels),
        "families": [[family.name, family.light, family.dark] for family in FAMILIES],
        "kinds": list(KINDS),
        "nodes": _nodes(scene.nodes),
        "labels": _labels(scene.labels),
        "figures": [list(figure) for figure in scene.figures],
        "notes": list(scene.notes),
        "findings": [card.to_meta(find) for card in scene.findings],
        "graph": _if_there(scene.graph, _graph),
        "blocks": _if_there(scene.blocks, _blocks),
        "inside": _if_there(scene.inside, _graph),
        "timeline": _if_there(scene.timeline, _timeline),
        "algorithm": [
            [
                stage.round,
                stage.title,
                list(stage.lines),
                [list(pair) for pair in stage.nodes],
                [list(pair) for pair in stage.waiting],
            ]
            for stage in scene.algorithm
        ],
        "devices": _if_there(scene.devices, _devices),
        "measured": scene.measured is not None,
        "exported": _if_there(scene.exported, lambda exported: exported.to_meta()),
        "tiles": _if_there(scene.tiles, _tiles),
        "stripes": _if_there(scene.stripes, lambda stripes: stripes.to_meta(find)),
        "charts": [_chart(chart) for chart in scene.charts],
        "memory": _if_there(scene.memory, _memory),
    }


def _if_there(part: Part | None, write: Callable[[Part], Meta]) -> Meta | None:
    return None if part is None else write(part)


def _nodes(nodes: Sequence[SceneNode]) -> Meta:
    devices = [node.device for node in nodes]
    return {
        "name": [node.name for node in nodes],
        "type": [node.type for node in nodes],
        "family": [node.colours for node in nodes],
        "parameters": [node.parameters for node in nodes],
        "macs": [node.macs for node in nodes],
        "details": [[list(pair) for pair in node.details] for node in nodes],
        "device": devices if len(set(devices)) > 1 else [],  # where all are on one, none is said
    }


def _labels(labels: NodeLabels) -> Meta:
    blocks = [[block.label, block.kind] for block in labels.blocks]
    return {"prefix": labels.prefix, "suffix": labels.suffix, "blocks": blocks}


def _graph(graph: GraphDrawing) -> Meta:
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
    """Return the text of boxes that are not nodes."""
    if not graph.boxes:
        return {}
    return {"name": [box.name for box in graph.boxes], "type": [box.type for box in graph.boxes]}


def _blocks(blocks: Blocks) -> Meta:
    pitch = HEIGHT + PANELS["graph"]["between"]  # closer than operators: little is between them
    layout = blocks.drawing.layout
    depth = max(layout.layers, default=0) * pitch + HEIGHT
    closer = {"pitch": pitch, "size": [layout.width, depth]}
    names = {"name": list(blocks.names), "type": list(blocks.types)}
    return {**_graph(blocks.drawing), **closer, **names}


def _timeline(timeline: Timeline) -> Meta:
    return {
        "steps": timeline.steps,
        "name": [row.name for row in timeline.rows],
        "type": [row.type for row in timeline.rows],
        "folded": timeline.is_folded,
    }


def _devices(devices: Devices) -> Meta:
    return {
        "end": devices.end,
        "name": [row.name for row in devices.rows],
        "type": [row.type for row in devices.rows],
        "works": [list(nodes) for nodes in devices.works],
        "labels": list(devices.labels),
        "busy": [devices.busy_text(row) for row in range(len(devices.rows))],
        "idle": [list(span) for span in devices.idle],
        "hertz": devices.hertz,
    }


def _tiles(tiles: TileDrawing) -> Meta:
    maps = [[each.name, each.height, each.width] for each in tiles.maps]
    return {"maps": maps, "down": tiles.down, "across": tiles.across}


def _chart(chart: Chart) -> Meta:
    return {
        "title": chart.title,
        "x": chart.x,
        "y": chart.y,
        "points": [list(point) for point in chart.points],
        "lines": [[label, [list(at) for at in line]] for label, line in chart.lines],
        "log": chart.log,
    }


def _memory(memory: MemoryMap) -> Meta:
    return {
        "peak": memory.peak,
        "lowerBound": memory.lower_bound,
        "ticks": int(memory.tick_node.size),
        "names": list(memory.names),
        "spaces": [
            [space.name, space.base, space.size, space.capacity, space.scale, space.text]
            for space in memory.spaces
        ],
        "label": memory.label,
        "other": _if_there(memory.other, _memory),
        **({"budget": memory.budget} if memory.budget else {}),
    }
