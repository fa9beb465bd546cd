"""Reading files: whole ones, and every kind of bad one."""

from __future__ import annotations

import io
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from aidge_nb import zoo
from aidge_nb.core.errors import OnnxError
from aidge_nb.onnx_io import OnnxModel, read_onnx

LENET = zoo.build("lenet").to_bytes()


def model_with(**changes: Any) -> onnx.ModelProto:
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"], name="relu")],
        "tiny",
        [value("x", 1, [2])],
        [value("y", 1, [2])],
    )
    return helper.make_model(graph, ir_version=8, **changes)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "model.onnx"
    file.write_bytes(LENET)
    return file


def test_every_kind_of_source(path: Path) -> None:
    expected = repr(zoo.build("lenet"))
    for given in (path, str(path), LENET, bytearray(LENET), memoryview(LENET), io.BytesIO(LENET)):
        assert repr(read_onnx(given)) == expected
    assert repr(read_onnx(onnx.load(path))) == expected
    with path.open("rb") as file:
        assert read_onnx(file).source == str(path)
    model = zoo.build("lenet")
    assert repr(read_onnx(model)) == expected
    with pytest.raises(OnnxError, match=r"expected a path, bytes.* found int"):
        read_onnx(3)


def test_a_model_read_and_written_is_the_same(path: Path) -> None:
    assert read_onnx(path).to_bytes() == LENET


@pytest.mark.parametrize("light", sorted(Path(onnx.__file__).parent.rglob("light_*.onnx")))
def test_light_models_are_read_as_onnx_reads_them(light: Path) -> None:
    official, model = onnx.load(light), read_onnx(light)
    assert model.opset == official.opset_import[0].version
    for node, expected in zip(model.nodes, official.graph.node, strict=True):
        assert node.op_type == expected.op_type
        assert node.inputs == tuple(expected.input)
        assert node.outputs == tuple(expected.output)
        assert node.name == (expected.name or expected.output[0])
        for attribute in expected.attribute:
            value = helper.get_attribute_value(attribute)
            if isinstance(value, onnx.TensorProto):
                np.testing.assert_array_equal(
                    node.attributes[attribute.name], numpy_helper.to_array(value)
                )
            else:
                value = tuple(value) if not isinstance(value, (int, float, bytes)) else value
                value = value.decode() if isinstance(value, bytes) else value
                assert node.attributes[attribute.name] == value
    for tensor in official.graph.initializer:
        np.testing.assert_array_equal(
            model.initializers[tensor.name], numpy_helper.to_array(tensor)
        )
    given = [value.name for value in official.graph.input if value.name not in model.initializers]
    assert [value.name for value in model.inputs] == given


# --- files that are no models -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "meaning"),
    [
        (b"", "the file is empty"),
        (b"<!DOCTYPE html><html>404</html>", "found a web page or XML"),
        (b"\n  <html></html>", "found a web page or XML"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (pickle.dumps({"weights": [1.0]}), "found a Python pickle; export"),
        (b"PK\x03\x04\x00\x00", "found a zip archive"),
        (b"\x89HDF\r\n\x1a\n", "found an HDF5 file"),
        (b"\x1c\x00\x00\x00TFL3\x14\x00", "found a TensorFlow Lite model"),
        (b"{'layers': []}", "found JSON text"),
        (b"import torch\n", "found plain text"),
        (b"\x89PNG\r\n\x1a\n" + bytes(20), "found a PNG image"),
        (b"\xff\xfe\xfd\xfc", "found bytes of an unknown kind"),
        (bytes(64), "this is not an ONNX model"),
    ],
)
def test_other_files_are_recognised(tmp_path: Path, content: bytes, meaning: str) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(content)
    with pytest.raises(OnnxError, match=meaning) as caught:
        read_onnx(file)
    assert str(file) in str(caught.value)


def test_a_tensor_file_is_no_model(tmp_path: Path) -> None:
    file = tmp_path / "output_0.pb"
    file.write_bytes(numpy_helper.from_array(np.ones(3, np.float32), "y").SerializeToString())
    with pytest.raises(OnnxError, match=r"this is not an ONNX model .found a single tensor"):
        read_onnx(file)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(OnnxError, match=r"the file .*none\.onnx does not exist\. Check the path"):
        read_onnx(tmp_path / "none.onnx")
    with pytest.raises(OnnxError, match="is a folder"):
        read_onnx(tmp_path)
    with pytest.raises(OnnxError, match="is not a regular file"):
        read_onnx(os.devnull)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(path: Path) -> None:
    path.chmod(0)
    with pytest.raises(OnnxError, match="cannot be read: Permission denied"):
        read_onnx(path)


def test_truncation_anywhere_is_noticed() -> None:
    for size in range(1, len(LENET) - 1, 997):
        with pytest.raises(OnnxError, match=r"truncated or damaged|not an ONNX model"):
            read_onnx(LENET[:size])
    with pytest.raises(OnnxError, match=r"truncated or damaged .*found \d+ bytes"):
        read_onnx(LENET[: len(LENET) // 2])


def test_any_damage_is_an_onnx_error_or_nothing() -> None:
    random = np.random.default_rng(0)
    small = model_with(opset_imports=[helper.make_opsetid("", 13)]).SerializeToString()
    for _ in range(500):
        damaged = bytearray(small)
        damaged[random.integers(len(small))] = random.integers(256)
        try:
            read_onnx(bytes(damaged))
        except (OnnxError, UserWarning):
            continue


def test_parts_that_make_no_sense() -> None:
    proto = model_with(opset_imports=[helper.make_opsetid("", 13)])
    weight = numpy_helper.from_array(np.ones(2, np.float32), "w")
    proto.graph.initializer.extend([weight, weight])
    with pytest.raises(OnnxError, match="initializers: there are two initializers 'w'"):
        read_onnx(proto)
    proto.graph.initializer[1].name = ""
    with pytest.raises(OnnxError, match="initializers: one has no name"):
        read_onnx(proto)
    del proto.graph.initializer[:]
    proto.graph.node[0].attribute.add(name="odd")
    with pytest.raises(OnnxError, match=r"relu .Relu., attribute 'odd': unknown kind .*nothing"):
        read_onnx(proto)
    proto.graph.node[0].attribute[0].ints.extend([1, 2])
    assert read_onnx(proto).nodes[0].attributes == {"odd": (1, 2)}
    proto.graph.node[0].op_type = ""
    with pytest.raises(OnnxError, match=r"node relu .*: has no operator type"):
        read_onnx(proto)


def test_sparse_initializers_are_read() -> None:
    proto = model_with(opset_imports=[helper.make_opsetid("", 13)])
    values = numpy_helper.from_array(np.array([2.0], np.float32), "w")
    places = numpy_helper.from_array(np.array([1], np.int64), "places")
    proto.graph.sparse_initializer.append(helper.make_sparse_tensor(values, places, [3]))
    assert read_onnx(proto).initializers["w"].tolist() == [0, 2, 0]


# --- versions ---------------------------------------------------------------------------------


def test_versions() -> None:
    old = model_with(opset_imports=[helper.make_opsetid("", 7)])
    assert read_onnx(old).opset == 7
    assert read_onnx(model_with(opset_imports=[helper.make_opsetid("ai.onnx", 7)])).opset == 7
    with pytest.warns(UserWarning, match=r"ai.onnx version 99 is newer than this library knows"):
        assert read_onnx(model_with(opset_imports=[helper.make_opsetid("", 99)])).opset == 99
    old.ir_version = 50
    with pytest.warns(UserWarning, match="IR version 50 is newer"):
        read_onnx(old)
    old.ir_version = 0
    with pytest.raises(OnnxError, match=r"the IR version is invalid .* found 0"):
        read_onnx(old)
    with pytest.raises(OnnxError, match=r"the ai.onnx version is invalid .* found 99999"):
        read_onnx(model_with(opset_imports=[helper.make_opsetid("", 99999)]))


def test_no_opset() -> None:
    proto = model_with(opset_imports=[helper.make_opsetid("my.domain", 1)])
    with pytest.raises(OnnxError, match="does not say which version of the standard operators"):
        read_onnx(proto)
    proto.ir_version = 2
    assert read_onnx(proto).opset == 1


# --- size -------------------------------------------------------------------------------------


def test_weights_can_be_written() -> None:
    assert all(array.flags.writeable for array in read_onnx(LENET).initializers.values())


def test_models_show_themselves() -> None:
    model = zoo.build("lenet")
    assert isinstance(model, OnnxModel)
    assert repr(model.graph) == "OnnxGraph('lenet', 12 nodes)"
    assert "Conv" in repr(model.nodes[0])
