"""Operators that run as ONNX defines them, in variants that no node test covers, and traps.

Each is compared with ONNX Runtime.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from aidge_nb import onnx_backend
from aidge_nb.core.errors import ShapeError
from aidge_nb.onnx_io import load_onnx
from tests.onnx_io.convert.variants import (
    I64,
    IMAGE,
    check,
    compare,
    computed,
    expected,
    one_node,
    weights,
)

F32 = np.float32


# --- traps that other runtimes fell into ----------------------------------------------------


@pytest.mark.parametrize("opset", [7, 9, 13, 14, 15])
def test_batch_normalization_uses_stored_statistics(opset: int) -> None:
    statistics = [weights(3), weights(3), weights(3), np.abs(weights(3))]
    check("BatchNormalization", opset, (2, 3, 4, 4), *statistics, epsilon=1e-3)


@pytest.mark.parametrize(("opset", "axis"), [*product([9, 11, 12, 13], [0, 1, 2])])
@pytest.mark.parametrize("op_type", ["Softmax", "LogSoftmax", "Hardmax"])
def test_softmax_flattens_before_opset_13(op_type: str, opset: int, axis: int) -> None:
    check(op_type, opset, (2, 3, 4), axis=axis)


@pytest.mark.parametrize("opset", [7, 10, 12, 13])
def test_dropout_is_the_identity(opset: int) -> None:
    constants = [F32(0.9)] if opset >= 12 else []
    check("Dropout", opset, (3, 4), *constants)


@pytest.mark.parametrize(
    ("starts", "ends", "steps"),
    [([5], [-99], [-1]), ([-1], [0], [-2]), ([99], [1], [-1]), ([3], [3], [1]), ([-2], [99], [1])],
)
def test_slices_backwards(starts: Any, ends: Any, steps: Any) -> None:
    check("Slice", 13, (6, 4), *(np.array(each) for each in (starts, ends, [0], steps)))


@pytest.mark.parametrize("dims", [(2, 3, 5), (2, 3, 4, 5), (1, 2, 3, 4, 5)])
@pytest.mark.parametrize("op_type", ["GlobalMaxPool", "GlobalAveragePool"])
def test_global_pooling_of_any_rank(op_type: str, dims: tuple[int, ...]) -> None:
    check(op_type, 13, dims)


@pytest.mark.parametrize("opset", [10, 13, 18, 19, 21])
def test_dequantization_of_any_version(opset: int) -> None:
    codes = np.arange(-12, 12, dtype=np.int8).reshape(2, 3, 4)
    given: dict[str, Any] = {"s": np.array(0.1, F32), "z": np.array(3, np.int8)}
    compare(
        one_node("DequantizeLinear", opset, {"x": codes}, given, ["x", "s", "z"], 1, {}),
        {"x": codes},
    )


@pytest.mark.parametrize("axis", [-1, 1, 0])
def test_layer_normalization_gives_its_statistics(axis: int) -> None:
    dims = (2, 3, 4)
    scale = weights(*dims[axis:])
    check("LayerNormalization", 17, dims, scale, scale, nb_outputs=3, axis=axis)


@pytest.mark.parametrize("scale", [0.6, 0.75, 1.4, 2.5])
@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
@pytest.mark.parametrize("style", ["align_corners", "half_pixel", "asymmetric"])
def test_resampling_by_fractions(mode: str, style: str, scale: float) -> None:
    scales = np.array([1, 1, scale, scale], F32)
    check("Resize", 13, IMAGE, None, scales, mode=mode, coordinate_transformation_mode=style)


# --- variants -------------------------------------------------------------------------------


@pytest.mark.parametrize("align", [0, 1])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
def test_grids_that_leave_the_image(mode: str, padding: str, align: int) -> None:
    grid = np.random.default_rng(0).uniform(-1.6, 1.6, (1, 4, 5, 2)).astype(F32)
    check(
        "GridSample", 20, (1, 2, 6, 7), grid, mode=mode, padding_mode=padding, align_corners=align
    )


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize("opset", [10, 16])
@pytest.mark.parametrize("ratio", [0, 2])
def test_regions(mode: str, opset: int, ratio: int) -> None:
    regions = np.array([[0, 0, 7, 7], [2.5, 1.5, 6.2, 3.1], [6, 6, 6.5, 6.5]], F32)
    attributes: dict[str, Any] = {"output_height": 3, "output_width": 2, "sampling_ratio": ratio}
    check(
        "RoiAlign",
        opset,
        (2, 3, 8, 8),
        regions,
        np.array([0, 1, 1]),
        mode=mode,
        spatial_scale=0.9,
        **attributes,
    )


@pytest.mark.parametrize("groups", [1, 2])
def test_deformed_windows(groups: int) -> None:
    offset, mask = weights(2, groups * 12, 3, 6), weights(2, groups * 6, 3, 6)
    attributes: dict[str, Any] = {"group": 2, "pads": (1, 0, 1, 0), "strides": (2, 1)}
    constants = [weights(6, 2, 3, 2), offset, weights(6), mask]
    check("DeformConv", 19, (2, 4, 6, 7), *constants, offset_group=groups, **attributes)


@pytest.mark.parametrize("opset", [17, 20])
@pytest.mark.parametrize(("inverse", "onesided"), [(0, 0), (0, 1), (1, 0)])
def test_spectra(opset: int, inverse: int, onesided: int) -> None:
    parts = 1 if onesided else 2
    inputs = [I64(12)] if opset < 20 else [I64(12), I64(1)]
    where: dict[str, Any] = {"axis": 1} if opset < 20 else {}
    check("DFT", opset, (2, 10, parts), *inputs, inverse=inverse, onesided=onesided, **where)


@pytest.mark.parametrize("op_type", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("lengths", [None, [5, 2, 3]])
def test_recurrent_layers(op_type: str, direction: str, lengths: Any) -> None:
    gates, turns = {"RNN": 1, "GRU": 3, "LSTM": 4}[op_type], 2 if direction[0] == "b" else 1
    hidden, batch = 4, 3
    given = {
        "w": weights(turns, gates * hidden, 6),
        "r": weights(turns, gates * hidden, hidden),
        "b": weights(turns, 2 * gates * hidden),
        "h": weights(turns, batch, hidden),
    }
    if lengths is not None:
        given["n"] = np.array(lengths, np.int32)
    x = np.random.default_rng(2).standard_normal((5, batch, 6)).astype(F32)
    names = ["x", "w", "r", "b", "n" if lengths is not None else "", "h"]
    if op_type == "LSTM":
        given |= {"c": weights(turns, batch, hidden), "p": weights(turns, 3 * hidden)}
        names += ["c", "p"]
    attributes = {"hidden_size": hidden, "direction": direction}
    if op_type == "GRU":
        attributes["linear_before_reset"] = 1
    outputs = 3 if op_type == "LSTM" else 2
    compare(one_node(op_type, 14, {"x": x}, given, names, outputs, attributes), {"x": x})


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER", "VALID"])
@pytest.mark.parametrize("strides", [(1, 1), (2, 3)])
def test_windows_of_unknown_sizes(auto_pad: str, strides: tuple[int, int]) -> None:
    """The kernels work padding out; the model does not say the sizes."""
    x = np.random.default_rng(0).standard_normal(IMAGE).astype(F32)
    attributes = {"auto_pad": auto_pad, "strides": strides}
    for op_type, given, more in (
        ("Conv", {"w": weights(4, 3, 3, 2), "b": weights(4)}, {}),
        ("ConvTranspose", {"w": weights(3, 4, 3, 3), "b": weights(4)}, {}),
        ("MaxPool", {}, {"kernel_shape": (3, 2)}),
        ("AveragePool", {}, {"kernel_shape": (3, 2), "count_include_pad": 1}),
        ("LpPool", {}, {"kernel_shape": (2, 2), "p": 1}),
    ):
        model = one_node(op_type, 19, {"x": x}, given, ["x", *given], 1, {**attributes, **more})
        inputs = (replace(model.inputs[0], dims=(None, 3, None, None)),)
        compare(replace(model, graph=replace(model.graph, inputs=inputs)), {"x": x})


@pytest.mark.parametrize("dims", [(1, 2, 5), (1, 2, 4, 4), (1, 2, 3, 4, 3)])
def test_indices_of_padded_pooling(dims: tuple[int, ...]) -> None:
    rank = len(dims) - 2
    for order in (0, 1):
        check(
            "MaxPool",
            12,
            dims,
            kernel_shape=(3,) * rank,
            pads=(1,) * (2 * rank),
            nb_outputs=2,
            storage_order=order,
        )


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("sort", [0, 1])
def test_distinct_elements(axis: int | None, sort: int) -> None:
    x = np.array([[3, 1, 3], [2, 1, 2], [3, 1, 3]], F32)
    attributes = {"sorted": sort} if axis is None else {"sorted": sort, "axis": axis}
    compare(one_node("Unique", 11, {"x": x}, {}, ["x"], 4, attributes), {"x": x})


@pytest.mark.parametrize("by_centre", [0, 1])
def test_boxes(by_centre: int) -> None:
    random = np.random.default_rng(3)
    boxes = random.uniform(0, 1, (2, 30, 4)).astype(F32)
    scores = random.uniform(0, 1, (2, 3, 30)).astype(F32)
    given: dict[str, Any] = {
        "s": scores,
        "m": np.array([5]),
        "o": np.array([0.3], F32),
        "t": np.array([0.2], F32),
    }
    model = one_node(
        "NonMaxSuppression",
        11,
        {"x": boxes},
        given,
        ["x", "s", "m", "o", "t"],
        1,
        {"center_point_box": by_centre},
    )
    compare(model, {"x": boxes})


def test_means_of_integers_are_cut_off() -> None:
    x = np.array([[-7, 0, 2], [5, 4, 3]], np.int32)
    compare(one_node("ReduceMean", 13, {"x": x}, {}, ["x"], 1, {"axes": (1,)}), {"x": x})


@pytest.mark.parametrize("op_type", ["ReduceLogSum", "ReduceLogSumExp"])
@pytest.mark.parametrize("axes", [(1,), (0, 1)])
def test_logarithms_of_integers_are_integers(op_type: str, axes: tuple[int, ...]) -> None:
    x = np.array([[7, 1, 2], [50, 49, 50]], np.int32)
    compare(one_node(op_type, 13, {"x": x}, {}, ["x"], 1, {"axes": axes}), {"x": x})


NUMBERS = [0.1, 1 / 3, 1e10, -1e-7, 123456789.0, 3.14159274, np.nan, np.inf, -np.inf, -0.0, 100]


@pytest.mark.parametrize("dtype", [np.float64, F32, np.float16, np.int8, np.bool_])
def test_numbers_are_spelled_alike(dtype: Any) -> None:
    with np.errstate(all="ignore"):
        x = np.array(NUMBERS if np.dtype(dtype).kind == "f" else [0, 1, -5]).astype(dtype)
    model = one_node("Cast", 19, {"x": x}, {}, ["x"], 1, {"to": 8})
    assert computed(model, {"x": x})[0].tolist() == expected(model, {"x": x})[0].tolist()


# --- dims, errors ---------------------------------------------------------------------------


def test_dims_are_found_by_a_trial_on_zeros() -> None:
    grid = np.zeros((1, 4, 5, 2), F32)
    data = {"x": np.zeros((1, 2, 6, 7), F32)}
    view = load_onnx(one_node("GridSample", 20, data, {"g": grid}, ["x", "g"], 1, {}))
    assert view.forward_dims([[1, 2, 6, 7]])
    output = view.get_node("node").get_operator().get_output(0)
    assert (output.dims, output.dtype.name) == ([1, 2, 4, 5], "float32")
    copy = view.clone().get_node("node").get_operator()
    assert copy.get_output(0).dims == (1, 2, 4, 5)


def test_dims_that_depend_on_data_are_known_when_it_has_run() -> None:
    x = np.array([1, 1, 2], F32)
    view = load_onnx(one_node("Unique", 11, {"x": x}, {}, ["x"], 1, {}))
    assert not view.forward_dims([[3]])
    compare(one_node("Unique", 11, {"x": x}, {}, ["x"], 1, {}), {"x": x})


def test_wrong_inputs_are_named_and_the_model_stays_usable() -> None:
    x = np.ones((1, 2, 4, 4), F32)
    model = one_node("LpPool", 18, {"x": x}, {}, ["x"], 1, {"kernel_shape": (3, 3)})
    inputs = (replace(model.inputs[0], dims=("N", 2, "H", "W")),)
    model = replace(model, graph=replace(model.graph, inputs=inputs))
    prepared = onnx_backend.prepare(model.to_proto())
    with pytest.raises(ShapeError, match=r"node \(LpPool\): .*window is larger than the input"):
        prepared.run([np.ones((1, 2, 2, 2), F32)])
    assert prepared.run([x])[0].shape == (1, 2, 2, 2)  # type: ignore[union-attr]
    assert prepared.run([np.ones((0, 2, 4, 4), F32)])[0].shape == (0, 2, 2, 2)  # type: ignore[union-attr]


@pytest.mark.parametrize("lengths", [[5, 1], [-1, 1], [1]])
def test_lengths_that_sequences_do_not_have(lengths: list[int]) -> None:
    x = np.ones((4, 2, 3), F32)
    given = {"w": weights(1, 2, 3), "r": weights(1, 2, 2), "n": np.array(lengths, np.int32)}
    names = ["x", "w", "r", "", "n"]
    model = one_node("RNN", 14, {"x": x}, given, names, 2, {"hidden_size": 2})
    with pytest.raises(ShapeError, match=r"\(RNN\): input#4: .*expected 2 numbers from 0 to 4"):
        onnx_backend.run_model(model.to_proto(), [x])
