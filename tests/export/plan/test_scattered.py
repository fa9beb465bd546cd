"""Plans in blocks, by rows and line by line are exported as they are, with the bits of NumPy."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import ops, plan_memory, static_schedule
from aidge_nb.core.errors import ExportError
from aidge_nb.export import ExportedPackage, ExportPlan, export, plan_export, prepare_export
from aidge_nb.export.plan.check import check_export
from aidge_nb.export.plan.parts import ActionLoop, Copy, KernelCall, each_action
from aidge_nb.graph import GraphView
from aidge_nb.kernels.c.units import stack_of
from aidge_nb.memory import MemoryPlan
from aidge_nb.runtime import run_in_arena
from aidge_nb.tiling import apply_tilings
from aidge_nb.zoo.builder import ModelBuilder
from tests.export.models import fill_producers, sequence
from tests.tiling.test_coded import chain, integer, resnet8, samples


def written(view: GraphView, folder: Path, **options: Any) -> ExportedPackage:
    """Plan a graph and export exactly this plan; its bits must be right."""
    graph = prepare_export(view)
    plan = plan_memory(graph, graph.topological_order(), alignment=4, **options)
    package = export(graph, folder / "made", plan=plan, name="net")
    follows(package.plan, plan)
    assert package.run(opt="-O1").is_equal
    assert package.check_layers(opt="-O1").passed
    return package


def follows(program: ExportPlan, plan: MemoryPlan) -> None:
    """Compare a program with a plan: size of the arena, offsets, blocks and rows."""
    own = sum(arena.size for arena in program.arenas if arena.memory != "scratch")
    assert own == plan.peak
    assert {
        (b.node, b.output): (b.offset, b.levels, b.value.by_rows)
        for b in program.buffers
        if b.output >= 0
    } == {(b.node, b.output): (b.offset, b.levels, b.rows > 0) for b in plan.buffers}


def longest_row(program: ExportPlan) -> int:
    """Return the bytes of the longest row of all values by rows, up to a multiple of 16."""
    rows = [b.value.nbytes // prod(b.value.dims[::2]) for b in program.buffers if b.value.by_rows]
    return -(-max(rows) // 16) * 16


def network(batch: int = 1) -> GraphView:
    """Make a network with windows of many kinds, and what lies between them."""
    view = aidge_nb.sequential(
        [
            ops.PaddedConv2D(2, 6, [3, 3], name="conv", padding_dims=[1, 2, 1, 1]),
            ops.ReLU(name="relu"),
            ops.PaddedConvDepthWise2D(6, [3, 3], name="deep", padding_dims=[1, 1, 1, 1]),
            ops.LeakyReLU(0.1, name="leaky"),
            ops.PaddedConv2D(6, 5, [5, 3], name="far", stride_dims=[2, 1], dilation_dims=[1, 2]),
            ops.Conv2D(5, 4, [1, 1], "one"),
            ops.PaddedAvgPooling2D([3, 3], name="mean", padding_dims=[1, 0, 1, 0]),
            ops.MaxPooling2D([2, 2], "most", [1, 2]),
        ]
    )
    assert view.forward_dims([[batch, 2, 17, 13]])
    fill_producers(view)
    return view


@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("in_place", [True, False])
def test_windows_run_over_their_inputs_row_by_row(
    batch: int, in_place: bool, need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    package = written(network(batch), tmp_path, by_rows=True, in_place=in_place)
    plan = package.plan.memory
    if in_place:
        assert sum(buffer.rows > 0 for buffer in plan.buffers) >= 6
        whole = plan_memory(package.made.view, list(package.made.order), alignment=4)
        assert package.plan.arenas[0].size < whole.peak
        assert package.plan.arena_bytes <= plan.peak + longest_row(package.plan)
    again = ExportPlan.from_dict(package.plan.to_dict())
    assert again == package.plan
    check_export(again)


def stripes(halo: str, parts: int = 4) -> GraphView:
    """Make three convolutions and a pooling, cut into stripes."""
    nodes = [ops.Conv2D(2, 4, [3, 3], f"conv{number}") for number in range(2)]
    nodes[1] = ops.Conv2D(4, 3, [3, 3], "conv1")
    nodes += [ops.ReLU(name="relu"), ops.MaxPooling2D([2, 2], "pool", [2, 2])]
    view = aidge_nb.sequential(nodes)
    assert view.forward_dims([[1, 2, 36, 16]])
    fill_producers(view)
    apply_tilings(view, [aidge_nb.plan_tiling(view, nodes, {2: parts}, halo=halo)])
    return view


@pytest.mark.parametrize("halo", ["cache", "recompute"])
def test_stripes_lie_in_blocks(halo: str, need_tools: Callable[..., None], tmp_path: Path) -> None:
    need_tools("gcc", "make")
    package = written(stripes(halo), tmp_path, parts=True)
    assert any(buffer.levels for buffer in package.plan.buffers)
    steps = {step.node: step for step in package.plan.walk()}
    joins = [step for step in steps.values() if step.type == "Concat"]
    assert joins
    assert not any(step.actions for step in joins)  # results were computed in their places
    windows = [each for each in steps.values() if each.type in ("Conv2D", "MaxPooling2D")]
    assert len(windows) == 12
    # Neither cut into tiles nor copied: one call for all that a stripe computes.
    assert all(len(list(each_action(each.actions))) == 1 for each in windows)


@pytest.mark.parametrize("axis", [1, 2, 3])
def test_parts_along_any_axis_are_neither_cut_out_nor_put_together(
    axis: int, need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    split = ops.Split(2, axis, name="split")
    first, second = ops.Tanh(name="first"), ops.Conv2D(2 if axis == 1 else 4, 3, [1, 1], "second")
    join, act = ops.Concat(2, axis, name="join"), ops.ReLU(name="act")
    begin = ops.Sigmoid(name="begin")
    begin.add_child(split)
    split.add_child(first, 0, 0)
    split.add_child(second, 1, 0)
    third = ops.Conv2D(2 if axis == 1 else 4, 3, [1, 1], "third")
    first.add_child(third)
    third.add_child(join, 0, 0)
    second.add_child(join, 0, 1)
    join.add_child(act)
    view = aidge_nb.get_connected_graph_view(act)
    assert view.forward_dims([[2, 4, 6, 8]])
    fill_producers(view)
    package = written(view, tmp_path, parts=True)
    split_step = next(step for step in package.plan.walk() if step.node == "split")
    assert not split_step.actions
    own = next(step for step in package.plan.walk() if step.node == "second")
    # Rows of both samples are one call; channels of each sample, and columns, are loops.
    assert [type(a) for a in own.actions] == [KernelCall if axis == 2 else ActionLoop]


def test_what_is_cut_out_of_an_input_is_read_there(
    need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    cut = ops.Slice([1, 2], [4, 7], [2, 3], [1, 1], name="cut")
    view = aidge_nb.sequential([cut, ops.Conv2D(3, 2, [2, 2], "conv")])
    assert view.forward_dims([[1, 3, 6, 8]])
    fill_producers(view)
    package = written(view, tmp_path, parts=True)
    assert [buffer.node for buffer in package.plan.buffers if buffer.output >= 0] == ["conv"]
    (step,) = (step for step in package.plan.walk() if step.node == "conv")
    assert [type(action) for action in step.actions] == [KernelCall]  # it reads the box itself


def test_softmax_runs_over_its_input_line_by_line(
    need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    view = aidge_nb.sequential([ops.ReLU(name="a"), ops.Softmax(-1, name="soft")])
    assert view.forward_dims([[3, 4, 9]])
    package = written(view, tmp_path, by_rows=True)
    arenas = {arena.memory: arena.size for arena in package.plan.arenas}
    assert arenas == {"arena": 3 * 4 * 9 * 4, "scratch": 48}  # one line aside


@pytest.mark.parametrize("seed", [1, 5, 8, 15])  # in the others rows take no less memory
def test_codes_run_by_rows(seed: int, need_tools: Callable[..., None], tmp_path: Path) -> None:
    need_tools("gcc", "make")
    numbers = chain(seed)
    tensor = numbers.get_input_groups()[0][0].node.get_operator().get_input(0)
    assert tensor is not None
    data = samples(2, *tensor.dims[1:])
    package = written(integer(numbers, data), tmp_path, by_rows=True)
    assert any(buffer.value.by_rows for buffer in package.plan.buffers)


def test_resnet8_in_int8_takes_33280_bytes_by_rows(
    need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    data = samples(4, 3, 32, 32)
    codes = prepare_export(integer(resnet8(), data))
    plan = plan_memory(codes, by_rows=True, alignment=4)
    assert plan.peak <= 33_280
    codes.set_backend("cpu")
    ran = run_in_arena(codes, plan, [data[:1]])
    package = export(codes, tmp_path / "made", plan=plan, inputs=[data[:1]], name="net")
    follows(package.plan, plan)
    for target, columns in (("cortex-m4", 2 * 2 * 144), ("cortex-m55", 8 * 144)):
        board = plan_export(codes, plan=plan, inputs=[data[:1]], target=target)
        row = 16 * 32
        assert board.arena_bytes == plan.peak + row + columns, target
    result = package.run(opt="-O1")
    assert result.is_equal
    np.testing.assert_array_equal(result.outputs[0], ran.outputs[0])


@pytest.mark.parametrize("rings", [False, True])
def test_values_may_lie_elsewhere_in_each_execution(
    rings: bool, need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    graph = prepare_export(sequence(4))
    schedule = static_schedule(graph)
    plan = plan_memory(graph, schedule, rings=rings, alignment=4)
    assert len({b.offset for b in plan.buffers if b.node == "pop"}) > 1
    assert sum(buffer.node == "stack" for buffer in plan.buffers) == (4 if rings else 1)
    package = export(graph, tmp_path / "made", plan=plan, name="net")
    sizes = {arena.memory: arena.size for arena in package.plan.arenas}
    assert sizes.get("arena", sizes.get("")) == plan.peak
    assert rings == (plan.peak < plan_memory(graph, schedule, looped=True, alignment=4).peak)
    assert package.run(opt="-O1").is_equal
    assert package.check_layers(opt="-O1").passed


def test_rows_run_on_a_microcontroller(need_tools: Callable[..., None], tmp_path: Path) -> None:
    need_tools("make", "arm-none-eabi-gcc", "qemu-system-arm")
    data = samples(2, 3, 16, 16)
    codes = prepare_export(integer(_small(), data))
    plan = plan_memory(codes, by_rows=True, alignment=4)
    package = export(codes, tmp_path / "made", plan=plan, target="cortex-m4", name="net")
    follows(package.plan, plan)
    assert plan.peak < plan_memory(codes, alignment=4).peak
    row, columns = longest_row(package.plan), 2 * 2 * 8 * 9  # two of 72 taps of two bytes
    assert package.plan.arena_bytes == plan.peak + row + columns
    run = package.run_on("mps2-an386")
    assert run.is_equal
    assert run.stack <= package.plan.stack


def _small() -> GraphView:
    """Make three convolutions, of numbers, and a pooling."""
    b = ModelBuilder("small", 0)
    x = b.input("data", (1, 3, 16, 16))
    for number, (ins, outs) in enumerate(((3, 8), (8, 8), (8, 4))):
        inputs = [x, b.weight(f"w{number}", (outs, ins, 3, 3), ins * 9)]
        x = b.node("Conv", inputs, f"conv{number}", kernel_shape=(3, 3), pads=(1, 1, 1, 1))
        x = b.node("Relu", [x], f"relu{number}")
    x = b.node("MaxPool", [x], "pool", kernel_shape=(2, 2), strides=(2, 2))
    view = aidge_nb.load_onnx(b.build({x: (1, 4, 8, 8)}))
    view.forward_dims([[1, 3, 16, 16]])
    return view


def test_the_stack_holds_the_counters_of_the_loops(
    need_tools: Callable[..., None], tmp_path: Path
) -> None:
    """Compilers that optimize nothing give each loop a counter of its own."""
    need_tools("gcc")
    graph = prepare_export(stripes("cache", 6))
    plan = plan_memory(graph, graph.topological_order(), alignment=4, parts=True)
    package = export(graph, tmp_path / "made", plan=plan, name="net")
    folders = ["-Iinclude", "-Isrc", "-Ikernels"]
    words = ["gcc", "-std=c11", "-O0", "-fstack-usage", *folders, "-c", "src/net.c", "-o", "x.o"]
    subprocess.run(words, cwd=package.folder, check=True)
    (used,) = (package.folder).glob("*.su")
    most = max(stack_of(call.function).gcc for call in package.plan.calls)
    assert int(used.read_text().split("\t")[1]) <= dict(package.plan.stack_by)["gcc"] - most


# --- checks --------------------------------------------------------------------------------


def test_a_program_that_overwrites_a_block_is_found() -> None:
    graph = prepare_export(stripes("cache"))
    plan = plan_memory(graph, graph.topological_order(), alignment=4, parts=True)
    made = plan_export(graph, plan=plan)
    check_export(made)
    scattered = next(b for b in made.buffers if b.levels)
    moved = tuple(
        replace(b, levels=tuple((count, step - 4) for count, step in b.levels))
        if b is scattered
        else b
        for b in made.buffers
    )
    with pytest.raises(ExportError, match=r"overwritten|not what it reads|not written"):
        check_export(replace(made, buffers=moved))


def test_a_row_is_computed_aside_before_it_overwrites_what_it_is_computed_from() -> None:
    graph = prepare_export(network())
    plan = plan_memory(graph, graph.topological_order(), alignment=4, by_rows=True)
    made = plan_export(graph, plan=plan)
    working = {buffer.symbol for buffer in made.buffers if buffer.output < 0}
    step = next(step for step in made.walk() if step.node == "far")
    actions = list(each_action(step.actions))
    copies = [each for each in actions if isinstance(each, Copy)]
    assert copies
    assert {copy.source.name for copy in copies} <= working
    assert {copy.target.name for copy in copies} == {"far"}
    for call in step.calls:  # of data, weights, bias and result
        names = [place.name for place in call.operands]
        assert names[-1] in working
        assert not working.intersection(names[:-1])


def residual(batch: int) -> GraphView:
    """Make convolutions with what is done besides, over rows: norms, clips, and a sum of two."""
    b = ModelBuilder("residual", 0)
    x = b.input("data", (batch, 8, 12, 10))
    same: dict[str, Any] = {"kernel_shape": (3, 3), "pads": (1, 1, 1, 1)}

    def conv(x: str, name: str, ins: int, outs: int, group: int = 1, **kind: Any) -> str:
        shape = (outs, ins // group, *kind["kernel_shape"])
        weight = b.weight(f"{name}_w", shape, 9 * ins // group)
        return b.node("Conv", [x, weight], name, group=group, **kind)

    x = b.node("Relu", [conv(x, "first", 8, 16, **same)], "first_relu")
    skip = b.node("Relu", [x], "skip")
    x = b.node("Relu", [conv(x, "deep", 16, 16, 16, **same)], "deep_relu")
    x = b.node("Add", [conv(x, "second", 16, 16, **same), skip], "sum")
    x = b.node("MaxPool", [x], "pool", kernel_shape=(3, 2), strides=(2, 1))
    x = b.node("Relu", [conv(x, "third", 16, 17, kernel_shape=(1, 1))], "third_relu")
    view = aidge_nb.load_onnx(b.build({x: (batch, 17, 5, 9)}))
    assert view.forward_dims([[batch, 8, 12, 10]])
    return view


@pytest.mark.parametrize("batch", [1, 2])
def test_rows_have_their_channels_last_on_the_host(
    batch: int, need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    package = written(residual(batch), tmp_path, by_rows=True)
    steps = {step.node: step for step in package.plan.walk()}
    stored = {each.place.name for step in steps.values() for each in step.writes}
    rows = [b for b in package.plan.buffers if b.value.by_rows and b.symbol in stored]
    assert len(rows) == 5
    assert all(buffer.value.channels_last for buffer in rows)
    assert steps["deep"].also == ("deep_relu",)
    assert steps["second"].also == ("sum",)
    over = [name for name in ("deep", "second", "pool") if steps[name].is_by_parts]
    assert over == ["deep", "second", "pool"]  # rows over what they are computed from
    aside = package.plan.copied_aside
    assert aside["deep"] == aside["second"] == 16 * 10 * 4  # a row of the result


@pytest.mark.parametrize("batch", [1, 2])
def test_rows_that_are_needed_later_are_not_overwritten(
    batch: int, need_tools: Callable[..., None], tmp_path: Path
) -> None:
    """A plan lets a convolution begin where its input begins: it computes all rows aside."""
    need_tools("gcc", "make")
    graph = prepare_export(residual(batch))
    plan = plan_memory(graph, graph.topological_order(), alignment=4, by_rows=True)
    at = {buffer.name: buffer.offset for buffer in plan.buffers}
    later = dict.fromkeys(("deep", "deep_relu"), at["first_relu"])
    buffers = tuple(replace(b, offset=later.get(b.name, b.offset)) for b in plan.buffers)
    package = export(graph, tmp_path / "made", plan=replace(plan, buffers=buffers), name="net")
    assert package.plan.copied_aside["deep"] == batch * 16 * 12 * 10 * 4
    assert package.run(opt="-O1").is_equal
