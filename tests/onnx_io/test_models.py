"""Whole models: values against onnxruntime, graphs and schedules against Aidge."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb import zoo
from aidge_nb.graph import GraphView
from aidge_nb.onnx_io import OnnxModel, OnnxValue, load_onnx, read_onnx

LIGHT = sorted(Path(onnx.__file__).parent.rglob("light_*.onnx"))
ORACLE = Path(__file__).parent.parent / "data" / "oracle"
SMALL: dict[str, dict[str, Any]] = {
    "dinov2_like": {"size": 28, "dim": 16, "heads": 2, "depth": 2},
    "mobilenet_v2": {"size": 64, "width": 0.25, "classes": 10},
    "resnet18": {"size": 64, "width": 0.25, "classes": 10},
    "resnet50": {"size": 64, "width": 0.25, "classes": 10},
    "squeezenet": {"size": 64, "width": 0.5, "classes": 10},
}


def inputs_of(model: OnnxModel) -> dict[str, NDArray[Any]]:
    random = np.random.default_rng(0)
    return {
        value.name: random.random(tuple(d for d in value.dims or () if isinstance(d, int))).astype(
            np.float32
        )
        for value in model.inputs
    }


def compare(model: OnnxModel, content: bytes) -> GraphView:
    data = inputs_of(model)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    expected = onnxruntime.InferenceSession(content, options).run(None, data)
    view = load_onnx(model)
    assert view.annotations["onnx.report"].generic == ()
    view.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(view)
    for found, wanted in zip(scheduler.forward(data=list(data.values())), expected, strict=True):
        assert found.dims == wanted.shape
        assert np.abs(found.array - wanted).max() <= 1e-5 * np.abs(wanted).max()
    return view


@pytest.mark.parametrize("name", list(zoo.MODELS))
def test_zoo_models_compute_what_onnxruntime_computes(name: str) -> None:
    model = zoo.build(name, **SMALL.get(name, {}))
    compare(model, model.to_bytes())


def test_nine_light_models_are_there() -> None:
    assert len(LIGHT) == 9


def without_softmax(model: OnnxModel) -> OnnxModel:
    """Leave out a last Softmax: all weights are equal, and it would blow up the rounding."""
    *nodes, last = model.nodes
    if last.op_type != "Softmax":
        return model
    outputs = (OnnxValue(last.inputs[0]),)
    return replace(model, graph=replace(model.graph, nodes=tuple(nodes), outputs=outputs))


@pytest.mark.slow
@pytest.mark.parametrize("path", LIGHT, ids=lambda path: path.stem)
def test_light_models_compute_what_onnxruntime_computes(path: Path) -> None:
    model = without_softmax(read_onnx(path))
    compare(model, model.to_bytes())


@pytest.mark.parametrize("path", LIGHT, ids=lambda path: path.stem)
def test_light_models_are_native(path: Path) -> None:
    view = load_onnx(path)
    assert view.annotations["onnx.report"].generic == ()
    dims = [value.dims for value in view.annotations["onnx"].inputs]
    assert view.forward_dims(dims, allow_data_dependency=True)


def as_aidge(name: str) -> str:
    """Spell a name as Aidge does, which has no other signs in names."""
    return re.sub(r"[/.]", "_", name)


def graph_and_oracle(name: str) -> tuple[GraphView, dict[str, Any]]:
    with gzip.open(ORACLE / f"{name}.json.gz") as file:
        oracle = json.load(file)
    if name == "mobilenetv2_synthetic":
        return zoo.load("mobilenet_v2"), oracle
    (path,) = (path for path in LIGHT if path.stem == name)
    return load_onnx(path), oracle


@pytest.mark.parametrize(
    "name",
    [
        "light_bvlc_alexnet",
        "light_inception_v1",
        "light_resnet50",
        "light_squeezenet",
        "light_zfnet512",
        "mobilenetv2_synthetic",
    ],
)
def test_graphs_are_those_that_aidge_makes(name: str) -> None:
    view, oracle = graph_and_oracle(name)
    described = {node["name"]: node for node in oracle["graph"]["nodes"]}
    for node in view.get_nodes():
        expected = described.pop(as_aidge(node.name()))
        if expected["op"] == "Conv":  # Aidge has no convolutions in groups
            assert node.type() == "PaddedConv2D"
            continue
        assert node.type() == expected["op"]
        parents = [port and [as_aidge(port.node.name()), port.index] for port in node.inputs()]
        assert parents == expected["inputs"]
        assert [node.input_category(i).name for i in range(len(parents))] == expected["categories"]
    assert described == {}
    data = oracle["runs"]["data"]["forward_dims"]
    assert view.forward_dims(data["dims"]) == data["returned"]
    assert view.forward_dims(data["dims"], allow_data_dependency=True)


@pytest.mark.parametrize("name", ["light_squeezenet", "light_resnet50", "mobilenetv2_synthetic"])
def test_schedules_are_those_that_aidge_makes(name: str) -> None:
    view, oracle = graph_and_oracle(name)
    view.set_backend("cpu")
    scheduler = aidge_nb.Scheduler(view)
    scheduler.generate_scheduling()
    found = sorted(
        [as_aidge(element.node.name()), element.early, element.late]
        for element in scheduler.get_static_scheduling(0)
    )
    assert found == sorted(oracle["runs"]["token"]["schedule"]["elements"])
