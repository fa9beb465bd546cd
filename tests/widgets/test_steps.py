"""Steps and ticks are counted from 0 everywhere: views, tables, charts, traces and messages.

Each form writes the same number for a firing; none is shifted, be producers drawn or not.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable

import pytest

import aidge_nb
from aidge_nb.memory import MemoryPlan
from aidge_nb.scheduling import Scheduler, StaticSchedule
from aidge_nb.widgets import Scene, build_scene, to_csv, to_mermaid, to_trace_json

Steps = dict[str, tuple[int, int]]


def branches() -> aidge_nb.GraphView:
    """A fork whose sides are of different lengths, with weights: step 0 belongs to producers."""
    head, join = aidge_nb.FC(4, 4, name="head"), aidge_nb.Add(name="join")
    long = [aidge_nb.FC(4, 4, name="long"), aidge_nb.ReLU(name="longer")]
    short = aidge_nb.Tanh(name="short")
    head.add_child(long[0])
    long[0].add_child(long[1])
    long[1].add_child(join, 0, 0)
    head.add_child(short)
    short.add_child(join, 0, 1)
    view = aidge_nb.get_connected_graph_view(join)
    view.set_backend("cpu")
    view.forward_dims([[1, 4]])
    return view


GRAPH = branches()
SCHEDULE = aidge_nb.static_schedule(GRAPH)
PLAN = aidge_nb.plan_memory(GRAPH, SCHEDULE)
SCENE = build_scene(GRAPH, SCHEDULE, PLAN)
DRAWN = [node.name for node in SCENE.nodes]


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def gantt(text: str) -> Steps:
    """Return start and end of each bar of a Mermaid chart, by the first word of its caption."""
    bars = re.findall(r"^(\S+).*:(?:.*, )?(\d+), (\d+)$", text, re.MULTILINE)
    return {name: (int(start), int(end)) for name, start, end in bars}


def of_python(schedule: StaticSchedule) -> Steps:
    return {schedule.name_of(each): (each.early, each.late) for each in schedule.firings}


def of_scheduler() -> Steps:
    scheduler = Scheduler(GRAPH)
    scheduler.generate_scheduling()
    names = GRAPH.unique_names()
    found = scheduler.get_static_scheduling()
    return {names[each.node]: (each.early, each.late) for each in found}


def of_csv(schedule: StaticSchedule) -> Steps:
    return {row["name"]: (int(row["early"]), int(row["late"])) for row in rows(schedule.to_csv())}


def of_table(scene: Scene) -> Steps:
    first = {row["name"]: int(row["first_step"]) for row in rows(to_csv(scene))}
    slack = {row["name"]: int(row["slack"]) for row in rows(to_csv(scene))}
    return {name: (step, step + slack[name]) for name, step in first.items()}


def of_wire(scene: Scene) -> Steps:
    timeline = scene.timeline
    assert timeline is not None
    bars = (timeline.row.tolist(), timeline.early.tolist(), timeline.late.tolist())
    names = [row.name for row in timeline.rows]
    return {names[row]: (early, late) for row, early, late in zip(*bars, strict=True)}


def of_trace(scene: Scene) -> Steps:
    """Return the steps of a trace: an event begins at its early step."""
    events = json.loads(to_trace_json(scene))["traceEvents"]
    runs = [each for each in events if each["ph"] == "X" and each["pid"] == 1]
    late = of_python(SCHEDULE)
    return {each["name"]: (each["ts"], late[each["name"]][1]) for each in runs}


def of_messages(schedule: StaticSchedule) -> Steps:
    found = {}
    for name in DRAWN:
        words = str(schedule.why(name))
        both = re.search(r"from step (\d+) to step (\d+)", words)
        one = re.search(r"step (\d+)", words)
        assert one is not None, words
        early, late = both.groups() if both else (one[1], one[1])
        found[name] = (int(early), int(late))
    return found


FORMS: dict[str, Callable[[], Steps]] = {
    "scheduler": of_scheduler,
    "csv": lambda: of_csv(SCHEDULE),
    "mermaid": lambda: gantt(SCHEDULE.to_mermaid()),
    "mermaid without producers": lambda: gantt(SCHEDULE.to_mermaid(ignore_producers=True)),
    "factorized mermaid": lambda: gantt(SCHEDULE.to_factorized_mermaid()),
    "mermaid of the view": lambda: gantt("\n".join(to_mermaid(SCENE, "timeline"))),
    "table of the view": lambda: of_table(SCENE),
    "view": lambda: of_wire(SCENE),
    "trace": lambda: of_trace(SCENE),
    "messages": lambda: of_messages(SCHEDULE),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_writes_the_same_steps(form: str) -> None:
    wanted = of_python(SCHEDULE)
    assert min(early for early, _ in wanted.values()) == 0
    found = FORMS[form]()
    assert set(DRAWN) <= set(found)
    for name, steps in found.items():
        assert steps == wanted[name], name


def test_the_slack_that_forms_must_agree_on_is_not_always_0() -> None:
    late = {name: late - early for name, (early, late) in of_python(SCHEDULE).items()}
    assert late["short"] == 1
    assert late["long"] == 0


# --- ticks --------------------------------------------------------------------------------------


def lives(plan: MemoryPlan) -> Steps:
    return {each.name: (each.lower, each.upper) for each in plan.buffers}


def of_memory(scene: Scene) -> Steps:
    memory = scene.memory
    assert memory is not None
    columns = (memory.lower.tolist(), memory.upper.tolist())
    names = [scene.nodes[node].name for node in memory.node.tolist()]
    return {name: (a, b) for name, a, b in zip(names, *columns, strict=True)}


TICKS: dict[str, Callable[[], Steps]] = {
    "csv": lambda: {r["id"]: (int(r["lower"]), int(r["upper"])) for r in rows(PLAN.to_csv())},
    "mermaid of the view": lambda: gantt("\n".join(to_mermaid(SCENE, "memory"))),
    "view": lambda: of_memory(SCENE),
}


@pytest.mark.parametrize("form", TICKS)
def test_each_form_writes_the_same_ticks(form: str) -> None:
    wanted = lives(PLAN)
    assert min(lower for lower, _ in wanted.values()) == 0
    assert TICKS[form]() == wanted


def test_ticks_are_places_in_the_order() -> None:
    for name, (lower, _) in lives(PLAN).items():
        assert PLAN.order[lower] == name
    assert f"tick {PLAN.peak_tick}" in SCENE.findings[0].words()
