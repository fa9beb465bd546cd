"""Checks what the Trace Event Format says of a file of slices, counters and names.

After the document of that name (D. Sinclair and others, Google), and what Perfetto's reader makes
of it: slices of a thread that cut through each other, and threads of several processes that have
one number, are put in wrong places there without a word.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

Event = dict[str, Any]

_KEYS = {
    "X": {"name", "ph", "pid", "tid", "ts", "dur", "args"},
    "C": {"name", "ph", "pid", "ts", "args"},
    "M": {"name", "ph", "pid", "args"},
}
_METADATA = {
    "process_name": ("name", str),
    "thread_name": ("name", str),
    "thread_sort_index": ("sort_index", int),
}


def problems_of(text: str) -> list[str]:
    """List what is wrong with a trace."""
    trace = json.loads(text, parse_constant=lambda word: f"no number: {word}")
    if set(trace) != {"traceEvents", "displayTimeUnit"} or trace["displayTimeUnit"] != "ms":
        return ["no trace"]
    events: list[Event] = trace["traceEvents"]
    return [*_fields(events), *_names(events), *_nesting(events), *_counters(events)]


def _fields(events: list[Event]) -> Iterator[str]:
    for event in events:
        kind = event.get("ph")
        if kind not in _KEYS:
            yield f"unknown phase: {event}"
            continue
        missing = _KEYS[kind] - set(event)
        if missing or set(event) - _KEYS[kind] - {"tid"}:
            yield f"fields of {kind}: {event}"
            continue
        if not isinstance(event["name"], str) or not isinstance(event["args"], dict):
            yield f"name or args: {event}"
        numbers = [event[key] for key in ("pid", "tid") if key in event]
        if not all(isinstance(each, int) and each > 0 for each in numbers):
            yield f"numbers of processes and threads begin at 1: {event}"
        times = [event[key] for key in ("ts", "dur") if key in event]
        if not all(isinstance(each, (int, float)) and each >= 0 for each in times):
            yield f"microseconds: {event}"


def _names(events: list[Event]) -> Iterator[str]:
    given: Counter[tuple[Any, ...]] = Counter()
    for event in events:
        if event["ph"] != "M":
            continue
        field, kind = _METADATA.get(event["name"], ("", str))
        if set(event["args"]) != {field} or not isinstance(event["args"][field], kind):
            yield f"metadata: {event}"
        given[event["name"], event["pid"], event.get("tid")] += 1
    yield from (f"named twice: {key}" for key, count in given.items() if count > 1)
    used = {(event["pid"], event["tid"]) for event in events if event["ph"] == "X"}
    named = {(pid, tid) for name, pid, tid in given if name == "thread_name"}
    yield from (f"a thread without a name: {each}" for each in used - named)
    processes = {pid for name, pid, _ in given if name == "process_name"}
    yield from (f"a process without a name: {e}" for e in events if e["pid"] not in processes)
    threads = Counter(tid for _, tid in named | used)
    yield from (f"a thread of two processes: {tid}" for tid, n in threads.items() if n > 1)


def _nesting(events: list[Event]) -> Iterator[str]:
    open_: dict[int, list[float]] = {}
    last: dict[int, float] = {}
    for event in (event for event in events if event["ph"] == "X"):
        start, stop = event["ts"], event["ts"] + event["dur"]
        if start < last.get(event["pid"], 0):
            yield f"not in order: {event}"
        last[event["pid"]] = start
        stops = open_.setdefault(event["tid"], [])
        while stops and stops[-1] <= start:
            stops.pop()
        if stops and stop > stops[-1]:
            yield f"cuts through the slice before: {event}"
        stops.append(stop)


def _counters(events: list[Event]) -> Iterator[str]:
    last: dict[tuple[int, str], float] = {}
    for event in (event for event in events if event["ph"] == "C"):
        key = (event["pid"], event["name"])
        if event["ts"] <= last.get(key, -1):
            yield f"counted twice, or not in order: {event}"
        last[key] = event["ts"]
        values = event["args"].values()
        if not values or not all(isinstance(v, (int, float)) and math.isfinite(v) for v in values):
            yield f"no numbers: {event}"
