"""Models of one operator, compared with onnxruntime: what the tests of variants share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

import aidge_nb
from aidge_nb.onnx_io import OnnxGraph, OnnxModel, OnnxNode, OnnxValue, load_onnx

I64 = np.int64
IMAGE = (1, 3, 7, 8)


def one_node(
    op_type: str,
    opset: int,
    data: Mapping[str, NDArray[Any]],
    constants: Mapping[str, NDArray[Any]],
    inputs: Sequence[str],
    nb_outputs: int,
    attributes: Mapping[str, Any],
) -> OnnxModel:
    outputs = tuple(f"y{index}" for index in range(nb_outputs))
    graph = OnnxGraph(
        op_type,
        (OnnxNode(op_type, tuple(inputs), outputs, "node", attributes=attributes),),
        constants,
        tuple(OnnxValue(name, array.dtype.name, array.shape) for name, array in data.items()),
        tuple(OnnxValue(name, None) for name in outputs),
    )
    return OnnxModel(graph, {"": opset})


def expected(model: OnnxModel, data: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.to_bytes(), options)
    return list(session.run(None, dict(data)))


def computed(model: OnnxModel, data: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
    view = load_onnx(model)
    assert view.annotations["onnx.report"].generic == ()
    view.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(view)
    return [result.array for result in scheduler.forward(data=list(data.values()))]


def compare(model: OnnxModel, data: Mapping[str, NDArray[Any]]) -> None:
    for found, wanted in zip(computed(model, data), expected(model, data), strict=True):
        assert found.shape == wanted.shape
        assert found.dtype == wanted.dtype
        largest = np.abs(wanted).max(initial=0)
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5 * largest)


def check(
    op_type: str,
    opset: int,
    dims: Sequence[int],
    *constants: Any,
    nb_outputs: int = 1,
    of: str = "float32",
    **attributes: Any,
) -> None:
    """Compare one operator on one input; further inputs are constants, None is left out."""
    random = np.random.default_rng(0)
    data = {"x": random.standard_normal(tuple(dims)).astype(of)}
    given = {f"c{i}": np.asarray(c) for i, c in enumerate(constants) if c is not None}
    inputs = ["x", *(f"c{i}" if c is not None else "" for i, c in enumerate(constants))]
    model = one_node(op_type, opset, data, given, inputs, nb_outputs, attributes)
    compare(model, data)


def weights(*dims: int) -> NDArray[Any]:
    return np.random.default_rng(1).standard_normal(dims).astype(np.float32)
