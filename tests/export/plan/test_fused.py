"""Check what is done before a convolution stores: the places and the bits are as planned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import aidge_nb
from aidge_nb import plan_memory, static_schedule, zoo
from aidge_nb.export import ExportPlan, check_export, plan_export, prepare_export
from aidge_nb.export.plan.strided import find_joined, laid_out
from aidge_nb.graph import GraphView, Node
from aidge_nb.graph.node import Port
from aidge_nb.memory import Buffer
from aidge_nb.onnx_io import load_onnx
from aidge_nb.zoo.builder import ModelBuilder
from tests.export.models import check_package, fill_producers


def block(*, second_reader: bool = False) -> GraphView:
    """Make convolution, depthwise convolution and projection, each normalized, with a way round."""
    nodes = {
        "first": aidge_nb.PaddedConv2D(3, 24, [3, 3], padding_dims=[1, 1, 1, 1], name="first"),
        "relu": aidge_nb.ReLU(name="relu"),
        "deep": aidge_nb.PaddedConvDepthWise2D(
            24, [3, 3], padding_dims=[1, 1, 1, 1], name="deep", no_bias=True
        ),
        "norm": aidge_nb.BatchNorm2D(24, name="norm"),
        "clip": aidge_nb.Clip(name="clip", min=-0.5, max=1.0),
        "project": aidge_nb.Conv2D(24, 24, [1, 1], name="project"),
        "sum": aidge_nb.Add(name="sum"),
        "last": aidge_nb.ReLU(name="last"),
        "mean": aidge_nb.GlobalAveragePooling(name="mean"),
    }
    names = list(nodes)
    for one, other in pairwise(names):
        nodes[one].add_child(nodes[other], 0, 0)
    nodes["relu"].add_child(nodes["sum"], 0, 1)
    if second_reader:
        nodes["other"] = aidge_nb.ReLU(name="other")
        nodes["norm"].add_child(nodes["other"], 0, 0)
    view = GraphView("block")
    view.add(list(nodes.values()))
    assert view.forward_dims([[2, 3, 9, 7]])
    fill_producers(view)
    for node in view.get_nodes():
        if node.type() == "Producer" and "variance" in node.name():
            tensor = node.get_operator().get_output(0)
            tensor.set_array(np.abs(tensor.array) + np.float32(0.1))
    return view


def functions(plan: ExportPlan) -> list[str]:
    return [call.function for call in plan.calls]


def test_everything_that_follows_is_done_by_the_convolutions(
    tmp_path: Path, need_tools: Callable[..., None]
) -> None:
    need_tools("gcc", "make")
    package = check_package(block(), tmp_path / "block")
    assert functions(package.plan) == [
        "nb_conv_last_f32",
        "nb_depthwise_last_f32",
        "nb_point_last_f32",
        "nb_reduce_mean_f32",
    ]
    steps = {step.node: step for step in package.plan.walk()}
    assert steps["project"].also == ("sum", "last")
    assert steps["last"].done_by == steps["project"].number
    assert not steps["last"].actions
    assert package.run().is_equal
    source = (package.folder / "src" / "block.c").read_text()
    assert "project (Conv2D), with sum, last" in source
    assert f"last (ReLU): done by {steps['project'].number}" in source


def test_the_arena_is_the_one_that_was_planned() -> None:
    graph = prepare_export(block())
    plan = plan_memory(graph, static_schedule(graph), alignment=4)
    made = plan_export(graph, plan=plan)
    assert "nb_relu_f32" not in functions(made)
    assert made.arena_bytes == plan.peak
    offsets = {(b.node, b.output): b.offset for b in made.buffers}
    assert offsets == {(b.node, b.output): b.offset for b in plan.buffers}


def test_a_value_that_another_node_reads_is_stored(
    tmp_path: Path, need_tools: Callable[..., None]
) -> None:
    need_tools("gcc", "make")
    package = check_package(block(second_reader=True), tmp_path / "block")
    steps = {step.node: step for step in package.plan.walk()}
    assert steps["deep"].also == ("norm",)
    assert steps["clip"].actions
    assert package.run().is_equal


def test_a_plan_that_keeps_results_apart_is_followed() -> None:
    """Nothing is stored in place: each value between has its own place, and is written there."""
    graph = prepare_export(block())
    plan = plan_memory(graph, static_schedule(graph), alignment=4, in_place=False)
    made = plan_export(graph, plan=plan)
    assert all(not step.done_by for step in made.walk())
    assert functions(made).count("nb_relu_f32") == 2
    assert made.arena_bytes == plan.peak


def test_boards_keep_channels_as_they_are_written() -> None:
    made = plan_export(block(), target="cortex-m7")
    assert not any(buffer.value.channels_last for buffer in made.buffers)


def layers() -> GraphView:
    """Make fully connected layers, normalized and bounded, with a way round, and few channels."""
    nodes = {
        "small": aidge_nb.PaddedConv2D(1, 6, [5, 5], padding_dims=[2, 2, 2, 2], name="small"),
        "relu": aidge_nb.ReLU(name="relu"),
        "grouped": aidge_nb.Conv2D(6, 9, [3, 3], group=3, name="grouped"),
        "norm": aidge_nb.BatchNorm2D(9, name="norm"),
        "clip": aidge_nb.Clip(name="clip", min=-0.5, max=1.0),
        "flatten": aidge_nb.Flatten(name="flatten"),
        "fc": aidge_nb.FC(9 * 7 * 5, 40, name="fc"),
        "positive": aidge_nb.ReLU(name="positive"),
        "narrow": aidge_nb.FC(40, 40, name="narrow"),
        "sum": aidge_nb.Add(name="sum"),
        "last": aidge_nb.ReLU(name="last"),
        "plain": aidge_nb.FC(40, 3, name="plain"),
    }
    for one, other in pairwise(nodes):
        nodes[one].add_child(nodes[other], 0, 0)
    nodes["positive"].add_child(nodes["sum"], 0, 1)
    view = GraphView("layers")
    view.add(list(nodes.values()))
    assert view.forward_dims([[2, 1, 9, 7]])
    fill_producers(view)
    for node in view.get_nodes():
        if node.type() == "Producer" and "variance" in node.name():
            tensor = node.get_operator().get_output(0)
            tensor.set_array(np.abs(tensor.array) + np.float32(0.1))
    return view


def test_products_and_few_channels_do_what_follows(
    tmp_path: Path, need_tools: Callable[..., None]
) -> None:
    need_tools("gcc", "make")
    package = check_package(layers(), tmp_path / "layers")
    assert functions(package.plan) == [
        "nb_conv_depthwise_then_f32",
        "nb_conv_packed_then_f32",
        "nb_matmul_then_f32",
        "nb_matmul_then_f32",
        "nb_matmul_then_f32",
    ]
    steps = {step.node: step for step in package.plan.walk()}
    assert steps["grouped"].also == ("norm", "clip")
    assert steps["narrow"].also == ("sum", "last")
    assert steps["plain"].also == ()
    assert package.run().is_equal


def biased(order: Sequence[str]) -> GraphView:
    """Make a product of matrices, and what is done to it by numbers that are known."""
    builder = ModelBuilder("biased", 0)
    random = np.random.default_rng(0)
    value = builder.input("data", (2, 5, 7))
    weight = builder.constant("weight", random.standard_normal((7, 19)).astype(np.float32))
    value = builder.node("MatMul", [value, weight], "product")
    for index, kind in enumerate(order):
        numbers = random.standard_normal(19).astype(np.float32)
        each = builder.constant(f"each{index}", numbers)
        operands = [value] if kind == "Relu" else [each, value]
        value = builder.node(kind, operands, f"{kind}{index}".lower())
    value = builder.node("Sigmoid", [value], "end")
    return load_onnx(builder.build({value: (2, 5, 19)}))


@pytest.mark.parametrize(
    ("order", "together"),
    [
        (("Add", "Mul", "Relu"), 3),
        (("Mul", "Add"), 2),
        pytest.param(("Add", "Add"), 1, marks=pytest.mark.slow),
        pytest.param(("Add", "Mul", "Add"), 2, marks=pytest.mark.slow),
        pytest.param(("Relu", "Add"), 1, marks=pytest.mark.slow),
    ],
)
def test_products_are_scaled_and_moved(
    tmp_path: Path, need_tools: Callable[..., None], order: tuple[str, ...], together: int
) -> None:
    """A factor and an offset for each channel, in either order; a second offset is apart."""
    need_tools("gcc", "make")
    package = check_package(biased(order), tmp_path / "biased")
    steps = {step.node: step for step in package.plan.walk()}
    assert len(steps["product"].also) == together
    assert package.run().is_equal


def test_boards_with_vectors_do_what_follows_as_well() -> None:
    """Without vectors nothing is gained, see aidge_nb.export.plan.fused."""
    assert "nb_relu_f32" not in functions(plan_export(layers(), target="cortex-m55"))
    assert "nb_relu_f32" in functions(plan_export(layers(), target="cortex-m4"))


def fire(*, second_reader: bool = False) -> GraphView:
    """Make a squeeze, two ways to expand it, one of them depthwise, which Concat joins; twice."""
    view = GraphView("fire")
    nodes: list[Node] = []
    last = aidge_nb.Conv2D(3, 32, [2, 2], name="first")
    nodes.append(last)
    for number in range(2):
        squeeze = aidge_nb.Conv2D(32 if number == 0 else 40, 16, [1, 1], name=f"squeeze{number}")
        wide = aidge_nb.PaddedConv2D(
            16, 24, [3, 3], padding_dims=[1, 1, 1, 1], name=f"wide{number}"
        )
        relu = aidge_nb.ReLU(name=f"relu{number}")
        deep = aidge_nb.PaddedConvDepthWise2D(
            16, [3, 3], padding_dims=[1, 1, 1, 1], name=f"deep{number}"
        )
        join = aidge_nb.Concat(2, axis=1, name=f"join{number}")
        for one, other, index in (
            (last, squeeze, 0),
            (squeeze, wide, 0),
            (wide, relu, 0),
            (squeeze, deep, 0),
            (relu, join, 0),
            (deep, join, 1),
        ):
            one.add_child(other, 0, index)
        nodes += [squeeze, wide, relu, deep, join]
        last = join
    pool = aidge_nb.MaxPooling2D([2, 2], stride_dims=[2, 2], name="pool")
    mean = aidge_nb.GlobalAveragePooling(name="mean")
    last.add_child(pool, 0, 0)
    pool.add_child(mean, 0, 0)
    nodes += [pool, mean]
    if second_reader:
        nodes.append(aidge_nb.Tanh(name="other"))
        nodes[3].add_child(nodes[-1], 0, 0)
    view.add(nodes)
    assert view.forward_dims([[1, 3, 9, 8]])
    fill_producers(view)
    return view


def test_parts_of_concat_are_written_across_the_whole(
    tmp_path: Path, need_tools: Callable[..., None]
) -> None:
    need_tools("gcc", "make")
    package = check_package(fire(), tmp_path / "fire")
    plan = package.plan
    assert set(functions(plan)) == {
        "nb_conv_last_f32",
        "nb_conv_near_f32",
        "nb_point_last_f32",
        "nb_depthwise_last_f32",
        "nb_max_pool_last_f32",
        "nb_reduce_mean_f32",
    }
    buffers = {buffer.node: buffer for buffer in plan.buffers}
    for number in range(2):
        whole, part = buffers[f"join{number}"], buffers[f"deep{number}"]
        assert part.value.channels_last
        assert part.offset == whole.offset + 24 * 4  # behind the other channels of a pixel
        assert part.levels == ((8 * 7, 40 * 4),)
    assert package.run().is_equal
    assert plan.arena_bytes == plan_export(fire(), target="cortex-m4").arena_bytes


def test_a_part_of_concat_that_another_node_reads_lies_by_itself(
    tmp_path: Path, need_tools: Callable[..., None]
) -> None:
    need_tools("gcc", "make")
    package = check_package(fire(second_reader=True), tmp_path / "fire")
    buffers = {buffer.node: buffer for buffer in package.plan.buffers}
    assert not buffers["relu0"].levels
    assert buffers["relu1"].levels
    assert package.run().is_equal


def test_a_whole_whose_place_is_taken_is_not_written_before() -> None:
    """Keep parts by themselves where another value lies in the place of the whole."""
    graph = prepare_export(fire())
    plan = plan_export(graph, target="cortex-m4").memory  # there channels are apart
    names = {name: node for node, name in graph.unique_names().items()}
    nodes = [names[name] for name in plan.order]
    writers = {Port(names["relu0"], 0): [names["wide0"], names["relu0"]]}
    writers[Port(names["deep0"], 0)] = [names["deep0"]]
    found = find_joined(graph.unique_names(), nodes, plan, writers)
    assert set(found) == set(writers)
    whole = next(buffer for buffer in plan.buffers if buffer.node == "join0")
    first = min(plan.order.index("wide0"), plan.order.index("deep0"))
    other = Buffer("other", "other", 0, 4, first, first + 1, whole.offset + whole.size - 4)
    taken = replace(plan, buffers=(*plan.buffers, other))
    assert not find_joined(graph.unique_names(), nodes, taken, writers)


def test_inputs_and_results_lie_as_the_model_says() -> None:
    conv = aidge_nb.Conv2D(3, 24, [3, 3], name="conv")
    view = aidge_nb.sequential([conv, aidge_nb.ReLU(name="relu")])
    assert view.forward_dims([[1, 3, 9, 9]])
    fill_producers(view)
    made = plan_export(view)
    assert not any(buffer.value.channels_last for buffer in made.buffers)


@pytest.mark.parametrize("model", ["mobilenet_v2", "resnet18"])
def test_networks_of_the_zoo_normalize_nothing_apart(model: str) -> None:
    """The first layer of ResNet feeds a pooling, which takes channels side by side too."""
    made = plan_export(load_onnx(zoo.build(model)))
    check_export(made)
    names = functions(made)
    assert names[0] == "nb_conv_last_f32"  # reads channels that lie apart
    several = "nb_point_last_f32" if model == "mobilenet_v2" else "nb_conv_near_f32"
    assert names.count(several) > 15
    assert "nb_batch_norm_f32" not in names
    assert "nb_add_f32" not in names
    assert "nb_max_pool_f32" not in names


def test_bytes_lie_pixel_by_pixel() -> None:
    array = np.arange(12).reshape(1, 3, 2, 2)
    assert laid_out(array, channels_last=True).reshape(-1).tolist()[:4] == [0, 4, 8, 1]
    assert laid_out(array, channels_last=False).tolist() == array.tolist()
