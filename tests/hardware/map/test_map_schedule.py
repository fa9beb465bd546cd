"""Whole networks on machines with several elements: what is computed where, when, in what room."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise

import pytest

import aidge_nb
from aidge_nb import hardware, static_schedule
from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware import Constraints, check_mapping, map_schedule, read_target
from aidge_nb.tiling import tile_for
from tests.hardware.graphs import TWO_CORES, model, two_branches

SMALL = ("lenet", "mlp", "inception_like", "densenet_like", "shufflenet_like", "tiling_model")
TARGETS = ("mps2-an500", "duo_soc", "quad_cluster")


ORDER = ("first", "left", "left_end", "right", "right_end", "join")


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("target_name", TARGETS)
@pytest.mark.parametrize("scheduler", ["earliest finish", "one by one"])
def test_networks_are_mapped_by_the_rules(name: str, target_name: str, scheduler: str) -> None:
    view, target = model(name), hardware.target(target_name)
    if (name, target_name) == ("tiling_model", "duo_soc"):
        with pytest.raises(HardwareError, match="memory ram: the tensors do not fit"):
            map_schedule(view, target, scheduler=scheduler)
        return
    found = map_schedule(view, target, scheduler=scheduler)
    check_mapping(found, target, None, view)
    nodes = [node for work in found.works for node in work.nodes]
    assert len(nodes) == len(set(nodes))
    assert all(use.peak <= use.capacity for use in found.memories)
    again = map_schedule(view, target, scheduler=scheduler)
    assert again == found


@pytest.mark.parametrize("name", ["inception_like", "densenet_like"])
def test_overlap_is_never_slower_than_one_by_one(name: str) -> None:
    view, target = model(name), hardware.target("quad_cluster")
    together, apart = (
        map_schedule(view, target, scheduler=each) for each in ("earliest finish", "one by one")
    )
    assert together.cycles < apart.cycles
    ends = {work.name: 0 for work in apart.works}
    starts = dict.fromkeys(ends, apart.cycles)
    for step in apart.steps:
        ends[step.work] = max(ends[step.work], step.end)
        starts[step.work] = min(starts[step.work], step.start)
    order = [work.name for work in apart.works]
    assert all(ends[a] <= starts[b] for a, b in pairwise(order))


def test_branches_run_side_by_side_on_two_elements() -> None:
    view, target = two_branches(), read_target(TWO_CORES)
    found = map_schedule(view, target)
    left, right = (found.work(name) for name in ("left", "right"))
    assert {left.elements, right.elements} == {("core/0/pe",), ("core/1/pe",)}
    steps = {step.work: step for step in found.steps}
    assert steps["left"].start == steps["right"].start
    assert steps["join"].start == max(steps["left"].end, steps["right"].end)
    alone = map_schedule(view, target, Constraints("two_cores", use=("core/1",)))
    assert {work.elements for work in alone.works} == {("core/1/pe",)}
    macs = 8 * 8 * 9 * 32 * 32
    assert alone.cycles - found.cycles == macs


def test_operators_go_where_they_are_supported() -> None:
    view, target = model("inception_like"), hardware.target("duo_soc")
    found = map_schedule(view, target)
    for work in found.works:
        for element in work.elements:
            assert all(target.element(element).runs(f.operator) for f in work.functions)
    assert {element for work in found.works for element in work.elements} == {
        "host/pe",
        "accelerator/pe",
    }
    assert "MaxPooling2D" not in target.element("accelerator").supports
    assert all(
        work.elements == ("host/pe",)
        for work in found.works
        if work.functions[0].operator == "PaddedMaxPooling2D"
    )


def test_a_layer_stays_where_it_is_fast_though_what_follows_does_not_run_there() -> None:
    nodes = [aidge_nb.PaddedConv2D(8, 8, [3, 3], "conv", [1, 1], [1] * 4)]
    nodes += [aidge_nb.ReLU("relu"), aidge_nb.Sigmoid("sigmoid")]
    view = aidge_nb.sequential(nodes)
    view.forward_dims([[1, 8, 16, 16]])
    found = map_schedule(view, hardware.target("duo_soc"))
    assert [(work.nodes, work.elements) for work in found.works] == [
        (("conv", "relu"), ("accelerator/pe",)),
        (("sigmoid",), ("host/pe",)),
    ]


def test_elements_that_cooperate_split_a_layer() -> None:
    view, target = model("tiling_model"), hardware.target("quad_cluster")
    found = map_schedule(view, target)
    work = found.work("conv0")
    assert work.nodes == ("conv0", "bn0", "relu0")
    assert len(work.elements) == 4
    assert work.tiling is not None
    macs = dict.fromkeys(work.elements, 0)
    for step in found.steps:
        if step.work == "conv0" and step.kind == "operation":
            macs[step.devices[0]] += work.tiling.tiles[step.tile].macs
    assert len(set(macs.values())) == 1
    assert sum(macs.values()) == 14_155_776
    apart = map_schedule(view, replace(target, cooperation=()))
    assert len(apart.work("conv0").elements) == 1
    assert apart.cycles > 2 * found.cycles


def test_transfers_overlap_with_work_where_two_tiles_fit() -> None:
    view, target = model("tiling_model"), hardware.target("quad_cluster")
    limits = Constraints("quad_cluster", use=("cluster/0", "controller"))
    found = map_schedule(view, target, limits)
    assert found.double_buffered == ("cluster/0/pe",)
    assert found.work("conv0").elements == ("cluster/0/pe",)
    busy = found.busy()
    assert found.cycles < busy["l2_bus"] + busy["cluster/0/pe"]


def test_bytes_that_move_are_those_of_the_tiles() -> None:
    view, target = model("tiling_model"), hardware.target("quad_cluster")
    found = map_schedule(view, target)
    tiling = found.work("conv0").tiling
    assert tiling is not None
    moved = {"load": 0, "store": 0, "parameters": 0}
    for step in found.steps:
        if step.work == "conv0" and step.kind == "transfer":
            moved[step.name.split()[0]] += step.amount
    assert moved["load"] == tiling.read("conv0")
    assert moved["store"] == 4 * 4 * 32 * 64 * 64
    split_by_channels = 1 in tiling.axes
    sizes = 4 * (32 * 3 * 3 * 3 + 32 + 4 * 32)
    assert moved["parameters"] == (sizes if split_by_channels else 4 * sizes)


def test_a_tight_memory_makes_tasks_wait_and_the_least_is_named() -> None:
    view, target = two_branches(wide=64), read_target(TWO_CORES)
    order = [view.get_node(name) for name in ORDER]
    roomy = map_schedule(view, target, schedule=order)
    few = Constraints("two_cores", memory={"ram": 200_000})
    message = r"memory ram: .*at most \d+ bytes, found (\d+), .* too many.*tile_for"
    with pytest.raises(HardwareError, match=message) as caught:
        map_schedule(view, target, few, schedule=order)
    [least] = re.findall(r"found (\d+),", str(caught.value))
    limits = Constraints("two_cores", memory={"ram": int(least)})
    tight = map_schedule(view, target, limits, schedule=order)
    check_mapping(tight, target, limits, view)
    assert tight.memories[0].peak == int(least) < roomy.memories[0].peak
    assert tight.cycles > roomy.cycles


def test_chains_of_a_search_bring_a_network_into_a_small_memory() -> None:
    convs = [aidge_nb.Conv2D(8, 8, [3, 3], f"conv{number}") for number in range(3)]
    view = aidge_nb.sequential([*convs, aidge_nb.MaxPooling2D([4, 4], "pool", [4, 4])])
    assert view.forward_dims([[1, 8, 38, 38]])
    target = hardware.target("mps3-an547")
    limits = Constraints("mps3-an547", memory={"ram": 70_000})
    with pytest.raises(HardwareError, match="memory ram: the tensors do not fit"):
        map_schedule(view, target, limits, home="ram")
    tilings = tile_for(view, memory=20_000).best.plan(view)
    found = map_schedule(view, target, limits, home="ram", tilings=tilings)
    check_mapping(found, target, limits, view)
    assert found.works[0].tiling == tilings[0]
    assert {use.path: use.peak for use in found.memories}["ram"] <= 70_000
    with pytest.raises(HardwareError, match="shares a node with another tiling"):
        map_schedule(view, target, tilings=[tilings[0], tilings[0]])


def test_costs_of_the_table_count() -> None:
    view = two_branches()
    plain = map_schedule(view, read_target(TWO_CORES))
    dear = read_target(TWO_CORES.replace("100MHz", "100MHz, cycles: {Add: {per_element: 50}}"))
    found = map_schedule(view, dear)
    lengths = {step.work: step.end - step.start for step in found.steps}
    assert lengths["join"] == 50 * 8 * 32 * 32
    assert found.cycles > plain.cycles
    fixed = read_target(TWO_CORES.replace("100MHz", '100MHz, cycles: {"*": {fixed: 1000}}'))
    before = {step.work: step.end - step.start for step in plain.steps}
    after = {step.work: step.end - step.start for step in map_schedule(view, fixed).steps}
    assert after["left"] == before["left"] + 1000


def test_an_operation_waits_for_its_operands_where_the_link_is_narrow() -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU("relu")])
    view.forward_dims([[1, 1000]])
    narrow = read_target(TWO_CORES.replace("bytes_per_cycle: 8", "bytes_per_cycle: 2, latency: 7"))
    [step] = map_schedule(view, narrow).steps
    assert step.end - step.start == 7 + 2 * 4 * 1000 // 2


def test_orders_are_those_of_the_schedule() -> None:
    view, target = two_branches(), read_target(TWO_CORES)
    order = static_schedule(view)
    assert [work.name for work in map_schedule(view, target, schedule=order).works] == [
        "first",
        "left",
        "right",
        "join",
    ]
    nodes = [view.get_node(name) for name in ("first", "right", "left", "join")]
    assert [work.name for work in map_schedule(view, target, schedule=nodes).works] == [
        "first",
        "right",
        "left",
        "join",
    ]
    with pytest.raises(HardwareError, match=r"schedule: is of another graph.*static_schedule"):
        map_schedule(model("lenet"), target, schedule=order)


def test_nodes_that_fire_several_times_are_mapped_firing_by_firing() -> None:
    view = aidge_nb.sequential([aidge_nb.Pop("pop"), aidge_nb.ReLU("relu"), aidge_nb.Stack(3, "s")])
    assert view.forward_dims([[3, 1, 4]])
    schedule = static_schedule(view)
    found = map_schedule(view, hardware.target("mcu"), schedule=schedule)
    names = [work.name for work in found.works]
    assert [name for name in names if "relu" in name] == ["relu", "relu[1]", "relu[2]"]
    assert found.work("relu[2]").after != ()


def test_the_report_tells_what_binds() -> None:
    view, target = model("inception_like"), hardware.target("quad_cluster")
    found = map_schedule(view, target, Constraints("quad_cluster", max_latency=1.0))
    path = hardware.critical_path(found)
    steps = [found.steps[number] for number in path]
    assert steps[0].start == 0
    assert steps[-1].end == found.cycles
    assert all(a.end == b.start for a, b in pairwise(steps))
    assert sum(hardware.binding(found).values()) == found.cycles
    limits = {bound.name: bound for bound in hardware.bounds(found)}
    assert limits["l2"].limit == 4 << 20
    assert limits["l2_bus"].used == found.busy()["l2_bus"]
    assert limits["max_latency"].share == pytest.approx(found.seconds)
    report = found.report()
    assert f"bound by {found.bottleneck}: busy for {found.busy()[found.bottleneck]}" in report
    assert "latency of 1000 ms kept by" in report
    assert "  l2: " in report


def test_mappings_are_values() -> None:
    found = map_schedule(model("tiling_model"), hardware.target("quad_cluster"))
    assert hardware.Mapping.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert repr(found).startswith("Mapping(quad_cluster: 2 works in ")
    assert found.devices[:4] == ("cluster/0/pe", "cluster/1/pe", "cluster/2/pe", "cluster/3/pe")
    with pytest.raises(KeyError, match="nowhere"):
        found.work("nowhere")


def test_fully_connected_layers_come_in_tiles() -> None:
    """Outputs are shared by elements; the weights of each part are read once."""
    view = aidge_nb.sequential([aidge_nb.FC(512, 1000, name="fc"), aidge_nb.ReLU("relu")])
    assert view.forward_dims([[1, 512]])
    quad = hardware.target("quad_cluster")
    no_controller = Constraints("quad_cluster", use=tuple(f"cluster/{n}" for n in range(4)))
    found = map_schedule(view, quad, no_controller)
    check_mapping(found, quad, no_controller, view)
    work = found.work("fc")
    assert work.tiling is not None
    assert work.tiling.axes == (1,)
    assert len(work.elements) == 4
    moved = sum(s.amount for s in found.steps if s.name.startswith("parameters"))
    assert moved == 4 * (512 * 1000 + 1000)


@pytest.mark.parametrize("name", ["mcu", "quad_cluster"])
def test_products_of_attention_take_the_time_of_their_terms(name: str) -> None:
    view = aidge_nb.load_onnx(aidge_nb.zoo.dinov2_like(size=28, dim=16, heads=2, depth=1))
    assert view.forward_dims([[1, 3, 28, 28]], allow_data_dependency=True)
    target = hardware.target(name)
    found = map_schedule(view, target)
    check_mapping(found, target, None, view)
    tokens, heads, dim = 5, 2, 8
    scores = found.work("layer0_attention_scores")
    (product,) = (each for each in scores.functions if each.operator == "MatMul")
    assert product.macs == heads * tokens * tokens * dim
    work = [s for s in found.steps if s.work == scores.name and s.kind == "operation"]
    assert sum(step.amount for step in work) == sum(f.macs or f.elements for f in scores.functions)
    for step in work:
        pace = target.element(step.devices[0]).macs_per_cycle
        assert step.end - step.start >= step.amount / pace
    assert f"bound by {found.bottleneck}" in found.report()


TINY_MEMORIES = """
device: tiny
memories: {ram: {size: 1MiB}}
devices:
  core:
    count: 2
    pe: {macs_per_cycle: 1, frequency: 100MHz}
    memories: {l1: {size: 1KiB}}
links:
  - {between: [core/*/pe, core/*/l1], bytes_per_cycle: 8}
  - {between: [core/*/l1, ram], bytes_per_cycle: 8}
cooperation: [{group: core/*, split: [batch, out_channel]}]
"""


@pytest.mark.parametrize("scheduler", ["earliest finish", "one by one"])
def test_layers_whose_borders_are_padding_alone_are_mapped_in_tiles(scheduler: str) -> None:
    view = aidge_nb.sequential([aidge_nb.PaddedConv2D(4, 6, [1, 1], "conv", [1, 1], [1] * 4)])
    assert view.forward_dims([[3, 4, 7, 8]])
    target = read_target(TINY_MEMORIES)
    found = map_schedule(view, target, scheduler=scheduler)
    check_mapping(found, target, None, view)
    assert found.work("conv").tiling is not None
