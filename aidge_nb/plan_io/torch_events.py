"""Read what PyTorch records of its memory: profiles, and snapshots of a GPU.

Source: the documentation page "Understanding CUDA Memory Usage" of PyTorch,
``torch.profiler.profile(profile_memory=True).export_chrome_trace``, and the pages that
``torch/cuda/_memory_viz.py`` writes. A snapshot is a pickle: it is read only after each of its
opcodes was found to make plain data, so that no code in it can run.
"""

from __future__ import annotations

import io
import json
import pickle
import pickletools
import re
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory.values.plan import MemoryPlan
from aidge_nb.plan_io.rows import BufferRow, chosen_arena, plan_of_rows

_PLAIN = """
PROTO FRAME STOP MARK POP MEMOIZE PUT BINPUT LONG_BINPUT GET BINGET LONG_BINGET
NONE NEWTRUE NEWFALSE INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT BINFLOAT
STRING BINSTRING SHORT_BINSTRING BINBYTES SHORT_BINBYTES BINBYTES8
UNICODE BINUNICODE SHORT_BINUNICODE BINUNICODE8
EMPTY_LIST APPEND APPENDS LIST EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3
EMPTY_DICT DICT SETITEM SETITEMS
"""
"""Opcodes that make numbers, texts, lists, tuples and dictionaries, and nothing else."""

_BROKEN = (
    pickle.UnpicklingError,
    ValueError,
    TypeError,
    LookupError,
    EOFError,
    AttributeError,
    OverflowError,
    MemoryError,
    RecursionError,
)


_FILES = re.compile(r"^const local_files = (.*?);?$", re.MULTILINE)


def read_page(text: str, where: str, arena: str | None = None) -> MemoryPlan:
    """Read a page of PyTorch's viewer (``trace_plot``), which holds a snapshot as JSON.

    Raises
    ------
    MemoryPlanError
        When the page holds no files, and as :func:`read_json` and :func:`read_snapshot`.
    """
    found = _FILES.search(text)
    if found is None:
        expected, cure = "a line: const local_files = [...]", "Open the snapshot itself."
        raise MemoryPlanError.at(where, "is no page of a snapshot", expected=expected, cure=cure)
    return read_json(found[1], where, arena)


def read_json(text: str, where: str, arena: str | None = None) -> MemoryPlan:
    """Read a profile, a snapshot that was written as JSON, or the files of PyTorch's viewer.

    Those are a list of one snapshot: its name, and the pickle as base64.

    Raises
    ------
    MemoryPlanError
        Quoting the event that is not understood.
    """
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MemoryPlanError.at(where, "is not JSON", found=str(error)[:200]) from None
    if isinstance(values, dict) and "device_traces" in values:
        return _of_snapshot(values, where, arena)
    if isinstance(values, list) and any(isinstance(e, dict) and "base64" in e for e in values):
        return _of_viewer(values, where, arena)
    events = values.get("traceEvents") if isinstance(values, dict) else values
    if not isinstance(events, list) or not all(isinstance(each, dict) for each in events):
        expected = "traceEvents or device_traces"
        raise MemoryPlanError.at(where, "is not of PyTorch", expected=expected)
    return _of_profile(events, where, arena)


def _of_viewer(files: Sequence[Mapping[str, Any]], where: str, arena: str | None) -> MemoryPlan:
    """Read the one snapshot that a page of the viewer holds."""
    if len(files) != 1:
        cure = "Write one page for each snapshot."
        raise MemoryPlanError.at(where, "holds several snapshots", found=len(files), cure=cure)
    try:
        content = b64decode(files[0]["base64"], validate=True)
    except (TypeError, ValueError) as error:
        found = str(error)[:200]
        raise MemoryPlanError.at(where, "the snapshot is not base64", found=found) from None
    return read_snapshot(content, where, arena)


def read_snapshot(content: bytes, where: str, arena: str | None = None) -> MemoryPlan:
    """Read a pickled snapshot; what is not plain data is refused before anything is made.

    Raises
    ------
    MemoryPlanError
        Naming the first opcode that is not plain data, or quoting an event.
    """
    try:
        plain = frozenset(_PLAIN.split())
        for opcode, argument, place in pickletools.genops(content):
            what = f"{where}, byte {place}"
            if opcode.name not in plain:
                raise MemoryPlanError.at(
                    what,
                    "the pickle holds more than plain data, which could be code: nothing of it ran",
                    expected="numbers, texts, lists and dictionaries",
                    found=f"{opcode.name} {argument!r}"[:200] if argument else opcode.name,
                )
            if "PUT" in opcode.name and int(argument or 0) > len(content):
                raise MemoryPlanError.at(what, "the pickle is damaged", found=f"memo {argument}")
        values = _PlainUnpickler(io.BytesIO(content)).load()
    except _BROKEN as error:
        raise MemoryPlanError.at(where, "the pickle is damaged", found=str(error)[:200]) from None
    if not isinstance(values, dict) or "device_traces" not in values:
        expected, found = "segments and device_traces", str(type(values).__name__)
        raise MemoryPlanError.at(where, "is not a snapshot", expected=expected, found=found)
    return _of_snapshot(values, where, arena)


class _PlainUnpickler(pickle.Unpickler):
    """Refuses classes and functions, even if an opcode that names one had been overlooked."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} is not plain data")


def _number(event: Mapping[str, Any], name: str, where: str) -> int:
    value = event.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 1 << 64:
        expected, found = f"a whole number {name}", repr(dict(event))[:200]
        raise MemoryPlanError.at(where, "is not understood", expected=expected, found=found)
    return value


# --- profiles -------------------------------------------------------------------------------


def _of_profile(events: Sequence[Mapping[str, Any]], where: str, arena: str | None) -> MemoryPlan:
    """Pair allocations and releases; addresses are malloc's, so that buffers are placed anew."""
    devices: dict[str, list[tuple[float, int, Mapping[str, Any]]]] = {}
    for number, event in enumerate(events):
        if event.get("name") == "[memory]":
            label, given = f"{where}, event {number}", event.get("args")
            if not isinstance(given, dict):
                raise MemoryPlanError.at(label, "is not understood", found=repr(event)[:200])
            key = _device(given.get("Device Type"), given.get("Device Id"))
            devices.setdefault(key, []).append((_time(event, "ts", label), number, event))
    if not devices:
        cure = "Record it with profile(profile_memory=True)."
        raise MemoryPlanError.at(where, "holds no [memory] events", cure=cure)
    only = chosen_arena(list(devices), arena, where)
    chosen = [devices[only]] if only is not None else devices.values()
    found = [_device_rows(each, _TopOperators(events, where), where) for each in chosen]
    rows, steps = max(found, key=lambda each: sum(row.size for row in each[0]))
    return plan_of_rows(rows, where, steps=steps)


def _device(kind: Any, number: Any) -> str:
    """Return the name of a device: its type as PyTorch numbers them, and its own number."""
    if kind == 0:
        return "CPU"
    return f"CUDA {number}" if kind == 1 else f"device {number} of type {kind}"


def _time(event: Mapping[str, Any], name: str, where: str) -> float:
    value = event.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        expected, found = f"a number {name}", repr(event)[:200]
        raise MemoryPlanError.at(where, "is not understood", expected=expected, found=found)
    return float(value)


def _device_rows(
    events: list[tuple[float, int, Mapping[str, Any]]], operators: _TopOperators, where: str
) -> tuple[list[BufferRow], dict[int, str]]:
    steps: dict[int, str] = {}
    live: dict[int, tuple[int, int, str]] = {}
    rows: list[BufferRow] = []
    for tick, (time, number, event) in enumerate(sorted(events, key=lambda each: each[:2])):
        label, given = f"{where}, event {number}", event["args"]
        address, size = _number(given, "Addr", label), _number(given, "Bytes", label)
        steps[tick] = operators.name(event.get("tid"), time) or f"event {number}"
        if size > 0:
            if address in live:
                problem = "allocates what is already in use"
                raise MemoryPlanError.at(label, problem, found=repr(given)[:200])
            live[address] = tick, size, steps[tick]
        elif size < 0:
            start, known, name = live.pop(address, (0, -size, "allocated before"))
            if known != -size:
                problem = "frees another size than was allocated"
                raise MemoryPlanError.at(label, problem, expected=known, found=-size)
            if start < tick:
                rows.append(BufferRow(name, start, tick, known))
    rows += [BufferRow(name, start, len(events), size) for start, size, name in live.values()]
    return sorted(rows, key=lambda each: each.lower), steps


class _TopOperators:
    """The outermost operators of each thread, by time."""

    def __init__(self, events: Iterable[Mapping[str, Any]], where: str) -> None:
        spans: dict[Any, list[tuple[float, float, str]]] = {}
        for number, event in enumerate(events):
            if event.get("cat") == "cpu_op" and event.get("ph") == "X":
                label = f"{where}, event {number}"
                start, length = _time(event, "ts", label), _time(event, "dur", label)
                span = (start, start + length, str(event.get("name")))
                spans.setdefault(str(event.get("tid")), []).append(span)
        self._spans: dict[str, list[tuple[float, float, str]]] = {}
        for thread, found in spans.items():
            outer: list[tuple[float, float, str]] = []
            for span in sorted(found, key=lambda each: (each[0], -each[1])):
                if not outer or span[0] >= outer[-1][1]:
                    outer.append(span)
            self._spans[thread] = outer

    def name(self, thread: Any, time: float) -> str:
        """Return the operator that runs at a time; empty if none does."""
        spans = self._spans.get(str(thread), [])
        number = bisect_right(spans, time, key=lambda span: span[0]) - 1
        return spans[number][2] if number >= 0 and time <= spans[number][1] else ""


# --- snapshots ------------------------------------------------------------------------------


def _of_snapshot(values: Mapping[str, Any], where: str, arena: str | None) -> MemoryPlan:
    """Pair the events of the device that has most; segments are laid end to end."""
    traces = values.get("device_traces")
    segments = values.get("segments")
    if not isinstance(segments, list | tuple) or not isinstance(traces, list | tuple) or not traces:
        expected = "lists segments and device_traces"
        raise MemoryPlanError.at(where, "is not a snapshot", expected=expected)
    if not all(map(_are_events, (segments, *traces))):
        raise MemoryPlanError.at(where, "is not a snapshot", expected="lists of events")
    names = [f"CUDA {number}" for number in range(len(traces))]
    only = chosen_arena(names, arena, where)
    device = max(range(len(traces)), key=lambda number: len(traces[number]))
    if only is not None:
        device = names.index(only)
    if not traces[device]:
        cure = "Call torch.cuda.memory._record_memory_history() before the work."
        raise MemoryPlanError.at(where, "holds no history of allocations", cure=cure)
    label = f"{where}, device {device}"
    ours = [each for each in segments if each.get("device", device) == device]
    places = _SegmentPlaces(ours, traces[device], label)
    rows = list(_snapshot_rows(ours, traces[device], places, label))
    return plan_of_rows(sorted(rows, key=lambda each: each.lower), where)


def _are_events(values: Any) -> bool:
    return isinstance(values, list | tuple) and all(isinstance(each, dict) for each in values)


class _SegmentPlaces:
    """Where segments lie when they are laid end to end, in the order of their addresses."""

    def __init__(
        self, segments: Iterable[Mapping[str, Any]], trace: Iterable[Mapping[str, Any]], where: str
    ) -> None:
        sizes: dict[int, int] = {}
        known = [(each, "address", "total_size") for each in segments]
        known += [(e, "addr", "size") for e in trace if e.get("action") in _SEGMENTS]
        for event, address, size in known:
            start = _number(event, address, where)
            sizes[start] = max(sizes.get(start, 0), _number(event, size, where))
        self._starts = sorted(sizes)
        self._sizes = [sizes[start] for start in self._starts]
        self._bases = list(accumulate(self._sizes, initial=0))

    def place(self, address: int, size: int, where: str) -> int:
        """Return the offset of an address."""
        number = bisect_right(self._starts, address) - 1
        inside = address - self._starts[number] if number >= 0 else -1
        if inside < 0 or inside + size > self._sizes[number]:
            found = f"{size} bytes at {address}"
            raise MemoryPlanError.at(where, "lies in no segment", found=found)
        return self._bases[number] + inside


_SEGMENTS = ("segment_alloc", "segment_map")
_OTHERS = (
    "free_requested",
    "segment_free",
    "segment_unmap",
    "snapshot",
    "oom",
    "workspace_snapshot",
)


def _snapshot_rows(
    segments: Iterable[Mapping[str, Any]],
    trace: Sequence[Mapping[str, Any]],
    places: _SegmentPlaces,
    where: str,
) -> Iterator[BufferRow]:
    live: dict[int, tuple[int, int, str]] = {}
    freed: set[int] = set()
    for tick, event in enumerate(trace):
        label, action = f"{where}, event {tick}", event.get("action")
        if action in _SEGMENTS or action in _OTHERS:
            continue
        if action not in ("alloc", "free_completed"):
            found = repr(action)[:80]
            raise MemoryPlanError.at(label, "is of an unknown kind", found=found)
        address, size = _number(event, "addr", label), _number(event, "size", label)
        if action == "alloc":
            if address in live or size < 0:
                problem = "allocates what is already in use"
                raise MemoryPlanError.at(label, problem, found=f"{size} bytes at {address}")
            live[address] = tick, size, _frame(event) or f"alloc {tick}"
            continue
        start, known, name = live.pop(address, (0, size, "allocated before"))
        if tick > start and known:
            yield BufferRow(name, start, tick, known, places.place(address, known, label))
        freed.add(address)
    for block in (each for segment in segments for each in segment.get("blocks") or ()):
        if isinstance(block, dict) and str(block.get("state")).startswith("active"):
            address, size = (_number(block, name, where) for name in ("address", "size"))
            if address not in live and address not in freed:
                live[address] = 0, size, _frame(block) or "allocated before"
    for address, (start, size, name) in live.items():
        if size:
            yield BufferRow(name, start, len(trace), size, places.place(address, size, where))


def _frame(event: Mapping[str, Any]) -> str:
    """Return the innermost place in the source: its file and line."""
    frames = event.get("frames")
    first = frames[0] if _are_events(frames) and frames else {}
    return f"{first.get('filename')}:{first.get('line')} {first.get('name')}" if first else ""
