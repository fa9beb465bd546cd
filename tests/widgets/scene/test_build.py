import json
from dataclasses import replace
from itertools import pairwise

import numpy as np

import aidge_nb
from aidge_nb import hardware
from aidge_nb.hardware.mapping import Mapping
from aidge_nb.memory import plan_memory
from aidge_nb.memory.values.plan import Buffer, MemoryPlan
from aidge_nb.scheduling.schedule.nest import Actor, Firing, Loop
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
from aidge_nb.widgets import Scene, build_scene
from aidge_nb.widgets.still.svg.mapping import bar_label
from aidge_nb.widgets.still.svg.picture import to_svg
from aidge_nb.widgets.wire.columns import unpack
from tests.widgets.models import (
    EVIL,
    mapping_of,
    plan_of,
    repeated,
    residual,
    schedule_of,
    snapshot,
)


def read(scene: Scene) -> dict[str, list[float]]:
    meta, data = scene.payload()
    return {name: array.tolist() for name, array in unpack(meta["columns"], data).items()}


def test_buffers_of_a_plan_alone_are_told_apart_by_colours() -> None:
    graph, _, plan = residual(2)
    alone = build_scene(plan=plan).nodes
    assert all(one.colours != other.colours for one, other in pairwise(alone))
    known = {node.name: node.colours for node in build_scene(graph).nodes}
    beside = build_scene(graph, plan=plan).nodes
    assert {node.name: node.colours for node in beside} == known  # those of their types


def test_all_panels_share_one_index_space() -> None:
    graph, schedule, plan = residual(2)
    scene = build_scene(graph, schedule, plan)
    assert [node.name for node in scene.nodes] == [node.name for node in graph.nodes]
    assert scene.timeline is not None
    assert scene.memory is not None
    for row in scene.timeline.rows:
        if not row.producer:
            assert scene.nodes[row.node].name == row.name
    for name, node in zip(scene.memory.names, scene.memory.node, strict=True):
        assert scene.nodes[node].name == name
    assert scene.notes == ()


def test_weights_belong_to_the_node_that_the_graph_folds_them_into() -> None:
    graph = snapshot(["conv", "relu"], [(0, 1)], folded=[("any name at all", 0)])
    schedule = schedule_of(["conv", "relu"], [(1, 1), (2, 2)], producers=["any name at all"])
    scene = build_scene(graph, schedule)
    assert scene.timeline is not None
    owners = {row.name: row.node for row in scene.timeline.rows if row.producer}
    assert owners == {"any name at all": 0}
    assert len(scene.nodes) == 2


def test_without_a_graph_weights_are_recognised_by_their_name() -> None:
    scene = build_scene(schedule=schedule_of(["a", "a_b"], [(1, 1), (2, 2)], ["a_b_w", "lost"]))
    assert scene.timeline is not None
    owners = {row.name: scene.nodes[row.node].name for row in scene.timeline.rows if row.producer}
    assert owners == {"a_b_w": "a_b", "lost": "lost"}


def test_rows_follow_the_first_firing_and_weights_stand_above_their_reader() -> None:
    scene = build_scene(schedule=schedule_of(["late", "soon"], [(5, 5), (1, 1)], ["late_w"]))
    assert scene.timeline is not None
    assert [row.name for row in scene.timeline.rows] == ["soon", "late_w", "late"]


def test_a_bar_takes_ten_bytes_or_less() -> None:
    count, rows = 100_000, 200
    actors = tuple(Actor(f"op{row}", "Conv2D", False, "", row) for row in range(rows))
    firings = tuple(
        Firing(index % rows, index // rows, index // 2, index // 2 + index % 7)
        for index in range(count)
    )
    schedule = StaticSchedule(actors, firings)
    meta, data = build_scene(schedule=schedule).payload()
    assert len(data) + len(json.dumps(meta)) <= 1_000_000
    sizes = {
        column["name"]: column["count"] * int(column["dtype"][1]) for column in meta["columns"]
    }
    bars = sum(size for name, size in sizes.items() if name.startswith("bar."))
    assert bars <= 10 * count
    assert len(json.dumps(meta)) < 40_000


def test_repeated_sections_are_folded() -> None:
    scene = build_scene(schedule=repeated(10))
    assert scene.timeline is not None
    assert max(frame.count for frame in scene.timeline.frames) >= 9
    assert scene.timeline.nest.row.size < scene.timeline.row.size / 2


def test_bars_stand_in_the_order_of_the_schedule() -> None:
    """Without a plan, the browser takes the order that runs from them."""
    _, schedule, _ = residual(1)
    late_first = StaticSchedule(
        schedule.actors, (*schedule.firings[:3], schedule.firings[4], schedule.firings[3])
    )
    scene = build_scene(schedule=late_first)
    assert scene.timeline is not None
    names = [scene.timeline.rows[row].name for row in scene.timeline.row]
    assert names == [late_first.name_of(firing) for firing in late_first.firings]


def test_a_plan_of_another_graph_is_shown_and_said() -> None:
    names = ["p", "q", "r", "s"]
    scene = build_scene(snapshot(["a", "b"], [(0, 1)]), plan=plan_of(names))
    assert scene.notes == ("not in the graph, and so not drawn there: p, q, r and 1 more",)
    assert [node.name for node in scene.nodes] == ["a", "b", *names]


def test_wrapped_buffers_have_two_rectangles() -> None:
    wrapped = Buffer("a", "a", 0, 100, 0, 1, 60, wrapped_offset=0, wrapped_size=40)
    scene = build_scene(plan=MemoryPlan(("a",), (wrapped,), 120, 120))
    assert scene.memory is not None
    assert scene.memory.names == ("a", "a")
    assert scene.memory.offset.tolist() == [60, 0]
    assert scene.memory.size.tolist() == [60, 40]


def test_strided_buffers_have_a_rectangle_for_each_block() -> None:
    plan = MemoryPlan(("a",), (Buffer("a", "a", 0, 96, 0, 1, 32, levels=((3, 64),)),), 192, 96)
    memory = build_scene(plan=plan).memory
    assert memory is not None
    assert memory.offset.tolist() == [32, 96, 160]
    assert memory.size.tolist() == [32, 32, 32]
    assert memory.buffer_bytes.tolist() == [96, 96, 96]


def test_tiles_lie_in_blocks_of_several_levels() -> None:
    tile = Buffer("a", "a", 0, 16, 0, 1, 8, levels=((2, 64), (2, 16)))
    memory = build_scene(plan=MemoryPlan(("a",), (tile,), 128, 128)).memory
    assert memory is not None
    assert memory.offset.tolist() == [8, 24, 72, 88]
    assert memory.size.tolist() == [4] * 4


def test_blocks_that_are_too_many_to_be_seen_are_drawn_by_groups() -> None:
    tile = Buffer("a", "a", 0, 40_000, 0, 1, 8, levels=((4, 40_000), (10_000, 4)))
    memory = build_scene(plan=MemoryPlan(("a",), (tile,), 160_000, 160_000)).memory
    assert memory is not None
    assert memory.offset.tolist() == [8, 40_008, 80_008, 120_008]
    assert memory.size.tolist() == [39_997] * 4
    assert memory.buffer_bytes.tolist() == [40_000] * 4


def test_weights_are_told_by_node_unless_the_plan_holds_them() -> None:
    view = aidge_nb.sequential([aidge_nb.FC(4, 2, name="fc"), aidge_nb.ReLU(name="relu")])
    graph = view.snapshot()
    assert [node.weight_bytes for node in graph.nodes] == [40, 0]
    plan = plan_of(["fc", "relu"])
    assert read(build_scene(graph, plan=plan))["weight.size"] == [40, 0]
    first = replace(plan.buffers[0], kind="producer")
    held = replace(plan, buffers=(first, *plan.buffers[1:]))
    assert "weight.size" not in read(build_scene(graph, plan=held))


def test_a_mapping_says_where_nodes_run() -> None:
    mapping = mapping_of(elements=2)
    scene = build_scene(snapshot(["conv0", "other"], [(0, 1)]), mapping=mapping)
    assert [node.device for node in scene.nodes] == ["cluster/0/pe + cluster/1/pe", "cpu"]
    assert ("runs on", "cluster/0/pe, cluster/1/pe") in scene.nodes[0].details
    assert scene.panels == ("graph", "devices", "memory", "table")
    assert scene.devices is not None
    assert [row.name for row in scene.devices.rows] == list(mapping.devices)
    assert set(scene.devices.node.tolist()) == {0}, "bars belong to nodes of the graph"
    assert read(scene)["devices.node"] == [0] * len(mapping.steps)


def mapped() -> tuple[aidge_nb.GraphView, Mapping]:
    convs = [aidge_nb.PaddedConv2D(8, 8, [3, 3], name, None, [1] * 4) for name in ("a", "b")]
    view = aidge_nb.sequential([*convs, aidge_nb.ReLU(name="relu")])
    view.forward_dims([[1, 8, 16, 16]])
    return view, hardware.map_schedule(view, hardware.target("quad_cluster"))


def test_devices_stand_beside_graph_schedule_and_memory_of_a_mapped_network() -> None:
    view, mapping = mapped()
    schedule, plan = aidge_nb.static_schedule(view), plan_memory(view, view.topological_order())
    scene = build_scene(view, schedule, plan, mapping=mapping)
    assert scene.panels == ("graph", "timeline", "devices", "memory", "table")
    assert scene.notes == ()
    assert [node.name for node in scene.nodes] == ["a", "b", "relu"]
    assert scene.memory is not None
    assert sorted(scene.memory.names) == sorted(buffer.name for buffer in plan.buffers)
    assert scene.devices is not None
    for step in mapping.steps:
        nodes = mapping.work(step.work).nodes
        for device in step.devices:
            row = mapping.devices.index(device)
            bars = (scene.devices.row == row) & (scene.devices.start == step.start)
            assert {scene.nodes[node].name for node in scene.devices.node[bars]} <= set(nodes)
    together = [work.nodes for work in mapping.works if len(work.nodes) > 1]
    assert together, "something is computed together"
    for names in together:
        for node in scene.nodes:
            if node.name in names:
                others = ", ".join(name for name in names if name != node.name)
                assert dict(node.details)["together with"] == others
    assert dict(scene.figures)["cycles"] == f"{mapping.cycles:,}"


def test_a_mapping_alone_shows_the_graph_that_was_mapped() -> None:
    view, mapping = mapped()
    assert build_scene(mapping=mapping) == build_scene(view, mapping=mapping)
    read_again = Mapping.from_dict(mapping.to_dict())
    assert build_scene(mapping=read_again).panels == ("devices", "memory", "table")


def test_a_plan_beside_a_mapping_is_drawn_with_or_without_a_schedule() -> None:
    view, mapping = mapped()
    plan = plan_memory(view, view.topological_order())
    scene = build_scene(view, plan=plan, mapping=mapping, before=plan)
    assert scene.memory is not None
    assert not scene.memory.spaces, "the plan, which counts executions"
    assert scene.memory.other is not None
    assert scene.memory.names == build_scene(view, plan=plan).memory.names  # type: ignore[union-attr]
    assert (scene.panels, scene.notes) == (("graph", "devices", "memory", "table"), ())
    scene = build_scene(view, aidge_nb.static_schedule(view), mapping=mapping)
    assert scene.panels == ("graph", "timeline", "devices", "table")


def test_bars_of_nodes_that_are_computed_together_are_of_all_of_them() -> None:
    view, mapping = mapped()
    scene = build_scene(view, mapping=mapping)
    devices = scene.devices
    assert devices is not None
    names = [node.name for node in scene.nodes]
    together = {frozenset(work.nodes) for work in mapping.works if len(work.nodes) > 1}
    assert together, "something is computed together"
    bars = range(devices.row.size)
    found = {frozenset(names[node] for node in devices.nodes_of(bar)) for bar in bars}
    assert together <= found
    assert [devices.nodes_of(bar)[0] for bar in bars] == devices.node.tolist()
    shared = next(bar for bar in bars if len(devices.nodes_of(bar)) == 2)
    written = scene.names
    whole = bar_label(scene, devices, shared, 1e4, written)
    assert frozenset(whole.split(" + ")) in {frozenset(map(written.path, own)) for own in together}
    assert bar_label(scene, devices, shared, 32, written) == f"{whole.split(' + ')[0]} +1"
    assert bar_label(scene, devices, shared, 5, written) == ""
    assert devices.work is not None
    assert read(scene)["devices.work"] == devices.work.tolist()


def test_empty_values_are_said_to_be_empty() -> None:
    scene = build_scene(snapshot([], []), StaticSchedule((), ()), MemoryPlan((), (), 0, 0))
    assert scene.notes == (
        "the schedule is empty: nothing fires",
        "the memory plan is empty: it holds no buffer",
    )
    assert scene.payload()[0]["timeline"]["steps"] == 0


def test_constants_are_said_apart_from_parameters() -> None:
    graph = snapshot(["a", "b"], [(0, 1)])
    figures = dict(build_scene(graph).figures)
    assert figures["parameters"] == "16"
    assert "constants" not in figures
    nodes = (replace(graph.nodes[0], constants=3), graph.nodes[1])
    scene = build_scene(replace(graph, nodes=nodes))
    assert dict(scene.figures)["parameters"] == "16"
    assert dict(scene.figures)["constants"] == "3"
    assert ("constants", "3") in scene.nodes[0].details
    assert "constants" not in dict(scene.nodes[1].details)


def test_figures_come_from_what_is_there() -> None:
    graph, schedule, plan = residual(1)
    figures = dict(build_scene(graph, schedule, plan).figures)
    assert figures["operators"] == "5"
    assert figures["MACs"] == "≥ 2 k"
    assert figures["steps"] == "5"
    assert figures["firings"] == "5"
    assert figures["without slack"] == "4"
    assert figures["memory peak"] == f"{plan.peak / 1024:.3g} KiB"
    assert build_scene().figures == ()


def test_operators_that_are_not_supported_are_counted() -> None:
    graph = snapshot(["a"], [])
    node = graph.nodes[0]
    generic = type(node)("a", "Odd", (), 0, None, "", native=False)
    odd = type(graph)("odd", (generic,), (), (), ())
    scene = build_scene(odd)
    assert dict(scene.figures)["not supported"] == "1"
    assert "generic" in dict(scene.nodes[0].details)["support"]


def test_scenes_are_values() -> None:
    one, other = build_scene(*residual(2)), build_scene(*residual(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != build_scene(*residual(3))
    assert repr(one) == "Scene('residual': 9 nodes, 11 bars, 9 buffers)"


def test_the_payload_is_json_whatever_the_names() -> None:
    names = [EVIL, "\ud800", "\x00", "漢字"]
    meta, _ = build_scene(snapshot(names, [(0, 1)])).payload()
    assert json.loads(json.dumps(meta, allow_nan=False))["nodes"]["name"] == [
        *(EVIL, "\ufffd", "\ufffd", "漢字"),  # what cannot be drawn is replaced
    ]


def test_large_addresses_survive() -> None:
    huge = Buffer("a", "a", 0, 2**33, 0, 1, 2**35)
    scene = build_scene(plan=MemoryPlan(("a",), (huge,), huge.end, huge.end))
    columns = read(scene)
    assert columns["buffer.offset"] == [2**35]
    assert np.isfinite(columns["buffer.size"]).all()


def test_huge_schedules_are_drawn_folded() -> None:
    actors = tuple(Actor(name, "ReLU", False, name, 0) for name in "ab")
    body = (Firing(0, 0, 0, 0), Firing(1, 0, 1, 1))
    loop = Loop(10**9, body, ((0, 1, 2, 2), (1, 1, 2, 2)))
    scene = build_scene(schedule=StaticSchedule(actors, (loop,)))
    timeline = scene.timeline
    assert timeline is not None
    assert [(frame.start, frame.period, frame.count) for frame in timeline.frames] == [
        (0, 2, 10**9)
    ]
    assert list(timeline.early) == [0, 1]
    assert "×1,000,000,000, every 2 steps<" in to_svg(scene, "timeline")
    assert scene.notes == ("2,000,000,000 firings are too many to list: loops are drawn once",)
    assert scene.figures == (("steps", "2,000,000,000"), ("firings", "2,000,000,000"))
