"""Functions that a model defines, written out."""

from __future__ import annotations

import pytest

from aidge_nb.core.errors import OnnxError
from aidge_nb.onnx_io import (
    AttributeReference,
    OnnxFunction,
    OnnxGraph,
    OnnxModel,
    OnnxNode,
    OnnxValue,
)
from aidge_nb.onnx_io.read.inline import inline_functions


def elu(source: str, target: str, name: str = "", reference: str = "slope") -> OnnxNode:
    return OnnxNode(
        "Elu", (source,), (target,), name, attributes={"alpha": AttributeReference(reference)}
    )


def function(name: str, *nodes: OnnxNode, opset: int = 13) -> OnnxFunction:
    return OnnxFunction(name, "my", ("i", "w"), ("o",), {"slope": 2.0}, nodes, {"": opset})


def model(nodes: list[OnnxNode], *functions: OnnxFunction) -> OnnxModel:
    graph = OnnxGraph("g", tuple(nodes), {}, (OnnxValue("x"),), (OnnxValue("y"),))
    return OnnxModel(graph, {"": 13, "my": 1}, functions, source="m.onnx")


def call(name: str, source: str, target: str, op_type: str = "F", **attributes: float) -> OnnxNode:
    return OnnxNode(op_type, (source,), (target,), name, "my", attributes)


def test_a_body_takes_the_place_of_each_call() -> None:
    body = function("F", elu("i", "a", "elu"), OnnxNode("Add", ("a", "w"), ("o",)))
    written = inline_functions(model([call("f1", "x", "m"), call("f2", "m", "y", slope=3.0)], body))
    assert written.functions == ()
    assert [(n.name, n.op_type, n.inputs, n.outputs) for n in written.nodes] == [
        ("f1_elu", "Elu", ("x",), ("f1_a",)),
        ("f1_o", "Add", ("f1_a", ""), ("m",)),
        ("f2_elu", "Elu", ("m",), ("f2_a",)),
        ("f2_o", "Add", ("f2_a", ""), ("y",)),
    ]
    assert [n.attributes.get("alpha") for n in written.nodes] == [2.0, None, 3.0, None]


def test_functions_call_functions_and_carry_bodies() -> None:
    branch = OnnxGraph("b", (elu("i", "z"),), {}, (), (OnnxValue("z"),))
    choice = OnnxNode("If", ("i",), ("o",), "if", attributes={"then_branch": branch})
    inner, outer = function("F", choice), function("G", call("f", "i", "o"))
    written = inline_functions(model([call("g", "x", "y", "G")], inner, outer))
    (node,) = written.nodes
    assert (node.name, node.inputs, node.outputs) == ("g_f_if", ("x",), ("y",))
    body = node.attributes["then_branch"]
    assert body.nodes[0].inputs == ("x",)
    assert body.nodes[0].outputs == (body.outputs[0].name,)
    assert body.nodes[0].attributes == {"alpha": 2.0}


def test_attributes_that_nobody_gives_are_left_out() -> None:
    body = function("F", elu("i", "o", reference="unknown"))
    assert inline_functions(model([call("f", "x", "y")], body)).nodes[0].attributes == {}


def test_functions_of_another_opset_stay_calls() -> None:
    body = function("F", elu("i", "o"), opset=7)
    assert inline_functions(model([call("f", "x", "y")], body)).nodes[0].op_type == "F"


def test_a_function_that_calls_itself() -> None:
    body = function("F", call("again", "i", "o"))
    with pytest.raises(OnnxError, match=r"m.onnx: a function calls itself: F calls F"):
        inline_functions(model([call("f", "x", "y")], body))
