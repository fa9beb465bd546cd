"""Models that come from ONNX files learn, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import aidge_nb
from aidge_nb.core.errors import MissingKernelError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView
from tests.runtime.autodiff.gradients import check_graph


def _load(folder: Path, nodes: list[Any], dims: list[int], **weights: Any) -> GraphView:
    """Load a model from x to y, both of doubles."""
    graph = helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info("x", TensorProto.DOUBLE, dims)],
        [helper.make_tensor_value_info("y", TensorProto.DOUBLE, None)],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    onnx.save(model, folder / "model.onnx")
    view = aidge_nb.load_onnx(folder / "model.onnx")
    view.set_datatype("float64")  # initial states of zeros, too
    view.set_backend("cpu")
    return view


def _normal(*dims: int) -> Any:
    return 0.5 * np.random.default_rng(len(dims)).standard_normal(dims)


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize(("op_type", "gates"), [("LSTM", 4), ("GRU", 3), ("RNN", 1)])
def test_recurrent_layers(tmp_path: Path, op_type: str, gates: int, direction: str) -> None:
    """One direction of LSTM and GRU is a graph with a loop, everything else one function."""
    count = 2 if direction == "bidirectional" else 1
    layer = helper.make_node(
        op_type, ["x", "w", "r", "b"], ["y"], hidden_size=3, direction=direction
    )
    weights = {
        "w": _normal(count, 3 * gates, 2),
        "r": _normal(count, 3 * gates, 3),
        "b": _normal(count, 6 * gates),
    }
    check_graph(_load(tmp_path, [layer], [4, 2, 2], **weights), [_normal(4, 2, 2)])


def test_a_network(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Conv", ["x", "k"], ["a"], pads=[1, 1, 1, 1], strides=[2, 2]),
        helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("AveragePool", ["b"], ["c"], kernel_shape=[2, 2], pads=[1, 1, 0, 0]),
        helper.make_node("Shape", ["c"], ["d"], start=0, end=1),
        helper.make_node("Concat", ["d", "rest"], ["e"], axis=0),
        helper.make_node("Reshape", ["c", "e"], ["f"]),
        helper.make_node("Gemm", ["f", "w", "v"], ["g"], transB=1),
        helper.make_node("LogSoftmax", ["g"], ["y"], axis=-1),
    ]
    view = _load(
        tmp_path,
        nodes,
        [2, 3, 6, 6],
        k=_normal(4, 3, 3, 3),
        rest=np.array([-1], np.int64),
        w=_normal(2, 36),
        v=_normal(2),
    )
    check_graph(view, [_normal(2, 3, 6, 6)])


def test_loops_of_onnx_are_refused(tmp_path: Path) -> None:
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["keep"], ["again"]),
            helper.make_node("Sin", ["v"], ["next"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("turn", TensorProto.INT64, []),
            helper.make_tensor_value_info("keep", TensorProto.BOOL, []),
            helper.make_tensor_value_info("v", TensorProto.DOUBLE, [2]),
        ],
        [
            helper.make_tensor_value_info("again", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", TensorProto.DOUBLE, [2]),
        ],
    )
    loop = helper.make_node("Loop", ["turns", "go", "x"], ["y"], body=body, name="loop")
    view = _load(tmp_path, [loop], [2], turns=np.array(3), go=np.array(True))
    scheduler, x = aidge_nb.SequentialScheduler(view), Tensor(np.array([0.1, 0.2]))
    (y,) = scheduler.forward(data=[x])
    y.init_grad()
    with pytest.raises(MissingKernelError, match=r"loop \(Loop\): operator Loop has no gradient"):
        scheduler.backward()
    assert not x.has_grad()
    np.testing.assert_allclose(scheduler.forward(data=[x])[0].array, np.sin(np.sin(np.sin(x))))
