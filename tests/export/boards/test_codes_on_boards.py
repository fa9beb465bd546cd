"""Layers of codes of random shapes on emulated boards: their instructions give NumPy's bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from aidge_nb.export import TARGETS, export
from aidge_nb.onnx_io import load_onnx
from aidge_nb.quantization import quantize
from tests.kernels.c.codes_shapes import KINDS, layer_of
from tests.kernels.c.test_codes_shapes import ALL
from tests.quantization.test_post_training import network, samples

Array = NDArray[Any]
TOOLS = ("make", "arm-none-eabi-gcc", "qemu-system-arm")
SOME, AT_ONCE = 13, 250
"""Layers of a program: what a program takes by itself, its kernels above all, is paid once."""


def layers(seeds: Iterable[tuple[str, int]]) -> tuple[onnx.ModelProto, list[Array]]:
    """Make a model of layers beside each other, and its inputs; those without data are left out.

    Layers of a type take their data from one row of codes, and give one: an emulator hands few
    files over.
    """
    made, nodes, constants = [], [], []
    for number, (kind, seed) in enumerate(seeds):
        layer = layer_of(kind, seed)
        shape = layer.model().graph.output[0].type.tensor_type.shape
        dims = [each.dim_value for each in shape.dim]
        if 0 in (*layer.x.shape, *dims):
            continue
        names = {name: f"{name}_{number}" for name in (*layer.node.input, "y", "row", "dims")}
        attrs = {each.name: helper.get_attribute_value(each) for each in layer.node.attribute}
        given = [names[name] for name in layer.node.input]
        nodes.append(helper.make_node("Reshape", [names["row"], names["dims"]], [names["x"]]))
        nodes.append(helper.make_node(layer.node.op_type, given, [names["y"]], **attrs))
        nodes.append(helper.make_node("Flatten", [names["y"]], [f"flat_{number}"], axis=0))
        kept = {**layer.constants, "dims": np.asarray(layer.x.shape, np.int64)}
        constants += [numpy_helper.from_array(array, names[name]) for name, array in kept.items()]
        made.append((number, layer.x, prod(dims)))
    inputs, outputs, arrays, before = [], [], [], []
    for dtype in (np.int8, np.uint8):
        every = [each for each in made if each[1].dtype == dtype]
        name = np.dtype(dtype).name
        array = np.concatenate([x.reshape(-1) for _, x, _ in every])
        sizes = np.asarray([x.size for _, x, _ in every], np.int64)
        constants.append(numpy_helper.from_array(sizes, f"sizes_{name}"))
        rows = [f"row_{number}" for number, _, _ in every]
        before.append(helper.make_node("Split", [name, f"sizes_{name}"], rows, axis=0))
        flat = [f"flat_{number}" for number, _, _ in every]
        nodes.append(helper.make_node("Concat", flat, [f"{name}_out"], axis=1))
        element = helper.np_dtype_to_tensor_dtype(array.dtype)
        inputs.append(helper.make_tensor_value_info(name, element, array.shape))
        count = sum(size for _, _, size in every)
        outputs.append(helper.make_tensor_value_info(f"{name}_out", element, [1, count]))
        arrays.append(array)
    graph = helper.make_graph([*before, *nodes], "layers", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)]), arrays


def check(target: str, seeds: Iterable[tuple[str, int]], folder: Path) -> None:
    """Run layers on the board of a target; compare with NumPy."""
    model, arrays = layers(seeds)
    run = export(load_onnx(model), folder, target=target).run_on(TARGETS[target].board, arrays)
    assert run.differing_bits == 0


@pytest.mark.parametrize("target", ["cortex-m4", "cortex-m55"])
def test_some_shapes(tmp_path: Path, need_tools: Callable[..., None], target: str) -> None:
    need_tools(*TOOLS)
    seeds = [(kind, seed) for kind in KINDS for seed in range(SOME)]
    check(target, seeds, tmp_path / "layers")


@pytest.mark.parametrize("target", ["cortex-m4", "cortex-m55"])
def test_layers_of_sixteen_bits(
    tmp_path: Path, need_tools: Callable[..., None], target: str
) -> None:
    need_tools(*TOOLS)
    data = samples(4)
    found = quantize(network(), data).with_floats([], ["c1"])
    types = {node.get_operator().get_output(0).dtype.name for node in found.graph.get_nodes()}
    assert {"int8", "int16"} <= types
    program = export(found.graph, tmp_path / "program", target=target)
    assert program.run_on(TARGETS[target].board, [data[:1]]).differing_bits == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", ["cortex-m4", "cortex-m55"])
def test_thousands_of_shapes(
    tmp_path: Path, need_tools: Callable[..., None], target: str, kind: str
) -> None:
    need_tools(*TOOLS)
    for first in range(SOME, SOME + ALL, AT_ONCE):
        seeds = [(kind, seed) for seed in range(first, first + AT_ONCE)]
        check(target, seeds, tmp_path / str(first))
