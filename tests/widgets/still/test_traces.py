"""Traces: everything is in them, and they are what their format asks for."""

import json
import re
from typing import Any

import pytest

import aidge_nb
from aidge_nb import hardware
from aidge_nb.memory import plan_memory
from aidge_nb.memory.values.plan import MemoryPlan
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
from aidge_nb.widgets import Scene, build_scene, scene_of, to_trace_json
from tests.widgets.models import EVIL, LONG, mapping_of, repeated, residual, schedule_of
from tests.widgets.still.trace_format import problems_of


def events_of(scene: Scene) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads(to_trace_json(scene))["traceEvents"]
    return events


def mapped() -> Scene:
    convs = [aidge_nb.PaddedConv2D(8, 8, [3, 3], name, None, [1] * 4) for name in ("a", "b")]
    view = aidge_nb.sequential(convs)
    view.forward_dims([[1, 8, 16, 16]])
    mapping = hardware.map_schedule(view, hardware.target("quad_cluster"))
    plan = plan_memory(view, view.topological_order())
    return build_scene(view, aidge_nb.static_schedule(view), plan, mapping=mapping)


def measured(*runs: tuple[float, float]) -> Scene:
    return build_scene(*residual(1), measured=[("stem", *run) for run in runs])


SCENES = {
    "nothing": build_scene(title="nothing"),
    "empty": build_scene(None, StaticSchedule((), ()), MemoryPlan((), (), 0, 0)),
    "residual": build_scene(*residual(3)),
    "repeated": scene_of(repeated(50)),
    "odd names": build_scene(schedule=schedule_of([EVIL, LONG, ""], [(0, 0), (1, 1), (2, 3)])),
    "measured": measured((10.0, 25.0), (25.0, 25.2), (25.2, 29.0)),
    "rounded": measured((0.6, 2.1), (2.1, 2.15), (2.15, 7.9)),
    "overlapping": measured((0.0, 10.0), (5.0, 15.0), (6.0, 12.0), (2.0, 3.0)),
    "mapping": scene_of(mapping_of(4)),
    "network on a machine": mapped(),
}


@pytest.mark.parametrize("name", SCENES)
def test_traces_are_what_their_format_asks_for(name: str) -> None:
    assert problems_of(to_trace_json(SCENES[name])) == []


def test_the_check_knows_what_is_wrong() -> None:
    """Of a trace that is right each change is found."""
    events = events_of(SCENES["overlapping"])
    within = next(
        place for place, event in enumerate(events) if event.get("ts") == 2 == event["pid"]
    )
    for key, value in {"tid": 0, "ph": "Q", "ts": -1, "dur": 10**6, "name": 3}.items():
        wrong = [dict(event) for event in events]
        wrong[within][key] = value
        assert problems_of(json.dumps({"traceEvents": wrong, "displayTimeUnit": "ms"})), key
    assert problems_of(json.dumps({"traceEvents": events[1:], "displayTimeUnit": "ms"}))


def test_the_trace_has_every_bar_and_counts_memory() -> None:
    graph, schedule, plan = residual(2)
    scene = build_scene(graph, schedule, plan, measured=[("stem", 10.0, 25.0)])
    events = events_of(scene)
    bars = [event for event in events if event["ph"] == "X" and event["pid"] == 1]
    assert len(bars) == len(schedule.firings)
    assert [e["dur"] for e in events if e["ph"] == "X" and e["pid"] == 2] == [15]
    counts = [event["args"]["bytes"] for event in events if event["ph"] == "C"]
    assert max(counts) == plan.lower_bound
    assert counts[-1] == 0
    names = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert {row.name for row in schedule.actors} <= names


@pytest.mark.parametrize("name", ["\\", "a\\", "a\\\\", '\\"', 'a\\"\\', "\\\\\\", "a\\b", '"'])
def test_no_text_ends_in_the_escape_of_a_backslash(name: str) -> None:
    """Perfetto would take the last one for the escape of the quotation mark that ends the text."""
    text = to_trace_json(build_scene(schedule=schedule_of([name], [(0, 0)])))
    (bar,) = (event for event in json.loads(text)["traceEvents"] if event["ph"] == "X")
    assert bar["name"] == name
    assert re.search(r'(?<!\\)(\\\\)+"', text) is None


def test_threads_stand_in_the_order_of_the_rows() -> None:
    scene = SCENES["residual"]
    assert scene.timeline is not None
    events = events_of(scene)
    name = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    place = {e["tid"]: e["args"]["sort_index"] for e in events if e["name"] == "thread_sort_index"}
    assert [name[tid] for tid in sorted(place, key=place.__getitem__)] == [
        row.name for row in scene.timeline.rows
    ]


def test_runs_that_cut_through_each_other_have_lanes() -> None:
    events = events_of(SCENES["overlapping"])
    runs = [(e["ts"], e["dur"], e["tid"]) for e in events if e["ph"] == "X" and e["pid"] == 2]
    name = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert [(start, length, name[tid]) for start, length, tid in runs] == [
        (0, 10, "stem"),
        (2, 1, "stem"),
        (5, 10, "stem (2)"),
        (6, 6, "stem (2)"),
    ]


def test_the_trace_has_devices_and_their_memories() -> None:
    mapping = mapping_of(4)
    events = events_of(scene_of(mapping))
    assert sum(event["ph"] == "X" for event in events) == len(mapping.steps)
    counted = {event["name"] for event in events if event["ph"] == "C"}
    assert len(counted) == sum(use.peak > 0 for use in mapping.memories)
    for use in mapping.memories:
        own = [
            event["args"]["bytes"]
            for event in events
            if event["ph"] == "C" and event["name"].startswith(f"live in {use.path}:")
        ]
        assert max(own) <= use.peak
        assert own[-1] == 0
