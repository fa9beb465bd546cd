"""Build small models in which every name is hostile."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Name = Callable[[str], str]


def model(name: Name) -> onnx.ModelProto:
    """Build a model of four nodes, with ``name(plain)`` for each name of a node or tensor."""
    rng = np.random.default_rng(7)
    weight = rng.normal(size=(3, 2, 3, 3)).astype(np.float32)
    nodes = [
        helper.make_node("Conv", [name("x"), name("weight")], [name("a")], name("conv")),
        helper.make_node("Relu", [name("a")], [name("b")], name("relu")),
        helper.make_node("Tanh", [name("a")], [name("c")], name("tanh")),
        helper.make_node("Add", [name("b"), name("c")], [name("y")], name("add")),
    ]
    graph = helper.make_graph(
        nodes,
        name("graph"),
        [helper.make_tensor_value_info(name("x"), TensorProto.FLOAT, [1, 2, 5, 5])],
        [helper.make_tensor_value_info(name("y"), TensorProto.FLOAT, [1, 3, 3, 3])],
        [numpy_helper.from_array(weight, name("weight"))],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
