"""Converters that a user registers stand in for ours, decline, or are refused."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.core.errors import OnnxError
from aidge_nb.onnx_io.convert.user import USER_CONVERTERS

onnx = pytest.importorskip("onnx")


@pytest.fixture
def register() -> Iterator[Callable[[Callable[..., Any]], None]]:
    """Register a converter of Add for one test."""
    yield lambda converter: USER_CONVERTERS.update(add=converter)
    USER_CONVERTERS.pop("add", None)


def model() -> Any:
    values = [onnx.helper.make_tensor_value_info(name, 1, [2]) for name in "xy"]
    constant = onnx.numpy_helper.from_array(np.array([1, 2], np.float32), "c")
    node = onnx.helper.make_node("Add", ["x", "c"], ["y"], "sum")
    graph = onnx.helper.make_graph([node], "g", values[:1], values[1:], [constant])
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])


def test_it_is_told_what_feeds_the_node_and_its_node_is_connected(register: Any) -> None:
    told: list[Any] = []

    def convert(node: Any, inputs: Any, opset: int, infos: Any) -> aidge_nb.Node:
        told.extend((node.name, [port and port.node.name() for port in inputs], opset, infos))
        return aidge_nb.Mul(name="product")

    register(convert)
    graph = aidge_nb.load_onnx(model())
    assert told == ["sum", [None, "c"], 17, [None, None]]
    graph.compile("cpu", aidge_nb.dtype.float32, dims=[[2]])
    data = aidge_nb.Tensor(np.array([3, 4], np.float32))
    (found,) = aidge_nb.SequentialScheduler(graph).forward(data=[data])
    assert found.array.tolist() == [3, 8]


@pytest.mark.parametrize("taken", [lambda node, inputs: None, lambda *given: None], ids="ab")
def test_declining_leaves_the_node_to_ours(register: Any, taken: Any) -> None:
    register(taken)
    assert aidge_nb.load_onnx(model()).get_node("sum").type() == "Add"


@pytest.mark.parametrize("given", [3, aidge_nb.ReLU(name="r")])
def test_what_cannot_stand_for_the_node_is_refused(register: Any, given: Any) -> None:
    register(lambda node, inputs, opset: given)
    with pytest.raises(OnnxError, match=r"sum \(Add\).*expected a node with 2 inputs, or None"):
        aidge_nb.load_onnx(model())
