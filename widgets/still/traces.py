"""Write a scene as a trace in the Trace Event Format, which Perfetto and Chrome open.

Beyond names and times they require: slices of one thread are disjoint or nested; threads have
numbers of their own, and 0 is the idle one; slices are sorted by start, the longest first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.scene.devices import Devices
from aidge_nb.widgets.scene.parts import Measured, MemoryMap, Timeline, table_rows
from aidge_nb.widgets.scene.scene import Scene

Event = dict[str, Any]
_BACKSLASHES_AT_THE_END = re.compile(r'(?<!\\)((?:\\\\)*)\\\\"')
"""Backslashes at the end of a text: Perfetto reads the last as the escape of the quotation mark
after it, and rejects the file. Written as \\u005c it is accepted."""

_THREADS = 1_000_000
"""Threads of a process are numbered from this times its own number on."""


@dataclass(frozen=True, slots=True)
class _Slice:
    """A bar: its row, its name, start and length in microseconds, and other facts."""

    row: int
    name: str
    start: int
    length: int
    args: Event

    @property
    def stop(self) -> int:
        return self.start + self.length


def to_trace_json(scene: Scene) -> str:
    """Write a trace: open it at ui.perfetto.dev, or in chrome://tracing.

    A step, tick or cycle is a microsecond there. The schedule, the measured run, the devices and
    the memory in use are processes of their own. Perfetto shows JSON's escapes as they are written,
    that of the quotation mark excepted: a backslash in a name is seen twice there.

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
    # Perfetto shows the escapes of other letters as they are written.
    text = json.dumps(
        {"traceEvents": events, "displayTimeUnit": "ms"}, ensure_ascii=False, separators=(",", ":")
    )
    return _BACKSLASHES_AT_THE_END.sub(r'\1\\u005c"', text)


def _events(scene: Scene) -> Iterator[Event]:
    timeline, devices, memory = scene.timeline, scene.devices, scene.memory
    if timeline is not None:
        rows = [row.name for row in timeline.rows]
        yield from _process(1, "schedule (1 µs = 1 step)", rows, _firings(timeline))
        if scene.measured is not None:
            yield from _process(2, "measured", rows, _runs(timeline, scene.measured))
    if devices is not None:
        rows = [row.name for row in devices.rows]
        yield from _process(3, "devices (1 µs = 1 cycle)", rows, _busy(scene, devices))
    if memory is not None:
        unit = "cycle" if memory.spaces else "tick"
        yield _named(4, f"memory (1 µs = 1 {unit})")
        yield from _in_use(memory)


def _firings(timeline: Timeline) -> Iterator[_Slice]:
    for row, early, late in table_rows(timeline.row, timeline.early, timeline.late):
        own = timeline.rows[row]
        yield _Slice(row, own.name, early, 1, {"type": own.type, "slack": late - early})


def _runs(timeline: Timeline, measured: Measured) -> Iterator[_Slice]:
    for row, start, length in table_rows(measured.row, measured.start, measured.duration):
        yield _Slice(row, timeline.rows[row].name, start, length, {})


def _busy(scene: Scene, devices: Devices) -> Iterator[_Slice]:
    bars = table_rows(devices.row, devices.start, devices.length, devices.node)
    for row, start, length, node in bars:
        yield _Slice(row, scene.nodes[node].name, start, length, {})


def _process(number: int, name: str, rows: list[str], slices: Iterable[_Slice]) -> Iterator[Event]:
    """Write a process: its threads, in the order of the rows, and what they do."""
    yield _named(number, name)
    threads: dict[tuple[int, int], int] = {(row, 0): row for row in range(len(rows))}
    placed = [
        (threads.setdefault((each.row, lane), len(threads)), each) for each, lane in _lanes(slices)
    ]
    for (row, lane), thread in threads.items():
        shown = rows[row] + (f" ({lane + 1})" if lane else "")
        yield _of_thread(number, thread, "thread_name", {"name": shown})
        yield _of_thread(number, thread, "thread_sort_index", {"sort_index": row})
    for thread, each in placed:
        yield {
            "name": each.name,
            "ph": "X",
            "pid": number,
            "tid": _tid(number, thread),
            "ts": each.start,
            "dur": each.length,
            "args": each.args,
        }


def _lanes(slices: Iterable[_Slice]) -> Iterator[tuple[_Slice, int]]:
    """Yield slices in order, each with a lane of its row where it overlaps no other."""
    lanes: dict[int, list[list[int]]] = {}
    for each in sorted(slices, key=lambda one: (one.start, -one.length, one.row)):
        own = lanes.setdefault(each.row, [])
        for stops in own:
            while stops and stops[-1] <= each.start:
                stops.pop()
        fits = (n for n, stops in enumerate(own) if not stops or each.stop <= stops[-1])
        lane = next(fits, len(own))
        if lane == len(own):
            own.append([])
        own[lane].append(each.stop)
        yield each, lane


def _in_use(memory: MemoryMap) -> Iterator[Event]:
    """Count the bytes that are live in each memory; bytes that are shared count each time."""
    names = [f"live in {space.name}: {space.text}" for space in memory.spaces] or ["live buffers"]
    change: dict[tuple[int, int], int] = {}
    buffers = table_rows(memory.lower, memory.upper, memory.size, memory.space)
    for lower, upper, size, where in buffers:
        change[lower, where] = change.get((lower, where), 0) + size
        change[upper, where] = change.get((upper, where), 0) - size
    totals = [0] * len(names)
    for tick, where in sorted(change):
        totals[where] += change[tick, where]
        value = {"bytes": totals[where]}
        yield {"name": names[where], "ph": "C", "pid": 4, "ts": tick, "args": value}


def _named(process: int, name: str) -> Event:
    return {"name": "process_name", "ph": "M", "pid": process, "args": {"name": name}}


def _of_thread(process: int, thread: int, name: str, args: Event) -> Event:
    return {"name": name, "ph": "M", "pid": process, "tid": _tid(process, thread), "args": args}


def _tid(process: int, thread: int) -> int:
    return _THREADS * process + thread
