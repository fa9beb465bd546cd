"""Fully connected layers that flatten by themselves, as ONNX: Gemm reads matrices alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb import GraphView, Tensor, zoo
from aidge_nb.onnx_io import load_onnx, save_onnx, to_onnx
from aidge_nb.recipes import remove_flatten, simplify

SMALLER = {"resnet18": {"size": 32, "width": 0.25}}


def run(view: GraphView, x: NDArray[Any]) -> NDArray[Any]:
    view.set_backend("cpu")
    (result,) = aidge_nb.SequentialScheduler(view).forward(data=[Tensor(x)])
    array: NDArray[Any] = result.array
    return array


def gemm_inputs(view: GraphView) -> list[str]:
    """Tell what type of node makes the input of each Gemm of the written model."""
    nodes = to_onnx(view).nodes
    made = {value: node.op_type for node in nodes for value in node.outputs}
    return [made.get(node.inputs[0], "input") for node in nodes if node.op_type == "Gemm"]


@pytest.mark.parametrize("name", ["resnet18", "lenet", "inception_like", "shufflenet_like"])
@pytest.mark.parametrize("how", [simplify, remove_flatten])
def test_without_its_flatten_a_model_is_valid_and_computes_the_same(
    name: str, how: object, tmp_path: Path
) -> None:
    model = zoo.build(name, **SMALLER.get(name, {}))
    dims = [d if isinstance(d, int) else 1 for d in model.inputs[0].dims or ()]
    x = np.random.default_rng(0).standard_normal(dims).astype(np.float32)
    wanted = run(load_onnx(model), x)
    view = load_onnx(model)
    assert callable(how)
    how(view)
    assert "Flatten" not in {node.type() for node in view.get_nodes()}
    path = tmp_path / "model.onnx"
    save_onnx(view, path)
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = onnxruntime.InferenceSession(path)
    (theirs,) = session.run(None, {session.get_inputs()[0].name: x})
    for found in (run(load_onnx(path), x), theirs):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dims", [(6,), (2, 6), (2, 3, 2), (2, 3, 2, 1)], ids=str)
@pytest.mark.parametrize("known", [True, False])
def test_every_rank_is_written_so_that_it_runs(dims: tuple[int, ...], known: bool) -> None:
    layer = aidge_nb.FC(6, 4, name="fc")
    for index, port in layer.edges_in():
        tensor = port.node.get_operator().get_output(0)
        values = np.random.default_rng(index).standard_normal(tensor.dims)
        tensor.set_array(values.astype(np.float32))
    view = aidge_nb.sequential([aidge_nb.ReLU(name="relu"), layer])
    if known:
        view.forward_dims([list(dims)])
    x = np.random.default_rng(0).standard_normal(dims).astype(np.float32)
    model = to_onnx(view)
    assert gemm_inputs(view) == ["Relu" if known and len(dims) == 2 else "Flatten"]
    if not known and len(dims) == 1:
        return  # Flatten takes the one axis for the batch; FC takes it for the features
    content = model.to_bytes()
    if known:  # a file whose inputs have no dimensions runs, and the checker wants some
        onnx.checker.check_model(onnx.load_from_string(content), full_check=True)
    session = onnxruntime.InferenceSession(content)
    (theirs,) = session.run(None, {session.get_inputs()[0].name: x})
    np.testing.assert_allclose(theirs, run(view, x), rtol=1e-5, atol=1e-6)


def test_a_model_that_was_loaded_gets_no_second_flatten() -> None:
    view = load_onnx(zoo.build("lenet"))
    once = gemm_inputs(view)
    assert once == ["Flatten", "Relu", "Relu"]
    remove_flatten(view)
    assert gemm_inputs(view) == once
