"""What the graph of a model has to keep to."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from aidge_nb.core.errors import OnnxError
from aidge_nb.onnx_io import OnnxGraph, OnnxModel, OnnxNode, OnnxValue
from aidge_nb.onnx_io.read.check import check_model


def model(
    nodes: Sequence[OnnxNode],
    outputs: Sequence[str] = ("y",),
    initializers: Mapping[str, Any] | None = None,
) -> OnnxModel:
    graph = OnnxGraph(
        "g",
        tuple(nodes),
        {name: np.asarray(value) for name, value in (initializers or {}).items()},
        (OnnxValue("x"),),
        tuple(OnnxValue(name) for name in outputs),
    )
    return OnnxModel(graph, {"": 13}, source="m.onnx")


def relu(source: str, target: str, name: str = "") -> OnnxNode:
    return OnnxNode("Relu", (source,), (target,), name)


def names(checked: OnnxModel) -> list[str]:
    return [node.name for node in checked.nodes]


def test_nodes_without_a_name_get_that_of_their_output() -> None:
    nodes = [relu("x", "a"), OnnxNode("Dropout", ("a",), ("", "mask")), relu("a", "y", "last")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert names(check_model(model(nodes))) == ["a", "mask", "last"]


def test_equal_names_get_numbers() -> None:
    nodes = [relu("x", "a", "relu"), relu("a", "b", "relu"), relu("b", "y", "relu")]
    with pytest.warns(UserWarning, match=r"renamed relu → relu_1, relu → relu_2"):
        assert names(check_model(model(nodes))) == ["relu", "relu_1", "relu_2"]


def test_many_equal_names_make_one_short_warning() -> None:
    nodes = [relu("x" if not i else f"v{i}", f"v{i + 1}", "relu") for i in range(9)]
    with pytest.warns(UserWarning, match=r"relu_3 and 5 more$"):
        check_model(model(nodes, ["v9"]))


def test_nodes_out_of_order_are_sorted() -> None:
    nodes = [relu("b", "y", "last"), relu("x", "a", "first"), relu("a", "b", "second")]
    with pytest.warns(UserWarning, match="they were sorted"):
        assert names(check_model(model(nodes))) == ["first", "second", "last"]


def test_a_cycle_is_spelled_out() -> None:
    nodes = [
        relu("x", "a", "free"),
        OnnxNode("Add", ("a", "c"), ("b",), "add"),
        relu("b", "c", "loop"),
        relu("c", "y", "out"),
    ]
    with pytest.raises(
        OnnxError, match=r"m.onnx: the graph has a cycle: add \(Add\) reads loop \(Relu\) reads add"
    ):
        check_model(model(nodes))


def test_undefined_values() -> None:
    with pytest.raises(OnnxError, match=r"a \(Relu\), input#0: nothing defines the value 'conv1'"):
        check_model(model([relu("conv1", "a")]))
    with pytest.raises(OnnxError, match=r"Is 'conv1_out' meant\?"):
        check_model(model([relu("x", "conv1_out"), relu("conv1_ou", "y")]))
    with pytest.raises(OnnxError, match=r"graph output 'z': no node computes it"):
        check_model(model([relu("x", "y")], ["z"]))


def test_values_defined_twice() -> None:
    with pytest.raises(OnnxError, match=r"b \(Relu\): it writes the value 'y', which a \(Relu\)"):
        check_model(model([relu("x", "y", "a"), relu("x", "y", "b")]))
    with pytest.raises(OnnxError, match="which the graph defines too"):
        check_model(model([relu("x", "x", "a")]))
    with pytest.raises(OnnxError, match="which the graph defines too"):
        check_model(model([relu("x", "w")], ["w"], {"w": 1.0}))


def test_an_input_may_be_an_output() -> None:
    assert check_model(model([], ["x"])).nodes == ()


def with_body(body_nodes: Sequence[OnnxNode], output: str) -> OnnxNode:
    body = OnnxGraph("body", tuple(body_nodes), {}, (), (OnnxValue(output),))
    return OnnxNode("If", ("x",), ("y",), "if", attributes={"then_branch": body})


def test_bodies_read_values_from_around_them() -> None:
    checked = check_model(model([relu("x", "a"), with_body([relu("a", "b")], "b")]))
    body = checked.nodes[1].attributes["then_branch"]
    assert [node.name for node in body.nodes] == ["b"]
    checked = check_model(model([relu("x", "a"), with_body([], "a")]))
    with pytest.warns(UserWarning, match="sorted"):
        late = check_model(model([with_body([relu("a", "b")], "b"), relu("x", "a")]))
    assert names(late) == ["a", "if"]
    with pytest.raises(OnnxError, match=r"if \(If\), input#of its body: nothing defines"):
        check_model(model([with_body([relu("nowhere", "b")], "b")]))
