"""Weights in files beside the model: read where they belong to it, and refused elsewhere."""

import os
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from aidge_nb.core.errors import OnnxError
from aidge_nb.core.limits import limits
from aidge_nb.onnx_io import read_onnx

VALUES = np.arange(6, dtype=np.float32)
OUTSIDE = "is not in the folder of the model"


def external(folder: Path, **entries: str) -> Path:
    """Write a model of one product, whose weights lie elsewhere."""
    folder.mkdir(parents=True, exist_ok=True)
    weight = TensorProto(name="w", data_type=1, dims=[2, 3], data_location=TensorProto.EXTERNAL)
    for key, value in entries.items():
        weight.external_data.add(key=key, value=value)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "outside",
        [helper.make_tensor_value_info("x", 1, [1, 2])],
        [helper.make_tensor_value_info("y", 1, [1, 3])],
        [weight],
    )
    file = folder / "model.onnx"
    file.write_bytes(helper.make_model(graph, ir_version=8).SerializeToString())
    return file


def weights(folder: Path, name: str = "weights.bin") -> Path:
    """Write the weights themselves."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(VALUES.tobytes())
    return folder / name


def test_external_data(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(bytes(8) + VALUES.tobytes())
    model = read_onnx(external(tmp_path, location="weights.bin", offset="8", length="24"))
    assert model.initializers["w"].tolist() == VALUES.reshape(2, 3).tolist()
    model = read_onnx(external(tmp_path, location="./weights.bin", offset="8"))
    assert model.initializers["w"].tolist() == VALUES.reshape(2, 3).tolist()


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"location": "weights.bin"}, r"tensor 'w': the file .*weights\.bin does not exist"),
        ({"location": "short.bin"}, r"expected float32\[2, 3\], found 4 bytes"),
        ({"location": "short.bin", "length": "24"}, "too short .*expected 24 bytes, found 4"),
        ({"location": "short.bin", "length": "9" * 18}, "too short"),
        ({"location": "short.bin", "offset": "9"}, "too short"),
        ({"location": "short.bin", "offset": "x"}, "the offset of its external data is not a"),
        ({"location": "short.bin", "offset": "9" * 5000}, "not a number"),
        ({"location": "short.bin", "length": "-1"}, "the length of its external data is not a"),
        ({"location": "../secret.bin"}, OUTSIDE),
        ({"location": "a/../../secret.bin"}, OUTSIDE),
        ({"location": os.devnull}, OUTSIDE),
        ({"location": "."}, "is a folder"),
        ({"location": "a\0b"}, "is not in the folder|cannot be read"),
        ({"location": "a" * 5000}, "is not in the folder|cannot be read"),
        ({}, "is not in the folder of the model .* found no location"),
    ],
)
def test_wrong_external_data(tmp_path: Path, entries: dict[str, str], words: str) -> None:
    (tmp_path / "short.bin").write_bytes(bytes(4))
    with pytest.raises(OnnxError, match=words) as caught:
        read_onnx(external(tmp_path, **entries))
    assert "model.onnx" in str(caught.value)


def test_external_data_of_bytes(tmp_path: Path) -> None:
    file = external(tmp_path, location="weights.bin")
    with pytest.raises(OnnxError, match="Give the path of the model instead of its bytes"):
        read_onnx(file.read_bytes())


# --- links ------------------------------------------------------------------------------------


def test_links_within_the_folder_are_followed(tmp_path: Path) -> None:
    weights(tmp_path / "deep", "real.bin")
    (tmp_path / "weights.bin").symlink_to(Path("deep") / "real.bin")
    model = read_onnx(external(tmp_path, location="weights.bin"))
    assert model.initializers["w"].tolist() == VALUES.reshape(2, 3).tolist()


def test_links_that_leave_the_folder_are_refused(tmp_path: Path) -> None:
    secret = weights(tmp_path / "home", "secret")
    file = external(tmp_path / "model", location="weights.bin")
    (tmp_path / "model" / "weights.bin").symlink_to(secret)
    with pytest.raises(OnnxError, match=f"{OUTSIDE}.*outside_links"):
        read_onnx(file)
    with limits(outside_links=1):
        assert read_onnx(file).initializers["w"].tolist() == VALUES.reshape(2, 3).tolist()


def test_linked_folders_that_leave_the_folder_are_refused(tmp_path: Path) -> None:
    weights(tmp_path / "home")
    file = external(tmp_path / "model", location="inner/weights.bin")
    (tmp_path / "model" / "inner").symlink_to(tmp_path / "home")
    with pytest.raises(OnnxError, match=OUTSIDE):
        read_onnx(file)


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").symlink_to("weights.bin")
    with pytest.raises(OnnxError, match=r"weights\.bin"):
        read_onnx(external(tmp_path, location="weights.bin"))


def test_the_cache_of_a_hub_is_followed(tmp_path: Path) -> None:
    """Every file of a revision is a link into the blobs beside it."""
    cache = tmp_path / "models--a--b"
    blob = weights(cache / "blobs", "1234")
    revision = cache / "snapshots" / "abcd"
    file = external(revision / "onnx", location="weights.bin")
    (revision / "onnx" / "weights.bin").symlink_to(Path("../../../blobs/1234"))
    assert read_onnx(file).initializers["w"].tolist() == VALUES.reshape(2, 3).tolist()
    (tmp_path / "elsewhere").symlink_to(cache)
    linked = tmp_path / "elsewhere" / "snapshots" / "abcd" / "onnx" / "model.onnx"
    assert read_onnx(linked).initializers["w"].shape == (2, 3)
    assert blob.exists()


@pytest.mark.parametrize("place", ["other/blobs", "models--a--b/other", "models--a--b/blobs/deep"])
def test_only_the_blobs_of_the_same_model_are_followed(tmp_path: Path, place: str) -> None:
    revision = tmp_path / "models--a--b" / "snapshots" / "abcd"
    file = external(revision, location="weights.bin")
    (revision / "weights.bin").symlink_to(weights(tmp_path / place))
    with pytest.raises(OnnxError, match=OUTSIDE):
        read_onnx(file)


# --- files that change, or are none -----------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_a_fifo_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "weights.bin")
    with pytest.raises(OnnxError, match="is not a regular file"):
        read_onnx(external(tmp_path, location="weights.bin"))
    os.mkfifo(tmp_path / "pipe.onnx")
    with pytest.raises(OnnxError, match="is not a regular file"):
        read_onnx(tmp_path / "pipe.onnx")


def test_what_was_loaded_stays_when_files_change(tmp_path: Path) -> None:
    """A file of 20 MiB that is rewritten and cut short ends no process and changes no weight."""
    large = np.full(5 << 20, 3, np.float32)
    weight = TensorProto(name="w", data_type=1, dims=[large.size])
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="large.bin")
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])],
        "large",
        [helper.make_tensor_value_info("x", 1, [1])],
        [helper.make_tensor_value_info("y", 1, [large.size])],
        [weight],
    )
    file = tmp_path / "model.onnx"
    file.write_bytes(helper.make_model(graph, ir_version=8).SerializeToString())
    (tmp_path / "large.bin").write_bytes(large.tobytes())
    loaded = read_onnx(file).initializers["w"]
    with (tmp_path / "large.bin").open("r+b") as rewritten:
        rewritten.write(bytes(1 << 20))
        rewritten.truncate(1 << 20)
    assert (loaded == 3).all()


def test_tensors_of_the_same_bytes_share_them(tmp_path: Path) -> None:
    weights(tmp_path)
    file = external(tmp_path, location="weights.bin")
    weight = read_onnx(file).initializers["w"]
    assert weight.flags.writeable
    weight[0] = 7
    assert read_onnx(file).initializers["w"][0].tolist() == [0, 1, 2]
