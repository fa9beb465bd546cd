"""What views are given by mistake, and what came out of computations that failed."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import zoo
from aidge_nb.core.errors import AidgeError, GraphError
from aidge_nb.memory import generate_memory, plan_memory
from aidge_nb.widgets import (
    Scene,
    build_scene,
    cp_debugger,
    explore,
    explore_tiling,
    to_html,
    workbench,
)
from aidge_nb.widgets.exploration import Settings
from tests.widgets.models import plan_of, residual, snapshot

NAN, INF = math.nan, math.inf


def network() -> aidge_nb.GraphView:
    names = ("a", "b", "c")
    nodes = [aidge_nb.PaddedConv2D(4, 4, [3, 3], name, None, [1] * 4) for name in names]
    view = aidge_nb.sequential(nodes)
    view.forward_dims([[1, 4, 16, 16]])
    return view


def given() -> dict[str, tuple[tuple[Any, ...], str]]:
    view = network()
    schedule, order = aidge_nb.static_schedule(view), view.topological_order()
    plan, manager = plan_memory(view, order), generate_memory(view, order)
    scheduler = aidge_nb.SequentialScheduler(view)
    return {
        "a path": (("model.onnx",), "load_onnx"),
        "a model of a file": ((zoo.lenet(),), r"found OnnxModel.*load_onnx\(model\)"),
        "a number": ((3,), "show this graph .expected GraphView or GraphSnapshot, found int"),
        "another order": ((schedule, view, plan), "graph, schedule and plan, in this order"),
        "a scheduler": ((view, scheduler), r"scheduler\.schedule\(\)"),
        "a manager": ((view, schedule, manager), r"plan_of_manager"),
        "a list": ((view, [1, 2]), "this schedule .expected StaticSchedule, found list"),
    }


@pytest.mark.parametrize("name", given())
def test_what_is_no_model_is_refused_with_what_to_do(name: str) -> None:
    values, words = given()[name]
    with pytest.raises(AidgeError, match=words):
        workbench(*values)


def test_controls_need_a_graph_and_nodes_of_it() -> None:
    odd: Any = network().snapshot()
    for make in (explore, cp_debugger):
        with pytest.raises(AidgeError, match=r"can be planned anew .expected GraphView"):
            make(odd)
    name: Any = ["a"]
    with pytest.raises(GraphError, match="not in this graph"):
        explore_tiling(network(), name)


def test_one_node_can_be_tiled_without_a_list() -> None:
    view = network()
    made = explore_tiling(view, view.get_node("a"))
    assert made.tiling.nodes == ("a",)
    made.close()


def test_a_view_shows_scenes_alone() -> None:
    made = workbench(*residual())
    scene: Any = residual()[2]
    with pytest.raises(
        AidgeError, match=r"only a scene can be shown .expected Scene, found Memory"
    ):
        made.scene = scene
    made.close()


@pytest.mark.parametrize("times", [(5.0, 2.0), (NAN, 2.0), (0.0, INF)])
def test_a_range_begins_before_it_ends(times: tuple[float, float]) -> None:
    made = workbench(*residual(), time_range=(1, 2))
    with pytest.raises(AidgeError, match="time_range: no such range of time"):
        made.time_range = times
    assert made.time_range == (1, 2)
    made.close()


def reads_well(scene: Scene) -> None:
    """Browsers refuse numbers that are none; every form can be made."""
    meta, _ = scene.payload()
    json.dumps(meta, allow_nan=False)
    assert to_html(scene).startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("field", ["size", "offset", "lower", "upper"])
@pytest.mark.parametrize("value", [NAN, INF, -INF])
def test_buffers_without_size_place_or_time_are_left_out_and_named(
    field: str, value: float
) -> None:
    graph, schedule, plan = residual(1)
    odd: dict[str, Any] = {field: value}
    broken = replace(plan, buffers=(replace(plan.buffers[0], **odd), *plan.buffers[1:]))
    scene = build_scene(graph, schedule, broken)
    assert scene.memory is not None
    assert len(scene.memory) == len(plan.buffers) - 1
    (note,) = scene.notes
    assert note.endswith(f"not drawn in the memory plan: {plan.buffers[0].name}")
    reads_well(scene)
    reads_well(build_scene(graph, schedule, plan, before=broken))


def test_a_size_below_nothing_is_none() -> None:
    plan = residual(1)[2]
    broken = replace(plan, buffers=tuple(replace(each, size=-5) for each in plan.buffers))
    notes = build_scene(plan=broken).notes
    assert notes[0].endswith(f"and {len(plan.buffers) - 3} more")
    assert notes[1] == "the memory plan is empty: it holds no buffer"


def test_a_peak_that_is_no_number_is_that_of_the_buffers() -> None:
    plan = residual(1)[2]
    odd: Any = NAN
    scene = build_scene(plan=replace(plan, peak=odd, lower_bound=odd))
    assert scene.memory is not None
    assert scene.memory.peak == plan.peak
    assert "is not a number" in scene.notes[0]
    reads_well(scene)


def test_numbers_of_nodes_that_are_none_are_not_known() -> None:
    graph = snapshot(["a", "b"], [(0, 1)])
    odd: Any = NAN
    first = replace(graph.nodes[0], macs=odd, parameters=odd, weight_bytes=odd)
    scene = build_scene(replace(graph, nodes=(first, graph.nodes[1])))
    assert scene.nodes[0].macs is None
    assert scene.notes == ("numbers of these nodes are not known: a",)
    reads_well(scene)


@pytest.mark.parametrize(
    "run", [("stem", NAN, 1.0), ("stem", 0.0, INF), ("stem", 3.0, 1.0), ("who?", 0.0, 1.0)]
)
def test_runs_that_cannot_be_drawn_are_named(run: tuple[str, float, float]) -> None:
    scene = build_scene(*residual(1), measured=[run])
    assert scene.measured is None
    assert scene.notes[0].endswith(f"are not drawn: {run[0]}")
    scene = build_scene(*residual(1), measured=[run, ("stem", 0.0, 2.0)])
    assert scene.measured is not None
    assert scene.measured.duration.tolist() == [2]
    assert len(scene.notes) == 1


def test_a_plan_to_compare_with_may_be_of_another_graph() -> None:
    graph, schedule, plan = residual(1)
    scene = build_scene(graph, schedule, plan, before=plan_of(["elsewhere"]))
    assert scene.notes == ("not in the graph, and so not drawn there: elsewhere",)
    reads_well(scene)


@pytest.mark.parametrize("stripes", [1, 3])
def test_a_graph_that_is_gone_is_said_in_place(stripes: int) -> None:
    view = network()
    made = explore(view)
    made.settings = Settings(stripes=2)
    for node in list(view):
        view.remove(node)
    made.settings = Settings(stripes=stripes)
    said = "the nodes to cut are gone" if stripes > 1 else "peak 0 B"
    assert said in made.status
    made.close()


def test_an_empty_graph_has_controls() -> None:
    made = explore(aidge_nb.GraphView())
    assert made.scene.notes == (
        "the schedule is empty: nothing fires",
        "the memory plan is empty: it holds no buffer",
    )
    made.close()


def test_what_a_view_has_no_name_for_cannot_be_set() -> None:
    view = workbench(*residual(1))
    with pytest.raises(AttributeError, match=r"querry here\. Did you mean query\?"):
        view.querry = "conv"
    with pytest.raises(AttributeError, match=r"Workbench: nothing is called colour here$"):
        view.colour = "red"
    view.query, view.selected, view.layout.width = "conv", "stem", "50%"
    assert (view.query, view.selected) == ("conv", "stem")


def test_controls_say_that_their_view_has_it() -> None:
    model = aidge_nb.sequential([aidge_nb.ReLU(name="a")])
    model.forward_dims([[1, 4]])
    view = explore(model)
    with pytest.raises(AttributeError, match=r"The view has it: \.bench\.selected"):
        view.selected = "a"
    with pytest.raises(AttributeError, match=r"Did you mean settings\?"):
        view.setings = Settings(policy="MinimumMemory")
    view.bench.selected = "a"


def test_a_schedule_and_a_plan_of_different_graphs_are_said_to_be() -> None:
    _, schedule, plan = residual(1)
    scene = build_scene(None, schedule, plan_of(["stem", "elsewhere"]))
    assert scene.notes == ("not in the schedule, and so not drawn there: elsewhere",)
    assert build_scene(None, schedule, plan).notes == ()
    model = aidge_nb.zoo.load("lenet")
    model.forward_dims([[1, 1, 32, 32]])
    made = plan_memory(model, model.topological_order())
    assert build_scene(None, aidge_nb.static_schedule(model), made).notes == ()


def test_what_a_scheduler_measured_is_shown_as_it_is() -> None:
    model = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(), aidge_nb.Tanh()])
    model.set_backend("cpu")
    model.forward_dims([[1, 4]])
    scheduler = aidge_nb.SequentialScheduler(model)
    scheduler.generate_scheduling()
    scheduler.forward(data=[aidge_nb.Tensor(np.zeros((1, 4), np.float32))])
    runs = scheduler.get_forward_scheduling()
    view = workbench(model, scheduler.schedule(), measured=runs)
    assert (view.scene.notes, "measured" in view.panels) == ((), True)
    measured, timeline = view.scene.measured, view.scene.timeline
    assert measured is not None
    assert timeline is not None
    names = [timeline.rows[row].name for row in measured.row]
    assert names == [model.unique_names()[run.node] for run in runs]
    spans = [(run.end - run.start) / 1000 for run in runs]
    assert np.abs(measured.duration - np.maximum(1, spans)).max() <= 1


def test_a_view_compares_two_plans() -> None:
    _, schedule, plan = residual(1)
    bigger = plan_of([row.name for row in schedule.actors], size=4096)
    view = workbench(None, schedule, plan, before=bigger, labels=("A", "B"))
    memory = view.scene.memory
    assert memory is not None
    assert memory.other is not None
    assert (memory.other.label, memory.label) == ("A", "B")
