"""Profiles and snapshots of PyTorch, and pickles that hold more than data."""

from __future__ import annotations

import base64
import json
import os
import pickle
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import aidge_nb
from aidge_nb.core.errors import MemoryPlanError
from tests.plan_io.samples import SAMPLES

PROFILE = json.loads((SAMPLES / "torch_profiler_memory_events.json").read_text(encoding="utf-8"))
SNAPSHOT = (SAMPLES / "torch_cuda_snapshot_handmade.pickle").read_bytes()


def opened(values: Any) -> aidge_nb.MemoryPlan:
    return aidge_nb.read_plan(json.dumps(values).encode())


def memory_events() -> list[dict[str, Any]]:
    return [each for each in PROFILE["traceEvents"] if each["name"] == "[memory]"]


def test_a_profile_is_paired_and_placed() -> None:
    plan = opened(PROFILE)
    assert len(plan.buffers) == len(memory_events()) // 2 == 9
    most = max(each["args"]["Total Allocated"] for each in memory_events())
    assert plan.lower_bound == plan.peak == most == 12288
    assert plan.buffers[0].name == plan.order[0] == "aten::conv2d"


def test_bytes_that_live_are_those_that_the_profile_counts() -> None:
    counted = [each["args"]["Total Allocated"] for each in memory_events()]
    assert list(opened(PROFILE).live_bytes()) == counted[:-1]


def test_what_was_not_freed_lives_to_the_end() -> None:
    events = memory_events()[:1]
    assert [(b.lower, b.upper) for b in opened({"traceEvents": events}).buffers] == [(0, 1)]


def test_another_device_is_chosen_by_name() -> None:
    """The two with an event on a GPU: by default the device that allocates most is read."""
    gpu = deepcopy(memory_events()[:1])
    gpu[0]["args"] |= {"Device Type": 1, "Device Id": 0, "Bytes": 64}
    content = json.dumps({"traceEvents": [*memory_events(), *gpu]}).encode()
    assert aidge_nb.read_plan(content) == aidge_nb.read_plan(content, arena="CPU")
    assert aidge_nb.read_plan(content, arena="CUDA 0").peak == 64
    with pytest.raises(MemoryPlanError, match=r"expected 'CPU', 'CUDA 0', found 'CUDA 1'"):
        aidge_nb.read_plan(content, arena="CUDA 1")


def test_another_device_of_a_snapshot_is_chosen_by_name() -> None:
    values = pickle.loads(SNAPSHOT)
    segment = {"device": 1, "address": 4096, "total_size": 512, "blocks": []}
    values["segments"] = [*({"device": 0, **each} for each in values["segments"]), segment]
    alloc = {"action": "alloc", "addr": 4096, "size": 128, "frames": []}
    values["device_traces"] = [values["device_traces"][0], [alloc]]
    content = pickle.dumps(values, protocol=4)
    assert aidge_nb.read_plan(content).peak == aidge_nb.read_plan(SNAPSHOT).peak
    assert aidge_nb.read_plan(content, arena="CUDA 1").peak == 128
    with pytest.raises(MemoryPlanError, match=r"expected 'CUDA 0', 'CUDA 1', found 'CPU'"):
        aidge_nb.read_plan(content, arena="CPU")


def changed(number: int, **values: Any) -> dict[str, Any]:
    events = deepcopy(memory_events())
    events[number]["args"] |= values
    return {"traceEvents": events}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "is not of PyTorch"),
        ([1], "is not of PyTorch"),
        ({"traceEvents": [{"name": "other"}]}, r"holds no \[memory\] events.*profile_memory=True"),
        ({"traceEvents": [{"name": "[memory]", "ts": 1}]}, "event 0: is not understood .*found"),
        (changed(0, Bytes="many"), "event 0: is not understood .*number Bytes.*'many'"),
        (changed(2, Bytes=-7), "event 2: frees another size .*expected 2304, found 7"),
        (changed(1, Addr=memory_events()[0]["args"]["Addr"]), "event 1: allocates what is already"),
    ],
)
def test_events_that_are_not_understood_are_quoted(values: Any, message: str) -> None:
    with pytest.raises(MemoryPlanError, match=message):
        opened(values)


def test_truncated_json_is_refused() -> None:
    for text in ('{"traceEvents": [', "[" * 100_000):
        with pytest.raises(MemoryPlanError, match="is not JSON"):
            aidge_nb.read_plan(text.encode())


def test_a_snapshot_is_read_from_a_pickle_and_from_json() -> None:
    plan = aidge_nb.read_plan(SNAPSHOT)
    rows = [(b.name, b.lower, b.upper, b.size, b.offset) for b in plan.buffers]
    first = "net.py:1 forward"
    assert rows == [(first, 1, 5, 512, 0), (f"{first} (2)", 2, 4, 1024, 512)]
    assert opened(pickle.loads(SNAPSHOT)) == plan


PAGE = (SAMPLES / "torch_memory_viz_page.html").read_text(encoding="utf-8")


def viewed(content: bytes) -> list[dict[str, str]]:
    """Return what a page of the viewer holds: bytes of padding come after the pickle."""
    return [{"name": "snapshot.pickle", "base64": base64.b64encode(content + b"\0\0").decode()}]


def test_a_snapshot_is_read_from_the_page_of_the_viewer_and_its_json() -> None:
    plan = aidge_nb.read_plan(SNAPSHOT)
    assert aidge_nb.read_plan(PAGE.encode()) == plan
    assert opened(viewed(SNAPSHOT)) == plan
    assert aidge_nb.read_plan(PAGE.encode(), arena="CUDA 0") == plan


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (PAGE.replace("local_files =", "files ="), "is no page of a snapshot .*local_files"),
        (PAGE.replace("= [", "= "), "is not JSON"),
        (json.dumps(2 * viewed(SNAPSHOT)), "holds several snapshots .*found 2"),
        (json.dumps([*viewed(SNAPSHOT), 1]), "holds several snapshots .*found 2"),
        ('[{"base64": "%%%"}]', "is not base64"),
        ('[{"base64": 5}]', "is not base64"),
        ('[{"base64": ""}]', "the pickle is damaged"),
        (json.dumps(viewed(pickle.dumps(print))), "more than plain data"),
    ],
)
def test_damaged_pages_are_refused(content: str, message: str) -> None:
    with pytest.raises(MemoryPlanError, match=message):
        aidge_nb.read_plan(content.encode())


def snapshot(*events: tuple[str, int, int], blocks: Any = (), device: int = 0) -> dict[str, Any]:
    trace = [dict(zip(("action", "addr", "size"), each, strict=True)) for each in events]
    segments = [
        {"address": 2000, "total_size": 100, "blocks": [], "device": device},
        {"address": 1000, "total_size": 64, "blocks": blocks, "device": device},
    ]
    return {"segments": segments, "device_traces": [trace]}


def test_segments_are_laid_end_to_end() -> None:
    plan = opened(snapshot(("alloc", 1000, 32), ("alloc", 2050, 50)))
    assert [each.offset for each in plan.buffers] == [0, 114]


def test_what_was_allocated_before_lives_from_the_start() -> None:
    block = {"address": 1032, "size": 32, "state": "active_allocated", "frames": []}
    plan = opened(
        snapshot(
            ("free_completed", 2000, 8), ("alloc", 2000, 16), ("alloc", 1000, 8), blocks=[block]
        )
    )
    assert [(b.name, b.lower, b.upper, b.size) for b in plan.buffers] == [
        ("allocated before", 0, 3, 32),
        ("alloc 1", 1, 3, 16),
        ("alloc 2", 2, 3, 8),
    ]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"device_traces": []}, "is not a snapshot"),
        ({"segments": [], "device_traces": [5]}, "is not a snapshot"),
        ({"segments": [], "device_traces": [[]]}, "no history .*_record_memory_history"),
        (snapshot(("grab", 1, 2)), "event 0: is of an unknown kind .*'grab'"),
        (snapshot(("alloc", 5000, 2)), "lies in no segment .*2 bytes at 5000"),
        (snapshot(("alloc", 1060, 9)), "lies in no segment"),
        (snapshot(("alloc", 1000, 9), ("alloc", 1000, 9)), "event 1: allocates what is already"),
        (snapshot(("alloc", 1000, 9), ("alloc", 1008, 9)), "overlap at tick 1"),
    ],
)
def test_snapshots_that_contradict_themselves_are_refused(values: Any, message: str) -> None:
    with pytest.raises(MemoryPlanError, match=message):
        opened(values)


class Bomb:
    """Runs a function when it is unpickled."""

    def __init__(self, call: Any, *arguments: Any) -> None:
        self.made = call, arguments

    def __reduce__(self) -> Any:
        return self.made


@pytest.mark.parametrize("protocol", range(2, 6))
def test_code_in_a_pickle_is_refused_and_never_run(protocol: int, tmp_path: Path) -> None:
    target = tmp_path / "ran"
    bomb = pickle.dumps({"device_traces": Bomb(os.mkdir, str(target))}, protocol)
    with pytest.raises(MemoryPlanError, match=r"more than plain data.*nothing of it ran"):
        aidge_nb.read_plan(bomb)
    assert not target.exists()
    pickle.loads(bomb)
    assert target.exists(), "the bomb is a dud"


@pytest.mark.parametrize("value", [{1}, bytearray(b"1"), Path("x"), complex(1), print])
def test_other_objects_in_a_pickle_are_refused(value: Any) -> None:
    with pytest.raises(MemoryPlanError, match=r"byte \d+: the pickle holds more than plain data"):
        aidge_nb.read_plan(pickle.dumps({"device_traces": value}, 5))


@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x04.",
        b"\x80\x04]}\x93.",
        b"\x80\x04r\xff\xff\xff\x7f.",
        b"\x80\x04}]]s.",
        b"\x80\x04h\x05.",
        b"\x80\x04K\x05.",
        b"\x80\x04cos\nsystem\n.",
        b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f}.",
        b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7f}.",
    ],
)
def test_damaged_pickles_are_refused(content: bytes) -> None:
    with pytest.raises(MemoryPlanError):
        aidge_nb.read_plan(content)


def test_a_truncated_snapshot_is_refused() -> None:
    for end in range(2, len(SNAPSHOT)):
        with pytest.raises(MemoryPlanError):
            aidge_nb.read_plan(SNAPSHOT[:end])
