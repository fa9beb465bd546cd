"""Check what is done before a convolution stores: the places and the bits are as planned."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import aidge_nb
from aidge_nb import plan_memory, static_schedule, zoo
from aidge_nb.export import ExportPlan, check_export, plan_export, prepare_export
from aidge_nb.export.plan.fused import laid_out
from aidge_nb.graph import GraphView
from aidge_nb.onnx_io import load_onnx
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
        "nb_conv_last_f32",
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
    assert steps["deep"].also == ()
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
    assert names.count("nb_conv_last_f32") > 15
    assert "nb_batch_norm_f32" not in names
    assert "nb_add_f32" not in names
    assert "nb_max_pool_f32" not in names


def test_bytes_lie_pixel_by_pixel() -> None:
    array = np.arange(12).reshape(1, 3, 2, 2)
    assert laid_out(array, channels_last=True).reshape(-1).tolist()[:4] == [0, 4, 8, 1]
    assert laid_out(array, channels_last=False).tolist() == array.tolist()
