"""Other forms of a scene: a table (CSV), and a trace that Perfetto and Chrome open."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from aidge_nb.widgets.scene import Devices, MemoryMap, Scene, Timeline

__all__ = ["to_csv", "to_trace_json"]

Event = dict[str, Any]


def to_csv(scene: Scene) -> str:
    """Write a line for each node: what the table of the view shows.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.widgets import scene_of
    >>> print(to_csv(scene_of(aidge_nb.sequential([aidge_nb.ReLU(name="a")]))).rstrip())
    name,type,parameters,macs
    a,ReLU,0,
    """
    columns: dict[str, list[Any]] = {
        "name": [node.name for node in scene.nodes],
        "type": [node.type for node in scene.nodes],
        "parameters": [node.parameters for node in scene.nodes],
        "macs": ["" if node.macs is None else node.macs for node in scene.nodes],
    }
    if scene.timeline is not None:
        columns.update(_firings(scene, scene.timeline))
    if scene.memory is not None:
        columns["max_buffer_bytes"] = _largest(scene, scene.memory)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return stream.getvalue()


def _firings(scene: Scene, timeline: Timeline) -> dict[str, list[Any]]:
    count = len(scene.nodes)
    owner = np.array([-1 if row.producer else row.node for row in timeline.rows], np.int64)
    node = owner[timeline.row] if timeline.row.size else timeline.row
    known = node >= 0
    far = np.iinfo(np.int64).max
    first, slack = np.full(count, far), np.full(count, far)
    np.minimum.at(first, node[known], timeline.early[known])
    np.minimum.at(slack, node[known], (timeline.late - timeline.early)[known])
    times = np.bincount(node[known], minlength=count)
    return {
        "first_step": ["" if each == far else int(each) for each in first],
        "slack": ["" if each == far else int(each) for each in slack],
        "firings": times.tolist(),
    }


def _largest(scene: Scene, memory: MemoryMap) -> list[int]:
    found = np.zeros(len(scene.nodes), np.int64)
    np.maximum.at(found, memory.node, memory.size)
    return [int(each) for each in found]


def to_trace_json(scene: Scene) -> str:
    """Write a trace: open it at ui.perfetto.dev, or in chrome://tracing.

    A step, tick or cycle is a microsecond there. The schedule, the measured run, the devices and
    the memory in use are processes of their own.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.widgets import scene_of
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> trace = json.loads(to_trace_json(scene_of(aidge_nb.static_schedule(model))))
    >>> [(event["name"], event["ts"]) for event in trace["traceEvents"] if event["ph"] == "X"]
    [('a', 0), ('b', 1)]
    """
    events = list(_events(scene))
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"}, separators=(",", ":"))


def _events(scene: Scene) -> Iterator[Event]:
    if scene.timeline is not None:
        yield _name(1, "schedule (1 µs = 1 step)")
        yield from _threads(1, [row.name for row in scene.timeline.rows])
        yield from _bars(scene.timeline)
        if scene.measured is not None:
            yield _name(2, "measured")
            yield from _threads(2, [row.name for row in scene.timeline.rows])
            runs = (scene.measured.row, scene.measured.start, scene.measured.duration)
            for row, start, length in zip(*(each.tolist() for each in runs), strict=True):
                yield _slice(2, row, scene.timeline.rows[row].name, start, length, {})
    if scene.devices is not None:
        yield _name(3, "devices (1 µs = 1 cycle)")
        yield from _threads(3, [row.name for row in scene.devices.rows])
        yield from _device_bars(scene, scene.devices)
    if scene.memory is not None:
        yield _name(4, "memory")
        yield from _in_use(scene.memory)


def _bars(timeline: Timeline) -> Iterator[Event]:
    columns = (timeline.row, timeline.early, timeline.late)
    for row, early, late in zip(*(each.tolist() for each in columns), strict=True):
        own = timeline.rows[row]
        yield _slice(1, row, own.name, early, 1, {"type": own.type, "slack": late - early})


def _device_bars(scene: Scene, devices: Devices) -> Iterator[Event]:
    columns = (devices.row, devices.start, devices.length, devices.node)
    for row, start, length, node in zip(*(each.tolist() for each in columns), strict=True):
        yield _slice(3, row, scene.nodes[node].name, start, length, {})


def _in_use(memory: MemoryMap) -> Iterator[Event]:
    """Count the bytes of what is live where that changes; bytes that are shared count each time."""
    change: dict[int, int] = {}
    for lower, upper, size in zip(
        memory.lower.tolist(), memory.upper.tolist(), memory.size.tolist(), strict=True
    ):
        change[lower] = change.get(lower, 0) + size
        change[upper] = change.get(upper, 0) - size
    total = 0
    for tick in sorted(change):
        total += change[tick]
        yield {"name": "live buffers", "ph": "C", "pid": 4, "ts": tick, "args": {"bytes": total}}


def _name(process: int, name: str) -> Event:
    return {"name": "process_name", "ph": "M", "pid": process, "args": {"name": name}}


def _threads(process: int, names: list[str]) -> Iterator[Event]:
    for thread, name in enumerate(names):
        args = {"name": name}
        yield {"name": "thread_name", "ph": "M", "pid": process, "tid": thread, "args": args}


def _slice(
    process: int, thread: int, name: str, start: int, length: int, args: dict[str, Any]
) -> Event:
    return {
        "name": name,
        "ph": "X",
        "pid": process,
        "tid": thread,
        "ts": start,
        "dur": length,
        "args": args,
    }
