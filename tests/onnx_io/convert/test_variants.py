"""Variants of operators over the opsets, against onnxruntime."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from aidge_nb.onnx_io import OnnxGraph, OnnxModel, OnnxNode, OnnxValue, load_onnx
from tests.onnx_io.convert.variants import I64, IMAGE, check, compare, computed, one_node, weights


@pytest.mark.parametrize("op_type", ["Softmax", "LogSoftmax", "Hardmax"])
@pytest.mark.parametrize(
    ("opset", "attributes"),
    [(11, {}), (11, {"axis": 2}), (11, {"axis": -1}), (13, {}), (13, {"axis": 1})],
)
def test_softmax_flattens_before_opset_13(
    op_type: str, opset: int, attributes: dict[str, Any]
) -> None:
    check(op_type, opset, (2, 3, 4), **attributes)


@pytest.mark.parametrize(
    ("c", "attributes", "type_name"),
    [
        (weights(4), {"transB": 1}, "FC"),
        (None, {"transB": 1}, "FC"),
        (weights(1, 4), {"transB": 1}, "Gemm"),
        (weights(2, 4), {"transB": 1}, "Gemm"),
        (weights(1), {"transB": 1}, "Gemm"),
        (weights(4), {"transB": 1, "alpha": 0.5}, "Gemm"),
        (weights(4), {"transB": 1, "beta": 2.0}, "Gemm"),
    ],
)
def test_gemm_is_fc_where_it_can(c: Any, attributes: dict[str, Any], type_name: str) -> None:
    constants = [weights(4, 3)] if c is None else [weights(4, 3), c]
    check("Gemm", 11, (2, 3), *constants, **attributes)
    data = {"x": np.zeros((2, 3), np.float32)}
    given = {f"c{i}": constant for i, constant in enumerate(constants)}
    model = one_node("Gemm", 11, data, given, ["x", *given], 1, attributes)
    assert load_onnx(model).get_node("node").type() == type_name


def test_gemm_transposed() -> None:
    check("Gemm", 11, (3, 2), weights(3, 4), weights(4), transA=1)
    check("Gemm", 9, (2, 3), weights(3, 4), weights(4))


def test_batch_normalization() -> None:
    parameters = [weights(3), weights(3), weights(3), np.abs(weights(3))]
    for opset in (7, 9, 15):
        check("BatchNormalization", opset, IMAGE, *parameters, epsilon=1e-3)
    check("BatchNormalization", 9, (4, 3), *parameters)


def test_dropout_does_nothing() -> None:
    check("Dropout", 7, (2, 3), ratio=0.7)
    check("Dropout", 12, (2, 3), np.float32(0.7))
    check("Dropout", 13, (2, 3), np.float32(0.7), np.bool_(False), nb_outputs=2)


def test_clip() -> None:
    check("Clip", 6, (4, 5), min=-0.5, max=0.25)
    check("Clip", 6, (4, 5), max=0.25)
    check("Clip", 6, (4, 5))
    check("Clip", 11, (4, 5), np.float32(-0.5), np.float32(0.25))
    check("Clip", 13, (4, 5), None, np.float32(0.25))
    check("Clip", 13, (4, 5), np.float32(-0.5))


def test_slice() -> None:
    check("Slice", 9, (5, 6, 7), starts=(1, -3), ends=(9999, -1), axes=(0, 2))
    check("Slice", 9, (5, 6), starts=(1, 0), ends=(3, 2))
    ends = np.array([-9999, 2], I64)
    check("Slice", 10, (5, 6), np.array([-1, 5]), ends, np.array([0, 1]), np.array([-2, -1]))
    check("Slice", 13, (5, 6), np.array([1]), np.array([4]), np.array([-1]))


def test_pad() -> None:
    pads = (0, 1, 0, 2, 0, 0, 3, 1)
    check("Pad", 2, IMAGE, pads=pads, value=1.5)
    check("Pad", 2, IMAGE, pads=pads, mode="reflect")
    check("Pad", 11, IMAGE, np.array(pads), np.float32(1.5))
    check("Pad", 11, IMAGE, np.array(pads), mode="edge")
    check("Pad", 13, IMAGE, np.array([0, 0, -1, 1, 0, 0, 1, -2]))
    check("Pad", 18, IMAGE, np.array([1, 2, 0, 1]), np.float32(2), np.array([-1, 1]))
    check("Pad", 19, IMAGE, np.array([1, 2]), None, np.array([3]), mode="wrap")


@pytest.mark.parametrize(
    "kind", ["L1", "L2", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"]
)
def test_reductions(kind: str) -> None:
    op_type = f"Reduce{kind}"
    check(op_type, 11, (2, 3, 4))
    check(op_type, 11, (2, 3, 4), axes=(0, -1), keepdims=0)
    check(op_type, 18, (2, 3, 4), np.array([1]), keepdims=1)
    check(op_type, 18, (2, 3, 4), keepdims=0)
    check(op_type, 18, (2, 3, 4), noop_with_empty_axes=1)
    if kind == "Sum":
        check(op_type, 13, (2, 3, 4), np.array([-2]), keepdims=0)


def test_arguments_of_extremes() -> None:
    for op_type in ("ArgMax", "ArgMin"):
        check(op_type, 13, (3, 4))
        check(op_type, 13, (3, 4), axis=-1, keepdims=0, select_last_index=1)


def test_shapes() -> None:
    check("Reshape", 5, (2, 3, 4), np.array([0, -1]))
    check("Reshape", 14, (2, 3, 4), np.array([4, 0, -1]))
    check("Reshape", 14, (0, 3), np.array([3, 0]), allowzero=1)
    check("Squeeze", 11, (1, 3, 1), axes=(0,))
    check("Squeeze", 11, (1, 3, 1))
    check("Squeeze", 13, (1, 3, 1), np.array([-1]))
    check("Unsqueeze", 11, (3, 4), axes=(0, 3))
    check("Unsqueeze", 13, (3, 4), np.array([-1]))
    check("Flatten", 9, (2, 3, 4), axis=2)
    check("Flatten", 11, (2, 3, 4), axis=-2)
    check("Flatten", 11, (2, 3, 4), axis=0)
    check("Transpose", 13, (2, 3, 4))
    check("Transpose", 13, (2, 3, 4), perm=(1, 2, 0))
    check("Expand", 8, (3, 1), np.array([2, 1, 4]))
    check("Tile", 13, (2, 3), np.array([2, 1]))


def test_parts_of_the_shape() -> None:
    check("Shape", 13, (2, 3, 4))
    check("Shape", 15, (2, 3, 4), start=1)
    check("Shape", 15, (2, 3, 4), start=-2, end=-1)
    check("Shape", 15, (2, 3, 4), end=2)
    check("Size", 13, (2, 3, 4))


def test_split() -> None:
    check("Split", 11, (2, 6), axis=1, split=(2, 4), nb_outputs=2)
    check("Split", 11, (2, 6), axis=-1, nb_outputs=3)
    check("Split", 13, (2, 6), np.array([1, 3, 2]), axis=1, nb_outputs=3)
    check("Split", 18, (2, 7), axis=1, num_outputs=3, nb_outputs=3)


def test_resampling() -> None:
    scales = np.array([1, 1, 2, 1.5], np.float32)
    check("Upsample", 7, IMAGE, scales=(1.0, 1.0, 2.0, 3.0), mode="nearest")
    check("Upsample", 9, IMAGE, np.array([1, 1, 2, 2], np.float32), mode="linear")
    check("Resize", 10, IMAGE, scales, mode="nearest")
    check("Resize", 10, IMAGE, scales, mode="linear")
    for mode in ("nearest", "linear", "cubic"):
        check("Resize", 11, IMAGE, np.array([], np.float32), scales, mode=mode)
        sizes = np.array([1, 3, 10, 5])
        empty = np.array([], np.float32)
        check("Resize", 11, IMAGE, empty, empty, sizes, mode=mode)
        check("Resize", 13, IMAGE, None, scales, mode=mode)
        check(
            "Resize",
            13,
            IMAGE,
            None,
            scales,
            mode=mode,
            coordinate_transformation_mode="asymmetric",
            nearest_mode="ceil",
        )
    check("Resize", 13, IMAGE, None, None, np.array([1, 3, 10, 5]), mode="linear")


def test_operators_on_two_inputs_before_opset_7() -> None:
    data = {"x": weights(2, 3, 4)}
    for dims, attributes, aligned in (
        ((3,), {"broadcast": 1, "axis": 1}, (3, 1)),
        ((3,), {"broadcast": 1, "axis": -2}, (3, 1)),
        ((3, 4), {"broadcast": 1}, (3, 4)),
        ((3, 4), {"broadcast": 1, "axis": 1}, (3, 4)),
        ((2, 3, 4), {}, (2, 3, 4)),
    ):
        given = {"w": weights(*dims)}
        model = one_node("Mul", 6, data, given, ["x", "w"], 1, attributes)
        (found,) = computed(model, data)
        np.testing.assert_array_equal(found, data["x"] * given["w"].reshape(aligned))
    inputs = [OnnxValue("x", "float32", None)]
    graph = OnnxGraph("g", model.nodes, {"w": weights(3)}, tuple(inputs), model.outputs)
    nodes = (OnnxNode("Mul", ("x", "w"), ("y0",), attributes={"broadcast": 1, "axis": 1}),)
    ((_, _, why),) = (
        load_onnx(OnnxModel(replace(graph, nodes=nodes), {"": 6}))
        .annotations["onnx.report"]
        .generic
    )
    assert why == "the dimensions of input#0 are not known; pass dims="
    check("Add", 7, (2, 3, 4), weights(3, 1))


def test_normalizations() -> None:
    check("InstanceNormalization", 6, IMAGE, weights(3), weights(3), epsilon=1e-4)
    check("LayerNormalization", 17, (2, 3, 4), weights(4), weights(4))
    check("LayerNormalization", 17, (2, 3, 4), weights(3, 4), axis=1, epsilon=1e-3)
    check("GroupNormalization", 21, (2, 4, 3, 3), weights(4), weights(4), num_groups=2)
    check("LRN", 13, (1, 6, 3, 3), size=3, alpha=1e-2, beta=0.5, bias=2.0)
    check("LpNormalization", 1, (3, 4), axis=0, p=1)


def test_activations_have_the_defaults_of_onnx() -> None:
    for op_type in ("LeakyRelu", "Elu", "Selu", "HardSigmoid", "ThresholdedRelu", "Softplus"):
        check(op_type, 10 if op_type == "ThresholdedRelu" else 6, (4, 5))
    check("LeakyRelu", 6, (4, 5), alpha=0.3)
    check("HardSwish", 14, (4, 5))
    check("Celu", 12, (4, 5), alpha=2.0)
    check("Gelu", 20, (4, 5), approximate="tanh")
    check("PRelu", 9, (2, 3, 4), weights(3, 1))
    check("Round", 11, (4, 5))


def test_casts() -> None:
    for number in (6, 7, 9, 10, 11):
        check("Cast", 13, (3, 4), to=number)


def test_indexing() -> None:
    check("Gather", 11, (4, 5), np.array([[0, -1], [2, 1]]), axis=1)
    check("Gather", 11, (4, 5), np.array(2))
    check("GatherElements", 11, (3, 2), np.array([[0, 1], [1, 0]]), axis=1)
    check("GatherND", 12, (2, 3, 4), np.array([[0, 1], [1, 2]]))
    check("TopK", 9, (3, 5), k=2, nb_outputs=2)
    check("TopK", 11, (3, 5), np.array([2]), largest=0, nb_outputs=2)
    check("OneHot", 11, (3,), np.array(4), np.array([0, 1], np.float32), of="int64")
    check("CumSum", 14, (3, 4), np.array(1), exclusive=1, reverse=1)
    check("Trilu", 14, (4, 5), np.array(1), upper=0)


def test_blocks() -> None:
    check("DepthToSpace", 11, (1, 8, 2, 3), blocksize=2)
    check("DepthToSpace", 11, (1, 8, 2, 3), blocksize=2, mode="CRD")
    check("SpaceToDepth", 13, (1, 2, 4, 6), blocksize=2)


@pytest.mark.parametrize(
    ("attributes", "value"),
    [
        ({"value": np.array([[1, 2]], np.int8)}, np.array([[1, 2]], np.int8)),
        ({"value_float": 0.5}, np.float32(0.5)),
        ({"value_floats": (0.5, 2.0)}, np.array([0.5, 2], np.float32)),
        ({"value_int": 3}, np.int64(3)),
        ({"value_ints": (3, 4)}, np.array([3, 4])),
        ({"value_string": "a"}, np.array("a", object)),
        ({"value_strings": ("a", "b")}, np.array(["a", "b"], object)),
        ({"sparse_value": np.eye(2)}, np.eye(2)),
    ],
)
def test_constants(attributes: dict[str, Any], value: Any) -> None:
    view = load_onnx(one_node("Constant", 13, {}, {}, [], 1, attributes))
    found = view.get_node("node").get_operator().get_output(0).array
    assert found.dtype == value.dtype
    np.testing.assert_array_equal(found, value)


def test_a_constant_without_a_value() -> None:
    ((_, _, why),) = (
        load_onnx(one_node("Constant", 13, {}, {}, [], 1, {})).annotations["onnx.report"].generic
    )
    assert why == "a constant without a value"


def test_constants_are_seen_through_identity() -> None:
    nodes = (
        OnnxNode("Identity", ("W",), ("w",), "identity"),
        OnnxNode("LSTM", ("x", "w", "R"), ("y",), "lstm", attributes={"hidden_size": 3}),
    )
    given = {"W": weights(1, 12, 2), "R": weights(1, 12, 3)}
    values = (OnnxValue("x", "float32", (4, 1, 2)),)
    model = OnnxModel(OnnxGraph("g", nodes, given, values, (OnnxValue("y"),)), {"": 14})
    compare(model, {"x": weights(4, 1, 2)})


def test_rare_operators() -> None:
    check("EyeLike", 9, (3, 4), k=1, dtype=7)
    check("EyeLike", 9, (3, 4))
    data = {"x": np.array([1, 200, 7], np.uint8)}
    given = {"by": np.array([1, 2, 3], np.uint8)}
    for direction in ("LEFT", "RIGHT"):
        attributes = {"direction": direction}
        compare(one_node("BitShift", 11, data, given, ["x", "by"], 1, attributes), data)
    check("Concat", 11, (2, 3), weights(2, 3), axis=-1)
    (found,) = computed(
        one_node("Concat", 3, {"x": weights(2, 3)}, {"c": weights(2, 3)}, ["x", "c"], 1, {}),
        {"x": weights(2, 3)},
    )
    assert found.shape == (2, 6)
