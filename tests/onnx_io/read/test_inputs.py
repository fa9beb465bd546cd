"""Dimensions of inputs, from what a file declares and the caller says."""

from __future__ import annotations

import pytest

from aidge_nb.core.errors import OnnxError
from aidge_nb.onnx_io import load_onnx
from aidge_nb.onnx_io.ir import OnnxValue
from aidge_nb.onnx_io.model import OnnxSignature
from aidge_nb.onnx_io.read.inputs import resolve_dims
from aidge_nb.report import study

SIGNATURE = OnnxSignature(
    inputs=(
        OnnxValue("x", "float32", ("batch", "length")),
        OnnxValue("state", "float32", (2, "batch", 8)),
        OnnxValue("rate", "int64", ()),
    ),
    outputs=(),
)


def test_symbols_follow_from_dims_that_are_given() -> None:
    assert resolve_dims(SIGNATURE, {"x": [3, 5]}).dims == ((3, 5), (2, 3, 8), ())
    assert resolve_dims(SIGNATURE, {0: [3, 5]}).dims == ((3, 5), (2, 3, 8), ())
    assert resolve_dims(SIGNATURE, symbols={"batch": 1, "length": 2}).dims[0] == (1, 2)


def test_a_batch_is_assumed_and_said() -> None:
    found = resolve_dims(SIGNATURE, {"state": [2, 1, 8]}, {"length": 4})
    assert found.dims[0] == (1, 4)
    assert found.assumed == ()
    found = resolve_dims(OnnxSignature((OnnxValue("x", "float32", (None, 4)),), ()))
    assert found.dims == ((1, 4),)
    assert found.assumed == ("input x: size 1 assumed for dimension 0",)


@pytest.mark.parametrize(
    ("given", "symbols", "message"),
    [
        ({"x": [3, 5], "state": [2, 4, 8]}, {}, "batch has two values .expected 3, found 4"),
        ({"x": [3, 5]}, {"batch": 2}, "batch has two values .expected 2, found 3"),
        ({"x": [3]}, {}, "contradict those that the file declares"),
        ({"y": [3]}, {}, "has no such input .expected .'x', 'state', 'rate'., found y"),
        ({}, {"width": 1}, "no such symbolic dimension"),
        ({}, {"batch": 1}, r"input x: dimension 1 \(length\) unknown .*--dim length="),
    ],
)
def test_refusals(given: dict[str | int, list[int]], symbols: dict[str, int], message: str) -> None:
    with pytest.raises(OnnxError, match=message):
        resolve_dims(SIGNATURE, given, symbols)


def test_scalars_have_their_dims_from_the_start() -> None:
    """In ``forward_dims`` an empty entry means "as it is", so scalars must be known before."""
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    inputs = [
        helper.make_tensor_value_info(name, 1, dims) for name, dims in (("x", [2]), ("s", []))
    ]
    graph = helper.make_graph(
        [helper.make_node("Mul", ["x", "s"], ["y"], "mul")],
        "g",
        inputs,
        [helper.make_tensor_value_info("y", 1, [2])],
    )
    view = load_onnx(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]))
    assert view.forward_dims([[2], []])
    assert study(view, [[2]], run=True).result


def test_pictures_have_the_names_of_inputs_and_outputs() -> None:
    """An input that two nodes read is one input, and has one name at both."""
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    graph = helper.make_graph(
        [
            helper.make_node("Relu", ["image"], ["a"], "first"),
            helper.make_node("Neg", ["image"], ["b"], "second"),
            helper.make_node("Add", ["a", "b"], ["scores"], "third"),
        ],
        "g",
        [helper.make_tensor_value_info("image", 1, [2])],
        [helper.make_tensor_value_info("scores", 1, [2])],
    )
    view = load_onnx(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]))
    snapshot = view.snapshot()
    assert [port.label for port in snapshot.inputs] == ["image", "image"]
    assert [port.label for port in snapshot.outputs] == ["scores"]


def test_a_symbol_has_one_value_even_if_assumed() -> None:
    found = resolve_dims(SIGNATURE, symbols={"length": 512})
    assert found.dims == ((1, 512), (2, 1, 8), ())


def test_anonymous_dims_are_asked_for_one_by_one() -> None:
    signature = OnnxSignature((OnnxValue("x", "float32", ("?", 3, "?", "?")),), ())
    with pytest.raises(OnnxError, match=r"Pass its dimensions: --dims x=\.\.\.,3,\.\.\.,\.\.\. "):
        resolve_dims(signature)
    with pytest.raises(OnnxError, match="no such symbolic dimension"):
        resolve_dims(signature, symbols={"?": 48})
    assert resolve_dims(signature, {"x": [1, 3, 48, 192]}).dims == ((1, 3, 48, 192),)


def test_what_is_unknown_is_asked_for_once() -> None:
    signature = OnnxSignature((OnnxValue("x", "float32", ("b", "n", "n", 4)),), ())
    with pytest.raises(OnnxError, match=r"dimensions 1 \(n\), 2 \(n\) unknown") as raised:
        resolve_dims(signature, symbols={"b": 2})
    assert str(raised.value).count("--dim n=...") == 1
    assert "--dim b=" not in str(raised.value)
