"""Convolutions that spread, images of other sizes, parts, and known numbers, on codes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.core.errors import AidgeError
from aidge_nb.graph import GraphView
from aidge_nb.onnx_io import OnnxModel
from aidge_nb.quantization import steps_by_layer, to_integer
from aidge_nb.zoo.builder import ModelBuilder
from benchmarks.codes import Quantized
from tests.quantization.test_integer import Array, coded, results, run


def spreading(
    per_channel: bool, group: int, opset: int = 17, kind: type[np.integer[Any]] = np.int8
) -> tuple[OnnxModel, Array]:
    """Make a ConvTranspose and two Resizes between codes."""
    random, builder = np.random.default_rng(0), ModelBuilder("spreading", 0, opset=opset)
    value = coded(builder, builder.input("data", (2, 4, 5, 6)), "x", 0.05, kind)
    outs = 6 // group
    codes = builder.constant("w", random.integers(-127, 128, (4, outs, 3, 2)).astype(np.int8))
    scale = np.linspace(0.01, 0.03, outs, dtype=np.float32) if per_channel else np.float32(0.02)
    zero = np.zeros(scale.shape, np.int8)
    parameters = [builder.constant("ws", scale), builder.constant("wz", zero)]
    weight = builder.node("DequantizeLinear", [codes, *parameters], "weight", axis=1)
    bias = builder.constant("b", np.linspace(-3, 3, 6, dtype=np.float32))
    options: dict[str, Any] = {"kernel_shape": (3, 2), "strides": (2, 2), "group": group}
    options |= {"pads": (1, 0, 0, 1), "output_padding": (1, 0)}
    value = builder.node("ConvTranspose", [value, weight, bias], "up", **options)
    value = coded(builder, builder.node("Relu", [value], "relu"), "u", 0.3, kind)
    scales = builder.constant("scales", np.array([1, 1, 2, 1.5], np.float32))
    value = builder.node("Resize", [value, "", scales], "twice", mode="linear")
    value = coded(builder, value, "t", 0.3, kind)
    sizes = builder.constant("sizes", np.array([2, 6, 9, 7]))
    options = {"mode": "linear", "coordinate_transformation_mode": "align_corners"}
    value = builder.node("Resize", [value, "", "", sizes], "less", **options)
    x = random.uniform(-7, 7, (2, 4, 5, 6)).astype(np.float32)
    return builder.build({coded(builder, value, "y", 0.25, kind): (2, 6, 9, 7)}), x


@pytest.mark.parametrize("group", [1, 2])
@pytest.mark.parametrize("per_channel", [False, True])
def test_windows_are_added_up_and_images_resampled_on_codes(
    per_channel: bool, group: int, tmp_path: Path
) -> None:
    model, x = spreading(per_channel, group)
    wanted = run(aidge_nb.load_onnx(model), x, "cpu")
    view = aidge_nb.load_onnx(model)
    view.forward_dims([list(x.shape)], allow_data_dependency=True)
    report = to_integer(view)
    assert report.integer == ("up", "twice", "less")
    assert not report.float_
    found = run(view, x, "cpu")
    assert np.abs(found - wanted).max() <= 2 * 0.3001, "one step in each of two layers"
    np.testing.assert_array_equal(run(view, x, "exact"), found)
    np.testing.assert_array_equal(run(view, x, "c"), found)

    # Each layer alone is within a step of ONNX Runtime.
    model.save(tmp_path / "file.onnx")
    for integers in (True, False):
        rival = Quantized(tmp_path / "file.onnx", x, integers=integers, level=99 * integers)
        layers = steps_by_layer(view, [x], rival.codes())
        assert {"twice", "less_table"} <= {each.name for each in layers}
        assert len(layers) == 4
        assert max(each.most for each in layers) <= 1, [str(each) for each in layers]
    # Its own Resize of codes cuts off, that of numbers does not.
    assert all(each.differing < 0.05 * each.size for each in layers if "less" not in each.name)

    # What is written, another runtime computes.
    if per_channel and group > 1:
        with pytest.raises(AidgeError, match="groups share the scales of channels"):
            aidge_nb.save_onnx(view, tmp_path / "written.onnx", opset=19)
        return
    aidge_nb.save_onnx(view, tmp_path / "written.onnx", opset=19)
    theirs, _ = results(tmp_path / "written.onnx", view, x)
    assert np.abs(theirs - found).max() <= 2 * 0.3001
    assert np.mean(theirs != found) < 0.05


def test_resampling_that_is_no_mean_of_elements_stays_in_floating_point() -> None:
    builder = ModelBuilder("cubic", 0, opset=17)
    value = coded(builder, builder.input("data", (1, 2, 4, 4)), "x", 0.05)
    scales = builder.constant("scales", np.array([1, 1, 2, 2], np.float32))
    value = builder.node("Resize", [value, "", scales], "resize", mode="cubic")
    view = aidge_nb.load_onnx(builder.build({coded(builder, value, "y", 0.05): ()}))
    view.forward_dims([[1, 2, 4, 4]], allow_data_dependency=True)
    report = to_integer(view)
    assert "by their neighbours or linearly" in report.float_["resize (Resize)"]


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("op_type", ["Add", "Sub", "Mul", "Div", "Pow"])
def test_a_known_number_beside_codes_makes_a_table(op_type: str, first: bool) -> None:
    builder = ModelBuilder("number", 0, opset=17)
    value = coded(builder, builder.input("data", (4, 64)), "x", 0.05)
    inputs = [builder.constant("number", np.full((1, 1), 1.7, np.float32)), value]
    value = builder.node(op_type, inputs if first else inputs[::-1], "function")
    value = coded(builder, builder.node("Relu", [value], "relu"), "y", 0.04)
    model = builder.build({value: (4, 64)})
    x = np.random.default_rng(0).uniform(0.1, 5, (4, 64)).astype(np.float32)
    wanted = run(aidge_nb.load_onnx(model), x, "exact")
    view = aidge_nb.load_onnx(model)
    view.forward_dims([[4, 64]])
    report = to_integer(view)
    assert report.integer == ("function",)
    assert not report.float_
    for backend in ("cpu", "exact", "c"):
        np.testing.assert_array_equal(run(view, x, backend), wanted)


def test_a_split_moves_codes_and_parts_may_be_coded_otherwise() -> None:
    builder = ModelBuilder("split", 0, opset=17)
    value = coded(builder, builder.input("data", (2, 9, 4)), "x", 0.05)
    sizes = builder.constant("sizes", np.array([2, 4, 3]))
    builder.node("Split", [value, sizes], "split", ["a", "b", "c"], axis=1)
    scales = {"a": 0.05, "b": 0.1, "c": 0.02}
    outputs: dict[str, Sequence[int | str]] = {
        coded(builder, each, each, scale): () for each, scale in scales.items()
    }
    model = builder.build(outputs)
    x = np.random.default_rng(0).uniform(-7, 7, (2, 9, 4)).astype(np.float32)

    def all_of(view: GraphView, backend: str) -> list[Array]:
        view.set_backend(backend)
        found = aidge_nb.SequentialScheduler(view).forward(data=[aidge_nb.Tensor(x)])
        return [each.array.copy() for each in found]

    wanted = all_of(aidge_nb.load_onnx(model), "cpu")
    view = aidge_nb.load_onnx(model)
    view.forward_dims([list(x.shape)], allow_data_dependency=True)
    report = to_integer(view)
    assert report.integer == ("split",)
    assert not report.float_
    types = sorted(node.type() for node in view.get_nodes() if node.type() != "Producer")
    decoders = ["DequantizeLinear"] * 3
    assert types == [*decoders, "LookUp", "LookUp", "QuantizeLinear", "Split"]
    for backend in ("cpu", "exact", "c"):
        for found, each in zip(all_of(view, backend), wanted, strict=True):
            np.testing.assert_array_equal(found, each)
