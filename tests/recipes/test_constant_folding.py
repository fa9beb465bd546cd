"""Constant folding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.recipes import constant_folding
from aidge_nb.recipes.constant_folding import fold_constants
from tests import oracle

CASES = oracle.load("constant_folding")["cases"]


def _scaled_network(constant: bool = False) -> aidge_nb.GraphView:
    """Make x -> Mul(x, Sqrt(four)) -> ReLU."""
    four = aidge_nb.Producer(
        aidge_nb.Tensor(np.array([4.0], np.float32)), name="four", constant=constant
    )
    root = aidge_nb.Sqrt(name="root")
    mul = aidge_nb.Mul(name="mul")
    four.add_child(root)
    root.add_child(mul, 0, 1)
    mul.add_child(relu := aidge_nb.ReLU(name="relu"))
    graph = aidge_nb.get_connected_graph_view(relu)
    graph.set_backend("cpu")
    return graph


def _run(graph: aidge_nb.GraphView) -> np.ndarray:
    data = np.array([-1.0, 3.0], np.float32)
    return np.asarray(aidge_nb.SequentialScheduler(graph).forward(data=[data])[0])


def test_result_is_kept_and_named() -> None:
    expected = _run(_scaled_network())
    graph = _scaled_network()
    assert constant_folding(graph) is True
    assert {node.name(): node.type() for node in graph.get_nodes()} == {
        "mul": "Mul",
        "relu": "ReLU",
        "root": "Producer",
    }
    assert graph.get_node("root").get_operator().attr.constant is True
    graph.set_backend("cpu")
    np.testing.assert_array_equal(_run(graph), expected)
    assert constant_folding(graph) is False


@pytest.mark.parametrize(("constant", "expected"), [(False, False), (True, True)])
def test_only_constant_producers(constant: bool, expected: bool) -> None:
    assert constant_folding(_scaled_network(constant), constant_producer=False) is expected


def test_inputs_of_the_graph_are_not_constant() -> None:
    graph = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    graph.get_node("a").get_operator().set_input(0, aidge_nb.Tensor([1.0]))
    assert constant_folding(graph) is False


def test_chains_fold_to_the_end_and_outputs_stay() -> None:
    graph = aidge_nb.sequential(
        [
            aidge_nb.Producer(aidge_nb.Tensor([4.0]), name="four"),
            aidge_nb.Sqrt(name="root"),
            aidge_nb.Neg(name="minus"),
            aidge_nb.Abs(name="out"),
        ]
    )
    assert fold_constants(graph) == ("root (Sqrt)", "minus (Neg)")
    assert [node.name() for node in graph.topological_order()] == ["minus", "out"]


def test_shapes_fold_when_asked() -> None:
    data = aidge_nb.Identity(name="data")
    shape = aidge_nb.Shape(name="shape")
    reshape = aidge_nb.Reshape(name="reshape")
    data.add_child(shape)
    data.add_child(reshape, 0, 0)
    shape.add_child(reshape, 0, 1)
    graph = aidge_nb.get_connected_graph_view(reshape)
    assert graph.forward_dims([[2, 3]], allow_data_dependency=True)
    assert constant_folding(graph) is False
    assert constant_folding(graph, constant_shape=True) is True
    assert graph.get_node("shape").get_operator().get_output(0).array.tolist() == [2, 3]


def test_operators_without_kernel_stay() -> None:
    graph = aidge_nb.sequential(
        [
            aidge_nb.Producer(aidge_nb.Tensor([4.0])),
            aidge_nb.GenericOperator("Unknown", 1, 0, 1, name="unknown"),
            aidge_nb.ReLU(),
        ]
    )
    assert constant_folding(graph) is False
    assert graph.in_view("unknown")


def _recorded(case: dict[str, Any]) -> aidge_nb.GraphView:
    """Rebuild a recorded graph; its values were not recorded, these give the recorded results."""
    marked = "all marked" in case["title"]
    view = aidge_nb.GraphView()
    values = {"p": [1.0, 2.0], "q": [3.0, 2.0 if "chain" in case["title"] else 4.0]}
    for each in case["before"]["nodes"]:
        if each["op"] == "Producer":
            array = np.array(values[each["name"]], np.float32)
            node = aidge_nb.Producer(aidge_nb.Tensor(array), each["name"], constant=marked)
        else:
            node = getattr(aidge_nb, each["op"])(name=each["name"])
        view.add(node)
    for each in case["before"]["nodes"]:
        for index, parent in enumerate(each["inputs"]):
            if parent is not None:
                view.get_node(parent[0]).add_child(view.get_node(each["name"]), parent[1], index)
    return view


@pytest.mark.parametrize("case", CASES, ids=[case["title"] for case in CASES])
def test_as_aidge_does(case: dict[str, Any]) -> None:
    view = _recorded(case)
    assert constant_folding(view, **case["arguments"]) is case["returned"]
    assert sorted(
        [node.name(), node.type(), [p and [p.node.name(), p.index] for p in node.inputs()]]
        for node in view
    ) == sorted([n["name"], n["op"], n["inputs"]] for n in case["after"]["nodes"])
    found = {
        node.name(): node.get_operator().get_output(0).array.tolist()
        for node in view
        if node.type() == "Producer"
    }
    assert found == case["producers"]
