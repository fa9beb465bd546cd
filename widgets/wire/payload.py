"""Encode a scene for the browser: strings as one JSON value, numbers as packed columns.

The columns, and what each holds, are listed in ``shared/wire.json``, from which
``frontend/src/model/payload.ts`` takes their names as well.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from aidge_nb.core.text import drawn_text
from aidge_nb.widgets.scene.parts import KINDS, ints
from aidge_nb.widgets.shared import WIRE
from aidge_nb.widgets.wire.columns import pack
from aidge_nb.widgets.wire.meta import meta_of

if TYPE_CHECKING:
    from aidge_nb.widgets.scene.devices import Devices
    from aidge_nb.widgets.scene.graph_drawing import GraphDrawing
    from aidge_nb.widgets.scene.labels.blocks import NodeLabels
    from aidge_nb.widgets.scene.parts import MemoryMap, Nest, Timeline
    from aidge_nb.widgets.scene.scene import Scene

Columns = Iterator[tuple[str, Any]]

_MOST = int(np.iinfo(np.int64).max)


def encode(scene: Scene) -> tuple[dict[str, Any], bytes]:
    """Return a JSON value, and the bytes that hold the columns."""
    table, data = pack(dict(_columns(scene)))
    return {**_drawn(meta_of(scene)), "columns": table}, data


def compress(meta: Mapping[str, Any], columns: bytes) -> bytes:
    """Compress a payload with gzip: the length of the JSON text, the text, the columns."""
    text = json.dumps(meta, separators=(",", ":"), allow_nan=False).encode()
    return gzip.compress(len(text).to_bytes(4, "little") + text + columns, mtime=0)


def _drawn(value: Any) -> Any:
    """Return plain values with all texts as they may be drawn; no text gets another length."""
    if isinstance(value, str):
        return drawn_text(value)
    if isinstance(value, dict):
        return {drawn_text(key): _drawn(each) for key, each in value.items()}
    return type(value)(map(_drawn, value)) if isinstance(value, (list, tuple)) else value


def _columns(scene: Scene) -> Columns:
    for graph, prefix in ((scene.graph, ""), (scene.inside, "inside.")):
        if graph is not None:
            yield from _graphs([graph], prefix)
    if scene.blocks is not None:
        yield from _graphs([scene.blocks.drawing], "block.")
        yield from _group("block", {"member": ints(scene.blocks.member)})
        yield from _graphs(scene.blocks.contents, "", "content", "contentEdge", "contentRoute")
    if scene.labels.leaf:
        yield from _group("label", _labels(scene.labels))
    if scene.timeline is not None:
        yield from _timeline(scene.timeline)
    if scene.measured is not None:
        run = scene.measured
        yield from _group("measured", {"row": run.row, "early": run.start, "length": run.duration})
    if scene.devices is not None:
        yield from _devices(scene.devices)
    if scene.tiles is not None:
        yield from _table("tile", scene.tiles.boxes)
    if scene.stripes is not None:
        drawn = scene.stripes
        for group, rows in (("cell", drawn.cells), ("arena", drawn.boxes), ("run", drawn.runs)):
            yield from _table(group, rows)
    if scene.memory is not None:
        yield from _memory(scene, scene.memory)


def _labels(labels: NodeLabels) -> Mapping[str, Any]:
    starts, stops = zip(*labels.leaf, strict=True)
    found = {"block": ints(labels.block), "from": ints(starts), "to": ints(stops)}
    if labels.part and labels.part != labels.leaf:
        starts, stops = zip(*labels.part, strict=True)
        found |= {"partFrom": ints(starts), "partTo": ints(stops)}
    return found


def _group(group: str, values: Mapping[str, Any], prefix: str = "") -> Columns:
    """Name the columns of a group as ``wire.json`` declares them; leave out those that are None."""
    for name in WIRE["columns"][group]:
        if values.get(name) is not None:
            yield f"{prefix or group}.{name}", values[name]


def _table(group: str, rows: Any) -> Columns:
    return _group(group, dict(zip(WIRE["columns"][group], rows.T, strict=True)))


def _known(values: Sequence[int | None]) -> Any:
    """Return numbers with -1 for those that are not known; None where none are.

    Bytes that no machine can address are drawn as the most that fit; a note says how many.
    """
    found = ints([-1 if value is None else min(value, _MOST) for value in values])
    return found if (found >= 0).any() else None


def _floats(values: Iterable[float]) -> Any:
    return np.fromiter(values, np.float32)


def _graphs(
    graphs: Sequence[GraphDrawing],
    prefix: str,
    box: str = "box",
    edge: str = "edge",
    route: str = "route",
) -> Columns:
    """Write drawings in the groups of these names; boxes count on from drawing to drawing."""
    layouts = [each.layout for each in graphs]
    routes = list(chain.from_iterable(each.routes for each in layouts))
    edges = list(chain.from_iterable(each.edges for each in graphs))
    first = np.cumsum([0, *(len(each.boxes) for each in graphs)])
    start = np.repeat(first[:-1], [len(each.edges) for each in graphs])
    owners = [each.node for graph in graphs for each in graph.boxes]
    boxes = {
        "node": ints(owners) if owners or not graphs else None,
        "layer": ints(chain.from_iterable(each.layers for each in layouts)),
        "x": _floats(chain.from_iterable(each.centres for each in layouts)),
        "width": _floats(chain.from_iterable(each.widths for each in layouts)),
        "wide": _floats(each.width for each in layouts),
    }
    lines = {
        "source": ints(each.source for each in edges) + start,
        "target": ints(each.target for each in edges) + start,
        "back": ints(each.back for each in routes),
        "points": ints(len(each.across) for each in routes),
        "bytes": _known([each.nbytes for each in edges]),
    }
    across = {"x": _floats(chain.from_iterable(each.across for each in routes))}
    for group, columns in ((box, boxes), (edge, lines), (route, across)):
        yield from _group(group, columns, prefix + group)


def _timeline(timeline: Timeline) -> Columns:
    rows = timeline.rows
    owners = {
        "node": ints([row.node for row in rows]),
        "producer": ints([row.producer for row in rows]),
    }
    yield from _group("row", owners)
    if not timeline.is_folded:
        slack = timeline.late - timeline.early
        yield from _group("bar", {"row": timeline.row, "early": timeline.early, "slack": slack})
    if timeline.nest.loops:
        yield from _nest(timeline.nest)
        yield from _listed("frame", timeline.frames)


def _nest(nest: Nest) -> Columns:
    slack = nest.late - nest.early
    leaves = {"row": nest.row, "execution": nest.execution, "early": nest.early, "slack": slack}
    yield from _group("nest", leaves)
    yield from _listed("loop", nest.loops, shifts=[len(loop.shifts) for loop in nest.loops])
    shifts = np.array([shift for loop in nest.loops for shift in loop.shifts], np.int64)
    yield from _table("shift", shifts.reshape(-1, 4))


def _listed(group: str, values: Sequence[Any], **more: Sequence[int]) -> Columns:
    """Write values that have an attribute for each column of a group."""
    names = [name for name in WIRE["columns"][group] if name not in more]
    columns = {name: [getattr(each, name) for each in values] for name in names}
    yield from _group(group, {name: ints(column) for name, column in {**columns, **more}.items()})


def _devices(devices: Devices) -> Columns:
    columns = {
        "row": devices.row,
        "early": devices.start,
        "length": devices.length,
        "node": devices.node,
        "work": devices.work,
        "move": devices.move,
        "source": devices.source,
    }
    yield from _group("devices", columns)
    if devices.phases is not None:
        yield from _table("phase", devices.phases)


def _memory(scene: Scene, memory: MemoryMap) -> Columns:
    yield from _buffers(memory, "buffer")
    yield from _group("tick", {"node": memory.tick_node})
    if memory.other is not None:
        yield from _buffers(memory.other, "other")
    weights = ints([node.weight_bytes for node in scene.nodes])
    if weights.any() and KINDS.index("producer") not in memory.kind:
        yield from _group("weight", {"size": weights})


def _buffers(memory: MemoryMap, prefix: str) -> Columns:
    return _group(
        "buffer", {name: getattr(memory, name) for name in WIRE["columns"]["buffer"]}, prefix
    )
