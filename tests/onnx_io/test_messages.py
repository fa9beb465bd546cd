"""Writing models."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

from aidge_nb import zoo
from aidge_nb.core.errors import MissingExtraError, OnnxError
from aidge_nb.onnx_io import (
    AttributeReference,
    OnnxFunction,
    OnnxGraph,
    OnnxModel,
    OnnxNode,
    OnnxValue,
    read_onnx,
)
from aidge_nb.onnx_io import model as models


def model(nodes: tuple[OnnxNode, ...], **more: Any) -> OnnxModel:
    graph = OnnxGraph(
        "g", nodes, {}, (OnnxValue("x", "float32", ("N", 3, None)),), (OnnxValue("y"),)
    )
    return OnnxModel(graph, {"": 13, "my": 1}, **more)


ATTRIBUTES: dict[str, Any] = {
    "integer": -3,
    "real": 0.5,
    "text": "SAME_UPPER",
    "array": np.arange(3.0),
    "integers": (1, -2),
    "reals": (0.5, 2.0),
    "mixed": (1, 0.5),
    "texts": ("a", "b"),
    "arrays": (np.zeros(1), np.ones((2, 2), np.int8)),
    "none": (),
    "names": np.array(["a", "b"], object),
}


def test_attributes_come_back() -> None:
    node = OnnxNode("Foo", ("x",), ("y",), "foo", "my", ATTRIBUTES)
    back = read_onnx(model((node,)).to_bytes()).nodes[0]
    assert back.domain == "my"
    assert list(back.attributes) == list(ATTRIBUTES)
    for name, value in ATTRIBUTES.items():
        found = back.attributes[name]
        if isinstance(value, np.ndarray) or name == "arrays":
            for one, other in zip(found, value, strict=True):
                np.testing.assert_array_equal(one, other)
        else:
            assert found == value
    official = onnx.load_from_string(model((node,)).to_bytes()).graph.node[0].attribute
    assert {attribute.name: attribute.type for attribute in official} == {
        "integer": 2,
        "real": 1,
        "text": 3,
        "array": 4,
        "integers": 7,
        "reals": 6,
        "mixed": 6,
        "texts": 8,
        "arrays": 9,
        "none": 7,
        "names": 4,
    }


def test_bodies_and_functions_come_back() -> None:
    body = OnnxGraph("then", (OnnxNode("Relu", ("x",), ("b",)),), {}, (), (OnnxValue("b"),))
    choice = OnnxNode("If", ("x",), ("c",), "if", attributes={"then_branch": body})
    call = OnnxNode("Twice", ("c",), ("y",), "twice", "my", {"alpha": 2.0})
    inner = OnnxNode("Elu", ("i",), ("o",), attributes={"alpha": AttributeReference("alpha")})
    function = OnnxFunction(
        "Twice", "my", ("i",), ("o",), {"alpha": 1.0, "k": None}, (inner,), {"": 13}
    )
    whole = model((choice, call), functions=(function,), metadata={"author": "me"})
    back = read_onnx(whole.to_bytes())
    assert back.nodes[0].attributes["then_branch"].nodes[0].op_type == "Relu"
    assert back.metadata == {"author": "me"}
    twice = back.functions[0]
    assert twice.attributes == {"k": None, "alpha": 1.0}
    assert twice.nodes[0].attributes["alpha"] == AttributeReference("alpha")
    assert back.inputs == (OnnxValue("x", "float32", ("N", 3, None)),)
    assert back.to_bytes() == read_onnx(back.to_bytes()).to_bytes()
    assert back.to_proto().functions[0].name == "Twice"


def test_values_that_are_no_tensors_keep_their_name() -> None:
    proto = helper.make_model(
        helper.make_graph(
            [helper.make_node("SequenceLength", ["s"], ["y"])],
            "g",
            [helper.make_tensor_sequence_value_info("s", 1, None)],
            [helper.make_tensor_value_info("y", 7, [])],
        ),
        ir_version=8,
    )
    read = read_onnx(proto)
    assert read.inputs == (OnnxValue("s", None),)
    assert read_onnx(read.to_bytes()).inputs == read.inputs


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"a": {1, 2}}, "foo .*attribute 'a': ONNX has no such attribute .* found set"),
        ({"a": (1, "b")}, "ONNX has no such attribute .* found tuple"),
        ({"a": ((1,), (2,))}, "ONNX has no such attribute .* found tuple"),
        ({"a": np.zeros(2, "datetime64[s]")}, "ONNX has no such element type .* datetime64"),
    ],
)
def test_what_onnx_has_not(attributes: dict[str, Any], words: str) -> None:
    with pytest.raises(OnnxError, match=words):
        model((OnnxNode("Foo", ("x",), ("y",), "foo", attributes=attributes),)).to_bytes()


def test_a_model_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "LARGEST_FILE", 1000)
    with pytest.raises(OnnxError, match=r"model 'lenet': is too large .*expected at most 1000"):
        zoo.build("lenet").to_bytes()


def test_saving_leaves_the_file_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lenet = zoo.build("lenet")
    target = tmp_path / "lenet.onnx"
    lenet.save(target)
    assert target.read_bytes() == lenet.to_bytes()
    target.write_bytes(b"before")

    def full_disk(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full_disk)
    with pytest.raises(OnnxError, match=r"lenet.onnx: cannot be written: No space left"):
        lenet.save(target)
    assert target.read_bytes() == b"before"
    assert [file.name for file in tmp_path.iterdir()] == ["lenet.onnx"]


def test_reading_without_the_onnx_package(monkeypatch: pytest.MonkeyPatch) -> None:
    content = zoo.build("lenet").to_bytes()
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert repr(read_onnx(content)) == repr(zoo.build("lenet"))
    assert read_onnx(content).to_bytes() == content


def test_saving_where_there_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(OnnxError, match="cannot be written: No such file or directory"):
        zoo.build("lenet").save(tmp_path / "none" / "lenet.onnx")


def test_without_the_onnx_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtraError, match=r"pip install \"aidge_nb\[onnx\]\""):
        zoo.build("lenet").to_proto()


def test_old_files_list_initializers_as_inputs() -> None:
    lenet = zoo.build("lenet")
    old = OnnxModel(lenet.graph, lenet.opsets, ir_version=3)
    proto = old.to_proto()
    assert len(proto.graph.input) == 1 + len(lenet.initializers)
    onnx.checker.check_model(proto)
    assert read_onnx(proto).inputs == lenet.inputs
