"""The numbers that the texts of tutorials 02 to 08 say are those of the library."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise, permutations

import numpy as np
import pytest

import aidge_nb
from aidge_nb import course, hardware, plan_memory, plan_tiling, static_schedule, tiling, zoo
from aidge_nb.course import generators, graphs, machines
from aidge_nb.course.fit.moves import LEVELS
from aidge_nb.course.queries import TRANSFORMER, groups_of
from aidge_nb.memory import plan, plan_of_manager
from tests.course.questions_of import NOTEBOOKS

SHORT = ("04_memory", "05_queries", "06_tiling")


@pytest.mark.parametrize("name", SHORT)
def test_cells_are_short(name: str) -> None:
    """At most 70 words or 12 lines; folded questions, the first and the last cell may have more."""
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))["cells"]
    for cell in cells[1:-1]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            assert len(re.sub(r"[#*`]", " ", text).split()) <= 70, text
        elif not cell["metadata"]:
            assert len(text.splitlines()) <= 12, text


def test_amounts() -> None:
    with pytest.raises(aidge_nb.SchedulingError, match=r"expected Elts_t\(data=2.*data=1"):
        static_schedule(graphs.rates(1, (2, 3), (2, 1)))
    timed = static_schedule(graphs.rates(8, (1, 1), (2, 1), (1, 1)))
    assert [timed.early("a", each) for each in range(3)] == [1, 2, 4]
    assert (timed.early("b"), timed.n_firings, timed.n_steps) == (3, 17, 14)
    turns = static_schedule(graphs.loop(4))
    assert (turns.count("state"), turns.n_steps) == (5, 14)
    for lines in (20, 100):
        flow = static_schedule(graphs.pipeline(lines))
        assert (flow.early("conv3"), flow.count("conv3")) == (9, lines - 6)
        assert flow.early("conv3", lines - 7) == 9 + 2 * (lines - 7) == flow.n_steps - 1
    windows = static_schedule(graphs.pipeline(12, (2, 4)))
    assert (windows.early("conv2"), windows.count("conv1"), windows.early("conv1", 4)) == (5, 11, 6)
    assert (windows.early("conv1", 10), windows.n_steps) == (18, 20)
    ends = {200: "source a b 99×(a 2×(b)) 101×(b)", 400: "source a b 199×(a 2×(b)) 201×(b)"}
    for size, text in ends.items():
        assert static_schedule(graphs.rates(size, (2, 3), (1, 1))).to_text() == text


@pytest.mark.parametrize("windows", [(3, 3), (3, 5), (3, 5, 2), (4, 2, 3), (2, 4, 3)])
def test_who_fires_and_when_in_a_pipeline(windows: tuple[int, ...]) -> None:
    """Of those that can fire the one nearest the end; steps by the rule of "At which step?"."""
    lines = 12
    found = static_schedule(graphs.pipeline(lines, windows))
    names = ["image", *(f"conv{stage}" for stage in range(1, len(windows) + 1))]
    fired = dict.fromkeys(names, 0)
    last: dict[str, int] = {}
    order: list[str] = []
    while True:
        there = {one: fired[before] for before, one in pairwise(names)}
        there["conv1"] *= lines
        ready = [
            name
            for name, window in zip(names[1:], windows, strict=True)
            if there[name] >= window + fired[name]
        ]
        if not ready and order:
            break
        name = ready[-1] if ready else "image"
        at = names.index(name)
        near = [last[each] for each in names[max(at - 1, 0) : at + 2] if each in last]
        last[name] = max(near, default=-1) + 1
        assert found.early(name, fired[name]) == last[name]
        fired[name] += 1
        order.append(name)
    assert list(found.order) == order
    assert fired["conv1"] == lines - windows[0] + 1


def test_the_source_fires_again_when_nobody_else_can() -> None:
    waiting = {"a": 0, "b": 0}
    for name in static_schedule(graphs.rates(6, (2, 3), (2, 1))).order:
        if name == "source":
            assert waiting["a"] < 2
            assert waiting["b"] < 2
            waiting["a"] += 6
            continue
        waiting[name] -= 2
        if name == "a":
            waiting["b"] += 3


def test_the_first_firing_of_the_source_must_be_enough_to_begin() -> None:
    with pytest.raises(aidge_nb.SchedulingError, match="nothing can run"):
        static_schedule(graphs.rates(1, (2, 1)))
    assert static_schedule(graphs.rates(3, (2, 1))).order[:3] == ("source", "a", "source")


def test_orders() -> None:
    best = aidge_nb.order_for_memory(graphs.two_branches())
    producers = [name for name in best.order if name.endswith(("_w", "_b")) and "grow" in name]
    assert len(best.order) == 9
    assert len([name for name in producers if name not in ("grow_a", "grow_b")]) == 4


def test_all_six_orders_of_two_branches() -> None:
    view = graphs.two_branches()
    chains = [["grow_a", "shrink_a"], ["grow_b", "shrink_b"]]
    orders = [
        order
        for order in permutations([*chains[0], *chains[1]])
        if all(order.index(one) < order.index(other) for one, other in chains)
    ]
    peaks = {order: plan_memory(view, ["split", *order]).peak for order in orders}
    assert len(peaks) == 6
    both = [order for order in orders if {order[0][:4], order[1][:4]} == {"grow"}]
    assert [peaks[order] for order in both] == [4096] * 4
    assert sorted(peaks[order] for order in orders if order not in both) == [2688, 2944]


def test_the_climb_of_a_longer_branch() -> None:
    layers = [
        aidge_nb.Conv2D(1, 4, [1, 1], name="first"),
        aidge_nb.ReLU(name="second"),
        aidge_nb.MaxPooling2D([4, 4], "third", stride_dims=[4, 4]),
    ]
    view = aidge_nb.sequential(layers)
    view.forward_dims([[1, 1, 8, 8]])
    plans = [plan_memory(view, static_schedule(view), in_place=each) for each in (False, True)]
    assert [buffer.size for buffer in plans[0].buffers] == [1024, 1024, 64]
    assert [plan.peak for plan in plans] == [2048, 1088]


def test_only_the_mistake_is_red_on_the_board() -> None:
    readers = graphs.second_reader()
    apart = plan_memory(readers, static_schedule(readers), in_place=False)
    start = {buffer.name: buffer.offset for buffer in apart.buffers}
    exercise = course.place_blocks(apart)
    wrong = {**start, "relu": start["conv"], "add": 1728}
    assert exercise.check(wrong).text == "conv and relu overlap."
    assert not exercise.check({**wrong, "relu": start["relu"]}).hint.startswith("Both are alive")
    board = exercise.widget(offsets=wrong)
    svg = board.to_svg()
    assert "conv, relu overlap." in svg
    assert svg.rindex("<rect") < svg.index("conv (576)")  # its name lies above relu


def test_memory() -> None:
    view = graphs.five_layers()
    own = plan_memory(view, static_schedule(view), in_place=False)
    assert own.live_bytes() == (576, 1152, 720, 144, 184)
    readers = graphs.second_reader()
    order = static_schedule(readers)
    assert [plan_memory(readers, order, in_place=each).peak for each in (False, True)] == [
        1728,
        1152,
    ]
    assert [name for name in order.order if not name.startswith("conv_")] == [
        "conv",
        "relu",
        "tanh",
        "add",
    ]
    assert generators.first_fit({"a": (0, 1, 2), "b": (0, 2, 1), "c": (1, 3, 3)}) == 6
    assert plan({"a": (0, 1, 2), "b": (0, 2, 1), "c": (1, 3, 3)}).offsets == (0, 3, 0)


def test_the_peaks_of_the_mobilenet() -> None:
    mobile = aidge_nb.load_onnx(zoo.mobilenet_v2(), verbose=False)
    mobile.set_backend("cpu")
    mobile.forward_dims([[1, 3, 224, 224]], allow_data_dependency=True)
    order = static_schedule(mobile)
    apart = plan_memory(mobile, order, in_place=False)
    assert [buffer.size for buffer in apart.live_set()] == [4_816_896] * 2
    assert "batchnorm" in apart.order[apart.peak_tick]
    shared = plan_memory(mobile, order)
    assert [buffer.size for buffer in shared.live_set()] == [4_816_896, 1_204_224]
    assert "conv" in shared.order[shared.peak_tick]


def test_the_hole_of_the_densenet() -> None:
    dense = zoo.load("densenet_like")
    dense.set_backend("cpu")
    dense.forward_dims([[1, 3, 32, 32]], allow_data_dependency=True)
    order = static_schedule(dense)
    first = plan_of_manager(aidge_nb.generate_memory(dense, order), dense, order)
    found = {buffer.name: buffer for buffer in first.buffers}
    concat, relu = found["layer3_concat"], found["layer3_relu"]
    assert (concat.lower, concat.offset, concat.size) == (17, 90_112, 49_152)
    assert (relu.upper, relu.size) == (17, 40_960)
    assert relu.end == found["layer3_conv"].offset == concat.offset - 8192
    alive = sorted(buffer.offset for buffer in first.live_set(17))
    assert max(below for below in alive if below < relu.offset) + 8192 == relu.offset


def test_queries() -> None:
    view = graphs.gated()
    order = static_schedule(view)
    own = plan_memory(view, order, in_place=False)
    assert {buffer.size for buffer in own.buffers} == {256}
    assert (own.peak, own.live_bytes()[3], plan_memory(view, order).peak) == (768, 768, 512)
    diamond = "ReLU#1~>Tanh->Mul#1;ReLU#1~>Sigmoid-1>Mul#1"
    assert aidge_nb.fuse_to_metaops(view, diamond, "Gated") == 1
    order = static_schedule(view)
    assert [plan_memory(view, order, in_place=each).peak for each in (False, True)] == [512, 256]
    gates = graphs.gated()
    assert [set(each) for each in groups_of(gates, "(Mul#<*-.)+")] == [{"mul", "tanh", "gate"}]
    assert not groups_of(gates, "ReLU#1->ReLU#1")  # a number stands for one node
    assert [set(each) for each in groups_of(gates, "ReLU#1->ReLU#2")] == [{"first", "second"}]
    layers = aidge_nb.load_onnx(zoo.dinov2_like(size=28, dim=16, heads=2, depth=2), verbose=False)
    assert [len(group) for group in groups_of(layers, TRANSFORMER["GeLU"])] == [5, 5]


def test_stripes() -> None:
    chain = graphs.stripes()
    whole = plan_memory(chain, chain.topological_order())
    sizes = {buffer.name: buffer.size for buffer in whole.buffers}
    assert (whole.peak, sizes) == (4096, {"conv0": 2048, "conv1": 2048, "pool": 512})
    nodes = tiling.between(chain, chain.get_node("conv0"), chain.get_node("pool"))
    tiles = plan_tiling(chain, nodes, {2: 4}).tiles
    assert max(tile.parts[0].output[2].size for tile in tiles) == 6
    assert {tile.parts[1].output[2].size for tile in tiles} == {4}


def test_the_bound_counts_the_gaps_of_parts() -> None:
    """Done rows of both channels of pool: nothing else fits between them."""
    pieces = graphs.stripes()
    nodes = tiling.between(pieces, pieces.get_node("conv0"), pieces.get_node("pool"))
    aidge_nb.apply_tiling(pieces, plan_tiling(pieces, nodes, {2: 4}))
    parts = plan_memory(pieces, pieces.topological_order(), parts=True)
    assert (parts.peak, parts.lower_bound, max(parts.live_bytes())) == (1664, 1664, 1536)
    assert parts.order[parts.peak_tick] == "conv1_2"  # of stripe 3
    tick = parts.live_bytes().index(1536)
    done = [b for b in parts.live_set(tick) if b.name.startswith("pool")]
    base = min(buffer.offset for buffer in done)
    taken = {byte - base for each in done for low, up in each.intervals for byte in range(low, up)}
    assert taken == {*range(128), *range(256, 384)}
    assert min(b.size for b in parts.live_set(tick) if b not in done) > 256 - 128
    kept = graphs.stripes()
    nodes = tiling.between(kept, kept.get_node("conv0"), kept.get_node("pool"))
    aidge_nb.apply_tiling(kept, plan_tiling(kept, nodes, {2: 4}, halo="cache"))
    assert plan_memory(kept, kept.topological_order(), parts=True).peak == 1792
    assert "1,792 instead of 1,664" in text_of("06_tiling")


def test_row_by_row() -> None:
    """All channels of a row lie together: 128 bytes."""
    chain = graphs.stripes()
    rows = plan_memory(chain, chain.topological_order(), by_rows=True)
    offsets = {buffer.name: buffer.offset for buffer in rows.buffers}
    assert (rows.peak, offsets) == (2176, {"conv0": 128, "conv1": 0, "pool": 0})
    assert rows.peak < 2048 + 512  # pool follows conv1, too
    for row in range(3):
        lies = [offsets[name] + 128 * row for name in ("conv0", "conv1")]
        line = " | ".join(f"{low}–{low + 127}" for low in lies)
        assert f"| {row} | {line} |" in text_of("06_tiling")
    image = np.random.default_rng(0).standard_normal((1, 2, 16, 16)).astype(np.float32)
    aidge_nb.check_execution(chain, rows, [image])
    buffers = [replace(each, offset=min(each.offset, 64)) for each in rows.buffers]
    with pytest.raises(aidge_nb.MemoryPlanError, match="conv1"):
        aidge_nb.check_execution(chain, replace(rows, buffers=tuple(buffers)), [image])


def test_cycles() -> None:
    conv = aidge_nb.PaddedConv2D(8, 8, [3, 3], name="conv", padding_dims=[1, 1, 1, 1])
    layer = aidge_nb.sequential([conv], "layer")
    layer.forward_dims([[1, 8, 16, 16]])
    machine = machines.duo()
    weights = hardware.map_schedule(layer, machine).steps[0]
    assert (weights.name, weights.amount) == ("parameters 0", 2336)
    assert weights.end - weights.start == 2336 // 2 + 10 == 1178
    assert {link.latency for link in machine.links if link.bus} == {10}
    limits = hardware.as_constraints({"for": "duo", "use": ["core/0"]}, "project", machine)
    one = hardware.map_schedule(layer, machine, constraints=limits)
    times = {each.name: (each.start, each.end) for each in one.steps}
    cut = one.works[0].tiling
    assert cut is not None
    assert [np.prod([axis.size for axis in tile.output]) for tile in cut.tiles] == [1024, 1024]
    assert times["compute 0"][0] <= times["load 1"][0] < times["load 1"][1] < times["compute 0"][1]
    branches = graphs.short_and_long()
    apart = hardware.map_schedule(branches, machines.duo(together=False))
    assert [work.name for work in apart.works] == ["split", "short", "long", "join"]
    at = {step.work: step for step in apart.steps if step.kind == "operation"}
    assert at["long"].devices == at["split"].devices != at["short"].devices
    kept = [step.start for step in apart.steps if step.work == "long" and step.kind == "transfer"]
    assert kept[1] > at["split"].end  # split goes to ram and comes back, to the same core
    order = static_schedule(branches)
    assert [order.slack(name) for name in ("short", "long")] == [0, 0]
    assert at["short"].end < at["long"].end < at["join"].start


def test_programs_have_no_step_for_weights() -> None:
    weights = graphs.five_layers().get_node("conv").get_operator().get_input(1)
    assert weights is not None
    assert weights.dims[1] == 1  # the kernel for depthwise convolutions does it
    five = static_schedule(graphs.five_layers())
    assert (five.early("conv"), five.n_steps) == (1, 6)
    cells = json.loads((NOTEBOOKS / "07b_export.ipynb").read_text("utf-8"))["cells"]
    shown = [text for cell in cells for text in map(str, cell.get("outputs", ()))]
    assert any("Workbench(five: " in text and "steps 5," in text for text in shown)


def test_the_line_of_the_puzzle() -> None:
    budgets = {level.name: level.budget for level in LEVELS}
    said = text_of("06_tiling")
    assert f"what level 1 allows, {budgets['Level 1']:,} bytes" in said
    assert f"chip has {budgets['Level 3']:,} bytes" in said


@pytest.mark.parametrize(
    ("count", "halo", "peak"), [(7, "cache", 62_976), (6, "recompute", 69_184)]
)
def test_the_longer_chain(count: int, halo: str, peak: int) -> None:
    long = graphs.stripes(rows=64, channels=8, convs=3, pool=4)
    assert plan_memory(long, long.topological_order()).peak == 262_144
    layers = tiling.between(long, long.get_node("conv0"), long.get_node("pool"))
    aidge_nb.apply_tiling(long, plan_tiling(long, layers, {2: count}, halo=halo))
    assert plan_memory(long, long.topological_order(), parts=True).peak == peak


def test_rows_that_do_not_divide() -> None:
    view = graphs.stripes(rows=10, convs=1, pool=1)
    cut = aidge_nb.plan_tiling(view, [view.get_node("conv0")], {2: 3})
    rows = [tile.parts[0].output[2] for tile in cut.tiles]
    assert [each.stop - each.start for each in rows] == [4, 3, 3]
    assert "10 rows in 3 stripes are 4, 3 and 3." in text_of("06_tiling")


def test_an_operator_without_macs_takes_as_many_operations_as_numbers() -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU(name="relu")])
    view.forward_dims([[1, 2, 10, 10]])
    mapping = hardware.map_schedule(view, machines.duo(together=False))
    (step,) = (each for each in mapping.steps if each.kind == "operation")
    assert step.end - step.start == 200 // 2
    assert "does one operation for each number" in text_of("07_hardware")


def test_weights_take_the_first_time_that_is_long_enough() -> None:
    """The layer that is computed later has few weights, and fetches them first."""
    view = aidge_nb.sequential(
        [
            aidge_nb.PaddedConv2D(1, 8, [3, 3], name="stem", padding_dims=[1] * 4),
            aidge_nb.PaddedConv2D(8, 8, [3, 3], name="many", padding_dims=[1] * 4),
            aidge_nb.Conv2D(8, 1, [1, 1], name="few"),
        ]
    )
    view.forward_dims([[1, 1, 8, 8]])
    mapping = hardware.map_schedule(view, machines.duo())
    assert [work.name for work in mapping.works] == ["stem", "many", "few"]
    fetched = {each.work: each for each in mapping.steps if each.name == "parameters 0"}
    many, few = fetched["many"], fetched["few"]
    assert few.end <= many.start
    carried = [(each.start, each.end) for each in mapping.steps if "bus" in each.devices]
    ends = sorted(end for _, end in carried if end <= many.start)
    for end in ends[:-1]:  # no earlier free time is long enough for all of it
        after = min(start for start, _ in carried if start >= end)
        assert after - end < many.end - many.start


def test_rows_computed_twice_through_relus() -> None:
    """The rule m·s + k − s; ReLU, Tanh and pooling count no MACs."""
    layers = [
        aidge_nb.PaddedConv2D(2, 2, [3, 3], "first", padding_dims=[1] * 4),
        aidge_nb.ReLU("relu"),
        aidge_nb.PaddedConv2D(2, 2, [3, 3], "second", [2, 2], padding_dims=[1] * 4),
        aidge_nb.Tanh("tanh"),
        aidge_nb.MaxPooling2D([2, 2], "pool", [2, 2]),
    ]
    view = aidge_nb.sequential(layers)
    view.forward_dims([[1, 2, 32, 32]])
    assert [bool(each.get_operator().macs()) for each in layers] == [
        True,
        False,
        True,
        False,
        False,
    ]
    twice = {"first": 0, "second": 0}
    rows = 0
    for name, (stride, kernel) in {
        "tanh": (2, 2),
        "second": (1, 1),
        "relu": (2, 3),
        "first": (1, 1),
    }.items():
        rows = rows * stride + kernel - stride
        twice[name] = rows
    assert (twice["second"], twice["first"]) == (0, 1)
    cut = plan_tiling(view, layers, {2: 4})
    assert cut.tiled_macs - cut.macs == 3 * twice["first"] * 32 * 2 * 2 * 9


def text_of(name: str) -> str:
    return (NOTEBOOKS / f"{name}.ipynb").read_text("utf-8")
