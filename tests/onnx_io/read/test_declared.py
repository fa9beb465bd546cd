"""Nodes that contradict the declarations of the standard are refused before they are used."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

from aidge_nb import load_onnx
from aidge_nb.core.errors import OnnxError
from tests.hostile.seeds import branches, model_of, nested_functions

X = {"x": ("float32", [2, 3])}


def model(op_type: str, *inputs: str, domain: str = "", **attributes: Any) -> onnx.ModelProto:
    node = helper.make_node(op_type, inputs, ["y"], "n", domain=domain, **attributes)
    return model_of([node], X, {"text": np.array(["a"], object), "w": np.ones(3)}, ["y"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            model("Softmax", "x", axis="last"),
            r"node n \(Softmax\), attribute axis: is of the wrong kind \(expected INT, found STR",
        ),
        (model("Einsum", "x", equation=1.0), "attribute equation: .*expected STRING, found FLOAT"),
        (model("Add", "x", "text"), r"node n \(Add\), input#1: .*expected numbers, found text"),
        (model("StringNormalizer", "w"), "input#0: .*expected text, found numbers"),
        (model("MatMulInteger", "x"), r"n .*: is invalid: input#1, b: is missing"),
        (model("MatMulInteger", "", "x"), "is invalid: input#0, a: is missing"),
        (
            model("QLinearConcat", "x", "x", "x", "", "x", domain="com.microsoft"),
            "input#3, parts: is m",
        ),
    ],
)
def test_a_node_that_contradicts_its_declaration(given: onnx.ModelProto, message: str) -> None:
    with pytest.raises(OnnxError, match=message):
        load_onnx(given)


def test_too_many_outputs() -> None:
    given = model("And", "x", "x")
    given.graph.node[0].output.append("z")
    with pytest.raises(OnnxError, match=r"has too many outputs \(expected at most 1, found 2\)"):
        load_onnx(given)


def test_nodes_inside_of_others_are_checked() -> None:
    inside = branches()
    body = inside.graph.node[0].attribute[0].g
    body.node[0].attribute.append(helper.make_attribute("else_branch", 3))
    body.node[0].op_type = "If"
    with pytest.raises(OnnxError, match=r"attribute else_branch: .*expected GRAPH, found INT"):
        load_onnx(inside)
    function = nested_functions(1)
    function.functions[0].node[0].op_type = "Elu"
    function.functions[0].node[0].attribute.append(helper.make_attribute("alpha", "a"))
    with pytest.raises(OnnxError, match=r"attribute alpha: .*expected FLOAT, found STRING"):
        load_onnx(function)


def test_a_function_of_the_standard_that_cannot_be_expanded_is_shown() -> None:
    assert load_onnx(model("SequenceMap", "x", "x")).annotations["onnx.report"].generic


def test_whole_numbers_are_numbers() -> None:
    load_onnx(model("Elu", "x", alpha=1))


def test_a_value_of_a_function_that_nothing_defines() -> None:
    given = nested_functions(2)
    given.functions[0].node[0].output[0] = "other"
    with pytest.raises(OnnxError, match=r"input#0: nothing defines the value '\w+'"):
        load_onnx(given)


def test_an_operator_of_that_name_of_the_model_itself_is_not_checked() -> None:
    given = nested_functions(1)
    given.functions[0].name = given.graph.node[0].op_type = "Softmax"
    given.graph.node[0].attribute.append(helper.make_attribute("axis", "own"))
    assert load_onnx(given).get_nodes()


def test_attributes_of_old_files_name_no_kind() -> None:
    given = model("Softmax", "x", axis=1)
    given.graph.node[0].attribute[0].ClearField("type")
    load_onnx(given)
    given.graph.node[0].attribute[0].s = b"last"
    given.graph.node[0].attribute[0].ClearField("i")
    with pytest.raises(OnnxError, match=r"attribute axis: .*expected INT, found STRING"):
        load_onnx(given)
